//! How effects leave zero: t0, and who is looked at when.

use super::active_set::{Stage, Subtract};
use super::gradients::{bias_slope, deviation_slope, shrink};
use super::screening::{Bound, CAUTION};
use super::{EffectEntry, Path};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::vectorised;
use crate::options::ThetaUpdate;

/// A residual this small beside the votes themselves is rounding, not an effect.
const NEGLIGIBLE: f64 = 1e-10;

impl Path<'_> {
    /// Computes the slope of every effect at θ⁰, and with it t0 and the first bounds.
    pub(super) fn find_first_entry(&mut self, stop: &Stop) -> Result<()> {
        let Self {
            statistics,
            watch,
            local,
            settings,
            theta,
            ..
        } = self;
        let mut largest = 0.0f64;
        for u in 0..statistics.annotators() {
            stop.check()?;
            if settings.personal {
                let norm = deviation_slope(statistics, u, 1.0, theta, 0.0, local);
                watch.bounds[u].deviation.set(norm, 0.0);
                largest = largest.max(norm);
            }
            if settings.position_bias {
                let slope = bias_slope(&statistics.quads(u), 1.0, theta);
                watch.bounds[u].bias.set(slope.abs(), 0.0);
                largest = largest.max(slope.abs());
            }
        }
        if largest > NEGLIGIBLE * statistics.strength {
            let t0 = statistics.total / largest;
            self.first_entry = t0;
            self.start = match settings.theta_update {
                // Algorithm 1 counts its steps from zero: the last one before t0.
                ThetaUpdate::Lagged => {
                    self.steps = (t0 / settings.alpha).floor() as usize;
                    0.0
                }
                ThetaUpdate::Solve | ThetaUpdate::Gradient => t0,
            };
            self.drift.begin(&self.theta, self.time());
        }
        Ok(())
    }

    /// A step of the annotators of whom only γ is carried.
    pub(super) fn step_biased(&mut self, entry: EffectEntry) {
        let settings = &self.settings;
        let size = settings.alpha / self.statistics.total;
        let limit = self.statistics.total * CAUTION;
        let t = entry.time;
        let state = &mut self.annotators;
        self.watch.woken.clear();
        for index in 0..state.biased.len() {
            let u = state.biased[index] as usize;
            let gradient = state.bias_gradient(self.statistics, u, &self.theta);
            state.bias_integral[u] += settings.alpha * state.effects[u].bias;
            state.step_bias(u, size * gradient, settings.kappa, entry);
            let bias_mean = state.bias_integral[u] / t;
            let bound = self.watch.of_biased(u, self.drift.total, bias_mean);
            if t * bound >= limit {
                self.watch.woken.push(u as u32);
            }
        }
        for index in 0..self.watch.woken.len() {
            let u = self.watch.woken[index] as usize;
            self.look_at_deviation(u, entry);
        }
        let stage = &self.annotators.stage;
        self.annotators
            .biased
            .retain(|&u| stage[u as usize] == Stage::Biased);
    }

    /// Looks at the effects that may no longer be zero.
    pub(super) fn wake_dormant(&mut self, entry: EffectEntry) {
        let limit = self.statistics.total * CAUTION;
        self.watch.wake(entry.time, self.drift.total, limit);
        for index in 0..self.watch.woken.len() {
            let u = self.watch.woken[index] as usize;
            // A carried γ keeps its δ's bound, which wakes it if δ is about to enter.
            if self.annotators.stage[u] != Stage::Dormant {
                continue;
            }
            if self.settings.position_bias {
                self.look_at_bias(u, entry);
            }
            if self.settings.personal {
                self.look_at_deviation(u, entry);
            }
            if self.annotators.stage[u] == Stage::Biased {
                self.annotators.biased.push(u as u32);
            }
            if self.annotators.stage[u] != Stage::Dormant {
                self.watch.bounds[u].bias = Bound::NEVER;
            }
        }
    }

    /// Computes a γ that has been zero so far, and lets it enter or sets its bound.
    fn look_at_bias(&mut self, u: usize, entry: EffectEntry) {
        let t = entry.time;
        let state = &mut self.annotators;
        let slope = bias_slope(&self.statistics.quads(u), t, &self.drift.integral);
        self.watch.bounds[u]
            .bias
            .set(slope.abs() / t, self.drift.total);
        let effects = &mut state.effects[u];
        effects.z_bias = slope / self.statistics.total;
        effects.bias = shrink(effects.z_bias.abs(), self.settings.kappa) * effects.z_bias;
        if effects.bias != 0.0 {
            state.stage[u] = Stage::Biased;
            state.bias_entry[u] = Some(entry);
        }
    }

    /// Computes a δ that has been zero so far, and lets it enter or sets its bound.
    fn look_at_deviation(&mut self, u: usize, entry: EffectEntry) {
        let t = entry.time;
        let total = self.statistics.total;
        let state = &mut self.annotators;
        let bias_integral = state.bias_integral[u];
        let integral = &self.drift.integral;
        let local = &mut self.local;
        let norm = deviation_slope(self.statistics, u, t, integral, bias_integral, local);
        let scale = shrink(norm / total, self.settings.kappa);
        if scale == 0.0 {
            self.watch.bounds[u]
                .deviation
                .set(norm / t, self.drift.total);
            self.watch.bias_mean[u] = bias_integral / t;
            return;
        }
        let range = self.statistics.offsets[u]..self.statistics.offsets[u + 1];
        let image = &mut local.image[..range.len()];
        for quad in &mut *image {
            *quad = quad.map(|value| value / total);
        }
        self.blocks.add(self.statistics, u);
        let z = &mut state.z[range];
        self.blocks.arrange(self.statistics, u, image, z);
        state.effects[u].scale = scale;
        state.stage[u] = Stage::Full;
        state.deviation_entry[u] = Some(entry);
        state.full.push(u as u32);
        self.watch.end(u);
    }

    /// Takes the effects of those with γ alone, and of those whose δ entered in
    /// this step, from the right-hand side.
    pub(super) fn subtract_entered(&mut self, before: usize) {
        let state = &self.annotators;
        for &u in &state.biased {
            let bias = state.effects[u as usize].bias;
            if bias == 0.0 {
                continue;
            }
            let annotator = self.statistics.quads(u as usize);
            let mut right = annotator.items.of_mut(&mut self.right);
            for (place, a) in annotator.imbalance.iter().enumerate() {
                right.subtract(place, a.map(|a| a * bias));
            }
        }
        for &u in &state.full[before..] {
            let u = u as usize;
            let range = self.statistics.offsets[u]..self.statistics.offsets[u + 1];
            vectorised(Subtract {
                block: self.blocks.of(self.statistics, u),
                effects: &state.effects[u],
                z: &state.z[range],
                image: &mut self.local.image,
                right: &mut self.right,
            });
        }
    }
}
