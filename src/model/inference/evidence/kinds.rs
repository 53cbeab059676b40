//! What kinds of annotators the crowd consists of, and of which kind each may be.
//!
//! An annotator *follows* the others' scores with a sharpness s > 0, or goes *against*
//! them with −s, has *no signal* (s = 0), or has *own scores* that have nothing to do with
//! the others'. ln s is normal over the crowd: some are sharper than others. The shares of
//! the kinds and the two parameters of ln s are estimated from all annotators by
//! expectation maximisation; the probability of each kind follows for each annotator.
//!
//! Sums over s run over a grid. Own scores on k items have a sharpness by chance, about
//! normal with variance 1/k of that of usual annotators, and leave deviations from it:
//! with the form U of the residuals (see [`deviation_test`](super::deviation_test)),
//! aU + ν is close to χ² with ν degrees of freedom without own scores, and to
//! (1 + λ) χ² with them.

use std::sync::LazyLock;

use super::deviation_test::Deviation;
use super::outcomes::Link;
use super::working_votes::WorkingVotes;
use crate::error::Result;
use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};
use crate::linalg::special::{exponentiate, softplus_of_negative};
use crate::votes::Partition;

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

const ITERATIONS: usize = 60;

/// Imagined annotators that keep shares and spread from running off in a small crowd.
const PRIOR_COUNTS: [f64; 4] = [0.5, 0.5, 2.0, 0.5];
const PRIOR_SPREAD: f64 = 0.3;
const PRIOR_SPREAD_COUNT: f64 = 4.0;
const MAX_SPREAD: f64 = 1.2;

/// The spread of ln s is estimated too small where dull annotators pass for such without
/// a signal. Decisions are made with one that is larger by this factor.
const SPREAD_MARGIN: f64 = 1.25;

/// The shares of own scores that are compared.
const SHARE_STEPS: usize = 30;

/// A share is allowed if its log-likelihood is this much below the largest or less: an
/// upper limit of 95 %.
const MAX_LOSS: f64 = 1.353;

/// The largest residual variance of strengths, as a share of their mean square, that
/// counts as an exact fit.
const MIN_VARIANCE: f64 = 1e-6;

/// What an annotator's votes say of their kind.
pub(super) struct KindLikelihood {
    /// ln L at s and −s over the grid, less ln L at s = 0. Single precision: there is one
    /// of these for each annotator.
    follows: [f32; POINTS],
    against: [f32; POINTS],
    own_scores: OwnScores,
}

/// The form U of the residuals, on the scale of χ².
#[derive(Clone, Copy)]
struct OwnScores {
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
    fn log_ratio(self, explained_share: f64) -> f64 {
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
    fn log_density(self, usual: f64) -> [f64; POINTS] {
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

/// The shares of the kinds in the crowd, and the distribution of ln s.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    /// No signal, against, follows, own scores.
    shares: [f64; 4],
    mean: f64,
    spread: f64,
    /// The share of the variance of choices that the scores of a usual annotator explain.
    explained_share: f64,
}

/// The annotators from whom the crowd is estimated.
pub(super) struct KindSample<'a> {
    /// By annotator who is here; None for one who says nothing of the crowd.
    pub annotators: Vec<Option<&'a KindLikelihood>>,
    pub partition: &'a Partition,
    pub threads: usize,
}

impl KindSample<'_> {
    /// Sums over all annotators of the table: `add` adds one to them.
    fn sum(
        &self,
        length: usize,
        add: impl Fn(&KindLikelihood, &mut [f64]) + Sync,
    ) -> Result<Vec<f64>> {
        let annotators = &self.annotators;
        self.partition.sum(length, self.threads, |block, sum| {
            let telling = annotators[block].iter().flatten();
            telling.for_each(|annotator| add(annotator, sum));
            Ok(())
        })
    }

    fn is_empty(&self) -> Result<bool> {
        let count = self.annotators.iter().flatten().count();
        Ok(self.partition.total([count as u64])? == [0])
    }
}

/// The probability of each kind for one annotator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KindProbabilities {
    pub no_signal: f64,
    pub against: f64,
    pub own_scores: f64,
}

impl Kinds {
    /// Estimates the crowd. `explained_share` gives the share of the variance that
    /// scores explain at a sharpness.
    pub fn new(sample: &KindSample<'_>, explained_share: impl Fn(f64) -> f64) -> Result<Self> {
        let mut kinds = Self {
            shares: [0.05, 0.05, 0.85, 0.05],
            mean: 0.0,
            spread: 0.4,
            explained_share: 0.0,
        };
        if sample.is_empty()? {
            return Ok(kinds);
        }
        for _ in 0..ITERATIONS {
            kinds.explained_share = explained_share(kinds.usual_sharpness());
            kinds.update(sample)?;
        }
        kinds.spread *= SPREAD_MARGIN;
        kinds.allow_for_own_scores(sample)?;
        Ok(kinds)
    }

    /// Raises the share of own scores, at the cost of that without a signal, to the largest
    /// one that the votes allow. Where annotators have few votes, the two can hardly be
    /// told apart, and an estimate near zero would be false certainty.
    fn allow_for_own_scores(&mut self, sample: &KindSample<'_>) -> Result<()> {
        let weights = self.sharpness_weights();
        let [none, against, follows, own] = self.shares;
        let both = none + own;
        let with_own = |own: f64| [both - own, against, follows, own];
        let candidates = (0..SHARE_STEPS).map(|k| {
            let part = (k + 1) as f64 / (SHARE_STEPS + 1) as f64;
            both * part
        });
        let shares: Vec<f64> = candidates.chain([own]).collect();
        let log_likelihoods = sample.sum(shares.len(), |one, sum| {
            let ratios = LikelihoodRatios::new(self, one, &weights);
            for (&own, sum) in shares.iter().zip(sum) {
                *sum += ratios.log_likelihood(&with_own(own));
            }
        })?;
        let best = log_likelihoods.iter().copied();
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        let candidates = shares.iter().zip(&log_likelihoods).take(SHARE_STEPS);
        let allowed = candidates.filter(|(_, value)| **value >= best - MAX_LOSS);
        let largest = allowed.map(|(own, _)| *own).fold(own, f64::max);
        self.shares = with_own(largest);
        Ok(())
    }

    /// The sharpness of a usual annotator.
    pub fn usual_sharpness(&self) -> f64 {
        libm::exp(self.mean)
    }

    /// The share of annotators who follow the others or go against them with each
    /// sharpness of the grid.
    pub fn sharpness_weights(&self) -> [f64; POINTS] {
        let mut weights = sharpness_grid().map(|s| {
            let z = (libm::log(s) - self.mean) / self.spread;
            libm::exp(-0.5 * z * z)
        });
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        weights
    }

    /// One iteration of expectation maximisation.
    fn update(&mut self, sample: &KindSample<'_>) -> Result<()> {
        let weights = self.sharpness_weights();
        let sums = sample.sum(PRIOR_COUNTS.len() + POINTS, |annotator, sum| {
            let ratios = LikelihoodRatios::new(self, annotator, &weights);
            let (kinds, sharpness) = sum.split_at_mut(PRIOR_COUNTS.len());
            let own = ratios.probabilities(&self.shares);
            kinds.iter_mut().zip(own).for_each(|(sum, p)| *sum += p);
            ratios.add_sharpness(&self.shares, &weights, sharpness);
        })?;
        let (kinds, sharpness) = sums.split_at(PRIOR_COUNTS.len());
        let mut counts = PRIOR_COUNTS;
        counts
            .iter_mut()
            .zip(kinds)
            .for_each(|(count, sum)| *count += sum);
        let total: f64 = counts.iter().sum();
        self.shares = counts.map(|count| count / total);
        let logarithms = sharpness_grid().map(libm::log);
        let with_signal: f64 = sharpness.iter().sum();
        if with_signal > 0.0 {
            let moment = |power: i32, centre: f64| -> f64 {
                let terms = sharpness.iter().zip(logarithms);
                terms
                    .map(|(share, log)| share * (log - centre).powi(power))
                    .sum()
            };
            self.mean = moment(1, 0.0) / with_signal;
            let squares = moment(2, self.mean) + PRIOR_SPREAD_COUNT * PRIOR_SPREAD.powi(2);
            let variance = squares / (with_signal + PRIOR_SPREAD_COUNT);
            self.spread = variance.sqrt().min(MAX_SPREAD);
        }
        Ok(())
    }

    /// The probabilities of an annotator.
    pub fn probabilities(
        &self,
        annotator: &KindLikelihood,
        weights: &[f64; POINTS],
    ) -> KindProbabilities {
        let ratios = LikelihoodRatios::new(self, annotator, weights);
        let [no_signal, against, _, own_scores] = ratios.probabilities(&self.shares);
        KindProbabilities {
            no_signal,
            against,
            own_scores,
        }
    }
}

/// The likelihoods of an annotator's votes, all divided by the same number.
struct LikelihoodRatios {
    /// By kind, in the order of [`Kinds::shares`].
    kinds: [f64; 4],
    /// ln of what they were divided by, over the likelihood without a signal.
    log_scale: f64,
    /// At s and −s over the grid, times `shrink` on the scale of the others.
    follows: [f64; POINTS],
    against: [f64; POINTS],
    shrink: f64,
}

impl LikelihoodRatios {
    fn new(kinds: &Kinds, annotator: &KindLikelihood, weights: &[f64; POINTS]) -> Self {
        let own_scores = annotator.own_scores;
        let peaks = annotator.follows.iter().chain(&annotator.against);
        let peak = peaks.fold(0.0, |most: f64, &value| most.max(f64::from(value)));
        let [follows, against] = [&annotator.follows, &annotator.against]
            .map(|likelihood| likelihood.map(|value| f64::from(value) - peak));
        let mut columns = [
            follows,
            against,
            own_scores.log_density(kinds.usual_sharpness()),
        ];
        exponentiate(columns.as_flattened_mut().as_chunks_mut().0);
        let [follows, against, density] = columns;
        let (mut total, mut own) = (0.0, 0.0);
        let (mut with, mut opposed) = (0.0, 0.0);
        for (k, s) in sharpness_grid().iter().enumerate() {
            let by_chance = s * density[k];
            total += by_chance;
            own += by_chance * (follows[k] + against[k]);
            with += weights[k] * follows[k];
            opposed += weights[k] * against[k];
        }
        let log_ratio = own_scores.log_ratio(kinds.explained_share);
        // Large ratios would overflow: all others shrink instead.
        let (grow, shrink) = (log_ratio.min(0.0), libm::exp(-log_ratio.max(0.0)));
        Self {
            kinds: [
                libm::exp(-peak) * shrink,
                opposed * shrink,
                with * shrink,
                0.5 / total * own * libm::exp(grow),
            ],
            log_scale: peak + log_ratio.max(0.0),
            follows,
            against,
            shrink,
        }
    }

    /// The likelihoods of the kinds, given their shares.
    fn joint(&self, shares: &[f64; 4]) -> [f64; 4] {
        std::array::from_fn(|kind| shares[kind] * self.kinds[kind])
    }

    fn total(&self, shares: &[f64; 4]) -> f64 {
        self.joint(shares)
            .iter()
            .sum::<f64>()
            .max(f64::MIN_POSITIVE)
    }

    fn log_likelihood(&self, shares: &[f64; 4]) -> f64 {
        libm::log(self.total(shares)) + self.log_scale
    }

    /// The probability of each kind.
    fn probabilities(&self, shares: &[f64; 4]) -> [f64; 4] {
        let total = self.total(shares);
        self.joint(shares).map(|kind| kind / total)
    }

    /// Adds the probabilities of each sharpness, of either sign.
    fn add_sharpness(&self, shares: &[f64; 4], weights: &[f64; POINTS], sums: &mut [f64]) {
        let scale = self.shrink / self.total(shares);
        let [_, against, follows, _] = shares.map(|share| share * scale);
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += weights[k] * (against * self.against[k] + follows * self.follows[k]);
        }
    }
}

/// The largest number of items of which all pairs are looked at.
const MAX_PAIRED_ITEMS: usize = 200;

/// The share of the variance of choices that scores explain if any two items are shown.
pub(super) struct ExplainedShare {
    link: Link,
    /// The mean square of the choices.
    mean_square: f64,
    /// The differences of the scores of items, filled up with zeros.
    differences: Vec<Quad>,
    pairs: f64,
}

impl ExplainedShare {
    pub fn new(theta: &[f64], link: Link, mean_square: f64) -> Self {
        let step = theta.len().div_ceil(MAX_PAIRED_ITEMS).max(1);
        let sample: Vec<f64> = theta.iter().copied().step_by(step).collect();
        let pairs = (0..sample.len()).flat_map(|k| sample[..k].iter().map(move |b| (k, b)));
        let mut differences: Vec<f64> = pairs.map(|(k, b)| sample[k] - b).collect();
        let pairs = differences.len() as f64;
        differences.resize(differences.len().next_multiple_of(4), 0.0);
        Self {
            link,
            mean_square,
            differences: differences.as_chunks().0.to_vec(),
            pairs,
        }
    }

    /// The share at a sharpness.
    pub fn at(&self, s: f64) -> f64 {
        let squares = vectorised(MeanSquares {
            link: self.link,
            differences: &self.differences,
            sharpness: s,
        });
        let sum = match self.link {
            Link::Logistic => squares,
            Link::Linear => squares / self.mean_square,
        };
        f64::min(sum / f64::max(self.pairs, 1.0), 0.95)
    }
}

/// The sum of the squares of expected choices.
struct MeanSquares<'a> {
    link: Link,
    differences: &'a [Quad],
    sharpness: f64,
}

impl Kernel for MeanSquares<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let sharpness = lanes.splat(self.sharpness);
        let mut squares = lanes.splat(0.0);
        for difference in self.differences {
            let predictor = lanes.multiply(sharpness, lanes.load(difference));
            let mean = self.link.means(lanes, predictor);
            squares = lanes.add_product(squares, mean, mean);
        }
        sum(lanes.quad(squares))
    }
}
