//! A step of the active annotators.

use super::{ActiveSet, EffectEntry};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{Kernel, Lanes, vectorised};
use crate::model::lbi::gradients::StepScratch;
use crate::model::lbi::kernels::{AnnotatorStep, Contribution, SubtractEffects, ZStep};
use crate::model::settings::Settings;

/// A step of the active annotators. Each Laplacian is used twice while it is in
/// the cache: for the gradient, and for the right-hand side of the next θ.
struct ActiveStep<'a> {
    active_set: &'a mut ActiveSet,
    theta: &'a [f64],
    rhs: &'a mut [f64],
    now: EffectEntry,
    stop: &'a Stop,
}

impl Kernel for ActiveStep<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<()> {
        let Self {
            active_set, rhs, ..
        } = self;
        let size = active_set.settings.alpha / active_set.statistics.total();
        for index in 0..active_set.active.len() {
            let u = active_set.active[index] as usize;
            // The first of those with the same vote comes first: all enter in the same
            // step, in ascending order.
            let count = active_set.statistics.count(u);
            if active_set.duplicates.subtract_follower(u, count, rhs) {
                continue;
            }
            self.stop.check()?;
            if active_set.step_one(lanes, u, self.theta, size, rhs) {
                active_set.note_bias_entry(u, self.now);
            }
        }
        Ok(())
    }
}

/// Subtracts the effects of an active annotator from the right-hand side.
struct SubtractAnnotator<'a> {
    active_set: &'a mut ActiveSet,
    u: usize,
    rhs: &'a mut [f64],
}

impl Kernel for SubtractAnnotator<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        self.active_set.subtract_one(lanes, self.u, self.rhs);
    }
}

impl ActiveSet {
    /// A step of the active annotators, who subtract their effects from `rhs`.
    pub(super) fn step_active(
        &mut self,
        theta: &[f64],
        rhs: &mut [f64],
        now: EffectEntry,
        stop: &Stop,
    ) -> Result<()> {
        vectorised(ActiveStep {
            active_set: self,
            theta,
            rhs,
            now,
            stop,
        })
    }

    /// Subtracts the effects of the annotators that became active in this step.
    pub(super) fn subtract_entered(&mut self, active_before: usize, rhs: &mut [f64]) {
        for index in active_before..self.active.len() {
            let u = self.active[index] as usize;
            let count = self.statistics.count(u);
            if !self.duplicates.subtract_follower(u, count, rhs) {
                vectorised(SubtractAnnotator {
                    active_set: self,
                    u,
                    rhs,
                });
            }
        }
    }

    /// Moves z of an active annotator who is no follower, shrinks, and subtracts the effects
    /// from `rhs`. Returns whether γ is not zero.
    #[inline(always)]
    fn step_one<L: Lanes>(
        &mut self,
        lanes: L,
        u: usize,
        theta: &[f64],
        size: f64,
        rhs: &mut [f64],
    ) -> bool {
        if self.duplicates.leads(u) {
            return self.step_representative(u, theta, size, rhs);
        }
        let Settings {
            kappa,
            position_bias,
            ..
        } = self.settings;
        let Self {
            statistics,
            blocks,
            effects,
            scratch: StepScratch { x, image, .. },
            ..
        } = self;
        let step = AnnotatorStep {
            theta,
            rhs,
            effects: &mut effects[u],
            x,
            image,
            size,
            kappa,
            position_bias,
            count: statistics.count(u),
        };
        match blocks.dense_quads(u) {
            Some(1) => step.small(lanes, blocks.small_mut::<1>(statistics, u)),
            Some(2) => step.small(lanes, blocks.small_mut::<2>(statistics, u)),
            Some(3) => step.small(lanes, blocks.small_mut::<3>(statistics, u)),
            Some(4) => step.small(lanes, blocks.small_mut::<4>(statistics, u)),
            _ => step.run(lanes, blocks.of_mut(statistics, u)),
        }
    }

    /// The same of the first of several annotators with the same vote.
    fn step_representative(&mut self, u: usize, theta: &[f64], size: f64, rhs: &mut [f64]) -> bool {
        let Self {
            statistics,
            settings,
            blocks,
            effects,
            scratch: StepScratch { x, image, .. },
            ..
        } = self;
        let effects = &mut effects[u];
        let (block, z) = blocks.of_mut(statistics, u);
        let result = vectorised(ZStep {
            block,
            theta,
            effects,
            size,
            z,
            x,
            image,
        });
        effects.shrink(&result, size, settings.position_bias, settings.kappa);
        let is_biased = effects.bias != 0.0;
        vectorised(SubtractAnnotator {
            active_set: self,
            u,
            rhs,
        });
        is_biased
    }

    /// Notes that γ of an active annotator is not zero.
    #[inline(always)]
    fn note_bias_entry(&mut self, u: usize, now: EffectEntry) {
        if self.bias_entry[u].is_none() {
            self.bias_entry[u] = Some(now);
            for other in self.duplicates.after(u) {
                self.bias_entry[other] = Some(now);
            }
        }
    }

    /// Subtracts L_u δ^u + a_u γ^u of an active annotator who is no follower.
    #[inline(always)]
    fn subtract_one<L: Lanes>(&mut self, lanes: L, u: usize, rhs: &mut [f64]) {
        let Self {
            statistics,
            blocks,
            duplicates,
            ..
        } = self;
        let leads = duplicates.leads(u);
        let count = statistics.count(u);
        let factor = if leads { 1.0 } else { count };
        let (block, z) = blocks.of(statistics, u);
        let contribution = Contribution {
            block,
            effects: self.effects[u].times(factor),
            z,
            image: &mut self.scratch.image,
        };
        if !leads {
            return SubtractEffects { contribution, rhs }.run(lanes);
        }
        let mut own = [[0.0; 4]];
        blocks.restore(statistics, u, &[contribution.quad(lanes)], &mut own);
        let [[first, second, ..]] = own;
        duplicates.subtract_representative(u, count, [first, second], rhs);
    }
}
