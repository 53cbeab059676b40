//! What the difference of two scores says of a vote on the two items: all that comparing
//! items and choosing pairs has to know of the loss.
//!
//! A vote y on a pair whose scores differ by x adds ℓ(x, y) to the loss. The second
//! derivative of ℓ by x is what the vote adds to the Hessian, and the expected square of the
//! first derivative says how far the vote is expected to move the scores.
//!
//! | loss | share of wins p | ℓ″ | E ℓ′² |
//! |---|---|---|---|
//! | least squares | (1 + x)/2, from 0 to 1 | 1 | p (1 − x)² + (1 − p)(1 + x)² = (1 + x)² − 4 p x |
//! | logistic | 1/(1 + e^−x) | p (1 − p) | p (1 − p) |
//! | probit | Φ(x) | φ(x)²/(p (1 − p)) | the same |
//!
//! Of the last two, ℓ″ is the expected one, the Fisher information of a vote.
//!
//! Least squares takes votes for numbers; where they are not ±1, x is measured in the mean
//! size of a vote.

use std::borrow::Cow;

use super::flow::Flow;
use crate::options::Loss;
use crate::random::ln;

/// So much information a vote has at least: a graph of pairs without any could not be solved.
const MIN_CURVATURE: f64 = 1e-12;

/// How votes follow from the difference of two scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VoteModel {
    /// Votes are numbers around the difference.
    LeastSquares {
        /// The mean size of a vote that is not a tie.
        strength: f64,
    },
    /// The difference says how likely it is that the first item wins: with the logistic or
    /// the probit loss.
    WinProbability(Loss),
}

impl VoteModel {
    /// The model of a loss, for votes of this mean size.
    pub fn new(loss: Loss, strength: f64) -> Self {
        match loss {
            Loss::Squared => Self::LeastSquares { strength },
            _ => Self::WinProbability(loss),
        }
    }

    /// The predicted share of votes for the first item, ties counted half.
    pub fn share_of_wins(self, difference: f64) -> f64 {
        match self {
            Self::LeastSquares { strength } => {
                (0.5 * (1.0 + difference / strength)).clamp(0.0, 1.0)
            }
            Self::WinProbability(loss) => loss.win_probability(difference),
        }
    }

    /// ℓ″, expected.
    fn curvature(self, difference: f64) -> f64 {
        match self {
            Self::LeastSquares { .. } => 1.0,
            Self::WinProbability(loss) => {
                let mean_choice = 2.0 * loss.win_probability(difference) - 1.0;
                loss.derivatives(mean_choice, difference).1
            }
        }
    }

    /// E ℓ′², in the unit in which the variance of a vote is about 1.
    fn gradient_square(self, difference: f64) -> f64 {
        let p = self.share_of_wins(difference);
        match self {
            Self::LeastSquares { strength } => {
                let x = difference / strength;
                (1.0 + x) * (1.0 + x) - 4.0 * p * x
            }
            Self::WinProbability(loss) => {
                let square = |choice| loss.derivatives(choice, difference).0.powi(2);
                let part = |share: f64, choice| {
                    if share > 0.0 {
                        share * square(choice)
                    } else {
                        0.0
                    }
                };
                part(p, 1.0) + part(1.0 - p, -1.0)
            }
        }
    }

    /// The flow with weights such that its Laplacian is the Hessian of the loss.
    /// Effects of annotators are left out of the differences.
    pub fn hessian<'a>(self, flow: &'a Flow, scores: &[f64]) -> Cow<'a, Flow> {
        match self {
            Self::LeastSquares { .. } => Cow::Borrowed(flow),
            Self::WinProbability(_) => {
                let mut hessian = flow.clone();
                for (k, weight) in hessian.weight.iter_mut().enumerate() {
                    let difference = scores[flow.a[k] as usize] - scores[flow.b[k] as usize];
                    // A pair whose order is certain has no information left, but stays a pair.
                    *weight *= self.curvature(difference).max(MIN_CURVATURE);
                }
                Cow::Owned(hessian)
            }
        }
    }

    /// What one more vote adds to the weight of a pair in the Hessian.
    pub fn weight_of_vote(self, difference: f64) -> f64 {
        self.curvature(difference)
    }

    /// The expected information gain of one more vote about the scores, twice the expected
    /// divergence of Kullback and Leibler between after and before, for a pair with the
    /// effective resistance R:
    ///
    /// ```text
    /// ln(1 + ℓ″R) − ℓ″R/(1 + ℓ″R) + E ℓ′² R/(1 + ℓ″R)²
    /// ```
    pub fn gain(self, difference: f64, resistance: f64) -> f64 {
        let change = self.curvature(difference) * resistance;
        let after = 1.0 + change;
        let moved = self.gradient_square(difference) * resistance;
        ln(after) - change / after + moved / (after * after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: VoteModel = VoteModel::LeastSquares { strength: 1.0 };

    #[test]
    fn the_gain_is_that_of_the_paper() {
        for (x, r) in [(0.0f64, 1.0f64), (0.3, 0.2), (-0.9, 5.0), (1.4, 0.7)] {
            let p = (0.5 * (1.0 + x)).clamp(0.0, 1.0);
            let expected = (1.0 + r).ln() - r / (1.0 + r)
                + r / (1.0 + r).powi(2) * ((1.0 + x).powi(2) - 4.0 * p * x);
            assert!((SIDES.gain(x, r) - expected).abs() < 1e-12, "{x} {r}");
        }
    }

    #[test]
    fn the_information_of_a_vote_is_that_of_fisher() {
        for x in [-2.0f64, -0.3, 0.0, 0.7, 3.0] {
            for loss in [Loss::Logistic, Loss::Probit] {
                let model = VoteModel::WinProbability(loss);
                let p = model.share_of_wins(x);
                let information = match loss {
                    Loss::Logistic => p * (1.0 - p),
                    _ => (-x * x).exp() / (2.0 * std::f64::consts::PI) / (p * (1.0 - p)),
                };
                let tolerance = 1e-9 * information;
                assert!(
                    (model.weight_of_vote(x) - information).abs() < tolerance,
                    "{loss:?} {x}"
                );
                assert!(
                    (model.gradient_square(x) - information).abs() < tolerance,
                    "{loss:?} {x}"
                );
            }
        }
    }

    #[test]
    fn the_size_of_votes_does_not_matter() {
        let triple = VoteModel::LeastSquares { strength: 3.0 };
        assert_eq!(triple.share_of_wins(1.5), SIDES.share_of_wins(0.5));
        assert_eq!(triple.gain(1.5, 0.25), SIDES.gain(0.5, 0.25));
        assert_eq!(
            (SIDES.share_of_wins(7.0), SIDES.share_of_wins(-7.0)),
            (1.0, 0.0)
        );
    }
}
