//! The scores that the tests compare annotators with.
//!
//! With a logistic link they are those of Bradley and Terry, with a small ridge
//! ρ that keeps an item that never lost at a finite score:
//!
//! ```text
//! Σ_pairs w (f − tanh(x/2))/2 · (e_a − e_b) = ρ θ,   x = θ_a − θ_b
//! ```
//!
//! f is the mean choice on the pair of a and b, and w the weight of its votes. Newton's
//! method needs a system with a weighted Laplacian in each step, which conjugate
//! gradients solve. With a linear link they are the scores of HodgeRank, one such system.

use super::outcomes::Link;
use super::own_fit::OwnFit;
use super::pair_parts::{PairHessian, PairParts};
use super::working_votes::WorkingVotes;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::Limits;
use crate::linalg::jacobi::{self, JacobiScratch};
use crate::linalg::simd::Quad;
use crate::model::flow::Flow;
use crate::options::PairModel;
use crate::votes::Comparisons;

/// The ridge, in votes of mean weight.
const RIDGE: f64 = 0.1;

/// Newton's method ends when no score moves by more.
const TOLERANCE: f64 = 1e-9;
const MAX_STEPS: usize = 50;

/// No score moves by more in one step of Newton's method.
const MAX_MOVE: f64 = 2.0;

const LIMITS: Limits = Limits {
    tolerance: 1e-10,
    max_iterations: 5000,
};

/// The scores of the items, and how much is known of each.
#[derive(Clone, Debug)]
pub(super) struct PooledScores {
    /// By item.
    pub theta: Vec<f64>,
    /// By item: the diagonal of the Hessian, without the ridge.
    pub information: Vec<f64>,
    pub ridge: f64,
    /// By annotator who is here: whether their votes are in the scores. None if all are.
    members: Option<Vec<bool>>,
}

impl PooledScores {
    /// The scores of some annotators, wherever they are; `members` are those who are here.
    pub fn of_members(
        votes: &Comparisons,
        members: Vec<bool>,
        link: Link,
        mean_weight: f64,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let kept = votes.of_annotators(|u| members[u]);
        let flow = Flow::with_threads(&kept, PairModel::Uniform, threads, stop)?;
        let mut scores = Self::new(&flow, link, mean_weight, threads, stop)?;
        scores.members = Some(members);
        Ok(scores)
    }

    /// Whether an annotator's votes are in the scores.
    pub fn has(&self, annotator: usize) -> bool {
        self.members
            .as_ref()
            .is_none_or(|members| members[annotator])
    }

    /// The scores that explain a flow of mean choices.
    pub fn new(
        flow: &Flow,
        link: Link,
        mean_weight: f64,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let items = flow.items();
        let ridge = match link {
            Link::Logistic => RIDGE * mean_weight,
            Link::Linear => 0.0,
        };
        let mut scores = Self {
            theta: vec![0.0; items],
            information: vec![0.0; items],
            ridge,
            members: None,
        };
        let pairs = PairParts::new(flow, threads);
        let mut scratch = JacobiScratch::new(items.div_ceil(4));
        for _ in 0..MAX_STEPS {
            let moved = scores.newton_step(&pairs, link, &mut scratch, stop)?;
            if link == Link::Linear || moved <= TOLERANCE {
                break;
            }
        }
        Ok(scores)
    }

    /// Takes a step, and returns the largest move of a score.
    fn newton_step(
        &mut self,
        pairs: &PairParts<'_>,
        link: Link,
        scratch: &mut JacobiScratch,
        stop: &Stop,
    ) -> Result<f64> {
        let quads = self.theta.len().div_ceil(4);
        let (curvature, sums) = pairs.derivatives(&self.theta, link)?;
        let mut gradient = vec![[0.0; 4]; quads];
        let mut inverse_diagonal = vec![[0.0; 4]; quads];
        let pulls = gradient.as_flattened_mut();
        let inverse = inverse_diagonal.as_flattened_mut();
        for (item, [pull, information]) in sums.into_iter().enumerate() {
            self.information[item] = information;
            pulls[item] = pull - self.ridge * self.theta[item];
            let diagonal = information + self.ridge;
            inverse[item] = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        }
        let hessian = PairHessian {
            pairs,
            curvature,
            ridge: self.ridge,
        };
        let mut step = vec![[0.0; 4]; quads];
        jacobi::solve(
            &hessian,
            &inverse_diagonal,
            &gradient,
            &mut step,
            scratch,
            LIMITS,
            stop,
        )?;
        let step = &step.as_flattened()[..self.theta.len()];
        let largest = step
            .iter()
            .fold(0.0, |most: f64, move_| most.max(move_.abs()));
        let factor = match link {
            Link::Logistic if largest > MAX_MOVE => MAX_MOVE / largest,
            _ => 1.0,
        };
        for (score, move_) in self.theta.iter_mut().zip(step) {
            *score += factor * move_;
        }
        Ok(largest)
    }
}

/// The differences of scores on the votes of one annotator at a time, from the scores
/// that the other annotators give.
///
/// Taking u's votes out of the equation of each item, with the other scores as they
/// are (one step of Jacobi's method), gives
///
/// ```text
/// θ_i − g_i/(H_ii − H_ii^u + ρ)
/// ```
///
/// where g is the part of the gradient from u's votes, and H^u their part of the
/// Hessian. Otherwise the votes of somebody who clicks at random would agree with
/// scores that they helped to make.
pub(super) struct OthersScores<'a> {
    pooled: &'a PooledScores,
    link: Link,
    range: (f64, f64),
    /// By item: g_i and H_ii^u. Zero between annotators.
    own: Vec<[f64; 2]>,
    /// By item: the others' score; NaN if nobody else saw it. Of the last annotator.
    score: Vec<f64>,
    /// By vote: the expected choice. Of the last annotator.
    mean: Vec<Quad>,
}

impl<'a> OthersScores<'a> {
    pub fn new(pooled: &'a PooledScores, link: Link) -> Self {
        let theta = || pooled.theta.iter().copied();
        Self {
            pooled,
            link,
            range: (
                theta().fold(f64::INFINITY, f64::min),
                theta().fold(f64::NEG_INFINITY, f64::max),
            ),
            own: vec![[0.0; 2]; pooled.theta.len()],
            score: vec![0.0; pooled.theta.len()],
            mean: Vec::new(),
        }
    }

    /// The pooled scores, by item.
    pub fn theta(&self) -> &'a [f64] {
        &self.pooled.theta
    }

    /// Sets the differences of the others' scores on an annotator's votes, to 0 where nobody
    /// else saw one of the items. `items` are those on which the annotator voted, and
    /// `weights` those of the votes as the pooled scores have them; None if all are 1.
    pub fn set_differences(
        &mut self,
        annotator: usize,
        items: &[u32],
        weights: Option<&[f64]>,
        votes: &mut WorkingVotes,
    ) {
        if self.pooled.has(annotator) {
            self.add_votes(votes, weights);
        }
        for &item in items {
            let item = item as usize;
            self.score[item] = self.score(item);
            self.own[item] = [0.0; 2];
        }
        let pairs = votes.left.iter().zip(&votes.right);
        let differences = votes.others_difference.as_flattened_mut().iter_mut();
        for (difference, (&left, &right)) in differences.zip(pairs) {
            let known = self.score[left as usize] - self.score[right as usize];
            *difference = if known.is_nan() { 0.0 } else { known };
        }
    }

    /// Adds the votes to g and H^u.
    fn add_votes(&mut self, votes: &WorkingVotes, weights: Option<&[f64]>) {
        let consensus = OwnFit {
            sharpness: 1.0,
            pull: 0.0,
        };
        consensus.means(votes, self.link, &mut self.mean);
        let means = self.mean.as_flattened().iter();
        let choices = votes.choice.as_flattened().iter();
        let pairs = votes.left.iter().zip(&votes.right);
        for (k, ((&mean, &choice), (&left, &right))) in means.zip(choices).zip(pairs).enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[k]);
            let pull = weight * (choice - mean);
            let curvature = weight * self.link.slope(mean);
            let [gradient, information] = &mut self.own[left as usize];
            *gradient += pull;
            *information += curvature;
            let [gradient, information] = &mut self.own[right as usize];
            *gradient -= pull;
            *information += curvature;
        }
    }

    /// The others' score of an item; NaN if nobody else saw it.
    fn score(&self, item: usize) -> f64 {
        let [gradient, information] = self.own[item];
        let all = self.pooled.information[item];
        let rest = all - information;
        if rest <= 1e-9 * all {
            return f64::NAN;
        }
        let (low, high) = self.range;
        let own = gradient / (rest + self.pooled.ridge);
        (self.pooled.theta[item] - own).clamp(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Votes of `annotators`, the first of whom is left out if `without` says so.
    fn crowd(annotators: usize, items: usize, without_first: bool) -> Comparisons {
        let mut random = Random(7);
        let mut votes = Comparisons::with_capacity(items, 0, true, true);
        for u in 0..annotators {
            let rows: Vec<_> = (0..40)
                .map(|_| {
                    let left = random.below(items);
                    let right = (left + 1 + random.below(items - 1)) % items;
                    let mean = tanh_of(left as f64 - right as f64);
                    let choice = if random.uniform() < 0.5 * (1.0 + mean) {
                        1.0
                    } else {
                        -1.0
                    };
                    (left, right, choice, 1.0)
                })
                .collect();
            if u > 0 || !without_first {
                votes.push_annotator(rows);
            }
        }
        votes
    }

    fn tanh_of(x: f64) -> f64 {
        Link::Logistic.mean(0.4 * x)
    }

    fn pooled(votes: &Comparisons, link: Link) -> PooledScores {
        let flow = Flow::new(votes, PairModel::Uniform, &Stop::default()).unwrap();
        PooledScores::new(&flow, link, 1.0, 1, &Stop::default()).unwrap()
    }

    #[test]
    fn the_gradient_is_zero_at_the_scores() {
        let votes = crowd(10, 6, false);
        for link in [Link::Logistic, Link::Linear] {
            let scores = pooled(&votes, link);
            let mut gradient = [0.0; 6];
            for vote in (0..votes.len()).map(|row| votes.get(row)) {
                let x = scores.theta[vote.left] - scores.theta[vote.right];
                let pull = vote.choice - link.mean(x);
                gradient[vote.left] += pull;
                gradient[vote.right] -= pull;
            }
            for (sum, theta) in gradient.iter().zip(&scores.theta) {
                assert!((sum - scores.ridge * theta).abs() < 1e-6, "{gradient:?}");
            }
        }
    }

    #[test]
    fn others_scores_are_near_a_fit_without_the_annotator() {
        let (votes, rest) = (crowd(12, 15, false), crowd(12, 15, true));
        for link in [Link::Logistic, Link::Linear] {
            let (all, rest) = (pooled(&votes, link), pooled(&rest, link));
            let mut working = WorkingVotes::default();
            working.take(&votes, 0);
            working.set_pooled_differences(&all.theta);
            let items: Vec<u32> = (0..15).collect();
            OthersScores::new(&all, link).set_differences(0, &items, None, &mut working);
            let found = working.iter().map(|vote| vote.others_difference);
            let error = |x: f64, vote: usize, theta: &[f64]| {
                let vote = votes.get(vote);
                (x - (theta[vote.left] - theta[vote.right])).powi(2)
            };
            let (mut near, mut with) = (0.0, 0.0);
            for (vote, x) in found.enumerate() {
                let row = votes.get(vote);
                near += error(x, vote, &rest.theta);
                with += error(
                    all.theta[row.left] - all.theta[row.right],
                    vote,
                    &rest.theta,
                );
            }
            assert!(near < 0.1 * with, "{link:?}: {near} {with}");
        }
    }
}
