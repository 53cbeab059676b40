//! When to look at an effect that has been zero so far.
//!
//! The reasoning is in the parent module: a bound on ‖z‖ that grows with the
//! drift of the mean scores says how long an effect cannot have entered.

use super::Settings;
use super::slopes::norm_of;
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
        for (slot, score) in self.integral.iter_mut().zip(theta) {
            *slot += alpha * score;
        }
        self.total += self.distance(&self.integral, t);
        for (slot, integral) in self.mean.iter_mut().zip(&self.integral) {
            *slot = integral / t;
        }
    }

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

/// For every effect that is zero: a bound on m‖z‖/t that grows with the drift.
pub(super) struct Watch {
    pub(super) deviation: Bounds,
    pub(super) bias: Bounds,
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
        let never = || vec![f64::NEG_INFINITY; users];
        let slopes = |wanted: bool, slope: &dyn Fn(usize) -> f64| {
            let slope = |u| if wanted { slope(u) } else { 0.0 };
            (0..users).map(slope).collect()
        };
        let degree_norm = |u| {
            let degrees = statistics.graph(u).degrees();
            degrees.map(|degree| degree * degree).sum::<f64>().sqrt()
        };
        let imbalance = |u| statistics.quads(u).imbalance;
        Self {
            deviation: Bounds {
                base: never(),
                // |(L_u v)_i| ≤ deg_i · (largest − smallest of v)
                slope: slopes(settings.personal, &degree_norm),
            },
            bias: Bounds {
                base: never(),
                // a_u sums to zero
                slope: slopes(settings.position_bias, &|u| {
                    let imbalance = imbalance(u).as_flattened().iter();
                    imbalance.map(|a| a.abs()).sum::<f64>() / 2.0
                }),
            },
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
        self.deviation.clear(u);
        self.bias.clear(u);
        self.entered += 1;
        if 2 * self.entered > self.waiting.len() {
            let never = |bounds: &Bounds, u: u32| bounds.base[u as usize] == f64::NEG_INFINITY;
            let (deviation, bias) = (&self.deviation, &self.bias);
            self.waiting
                .retain(|&u| !never(deviation, u) || !never(bias, u));
            self.entered = 0;
        }
    }

    /// The bound on the deviation of an annotator whose γ is carried.
    pub(super) fn of_biased(&self, u: usize, drift: f64, bias_mean: f64) -> f64 {
        let change = (bias_mean - self.bias_mean[u]).abs();
        self.deviation.get(u, drift) + self.imbalance_norm[u] * change
    }

    /// Finds the annotators of whose effects one may no longer be zero: all such
    /// dormant ones, and some whose γ is carried.
    pub(super) fn wake(&mut self, t: f64, drift: f64, limit: f64) {
        self.woken.clear();
        for &u in &self.waiting {
            // Cleared for effects that are carried; those are looked at elsewhere.
            let deviation = self.deviation.get(u as usize, drift);
            let bound = deviation.max(self.bias.get(u as usize, drift));
            if t * bound >= limit {
                self.woken.push(u);
            }
        }
    }
}

pub(super) struct Bounds {
    pub(super) base: Vec<f64>,
    pub(super) slope: Vec<f64>,
}

impl Bounds {
    pub(super) fn set(&mut self, annotator: usize, norm: f64, drift: f64) {
        self.base[annotator] = norm - self.slope[annotator] * drift;
    }

    pub(super) fn get(&self, annotator: usize, drift: f64) -> f64 {
        self.base[annotator] + self.slope[annotator] * drift
    }

    pub(super) fn clear(&mut self, annotator: usize) {
        self.base[annotator] = f64::NEG_INFINITY;
        self.slope[annotator] = 0.0;
    }
}
