//! The annotators' statistics in the form in which a step of the path needs them:
//! products with the Laplacian, as a dense matrix if the graph is dense and as a
//! sum over votes otherwise, and the other vectors in the same order of items.
//!
//! If an annotator's graph is dense, and all items of the table take no more quads
//! than the items that the annotator saw, then the block is over all items in the
//! table's order. That saves gathering and scattering.

use super::statistics::{Adjacency, AnnotatorQuads, BlockStatistics, SideSlices, SideSumsOf};
use crate::linalg::dense::{self, SmallMatrix, Tile, tiles};
use crate::linalg::gather::{GatherSlice, GatheredValuesMut};
use crate::linalg::simd::{Lanes, Quad, Sink, StoredQuad, sum};

/// The annotators' blocks, in the order in which they were added.
pub(super) struct Blocks {
    /// By annotator.
    layouts: Vec<BlockLayout>,
    tiles: Vec<Tile>,
    /// a_u and b_u of dense blocks as numbers, in the order of the block.
    vectors: Vec<Quad>,
}

/// How a block is stored, and where its tiles and vectors begin.
#[derive(Clone, Copy)]
enum BlockLayout {
    /// No tiles: products go over the votes.
    Sparse,
    /// The items that the annotator saw, in the order of its statistics.
    SeenItems { tiles: usize, vectors: usize },
    /// All items, in the table's order.
    AllItems { tiles: usize, vectors: usize },
}

/// One annotator's block.
#[derive(Clone, Copy)]
pub(super) struct Block<'a, M = BlockLaplacian<'a>> {
    /// The items that the vectors are over; None for all items in the table's order.
    pub items: Option<GatherSlice<'a>>,
    pub side_sums: SideSumsOf<'a>,
    pub votes: f64,
    pub net_left: f64,
    laplacian: M,
}

/// Tiles or votes.
#[derive(Clone, Copy)]
pub(super) enum BlockLaplacian<'a> {
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
        Self {
            layouts: vec![BlockLayout::Sparse; annotators],
            tiles: Vec::with_capacity(dense().map(|u| tiles(quads(u))).sum()),
            vectors: Vec::with_capacity(dense().map(|u| 2 * quads(u)).sum()),
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
        let (tiles, vectors) = (start, self.vectors.len());
        self.vectors.resize(vectors + 2 * quads, [0.0; 4]);
        let (imbalance, net_wins) = self.vectors[vectors..].split_at_mut(quads);
        if all {
            self.layouts[u] = BlockLayout::AllItems { tiles, vectors };
            spread(items, annotator.side_sums.imbalance(), imbalance);
            spread(items, annotator.side_sums.net_wins(), net_wins);
        } else {
            self.layouts[u] = BlockLayout::SeenItems { tiles, vectors };
            copy(annotator.side_sums.imbalance(), imbalance);
            copy(annotator.side_sums.net_wins(), net_wins);
        }
    }

    #[inline(always)]
    pub(super) fn of<'a>(&'a self, statistics: &'a BlockStatistics, u: usize) -> Block<'a> {
        match self.layouts[u] {
            BlockLayout::Sparse => {
                let AnnotatorQuads {
                    items,
                    side_sums,
                    votes,
                    net_left,
                } = statistics.quads(u);
                Block {
                    items: Some(items),
                    side_sums,
                    votes,
                    net_left,
                    laplacian: BlockLaplacian::Sparse(statistics.graph(u)),
                }
            }
            BlockLayout::SeenItems { tiles, vectors } => Block {
                items: Some(statistics.item_quads(u)),
                ..self.over_all_items(statistics, u, tiles, vectors)
            },
            BlockLayout::AllItems { tiles, vectors } => {
                self.over_all_items(statistics, u, tiles, vectors)
            }
        }
    }

    /// A dense block whose vectors are taken to be over all items.
    #[inline(always)]
    fn over_all_items<'a>(
        &'a self,
        statistics: &'a BlockStatistics,
        u: usize,
        first_tile: usize,
        first_quad: usize,
    ) -> Block<'a> {
        let quads = statistics.quad_range(u).len();
        let vectors = &self.vectors[first_quad..first_quad + 2 * quads];
        let (imbalance, net_wins) = vectors.split_at(quads);
        let [votes, net_left] = statistics.vote_sums(u);
        Block {
            items: None,
            side_sums: SideSumsOf::Numbers(SideSlices {
                imbalance,
                net_wins,
            }),
            votes,
            net_left,
            laplacian: BlockLaplacian::Dense(&self.tiles[first_tile..first_tile + tiles(quads)]),
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

/// Writes the values one after the other.
fn copy(values: impl Iterator<Item = Quad>, out: &mut [Quad]) {
    for (slot, value) in out.iter_mut().zip(values) {
        *slot = value;
    }
}

/// Puts each value at the index of its item.
fn spread(items: &[u32], values: impl Iterator<Item = Quad>, out: &mut [Quad]) {
    out.fill([0.0; 4]);
    for (&item, value) in items.iter().zip(values.flatten()) {
        out.as_flattened_mut()[item as usize] = value;
    }
}

/// The Laplacian of a block.
pub(super) trait Laplacian {
    /// Hands the product with x to a sink, quad by quad. `image` is scratch memory.
    fn product<L: Lanes>(&self, lanes: L, x: &[Quad], image: &mut [Quad], sink: &mut impl Sink<L>);
}

impl Laplacian for BlockLaplacian<'_> {
    #[inline(always)]
    fn product<L: Lanes>(&self, lanes: L, x: &[Quad], image: &mut [Quad], sink: &mut impl Sink<L>) {
        match self {
            Self::Dense(tiles) => {
                dense::times(lanes, tiles, x, image);
                for (index, value) in image.iter().enumerate() {
                    sink.take(lanes, index, lanes.load(value));
                }
            }
            Self::Sparse(graph) => graph.product(lanes, x, sink),
        }
    }
}

impl<const N: usize> Laplacian for SmallMatrix<'_, N> {
    #[inline(always)]
    fn product<L: Lanes>(&self, lanes: L, x: &[Quad], _: &mut [Quad], sink: &mut impl Sink<L>) {
        SmallMatrix::product(*self, lanes, x, sink);
    }
}

impl<'a> Block<'a> {
    /// How many quads a dense block has.
    #[inline(always)]
    pub(super) fn dense_quads(&self) -> Option<usize> {
        match self.laplacian {
            BlockLaplacian::Dense(_) => Some(self.side_sums.quads()),
            BlockLaplacian::Sparse(_) => None,
        }
    }

    /// The same block, which is dense and has N quads.
    #[inline(always)]
    pub(super) fn small<const N: usize>(self) -> Block<'a, SmallMatrix<'a, N>> {
        let (BlockLaplacian::Dense(matrix), SideSumsOf::Numbers(sums)) =
            (self.laplacian, self.side_sums)
        else {
            unreachable!("a dense block has tiles and numbers");
        };
        Block {
            items: self.items.map(|items| items.split_at(N).0),
            side_sums: SideSumsOf::Numbers(SideSlices {
                imbalance: &sums.imbalance[..N],
                net_wins: &sums.net_wins[..N],
            }),
            votes: self.votes,
            net_left: self.net_left,
            laplacian: SmallMatrix::new(matrix),
        }
    }
}

impl<'a, M: Laplacian> Block<'a, M> {
    /// Hands the product L_u x to a sink, quad by quad. `image` is scratch memory.
    #[inline(always)]
    pub(super) fn product<L: Lanes>(
        &self,
        lanes: L,
        x: &[Quad],
        image: &mut [Quad],
        sink: &mut impl Sink<L>,
    ) {
        self.laplacian.product(lanes, x, image, sink);
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
    pub(super) fn at_items<'x>(&self, values: &'x mut [f64]) -> AtItems<'a, 'x> {
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
