//! The annotators' statistics in the form in which a step of the path needs them:
//! products with the Laplacian, as a dense matrix if the graph is dense and as a
//! sum over votes otherwise, and the other vectors in the same order of items.
//!
//! If an annotator's graph is dense, and all items of the table take no more quads
//! than the items that the annotator saw, then the block is over all items in the
//! table's order. That saves gathering and scattering.

use super::statistics::{Adjacency, AnnotatorQuads, BlockStatistics, SideSlices, SideSumsOf};
use crate::linalg::dense::{self, Tile, tiles};
use crate::linalg::gather::{GatherSlice, GatheredValuesMut};
use crate::linalg::simd::{Lanes, Quad, Sink, StoredQuad, sum};

/// The annotators' blocks, in the order in which they were added.
pub(super) struct Blocks {
    /// By annotator.
    layouts: Vec<BlockLayout>,
    tiles: Vec<Tile>,
    /// a_u and b_u over all items, for blocks over all items.
    vectors: Vec<Quad>,
}

/// How a block is stored, and where its tiles and vectors begin.
#[derive(Clone, Copy)]
enum BlockLayout {
    /// No tiles: products go over the votes.
    Sparse,
    /// The items that the annotator saw, in the order of its statistics.
    SeenItems { tiles: usize },
    /// All items, in the table's order.
    AllItems { tiles: usize, vectors: usize },
}

/// One annotator's block.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    /// The items that the vectors are over; None for all items in the table's order.
    pub items: Option<GatherSlice<'a>>,
    pub side_sums: SideSumsOf<'a>,
    pub votes: f64,
    pub net_left: f64,
    laplacian: BlockLaplacian<'a>,
}

#[derive(Clone, Copy)]
enum BlockLaplacian<'a> {
    Dense(&'a [Tile]),
    Sparse(Adjacency<'a>),
}

/// Whether tiles are faster than votes. A tile of a small block takes about as long
/// as a vote. In larger blocks it takes longer, as it comes from a slower cache.
fn is_dense(quads: usize, graph: &Adjacency<'_>) -> bool {
    let votes_per_tile = 1 + quads / 8;
    tiles(quads) * votes_per_tile <= graph.edges()
}

impl Blocks {
    /// Reserves memory for every annotator that may need it. Memory that is
    /// reserved but not written to costs nothing.
    pub(super) fn new(statistics: &BlockStatistics) -> Self {
        let quads = |u: usize| statistics.quad_range(u).len();
        let annotators = statistics.annotators();
        let dense = || (0..annotators).filter(|&u| is_dense(quads(u), &statistics.graph(u)));
        let all = statistics.items().div_ceil(4);
        let over_all_items = dense().filter(|&u| quads(u) == all).count();
        Self {
            layouts: vec![BlockLayout::Sparse; annotators],
            tiles: Vec::with_capacity(dense().map(|u| tiles(quads(u))).sum()),
            vectors: Vec::with_capacity(2 * all * over_all_items),
        }
    }

    /// Prepares an annotator's block. Before that its products go over votes.
    pub(super) fn add(&mut self, statistics: &BlockStatistics, u: usize) {
        let graph = statistics.graph(u);
        let annotator = statistics.quads(u);
        let quads = annotator.side_sums.quads();
        if !is_dense(quads, &graph) {
            return;
        }
        let start = self.tiles.len();
        self.tiles.resize(start + tiles(quads), Tile::default());
        let block = &mut self.tiles[start..];
        let items = statistics.annotator(u).items;
        let all = quads == statistics.items().div_ceil(4);
        let index = |row: usize| if all { items[row] as usize } else { row };
        for (row, edges) in graph.rows().enumerate() {
            for (other, weight) in edges {
                dense::add(block, index(row), index(row), weight);
                dense::add(block, index(row), index(other), -weight);
            }
        }
        self.layouts[u] = BlockLayout::SeenItems { tiles: start };
        if all {
            let vectors = self.vectors.len();
            self.layouts[u] = BlockLayout::AllItems {
                tiles: start,
                vectors,
            };
            self.vectors.resize(vectors + 2 * quads, [0.0; 4]);
            let (imbalance, net_wins) = self.vectors[vectors..].split_at_mut(quads);
            spread(items, annotator.side_sums.imbalance(), imbalance);
            spread(items, annotator.side_sums.net_wins(), net_wins);
        }
    }

    #[inline(always)]
    pub(super) fn of<'a>(&'a self, statistics: &'a BlockStatistics, u: usize) -> Block<'a> {
        let AnnotatorQuads {
            items,
            side_sums,
            votes,
            net_left,
        } = statistics.quads(u);
        let quads = side_sums.quads();
        let own = Block {
            items: Some(items),
            side_sums,
            votes,
            net_left,
            laplacian: BlockLaplacian::Dense(&[]),
        };
        let dense = |start: usize| BlockLaplacian::Dense(&self.tiles[start..start + tiles(quads)]);
        match self.layouts[u] {
            BlockLayout::Sparse => Block {
                laplacian: BlockLaplacian::Sparse(statistics.graph(u)),
                ..own
            },
            BlockLayout::SeenItems { tiles } => Block {
                laplacian: dense(tiles),
                ..own
            },
            BlockLayout::AllItems { tiles, vectors } => Block {
                items: None,
                side_sums: SideSumsOf::Numbers(SideSlices {
                    imbalance: &self.vectors[vectors..vectors + quads],
                    net_wins: &self.vectors[vectors + quads..vectors + 2 * quads],
                }),
                laplacian: dense(tiles),
                ..own
            },
        }
    }

    /// Brings values over an annotator's items into the order of its block.
    pub(super) fn arrange(
        &self,
        statistics: &BlockStatistics,
        u: usize,
        own: &[Quad],
        out: &mut [Quad],
    ) {
        match self.layouts[u] {
            BlockLayout::AllItems { .. } => {
                spread(statistics.annotator(u).items, own.iter().copied(), out);
            }
            BlockLayout::Sparse | BlockLayout::SeenItems { .. } => out.copy_from_slice(own),
        }
    }

    /// Brings values in the order of an annotator's block into that of its items.
    pub(super) fn restore(
        &self,
        statistics: &BlockStatistics,
        u: usize,
        block: &[Quad],
        out: &mut [Quad],
    ) {
        match self.layouts[u] {
            BlockLayout::AllItems { .. } => {
                let items = statistics.annotator(u).items.iter();
                for (slot, &item) in out.as_flattened_mut().iter_mut().zip(items) {
                    *slot = block.as_flattened()[item as usize];
                }
            }
            BlockLayout::Sparse | BlockLayout::SeenItems { .. } => out.copy_from_slice(block),
        }
    }
}

/// Puts each value at the index of its item.
fn spread(items: &[u32], values: impl Iterator<Item = Quad>, out: &mut [Quad]) {
    out.fill([0.0; 4]);
    for (&item, value) in items.iter().zip(values.flatten()) {
        out.as_flattened_mut()[item as usize] = value;
    }
}

impl Block<'_> {
    /// Hands the product L_u x to a sink, quad by quad. `image` is scratch memory.
    #[inline(always)]
    pub(super) fn product<L: Lanes>(
        &self,
        lanes: L,
        x: &[Quad],
        image: &mut [Quad],
        sink: &mut impl Sink<L>,
    ) {
        match &self.laplacian {
            BlockLaplacian::Dense(tiles) => {
                dense::times(lanes, tiles, x, image);
                for (index, value) in image.iter().enumerate() {
                    sink.take(lanes, index, lanes.load(value));
                }
            }
            BlockLaplacian::Sparse(graph) => graph.product(lanes, x, sink),
        }
    }

    /// x = θ + scale·z at the block's items. Returns a_uᵀx, given a_u.
    #[inline(always)]
    pub(super) fn scores<L: Lanes, Q: StoredQuad>(
        &self,
        lanes: L,
        imbalance: &[Q],
        theta: &[f64],
        (scale, z): (f64, &[Quad]),
        x: &mut [Quad],
    ) -> f64 {
        let scale = lanes.splat(scale);
        let mut product = lanes.splat(0.0);
        let mut score = |theta: &Quad, ((slot, z), a): ((&mut Quad, &Quad), &Q)| {
            let score = lanes.add_product(lanes.load(theta), scale, lanes.load(z));
            product = lanes.add_product(product, a.load(lanes), score);
            lanes.store(score, slot);
        };
        let columns = x.iter_mut().zip(z).zip(imbalance);
        match self.items {
            Some(items) => {
                for (theta, columns) in items.of(theta).iter().zip(columns) {
                    score(&theta, columns);
                }
            }
            None => {
                for (theta, columns) in theta.as_chunks::<4>().0.iter().zip(columns) {
                    score(theta, columns);
                }
            }
        }
        sum(lanes.quad(product))
    }

    /// Values over all items of the table, at the block's items.
    #[inline(always)]
    pub(super) fn at_items<'x>(&self, values: &'x mut [f64]) -> AtItems<'_, 'x> {
        match self.items {
            Some(items) => AtItems::Some(items.of_mut(values)),
            None => AtItems::All(values.as_chunks_mut::<4>().0),
        }
    }
}

/// Values at the items of a block.
pub(super) enum AtItems<'a, 'x> {
    Some(GatheredValuesMut<'a, 'x>),
    All(&'x mut [Quad]),
}

impl AtItems<'_, '_> {
    /// Subtracts from a quad.
    #[inline(always)]
    pub(super) fn subtract<L: Lanes>(&mut self, lanes: L, quad: usize, change: L::Register) {
        match self {
            Self::Some(values) => values.subtract(quad, lanes.quad(change)),
            Self::All(values) => {
                let slot = &mut values[quad];
                lanes.store(lanes.subtract(lanes.load(slot), change), slot);
            }
        }
    }
}
