//! The votes of the annotators without effects, pooled by pair of items.
//!
//! As long as both effects of an annotator are zero, η is the same for everybody who
//! voted on a pair. So of all these annotators together only the sums over pairs
//! matter, and z of any of them follows from the integrals ∫h(η)dt of the pairs.

use std::sync::Arc;

use super::cells::AnnotatorCells;
use super::link::{LinkKernel, Sides};
use crate::linalg::simd::{Kernel, Lanes, vectorised};
use crate::model::flow::Flow;

/// The pooled votes and their hazards h(η) at the latest scores. Vectors over ordered
/// pairs have two entries for each pair (a, b): one seen from a, one seen from b.
pub(super) struct Pool {
    pub pairs: Arc<Flow>,
    /// The weight of the wins of the first item of each ordered pair.
    wins: Vec<f64>,
    /// h(θ_first − θ_second) of each ordered pair.
    pub hazards: Vec<f64>,
    /// What the link prepared of each item's score.
    prepared: Vec<f64>,
}

impl Pool {
    /// All votes. The flow is that of the uniform pair model: its values are mean choices.
    pub fn new(pairs: &Arc<Flow>) -> Self {
        let votes = pairs.weight.iter().zip(&pairs.value);
        let share = |value: f64| (0.5 * (1.0 + value)).clamp(0.0, 1.0);
        let wins =
            votes.flat_map(|(&weight, &value)| [weight * share(value), weight * share(-value)]);
        Self {
            wins: wins.collect(),
            hazards: vec![0.0; 2 * pairs.len()],
            prepared: vec![0.0; pairs.items().next_multiple_of(4)],
            pairs: Arc::clone(pairs),
        }
    }

    /// Takes the votes of an annotator out of the pool.
    pub fn remove(&mut self, cells: &AnnotatorCells<'_>) {
        for (pair, wins, losses) in cells.iter() {
            self.wins[pair] -= wins;
            self.wins[pair ^ 1] -= losses;
        }
        // What is left of nothing may be a rounding error below zero.
        for (pair, ..) in cells.iter() {
            self.wins[pair] = self.wins[pair].max(0.0);
            self.wins[pair ^ 1] = self.wins[pair ^ 1].max(0.0);
        }
    }

    /// Computes the hazards at these scores, and adds the pool's part of the gradient of
    /// m times the loss.
    pub fn add_gradient<K: LinkKernel>(&mut self, link: K, theta: &[f64], gradient: &mut [f64]) {
        vectorised(Prepare {
            link,
            scores: theta,
            out: &mut self.prepared,
        });
        vectorised(PairHazards {
            link,
            pairs: &self.pairs,
            prepared: &self.prepared,
            hazards: &mut self.hazards,
        });
        let both = self.wins.as_chunks::<2>().0.iter();
        let both = both.zip(self.hazards.as_chunks::<2>().0);
        for (pair, (wins, hazards)) in both.enumerate() {
            let slope = wins[1] * hazards[1] - wins[0] * hazards[0];
            gradient[self.pairs.a[pair] as usize] += slope;
            gradient[self.pairs.b[pair] as usize] -= slope;
        }
    }

    /// Sets the weight of each pair in the Hessian to the pool's, at the scores of the
    /// latest [`add_gradient`](Self::add_gradient).
    pub fn set_curvatures<K: LinkKernel>(&self, link: K, out: &mut [f64]) {
        vectorised(PairCurvatures {
            link,
            pairs: &self.pairs,
            prepared: &self.prepared,
            wins: &self.wins,
            out,
        });
    }
}

/// Prepares scores, which are filled up to complete quads.
pub(super) struct Prepare<'a, K> {
    pub link: K,
    pub scores: &'a [f64],
    pub out: &'a mut [f64],
}

impl<K: LinkKernel> Kernel for Prepare<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let scores = self.scores.as_chunks::<4>().0.iter();
        for (slot, scores) in self.out.as_chunks_mut::<4>().0.iter_mut().zip(scores) {
            lanes.store(self.link.prepare(lanes, lanes.load(scores)), slot);
        }
    }
}

/// h of both orders of each pair.
struct PairHazards<'a, K> {
    link: K,
    pairs: &'a Flow,
    prepared: &'a [f64],
    hazards: &'a mut [f64],
}

impl<K: LinkKernel> Kernel for PairHazards<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let bias = self.link.prepare(lanes, lanes.splat(0.0));
        for (index, out) in self.hazards.chunks_mut(8).enumerate() {
            let [left, right] = gather(self.pairs, self.prepared, index);
            let left = lanes.load(&left);
            let hazards = self.link.hazards(lanes, left, lanes.load(&right), bias);
            let (first, second) = (lanes.quad(hazards.0), lanes.quad(hazards.1));
            for (slot, both) in out.chunks_exact_mut(2).zip(first.iter().zip(second)) {
                (slot[0], slot[1]) = (*both.0, both.1);
            }
        }
    }
}

/// The second derivative of each pair's loss.
struct PairCurvatures<'a, K> {
    link: K,
    pairs: &'a Flow,
    prepared: &'a [f64],
    wins: &'a [f64],
    out: &'a mut [f64],
}

impl<K: LinkKernel> Kernel for PairCurvatures<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let bias = self.link.prepare(lanes, lanes.splat(0.0));
        let wins = self.wins.chunks(8);
        for (index, (out, both)) in self.out.chunks_mut(4).zip(wins).enumerate() {
            let [left, right] = gather(self.pairs, self.prepared, index);
            let (left, right) = (lanes.load(&left), lanes.load(&right));
            let (mut wins, mut losses) = ([0.0; 4], [0.0; 4]);
            for (lane, both) in both.chunks_exact(2).enumerate() {
                (wins[lane], losses[lane]) = (both[0], both[1]);
            }
            let votes = Sides {
                wins: lanes.load(&wins),
                losses: lanes.load(&losses),
            };
            let found = lanes.quad(self.link.curvature(lanes, left, right, bias, votes));
            out.copy_from_slice(&found[..out.len()]);
        }
    }
}

/// The prepared scores of both items of four pairs; after the last pair, those of it.
#[inline(always)]
fn gather(pairs: &Flow, prepared: &[f64], quad: usize) -> [[f64; 4]; 2] {
    let last = pairs.a.len() - 1;
    [&pairs.a, &pairs.b].map(|items| {
        std::array::from_fn(|lane| prepared[items[(4 * quad + lane).min(last)] as usize])
    })
}

/// ∫h dt of each ordered pair, its mean over time and how far that has drifted in total:
/// a bound on z of every annotator in the pool follows from it, as with the squared loss.
pub(super) struct HazardIntegrals {
    integral: Vec<f64>,
    mean: Vec<f64>,
    drift: f64,
    /// The integrals at a time between two steps.
    interpolated: Vec<f64>,
}

/// The integrals at a time, and the total drift of their means up to then.
#[derive(Clone, Copy)]
pub(super) struct IntegralsAt<'a> {
    pub t: f64,
    pub integral: &'a [f64],
    pub drift: f64,
}

impl HazardIntegrals {
    /// Begins at time `t`, up to which the hazards did not change.
    pub fn new(hazards: &[f64], t: f64) -> Self {
        Self {
            integral: hazards.iter().map(|h| t * h).collect(),
            mean: hazards.to_vec(),
            drift: 0.0,
            interpolated: vec![0.0; hazards.len()],
        }
    }

    /// Adds a step of length α that ends at time `t`.
    pub fn advance(&mut self, hazards: &[f64], alpha: f64, t: f64) {
        let (mut largest, scale) = (0.0f64, 1.0 / t);
        let both = self.integral.iter_mut().zip(&mut self.mean);
        for ((integral, mean), hazard) in both.zip(hazards) {
            *integral += alpha * hazard;
            let next = *integral * scale;
            largest = largest.max((next - *mean).abs());
            *mean = next;
        }
        self.drift += largest;
    }

    /// At the end of the latest step, which is time `t`.
    pub fn at_step(&self, t: f64) -> IntegralsAt<'_> {
        IntegralsAt {
            t,
            integral: &self.integral,
            drift: self.drift,
        }
    }

    /// At time `t`, which is `elapsed` after the end of the latest step.
    pub fn between_steps(&mut self, hazards: &[f64], elapsed: f64, t: f64) -> IntegralsAt<'_> {
        let mut largest = 0.0f64;
        for (k, slot) in self.interpolated.iter_mut().enumerate() {
            *slot = self.integral[k] + elapsed * hazards[k];
            largest = largest.max((*slot / t - self.mean[k]).abs());
        }
        IntegralsAt {
            t,
            integral: &self.interpolated,
            drift: self.drift + largest,
        }
    }
}
