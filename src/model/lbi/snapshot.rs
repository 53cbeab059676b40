//! The model at one time, between two steps of the path.

use super::Path;
use super::active_set::{Advance, Advanced, Stage};
use super::gradients::{bias_slope, deviation_slope, norm_of, shrink};
use super::screening::CAUTION;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{Quad, vectorised};
use crate::model::statistics::Statistics;
use crate::options::ThetaUpdate;

/// The model at one time.
pub struct Snapshot {
    pub(super) t: f64,
    pub(super) theta: Vec<f64>,
    pub(super) bias: Vec<f64>,
    pub(super) deviation: Vec<Quad>,
    pub(super) deviation_norm: Vec<f64>,
    /// The annotators that have an effect.
    pub(super) active: Vec<u32>,
}

impl Snapshot {
    /// The time.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// θ, by item.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// γ, by annotator.
    pub fn position_bias(&self) -> &[f64] {
        &self.bias
    }

    /// ‖δ^u‖, by annotator.
    pub fn deviation_norm(&self) -> &[f64] {
        &self.deviation_norm
    }

    /// δ^u over the items that annotator u saw.
    pub fn deviation<'a>(&'a self, statistics: &Statistics, annotator: usize) -> &'a [f64] {
        let range = statistics.offsets[annotator]..statistics.offsets[annotator + 1];
        let items = statistics.annotator(annotator).items.len();
        &self.deviation[range].as_flattened()[..items]
    }
}

impl Snapshot {
    pub(super) fn new(statistics: &Statistics) -> Self {
        let users = statistics.annotators();
        Self {
            t: 0.0,
            theta: vec![0.0; statistics.items],
            bias: vec![0.0; users],
            deviation: vec![[0.0; 4]; statistics.offsets[users]],
            deviation_norm: vec![0.0; users],
            active: Vec::with_capacity(2 * users),
        }
    }

    pub(super) fn clear(&mut self, statistics: &Statistics) {
        for &u in &self.active {
            let u = u as usize;
            self.bias[u] = 0.0;
            self.deviation_norm[u] = 0.0;
            self.deviation[statistics.offsets[u]..statistics.offsets[u + 1]].fill([0.0; 4]);
        }
        self.active.clear();
    }

    pub(super) fn set_bias(&mut self, u: usize, bias: f64) {
        if bias != 0.0 {
            self.bias[u] = bias;
            self.active.push(u as u32);
        }
    }

    pub(super) fn set_deviation(
        &mut self,
        statistics: &Statistics,
        u: usize,
        z: impl Iterator<Item = Quad>,
        kappa: f64,
    ) {
        let deviation = &mut self.deviation[statistics.offsets[u]..statistics.offsets[u + 1]];
        for (slot, z) in deviation.iter_mut().zip(z) {
            *slot = z;
        }
        let norm = norm_of(deviation);
        let scale = shrink(norm, kappa);
        let values = deviation.as_flattened_mut().iter_mut();
        values.for_each(|slot| *slot *= scale);
        if scale != 0.0 {
            self.deviation_norm[u] = scale * norm;
            self.active.push(u as u32);
        }
    }
}

impl Path<'_> {
    /// The model at a time within the current step: z moves linearly through it.
    pub(super) fn take_snapshot(&mut self, t: f64, stop: &Stop) -> Result<()> {
        self.snapshot.clear(self.statistics);
        self.snapshot.t = t;
        if t <= self.first_entry {
            self.snapshot.theta.copy_from_slice(&self.theta0);
            return Ok(());
        }
        self.solve(stop)?;
        let elapsed = t - self.time();
        self.snapshot_theta(elapsed / self.settings.alpha);
        self.snapshot_carried(elapsed);

        let integral = &mut self.integral_at;
        for (i, slot) in integral.iter_mut().enumerate() {
            *slot = self.drift.integral[i] + elapsed * self.theta[i];
        }
        let drift = self.drift.total + self.drift.distance(integral, t);
        self.watch.wake(t, drift, self.statistics.total * CAUTION);
        for index in 0..self.watch.woken.len() {
            self.snapshot_zero(self.watch.woken[index] as usize, t, elapsed);
        }
        for index in 0..self.annotators.biased.len() {
            self.snapshot_zero(self.annotators.biased[index] as usize, t, elapsed);
        }
        Ok(())
    }

    pub(super) fn snapshot_theta(&mut self, part: f64) {
        let theta = &mut self.snapshot.theta;
        theta.copy_from_slice(&self.theta[..self.statistics.items]);
        if self.settings.theta_update != ThetaUpdate::Solve {
            for (slot, next) in theta.iter_mut().zip(&self.theta_next) {
                *slot += part * (next - *slot);
            }
        }
    }

    /// The effects that are carried from step to step.
    pub(super) fn snapshot_carried(&mut self, elapsed: f64) {
        let Self {
            statistics,
            annotators: state,
            snapshot,
            blocks,
            theta,
            local,
            ..
        } = self;
        let size = elapsed / statistics.total;
        let kappa = self.settings.kappa;
        let mut moved = vec![[0.0; 4]; local.x.len()];
        for &u in &state.biased {
            let u = u as usize;
            let gradient = state.bias_gradient(statistics, u, theta);
            let z = state.effects[u].z_bias + size * gradient;
            snapshot.set_bias(u, shrink(z.abs(), kappa) * z);
        }
        for &u in &state.full {
            let u = u as usize;
            let range = statistics.offsets[u]..statistics.offsets[u + 1];
            let (effects, z) = (&state.effects[u], &state.z[range]);
            let moved = &mut moved[..z.len()];
            moved.copy_from_slice(z);
            let Advanced { bias_gradient, .. } = vectorised(Advance {
                block: blocks.of(statistics, u),
                theta,
                effects,
                size,
                z: moved,
                local,
            });
            if self.settings.position_bias {
                let z = effects.z_bias + size * bias_gradient;
                snapshot.set_bias(u, shrink(z.abs(), kappa) * z);
            }
            let restored = &mut local.x[..z.len()];
            restored[z.len() - 1] = [0.0; 4];
            blocks.restore(statistics, u, moved, restored);
            snapshot.set_deviation(statistics, u, restored.iter().copied(), kappa);
        }
    }

    /// An effect that was zero when the step began may enter within it.
    pub(super) fn snapshot_zero(&mut self, u: usize, t: f64, elapsed: f64) {
        let Self {
            statistics,
            annotators: state,
            snapshot,
            settings,
            local,
            ..
        } = self;
        let annotator = statistics.quads(u);
        let integral = &self.integral_at;
        let total = statistics.total;
        if settings.position_bias && state.stage[u] == Stage::Dormant {
            let z = bias_slope(&annotator, t, integral) / total;
            snapshot.set_bias(u, shrink(z.abs(), settings.kappa) * z);
        }
        if settings.personal {
            let bias_integral = state.bias_integral[u] + elapsed * state.effects[u].bias;
            deviation_slope(statistics, u, t, integral, bias_integral, local);
            let z = local.image[..annotator.imbalance.len()].iter();
            let z = z.map(|quad| quad.map(|value| value / total));
            snapshot.set_deviation(statistics, u, z, settings.kappa);
        }
    }
}
