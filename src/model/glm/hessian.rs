//! The Hessian of m times the loss in θ, L + ρI, and the Newton direction.
//!
//! L is the Laplacian of the comparison graph with the weights Σ ω ℓ''(η). With few
//! items the Hessian is inverted, with many the direction is found by conjugate
//! gradients. The same Hessian serves for many directions, until these no longer
//! converge fast.

use std::sync::Arc;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::Limits;
use crate::linalg::dense::{DenseProduct, Tile, add, invert, tiles};
use crate::linalg::jacobi::{self, JacobiScratch, LinearOperator};
use crate::linalg::simd::{Quad, vectorised};
use crate::model::flow::Flow;

/// With more items than this, conjugate gradients take less time than an inverse.
const MAX_INVERSE_ITEMS: usize = 300;

/// Up to so many items an inverse takes no longer than a few conjugate gradients.
const MAX_SMALL_ITEMS: usize = 48;

/// A direction need not be exact: the next one corrects it.
const TOLERANCE: f64 = 1e-5;

/// The Hessian at some scores.
pub(super) struct ScoreHessian {
    pairs: Arc<Flow>,
    ridge: f64,
    /// By pair.
    weights: Vec<f64>,
    /// One over the diagonal; the items are filled up to complete quads.
    inverse_diagonal: Vec<Quad>,
    /// The inverse; empty where there are too many items, or if rounding spoils it.
    inverse: Vec<Tile>,
    rhs: Vec<Quad>,
    direction: Vec<Quad>,
    scratch: JacobiScratch,
}

impl ScoreHessian {
    /// About how many cells could be evaluated while the Hessian of so many items is
    /// inverted.
    pub fn cost(items: usize) -> f64 {
        match items <= MAX_INVERSE_ITEMS {
            true => (items as f64).powi(3) / 32.0,
            false => 0.0,
        }
    }

    /// Without weights yet.
    pub fn new(pairs: &Arc<Flow>, ridge: f64) -> Self {
        let quads = pairs.items().div_ceil(4);
        Self {
            pairs: Arc::clone(pairs),
            ridge,
            weights: vec![0.0; pairs.len()],
            inverse_diagonal: vec![[1.0; 4]; quads],
            inverse: Vec::new(),
            rhs: vec![[0.0; 4]; quads],
            direction: vec![[0.0; 4]; quads],
            scratch: JacobiScratch::new(quads),
        }
    }

    /// The weights of the pairs, to be set before [`update`](Self::update).
    pub fn weights(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// Prepares directions with the current weights. A Hessian that serves for one direction
    /// is not worth an inverse, unless it is small.
    pub fn update(&mut self, is_kept: bool, stop: &Stop) -> Result<()> {
        let items = self.pairs.items();
        let mut diagonal = vec![self.ridge; items];
        for (pair, weight) in self.weights.iter().enumerate() {
            diagonal[self.pairs.a[pair] as usize] += weight;
            diagonal[self.pairs.b[pair] as usize] += weight;
        }
        let slots = self.inverse_diagonal.as_flattened_mut();
        for (slot, value) in slots.iter_mut().zip(&diagonal) {
            *slot = 1.0 / value;
        }
        self.inverse.clear();
        if items > MAX_INVERSE_ITEMS || (!is_kept && items > MAX_SMALL_ITEMS) {
            return Ok(());
        }
        self.inverse
            .resize(tiles(items.div_ceil(4)), Tile::default());
        for (item, value) in diagonal.into_iter().enumerate() {
            add(&mut self.inverse, item, item, value);
        }
        for (pair, weight) in self.weights.iter().enumerate() {
            let (a, b) = (self.pairs.a[pair] as usize, self.pairs.b[pair] as usize);
            add(&mut self.inverse, a, b, -weight);
            // A tile on the diagonal has both halves.
            add(&mut self.inverse, b, a, -weight);
        }
        if !invert(&mut self.inverse, items, stop)? {
            self.inverse.clear();
        }
        Ok(())
    }

    /// The direction (L + ρI)⁻¹ g.
    pub fn direction(&mut self, gradient: &[f64], stop: &Stop) -> Result<&[f64]> {
        let items = self.pairs.items();
        self.rhs.as_flattened_mut()[..items].copy_from_slice(&gradient[..items]);
        if !self.inverse.is_empty() {
            vectorised(DenseProduct {
                matrix: &self.inverse,
                x: &self.rhs,
                out: &mut self.direction,
            });
            return Ok(self.direction.as_flattened());
        }
        self.direction.fill([0.0; 4]);
        let operator = PairOperator {
            pairs: &self.pairs,
            weights: &self.weights,
            ridge: self.ridge,
        };
        let limits = Limits {
            tolerance: TOLERANCE,
            max_iterations: 2 * items + 50,
        };
        jacobi::solve(
            &operator,
            &self.inverse_diagonal,
            &self.rhs,
            &mut self.direction,
            &mut self.scratch,
            limits,
            stop,
        )?;
        Ok(self.direction.as_flattened())
    }
}

/// x ↦ (L + ρI) x, pair by pair.
struct PairOperator<'a> {
    pairs: &'a Flow,
    weights: &'a [f64],
    ridge: f64,
}

impl LinearOperator for PairOperator<'_> {
    fn apply(&self, x: &[Quad], out: &mut [Quad]) -> f64 {
        let (x, out) = (x.as_flattened(), out.as_flattened_mut());
        let mut curvature = 0.0;
        for (slot, x) in out.iter_mut().zip(x) {
            *slot = self.ridge * x;
            curvature += *slot * x;
        }
        for a in 0..self.pairs.items() {
            let (own, mut sum) = (x[a], 0.0);
            for pair in self.pairs.pairs_of(a) {
                let b = self.pairs.b[pair] as usize;
                let difference = own - x[b];
                let flow = self.weights[pair] * difference;
                sum += flow;
                out[b] -= flow;
                curvature += flow * difference;
            }
            out[a] += sum;
        }
        curvature
    }
}
