//! An annotator's own sharpness and pull to the left.
//!
//! ```text
//! E y = m(s·x + γ)
//! ```
//!
//! x is the difference of the pooled scores, m the link, s the sharpness (1 for the
//! crowd as a whole, 0 for clicks at random, negative against the consensus) and γ the
//! pull. Both are maximum-likelihood estimates with a weak normal prior around (1, 0),
//! which keeps them finite if all votes agree.

use super::outcomes::Link;
use super::working_votes::WorkingVotes;
use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};

/// The precision of the prior, in votes.
const PRIOR: f64 = 0.02;

const MAX_STEPS: usize = 25;

/// Neither parameter moves by more in one step of Newton's method.
const MAX_MOVE: f64 = 1.5;

/// The parameters of one annotator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OwnFit {
    pub sharpness: f64,
    pub pull: f64,
}

impl OwnFit {
    /// Fits both parameters, or with `has_pull` false the sharpness alone. Then
    /// swapping the sides of votes does not change the fit.
    pub fn new(votes: &WorkingVotes, link: Link, has_pull: bool) -> Self {
        let mut fit = Self {
            sharpness: 1.0,
            pull: 0.0,
        };
        for _ in 0..MAX_STEPS {
            let step = fit.newton_step(votes, link, has_pull);
            let largest = step
                .iter()
                .fold(0.0, |most: f64, part| most.max(part.abs()));
            let factor = f64::min(1.0, MAX_MOVE / largest);
            fit.sharpness += factor * step[0];
            fit.pull += factor * step[1];
            if largest < 1e-9 {
                break;
            }
        }
        fit
    }

    /// The expected choice of each vote.
    pub fn means(self, votes: &WorkingVotes, link: Link, out: &mut Vec<Quad>) {
        out.resize(votes.pooled_difference.len(), [0.0; 4]);
        vectorised(Means {
            fit: self,
            differences: &votes.pooled_difference,
            link,
            out,
        });
    }

    fn newton_step(self, votes: &WorkingVotes, link: Link, has_pull: bool) -> [f64; 2] {
        let fit = self;
        let [x_residual, residual, xx, x, one] = vectorised(NewtonSums { fit, votes, link });
        let gradient = [
            PRIOR * (1.0 - self.sharpness) + x_residual,
            -PRIOR * self.pull + residual,
        ];
        let [ss, sp, pp] = [PRIOR + xx, x, PRIOR + one];
        if !has_pull {
            return [gradient[0] / ss, 0.0];
        }
        let determinant = ss * pp - sp * sp;
        [
            (pp * gradient[0] - sp * gradient[1]) / determinant,
            (ss * gradient[1] - sp * gradient[0]) / determinant,
        ]
    }

    /// The expected choice at a difference of scores.
    #[inline(always)]
    fn mean<L: Lanes>(self, lanes: L, difference: L::Register, link: Link) -> L::Register {
        let sharpness = lanes.splat(self.sharpness);
        link.means(
            lanes,
            lanes.add_product(lanes.splat(self.pull), sharpness, difference),
        )
    }
}

/// The expected choices of votes.
struct Means<'a> {
    fit: OwnFit,
    differences: &'a [Quad],
    link: Link,
    out: &'a mut [Quad],
}

impl Kernel for Means<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (x, out) in self.differences.iter().zip(self.out) {
            lanes.store(self.fit.mean(lanes, lanes.load(x), self.link), out);
        }
    }
}

/// Σ e x, Σ e, Σ c x², Σ c x and Σ c, with the residuals e and the curvatures c of the votes,
/// both with their weights.
struct NewtonSums<'a> {
    fit: OwnFit,
    votes: &'a WorkingVotes,
    link: Link,
}

impl Kernel for NewtonSums<'_> {
    type Output = [f64; 5];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [f64; 5] {
        let votes = self.votes;
        let columns = votes.choice.iter().zip(&votes.weight);
        let mut sums = [lanes.splat(0.0); 5];
        for (x, (choice, weight)) in votes.pooled_difference.iter().zip(columns) {
            let (x, weight) = (lanes.load(x), lanes.load(weight));
            let mean = self.fit.mean(lanes, x, self.link);
            let residual = lanes.multiply(weight, lanes.subtract(lanes.load(choice), mean));
            let curvature = lanes.multiply(weight, self.link.slopes(lanes, mean));
            let scaled = lanes.multiply(curvature, x);
            sums[0] = lanes.add_product(sums[0], residual, x);
            sums[1] = lanes.add(sums[1], residual);
            sums[2] = lanes.add_product(sums[2], scaled, x);
            sums[3] = lanes.add(sums[3], scaled);
            sums[4] = lanes.add(sums[4], curvature);
        }
        sums.map(|register| sum(lanes.quad(register)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::working_votes::WorkingVote;
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::random::Random;

    fn votes(sharpness: f64, pull: f64, link: Link) -> WorkingVotes {
        let mut random = Random(3);
        let vote = |_| {
            let x = 2.0 * random.normal();
            let mean = link.mean(sharpness * x + pull);
            let choice = match link {
                Link::Logistic if random.uniform() < 0.5 * (1.0 + mean) => 1.0,
                Link::Logistic => -1.0,
                Link::Linear => mean + 0.1 * random.normal(),
            };
            WorkingVote {
                left: 0,
                right: 1,
                choice,
                weight: 1.0,
                pooled_difference: x,
                others_difference: x,
            }
        };
        (0..20_000).map(vote).collect()
    }

    #[test]
    fn what_was_planted_is_found() {
        for link in [Link::Logistic, Link::Linear] {
            for (sharpness, pull) in [(1.5, 0.0), (0.0, 1.0), (-0.7, -0.3)] {
                let fit = OwnFit::new(&votes(sharpness, pull, link), link, true);
                assert!((fit.sharpness - sharpness).abs() < 0.08, "{link:?} {fit:?}");
                assert!((fit.pull - pull).abs() < 0.08, "{link:?} {fit:?}");
            }
        }
    }

    #[test]
    fn votes_that_all_agree_give_finite_parameters() {
        let vote = |x: f64| WorkingVote {
            left: 0,
            right: 1,
            choice: 1.0,
            weight: 1.0,
            pooled_difference: x,
            others_difference: x,
        };
        let votes: WorkingVotes = [vote(1.0), vote(2.0)].into_iter().collect();
        let fit = OwnFit::new(&votes, Link::Logistic, true);
        assert!(fit.sharpness.is_finite() && fit.pull > 0.0, "{fit:?}");
    }

    #[test]
    fn vectors_of_any_width_give_the_same_bits() {
        for link in [Link::Logistic, Link::Linear] {
            let votes = votes(0.8, 0.2, link);
            with_any_vectors(|| {
                let fit = OwnFit::new(&votes, link, true);
                let mut means = Vec::new();
                fit.means(&votes, link, &mut means);
                (fit, means)
            });
        }
    }
}
