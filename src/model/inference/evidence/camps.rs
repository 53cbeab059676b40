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

use super::outcomes::Link;
use super::own_fit::OwnFit;
use super::pooled_scores::PooledScores;
use super::working_votes::WorkingVote;
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

/// The scores of both camps.
pub(super) struct CampScores {
    pub scores: [PooledScores; 2],
}

impl CampScores {
    pub fn new(
        votes: &Comparisons,
        camp: &[bool],
        link: Link,
        mean_weight: f64,
        stop: &Stop,
    ) -> Result<Self> {
        let of = |wanted: bool| {
            let members = camp.iter().map(|&camp| camp == wanted).collect();
            PooledScores::of_members(votes, members, link, mean_weight, stop)
        };
        Ok(Self {
            scores: [of(false)?, of(true)?],
        })
    }
}

/// Finds two camps, if they predict votes that they were not found in.
pub(super) fn find_camps(
    votes: &Comparisons,
    link: Link,
    has_sides: bool,
    mean_weight: f64,
    stop: &Stop,
) -> Result<Option<CampFlags>> {
    let mut gains = Vec::new();
    for parity in [0, 1] {
        let training = every_second(votes, parity);
        let held_out = every_second(votes, 1 - parity);
        let common = pooled(&training, link, mean_weight, stop)?;
        let camp = camps_in(&training, &common, link, has_sides, mean_weight, stop)?;
        let camps = CampScores::new(&training, &camp, link, mean_weight, stop)?;
        for (u, &is_second) in camp.iter().enumerate() {
            let own = &camps.scores[usize::from(is_second)];
            let gain = prediction(&training, &held_out, u, own, link)
                - prediction(&training, &held_out, u, &common, link);
            gains.push(gain);
        }
    }
    let count = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / count;
    let squares: f64 = gains.iter().map(|gain| (gain - mean).powi(2)).sum();
    // Both halves of an annotator count as one.
    let error = (2.0 * squares / (count - 1.0) / count).sqrt();
    if mean <= MIN_GAIN * error {
        return Ok(None);
    }
    let common = pooled(votes, link, mean_weight, stop)?;
    let camp = camps_in(votes, &common, link, has_sides, mean_weight, stop)?;
    Ok(Some(camp).filter(|camp| is_even(camp)))
}

/// Whether neither camp is a small minority.
pub(super) fn is_even(camp: &[bool]) -> bool {
    let second = camp.iter().filter(|&&second| second).count();
    let smaller = second.min(camp.len() - second);
    smaller as f64 >= MIN_SHARE * camp.len() as f64
}

/// The camps that explain votes best: from the direction in which residuals vary most,
/// annotators move to the camp that explains their votes better until none moves.
fn camps_in(
    votes: &Comparisons,
    common: &PooledScores,
    link: Link,
    has_sides: bool,
    mean_weight: f64,
    stop: &Stop,
) -> Result<CampFlags> {
    let mut camp = main_direction(votes, common, link, has_sides, stop)?;
    for _ in 0..MAX_MOVES {
        let camps = CampScores::new(votes, &camp, link, mean_weight, stop)?;
        let moved: CampFlags = (0..votes.annotators())
            .map(|u| {
                let [first, second] = &camps.scores;
                likelihood_under(votes, u, second, link) > likelihood_under(votes, u, first, link)
            })
            .collect();
        if moved == camp {
            break;
        }
        camp = moved;
    }
    Ok(camp)
}

/// The sign of each annotator along the direction in which the residuals of annotators
/// vary most, by power iteration.
fn main_direction(
    votes: &Comparisons,
    common: &PooledScores,
    link: Link,
    has_sides: bool,
    stop: &Stop,
) -> Result<CampFlags> {
    let mut residuals = Vec::with_capacity(votes.len());
    for u in 0..votes.annotators() {
        let working = working(votes, u, common);
        let fit = OwnFit::new(&working, link, has_sides);
        residuals.extend(
            working
                .iter()
                .map(|vote| vote.choice - fit.mean(vote, link)),
        );
    }
    let mut random = Random(0);
    let mut direction: Vec<f64> = (0..votes.items()).map(|_| random.normal()).collect();
    let mut along = vec![0.0; votes.annotators()];
    for _ in 0..POWER_STEPS {
        stop.check()?;
        let mut next = vec![0.0; votes.items()];
        for (u, along) in along.iter_mut().enumerate() {
            let rows = || votes.rows(u).map(|row| (votes.get(row), residuals[row]));
            let size: f64 = rows().map(|(_, residual)| residual * residual).sum();
            let product: f64 = rows()
                .map(|(vote, residual)| residual * (direction[vote.left] - direction[vote.right]))
                .sum();
            *along = product / size.max(f64::MIN_POSITIVE).sqrt();
            for (vote, residual) in rows() {
                next[vote.left] += *along * residual;
                next[vote.right] -= *along * residual;
            }
        }
        let norm = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.0 {
            direction = next.iter().map(|x| x / norm).collect();
        }
    }
    Ok(along.iter().map(|along| *along > 0.0).collect())
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

fn log_likelihood(votes: &[WorkingVote], fit: OwnFit, link: Link) -> f64 {
    let terms = votes.iter().map(|vote| {
        let mean = fit.mean(vote, link);
        match link {
            Link::Logistic => {
                let share = 0.5 * (1.0 + vote.choice);
                let won = (0.5 * (1.0 + mean)).max(1e-12);
                let lost = (0.5 * (1.0 - mean)).max(1e-12);
                share * libm::log(won) + (1.0 - share) * libm::log(lost)
            }
            Link::Linear => -0.5 * (vote.choice - mean).powi(2),
        }
    });
    terms.sum()
}

fn working(votes: &Comparisons, annotator: usize, scores: &PooledScores) -> Vec<WorkingVote> {
    let rows = votes.of(annotator).map(|vote| WorkingVote {
        left: vote.left,
        right: vote.right,
        choice: vote.choice,
        weight: 1.0,
        pooled_difference: scores.theta[vote.left] - scores.theta[vote.right],
        others_difference: 0.0,
    });
    rows.collect()
}

fn pooled(votes: &Comparisons, link: Link, mean_weight: f64, stop: &Stop) -> Result<PooledScores> {
    let flow = Flow::new(votes, PairModel::Uniform, stop)?;
    PooledScores::new(&flow, link, mean_weight, stop)
}

/// Every second vote of each annotator.
fn every_second(votes: &Comparisons, parity: usize) -> Comparisons {
    let mut is_kept = vec![false; votes.len()];
    for u in 0..votes.annotators() {
        let own = &mut is_kept[votes.rows(u)];
        own.iter_mut()
            .skip(parity)
            .step_by(2)
            .for_each(|kept| *kept = true);
    }
    votes.select(|row| is_kept[row])
}
