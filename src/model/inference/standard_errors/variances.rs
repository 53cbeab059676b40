//! The variances of the scores, pooled with what well-known items say.
//!
//! V_i of an item that n annotators saw (n their effective number) has n − 1 degrees of
//! freedom. It is pooled with a prior that counts as [`PRIOR_ANNOTATORS`] more: the
//! variance σ²(L⁺)_ii that independent votes would give, times an inflation c.
//!
//! ```text
//! variance_i = ((n_i − 1)·V_i n_i/(n_i − 1) + p·c·σ²(L⁺)_ii) / (n_i − 1 + p)
//! ```
//!
//! c is the ratio of the two kinds of variance, V_i n_i/(n_i − 1) and σ²(L⁺)_ii, over
//! the items that many annotators saw; at least 1.

use super::annotator_sums::AnnotatorSums;
use super::covariance::ClusteredCovariance;
use crate::model::distributions::{student_975, student_two_sided};

/// p, the weight of the prior in annotators.
const PRIOR_ANNOTATORS: f64 = 4.0;

/// By item.
pub(super) struct Variances {
    pub sums: AnnotatorSums,
    /// V = L⁺(Σ g gᵀ)L⁺.
    pub covariance: ClusteredCovariance,
    /// Its diagonal.
    pub clustered: Vec<f64>,
    /// The diagonal of L⁺.
    pub independent: Vec<f64>,
}

/// An estimate of the variance of a score or of a difference of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// The variance.
    pub value: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl Variance {
    /// The standard error.
    pub fn std_error(self) -> f64 {
        self.value.sqrt()
    }

    /// Half the width of the 95 % interval.
    pub fn half_width(self) -> f64 {
        student_975(self.freedom) * self.value.sqrt()
    }

    /// How often chance alone gives an estimate as far from zero as this one, or further.
    /// An estimate without any variance is sure, unless it is zero.
    pub fn p_value(self, estimate: f64) -> f64 {
        if estimate == 0.0 {
            return 1.0;
        }
        student_two_sided(estimate.abs() / self.std_error(), self.freedom)
    }

    /// From Σ_u x_u² of so many independent contributions x_u that add up to zero.
    pub(super) fn of_sum(squares: f64, contributions: f64) -> Self {
        let freedom = contributions - 1.0;
        let value = if freedom > 0.0 {
            squares * contributions / freedom
        } else {
            0.0
        };
        Self {
            value,
            freedom: freedom.max(0.0),
        }
    }

    /// Pooled with the prior cσ² times the variance that independent votes of variance 1
    /// would give.
    pub(super) fn pooled(self, prior: f64, independent: f64) -> Self {
        let freedom = self.freedom + PRIOR_ANNOTATORS;
        let prior = prior * independent;
        Self {
            value: (self.freedom * self.value + PRIOR_ANNOTATORS * prior) / freedom,
            freedom,
        }
    }

    /// The sum of two that are independent, with the degrees of freedom of
    /// Satterthwaite.
    pub(super) fn plus(self, other: Self) -> Self {
        let value = self.value + other.value;
        let spread = |part: Self| {
            if part.value > 0.0 {
                (part.value / value).powi(2) / part.freedom
            } else {
                0.0
            }
        };
        let spread = spread(self) + spread(other);
        let freedom = if spread > 0.0 {
            1.0 / spread
        } else {
            self.freedom.max(other.freedom)
        };
        Self { value, freedom }
    }
}

impl Variances {
    /// By item, that of the sandwich.
    pub fn sandwich(&self) -> Vec<Variance> {
        let seen_by = self.sums.effective_annotators();
        let both = self.clustered.iter().zip(seen_by);
        both.map(|(&squares, annotators)| Variance::of_sum(squares, annotators))
            .collect()
    }

    /// cσ², given the variance of each item.
    pub fn prior(&self, own: &[Variance]) -> f64 {
        let unit = self.sums.unit_variance();
        self.inflation(own, unit) * unit
    }

    /// c, from the items that at least half as many annotators saw as the best-known one.
    fn inflation(&self, own: &[Variance], unit: f64) -> f64 {
        let seen_by = self.sums.effective_annotators();
        let most_seen = seen_by.iter().copied().fold(0.0, f64::max);
        let (mut clustered, mut independent) = (0.0, 0.0);
        for (i, &annotators) in seen_by.iter().enumerate() {
            if annotators > 1.0 && annotators >= 0.5 * most_seen {
                clustered += own[i].value;
                independent += unit * self.independent[i];
            }
        }
        if independent > 0.0 {
            f64::max(1.0, clustered / independent)
        } else {
            1.0
        }
    }
}
