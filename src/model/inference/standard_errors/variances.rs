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

/// p, the weight of the prior in annotators.
const PRIOR_ANNOTATORS: f64 = 4.0;

/// By item.
pub(super) struct Variances {
    pub sums: AnnotatorSums,
    /// The diagonal of V = L⁺(Σ g gᵀ)L⁺.
    pub clustered: Vec<f64>,
    /// The diagonal of L⁺.
    pub independent: Vec<f64>,
}

/// An estimate of a variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variance {
    pub value: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl Variance {
    /// From Σ_u x_u² of so many independent contributions x_u that add up to zero.
    pub fn of_sum(squares: f64, contributions: f64) -> Self {
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

    /// The sum of two that are independent, with the degrees of freedom of
    /// Satterthwaite.
    pub fn plus(self, other: Self) -> Self {
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

    /// By item, its own variance pooled with the prior.
    pub fn pooled(&self, own: &[Variance]) -> Vec<Variance> {
        let unit = self.sums.unit_variance();
        let inflation = self.inflation(own, unit);
        let both = own.iter().zip(&self.independent);
        let pooled = both.map(|(own, independent)| {
            let prior = inflation * (unit * independent);
            let freedom = own.freedom + PRIOR_ANNOTATORS;
            let value = (own.freedom * own.value + PRIOR_ANNOTATORS * prior) / freedom;
            Variance { value, freedom }
        });
        pooled.collect()
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
