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
use super::pair_parts::{PairHessian, PairParts};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::Limits;
use crate::linalg::jacobi::{self, JacobiScratch};
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::random::Random;

    /// Votes of `annotators`, the first of whom is left out if `without` says so.
    pub fn crowd(annotators: usize, items: usize, without_first: bool) -> Comparisons {
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

    pub fn pooled(votes: &Comparisons, link: Link) -> PooledScores {
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
}
