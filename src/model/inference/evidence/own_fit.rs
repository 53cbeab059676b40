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
use super::working_votes::WorkingVote;

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
    pub fn new(votes: &[WorkingVote], link: Link, has_pull: bool) -> Self {
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

    /// The expected choice of a vote.
    pub fn mean(self, vote: &WorkingVote, link: Link) -> f64 {
        link.mean(self.sharpness * vote.pooled_difference + self.pull)
    }

    fn newton_step(self, votes: &[WorkingVote], link: Link, has_pull: bool) -> [f64; 2] {
        let mut gradient = [PRIOR * (1.0 - self.sharpness), -PRIOR * self.pull];
        let [mut ss, mut sp, mut pp] = [PRIOR, 0.0, PRIOR];
        for vote in votes {
            let x = vote.pooled_difference;
            let mean = self.mean(vote, link);
            let residual = vote.weight * (vote.choice - mean);
            let curvature = vote.weight * link.slope(mean);
            gradient[0] += residual * x;
            gradient[1] += residual;
            ss += curvature * x * x;
            sp += curvature * x;
            pp += curvature;
        }
        if !has_pull {
            return [gradient[0] / ss, 0.0];
        }
        let determinant = ss * pp - sp * sp;
        [
            (pp * gradient[0] - sp * gradient[1]) / determinant,
            (ss * gradient[1] - sp * gradient[0]) / determinant,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn votes(sharpness: f64, pull: f64, link: Link) -> Vec<WorkingVote> {
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
        let fit = OwnFit::new(&[vote(1.0), vote(2.0)], Link::Logistic, true);
        assert!(fit.sharpness.is_finite() && fit.pull > 0.0, "{fit:?}");
    }
}
