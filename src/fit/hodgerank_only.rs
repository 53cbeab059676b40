//! HodgeRank alone, and of it the ranking alone: a short way where no effect of
//! annotators is in the model and nothing but the ranking is asked for.
//!
//! It takes sums over the votes and two least squares problems, θ and its standard
//! errors. The numbers are the same as in a complete [`Fit`](crate::Fit).

use std::sync::Arc;

use super::ItemTally;
use super::parts::mean_strength;
use super::vote_checks::{refuse_strong_choices, refuse_unknown_annotators};
use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::model::{
    Fitted, Flow, LaplacianSolver, SolveFrequency, StandardErrors, VoteModel, consensus_scores,
};
use crate::options::{BiasTest, Loss, Options, PairModel};
use crate::votes::{Comparisons, Votes};

impl Options {
    /// Whether a fit with these options has nothing but HodgeRank in it.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn is_hodgerank_only(&self) -> bool {
        let by_knockoffs = self.fdr.is_some() && self.bias_test != BiasTest::PValue;
        !self.has_effects() && !by_knockoffs
    }
}

/// What a ranking without effects of annotators is made of, by item.
pub(crate) struct HodgeRankOnly {
    pub tally: ItemTally,
    pub vote_model: VoteModel,
    /// The scores θ of the model. Those of the tally differ if the pair model is not uniform.
    pub scores: Vec<f64>,
    pub standard_errors: StandardErrors,
}

impl HodgeRankOnly {
    /// Computes the scores, within a time limit or a poll.
    pub fn new(votes: &Votes, options: &Options, execution: &mut Execution<'_>) -> Result<Self> {
        let options = &options.for_votes(votes)?;
        refuse_unknown_annotators(votes)?;
        refuse_strong_choices(votes, options)?;
        execution.limit(options.max_seconds);
        execution.limit_threads(options.threads);
        let comparisons = &votes.comparisons;
        execution.run_sized(comparisons.len(), |threads, stop| {
            compute(comparisons, options, threads, stop)
        })
    }
}

fn compute(
    votes: &Comparisons,
    options: &Options,
    threads: usize,
    stop: &Stop,
) -> Result<HodgeRankOnly> {
    let flow = Arc::new(Flow::with_threads(
        votes,
        PairModel::Uniform,
        threads,
        stop,
    )?);
    let consensus = LaplacianSolver::new(&flow, SolveFrequency::Once, stop)?;
    let mut tally = ItemTally::new(votes, &consensus, threads)?;
    let rhs = net_wins(votes, &tally, threads)?;
    let mut scores = vec![0.0; votes.items()];
    let mut scratch = consensus.scratch();
    consensus.hodgerank(&rhs, &mut scores, &mut scratch, stop)?;
    tally.hodgerank = match options.pair_model {
        PairModel::Uniform => scores.clone(),
        model => consensus.scores_of(&Flow::with_threads(votes, model, threads, stop)?, stop)?,
    };
    if options.loss != Loss::Squared {
        scores = consensus_scores(&flow, options.loss, options.ridge_or_default(), stop)?;
        tally.consensus = scores.clone();
    }
    let fitted = Fitted {
        theta: &scores,
        loss: options.loss,
        ridge: options.hessian_ridge(),
        effects: None,
        pairs: None,
    };
    let components = consensus.components();
    let standard_errors = StandardErrors::new(votes, &flow, components, fitted, threads, stop)?;
    Ok(HodgeRankOnly {
        tally,
        vote_model: VoteModel::new(options.loss, mean_strength(votes, threads)?),
        scores,
        standard_errors,
    })
}

/// Σ_u b_u, each b_u summed on its own first: the order in which the statistics of
/// annotators are added. Sums of integers are exact in any order.
fn net_wins(votes: &Comparisons, tally: &ItemTally, threads: usize) -> Result<Vec<f64>> {
    if votes.sides().is_some() {
        let both = tally.wins.iter().zip(&tally.losses);
        return Ok(both.map(|(wins, losses)| wins - losses).collect());
    }
    votes
        .partition()
        .sum(votes.items(), threads, |annotators, sum| {
            let mut own = vec![0.0; votes.items()];
            for u in annotators {
                for vote in votes.of(u) {
                    own[vote.left] += vote.weight * vote.choice;
                    own[vote.right] -= vote.weight * vote.choice;
                }
                for vote in votes.of(u) {
                    for item in [vote.left, vote.right] {
                        sum[item] += std::mem::take(&mut own[item]);
                    }
                }
            }
            Ok(())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::arrow::hodgerank_ranking;
    use crate::votes::rank_tables::{assert_same_on_ranks, tables};
    use crate::{ChoiceRef, Fit, IdRef, IdType, ResultSet, Row, VoteBuilder};

    fn votes(options: &Options, choice: impl Fn(i128) -> f64) -> Votes {
        let mut builder = VoteBuilder::new(options);
        builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
        for k in 0..600i128 {
            let (left, right) = (k % 13, (k / 3 + k * k) % 13);
            if left == right {
                continue;
            }
            let row = Row {
                annotator: Some(IdRef::Int(k % 17)),
                left: Some(IdRef::Int(left)),
                right: Some(IdRef::Int(right)),
                choice: Some(ChoiceRef::Number(choice(k))),
                weight: Some(0.1 + (k % 5) as f64 / 7.0),
                fold: None,
            };
            builder.push(row).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn ranks_have_the_same_ranking() {
        for (name, votes) in tables() {
            for loss in [Loss::Squared, Loss::Logistic] {
                if loss != Loss::Squared && votes.is_graded() {
                    continue;
                }
                let options = Options {
                    personal: Some(false),
                    position_bias: Some(false),
                    pair_model: PairModel::Angular,
                    loss,
                    ..Options::default()
                };
                let (_, scores, ..) = assert_same_on_ranks(&votes, |votes, threads| {
                    let found = compute(votes, &options, threads, &Stop::default()).unwrap();
                    (found.tally, found.scores, found.standard_errors)
                });
                assert!(scores.iter().any(|&score| score > 0.1), "{name}");
            }
        }
    }

    #[test]
    fn the_ranking_is_that_of_a_whole_fit() {
        let hodgerank_only = Options {
            personal: Some(false),
            position_bias: Some(false),
            ..Options::default()
        };
        let mut weighted = hodgerank_only.clone();
        weighted.columns.weight = Some("weight".into());
        let odds = Options {
            pair_model: PairModel::BradleyTerry,
            ..hodgerank_only.clone()
        };
        let side = |k: i128| [1.0, -1.0, 0.0, 1.0, 1.0][(k * k % 23 % 5) as usize];
        let graded = |k: i128| (k * k % 101) as f64 / 37.0 - 1.0;
        let with_loss = |loss| Options {
            loss,
            ..weighted.clone()
        };
        let (logistic, probit) = (with_loss(Loss::Logistic), with_loss(Loss::Probit));
        let soft = |k: i128| (k * k % 101) as f64 / 50.0 - 1.0;
        for (options, votes) in [
            (&logistic, votes(&logistic, side)),
            (&probit, votes(&probit, soft)),
            (&hodgerank_only, votes(&hodgerank_only, side)),
            (&hodgerank_only, votes(&hodgerank_only, graded)),
            (&weighted, votes(&weighted, graded)),
            (&odds, votes(&odds, side)),
        ] {
            assert!(options.is_hodgerank_only());
            let alone = HodgeRankOnly::new(&votes, options, &mut Execution::new()).unwrap();
            let fit = Fit::new(&votes, options).unwrap();
            assert_eq!(alone.ranking(votes.items()), fit.ranking().unwrap());
            let table = hodgerank_ranking(&votes, options, &mut Execution::new()).unwrap();
            assert_eq!(table, fit.table(ResultSet::Ranking).unwrap());
        }
    }
}
