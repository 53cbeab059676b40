//! Diagonals from sketches, for problems that are too large to be exact.
//!
//! Annotators are dealt out to a few lanes, each pull g_u with a random sign. With
//! s the sum in a lane and x = J⁺s, the mean of Σ x_i² over all signs is
//! Σ_u (J⁺g_u)_i², so a solve for each lane stands for one for each annotator.
//!
//! Much of it need not be left to chance: D⁻¹, with D the diagonal of J, is close
//! to J⁺ where items have many neighbours, and what it makes of each pull is
//! known. With x⁰ = D⁻¹s and r the slope of x over x⁰,
//!
//! ```text
//! V_i = Σ (x_i − r x⁰_i)² + r² Σ_u g_ui² / d_i²,   r = Σ x_i x⁰_i / Σ x⁰_i²
//! ```
//!
//! so only the first sum is uncertain, and it says how much. More signs are
//! drawn until it is little. Votes are dealt out in the same way.

use std::thread;

use super::Variances;
use super::hessian::{Hessian, LANES, RhsLanes as Lanes};
use super::score_contributions::{ScoreContribution, ScoreContributions, Sums};
use crate::error::Result;
use crate::execution::{Stop, join};
use crate::random::Random;

/// Variances are known well enough when they are known to this part on average:
/// standard errors then to half of it.
const ENOUGH: f64 = 0.05;

/// Signs are drawn at most so many times: standard errors then come out to 4.5 %
/// where D⁻¹ says nothing.
const MOST_ROUNDS: usize = 8;

/// Both diagonals. Each is found on a thread of its own.
pub(super) fn variances(
    bread: &Hessian<'_>,
    pulls: &ScoreContributions<'_>,
    threads: usize,
    stop: &Stop,
) -> Result<(Sums, Variances)> {
    let other = || independent(bread, stop);
    if threads == 1 {
        let (sums, clusters) = clusters(bread, pulls, 1, stop)?;
        let independent = other()?;
        return Ok((
            sums,
            Variances {
                clusters,
                independent,
            },
        ));
    }
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let own = clusters(bread, pulls, threads - 1, stop);
        let independent = join(other)?;
        let (sums, clusters) = own?;
        Ok((
            sums,
            Variances {
                clusters,
                independent,
            },
        ))
    })
}

/// The diagonal of J⁺(Σ g gᵀ)J⁺.
fn clusters(
    bread: &Hessian<'_>,
    pulls: &ScoreContributions<'_>,
    threads: usize,
    stop: &Stop,
) -> Result<(Sums, Vec<f64>)> {
    let items = bread.items();
    let mut estimate = Estimate::new(items);
    loop {
        let new = || vec![0.0; items];
        let add = |lane: &mut Vec<f64>, u: usize, pull: &ScoreContribution| {
            let seed = (estimate.rounds as u64) << 40 | u as u64;
            let sign = sign(&mut Random(seed));
            for item in pull.seen.iter().map(|&item| item as usize) {
                lane[item] += sign * pull.at[item].value;
            }
        };
        let lanes = pulls.deal(LANES, threads, stop, new, add)?;
        let mut right: Vec<Lanes> = vec![Lanes::default(); items];
        let mut all: Option<Sums> = None;
        for (k, (sums, lane)) in lanes.into_iter().enumerate() {
            for (slot, value) in right.iter_mut().zip(lane) {
                slot.as_flattened_mut()[k] = value;
            }
            match &mut all {
                Some(all) => all.merge(&sums),
                None => all = Some(sums),
            }
        }
        let sums = all.expect("at least one lane");
        estimate.add(bread, right, stop)?;
        let found = estimate.found(bread, &sums.pull_squares);
        if found.is_enough || pulls.votes.annotators() <= LANES {
            return Ok((sums, found.diagonal));
        }
    }
}

/// The diagonal of J⁺LJ⁺.
fn independent(bread: &Hessian<'_>, stop: &Stop) -> Result<Vec<f64>> {
    let items = bread.items();
    let flow = bread.flow;
    let mut squares = vec![0.0; items];
    for (k, weight) in flow.weight.iter().enumerate() {
        squares[flow.a[k] as usize] += weight;
        squares[flow.b[k] as usize] += weight;
    }
    let mut estimate = Estimate::new(items);
    let mut random = Random(0);
    loop {
        let mut right = vec![Lanes::default(); items];
        for (k, weight) in flow.weight.iter().enumerate() {
            let value = sign(&mut random) * weight.sqrt();
            let lane = random.below(LANES);
            right[flow.a[k] as usize].as_flattened_mut()[lane] += value;
            right[flow.b[k] as usize].as_flattened_mut()[lane] -= value;
        }
        estimate.add(bread, right, stop)?;
        let found = estimate.found(bread, &squares);
        if found.is_enough {
            return Ok(found.diagonal);
        }
    }
}

fn sign(random: &mut Random) -> f64 {
    if random.next() >> 63 == 0 { 1.0 } else { -1.0 }
}

/// Sums over the lanes of all rounds, by item.
struct Estimate {
    rounds: usize,
    /// x².
    own: Vec<f64>,
    /// x x⁰.
    both: Vec<f64>,
    /// x⁰².
    rough: Vec<f64>,
}

struct Found {
    diagonal: Vec<f64>,
    is_enough: bool,
}

impl Estimate {
    fn new(items: usize) -> Self {
        let zeros = || vec![0.0; items];
        Self {
            rounds: 0,
            own: zeros(),
            both: zeros(),
            rough: zeros(),
        }
    }

    /// Another round of signs.
    fn add(&mut self, bread: &Hessian<'_>, right: Vec<Lanes>, stop: &Stop) -> Result<()> {
        self.rounds += 1;
        let solution = bread.solve(right.clone(), stop)?;
        for (i, (x, right)) in solution.iter().zip(&right).enumerate() {
            for (x, right) in x.as_flattened().iter().zip(right.as_flattened()) {
                let rough = right / bread.diagonal[i];
                self.own[i] += x * x;
                self.both[i] += x * rough;
                self.rough[i] += rough * rough;
            }
        }
        Ok(())
    }

    /// The diagonal so far, given the sums of squares that the signs stand for.
    fn found(&self, bread: &Hessian<'_>, squares: &[f64]) -> Found {
        let rounds = self.rounds as f64;
        let mut uncertain = 0.0;
        let each = squares.iter().enumerate().map(|(i, squares)| {
            let slope = if self.rough[i] > 0.0 {
                self.both[i] / self.rough[i]
            } else {
                0.0
            };
            let chance = f64::max(self.own[i] - slope * self.both[i], 0.0) / rounds;
            let variance = chance + slope * slope * squares / bread.diagonal[i].powi(2);
            if variance > 0.0 {
                uncertain += chance / variance;
            }
            variance
        });
        let diagonal: Vec<f64> = each.collect();
        let known_to = (2.0 / (rounds * LANES as f64)).sqrt();
        let error = known_to * uncertain / diagonal.len() as f64;
        Found {
            is_enough: error <= ENOUGH || self.rounds == MOST_ROUNDS,
            diagonal,
        }
    }
}
