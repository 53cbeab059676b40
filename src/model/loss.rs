//! The losses: how far a prediction η is from a choice y, and what η says of who wins.
//!
//! ```text
//! squared     (y − η)²
//! logistic    log(1 + e^η) − p η                         p = (1 + y)/2
//! probit      −p log Φ(η) − (1 − p) log Φ(−η)
//! ```
//!
//! p is a soft label: 1 for the left item, 0 for the right one, ½ for a tie.

use super::distributions::normal_tail;
use crate::options::Loss;

impl Loss {
    /// The loss of a prediction.
    pub fn value(self, choice: f64, predicted: f64) -> f64 {
        let label = 0.5 * (1.0 + choice);
        match self {
            Self::Squared => (choice - predicted) * (choice - predicted),
            Self::Logistic => {
                // log(1 + e^η) = max(η, 0) + log(1 + e^−|η|)
                let rest = libm::log1p(libm::exp(-predicted.abs()));
                predicted.max(0.0) - label * predicted + rest
            }
            Self::Probit => {
                let (left, right) = (log_normal(predicted), log_normal(-predicted));
                // Without a vote for a side its logarithm may be −∞.
                let part = |share: f64, log: f64| if share > 0.0 { share * log } else { 0.0 };
                -(part(label, left) + part(1.0 - label, right))
            }
        }
    }

    /// The derivatives of the loss in the prediction, the first and the second. Of the
    /// squared loss they are those of half of it, as in the model.
    pub fn derivatives(self, choice: f64, predicted: f64) -> (f64, f64) {
        let label = 0.5 * (1.0 + choice);
        match self {
            Self::Squared => (predicted - choice, 1.0),
            Self::Logistic => {
                let (left, right) = (logistic(predicted), logistic(-predicted));
                ((1.0 - label) * left - label * right, left * right)
            }
            Self::Probit => {
                let (left, right) = (inverse_mills(predicted), inverse_mills(-predicted));
                let first = (1.0 - label) * right - label * left;
                let second = label * slope_of_inverse_mills(predicted)
                    + (1.0 - label) * slope_of_inverse_mills(-predicted);
                (first, second)
            }
        }
    }

    /// The probability that the left item wins. For the squared loss, whose prediction is
    /// a mean choice, it is the share of wins that has this mean.
    pub fn win_probability(self, predicted: f64) -> f64 {
        match self {
            Self::Squared => (0.5 * (1.0 + predicted)).clamp(0.0, 1.0),
            Self::Logistic => logistic(predicted),
            Self::Probit => normal_tail(-predicted),
        }
    }

    /// An upper bound on the second derivative.
    pub(super) fn max_curvature(self) -> f64 {
        match self {
            Self::Logistic => 0.25,
            Self::Squared | Self::Probit => 1.0,
        }
    }
}

/// 1/(1 + e^−x).
fn logistic(x: f64) -> f64 {
    let small = libm::exp(-x.abs());
    if x < 0.0 {
        small / (1.0 + small)
    } else {
        1.0 / (1.0 + small)
    }
}

/// Where the tail of the normal distribution has fewer digits, its expansion is exact.
const FAR: f64 = 30.0;

/// 1 − y·(Mills' ratio Φ(−y)/φ(y)) of a large y.
fn far_part(y: f64) -> f64 {
    let square = 1.0 / (y * y);
    square * (1.0 - 3.0 * square * (1.0 - 5.0 * square * (1.0 - 7.0 * square)))
}

/// log Φ(x).
fn log_normal(x: f64) -> f64 {
    if x < -FAR {
        let log_density = -0.5 * x * x - 0.5 * libm::log(2.0 * std::f64::consts::PI);
        log_density + libm::log((1.0 - far_part(-x)) / -x)
    } else if x < 0.0 {
        libm::log(normal_tail(-x))
    } else {
        libm::log1p(-normal_tail(x))
    }
}

/// φ(x)/Φ(x).
fn inverse_mills(x: f64) -> f64 {
    if x < -FAR {
        return -x / (1.0 - far_part(-x));
    }
    let density = libm::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt();
    density / normal_tail(-x)
}

/// h(h + x) with h = φ(x)/Φ(x): minus the slope of h.
fn slope_of_inverse_mills(x: f64) -> f64 {
    if x < -FAR {
        let part = far_part(-x);
        return part * x * x / ((1.0 - part) * (1.0 - part));
    }
    let ratio = inverse_mills(x);
    ratio * (ratio + x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Loss; 2] = [Loss::Logistic, Loss::Probit];

    #[test]
    fn derivatives_are_those_of_the_loss() {
        let step = 1e-5;
        for loss in [Loss::Logistic, Loss::Probit] {
            for choice in [-1.0, -0.3, 0.0, 1.0] {
                for k in -40..=40 {
                    let eta = f64::from(k) * 0.17;
                    let value = |x| loss.value(choice, x);
                    let first = |x| loss.derivatives(choice, x).0;
                    let slope = (value(eta + step) - value(eta - step)) / (2.0 * step);
                    let curve = (first(eta + step) - first(eta - step)) / (2.0 * step);
                    let (found, second) = loss.derivatives(choice, eta);
                    assert!((found - slope).abs() < 1e-8, "{loss} {choice} {eta}");
                    assert!((second - curve).abs() < 1e-8, "{loss} {choice} {eta}");
                    assert!(second > 0.0 && second <= loss.max_curvature());
                }
            }
        }
    }

    #[test]
    fn far_predictions_stay_finite() {
        for loss in BOTH {
            for eta in [29.999, 30.001, 300.0, 1e6] {
                for (choice, eta) in [(1.0, eta), (1.0, -eta), (-1.0, eta), (0.0, eta)] {
                    let (first, second) = loss.derivatives(choice, eta);
                    assert!(loss.value(choice, eta).is_finite());
                    assert!(first.is_finite() && (0.0..=1.0 + 1e-9).contains(&second));
                }
            }
            let near = loss.value(1.0, -30.0 + 1e-9);
            assert!((loss.value(1.0, -30.0 - 1e-9) / near - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_loss_is_the_same_seen_from_the_other_side() {
        for loss in BOTH {
            for (choice, eta) in [(0.4, 1.3), (-1.0, 0.2), (0.0, -2.5)] {
                let both = [loss.value(choice, eta), loss.value(-choice, -eta)];
                assert!((both[0] - both[1]).abs() < 1e-14);
                let sum = loss.win_probability(eta) + loss.win_probability(-eta);
                assert!((sum - 1.0).abs() < 1e-15);
            }
        }
        assert_eq!(Loss::Squared.win_probability(0.5), 0.75);
        assert_eq!(Loss::Squared.win_probability(-3.0), 0.0);
    }
}
