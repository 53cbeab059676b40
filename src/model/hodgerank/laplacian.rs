//! The Laplacian of a connected component, in the layout that takes the least
//! memory and with it the least time.

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::adjacency::AdjacencyLists;
use crate::linalg::csr::WeightedGraph;
use crate::linalg::dense::{self, Tile, add, get, invert, tiles};
use crate::linalg::jacobi::LinearOperator;
use crate::linalg::simd::{Kernel, Lanes, Quad, Sink, sum, vectorised};

#[derive(Debug)]
pub(super) enum ComponentLaplacian {
    Dense(Vec<Tile>),
    /// Lists with a single graph.
    Sparse(AdjacencyLists),
}

/// How a Laplacian is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LaplacianLayout {
    Dense,
    /// Each pair is an edge with a weight.
    WeightedPairs,
    /// Each vote is an edge.
    SingleVotes,
}

impl LaplacianLayout {
    /// The smallest layout for the component with these items.
    pub fn smallest(graph: &WeightedGraph, items: &[u32]) -> Self {
        let (mut pairs, mut votes, mut all_integers) = (0, 0.0, true);
        for (_, weight) in items.iter().flat_map(|&item| graph.row(item)) {
            pairs += 1;
            votes += weight;
            all_integers &= weight.fract() == 0.0;
        }
        let neighbour = size_of::<u32>();
        let weighted = pairs * (neighbour + size_of::<f64>());
        let dense = tiles(items.len().div_ceil(4)) * size_of::<Tile>();
        // An item that was compared with nothing has no edges to list.
        if dense <= weighted || items.len() == 1 {
            Self::Dense
        } else if all_integers && votes * neighbour as f64 <= weighted as f64 {
            Self::SingleVotes
        } else {
            Self::WeightedPairs
        }
    }

    /// How many edges a pair with so many votes becomes.
    fn edges(self, weight: f64) -> u32 {
        if self == Self::SingleVotes {
            weight as u32
        } else {
            1
        }
    }

    /// The component's items in the order of rows, each after the number of its
    /// edges: most edges first, or unchanged in a dense matrix, where the order
    /// makes no difference.
    pub fn rows(self, graph: &WeightedGraph, items: &[u32]) -> Vec<(u32, u32)> {
        let edges = |item: u32| {
            let edges = graph.row(item).map(|(_, weight)| self.edges(weight));
            edges.sum::<u32>()
        };
        let mut rows: Vec<(u32, u32)> = items.iter().map(|&item| (edges(item), item)).collect();
        if self != Self::Dense {
            rows.sort_unstable_by_key(|&(edges, item)| (!edges, item));
        }
        rows
    }
}

impl ComponentLaplacian {
    /// `rows` are those of the layout.
    pub fn new(
        graph: &WeightedGraph,
        layout: LaplacianLayout,
        rows: &[(u32, u32)],
        row_of_item: &[u32],
    ) -> Self {
        if layout == LaplacianLayout::Dense {
            return Self::Dense(matrix(graph, rows, row_of_item));
        }
        let entries: usize = rows.iter().map(|&(edges, _)| edges as usize).sum();
        let is_weighted = layout == LaplacianLayout::WeightedPairs;
        let mut lists = AdjacencyLists::with_capacity(entries / 2, rows.len(), is_weighted);
        let mut edges = lists.begin(rows);
        for (row, &(_, item)) in rows.iter().enumerate() {
            for (neighbour, weight) in graph.row(item).filter(|&(other, _)| other > item) {
                for _ in 0..layout.edges(weight) {
                    edges.push(row, row_of_item[neighbour as usize] as usize, weight);
                }
            }
        }
        Self::Sparse(lists)
    }
}

fn matrix(graph: &WeightedGraph, rows: &[(u32, u32)], row_of_item: &[u32]) -> Vec<Tile> {
    let mut matrix = vec![Tile::default(); tiles(rows.len().div_ceil(4))];
    for (row, &(_, item)) in rows.iter().enumerate() {
        add(&mut matrix, row, row, graph.degree(item));
        for (neighbour, weight) in graph.row(item) {
            let column = row_of_item[neighbour as usize] as usize;
            add(&mut matrix, row, column, -weight);
        }
    }
    matrix
}

/// An inverse is used up to this condition number. At five times as much, scores of
/// two pairs with a light bridge were off by 1e-9.
const MAX_CONDITION: f64 = 1e6;

/// (L + w·11ᵀ/n)⁻¹, w the mean degree. None if it is not accurate.
pub(super) fn inverse(
    graph: &WeightedGraph,
    rows: &[(u32, u32)],
    row_of_item: &[u32],
    stop: &Stop,
) -> Result<Option<Vec<Tile>>> {
    let mut matrix = matrix(graph, rows, row_of_item);
    let n = rows.len();
    if n == 1 {
        return Ok(Some(matrix));
    }
    let degrees = || rows.iter().map(|&(_, item)| graph.degree(item));
    let constant = degrees().sum::<f64>() / (n * n) as f64;
    for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
        add(&mut matrix, row, column, constant);
    }
    if !invert(&mut matrix, n, stop)? {
        return Ok(None);
    }
    // A diagonal element is at most the largest eigenvalue, and at least its n-th part
    // for one of them.
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let condition =
        largest(&mut degrees()) * largest(&mut (0..n).map(|row| get(&matrix, row, row)));
    Ok((condition <= MAX_CONDITION).then_some(matrix))
}

impl LinearOperator for ComponentLaplacian {
    fn apply(&self, x: &[Quad], out: &mut [Quad]) -> f64 {
        vectorised(LaplacianProduct {
            laplacian: self,
            x,
            out,
        })
    }
}

struct LaplacianProduct<'a> {
    laplacian: &'a ComponentLaplacian,
    x: &'a [Quad],
    out: &'a mut [Quad],
}

impl Kernel for LaplacianProduct<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let Self { laplacian, x, out } = self;
        let mut curvature = lanes.splat(0.0);
        match laplacian {
            ComponentLaplacian::Dense(matrix) => {
                dense::times(lanes, matrix, x, out);
                for (x, image) in x.iter().zip(out) {
                    curvature = lanes.add_product(curvature, lanes.load(x), lanes.load(image));
                }
            }
            ComponentLaplacian::Sparse(lists) => {
                let mut sink = CurvatureSink { x, out, curvature };
                lists.of(0).product(lanes, x, &mut sink);
                curvature = sink.curvature;
            }
        }
        sum(lanes.quad(curvature))
    }
}

/// Stores L x and adds up xᵀLx.
struct CurvatureSink<'a, L: Lanes> {
    x: &'a [Quad],
    out: &'a mut [Quad],
    curvature: L::Register,
}

impl<L: Lanes> Sink<L> for CurvatureSink<'_, L> {
    #[inline(always)]
    fn take(&mut self, lanes: L, index: usize, value: L::Register) {
        self.curvature = lanes.add_product(self.curvature, lanes.load(&self.x[index]), value);
        lanes.store(value, &mut self.out[index]);
    }
}
