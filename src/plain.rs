//! HodgeRank alone, and of it the ranking alone: no more than sums over votes
//! and two kinds of least squares. The same numbers as in a whole [`Fit`].
//!
//! [`Fit`]: crate::Fit

use arrow_array::RecordBatch;

use crate::error::Result;
use crate::fit::{ItemTally, scores_of};
use crate::model::{Consensus, Fitted, Flow, Statistics, Uncertainty};
use crate::options::{BiasTest, Options, PairModel};
use crate::results::ranking::Ranking;
use crate::run::{Run, Stop};
use crate::votes::{Comparisons, Votes};

/// Whether a fit with these options has nothing but HodgeRank in it.
pub(crate) fn is_plain(options: &Options) -> bool {
    let by_knockoffs = options.fdr.is_some() && options.bias_test != BiasTest::PValue;
    !options.has_effects() && !by_knockoffs
}

/// The ranking of a model without effects.
pub(crate) fn ranking(votes: &Votes, options: &Options, run: &mut Run<'_>) -> Result<RecordBatch> {
    options.check()?;
    run.limit(options.max_seconds);
    let threads = run.worker_threads();
    run.watch(|stop| compute(votes, options, threads, stop))
}

fn compute(votes: &Votes, options: &Options, threads: usize, stop: &Stop) -> Result<RecordBatch> {
    let comparisons = &votes.comparisons;
    let flow = Flow::new(comparisons, options.pair_model, stop)?;
    let consensus = Consensus::new(&Statistics::pooled(&flow), stop)?;
    let mut tally = ItemTally::new(comparisons, &consensus);
    let net_wins = net_wins(comparisons, &tally);
    let mut scores = vec![0.0; comparisons.items()];
    let mut work = consensus.workspace();
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
    let uncertainty = Uncertainty::new(comparisons, &flow, components, fitted, threads, stop)?;
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
    if votes.are_sides() {
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
