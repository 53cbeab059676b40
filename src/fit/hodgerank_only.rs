//! HodgeRank alone, and of it the ranking alone: no more than sums over votes
//! and two kinds of least squares. The same numbers as in a whole [`Fit`].
//!
//! [`Fit`]: crate::Fit

use arrow_array::RecordBatch;

use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::fit::{ItemTally, scores_of};
use crate::model::{Fitted, Flow, LaplacianSolver, SolveFrequency, StandardErrors};
use crate::options::{BiasTest, Options, PairModel};
use crate::render::arrow::ranking::Ranking;
use crate::votes::{Comparisons, Votes};

/// Whether a fit with these options has nothing but HodgeRank in it.
pub(crate) fn is_plain(options: &Options) -> bool {
    let by_knockoffs = options.fdr.is_some() && options.bias_test != BiasTest::PValue;
    !options.has_effects() && !by_knockoffs
}

/// The ranking of a model without effects.
pub(crate) fn ranking(
    votes: &Votes,
    options: &Options,
    run: &mut Execution<'_>,
) -> Result<RecordBatch> {
    options.check()?;
    run.limit(options.max_seconds);
    let threads = run.worker_threads();
    run.run(|stop| compute(votes, options, threads, stop))
}

fn compute(votes: &Votes, options: &Options, threads: usize, stop: &Stop) -> Result<RecordBatch> {
    let comparisons = &votes.comparisons;
    let flow = Flow::new(comparisons, options.pair_model, stop)?;
    let consensus = LaplacianSolver::new(&flow, SolveFrequency::Once, stop)?;
    let mut tally = ItemTally::new(comparisons, &consensus);
    let net_wins = net_wins(comparisons, &tally);
    let mut scores = vec![0.0; comparisons.items()];
    let mut work = consensus.scratch();
    consensus.solve(&net_wins, &mut scores, &mut work, stop)?;
    tally.hodgerank = match options.pair_model {
        PairModel::Uniform => scores.clone(),
        _ => scores_of(&flow, &consensus, stop)?,
    };
    let fitted = Fitted {
        theta: &scores,
        effects: None,
    };
    let components = consensus.components();
    let uncertainty = StandardErrors::new(comparisons, &flow, components, fitted, threads, stop)?;
    let ranking = Ranking {
        items: &votes.items,
        tally: &tally,
        scores: &scores,
        uncertainty: &uncertainty,
    };
    ranking.table(votes.annotators.id_type())
}

/// Σ_u b_u, each b_u added up on its own first: the order that the statistics
/// of annotators add in. Whole numbers do not care.
fn net_wins(votes: &Comparisons, tally: &ItemTally) -> Vec<f64> {
    if votes.sides().is_some() {
        let both = tally.wins.iter().zip(&tally.losses);
        return both.map(|(wins, losses)| wins - losses).collect();
    }
    let mut sum = vec![0.0; votes.items()];
    let mut own = vec![0.0; votes.items()];
    for u in 0..votes.annotators() {
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
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn the_ranking_is_that_of_a_whole_fit() {
        let plain = Options {
            personal: false,
            position_bias: false,
            ..Options::default()
        };
        let mut weighted = plain.clone();
        weighted.columns.weight = Some("weight".into());
        let odds = Options {
            pair_model: PairModel::BradleyTerry,
            ..plain.clone()
        };
        let side = |k: i128| [1.0, -1.0, 0.0, 1.0, 1.0][(k * k % 23 % 5) as usize];
        let graded = |k: i128| (k * k % 101) as f64 / 37.0 - 1.0;
        for (options, votes) in [
            (&plain, votes(&plain, side)),
            (&plain, votes(&plain, graded)),
            (&weighted, votes(&weighted, graded)),
            (&odds, votes(&odds, side)),
        ] {
            assert!(is_plain(options));
            let alone = ranking(&votes, options, &mut Execution::new()).unwrap();
            let fit = Fit::new(&votes, options).unwrap();
            assert_eq!(alone, fit.table(ResultSet::Ranking).unwrap());
        }
    }
}
