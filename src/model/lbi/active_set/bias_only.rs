//! A step of the bias-only annotators.

use super::{ActiveSet, EffectEntry, EffectStage, step_bias};
use crate::linalg::gather::GatherSlice;
use crate::linalg::simd::{Kernel, Lanes, StoredQuad, vectorised};
use crate::model::lbi::gradients::bias_gradient;
use crate::model::lbi::screening::ScoreIntegral;
use crate::model::settings::Settings;
use crate::model::statistics::{AnnotatorQuads, SideSumsOf};

/// Moves z of each γ, and collects the annotators whose δ may have to enter.
struct BiasOnlyStep<'a> {
    active_set: &'a mut ActiveSet,
    theta: &'a [f64],
    scores: &'a ScoreIntegral<'a>,
    now: EffectEntry,
    candidates: &'a mut Vec<u32>,
}

impl Kernel for BiasOnlyStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let Self {
            active_set, now, ..
        } = self;
        let Settings { alpha, kappa, .. } = active_set.settings;
        let size = alpha / active_set.statistics.total();
        for &u in &active_set.bias_only {
            let index = u as usize;
            let gradient = active_set.bias_only_gradient(index, self.theta);
            let effects = &mut active_set.effects[index];
            let integral = &mut active_set.bias_integral[index];
            *integral += alpha * effects.bias;
            let entry = &mut active_set.bias_entry[index];
            step_bias(effects, entry, size * gradient, kappa, now);
            let bias_mean = *integral / now.time;
            let screening = &active_set.screening;
            if screening.may_deviate(index, self.scores, bias_mean) {
                self.candidates.push(u);
            }
        }
    }
}

/// rhs ← rhs − Σ_u a_u γ^u over the bias-only annotators.
struct SubtractBiases<'a> {
    active_set: &'a ActiveSet,
    rhs: &'a mut [f64],
}

impl Kernel for SubtractBiases<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let Self { active_set, rhs } = self;
        for &u in &active_set.bias_only {
            let u = u as usize;
            let bias = active_set.statistics.count(u) * active_set.effects[u].bias;
            if bias == 0.0 {
                continue;
            }
            let AnnotatorQuads {
                items, side_sums, ..
            } = active_set.statistics.quads(u);
            match side_sums {
                SideSumsOf::Integers(sums) => subtract_bias(sums.imbalance, bias, items, rhs),
                SideSumsOf::Numbers(sums) => subtract_bias(sums.imbalance, bias, items, rhs),
            }
        }
    }
}

impl ActiveSet {
    /// A step of the bias-only annotators. Some become active.
    pub(super) fn step_bias_only(
        &mut self,
        theta: &[f64],
        scores: &ScoreIntegral<'_>,
        now: EffectEntry,
    ) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        vectorised(BiasOnlyStep {
            active_set: self,
            theta,
            scores,
            now,
            candidates: &mut candidates,
        });
        for &u in &candidates {
            self.try_enter_deviation(u as usize, scores, now);
        }
        self.candidates = candidates;
        let stage = &self.stage;
        self.bias_only
            .retain(|&u| stage[u as usize] == EffectStage::BiasOnly);
    }

    /// The gradient of γ while δ = 0.
    #[inline(always)]
    pub(super) fn bias_only_gradient(&self, u: usize, theta: &[f64]) -> f64 {
        let annotator = self.statistics.quads(u);
        bias_gradient(&annotator, 1.0, theta) - annotator.votes * self.effects[u].bias
    }

    /// Subtracts a_u γ^u of the bias-only annotators.
    pub(super) fn subtract_biases(&self, rhs: &mut [f64]) {
        vectorised(SubtractBiases {
            active_set: self,
            rhs,
        });
    }
}

/// rhs ← rhs − a_u γ^u.
#[inline(always)]
fn subtract_bias<Q: StoredQuad>(
    imbalance: &[Q],
    bias: f64,
    items: GatherSlice<'_>,
    rhs: &mut [f64],
) {
    let mut rhs = items.of_mut(rhs);
    for (index, a) in imbalance.iter().enumerate() {
        rhs.subtract(index, a.values().map(|a| a * bias));
    }
}
