//! A connected component of the comparison graph.

use super::laplacian::{ComponentLaplacian, LaplacianLayout, inverse};
use super::warm_start::WarmStart;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::Limits;
use crate::linalg::csr::WeightedGraph;
use crate::linalg::dense::{DenseProduct, Tile};
use crate::linalg::jacobi::{self, JacobiScratch, LinearOperator};
use crate::linalg::simd::{Quad, vectorised};

/// Components of up to this many items are solved with a dense inverse.
const MAX_INVERSE_ITEMS: usize = 600;

/// The same for components that are stored as a dense matrix and solved often.
const MAX_DENSE_INVERSE_ITEMS: usize = 2000;

/// The residual of a solution may be this part of the right-hand side.
const TOLERANCE: f64 = 1e-13;

/// How often scores are solved for: an inverse pays if it is used often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveFrequency {
    /// Once or twice.
    Once,
    /// In every step of a path.
    Often,
}

/// A component, with rows in an order of its own.
#[derive(Debug)]
pub(super) struct Component {
    /// In the order of the table.
    pub items: Vec<u32>,
    /// The item of each row.
    item_of_row: Vec<u32>,
    /// One over the diagonal of the Laplacian.
    inverse_diagonal: Vec<Quad>,
    laplacian: ComponentLaplacian,
    /// None for a component solved by conjugate gradients.
    inverse: Option<Vec<Tile>>,
}

/// Vectors over a component's rows, filled up to complete quads with zeros.
#[derive(Debug)]
pub(super) struct ComponentScratch {
    pub rhs: Vec<Quad>,
    pub theta: Vec<Quad>,
    jacobi: JacobiScratch,
}

impl ComponentScratch {
    pub fn new(quads: usize) -> Self {
        Self {
            rhs: vec![[0.0; 4]; quads],
            theta: vec![[0.0; 4]; quads],
            jacobi: JacobiScratch::new(quads),
        }
    }
}

impl Component {
    /// `row_of_item` is scratch memory, by item.
    pub fn new(
        graph: &WeightedGraph,
        items: Vec<u32>,
        solves: SolveFrequency,
        row_of_item: &mut [u32],
        stop: &Stop,
    ) -> Result<Self> {
        stop.check()?;
        let n = items.len();
        let layout = LaplacianLayout::smallest(graph, &items);
        let max_inverse_items = match (layout, solves) {
            (LaplacianLayout::Dense, SolveFrequency::Often) => MAX_DENSE_INVERSE_ITEMS,
            _ => MAX_INVERSE_ITEMS,
        };
        let rows = layout.rows(graph, &items);
        let item_of_row: Vec<u32> = rows.iter().map(|&(_, item)| item).collect();
        let mut inverse_diagonal = vec![[1.0; 4]; n.div_ceil(4)];
        let diagonal = inverse_diagonal.as_flattened_mut().iter_mut();
        for (row, (slot, &item)) in diagonal.zip(&item_of_row).enumerate() {
            *slot = 1.0 / graph.degree(item);
            row_of_item[item as usize] = row as u32;
        }
        Ok(Self {
            inverse: (n <= max_inverse_items)
                .then(|| inverse(graph, &rows, row_of_item, stop))
                .transpose()?,
            laplacian: ComponentLaplacian::new(graph, layout, &rows, row_of_item),
            items,
            item_of_row,
            inverse_diagonal,
        })
    }

    /// Brings values by item into the order of rows.
    pub fn gather(&self, values: &[f64], out: &mut [Quad]) {
        let out = &mut out[..self.quads()];
        if let Some(last) = out.last_mut() {
            *last = [0.0; 4];
        }
        for (slot, &item) in out.as_flattened_mut().iter_mut().zip(&self.item_of_row) {
            *slot = values[item as usize];
        }
    }

    /// Brings values in the order of rows back to their items.
    pub fn scatter(&self, own: &[Quad], values: &mut [f64]) {
        for (&value, &item) in own.as_flattened().iter().zip(&self.item_of_row) {
            values[item as usize] = value;
        }
    }

    /// Solves for the scratch memory's θ, given its right-hand side.
    pub fn solve(
        &self,
        scratch: &mut ComponentScratch,
        warm_start: &mut Option<WarmStart>,
        stop: &Stop,
    ) -> Result<()> {
        let quads = self.quads();
        let (rhs, theta) = (&scratch.rhs[..quads], &mut scratch.theta[..quads]);
        if let Some(matrix) = &self.inverse {
            vectorised(DenseProduct {
                matrix,
                x: rhs,
                out: theta,
            });
            self.centre(theta);
            return Ok(());
        }
        let warm_start = warm_start.get_or_insert_with(|| WarmStart::new(quads));
        warm_start.guess(rhs, &self.inverse_diagonal, theta);
        let limits = Limits {
            tolerance: TOLERANCE,
            // On long thin graphs rounding sets the limit: with more iterations
            // than this nothing is gained.
            max_iterations: 2 * self.items.len() + 50,
        };
        jacobi::solve(
            &self.laplacian,
            &self.inverse_diagonal,
            rhs,
            theta,
            &mut scratch.jacobi,
            limits,
            stop,
        )?;
        self.centre(theta);
        warm_start.push(rhs, theta);
        Ok(())
    }

    /// out = L x.
    pub fn times(&self, x: &[Quad], out: &mut [Quad]) {
        let quads = self.quads();
        self.laplacian.apply(&x[..quads], &mut out[..quads]);
    }

    fn quads(&self) -> usize {
        self.inverse_diagonal.len()
    }

    /// Shifts scores to mean zero.
    fn centre(&self, theta: &mut [Quad]) {
        let theta = &mut theta.as_flattened_mut()[..self.items.len()];
        let mean = theta.iter().sum::<f64>() / theta.len() as f64;
        theta.iter_mut().for_each(|score| *score -= mean);
    }
}
