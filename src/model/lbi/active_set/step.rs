//! A step of the active annotators.

use super::{ActiveSet, EffectEntry};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{Kernel, Lanes, vectorised};
use crate::model::lbi::gradients::StepScratch;
use crate::model::lbi::kernels::{Contribution, SubtractEffects, ZStep};
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
            if !active_set.duplicates.follows(u) {
                self.stop.check()?;
                active_set.step_effects(lanes, u, self.theta, size, self.now);
            }
            active_set.subtract_one(lanes, u, rhs);
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
            vectorised(SubtractAnnotator {
                u: self.active[index] as usize,
                active_set: self,
                rhs,
            });
        }
    }

    /// Moves z of an active annotator who is no follower, and shrinks.
    #[inline(always)]
    fn step_effects<L: Lanes>(
        &mut self,
        lanes: L,
        u: usize,
        theta: &[f64],
        size: f64,
        now: EffectEntry,
    ) {
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
        let effects = &mut effects[u];
        let step = ZStep {
            theta,
            effects,
            size,
            x,
            image,
        };
        let result = match blocks.dense_quads(u) {
            Some(1) => step.small(lanes, blocks.small_mut::<1>(statistics, u)),
            Some(2) => step.small(lanes, blocks.small_mut::<2>(statistics, u)),
            Some(3) => step.small(lanes, blocks.small_mut::<3>(statistics, u)),
            Some(4) => step.small(lanes, blocks.small_mut::<4>(statistics, u)),
            _ => step.run(lanes, blocks.of_mut(statistics, u)),
        };
        effects.shrink(&result, size, position_bias, kappa);
        if effects.bias != 0.0 && self.bias_entry[u].is_none() {
            self.note_bias_entry(u, now);
        }
    }

    /// Notes when γ of an active annotator enters.
    #[cold]
    fn note_bias_entry(&mut self, u: usize, now: EffectEntry) {
        self.bias_entry[u] = Some(now);
        for other in self.duplicates.after(u) {
            self.bias_entry[other] = Some(now);
        }
    }

    /// Subtracts L_u δ^u + a_u γ^u of an active annotator.
    #[inline(always)]
    fn subtract_one<L: Lanes>(&mut self, lanes: L, u: usize, rhs: &mut [f64]) {
        let count = self.statistics.count(u);
        // The first of those with the same vote comes first: all enter in the same step, in
        // ascending order.
        if self.duplicates.subtract_follower(u, count, rhs) {
            return;
        }
        if self.duplicates.leads(u) {
            return self.subtract_representative(lanes, u, count, rhs);
        }
        let Self {
            statistics, blocks, ..
        } = self;
        let contribution = Contribution {
            effects: self.effects[u].times(count),
            image: &mut self.scratch.image,
        };
        let subtract = SubtractEffects { contribution, rhs };
        match blocks.dense_quads(u) {
            Some(1) => subtract.small(lanes, blocks.small::<1>(statistics, u)),
            Some(2) => subtract.small(lanes, blocks.small::<2>(statistics, u)),
            Some(3) => subtract.small(lanes, blocks.small::<3>(statistics, u)),
            Some(4) => subtract.small(lanes, blocks.small::<4>(statistics, u)),
            _ => subtract.run(lanes, blocks.of(statistics, u)),
        }
    }

    /// The same of the first of several annotators with the same vote.
    #[inline(always)]
    fn subtract_representative<L: Lanes>(
        &mut self,
        lanes: L,
        u: usize,
        count: f64,
        rhs: &mut [f64],
    ) {
        let contribution = Contribution {
            effects: self.effects[u],
            image: &mut self.scratch.image,
        };
        let own = contribution.quad(lanes, self.blocks.of(&self.statistics, u));
        let mut at_items = [[0.0; 4]];
        self.blocks
            .restore(&self.statistics, u, &[own], &mut at_items);
        let [[first, second, ..]] = at_items;
        self.duplicates
            .subtract_representative(u, count, [first, second], rhs);
    }
}
