//! The variance of the difference of two scores.
//!
//! It is found as that of a score is, with the difference in place of the score: from the
//! [clustered covariance](super::covariance) or the [refits](super::jackknife), pooled with
//! what independent votes would give. For these the variance is σ² times the effective
//! resistance of the pair, (L⁺)_aa + (L⁺)_bb − 2 (L⁺)_ab.
//!
//! How many annotators know of a difference: if v_a and v_b are the variances of the two
//! scores, and n_a and n_b the effective numbers of annotators who saw the items,
//!
//! ```text
//! 1/√n = (v_a/√n_a + v_b/√n_b) / (v_a + v_b)
//! ```
//!
//! which is the number if the same annotators saw both, and too small otherwise. The score
//! that is less certain counts most.

use super::covariance::ClusteredCovariance;
use super::jackknife::RefitContributions;
use super::variances::Variance;

/// What the variance of the difference of any two scores is computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreCovariance {
    /// V, the covariance with a cluster for each annotator.
    pub clustered: ClusteredCovariance,
    /// By item, the effective number of annotators who saw it.
    pub annotators: Vec<f64>,
    /// cσ²: times the effective resistance of a pair, what independent votes would give.
    pub prior: f64,
    /// If annotators have effects, how the scores respond to them.
    pub refits: Option<RefitContributions>,
}

impl ScoreCovariance {
    /// Whether it is there for so many items.
    pub fn is_consistent(&self, items: usize) -> bool {
        let refits = self.refits.as_ref();
        self.clustered.is_consistent(items)
            && self.annotators.len() == items
            && refits.is_none_or(|refits| refits.is_consistent(items))
    }

    /// The variance of the difference of the scores of two items of a component, given the
    /// effective resistance between them.
    pub fn of_difference(&self, a: usize, b: usize, resistance: f64) -> Variance {
        let of_both = |numbers: &[f64]| self.known_by(a, b, numbers);
        let squares = self.clustered.variance_of_difference(a, b);
        let sandwich = Variance::of_sum(squares, of_both(&self.annotators));
        let own = match &self.refits {
            Some(refits) => refits.of_difference([a, b], of_both(&refits.seen_by), sandwich),
            None => sandwich,
        };
        own.pooled(self.prior, resistance)
    }

    /// How many annotators or groups know of a difference, given how many saw each item.
    fn known_by(&self, a: usize, b: usize, seen_by: &[f64]) -> f64 {
        let (n_a, n_b) = (seen_by[a], seen_by[b]);
        let (v_a, v_b) = (self.clustered.variance(a), self.clustered.variance(b));
        let root = (v_a / n_a.sqrt() + v_b / n_b.sqrt()) / (v_a + v_b);
        let number = 1.0 / (root * root);
        if number.is_finite() {
            number
        } else {
            f64::min(n_a, n_b) // no score varies
        }
    }
}
