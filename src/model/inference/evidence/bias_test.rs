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
//! A second test does not need that the sides are assigned at random to this annotator: it
//! asks whether a pull explains the votes beside a sharpness of the annotator's own
//! (Rao's score test). The p-value is the larger of the two.
//!
//! Where the sides of the whole table were not assigned at random, an annotator who likes
//! what stands left must not pass for one who clicks left. There a third p-value counts
//! only what no own scores c explain: with r_v = 1 − (c_i − c_j), the residual of a
//! constant on the items shown,
//!
//! ```text
//! z = Σ ω_v r_v e_v / √Σ ω_v² r_v² e_v²
//! ```
//!
//! If the items say which side each stands on, r is zero and nothing can be told.

use super::outcomes::Link;
use super::own_fit::OwnFit;
use super::random_sign_tail::fair_tail;
use super::working_votes::WorkingVote;
use crate::model::distributions::normal_tail;

/// With a smaller share of a constant left over by the items, nothing can be told.
const MIN_LEFT_OVER: f64 = 0.02;

/// Steps of the least squares fit of a constant. What is left of the error is a taste along
/// which few items are tied to others, and counts as left over.
const PROJECTION_STEPS: usize = 200;

/// Tests one annotator after the other.
pub(super) struct SideTest {
    link: Link,
    /// Whether sides were assigned at random in the whole table.
    is_random: bool,
    /// By item: c, and the sums of the iteration that finds it. Zero between annotators.
    scores: Vec<f64>,
    gradient: Vec<f64>,
    seen: Vec<f64>,
}

impl SideTest {
    pub fn new(link: Link, is_random: bool, items: usize) -> Self {
        let zeros = || vec![0.0; items];
        Self {
            link,
            is_random,
            scores: zeros(),
            gradient: zeros(),
            seen: zeros(),
        }
    }

    /// The mean residual of an annotator's votes and its two-sided p-value.
    pub fn test(&mut self, votes: &[WorkingVote]) -> (f64, f64) {
        let link = self.link;
        let fit = OwnFit::new(votes, link, false);
        let residual = |vote: &WorkingVote| vote.weight * (vote.choice - fit.mean(vote, link));
        let residuals: Vec<f64> = votes.iter().map(residual).collect();
        let sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
        let sum: f64 = residuals.iter().sum();
        let by_signs = (2.0 * fair_tail(&sizes, sum.abs())).min(1.0);
        let mut p = by_signs.max(score_test(votes, link, fit));
        if !self.is_random {
            p = p.max(self.beyond_own_scores(votes, &residuals));
        }
        (sum / votes.len() as f64, p)
    }

    /// The two-sided p-value of what own scores do not explain of a pull.
    fn beyond_own_scores(&mut self, votes: &[WorkingVote], residuals: &[f64]) -> f64 {
        self.fit_constant(votes);
        let (mut sum, mut squares, mut left_over) = (0.0, 0.0, 0.0);
        for (vote, residual) in votes.iter().zip(residuals) {
            let rest = 1.0 - (self.scores[vote.left] - self.scores[vote.right]);
            sum += rest * residual;
            squares += (rest * residual).powi(2);
            left_over += vote.weight * rest * rest;
        }
        for vote in votes {
            for item in [vote.left, vote.right] {
                self.scores[item] = 0.0;
                self.seen[item] = 0.0;
            }
        }
        if left_over <= MIN_LEFT_OVER * votes.len() as f64 {
            return 1.0; // the items say which side they stand on
        }
        (2.0 * normal_tail(sum.abs() / squares.sqrt())).min(1.0)
    }

    /// Finds the scores c that explain a constant best, by steps down the gradient that
    /// are scaled by how often each item was seen.
    fn fit_constant(&mut self, votes: &[WorkingVote]) {
        for vote in votes {
            self.seen[vote.left] += vote.weight;
            self.seen[vote.right] += vote.weight;
        }
        for _ in 0..PROJECTION_STEPS {
            for vote in votes {
                let rest = vote.weight * (1.0 - (self.scores[vote.left] - self.scores[vote.right]));
                self.gradient[vote.left] += rest;
                self.gradient[vote.right] -= rest;
            }
            for vote in votes {
                for item in [vote.left, vote.right] {
                    // The second visit of an item finds its gradient zero. One half keeps the
                    // steps from swinging between two sets of items.
                    let step = 0.5 * self.gradient[item] / self.seen[item];
                    self.scores[item] += step;
                    self.gradient[item] = 0.0;
                }
            }
        }
    }
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
