//! θ = argmin_θ L(θ, β), by Newton's method from the last θ.
//!
//! Along a path θ moves little from step to step. So the search starts where the parabola
//! through the last three θ leads, and the Hessian of earlier scores serves until a new
//! one would have saved more evaluations than it costs. That makes 2.2 to 2.5 evaluations
//! a step on the paper's votes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::hessian::ScoreHessian;
use super::link::{Logistic, Probit};
use super::pool::Pool;
use crate::error::{Error, Result};
use crate::execution::Stop;
use crate::linalg::vector::dot;
use crate::model::flow::Flow;
use crate::options::Loss;

/// Scores are found when the next direction changes none by more than this, relative to
/// the largest score or to 1. The effects at the end of a path are then off by 1e-7.
pub(in crate::model) const SCORE_TOLERANCE: f64 = 1e-8;

/// The first scores are exact: they say when the first effect enters.
const FIRST_TOLERANCE: f64 = 1e-12;

/// With a Hessian of earlier scores, a direction may be this part of the one before; or
/// the other part where a new Hessian costs more than [`MAX_CHEAP`] evaluations.
const MAX_RATIO: f64 = 0.1;
const MAX_RATIO_IF_COSTLY: f64 = 0.5;
const MAX_CHEAP: f64 = 4.0;

/// A solve from a good start with a good Hessian takes so many evaluations.
const USUAL_EVALUATIONS: usize = 2;

/// So many solutions are kept.
const KEPT: usize = 3;

/// Votes that do not contradict each other take the most, about thirty.
const MAX_ITERATIONS: usize = 200;

/// Where directions no longer become shorter because of rounding, scores are found if
/// the gradient is this part of the votes on an item.
const NEGLIGIBLE: f64 = 1e-10;

/// What depends on votes: m times the loss as a function of θ, up to the ridge.
pub(super) trait ScoreLoss {
    /// Adds the gradient at these scores.
    fn add_gradient(&mut self, theta: &[f64], gradient: &mut [f64]);

    /// Sets the second derivative of each pair at the scores of the latest
    /// [`add_gradient`](Self::add_gradient).
    fn set_curvatures(&mut self, theta: &[f64], weights: &mut [f64]);
}

/// The scores, and what is kept for the next search. Vectors over items are filled up to
/// complete quads with zeros.
pub(super) struct ScoreNewton {
    items: usize,
    ridge: f64,
    /// The tolerance of all solves but the first.
    tolerance: f64,
    theta: Vec<f64>,
    /// θ of the last solves, the latest first; none before the first.
    solved: VecDeque<Vec<f64>>,
    gradient: Vec<f64>,
    /// The latest direction, whose sign is such that θ ← θ − direction.
    direction: Vec<f64>,
    hessian: ScoreHessian,
    needs_hessian: bool,
    /// About how many evaluations a new Hessian takes as long as.
    hessian_cost: f64,
    /// The evaluations since the last Hessian that a new one might have saved.
    spared: f64,
    /// By item, the votes on it.
    degrees: Vec<f64>,
}

impl ScoreNewton {
    /// Scores of zero. `cells` is about how many cells an evaluation goes through.
    pub fn new(pairs: &Arc<Flow>, cells: usize, ridge: f64, tolerance: f64) -> Self {
        let items = pairs.items();
        let zeros = vec![0.0; items.next_multiple_of(4)];
        let mut degrees = vec![0.0; items];
        for (pair, weight) in pairs.weight.iter().enumerate() {
            degrees[pairs.a[pair] as usize] += weight;
            degrees[pairs.b[pair] as usize] += weight;
        }
        Self {
            items,
            ridge,
            tolerance,
            theta: zeros.clone(),
            solved: VecDeque::with_capacity(KEPT),
            gradient: zeros.clone(),
            direction: zeros,
            hessian: ScoreHessian::new(pairs, ridge),
            needs_hessian: true,
            hessian_cost: 1.0 + ScoreHessian::cost(items) / (pairs.len() + cells).max(1) as f64,
            spared: 0.0,
            degrees,
        }
    }

    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Sets the scores, for steps that do not solve for them.
    pub fn set_theta(&mut self, theta: &[f64]) {
        self.theta[..theta.len()].copy_from_slice(theta);
    }

    /// The gradient of m times the loss at the scores, without the ridge.
    pub fn evaluate(&mut self, votes: &mut impl ScoreLoss) -> &[f64] {
        self.gradient.fill(0.0);
        votes.add_gradient(&self.theta, &mut self.gradient);
        &self.gradient
    }

    /// Minimises the loss. The votes' latest gradient is that at the scores found.
    pub fn solve(&mut self, votes: &mut impl ScoreLoss, stop: &Stop) -> Result<()> {
        match self.solved.make_contiguous() {
            [first, second, third, ..] => {
                for (i, theta) in self.theta.iter_mut().enumerate() {
                    *theta = 3.0 * (first[i] - second[i]) + third[i];
                }
            }
            [first, second] => {
                for (i, theta) in self.theta.iter_mut().enumerate() {
                    *theta = 2.0 * first[i] - second[i];
                }
            }
            _ => {}
        }
        self.search(votes, stop)?;
        // The last direction was not taken, but it is known.
        let mut found = match self.solved.len() {
            KEPT => self.solved.pop_back().unwrap_or_default(),
            _ => self.theta.clone(),
        };
        found.copy_from_slice(&self.theta);
        add_scaled(&mut found, -1.0, &self.direction);
        self.solved.push_front(found);
        Ok(())
    }

    fn search(&mut self, votes: &mut impl ScoreLoss, stop: &Stop) -> Result<()> {
        let tolerance = match self.solved.is_empty() {
            true => FIRST_TOLERANCE,
            false => self.tolerance,
        };
        let mut previous: Option<SearchStep> = None;
        for evaluations in 1..=MAX_ITERATIONS {
            stop.check()?;
            self.evaluate(votes);
            for (slot, theta) in self.gradient.iter_mut().zip(&self.theta) {
                *slot += self.ridge * theta;
            }
            if let Some(last) = &mut previous
                && self.has_overshot(last)
            {
                last.step *= 0.5;
                add_scaled(&mut self.theta, last.step, &self.direction);
                continue;
            }
            let is_new = std::mem::replace(&mut self.needs_hessian, false);
            if is_new {
                votes.set_curvatures(&self.theta, self.hessian.weights());
                self.hessian.update(!self.solved.is_empty(), stop)?;
                self.spared = 0.0;
            }
            let direction = self.hessian.direction(&self.gradient, stop)?;
            self.direction.copy_from_slice(direction);
            let size = largest(&self.direction);
            let ratio = previous.map_or(0.0, |last| size / last.size);
            let is_found = size <= tolerance * largest(&self.theta).max(1.0);
            if is_found || (is_new && ratio > 0.5 && self.is_negligible()) {
                if self.solved.is_empty() {
                    self.needs_hessian = true; // one that is kept
                    return Ok(());
                }
                self.spared += evaluations.saturating_sub(USUAL_EVALUATIONS) as f64;
                self.needs_hessian = self.spared > self.hessian_cost;
                return Ok(());
            }
            if !size.is_finite() {
                break;
            }
            self.needs_hessian = ratio > self.max_ratio();
            add_scaled(&mut self.theta, -1.0, &self.direction);
            previous = Some(SearchStep {
                size,
                slope: dot(&self.gradient, &self.direction),
                step: 1.0,
            });
        }
        Err(not_converged())
    }

    fn max_ratio(&self) -> f64 {
        if self.hessian_cost > MAX_CHEAP {
            MAX_RATIO_IF_COSTLY
        } else {
            MAX_RATIO
        }
    }

    /// Whether the loss rises again along the latest direction nearly as fast as it fell.
    fn has_overshot(&self, last: &SearchStep) -> bool {
        dot(&self.gradient, &self.direction) < -0.5 * last.slope
    }

    fn is_negligible(&self) -> bool {
        let both = self.gradient[..self.items].iter().zip(&self.degrees);
        both.into_iter()
            .all(|(gradient, degree)| gradient.abs() <= NEGLIGIBLE * (degree + self.ridge))
    }
}

/// What a search remembers of its last direction.
#[derive(Clone, Copy)]
struct SearchStep {
    size: f64,
    /// The slope of the loss along it, before the step.
    slope: f64,
    /// The part of it that was taken.
    step: f64,
}

/// x += factor·y.
fn add_scaled(x: &mut [f64], factor: f64, y: &[f64]) {
    for (slot, y) in x.iter_mut().zip(y) {
        *slot += factor * y;
    }
}

fn largest(values: &[f64]) -> f64 {
    // NaN becomes infinite, so that it is not ignored.
    values
        .iter()
        .fold(0.0, |largest, value| match value.is_nan() {
            true => f64::INFINITY,
            false => largest.max(value.abs()),
        })
}

fn not_converged() -> Error {
    Error::votes(
        "the scores did not converge: the weights of the votes are too far apart, or ridge is too \
         small beside them; scale the weights to about 1, or set a larger ridge",
    )
}

/// All votes, of a model without effects.
struct PooledVotes {
    loss: Loss,
    pool: Pool,
}

impl ScoreLoss for PooledVotes {
    fn add_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) {
        match self.loss {
            Loss::Probit => self.pool.add_gradient(Probit, theta, gradient),
            _ => self.pool.add_gradient(Logistic, theta, gradient),
        }
    }

    fn set_curvatures(&mut self, _: &[f64], weights: &mut [f64]) {
        match self.loss {
            Loss::Probit => self.pool.set_curvatures(Probit, weights),
            _ => self.pool.set_curvatures(Logistic, weights),
        }
    }
}

/// The scores of Bradley and Terry's or Thurstone's model without effects of annotators.
/// `pairs` has mean choices.
pub(crate) fn consensus_scores(
    pairs: &Arc<Flow>,
    loss: Loss,
    ridge: f64,
    stop: &Stop,
) -> Result<Vec<f64>> {
    let mut votes = PooledVotes {
        loss,
        pool: Pool::new(pairs),
    };
    let mut scores = ScoreNewton::new(pairs, 0, ridge, FIRST_TOLERANCE);
    scores.solve(&mut votes, stop)?;
    scores.theta.truncate(scores.items);
    Ok(scores.theta)
}
