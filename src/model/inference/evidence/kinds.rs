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

use super::kind_likelihood::{KindLikelihood, POINTS, sharpness_grid};
use crate::error::Result;
use crate::linalg::special::exponentiate;
use crate::votes::Partition;

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
