//! What an annotator's votes say of their kind: likelihoods over a grid of sharpness, and the
//! form of their deviations.

use std::sync::LazyLock;

use super::deviation_test::Deviation;
use super::outcomes::Link;
use super::working_votes::WorkingVotes;
use crate::linalg::simd::{Kernel, Lanes, vectorised};
use crate::linalg::special::softplus_of_negative;

/// The grid of sharpness: from 0.02 to 20 in equal steps of the logarithm.
pub(super) const POINTS: usize = 36;
const SMALLEST: f64 = 0.02;
const LARGEST: f64 = 20.0;

/// Votes with about the same difference of scores share one of so many levels, if an
/// annotator has more votes than that.
const LEVELS: usize = 128;

/// The effect of own scores that are less clear than those of the crowd, and how many of
/// them there are.
const FAINT_EFFECT: f64 = 0.3;
const FAINT_SHARE: f64 = 0.1;

/// The largest residual variance of strengths, as a share of their mean square, that
/// counts as an exact fit.
const MIN_VARIANCE: f64 = 1e-6;

/// What an annotator's votes say of their kind.
pub(super) struct KindLikelihood {
    /// ln L at s and −s over the grid, less ln L at s = 0. Single precision: there is one
    /// of these for each annotator.
    pub follows: [f32; POINTS],
    pub against: [f32; POINTS],
    pub own_scores: OwnScores,
}

/// The form U of the residuals, on the scale of χ².
#[derive(Clone, Copy)]
pub(super) struct OwnScores {
    /// How many items the annotator saw.
    items: f64,
    /// ν; 0 if nothing can be told.
    freedom: f64,
    /// aU + ν.
    value: f64,
    /// λ for own scores that explain all of the variance of choices.
    full_effect: f64,
}

impl OwnScores {
    fn new(items: usize, deviation: Option<&Deviation>) -> Self {
        let mut own = Self {
            items: items as f64,
            freedom: 0.0,
            value: 0.0,
            full_effect: 0.0,
        };
        if let Some(Deviation { form, expected }) = deviation {
            let skewness = f64::max(form.third_moment / form.variance.powf(1.5), 1e-2);
            own.freedom = 8.0 / (skewness * skewness);
            let per_unit = (2.0 * own.freedom / form.variance).sqrt();
            own.value = per_unit * form.value + own.freedom;
            own.full_effect = (per_unit * expected / own.freedom).max(0.0);
        }
        own
    }

    /// ln of the likelihood of deviations with own scores over that without: most are as
    /// clear as those of the crowd, some are less so.
    pub fn log_ratio(self, explained_share: f64) -> f64 {
        let log_ratio = |strength: f64| {
            let effect = strength * self.full_effect * explained_share;
            let gain = 0.5 * self.value.max(0.0) * effect / (1.0 + effect);
            gain - 0.5 * self.freedom * libm::log1p(effect)
        };
        let usual = libm::log(1.0 - FAINT_SHARE) + log_ratio(1.0);
        let faint = libm::log(FAINT_SHARE) + log_ratio(FAINT_EFFECT);
        let (more, less) = (usual.max(faint), usual.min(faint));
        more + libm::log1p(libm::exp(less - more))
    }

    /// −½kz² over the grid, with z = s divided by that of a usual annotator.
    pub fn log_density(self, usual: f64) -> [f64; POINTS] {
        sharpness_grid().map(|s| {
            let z = s / usual;
            -0.5 * self.items * z * z
        })
    }
}

/// The grid of sharpness.
pub(super) fn sharpness_grid() -> &'static [f64; POINTS] {
    static GRID: LazyLock<[f64; POINTS]> = LazyLock::new(|| {
        let step = libm::log(LARGEST / SMALLEST) / (POINTS - 1) as f64;
        std::array::from_fn(|k| libm::exp(libm::log(SMALLEST) + k as f64 * step))
    });
    &GRID
}

impl KindLikelihood {
    /// Reads an annotator's votes.
    pub fn new(
        votes: &WorkingVotes,
        items: usize,
        deviation: Option<&Deviation>,
        link: Link,
    ) -> Self {
        let [weights] = votes.sums(|vote| [vote.weight * vote.weight]);
        // Weights that differ make fewer votes of effect.
        let discount = votes.count() / weights;
        let levels = levels(votes, discount);
        let [follows, against] = match link {
            Link::Logistic => vectorised(LogisticLikelihoods(&levels)),
            Link::Linear => normal_likelihoods(&levels),
        };
        Self {
            follows,
            against,
            own_scores: OwnScores::new(items, deviation),
        }
    }
}

/// Votes with about the same difference of scores, seen from the item that the others
/// prefer.
#[derive(Clone, Copy, Default)]
struct Level {
    weight: f64,
    difference: f64,
    choice: f64,
    square: f64,
}

/// ln L at s and −s over the grid, less ln L at s = 0.
type LogRatios = [[f32; POINTS]; 2];

/// Of a logistic link; a tie is half a vote for each side. Of votes with the weight ω and the
/// choice y, on a difference x,
///
/// ```text
/// ln L(±s) = ½ (±ω y − ω) s x − ω ln(1 + e^(−s x))
/// ```
struct LogisticLikelihoods<'a>(&'a [Level]);

impl Kernel for LogisticLikelihoods<'_> {
    type Output = LogRatios;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> LogRatios {
        let weight: f64 = self.0.iter().map(|level| level.weight).sum();
        let no_signal = -weight * std::f64::consts::LN_2;
        let mut ratios = [[0.0; POINTS]; 2];
        let (grid, _) = sharpness_grid().as_chunks::<4>();
        for (k, s) in grid.iter().enumerate() {
            let s = lanes.load(s);
            let mut sums = [lanes.splat(0.0); 2];
            for level in self.0 {
                let predictor = lanes.multiply(s, lanes.splat(level.difference / level.weight));
                let rest = lanes.multiply(
                    lanes.splat(level.weight),
                    softplus_of_negative(lanes, predictor),
                );
                for (sum, choice) in sums.iter_mut().zip([level.choice, -level.choice]) {
                    let slope = lanes.splat(0.5 * (choice - level.weight));
                    let term = lanes.subtract(lanes.multiply(slope, predictor), rest);
                    *sum = lanes.add(*sum, term);
                }
            }
            for (ratios, sum) in ratios.iter_mut().zip(sums) {
                let sum = lanes.quad(sum);
                for lane in 0..4 {
                    ratios[4 * k + lane] = (sum[lane] - no_signal) as f32;
                }
            }
        }
        ratios
    }
}

/// Of strengths with normal residuals.
fn normal_likelihoods(levels: &[Level]) -> LogRatios {
    let variance = residual_variance(levels);
    let likelihood = |s: f64| -> f64 { levels.iter().map(|level| level.normal(s, variance)).sum() };
    let no_signal = likelihood(0.0);
    [1.0, -1.0].map(|sign| sharpness_grid().map(|s| (likelihood(sign * s) - no_signal) as f32))
}

impl Level {
    fn normal(&self, s: f64, variance: f64) -> f64 {
        let predictor = s * self.difference / self.weight;
        let squares =
            self.square - 2.0 * predictor * self.choice + self.weight * predictor * predictor;
        -0.5 * squares / variance
    }
}

fn levels(votes: &WorkingVotes, discount: f64) -> Vec<Level> {
    let known = || votes.iter().filter(|vote| vote.others_difference != 0.0);
    let largest = known().fold(0.0, |most: f64, vote| {
        most.max(vote.others_difference.abs())
    });
    let is_binned = votes.len() > LEVELS;
    let mut levels = vec![Level::default(); if is_binned { LEVELS } else { 0 }];
    for vote in known() {
        let (size, weight) = (vote.others_difference.abs(), discount * vote.weight);
        let choice = vote.choice.copysign(vote.choice * vote.others_difference);
        let level = if is_binned {
            let share = size / largest * LEVELS as f64;
            &mut levels[(share as usize).min(LEVELS - 1)]
        } else {
            levels.push(Level::default());
            levels.last_mut().expect("one was added")
        };
        level.weight += weight;
        level.difference += weight * size;
        level.choice += weight * choice;
        level.square += weight * vote.choice * vote.choice;
    }
    levels.retain(|level| level.weight > 0.0);
    levels
}

/// The mean square of the residuals of the best sharpness, either sign.
fn residual_variance(levels: &[Level]) -> f64 {
    let (mut weight, mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0, 0.0);
    for level in levels {
        let x = level.difference / level.weight;
        weight += level.weight;
        xx += level.weight * x * x;
        xy += level.choice * x;
        yy += level.square;
    }
    let explained = if xx > 0.0 { xy * xy / xx } else { 0.0 };
    let variance = (yy - explained).max(MIN_VARIANCE * yy) / (weight - 1.0).max(1.0);
    if variance > 0.0 { variance } else { 1.0 }
}
