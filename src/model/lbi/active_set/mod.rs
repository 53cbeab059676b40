//! The effects of a block of annotators, and which of them take part in a step.
//!
//! An annotator begins *inactive*, becomes *bias-only* when γ enters, and
//! *active* when δ enters. Nobody goes back: an effect that returns to zero
//! stays in the active set.

mod bias_only;
mod step;

use super::duplicates::Duplicates;
use super::gradients::{StepScratch, bias_gradient, deviation_gradient, shrink, shrunk};
use super::kernels::{Effects, SingleZStep, ZStep, ZStepResult};
use super::screening::{MeanScores, ScoreIntegral, Screening};
use super::snapshot::SnapshotBlock;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::vectorised;
use crate::model::blocks::Blocks;
use crate::model::settings::Settings;
use crate::model::statistics::BlockStatistics;

/// When and where an effect first was not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectEntry {
    /// The number of the step that ended with it.
    pub iteration: usize,
    /// The time at the end of that step.
    pub time: f64,
}

/// Which of an annotator's effects take part in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EffectStage {
    /// None: both have been zero so far.
    Inactive,
    /// γ; δ has been zero so far.
    BiasOnly,
    /// Both.
    Active,
}

/// The effects of the annotators of a block, who are counted from the first of them.
pub(super) struct ActiveSet {
    statistics: BlockStatistics,
    settings: Settings,
    stage: Vec<EffectStage>,
    /// In ascending order but for those who entered in the last step.
    bias_only: Vec<u32>,
    active: Vec<u32>,
    /// Whether somebody entered in the last step.
    has_entered: bool,
    /// Annotators with the same effects. Screening looks at the first one only; and `blocks`
    /// has the first one's only, `effects` too once they are active.
    duplicates: Duplicates,
    effects: Vec<Effects>,
    /// Γ_u = ∫γ^u dt of those that are bias-only.
    bias_integral: Vec<f64>,
    bias_entry: Vec<Option<EffectEntry>>,
    deviation_entry: Vec<Option<EffectEntry>>,
    blocks: Blocks,
    screening: Screening,
    candidates: Vec<u32>,
    /// How many votes those cast who are not inactive.
    active_votes: f64,
    scratch: StepScratch,
}

impl ActiveSet {
    /// Every effect zero.
    pub fn new(statistics: BlockStatistics, settings: Settings) -> Self {
        let annotators = statistics.annotators();
        // a_u sums to zero, so a_uᵀv is at most half of this times the range of v.
        let bias_slope = |u: usize| statistics.sizes(u).imbalance_sum / 2.0;
        let duplicates = Duplicates::new(&statistics);
        let screened = (0..annotators as u32).filter(|&u| !duplicates.follows(u as usize));
        let screening = Screening::new(&statistics, &settings, screened.collect(), bias_slope);
        Self {
            settings,
            stage: vec![EffectStage::Inactive; annotators],
            bias_only: Vec::with_capacity(annotators),
            active: Vec::with_capacity(annotators),
            has_entered: false,
            duplicates,
            effects: vec![Effects::default(); annotators],
            bias_integral: vec![0.0; annotators],
            bias_entry: vec![None; annotators],
            deviation_entry: vec![None; annotators],
            blocks: Blocks::new(&statistics),
            screening,
            candidates: Vec::with_capacity(annotators),
            active_votes: 0.0,
            scratch: StepScratch::new(&statistics),
            statistics,
        }
    }

    /// Whether no effect has entered.
    pub fn is_empty(&self) -> bool {
        self.bias_only.is_empty() && self.active.is_empty()
    }

    /// How many votes those cast who are not inactive.
    pub fn active_votes(&self) -> f64 {
        self.active_votes
    }

    /// When each γ first was not zero.
    pub fn bias_entries(&self) -> &[Option<EffectEntry>] {
        &self.bias_entry
    }

    /// When each δ first was not zero.
    pub fn deviation_entries(&self) -> &[Option<EffectEntry>] {
        &self.deviation_entry
    }

    /// The largest norm of an effect's gradient at θ⁰. Sets the first bounds.
    pub fn screen_all(&mut self, theta: &[f64], stop: &Stop) -> Result<f64> {
        let Self {
            statistics,
            settings,
            screening,
            scratch,
            duplicates,
            ..
        } = self;
        let mut largest = 0.0f64;
        for u in (0..statistics.annotators()).filter(|&u| !duplicates.follows(u)) {
            stop.check()?;
            if settings.personal {
                let norm = deviation_gradient(statistics, u, 1.0, theta, 0.0, scratch);
                screening.set_deviation(u, norm, 0.0, 0.0);
                largest = largest.max(norm);
            }
            if settings.position_bias {
                let size = bias_gradient(&statistics.quads(u), 1.0, theta).abs();
                screening.set_bias(u, size, 0.0);
                largest = largest.max(size);
            }
        }
        Ok(largest)
    }

    /// Moves every z along its gradient, shrinks, and subtracts the new effects
    /// Σ_u (L_u δ^u + a_u γ^u) from `rhs`. Effects that are zero enter when they
    /// have to. `scores` has the integral of θ up to the end of this step.
    pub fn step(
        &mut self,
        theta: &[f64],
        scores: &MeanScores,
        now: EffectEntry,
        rhs: &mut [f64],
        stop: &Stop,
    ) -> Result<()> {
        let scores = scores.at_step(now.time);
        self.sort_entered();
        let active_before = self.active.len();
        self.step_active(theta, rhs, now, stop)?;
        self.step_bias_only(theta, &scores, now);
        self.screen_inactive(&scores, now);
        self.subtract_biases(rhs);
        self.subtract_entered(active_before, rhs);
        Ok(())
    }

    /// Puts those who entered in the last step among the others. So a step goes through
    /// memory from the beginning to the end, which is faster.
    fn sort_entered(&mut self) {
        if std::mem::take(&mut self.has_entered) {
            // Stable sorts merge runs that are in order.
            self.active.sort();
            self.bias_only.sort();
        }
    }

    /// Lets the effects of inactive annotators enter that have to.
    fn screen_inactive(&mut self, scores: &ScoreIntegral<'_>, now: EffectEntry) {
        let (active_before, bias_only_before) = (self.active.len(), self.bias_only.len());
        let mut candidates = std::mem::take(&mut self.candidates);
        self.screening
            .collect_candidates(scores.t, scores.drift, &mut candidates);
        for &u in &candidates {
            let index = u as usize;
            // Bias-only annotators have been looked at in their own step.
            if self.stage[index] != EffectStage::Inactive {
                continue;
            }
            if self.settings.position_bias {
                self.try_enter_bias(index, scores, now);
            }
            if self.settings.personal {
                self.try_enter_deviation(index, scores, now);
            }
            if self.stage[index] == EffectStage::BiasOnly {
                self.bias_only.push(u);
                self.screening.remove_bias(index);
            }
            if self.stage[index] != EffectStage::Inactive {
                self.active_votes += self.statistics.quads(index).votes;
                self.enter_followers(index);
            }
        }
        self.candidates = candidates;
        // As if everybody had been looked at, one after the other.
        self.active[active_before..].sort_unstable();
        self.bias_only[bias_only_before..].sort_unstable();
        self.has_entered |= bias_only_before < self.bias_only.len();
    }

    /// Lets the effects of those enter who gave the same vote as an annotator whose
    /// effects have just entered.
    fn enter_followers(&mut self, u: usize) {
        for other in self.duplicates.after(u) {
            self.stage[other] = self.stage[u];
            self.bias_entry[other] = self.bias_entry[u];
            self.deviation_entry[other] = self.deviation_entry[u];
            if self.stage[u] == EffectStage::Active {
                self.active.push(other as u32);
            } else {
                self.effects[other] = self.effects[u];
                self.bias_only.push(other as u32);
                self.screening.copy(u, other);
            }
        }
    }

    /// Computes a γ that has been zero so far. Either it enters, which makes the
    /// annotator bias-only, or its bound is set anew.
    fn try_enter_bias(&mut self, u: usize, scores: &ScoreIntegral<'_>, now: EffectEntry) {
        let gradient = bias_gradient(&self.statistics.quads(u), scores.t, scores.integral);
        self.screening
            .set_bias(u, gradient.abs() / scores.t, scores.drift);
        let effects = &mut self.effects[u];
        effects.z_bias = gradient / self.statistics.total();
        effects.bias = shrunk(effects.z_bias, self.settings.kappa);
        if effects.bias != 0.0 {
            self.stage[u] = EffectStage::BiasOnly;
            self.bias_entry[u] = Some(now);
        }
    }

    /// Computes a δ that has been zero so far. Either it enters, which makes the
    /// annotator active, or its bound is set anew.
    fn try_enter_deviation(&mut self, u: usize, scores: &ScoreIntegral<'_>, now: EffectEntry) {
        let ScoreIntegral { t, integral, drift } = *scores;
        let (statistics, scratch) = (&self.statistics, &mut self.scratch);
        let total = statistics.total();
        let bias_integral = self.bias_integral[u];
        let norm = deviation_gradient(statistics, u, t, integral, bias_integral, scratch);
        let scale = shrink(norm / total, self.settings.kappa);
        if scale == 0.0 {
            self.screening
                .set_deviation(u, norm / t, bias_integral / t, drift);
            return;
        }
        if !self.duplicates.follows(u) {
            let z = &mut scratch.image[..statistics.quad_range(u).len()];
            for quad in &mut *z {
                *quad = quad.map(|value| value / total);
            }
            self.blocks.add(statistics, u, z);
            self.effects[u].scale = scale;
            self.screening.remove(u);
        }
        self.stage[u] = EffectStage::Active;
        self.deviation_entry[u] = Some(now);
        self.active.push(u as u32);
        self.has_entered = true;
    }

    /// Writes the effects at the time of `scores`, which is `elapsed` after the
    /// latest step: z moves linearly within a step.
    pub fn write_effects(
        &mut self,
        theta: &[f64],
        scores: &ScoreIntegral<'_>,
        elapsed: f64,
        snapshot: &mut SnapshotBlock<'_>,
    ) {
        let size = elapsed / self.statistics.total();
        for &u in &self.bias_only {
            let u = u as usize;
            let z = self.effects[u].z_bias + size * self.bias_only_gradient(u, theta);
            snapshot.set_bias(u, shrunk(z, self.settings.kappa));
        }
        for index in 0..self.active.len() {
            let u = self.active[index] as usize;
            match self.duplicates.representative(u) {
                Some(other) => snapshot.copy_effects(other, u),
                None => self.write_active(u, theta, size, snapshot),
            }
        }
        self.write_entering(scores, elapsed, snapshot);
    }

    /// Writes the effects of an active annotator.
    fn write_active(
        &mut self,
        u: usize,
        theta: &[f64],
        size: f64,
        snapshot: &mut SnapshotBlock<'_>,
    ) {
        let Self {
            statistics,
            settings,
            blocks,
            scratch: StepScratch { x, image, z: moved },
            ..
        } = self;
        let effects = &self.effects[u];
        let (block, z) = blocks.of(statistics, u);
        let moved = &mut moved[..z.len()];
        moved.copy_from_slice(z);
        let step = ZStep {
            theta,
            effects,
            size,
            x,
            image,
        };
        let of = (block, &mut *moved);
        let ZStepResult { bias_gradient, .. } = vectorised(SingleZStep { step, of });
        if settings.position_bias {
            let z = effects.z_bias + size * bias_gradient;
            snapshot.set_bias(u, shrunk(z, settings.kappa));
        }
        let restored = &mut x[..z.len()];
        restored[z.len() - 1] = [0.0; 4];
        blocks.restore(statistics, u, moved, restored);
        snapshot.set_deviation(u, restored.iter().copied(), settings.kappa);
    }

    /// Writes the effects that are zero at the latest step and enter after it.
    fn write_entering(
        &mut self,
        scores: &ScoreIntegral<'_>,
        elapsed: f64,
        snapshot: &mut SnapshotBlock<'_>,
    ) {
        let mut candidates = std::mem::take(&mut self.candidates);
        self.screening
            .collect_candidates(scores.t, scores.drift, &mut candidates);
        candidates.retain(|&u| self.stage[u as usize] == EffectStage::Inactive);
        if self.settings.position_bias {
            for &u in &candidates {
                let annotator = self.statistics.quads(u as usize);
                let z = bias_gradient(&annotator, scores.t, scores.integral);
                let z = z / self.statistics.total();
                snapshot.set_bias(u as usize, shrunk(z, self.settings.kappa));
            }
        }
        if self.settings.personal {
            for &u in &candidates {
                self.write_entering_deviation(u as usize, scores, elapsed, snapshot);
            }
            for index in 0..self.bias_only.len() {
                let u = self.bias_only[index] as usize;
                self.write_entering_deviation(u, scores, elapsed, snapshot);
            }
        }
        for &u in &candidates {
            for other in self.duplicates.after(u as usize) {
                snapshot.copy_effects(u as usize, other);
            }
        }
        self.candidates = candidates;
    }

    fn write_entering_deviation(
        &mut self,
        u: usize,
        scores: &ScoreIntegral<'_>,
        elapsed: f64,
        snapshot: &mut SnapshotBlock<'_>,
    ) {
        let (statistics, scratch) = (&self.statistics, &mut self.scratch);
        let bias_integral = self.bias_integral[u] + elapsed * self.effects[u].bias;
        let ScoreIntegral { t, integral, .. } = *scores;
        deviation_gradient(statistics, u, t, integral, bias_integral, scratch);
        let quads = statistics.quad_range(u).len();
        let z = scratch.image[..quads].iter();
        let z = z.map(|quad| quad.map(|value| value / statistics.total()));
        snapshot.set_deviation(u, z, self.settings.kappa);
    }
}

/// Moves z of γ by `change`, and shrinks.
#[inline(always)]
fn step_bias(
    effects: &mut Effects,
    entry: &mut Option<EffectEntry>,
    change: f64,
    kappa: f64,
    now: EffectEntry,
) {
    effects.z_bias += change;
    effects.bias = shrunk(effects.z_bias, kappa);
    if effects.bias != 0.0 && entry.is_none() {
        *entry = Some(now);
    }
}
