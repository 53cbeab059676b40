//! The variances of the scores, pooled with what well-known items say.
//!
//! V_i of an item that n annotators saw (n their effective number) has n − 1 degrees of
//! freedom. It is pooled with a prior that counts as [`PRIOR_ANNOTATORS`] more: the
//! variance σ²(J⁺LJ⁺)_ii that independent votes would give, times an inflation c.
//!
//! ```text
//! variance_i = ((n_i − 1)·V_i n_i/(n_i − 1) + p·c·σ²(J⁺LJ⁺)_ii) / (n_i − 1 + p)
//! ```
//!
//! c is the ratio of the two kinds of variance, V_i n_i/(n_i − 1) and σ²(J⁺LJ⁺)_ii, over
//! the items that many annotators saw; at least 1.

use super::annotator_sums::AnnotatorSums;

/// p, the weight of the prior in annotators.
const PRIOR_ANNOTATORS: f64 = 4.0;

/// By item.
pub(super) struct Variances {
    pub sums: AnnotatorSums,
    /// The diagonal of V = J⁺(Σ g gᵀ)J⁺.
    pub clustered: Vec<f64>,
    /// The diagonal of J⁺LJ⁺.
    pub independent: Vec<f64>,
}

impl Variances {
    /// By item, the variance of its score and the degrees of freedom of this variance.
    pub fn pooled(&self) -> Vec<(f64, f64)> {
        let seen_by = self.sums.effective_annotators();
        let sigma = self.sums.residual_variance();
        let inflation = self.inflation(&seen_by, sigma);
        let items = seen_by.iter().enumerate();
        let pooled = items.map(|(i, annotators)| {
            let known = annotators - 1.0;
            let own = if known > 0.0 {
                self.clustered[i] * annotators / known
            } else {
                0.0
            };
            let prior = inflation * (sigma * self.independent[i]);
            let freedom = known + PRIOR_ANNOTATORS;
            let variance = (known * own + PRIOR_ANNOTATORS * prior) / freedom;
            (variance, freedom)
        });
        pooled.collect()
    }

    /// c, from the items that at least half as many annotators saw as the best-known one.
    fn inflation(&self, seen_by: &[f64], sigma: f64) -> f64 {
        let most_seen = seen_by.iter().copied().fold(0.0, f64::max);
        let (mut clustered, mut independent) = (0.0, 0.0);
        for (i, &annotators) in seen_by.iter().enumerate() {
            if annotators > 1.0 && annotators >= 0.5 * most_seen {
                clustered += self.clustered[i] * annotators / (annotators - 1.0);
                independent += sigma * self.independent[i];
            }
        }
        if independent > 0.0 {
            f64::max(1.0, clustered / independent)
        } else {
            1.0
        }
    }
}
