//! Sums over annotators that the variances need in addition to the score contributions.

use super::contribution::{ItemContribution, ScoreContribution};
use crate::options::Loss;

/// The residual variance counts so many additional votes that the model does not
/// explain. Without them it would be zero where the model fits a few votes exactly.
const PRIOR_VOTES: f64 = 2.0;

/// Sums over annotators.
pub(super) struct AnnotatorSums {
    loss: Loss,
    /// By item: the votes on it.
    votes: Vec<f64>,
    /// By item: Σ_u (votes of u on it)².
    vote_squares: Vec<f64>,
    /// By item: Σ_u g_ui².
    pub contribution_squares: Vec<f64>,
    /// Σ ω e² over all votes.
    residual_squares: f64,
    /// Σ ω y² over all votes, or Σ ω ℓ'' with another loss than the squared one.
    prior_squares: f64,
    /// Σ ω² over all votes.
    weight_squares: f64,
}

impl AnnotatorSums {
    /// How many numbers are added up: three by item, then three of all votes.
    pub fn len(items: usize) -> usize {
        3 * (items + 1)
    }

    /// Calls `add` with what an annotator adds to three numbers of an item, and at last to
    /// those of all votes.
    pub fn for_each(contribution: &ScoreContribution, mut add: impl FnMut(usize, [f64; 3])) {
        for item in contribution.seen.iter().map(|&item| item as usize) {
            let ItemContribution { value, votes } = contribution.by_item[item];
            add(item, [votes, votes * votes, value * value]);
        }
        let all = [
            contribution.residual_squares,
            contribution.prior_squares,
            contribution.weight_squares,
        ];
        add(contribution.by_item.len(), all);
    }

    /// From the numbers that were added up.
    pub fn new(sums: &[[f64; 3]], loss: Loss) -> Self {
        let (all, by_item) = sums.split_last().expect("there are sums of all votes");
        let column = |k: usize| by_item.iter().map(|sums| sums[k]).collect();
        Self {
            loss,
            votes: column(0),
            vote_squares: column(1),
            contribution_squares: column(2),
            residual_squares: all[0],
            prior_squares: all[1],
            weight_squares: all[2],
        }
    }

    /// By item: the effective number of annotators who voted on it.
    pub fn effective_annotators(&self) -> Vec<f64> {
        let both = self.votes.iter().zip(&self.vote_squares);
        both.map(|(&sum, &squares)| effective_number(sum, squares))
            .collect()
    }

    /// σ²ρ, which times L⁺ is the variance of the scores if votes are independent. σ² is
    /// the variance of a vote around the model, with [`PRIOR_VOTES`] more votes whose
    /// residual is the choice itself.
    ///
    /// With another loss than the squared one e is ℓ', whose variance is ℓ'' if the model is
    /// right. There the additional votes have just that variance, and σ² is relative to it.
    ///
    /// A weight says how much a vote matters and not how exact it is: the variance of
    /// L⁺Σ ±ωe is L⁺(Σ ω²σ²(e_i − e_j)(e_i − e_j)ᵀ)L⁺, or about σ²ρL⁺ with
    /// ρ = Σω²/Σω. Likewise votes of weights ω count as Σω/ρ votes of one weight.
    pub fn unit_variance(&self) -> f64 {
        let total = self.votes.iter().sum::<f64>() / 2.0; // a vote is on two items
        let ratio = self.weight_squares / total;
        let freedom = f64::max(total / ratio - self.votes.len() as f64 + 1.0, 0.0);
        let prior_squares = PRIOR_VOTES * self.prior_squares / total;
        let squares = self.residual_squares / ratio + prior_squares;
        let variance = ratio * squares / (freedom + PRIOR_VOTES);
        match self.loss {
            Loss::Squared => variance,
            // In units of the variance that the model says a vote's ℓ' has, which is ℓ''.
            _ => variance * total / self.prior_squares,
        }
    }
}

/// n = (Σ v)²/Σ v² for numbers of votes v, of annotators or groups of them. If all are
/// equal it is how many there are.
pub(super) fn effective_number(sum: f64, squares: f64) -> f64 {
    sum * sum / squares
}

/// sum += other.
pub(super) fn add_to(sum: &mut [f64], other: &[f64]) {
    for (slot, x) in sum.iter_mut().zip(other) {
        *slot += x;
    }
}
