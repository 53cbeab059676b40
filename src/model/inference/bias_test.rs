//! The test for position bias: random signs.
//!
//! The residual of a vote v on (left i, right j) is e_v = y_v − (θ_i − θ_j), with the
//! scores θ of HodgeRank. Had the two items been shown the other way round, an
//! annotator without a position bias would have chosen the same item: y_v and e_v
//! would have changed their signs, and θ would be the same. So where the sides are
//! assigned at random, the signs of e_v are fair coins given everything else,
//! whatever the annotator's taste, and
//!
//! ```text
//! z = (|Σ e_v| − min |e_v|) / √Σ e_v²
//! ```
//!
//! is compared with a normal distribution. min |e_v| is a correction for continuity:
//! half of the smallest jump of the sum.

use crate::model::distributions::normal_tail;
use crate::votes::Comparisons;

/// The mean residual of an annotator's votes and its two-sided p-value.
pub(super) fn bias_test(votes: &Comparisons, annotator: usize, theta: &[f64]) -> (f64, f64) {
    let (mut weight, mut sum, mut squares, mut smallest) = (0.0, 0.0, 0.0, f64::INFINITY);
    for vote in votes.of(annotator) {
        let residual = vote.choice - (theta[vote.left] - theta[vote.right]);
        weight += vote.weight;
        sum += vote.weight * residual;
        squares += vote.weight * residual * residual;
        smallest = f64::min(smallest, residual.abs());
    }
    let z = (sum.abs() - smallest) / squares.sqrt();
    let p = if z > 0.0 { 2.0 * normal_tail(z) } else { 1.0 };
    (sum / weight, p)
}
