//! The score contribution of one annotator.
//!
//! With the residuals e_v = y_v − (s_i − s_j) − γ of the votes v on (left i, right j),
//! given the annotator's own scores s = θ + δ, it is g_i = Σ ±ω_v e_v over the votes on
//! item i, with + where i is left. With another loss than the squared one, e = −ℓ'.

use std::ops::Range;

use crate::options::Loss;
use crate::votes::Comparisons;

/// The score contribution of one annotator at a time, in reused memory.
pub(super) struct ScoreContribution {
    /// The items that the annotator saw.
    pub seen: Vec<u32>,
    /// By item; zero where the annotator saw nothing.
    pub by_item: Vec<ItemContribution>,
    /// The annotator's own scores, by item.
    pub own_scores: Vec<f64>,
    /// Σ ω e².
    pub residual_squares: f64,
    /// Σ ω y², or Σ ω ℓ'' with another loss than the squared one.
    pub prior_squares: f64,
    /// Σ ω².
    pub weight_squares: f64,
}

/// The part of a score contribution on one item.
#[derive(Clone, Copy, Default)]
pub(super) struct ItemContribution {
    /// g_i.
    pub value: f64,
    /// Σ ω over the votes on the item.
    pub votes: f64,
}

impl ScoreContribution {
    pub fn new(theta: &[f64]) -> Self {
        Self {
            seen: Vec::new(),
            by_item: vec![ItemContribution::default(); theta.len()],
            own_scores: theta.to_vec(),
            residual_squares: 0.0,
            prior_squares: 0.0,
            weight_squares: 0.0,
        }
    }

    /// Computes it from the annotator's rows, with the scores in `own_scores`.
    pub fn compute(
        &mut self,
        votes: &Comparisons,
        rows: Range<usize>,
        position_bias: f64,
        loss: Loss,
    ) {
        for item in self.seen.drain(..) {
            self.by_item[item as usize] = ItemContribution::default();
        }
        (self.residual_squares, self.prior_squares) = (0.0, 0.0);
        self.weight_squares = 0.0;
        // Every item is written to the end of `seen`, and only a new one moves the end:
        // this needs no branch, which would often be mispredicted.
        self.seen.resize(2 * rows.len() + 1, 0);
        let mut seen = 0;
        for vote in rows.map(|row| votes.get(row)) {
            let difference = self.own_scores[vote.left] - self.own_scores[vote.right];
            let predicted = difference + position_bias;
            let (residual, prior) = match loss {
                Loss::Squared => (vote.choice - predicted, vote.choice * vote.choice),
                _ => {
                    let (first, second) = loss.derivatives(vote.choice, predicted);
                    (-first, second)
                }
            };
            self.residual_squares += vote.weight * residual * residual;
            self.prior_squares += vote.weight * prior;
            self.weight_squares += vote.weight * vote.weight;
            let value = vote.weight * residual;
            for (item, value) in [(vote.left, value), (vote.right, -value)] {
                let on_item = &mut self.by_item[item];
                self.seen[seen] = item as u32;
                seen += usize::from(on_item.votes == 0.0);
                on_item.value += value;
                on_item.votes += vote.weight;
            }
        }
        self.seen.truncate(seen);
    }
}
