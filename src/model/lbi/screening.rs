//! When to look at an effect that has been zero so far.
//!
//! The reasoning is in the parent module: a bound on ‖z‖ that grows with the
//! drift of the mean scores says how long an effect cannot have entered.

use super::Settings;
use super::gradients::norm_of;
use crate::model::statistics::Statistics;

/// Bounds are compared with this much to spare, far more than rounding can take.
pub(super) const CAUTION: f64 = 1.0 - 1e-9;

/// Θ, its mean over time, and how far that has drifted in all.
pub(super) struct Drift {
    pub(super) integral: Vec<f64>,
    pub(super) mean: Vec<f64>,
    pub(super) total: f64,
}

impl Drift {
    pub(super) fn new(theta: &[f64]) -> Self {
        Self {
            integral: vec![0.0; theta.len()],
            mean: theta.to_vec(),
            total: 0.0,
        }
    }

    /// Begins at a time up to which θ has not moved.
    pub(super) fn begin(&mut self, theta: &[f64], t: f64) {
        for (slot, score) in self.integral.iter_mut().zip(theta) {
            *slot = t * score;
        }
    }

    /// Follows θ for a step that ends at time `t`.
    pub(super) fn advance(&mut self, theta: &[f64], alpha: f64, t: f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for ((integral, mean), score) in self.integral.iter_mut().zip(&mut self.mean).zip(theta) {
            *integral += alpha * score;
            let next = *integral / t;
            let change = next - *mean;
            low = low.min(change);
            high = high.max(change);
            *mean = next;
        }
        self.total += high - low;
    }

    /// How far the mean has drifted when Θ is this at time `t`.
    pub(super) fn distance(&self, integral: &[f64], t: f64) -> f64 {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (integral, mean) in integral.iter().zip(&self.mean) {
            let change = integral / t - mean;
            low = low.min(change);
            high = high.max(change);
        }
        high - low
    }
}

/// When to look at which effect.
pub(super) struct Watch {
    pub(super) bounds: Vec<Bounds>,
    pub(super) imbalance_norm: Vec<f64>,
    /// Γ̄_u when the deviation's bound was set.
    pub(super) bias_mean: Vec<f64>,
    pub(super) woken: Vec<u32>,
    /// Those of whom an effect is still zero, and some of whom none is any more.
    waiting: Vec<u32>,
    /// How many of them have none.
    entered: usize,
}

impl Watch {
    pub(super) fn new(statistics: &Statistics, settings: &Settings) -> Self {
        let users = statistics.annotators();
        let degree_norm = |u| {
            let degrees = statistics.graph(u).degrees();
            degrees.map(|degree| degree * degree).sum::<f64>().sqrt()
        };
        let imbalance = |u| statistics.quads(u).imbalance;
        let imbalance_sum = |u| {
            let imbalance = imbalance(u).as_flattened().iter();
            imbalance.map(|a| a.abs()).sum::<f64>()
        };
        let bounds = |u| {
            let mut bounds = Bounds {
                deviation: Bound::NEVER,
                bias: Bound::NEVER,
            };
            if settings.personal {
                // |(L_u v)_i| ≤ deg_i · (largest − smallest of v)
                bounds.deviation.slope = degree_norm(u);
            }
            if settings.position_bias {
                // a_u sums to zero
                bounds.bias.slope = imbalance_sum(u) / 2.0;
            }
            bounds
        };
        Self {
            bounds: (0..users).map(bounds).collect(),
            imbalance_norm: (0..users).map(|u| norm_of(imbalance(u))).collect(),
            bias_mean: vec![0.0; users],
            woken: Vec::with_capacity(users),
            waiting: (0..users as u32).collect(),
            entered: 0,
        }
    }

    /// An annotator's δ is carried from now on, and γ with it: nothing of theirs is
    /// watched any more.
    pub(super) fn end(&mut self, u: usize) {
        let bounds = &mut self.bounds;
        bounds[u].deviation = Bound::NEVER;
        bounds[u].bias = Bound::NEVER;
        self.entered += 1;
        if 2 * self.entered > self.waiting.len() {
            let never = |bound: &Bound| bound.base == f64::NEG_INFINITY;
            self.waiting.retain(|&u| {
                let Bounds { deviation, bias } = &bounds[u as usize];
                !never(deviation) || !never(bias)
            });
            self.entered = 0;
        }
    }

    /// The bound on the deviation of an annotator whose γ is carried.
    pub(super) fn of_biased(&self, u: usize, drift: f64, bias_mean: f64) -> f64 {
        let change = (bias_mean - self.bias_mean[u]).abs();
        self.bounds[u].deviation.at(drift) + self.imbalance_norm[u] * change
    }

    /// Finds the annotators of whose effects one may no longer be zero: all such
    /// dormant ones, and some whose γ is carried.
    pub(super) fn wake(&mut self, t: f64, drift: f64, limit: f64) {
        self.woken.clear();
        for &u in &self.waiting {
            // Effects that are carried have none; those are looked at elsewhere.
            let Bounds { deviation, bias } = &self.bounds[u as usize];
            let bound = deviation.at(drift).max(bias.at(drift));
            if t * bound >= limit {
                self.woken.push(u);
            }
        }
    }
}

/// Of an annotator.
pub(super) struct Bounds {
    pub(super) deviation: Bound,
    pub(super) bias: Bound,
}

/// A bound on m‖z‖/t of an effect that is zero, which grows with the drift.
pub(super) struct Bound {
    base: f64,
    slope: f64,
}

impl Bound {
    /// Of an effect that nobody waits for.
    pub(super) const NEVER: Self = Self {
        base: f64::NEG_INFINITY,
        slope: 0.0,
    };

    pub(super) fn set(&mut self, norm: f64, drift: f64) {
        self.base = norm - self.slope * drift;
    }

    fn at(&self, drift: f64) -> f64 {
        self.base + self.slope * drift
    }
}
