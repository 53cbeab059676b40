//! Whether the crowd is split into two camps, each with scores of its own.
//!
//! Where tastes differ in many ways, one consensus with deviations describes them. Where
//! half of the crowd likes what the other half dislikes, there is no consensus, and
//! nobody is against it. A crowd is called split if
//!
//! 1. annotators deviate from the common scores far more than chance allows,
//! 2. two camps, found in one half of each annotator's votes, predict the other half
//!    better than the common scores do, by [`MIN_GAIN`] standard errors over annotators,
//! 3. within the camps at most half of the deviations is left, and
//! 4. the smaller camp has at least [`MIN_SHARE`] of the annotators.
//!
//! Predictions use an own sharpness, of either sign: adversaries and annotators without
//! a signal are predicted by the common scores as well, and make no camp.

use std::ops::Range;

use super::outcomes::Link;
use super::own_fit::OwnFit;
use super::pooled_scores::PooledScores;
use super::working_votes::WorkingVotes;
use crate::error::Result;
use crate::execution::Stop;
use crate::model::flow::Flow;
use crate::options::PairModel;
use crate::random::Random;
use crate::votes::Comparisons;

/// In standard errors.
const MIN_GAIN: f64 = 4.0;

/// A smaller camp is a minority, not half of a split crowd.
const MIN_SHARE: f64 = 1.0 / 3.0;

/// Steps of the power iteration, and of moving annotators between camps.
const POWER_STEPS: usize = 30;
const MAX_MOVES: usize = 10;

/// −ln p of a deviation counts at most this much.
const MAX_SURPRISE: f64 = 20.0;

/// The same for the question whether a search for camps is worth its time, and what the
/// mean must exceed by: in a split crowd most annotators deviate, not a few very clearly.
const MAX_SEARCHED_SURPRISE: f64 = 4.0;
const MIN_SEARCHED_SURPRISE: f64 = 0.6;

/// The mean of −ln p over annotators less 1, what it is by chance.
fn surprise(p_values: &[f64], most: f64) -> f64 {
    let terms = p_values.iter().map(|p| (-libm::log(*p)).min(most));
    terms.sum::<f64>() / p_values.len() as f64 - 1.0
}

/// Whether deviations are so many that a search for camps is worth its time.
pub(super) fn may_be_split(deviation_p: &[f64]) -> bool {
    let chance = 5.0 / (deviation_p.len() as f64).sqrt();
    surprise(deviation_p, MAX_SEARCHED_SURPRISE) > chance.max(MIN_SEARCHED_SURPRISE)
}

/// Whether camps explain at least half of the deviations.
pub(super) fn explain_deviations(common: &[f64], within: &[f64]) -> bool {
    surprise(within, MAX_SURPRISE) <= 0.5 * surprise(common, MAX_SURPRISE)
}

/// The camp of each annotator, false or true.
pub(super) type CampFlags = Vec<bool>;

/// How two camps are looked for.
#[derive(Clone, Copy)]
pub(super) struct CampSearch<'a> {
    pub link: Link,
    pub has_sides: bool,
    pub mean_weight: f64,
    pub threads: usize,
    pub stop: &'a Stop,
}

impl CampSearch<'_> {
    /// Finds two camps, if they predict votes that they were not found in: those of all
    /// annotators of the table. The other functions give what belongs to those who are here.
    pub fn camps(self, votes: &Comparisons) -> Result<Option<CampFlags>> {
        let partition = votes.partition();
        let mut gains = Vec::new();
        let halves = halves(votes);
        for (training, held_out) in [(&halves[0], &halves[1]), (&halves[1], &halves[0])] {
            let common = self.pooled(training)?;
            let camp = self.camps_in(training, &common)?;
            let camps = self.scores_of_camps(training, &camp)?;
            let own = self.for_each(votes, |u| {
                let own = &camps[usize::from(camp[u])];
                prediction(training, held_out, u, own, self.link)
                    - prediction(training, held_out, u, &common, self.link)
            })?;
            gains.extend(partition.gather(&own)?);
        }
        let count = gains.len() as f64;
        let mean = gains.iter().sum::<f64>() / count;
        let squares: f64 = gains.iter().map(|gain| (gain - mean).powi(2)).sum();
        // Both halves of an annotator count as one.
        let error = (2.0 * squares / (count - 1.0) / count).sqrt();
        if mean <= MIN_GAIN * error {
            return Ok(None);
        }
        let common = self.pooled(votes)?;
        let camp = self.camps_in(votes, &common)?;
        let camp: Vec<f64> = camp
            .into_iter()
            .map(|camp| f64::from(u8::from(camp)))
            .collect();
        let camp = partition.gather(&camp)?.into_iter().map(|camp| camp > 0.0);
        Ok(Some(camp.collect()).filter(|camp: &CampFlags| is_even(camp)))
    }

    /// The camps that explain votes best: from the direction in which residuals vary most,
    /// annotators move to the camp that explains their votes better until none moves.
    fn camps_in(self, votes: &Comparisons, common: &PooledScores) -> Result<CampFlags> {
        let mut camp = self.main_direction(votes, common)?;
        for _ in 0..MAX_MOVES {
            let [first, second] = &self.scores_of_camps(votes, &camp)?;
            let likelihood = |u, scores| likelihood_under(votes, u, scores, self.link);
            let moved = self.for_each(votes, |u| likelihood(u, second) > likelihood(u, first))?;
            let moves = moved.iter().zip(&camp).filter(|(new, old)| new != old);
            let [moves] = votes.partition().total([moves.count() as u64])?;
            if moves == 0 {
                break;
            }
            camp = moved;
        }
        Ok(camp)
    }

    /// The sign of each annotator along the direction in which the residuals of annotators
    /// vary most, by power iteration.
    fn main_direction(self, votes: &Comparisons, common: &PooledScores) -> Result<CampFlags> {
        let residuals = self
            .for_each(votes, |u| {
                let working = working(votes, u, common);
                let fit = OwnFit::new(&working, self.link, self.has_sides);
                let mut means = Vec::new();
                fit.means(&working, self.link, &mut means);
                let votes = working.iter().zip(means.as_flattened());
                votes
                    .map(|(vote, mean)| vote.choice - mean)
                    .collect::<Vec<f64>>()
            })?
            .concat();
        let rows = |u| votes.rows(u).map(|row| (votes.get(row), residuals[row]));
        let mut random = Random(0);
        let mut direction: Vec<f64> = (0..votes.items()).map(|_| random.normal()).collect();
        let mut along = Vec::new();
        for _ in 0..POWER_STEPS {
            self.stop.check()?;
            along = self.for_each(votes, |u| {
                let size: f64 = rows(u).map(|(_, residual)| residual * residual).sum();
                let product: f64 = rows(u)
                    .map(|(vote, residual)| {
                        residual * (direction[vote.left] - direction[vote.right])
                    })
                    .sum();
                product / size.max(f64::MIN_POSITIVE).sqrt()
            })?;
            let add = |annotators: Range<usize>, next: &mut [f64]| {
                for u in annotators {
                    for (vote, residual) in rows(u) {
                        next[vote.left] += along[u] * residual;
                        next[vote.right] -= along[u] * residual;
                    }
                }
                Ok(())
            };
            let next = votes.partition().sum(votes.items(), self.threads, add)?;
            let norm = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm > 0.0 {
                direction = next.iter().map(|x| x / norm).collect();
            }
        }
        Ok(along.iter().map(|along| *along > 0.0).collect())
    }

    /// The scores of both camps, given the camps of those who are here.
    pub fn scores_of_camps(self, votes: &Comparisons, camp: &[bool]) -> Result<[PooledScores; 2]> {
        let of = |wanted: bool| {
            let members = camp.iter().map(|&camp| camp == wanted).collect();
            let (link, weight) = (self.link, self.mean_weight);
            PooledScores::of_members(votes, members, link, weight, self.threads, self.stop)
        };
        Ok([of(false)?, of(true)?])
    }

    fn pooled(self, votes: &Comparisons) -> Result<PooledScores> {
        let flow = Flow::with_threads(votes, PairModel::Uniform, self.threads, self.stop)?;
        PooledScores::new(&flow, self.link, self.mean_weight, self.threads, self.stop)
    }

    /// Computes something for each annotator who is here.
    fn for_each<T: Clone + Send>(
        self,
        votes: &Comparisons,
        compute: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>> {
        let blocks = votes.partition().map(self.threads, |annotators| {
            self.stop.check()?;
            Ok(annotators.map(&compute).collect::<Vec<T>>())
        })?;
        Ok(blocks.concat())
    }
}

/// Whether neither camp is a small minority.
pub(super) fn is_even(camp: &[bool]) -> bool {
    let second = camp.iter().filter(|&&second| second).count();
    let smaller = second.min(camp.len() - second);
    smaller as f64 >= MIN_SHARE * camp.len() as f64
}

/// The log-likelihood of an annotator's held-out votes, with the sharpness that the
/// training votes give.
fn prediction(
    training: &Comparisons,
    held_out: &Comparisons,
    annotator: usize,
    scores: &PooledScores,
    link: Link,
) -> f64 {
    let fit = OwnFit::new(&working(training, annotator, scores), link, false);
    log_likelihood(&working(held_out, annotator, scores), fit, link)
}

/// The log-likelihood of an annotator's votes, with the scores as they are.
fn likelihood_under(
    votes: &Comparisons,
    annotator: usize,
    scores: &PooledScores,
    link: Link,
) -> f64 {
    let working = working(votes, annotator, scores);
    let fit = OwnFit {
        sharpness: 1.0,
        pull: 0.0,
    };
    log_likelihood(&working, fit, link)
}

fn log_likelihood(votes: &WorkingVotes, fit: OwnFit, link: Link) -> f64 {
    let mut means = Vec::new();
    fit.means(votes, link, &mut means);
    let terms = votes
        .iter()
        .zip(means.as_flattened())
        .map(|(vote, mean)| match link {
            Link::Logistic => {
                let share = 0.5 * (1.0 + vote.choice);
                let won = (0.5 * (1.0 + mean)).max(1e-12);
                let lost = (0.5 * (1.0 - mean)).max(1e-12);
                share * libm::log(won) + (1.0 - share) * libm::log(lost)
            }
            Link::Linear => -0.5 * (vote.choice - mean).powi(2),
        });
    terms.sum()
}

/// The votes of an annotator, which weigh the same.
fn working(votes: &Comparisons, annotator: usize, scores: &PooledScores) -> WorkingVotes {
    let mut working = WorkingVotes::default();
    working.take(votes, annotator);
    working.weight.as_flattened_mut()[..votes.rows(annotator).len()].fill(1.0);
    working.set_pooled_differences(&scores.theta);
    working
}

/// The first, third, … vote of each annotator, and the second, fourth, …
fn halves(votes: &Comparisons) -> [Comparisons; 2] {
    let mut is_even = vec![false; votes.len()];
    for u in 0..votes.annotators() {
        let own = is_even[votes.rows(u)].iter_mut();
        own.skip(1).step_by(2).for_each(|even| *even = true);
    }
    votes.split(|row| is_even[row])
}
