//! Which effects that are zero may have to enter.
//!
//! The bounds are derived in the documentation of the parent module.

use crate::model::settings::Settings;
use crate::model::statistics::BlockStatistics;

/// Bounds are compared with a limit that is lower by this factor. The difference
/// is far larger than any rounding error.
const CAUTION: f64 = 1.0 - 1e-9;

/// Θ = ∫θ dt, its mean over time Θ̄ = Θ/t, and how far Θ̄ has drifted in total.
pub(super) struct MeanScores {
    integral: Vec<f64>,
    mean: Vec<f64>,
    drift: f64,
    /// Θ at a time between two steps.
    interpolated: Vec<f64>,
}

/// Θ at time t, and the total drift of Θ̄ up to then.
#[derive(Clone, Copy)]
pub(super) struct ScoreIntegral<'a> {
    pub t: f64,
    pub integral: &'a [f64],
    pub drift: f64,
}

impl MeanScores {
    /// Scores that have not moved yet; their integral begins with [`Self::begin`].
    pub fn new(theta: &[f64]) -> Self {
        Self {
            integral: vec![0.0; theta.len()],
            mean: theta.to_vec(),
            drift: 0.0,
            interpolated: vec![0.0; theta.len()],
        }
    }

    /// Begins at time `t`, up to which θ has not moved.
    pub fn begin(&mut self, theta: &[f64], t: f64) {
        for (slot, score) in self.integral.iter_mut().zip(theta) {
            *slot = t * score;
        }
    }

    /// Adds a step of length α that ends at time `t`.
    pub fn advance(&mut self, theta: &[f64], alpha: f64, t: f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for ((integral, mean), score) in self.integral.iter_mut().zip(&mut self.mean).zip(theta) {
            *integral += alpha * score;
            let next = *integral / t;
            let change = next - *mean;
            low = low.min(change);
            high = high.max(change);
            *mean = next;
        }
        self.drift += high - low;
    }

    /// At the end of the latest step, which is time `t`.
    pub fn at_step(&self, t: f64) -> ScoreIntegral<'_> {
        ScoreIntegral {
            t,
            integral: &self.integral,
            drift: self.drift,
        }
    }

    /// At time `t`, which is `elapsed` after the end of the latest step.
    pub fn between_steps(&mut self, theta: &[f64], elapsed: f64, t: f64) -> ScoreIntegral<'_> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, slot) in self.interpolated.iter_mut().enumerate() {
            *slot = self.integral[i] + elapsed * theta[i];
            let change = *slot / t - self.mean[i];
            low = low.min(change);
            high = high.max(change);
        }
        ScoreIntegral {
            t,
            integral: &self.interpolated,
            drift: self.drift + (high - low),
        }
    }
}

/// The screening bounds of all effects that are zero.
pub(in crate::model) struct Screening {
    /// An effect is zero while t times its bound is below this.
    limit: f64,
    bounds: Vec<EffectBounds>,
    /// ‖a_u‖.
    imbalance_norm: Vec<f64>,
    /// Γ̄_u when the bound of the deviation was set.
    bias_mean: Vec<f64>,
    /// The annotators that are screened, and some that no longer need to be.
    screened: Vec<u32>,
    /// How many of them no longer need to be.
    removed: usize,
}

impl Screening {
    /// Screens these annotators. The bounds grow with the drift as they should, but start
    /// nowhere before they are set. `bias_slope` says by how much that of an annotator's γ
    /// grows.
    pub fn new(
        statistics: &BlockStatistics,
        settings: &Settings,
        screened: Vec<u32>,
        bias_slope: impl Fn(usize) -> f64,
    ) -> Self {
        let annotators = statistics.annotators();
        let bounds = |u| {
            let mut bounds = EffectBounds::NONE;
            if settings.personal {
                // |(L_u v)_i| ≤ deg_i · (largest − smallest of v)
                bounds.deviation.slope = statistics.sizes(u).degree_norm;
            }
            if settings.position_bias {
                bounds.bias.slope = bias_slope(u);
            }
            bounds
        };
        Self {
            limit: statistics.total() * CAUTION,
            bounds: (0..annotators).map(bounds).collect(),
            imbalance_norm: (0..annotators)
                .map(|u| statistics.sizes(u).imbalance_norm)
                .collect(),
            bias_mean: vec![0.0; annotators],
            screened,
            removed: 0,
        }
    }

    /// Sets the bound of a δ whose gradient, averaged over time, has this norm.
    pub fn set_deviation(&mut self, u: usize, norm: f64, bias_mean: f64, drift: f64) {
        self.bounds[u].deviation.set(norm, drift);
        self.bias_mean[u] = bias_mean;
    }

    /// Sets the bound of a γ whose gradient, averaged over time, has this size.
    pub fn set_bias(&mut self, u: usize, size: f64, drift: f64) {
        self.bounds[u].bias.set(size, drift);
    }

    /// γ has entered: it is no longer screened.
    pub fn remove_bias(&mut self, u: usize) {
        self.bounds[u].bias = ScreeningBound::NONE;
    }

    /// Gives a bias-only annotator, who was not screened, the bounds of another one.
    pub fn copy(&mut self, other: usize, u: usize) {
        self.bounds[u] = self.bounds[other];
        self.bias_mean[u] = self.bias_mean[other];
    }

    /// Both effects are in the active set: the annotator is no longer screened.
    pub fn remove(&mut self, u: usize) {
        let bounds = &mut self.bounds;
        bounds[u] = EffectBounds::NONE;
        self.removed += 1;
        if 2 * self.removed > self.screened.len() {
            self.screened.retain(|&u| !bounds[u as usize].is_none());
            self.removed = 0;
        }
    }

    /// Whether the δ of a bias-only annotator may have to enter.
    pub(super) fn may_deviate(&self, u: usize, scores: &ScoreIntegral<'_>, bias_mean: f64) -> bool {
        let change = (bias_mean - self.bias_mean[u]).abs();
        let bound = self.bounds[u].deviation.at(scores.drift) + self.imbalance_norm[u] * change;
        scores.t * bound >= self.limit
    }

    /// Collects the annotators with an effect that may have to enter: all such
    /// inactive ones, and some bias-only ones, whose bound this is not.
    pub fn collect_candidates(&self, t: f64, drift: f64, candidates: &mut Vec<u32>) {
        candidates.clear();
        for &u in &self.screened {
            let EffectBounds { deviation, bias } = &self.bounds[u as usize];
            let may_enter = |bound: &ScreeningBound| t * bound.at(drift) >= self.limit;
            // Without `||`: one branch that is hardly ever taken.
            if may_enter(deviation) | may_enter(bias) {
                candidates.push(u);
            }
        }
    }
}

/// The bounds of one annotator's effects.
#[derive(Clone, Copy)]
struct EffectBounds {
    deviation: ScreeningBound,
    bias: ScreeningBound,
}

impl EffectBounds {
    const NONE: Self = Self {
        deviation: ScreeningBound::NONE,
        bias: ScreeningBound::NONE,
    };

    fn is_none(&self) -> bool {
        self.deviation.is_none() && self.bias.is_none()
    }
}

/// A bound on m‖z‖/t of an effect that is zero. It grows with the drift.
#[derive(Clone, Copy)]
struct ScreeningBound {
    base: f64,
    slope: f64,
}

impl ScreeningBound {
    /// Of an effect that is not screened.
    const NONE: Self = Self {
        base: f64::NEG_INFINITY,
        slope: 0.0,
    };

    fn is_none(&self) -> bool {
        self.base == f64::NEG_INFINITY
    }

    fn set(&mut self, norm: f64, drift: f64) {
        self.base = norm - self.slope * drift;
    }

    fn at(&self, drift: f64) -> f64 {
        self.base + self.slope * drift
    }
}
