//! How strongly an annotator's votes follow the consensus.
//!
//! The slope of annotator u is that of the least-squares line
//! y_v = intercept + slope·(θ_i − θ_j) through the votes of u; the intercept takes up
//! a position bias. Annotators who click at random shrink the scores θ, so the slope
//! of one who follows the consensus is above 1. The median over the annotators is
//! the slope of a usual one.

use crate::model::distributions::median;
use crate::model::statistics::Statistics;
use crate::votes::Comparisons;

/// Annotators with fewer votes do not count in the median: their slopes are too uncertain.
const MIN_VOTES: f64 = 5.0;

/// The slope of an annotator; NaN if the votes do not determine one.
pub(super) fn consensus_slope(votes: &Comparisons, annotator: usize, theta: &[f64]) -> f64 {
    let (mut weight, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for vote in votes.of(annotator) {
        let predicted = theta[vote.left] - theta[vote.right];
        weight += vote.weight;
        x += vote.weight * predicted;
        y += vote.weight * vote.choice;
        xx += vote.weight * predicted * predicted;
        xy += vote.weight * predicted * vote.choice;
    }
    let spread = xx - x * x / weight;
    if spread > 1e-9 * xx {
        (xy - x * y / weight) / spread
    } else {
        f64::NAN
    }
}

/// The median of the annotators' slopes; 1 if it is not positive or there is none.
pub(super) fn median_slope(statistics: &Statistics, slopes: &[f64]) -> f64 {
    let is_known =
        |(u, slope): &(usize, f64)| !slope.is_nan() && statistics.annotator(*u).votes >= MIN_VOTES;
    let known = slopes.iter().copied().enumerate().filter(is_known);
    let median = median(known.map(|(_, slope)| slope));
    if median > 0.0 { median } else { 1.0 }
}
