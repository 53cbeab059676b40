//! Many small graphs as lists of neighbours, for products with their Laplacians:
//!
//! ```text
//! (L x)_i = Σ over edges (i, j) of weight · (x_i − x_j)
//! ```
//!
//! The layout is that of sliced ELLPACK. A row has one entry for each edge at
//! its node, the node at the other end; parallel edges are entries of their own.
//! Nodes are sorted by their number of edges. Four rows at a time are stored
//! side by side and filled up to the length of the first with entries that point
//! to their own node, which add nothing. So a product works on four rows at once,
//! and rows of equal length are handled in one loop without a branch for each row.

use std::array::from_fn;

use crate::linalg::gather::{
    GatherIndex, GatherIndices, GatherPartMut, GatherSlice, GatheredValues,
};
use crate::linalg::simd::{Lanes, Quad, Sink};

/// The graphs, one after the other.
#[derive(Debug)]
pub(crate) struct AdjacencyLists {
    /// Where each graph's runs and weights begin, and where the last ones end.
    starts: Vec<(usize, usize)>,
    /// The number of nodes of each graph, and of its edges.
    sizes: Vec<(u32, u32)>,
    runs: Vec<Run>,
    /// Entries of four rows side by side; a part for each graph.
    neighbours: Neighbours,
    /// None if every edge weighs 1.
    weights: Option<Vec<Quad>>,
    /// Where the next entry of each row of the latest graph goes.
    next: Vec<usize>,
}

/// The nodes at the other ends of edges, in two bytes each where no graph has more nodes.
#[derive(Debug)]
enum Neighbours {
    Narrow(GatherIndices<u16>),
    Wide(GatherIndices<u32>),
}

/// Those of one graph.
#[derive(Clone, Copy, Debug)]
enum NeighbourSlice<'a> {
    Narrow(GatherSlice<'a, u16>),
    Wide(GatherSlice<'a, u32>),
}

/// Those of one graph, to be changed.
enum NeighboursMut<'a> {
    Narrow(GatherPartMut<'a, u16>),
    Wide(GatherPartMut<'a, u32>),
}

impl NeighboursMut<'_> {
    #[inline(always)]
    fn set(&mut self, position: usize, index: u32) {
        match self {
            Self::Narrow(indices) => indices.set(position, index),
            Self::Wide(indices) => indices.set(position, index),
        }
    }
}

impl Neighbours {
    fn with_capacity(quads: usize, max_nodes: usize) -> Self {
        // Rows come in quads, so there may be up to three nodes more.
        match max_nodes.next_multiple_of(4) <= 1 << 16 {
            true => Self::Narrow(GatherIndices::with_capacity(quads)),
            false => Self::Wide(GatherIndices::with_capacity(quads)),
        }
    }

    fn begin(&mut self, bound: usize) {
        match self {
            Self::Narrow(indices) => indices.begin(bound),
            Self::Wide(indices) => indices.begin(bound),
        }
    }

    fn extend(&mut self, quad: [u32; 4], times: usize) {
        match self {
            Self::Narrow(indices) => indices.extend(quad, times),
            Self::Wide(indices) => indices.extend(quad, times),
        }
    }

    /// Those of the latest graph.
    fn latest(&mut self) -> NeighboursMut<'_> {
        match self {
            Self::Narrow(indices) => NeighboursMut::Narrow(indices.latest()),
            Self::Wide(indices) => NeighboursMut::Wide(indices.latest()),
        }
    }

    #[inline(always)]
    fn of(&self, graph: usize) -> NeighbourSlice<'_> {
        match self {
            Self::Narrow(indices) => NeighbourSlice::Narrow(indices.part(graph)),
            Self::Wide(indices) => NeighbourSlice::Wide(indices.part(graph)),
        }
    }
}

impl NeighbourSlice<'_> {
    /// The node at the other end of an edge.
    fn get(&self, entry: usize, lane: usize) -> usize {
        match self {
            Self::Narrow(neighbours) => neighbours.quads()[entry][lane].position(),
            Self::Wide(neighbours) => neighbours.quads()[entry][lane].position(),
        }
    }
}

/// Consecutive quads of rows with the same length.
#[derive(Clone, Copy, Debug)]
struct Run {
    length: u32,
    quads: u32,
}

/// One graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjacency<'a> {
    rows: usize,
    edges: usize,
    runs: &'a [Run],
    neighbours: NeighbourSlice<'a>,
    weights: Option<&'a [Quad]>,
}

impl AdjacencyLists {
    /// With memory for so many edges, of graphs with at most so many nodes each.
    pub fn with_capacity(edges: usize, max_nodes: usize, weighted: bool) -> Self {
        Self {
            starts: vec![(0, 0)],
            sizes: Vec::new(),
            runs: Vec::new(),
            neighbours: Neighbours::with_capacity(edges / 2, max_nodes),
            weights: weighted.then(|| Vec::with_capacity(edges / 2)),
            next: Vec::new(),
        }
    }

    /// Begins another graph. `order` has the number of edges of each node first,
    /// in descending order; what comes second is not looked at.
    pub fn begin(&mut self, order: &[(u32, u32)]) -> AdjacencyBuilder<'_> {
        let first_run = self.runs.len();
        self.neighbours.begin(order.len().next_multiple_of(4));
        self.next.clear();
        let mut end = 0;
        for (index, rows) in order.chunks(4).enumerate() {
            let length = rows[0].0;
            match self.runs[first_run..].last_mut() {
                Some(run) if run.length == length => run.quads += 1,
                _ => self.runs.push(Run { length, quads: 1 }),
            }
            let lanes = 0..rows.len();
            self.next.extend(lanes.map(|lane| 4 * end + lane));
            let own = from_fn(|lane| (4 * index + lane) as u32);
            self.neighbours.extend(own, length as usize);
            end += length as usize;
        }
        let first = self.starts[self.starts.len() - 1].1;
        self.starts.push((self.runs.len(), first + end));
        self.sizes.push((order.len() as u32, 0));
        let weights = self.weights.as_mut().map(|weights| {
            weights.resize(first + end, [0.0; 4]);
            weights[first..].as_flattened_mut()
        });
        let (_, edges) = self.sizes.last_mut().expect("was just added");
        AdjacencyBuilder {
            edges,
            next: &mut self.next,
            neighbours: self.neighbours.latest(),
            weights,
        }
    }

    #[inline(always)]
    pub fn of(&self, graph: usize) -> Adjacency<'_> {
        let (rows, edges) = self.sizes[graph];
        let (run, entry) = self.starts[graph];
        let (last_run, last_entry) = self.starts[graph + 1];
        let weights = self.weights.as_ref();
        Adjacency {
            rows: rows as usize,
            edges: edges as usize,
            runs: &self.runs[run..last_run],
            neighbours: self.neighbours.of(graph),
            weights: weights.map(|weights| &weights[entry..last_entry]),
        }
    }
}

/// A graph to which edges are added.
pub(crate) struct AdjacencyBuilder<'a> {
    edges: &'a mut u32,
    next: &'a mut [usize],
    neighbours: NeighboursMut<'a>,
    weights: Option<&'a mut [f64]>,
}

impl AdjacencyBuilder<'_> {
    /// Adds an edge between two nodes.
    #[inline(always)]
    pub fn push(&mut self, a: usize, b: usize, weight: f64) {
        *self.edges += 1;
        for (row, other) in [(a, b), (b, a)] {
            let entry = self.next[row];
            self.next[row] += 4;
            self.neighbours.set(entry, other as u32);
            if let Some(weights) = &mut self.weights {
                weights[entry] = weight;
            }
        }
    }
}

impl<'a> Adjacency<'a> {
    /// The rows, each as the edges at a node: the other node and the weight.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)> + 'a> + 'a {
        let (neighbours, weights) = (self.neighbours, self.weights);
        let quads = self.runs.iter();
        let quads = quads.flat_map(|run| (0..run.quads).map(|_| run.length as usize));
        let mut end = 0;
        let quads = quads.map(move |length| {
            end += length;
            end - length..end
        });
        let rows = quads.enumerate().flat_map(move |(quad, entries)| {
            (0..4).map(move |lane| {
                let own = 4 * quad + lane;
                let entries = entries.clone();
                let edges = entries.take_while(move |&entry| neighbours.get(entry, lane) != own);
                edges.map(move |entry| {
                    let weight = weights.map_or(1.0, |weights| weights[entry][lane]);
                    (neighbours.get(entry, lane), weight)
                })
            })
        });
        rows.take(self.rows)
    }

    /// The number of edges, each of which is in two rows.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// The diagonal of the Laplacian: the weight of the edges at each node.
    pub fn degrees(&self) -> impl Iterator<Item = f64> + 'a {
        self.rows().map(|row| row.map(|(_, weight)| weight).sum())
    }

    /// Hands the product L x to a sink, quad by quad.
    #[inline(always)]
    pub fn product<L: Lanes>(&self, lanes: L, x: &[Quad], sink: &mut impl Sink<L>) {
        match self.neighbours {
            NeighbourSlice::Narrow(neighbours) => self.product_at(lanes, neighbours, x, sink),
            NeighbourSlice::Wide(neighbours) => self.product_at(lanes, neighbours, x, sink),
        }
    }

    #[inline(always)]
    fn product_at<L: Lanes, I: GatherIndex>(
        &self,
        lanes: L,
        mut neighbours: GatherSlice<'_, I>,
        x: &[Quad],
        sink: &mut impl Sink<L>,
    ) {
        let mut first = 0;
        let mut weights = self.weights;
        for run in self.runs {
            let (length, quads) = (run.length as usize, run.quads as usize);
            let (these, later) = neighbours.split_at(quads * length);
            neighbours = later;
            let rows = RunProduct {
                first,
                own: &x[first..first + quads],
                others: these.of(x.as_flattened()),
            };
            first += quads;
            if let Some(all) = weights {
                let (these, later) = all.split_at(quads * length);
                weights = Some(later);
                rows.weighted(lanes, length, these, sink);
                continue;
            }
            match length {
                1 => rows.sums(lanes, rows.others.chunks_of::<1>(), sink),
                2 => rows.sums(lanes, rows.others.chunks_of::<2>(), sink),
                3 => rows.sums(lanes, rows.others.chunks_of::<3>(), sink),
                4 => rows.sums(lanes, rows.others.chunks_of::<4>(), sink),
                _ => rows.sums(lanes, rows.others.chunks(length), sink),
            }
        }
    }
}

/// The product of a run's rows.
struct RunProduct<'a, I> {
    /// The index of the first quad of rows.
    first: usize,
    /// x at the rows themselves.
    own: &'a [Quad],
    /// x at their neighbours, entry by entry.
    others: GatheredValues<'a, 'a, I>,
}

impl<I: GatherIndex> RunProduct<'_, I> {
    /// With weights of 1. The rows come as an iterator so that short lengths can
    /// be known to the compiler.
    #[inline(always)]
    fn sums<'b, L: Lanes>(
        &self,
        lanes: L,
        rows: impl Iterator<Item = GatheredValues<'b, 'b, I>>,
        sink: &mut impl Sink<L>,
    ) {
        for (index, (own, others)) in self.own.iter().zip(rows).enumerate() {
            let own = lanes.load(own);
            let mut sum = lanes.splat(0.0);
            for other in others.iter() {
                sum = lanes.add(sum, lanes.subtract(own, lanes.load(&other)));
            }
            sink.take(lanes, self.first + index, sum);
        }
    }

    #[inline(always)]
    fn weighted<L: Lanes>(
        &self,
        lanes: L,
        length: usize,
        weights: &[Quad],
        sink: &mut impl Sink<L>,
    ) {
        let rows = self.others.chunks(length).zip(weights.chunks_exact(length));
        for (index, (own, (others, weights))) in self.own.iter().zip(rows).enumerate() {
            let own = lanes.load(own);
            let mut sum = lanes.splat(0.0);
            for (other, weights) in others.iter().zip(weights) {
                let difference = lanes.subtract(own, lanes.load(&other));
                sum = lanes.add_product(sum, lanes.load(weights), difference);
            }
            sink.take(lanes, self.first + index, sum);
        }
    }
}
