//! Both diagonals by random sketches, for problems that are too large to be exact.
//!
//! Each score contribution g_u gets a random sign and is added to one of a few lanes.
//! With s the sum in a lane and x = L⁺s, the expectation of Σ x_i² over the lanes is
//! Σ_u (L⁺g_u)_i² = V_i. So one solve for each lane replaces one for each annotator.
//!
//! The noise of this estimate is reduced by a control variate. D⁻¹, with D the diagonal
//! of L, is close to L⁺ where items have many neighbours, and Σ_u (D⁻¹g_u)_i² is known.
//! With x⁰ = D⁻¹s and r the slope of x over x⁰,
//!
//! ```text
//! V_i ≈ Σ (x_i − r x⁰_i)² + r² Σ_u g_ui² / d_i²,   r = Σ x_i x⁰_i / Σ x⁰_i²
//! ```
//!
//! where only the first sum is random. It is averaged over rounds with new signs, until
//! it is known well enough. The diagonal of L⁺ is found in the same way, where the
//! votes on a pair take the role of an annotator.

use std::ops::Range;
use std::sync::OnceLock;

use super::annotator_sums::{AnnotatorSums, add_to};
use super::contribution::ScoreContribution;
use super::covariance::ClusteredCovariance;
use super::hessian::{Hessian, LANES, RhsLanes};
use super::score_contributions::{LaneSums, ScoreContributions};
use super::variances::Variances;
use crate::error::Result;
use crate::execution::{Stop, with_helpers};
use crate::model::flow::Flow;
use crate::random::Random;

/// The relative error of the variances that suffices, on average over the items.
/// That of standard errors is half of it.
const MAX_ERROR: f64 = 0.05;

/// So many rounds at most: where D⁻¹ does not help, standard errors then have a
/// relative error of 4.4 %.
const MAX_ROUNDS: usize = 8;

/// The lanes of so many rounds are kept for the variances of differences.
const KEPT_ROUNDS: usize = 2;

/// The variances. With more than one thread, each diagonal is found on its own.
pub(super) fn variances(
    hessian: &Hessian<'_>,
    contributions: &ScoreContributions<'_>,
    threads: usize,
    stop: &Stop,
) -> Result<Variances> {
    let by_helper = OnceLock::new();
    let help = || {
        let found = independent(hessian, stop)?;
        by_helper.set(found).expect("there is one helper");
        Ok(())
    };
    let (sums, clustered, rows) = with_helpers(threads.min(2), help, || {
        clustered(hessian, contributions, threads.max(2) - 1, stop)
    })?;
    let independent = match by_helper.into_inner() {
        Some(found) => found,
        None => independent(hessian, stop)?,
    };
    Ok(Variances {
        sums,
        covariance: ClusteredCovariance::sketched(&rows, &clustered),
        clustered,
        independent,
    })
}

/// The diagonal of L⁺(Σ g gᵀ)L⁺, and the lanes that are kept of each item.
fn clustered(
    hessian: &Hessian<'_>,
    contributions: &ScoreContributions<'_>,
    threads: usize,
    stop: &Stop,
) -> Result<(AnnotatorSums, Vec<f64>, Vec<Vec<f64>>)> {
    let mut estimate = SketchEstimate::new(hessian.items());
    let mut rows = vec![Vec::new(); hessian.items()];
    let (sums, mut rhs) = first_round(contributions, threads, stop)?;
    loop {
        if estimate.rounds > 0 {
            rhs = signed_sums(contributions, estimate.rounds, threads, stop)?;
        }
        let solution = estimate.add_round(hessian, &rhs, stop)?;
        if estimate.rounds <= KEPT_ROUNDS {
            for (row, lanes) in rows.iter_mut().zip(&solution) {
                row.extend(lanes.as_flattened());
            }
        }
        let sketch = estimate.diagonal(hessian, &sums.contribution_squares);
        // Up to LANES annotators have a lane each, and the first round is exact.
        if sketch.is_accurate || contributions.annotators() <= LANES {
            return Ok((sums, sketch.diagonal, rows));
        }
    }
}

/// The score contributions with the signs of the first round, and the sums over annotators,
/// which are added up lane by lane beside them.
fn first_round(
    contributions: &ScoreContributions<'_>,
    threads: usize,
    stop: &Stop,
) -> Result<(AnnotatorSums, Vec<RhsLanes>)> {
    let items = contributions.votes.items();
    let add = |sums: &mut LaneSums<4>, u, contribution: &ScoreContribution| {
        let sign = sign(0, u);
        AnnotatorSums::for_each(contribution, |slot, [a, b, c]| {
            let value = contribution
                .by_item
                .get(slot)
                .map_or(0.0, |on_item| on_item.value);
            sums.add(slot, [a, b, c, sign * value]);
        });
    };
    let lanes = contributions.sum_lanes((LANES, items + 1), threads, stop, members, add)?;
    let mut sums = vec![[0.0; 3]; items + 1];
    let mut rhs = vec![RhsLanes::default(); items + 1];
    for (k, lane) in lanes.into_iter().enumerate() {
        for (slot, &[a, b, c, value]) in lane.as_chunks().0.iter().enumerate() {
            add_to(&mut sums[slot], &[a, b, c]);
            rhs[slot].as_flattened_mut()[k] = value;
        }
    }
    rhs.truncate(items);
    Ok((AnnotatorSums::new(&sums, contributions.fitted.loss), rhs))
}

/// The score contributions with the signs of a round.
fn signed_sums(
    contributions: &ScoreContributions<'_>,
    round: usize,
    threads: usize,
    stop: &Stop,
) -> Result<Vec<RhsLanes>> {
    let items = contributions.votes.items();
    let add = |sums: &mut LaneSums<1>, u, contribution: &ScoreContribution| {
        let sign = sign(round, u);
        for item in contribution.seen.iter().map(|&item| item as usize) {
            sums.add(item, [sign * contribution.by_item[item].value]);
        }
    };
    let lanes = contributions.sum_lanes((LANES, items), threads, stop, members, add)?;
    let mut rhs = vec![RhsLanes::default(); items];
    for (k, lane) in lanes.into_iter().enumerate() {
        for (slot, value) in rhs.iter_mut().zip(lane) {
            slot.as_flattened_mut()[k] = value;
        }
    }
    Ok(rhs)
}

/// The annotators of a lane, of some of the table: annotator u is in lane u modulo [`LANES`].
fn members(lane: usize, annotators: Range<usize>) -> impl Iterator<Item = usize> {
    let first = (lane + LANES - annotators.start % LANES) % LANES;
    (annotators.start + first..annotators.end).step_by(LANES)
}

/// The random sign of an annotator of the table.
fn sign(round: usize, annotator: usize) -> f64 {
    Random((round as u64) << 40 | annotator as u64).sign()
}

/// The diagonal of L⁺.
pub(super) fn independent(hessian: &Hessian<'_>, stop: &Stop) -> Result<Vec<f64>> {
    let items = hessian.items();
    let flow = hessian.flow;
    let mut squares = vec![0.0; items];
    for (k, weight) in flow.weight.iter().enumerate() {
        squares[flow.a[k] as usize] += weight;
        squares[flow.b[k] as usize] += weight;
    }
    let mut estimate = SketchEstimate::new(items);
    let mut random = Random(0);
    loop {
        let rhs = signed_pairs(flow, &mut random);
        estimate.add_round(hessian, &rhs, stop)?;
        let sketch = estimate.diagonal(hessian, &squares);
        if sketch.is_accurate {
            return Ok(sketch.diagonal);
        }
    }
}

/// The pairs with random signs, each in a random lane.
pub(super) fn signed_pairs(flow: &Flow, random: &mut Random) -> Vec<RhsLanes> {
    let mut rhs = vec![RhsLanes::default(); flow.items()];
    for (k, weight) in flow.weight.iter().enumerate() {
        let value = random.sign() * weight.sqrt();
        let lane = random.below(LANES);
        rhs[flow.a[k] as usize].as_flattened_mut()[lane] += value;
        rhs[flow.b[k] as usize].as_flattened_mut()[lane] -= value;
    }
    rhs
}

/// Sums over the lanes of all rounds, by item.
struct SketchEstimate {
    rounds: usize,
    /// Σ x².
    xx: Vec<f64>,
    /// Σ x x⁰.
    xx0: Vec<f64>,
    /// Σ x⁰².
    x0x0: Vec<f64>,
}

struct SketchedDiagonal {
    diagonal: Vec<f64>,
    is_accurate: bool,
}

impl SketchEstimate {
    fn new(items: usize) -> Self {
        let zeros = || vec![0.0; items];
        Self {
            rounds: 0,
            xx: zeros(),
            xx0: zeros(),
            x0x0: zeros(),
        }
    }

    /// Adds a round, given s for each lane. Returns x.
    fn add_round(
        &mut self,
        hessian: &Hessian<'_>,
        rhs: &[RhsLanes],
        stop: &Stop,
    ) -> Result<Vec<RhsLanes>> {
        self.rounds += 1;
        let solution = hessian.solve(rhs.to_vec(), stop)?;
        for (i, (x, rhs)) in solution.iter().zip(rhs).enumerate() {
            for (x, rhs) in x.as_flattened().iter().zip(rhs.as_flattened()) {
                let x0 = rhs / hessian.diagonal[i];
                self.xx[i] += x * x;
                self.xx0[i] += x * x0;
                self.x0x0[i] += x0 * x0;
            }
        }
        Ok(solution)
    }

    /// The diagonal so far, given `squares`, Σ_u g_ui² by item.
    fn diagonal(&self, hessian: &Hessian<'_>, squares: &[f64]) -> SketchedDiagonal {
        let rounds = self.rounds as f64;
        let mut random_part = 0.0;
        let each = squares.iter().enumerate().map(|(i, squares)| {
            let slope = if self.x0x0[i] > 0.0 {
                self.xx0[i] / self.x0x0[i]
            } else {
                0.0
            };
            let random = f64::max(self.xx[i] - slope * self.xx0[i], 0.0) / rounds;
            let variance = random + slope * slope * squares / hessian.diagonal[i].powi(2);
            if variance > 0.0 {
                random_part += random / variance;
            }
            variance
        });
        let diagonal: Vec<f64> = each.collect();
        // The relative error of a sum of squares of so many normal numbers.
        let error_of_random = (2.0 / (rounds * LANES as f64)).sqrt();
        let error = error_of_random * random_part / diagonal.len() as f64;
        SketchedDiagonal {
            is_accurate: error <= MAX_ERROR || self.rounds == MAX_ROUNDS,
            diagonal,
        }
    }
}
