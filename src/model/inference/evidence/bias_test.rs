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
use super::working_votes::WorkingVotes;
use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};
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
    /// By vote: the expected choice, ω_v e_v and its size. Of the last annotator.
    mean: Vec<Quad>,
    residual: Vec<f64>,
    size: Vec<f64>,
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
            mean: Vec::new(),
            residual: Vec::new(),
            size: Vec::new(),
        }
    }

    /// The mean residual of an annotator's votes and its two-sided p-value.
    pub fn test(&mut self, votes: &WorkingVotes) -> (f64, f64) {
        let link = self.link;
        let fit = OwnFit::new(votes, link, false);
        fit.means(votes, link, &mut self.mean);
        self.residual.clear();
        let weights = votes.weight.as_flattened().iter();
        let choices = votes.choice.as_flattened().iter();
        let means = self.mean.as_flattened().iter();
        let residuals = weights.zip(choices.zip(means));
        let residuals = residuals.map(|(weight, (choice, mean))| weight * (choice - mean));
        self.residual.extend(residuals);
        self.size.clear();
        self.size
            .extend(self.residual.iter().map(|residual| residual.abs()));
        let sum: f64 = self.residual.iter().sum();
        let by_signs = (2.0 * fair_tail(&self.size, sum.abs())).min(1.0);
        let mut p = by_signs.max(score_test(votes, link, &self.mean));
        if !self.is_random {
            p = p.max(self.beyond_own_scores(votes));
        }
        (sum / votes.count(), p)
    }

    /// The two-sided p-value of what own scores do not explain of a pull.
    fn beyond_own_scores(&mut self, votes: &WorkingVotes) -> f64 {
        self.fit_constant(votes);
        let (mut sum, mut squares, mut left_over) = (0.0, 0.0, 0.0);
        for (vote, residual) in votes.iter().zip(&self.residual) {
            let rest = 1.0 - (self.scores[vote.left] - self.scores[vote.right]);
            sum += rest * residual;
            squares += (rest * residual).powi(2);
            left_over += vote.weight * rest * rest;
        }
        for vote in votes.iter() {
            for item in [vote.left, vote.right] {
                self.scores[item] = 0.0;
                self.seen[item] = 0.0;
            }
        }
        if left_over <= MIN_LEFT_OVER * votes.count() {
            return 1.0; // the items say which side they stand on
        }
        (2.0 * normal_tail(sum.abs() / squares.sqrt())).min(1.0)
    }

    /// Finds the scores c that explain a constant best, by steps down the gradient that
    /// are scaled by how often each item was seen.
    fn fit_constant(&mut self, votes: &WorkingVotes) {
        for vote in votes.iter() {
            self.seen[vote.left] += vote.weight;
            self.seen[vote.right] += vote.weight;
        }
        for _ in 0..PROJECTION_STEPS {
            for vote in votes.iter() {
                let rest = vote.weight * (1.0 - (self.scores[vote.left] - self.scores[vote.right]));
                self.gradient[vote.left] += rest;
                self.gradient[vote.right] -= rest;
            }
            for vote in votes.iter() {
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

/// The two-sided p-value of a pull beside the sharpness, given the expected choices.
fn score_test(votes: &WorkingVotes, link: Link, means: &[Quad]) -> f64 {
    let [sum, squares, own, cross, sharpness] = vectorised(ScoreSums { votes, link, means });
    let mut variance = own - cross * cross / sharpness.max(f64::MIN_POSITIVE);
    if link == Link::Linear {
        variance *= squares / votes.count();
    }
    if variance <= 1e-9 * own {
        return 1.0; // the sharpness explains whatever a pull would
    }
    (2.0 * normal_tail(sum.abs() / variance.sqrt())).min(1.0)
}

/// Σ ω e, Σ ω e², Σ ω² c, Σ ω² c x and Σ ω² c x² with the residuals e and the variances c of
/// the votes; c = 1 where it is to be estimated.
struct ScoreSums<'a> {
    votes: &'a WorkingVotes,
    link: Link,
    means: &'a [Quad],
}

impl Kernel for ScoreSums<'_> {
    type Output = [f64; 5];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [f64; 5] {
        let votes = self.votes;
        let columns = votes.choice.iter().zip(&votes.weight);
        let columns = columns.zip(votes.pooled_difference.iter().zip(self.means));
        let mut sums = [lanes.splat(0.0); 5];
        for ((choice, weight), (x, mean)) in columns {
            let (x, mean, weight) = (lanes.load(x), lanes.load(mean), lanes.load(weight));
            let residual = lanes.subtract(lanes.load(choice), mean);
            let weighted = lanes.multiply(weight, residual);
            let variance = match self.link {
                Link::Logistic => lanes.subtract(lanes.splat(1.0), lanes.multiply(mean, mean)),
                Link::Linear => lanes.splat(1.0),
            };
            let variance = lanes.multiply(lanes.multiply(weight, weight), variance);
            let scaled = lanes.multiply(variance, x);
            sums[0] = lanes.add(sums[0], weighted);
            sums[1] = lanes.add_product(sums[1], weighted, residual);
            sums[2] = lanes.add(sums[2], variance);
            sums[3] = lanes.add(sums[3], scaled);
            sums[4] = lanes.add_product(sums[4], scaled, x);
        }
        sums.map(|register| sum(lanes.quad(register)))
    }
}
