//! The test for position bias: random signs.
//!
//! The residual of a vote v on (left i, right j) is e_v = y_v − m(s·x_v), with the
//! annotator's own sharpness s and no pull. Had the two items been shown the other way
//! round, an annotator without a position bias would have chosen the same item: y_v,
//! x_v and e_v would have changed their signs, and s would be the same. So where the
//! sides are assigned at random, the signs of e_v are fair coins given everything else,
//! whatever the annotator's taste, and the two-sided p-value of |Σ ω_v e_v| under
//! random signs is exact.
//!
//! Where the sides are not assigned at random, a second test does not need that: it
//! asks whether a pull explains the votes beside a sharpness of the annotator's own
//! (Rao's score test). The p-value is the larger of the two.

use super::outcomes::Link;
use super::own_fit::OwnFit;
use super::random_sign_tail::fair_tail;
use super::working_votes::WorkingVote;
use crate::model::distributions::normal_tail;

/// The mean residual of an annotator's votes and its two-sided p-value.
pub(super) fn bias_test(votes: &[WorkingVote], link: Link) -> (f64, f64) {
    let fit = OwnFit::new(votes, link, false);
    let residual = |vote: &WorkingVote| vote.weight * (vote.choice - fit.mean(vote, link));
    let sizes: Vec<f64> = votes.iter().map(|vote| residual(vote).abs()).collect();
    let sum: f64 = votes.iter().map(residual).sum();
    let by_signs = (2.0 * fair_tail(&sizes, sum.abs())).min(1.0);
    let p = by_signs.max(score_test(votes, link, fit));
    (sum / votes.len() as f64, p)
}

/// The two-sided p-value of a pull beside the sharpness.
fn score_test(votes: &[WorkingVote], link: Link, fit: OwnFit) -> f64 {
    let (mut sum, mut own, mut cross, mut sharpness) = (0.0, 0.0, 0.0, 0.0);
    let mut squares = 0.0;
    for vote in votes {
        let mean = fit.mean(vote, link);
        let residual = vote.choice - mean;
        let variance = match link {
            Link::Logistic => 1.0 - mean * mean,
            Link::Linear => 1.0, // estimated below
        };
        let (x, weight) = (vote.pooled_difference, vote.weight);
        sum += weight * residual;
        squares += weight * residual * residual;
        own += weight * weight * variance;
        cross += weight * weight * variance * x;
        sharpness += weight * weight * variance * x * x;
    }
    let mut variance = own - cross * cross / sharpness.max(f64::MIN_POSITIVE);
    if link == Link::Linear {
        variance *= squares / votes.len() as f64;
    }
    if variance <= 1e-9 * own {
        return 1.0; // the sharpness explains whatever a pull would
    }
    (2.0 * normal_tail(sum.abs() / variance.sqrt())).min(1.0)
}
