//! A connected component of the comparison graph.

use super::laplacian::{ComponentLaplacian, LaplacianLayout, inverse};
use super::warm_start::WarmStart;
use crate::error::{Error, Result};
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::Limits;
use crate::linalg::csr::WeightedGraph;
use crate::linalg::dense::{DenseProduct, Tile};
use crate::linalg::elimination::{Edge, Elimination, EliminationLimits};
use crate::linalg::jacobi::{self, JacobiScratch, LinearOperator};
use crate::linalg::simd::{Quad, vectorised};
use crate::linalg::vector::scaled_dot;
use crate::linalg::weakest_link::WeakestLink;
use crate::model::flow::Flow;

/// Components of up to this many items are solved with a dense inverse.
const MAX_INVERSE_ITEMS: usize = 600;

/// The same for components that are stored as a dense matrix and solved often.
const MAX_DENSE_INVERSE_ITEMS: usize = 2000;

/// The residual of a solution may be this part of the right-hand side.
const TOLERANCE: f64 = 1e-13;

/// A residual that is larger than this is an error and not a solution.
const MAX_RESIDUAL: f64 = 1e-9;

/// How far off scores may be, relative to the choices, for all the weights can do.
const MAX_ERROR: f64 = 1e-7;

/// With weights for which nothing else is accurate, so many entries: 200 MB.
const MAX_ENTRIES: usize = 8_000_000;

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
    method: SolveMethod,
    /// HodgeRank's scores of `items`, found from the flow, where items are joined by
    /// so little weight that a right-hand side does not tell them. None elsewhere.
    pub flow_scores: Option<Vec<f64>>,
}

/// How a component is solved.
#[derive(Debug)]
enum SolveMethod {
    Inverse(Vec<Tile>),
    Elimination(Elimination),
    ConjugateGradient,
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
        flow: &Flow,
        graph: &WeightedGraph,
        items: Vec<u32>,
        solves: SolveFrequency,
        row_of_item: &mut [u32],
        stop: &Stop,
    ) -> Result<Self> {
        stop.check()?;
        let n = items.len();
        let link = WeakestLink::of(graph, &items, MAX_ERROR / f64::EPSILON);
        let link = link.filter(|link| link.error() > MAX_ERROR);
        if let (Some(link), SolveFrequency::Often) = (link, solves) {
            return Err(too_weak(link));
        }
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
        let mut inverse = match n <= max_inverse_items && link.is_none() {
            true => inverse(graph, &rows, row_of_item, stop)?,
            false => None,
        };
        let eliminated = if inverse.is_none() && link.is_none() {
            let limits = match n <= max_inverse_items {
                true => Some(EliminationLimits::NONE),
                false => EliminationLimits::thin(graph, &[&items]),
            };
            let edges = || edges(graph, &item_of_row, row_of_item);
            limits.map(|limits| Elimination::new(edges(), limits, stop))
        } else {
            None
        };
        let method = match (inverse.take(), eliminated.transpose()?.flatten()) {
            (Some(inverse), _) => SolveMethod::Inverse(inverse),
            (None, Some(found)) => SolveMethod::Elimination(found),
            (None, None) => SolveMethod::ConjugateGradient,
        };
        let flow_scores = link.map(|_| fit_flow(flow, &items, stop)).transpose()?;
        Ok(Self {
            method,
            flow_scores,
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
        match &self.method {
            SolveMethod::Inverse(matrix) => {
                vectorised(DenseProduct {
                    matrix,
                    x: rhs,
                    out: theta,
                });
                self.centre(theta);
                return Ok(());
            }
            SolveMethod::Elimination(elimination) => {
                theta.copy_from_slice(rhs);
                let rows = &mut theta.as_flattened_mut()[..self.items.len()];
                elimination.solve(rows.as_chunks_mut::<1>().0);
                self.centre(theta);
                return Ok(());
            }
            SolveMethod::ConjugateGradient => {}
        }
        let warm_start = warm_start.get_or_insert_with(|| WarmStart::new(quads));
        warm_start.guess(rhs, &self.inverse_diagonal, theta);
        let limits = Limits {
            tolerance: TOLERANCE,
            // On long thin graphs rounding sets the limit: with more iterations
            // than this nothing is gained.
            max_iterations: 2 * self.items.len() + 50,
        };
        let residual = jacobi::solve(
            &self.laplacian,
            &self.inverse_diagonal,
            rhs,
            theta,
            &mut scratch.jacobi,
            limits,
            stop,
        )?;
        if residual > MAX_RESIDUAL && residual > self.unsolvable_part(rhs) {
            return Err(not_converged(residual));
        }
        self.centre(theta);
        warm_start.push(rhs, theta);
        Ok(())
    }

    /// The scores of `items` whose differences are closest to a flow.
    pub fn fit_flow(&self, flow: &Flow, stop: &Stop) -> Result<Vec<f64>> {
        fit_flow(flow, &self.items, stop)
    }

    /// Brings scores in the order of `items` to all items.
    pub fn scatter_scores(&self, scores: &[f64], values: &mut [f64]) {
        for (&score, &item) in scores.iter().zip(&self.items) {
            values[item as usize] = score;
        }
    }

    /// out = L x.
    pub fn times(&self, x: &[Quad], out: &mut [Quad]) {
        let quads = self.quads();
        self.laplacian.apply(&x[..quads], &mut out[..quads]);
    }

    /// The part of a right-hand side that no scores explain, since it does not sum to
    /// zero. Where votes balance each other, rounding may be all there is.
    fn unsolvable_part(&self, rhs: &[Quad]) -> f64 {
        let degrees = self.inverse_diagonal.as_flattened()[..self.items.len()].iter();
        let total: f64 = degrees.map(|inverse| 1.0 / inverse).sum();
        let sum: f64 = rhs.as_flattened().iter().sum();
        let energy = scaled_dot(rhs, rhs, &self.inverse_diagonal);
        // Twice, as that rounds too.
        2.0 * (sum * sum / total / energy).sqrt()
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

/// The scores of a component's items whose differences are closest to a flow, with
/// mean zero.
fn fit_flow(flow: &Flow, items: &[u32], stop: &Stop) -> Result<Vec<f64>> {
    let row = |item: u32| items.partition_point(|&other| other < item);
    let mut rows = vec![Vec::new(); items.len()];
    for (first, &a) in items.iter().enumerate() {
        for pair in flow.pairs_of(a as usize) {
            let (second, weight) = (row(flow.b[pair]), flow.weight[pair]);
            for (own, other, sign) in [(first, second, 1.0), (second, first, -1.0)] {
                rows[own].push(Edge {
                    node: other as u32,
                    weight,
                    flow: sign * flow.value[pair],
                });
            }
        }
    }
    let limits = EliminationLimits {
        entries: MAX_ENTRIES,
        work: usize::MAX,
    };
    let found = Elimination::new(rows, limits, stop)?.ok_or_else(too_large)?;
    let mut scores = found.potentials();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    scores.iter_mut().for_each(|score| *score -= mean);
    Ok(scores)
}

/// The edges of each row.
fn edges(graph: &WeightedGraph, item_of_row: &[u32], row_of_item: &[u32]) -> Vec<Vec<Edge>> {
    let edge = |(item, weight): (u32, f64)| Edge {
        node: row_of_item[item as usize],
        weight,
        flow: 0.0,
    };
    let rows = item_of_row.iter();
    rows.map(|&item| graph.row(item).map(edge).collect())
        .collect()
}

fn too_weak(link: WeakestLink) -> Error {
    Error::votes(format!(
        "the weights differ too much for effects of annotators: items that were compared with \
         each other by votes of weight {:.1e} are joined with other items by votes of weight \
         {:.1e} only, where scores would be off by up to {:.0e}; leave out votes of negligible \
         weight, or set personal and position_bias to false for a ranking that is accurate with \
         any weights",
        link.within,
        link.weight,
        link.error()
    ))
}

fn too_large() -> Error {
    Error::votes(
        "the weights differ too much for so many items: accurate scores would need too much \
         memory; leave out votes of negligible weight",
    )
}

fn not_converged(residual: f64) -> Error {
    Error::votes(format!(
        "the scores did not converge: the relative residual is {residual:.0e} and should be \
         {TOLERANCE:e}; items are joined by too few votes or by votes of negligible weight: \
         leave those out, or rank parts of the items on their own"
    ))
}
