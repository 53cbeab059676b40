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
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::Limits;
use crate::linalg::jacobi::{self, JacobiScratch, LinearOperator};
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
        let mut is_kept = vec![false; votes.len()];
        for (u, &member) in members.iter().enumerate() {
            is_kept[votes.rows(u)].fill(member);
        }
        let kept = votes.select(|row| is_kept[row]);
        let flow = Flow::with_threads(&kept, PairModel::Uniform, threads, stop)?;
        let mut scores = Self::new(&flow, link, mean_weight, stop)?;
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
    pub fn new(flow: &Flow, link: Link, mean_weight: f64, stop: &Stop) -> Result<Self> {
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
        let mut scratch = JacobiScratch::new(items.div_ceil(4));
        for _ in 0..MAX_STEPS {
            let moved = scores.newton_step(flow, link, &mut scratch, stop)?;
            if link == Link::Linear || moved <= TOLERANCE {
                break;
            }
        }
        Ok(scores)
    }

    /// Takes a step, and returns the largest move of a score.
    fn newton_step(
        &mut self,
        flow: &Flow,
        link: Link,
        scratch: &mut JacobiScratch,
        stop: &Stop,
    ) -> Result<f64> {
        let quads = self.theta.len().div_ceil(4);
        let mut gradient = vec![[0.0; 4]; quads];
        let mut inverse_diagonal = vec![[0.0; 4]; quads];
        let mut hessian = PairHessian {
            flow,
            curvature: Vec::with_capacity(flow.len()),
            ridge: self.ridge,
        };
        self.information.fill(0.0);
        let sums = gradient.as_flattened_mut();
        for k in 0..flow.len() {
            let (a, b) = (flow.a[k] as usize, flow.b[k] as usize);
            let mean = link.mean(self.theta[a] - self.theta[b]);
            let pull = flow.weight[k] * (flow.value[k] - mean);
            let curvature = flow.weight[k] * link.slope(mean);
            sums[a] += pull;
            sums[b] -= pull;
            self.information[a] += curvature;
            self.information[b] += curvature;
            hessian.curvature.push(curvature);
        }
        let inverse = inverse_diagonal.as_flattened_mut();
        for (item, information) in self.information.iter().enumerate() {
            sums[item] -= self.ridge * self.theta[item];
            let diagonal = information + self.ridge;
            inverse[item] = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        }
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

/// The Laplacian of the pairs with the curvature of their loss, plus the ridge.
struct PairHessian<'a> {
    flow: &'a Flow,
    curvature: Vec<f64>,
    ridge: f64,
}

impl LinearOperator for PairHessian<'_> {
    fn apply(&self, x: &[Quad], out: &mut [Quad]) -> f64 {
        let (x, out) = (x.as_flattened(), out.as_flattened_mut());
        for (out, x) in out.iter_mut().zip(x) {
            *out = self.ridge * x;
        }
        for (k, curvature) in self.curvature.iter().enumerate() {
            let (a, b) = (self.flow.a[k] as usize, self.flow.b[k] as usize);
            let product = curvature * (x[a] - x[b]);
            out[a] += product;
            out[b] -= product;
        }
        x.iter().zip(out.iter()).map(|(x, out)| x * out).sum()
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
    /// By item; zero between annotators.
    gradient: Vec<f64>,
    information: Vec<f64>,
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
            gradient: vec![0.0; pooled.theta.len()],
            information: vec![0.0; pooled.theta.len()],
        }
    }

    /// By vote of an annotator: the difference of the others' scores, 0 where nobody
    /// else saw one of the items.
    pub fn differences(&mut self, votes: &Comparisons, annotator: usize, out: &mut Vec<f64>) {
        let theta = &self.pooled.theta;
        let own = votes.of(annotator).filter(|_| self.pooled.has(annotator));
        for vote in own {
            let mean = self.link.mean(theta[vote.left] - theta[vote.right]);
            let pull = vote.weight * (vote.choice - mean);
            let curvature = vote.weight * self.link.slope(mean);
            self.gradient[vote.left] += pull;
            self.gradient[vote.right] -= pull;
            self.information[vote.left] += curvature;
            self.information[vote.right] += curvature;
        }
        out.clear();
        out.extend(votes.of(annotator).map(|vote| {
            let (left, right) = (self.score(vote.left), self.score(vote.right));
            left.zip(right).map_or(0.0, |(left, right)| left - right)
        }));
        for vote in votes.of(annotator) {
            for item in [vote.left, vote.right] {
                self.gradient[item] = 0.0;
                self.information[item] = 0.0;
            }
        }
    }

    /// The others' score of an item; None if nobody else saw it.
    fn score(&self, item: usize) -> Option<f64> {
        let all = self.pooled.information[item];
        let rest = all - self.information[item];
        let (low, high) = self.range;
        (rest > 1e-9 * all).then(|| {
            let own = self.gradient[item] / (rest + self.pooled.ridge);
            (self.pooled.theta[item] - own).clamp(low, high)
        })
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
        PooledScores::new(&flow, link, 1.0, &Stop::default()).unwrap()
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
            let mut found = Vec::new();
            OthersScores::new(&all, link).differences(&votes, 0, &mut found);
            let error = |x: f64, vote: usize, theta: &[f64]| {
                let vote = votes.get(vote);
                (x - (theta[vote.left] - theta[vote.right])).powi(2)
            };
            let (mut near, mut with) = (0.0, 0.0);
            for (vote, &x) in found.iter().enumerate() {
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
