//! The links between scores and wins, four at a time.
//!
//! With h(η) = −d/dη log P(left wins), the gradient of the loss is
//!
//! ```text
//! ℓ'(η) = (1 − p) h(−η) − p h(η)       logistic: h(η) = 1/(1 + e^η)
//!                                      probit:   h(η) = φ(η)/Φ(η)
//! ```
//!
//! so over votes with weight `wins` for the left item and `losses` for the right one it
//! is losses·h(−η) − wins·h(η), which is linear in both.
//!
//! The logistic link needs no exponential for each pair: with E = e^x for the score x
//! of each item, h(η) is E_right/(E_left + E_right), as Bradley and Terry wrote it.

use crate::linalg::simd::Lanes;
use crate::linalg::special::{exp, scaled_mills};

/// One over √(2π).
const DENSITY_AT_ZERO: f64 = 0.398_942_280_401_432_7;

/// Exponentials of scores beyond this are those of this: products of two stay finite.
const MAX_SCORE: f64 = 300.0;

/// Sums over votes of the two sides.
#[derive(Clone, Copy)]
pub(super) struct Sides<R> {
    pub wins: R,
    pub losses: R,
}

/// A link. `left`, `right` and `bias` are what `prepare` made of the scores of both
/// items and of γ; η is the score of left minus that of right plus γ.
pub(super) trait LinkKernel: Copy {
    /// Computes once for a score what all of its pairs need.
    fn prepare<L: Lanes>(self, lanes: L, score: L::Register) -> L::Register;

    /// h(η) and h(−η).
    fn hazards<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
    ) -> (L::Register, L::Register);

    /// losses·h(−η) − wins·h(η).
    fn gradient<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
        votes: Sides<L::Register>,
    ) -> L::Register;

    /// The second derivative of the loss.
    fn curvature<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
        votes: Sides<L::Register>,
    ) -> L::Register;
}

/// The model of Bradley and Terry.
#[derive(Clone, Copy)]
pub(super) struct Logistic;

impl LinkKernel for Logistic {
    #[inline(always)]
    fn prepare<L: Lanes>(self, lanes: L, score: L::Register) -> L::Register {
        let score = lanes.min(score, lanes.splat(MAX_SCORE));
        exp(lanes, lanes.max(score, lanes.splat(-MAX_SCORE)))
    }

    #[inline(always)]
    fn hazards<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
    ) -> (L::Register, L::Register) {
        let left = lanes.multiply(left, bias);
        let scale = lanes.divide(lanes.splat(1.0), lanes.add(left, right));
        (lanes.multiply(right, scale), lanes.multiply(left, scale))
    }

    #[inline(always)]
    fn gradient<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
        votes: Sides<L::Register>,
    ) -> L::Register {
        let left = lanes.multiply(left, bias);
        let difference = lanes.subtract(
            lanes.multiply(votes.losses, left),
            lanes.multiply(votes.wins, right),
        );
        lanes.divide(difference, lanes.add(left, right))
    }

    #[inline(always)]
    fn curvature<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
        votes: Sides<L::Register>,
    ) -> L::Register {
        let (lost, won) = self.hazards(lanes, left, right, bias);
        let weight = lanes.add(votes.wins, votes.losses);
        lanes.multiply(weight, lanes.multiply(lost, won))
    }
}

/// Thurstone's model.
#[derive(Clone, Copy)]
pub(super) struct Probit;

impl Probit {
    /// h of an |η| that is as likely as it is large, times its denominator, and both
    /// denominators: with P = (|η| + 1)·Φ(−|η|)/φ(η),
    ///
    /// ```text
    /// h(−|η|) = (|η| + 1)/P,   h(|η|) = (|η| + 1)φ(η)/(|η| + 1 − φ(η)P)
    /// ```
    #[inline(always)]
    fn parts<L: Lanes>(lanes: L, eta: L::Register) -> ProbitParts<L::Register> {
        let size = lanes.max(eta, lanes.subtract(lanes.splat(0.0), eta));
        let exponent = lanes.multiply(lanes.splat(-0.5), lanes.multiply(size, size));
        let density = lanes.multiply(lanes.splat(DENSITY_AT_ZERO), exp(lanes, exponent));
        let above = lanes.add(size, lanes.splat(1.0));
        let ratio = scaled_mills(lanes, size);
        ProbitParts {
            above,
            density,
            ratio,
            rest: lanes.subtract(above, lanes.multiply(density, ratio)),
        }
    }
}

/// What h(η) and h(−η) are made of: |η| + 1, φ(η), P and |η| + 1 − φ(η)P.
struct ProbitParts<R> {
    above: R,
    density: R,
    ratio: R,
    rest: R,
}

impl LinkKernel for Probit {
    #[inline(always)]
    fn prepare<L: Lanes>(self, _: L, score: L::Register) -> L::Register {
        score
    }

    #[inline(always)]
    fn hazards<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
    ) -> (L::Register, L::Register) {
        let eta = lanes.add(lanes.subtract(left, right), bias);
        let parts = Self::parts(lanes, eta);
        let unlikely = lanes.divide(parts.above, parts.ratio);
        let likely = lanes.divide(lanes.multiply(parts.above, parts.density), parts.rest);
        (
            lanes.select(eta, unlikely, likely),
            lanes.select(eta, likely, unlikely),
        )
    }

    /// With a single division.
    #[inline(always)]
    fn gradient<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
        votes: Sides<L::Register>,
    ) -> L::Register {
        let eta = lanes.add(lanes.subtract(left, right), bias);
        let parts = Self::parts(lanes, eta);
        let minus_wins = lanes.subtract(lanes.splat(0.0), votes.wins);
        let of_unlikely = lanes.select(eta, minus_wins, votes.losses);
        let of_likely = lanes.select(eta, votes.losses, minus_wins);
        let sum = lanes.add(
            lanes.multiply(of_unlikely, parts.rest),
            lanes.multiply(of_likely, lanes.multiply(parts.density, parts.ratio)),
        );
        lanes.divide(
            lanes.multiply(parts.above, sum),
            lanes.multiply(parts.ratio, parts.rest),
        )
    }

    #[inline(always)]
    fn curvature<L: Lanes>(
        self,
        lanes: L,
        left: L::Register,
        right: L::Register,
        bias: L::Register,
        votes: Sides<L::Register>,
    ) -> L::Register {
        let (lost, won) = self.hazards(lanes, left, right, bias);
        let eta = lanes.add(lanes.subtract(left, right), bias);
        let of_wins = lanes.multiply(lost, lanes.add(lost, eta));
        let of_losses = lanes.multiply(won, lanes.subtract(won, eta));
        lanes.add(
            lanes.multiply(votes.wins, of_wins),
            lanes.multiply(votes.losses, of_losses),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::{Kernel, Quad, vectorised};
    use crate::options::Loss;

    struct At<K> {
        link: K,
        scores: [f64; 3],
        votes: [f64; 2],
    }

    impl<K: LinkKernel> Kernel for At<K> {
        type Output = [f64; 2];

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> [f64; 2] {
            let [left, right, bias] = self
                .scores
                .map(|score| self.link.prepare(lanes, lanes.splat(score)));
            let [wins, losses] = self.votes.map(|votes| lanes.splat(votes));
            let votes = Sides { wins, losses };
            let first: Quad = lanes.quad(self.link.gradient(lanes, left, right, bias, votes));
            let second: Quad = lanes.quad(self.link.curvature(lanes, left, right, bias, votes));
            [first[0], second[0]]
        }
    }

    #[test]
    fn they_are_the_derivatives_of_the_loss() {
        for scores in [
            [0.0; 3],
            [0.3, -1.2, 0.4],
            [-6.0, 5.0, -0.5],
            [20.0, -3.0, 2.0],
        ] {
            for votes in [[1.0, 0.0], [0.0, 1.0], [2.5, 0.5]] {
                let at = |loss: Loss| match loss {
                    Loss::Probit => vectorised(At {
                        link: Probit,
                        scores,
                        votes,
                    }),
                    _ => vectorised(At {
                        link: Logistic,
                        scores,
                        votes,
                    }),
                };
                for loss in [Loss::Logistic, Loss::Probit] {
                    let eta = scores[0] - scores[1] + scores[2];
                    let weight = votes[0] + votes[1];
                    let choice = (votes[0] - votes[1]) / weight;
                    let (first, second) = loss.derivatives(choice, eta);
                    let near =
                        |x: f64, y: f64| (x - weight * y).abs() <= 1e-12 * weight * (1.0 + y.abs());
                    let [found, curvature] = at(loss);
                    assert!(near(found, first), "{loss} {scores:?}: {found} {first}");
                    assert!((curvature - weight * second).abs() <= 1e-10 * weight);
                }
            }
        }
    }
}
