//! The arithmetic of a single effect: its slope, its norm, its shrinkage.

use crate::model::statistics::AnnotatorStatistics;

/// An effect enters when its norm exceeds 1 by more than rounding: at t0 the
/// first one's norm is 1, not beyond.
pub(super) const THRESHOLD: f64 = 1.0 + 1e-12;

/// Vectors over one annotator's items.
pub(super) struct Local {
    pub(super) x: Vec<f64>,
    pub(super) image: Vec<f64>,
}

/// The factor of κ·shrink: 0 up to the threshold.
pub(super) fn shrink(norm: f64, kappa: f64) -> f64 {
    if norm > THRESHOLD {
        kappa * (1.0 - 1.0 / norm)
    } else {
        0.0
    }
}

pub(super) fn norm_of(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// t·s_u − a_uᵀΘ.
pub(super) fn bias_slope(annotator: &AnnotatorStatistics<'_>, t: f64, integral: &[f64]) -> f64 {
    let along: f64 = annotator
        .items
        .iter()
        .zip(annotator.imbalance)
        .map(|(&item, a)| a * integral[item as usize])
        .sum();
    t * annotator.lean - along
}

/// t·b_u − L_u Θ − a_u Γ_u, left in `local.image`; its norm.
pub(super) fn deviation_slope(
    annotator: &AnnotatorStatistics<'_>,
    t: f64,
    integral: &[f64],
    bias_integral: f64,
    local: &mut Local,
) -> f64 {
    let n = annotator.items.len();
    let (x, image) = (&mut local.x[..n], &mut local.image[..n]);
    for (slot, &item) in x.iter_mut().zip(annotator.items) {
        *slot = integral[item as usize];
    }
    annotator.laplacian_times(x, image);
    for (i, slot) in image.iter_mut().enumerate() {
        *slot = t * annotator.net_wins[i] - *slot - annotator.imbalance[i] * bias_integral;
    }
    norm_of(image)
}
