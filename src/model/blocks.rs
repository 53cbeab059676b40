//! The annotators' statistics in the form in which a step of the path needs them:
//! products with the Laplacian, as a dense matrix if the graph is dense and as a
//! sum over votes otherwise, and the other vectors in the same order of items.
//!
//! If an annotator's graph is dense, and all items of the table take no more quads
//! than the items that the annotator saw, then the block is over all items in the
//! table's order. That saves gathering and scattering.

use std::ops::Range;

use super::statistics::{Adjacency, AnnotatorQuads, BlockStatistics, SideSlices, SideSumsOf};
use crate::linalg::dense::{self, MAX_SMALL_QUADS, SmallMatrix, Tile, tiles};
use crate::linalg::gather::{GatherSlice, GatheredValuesMut};
use crate::linalg::simd::{Lanes, Quad, Sink, StoredQuad, sum};

/// The annotators' blocks, in the order in which they were added, and z of δ.
pub(super) struct Blocks {
    /// By annotator.
    positions: Vec<BlockPosition>,
    tiles: Vec<Tile>,
    /// Of each dense block z, a_u and b_u, in the order of the block.
    vectors: Vec<Quad>,
    /// z of the others, laid out as the vectors of the statistics are.
    sparse_z: Vec<Quad>,
}

/// Where a dense block begins, and what else a step needs of it, in one place: to look all of
/// it up in the statistics took a tenth of a step of IQA.
#[derive(Clone, Copy)]
struct BlockPosition {
    layout: BlockLayout,
    quads: u32,
    tiles: usize,
    vectors: usize,
    votes: f64,
    net_left: f64,
}

/// How a block is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockLayout {
    /// No tiles: products go over the votes.
    Sparse,
    /// The items that the annotator saw, in the order of its statistics.
    SeenItems,
    /// All items, in the table's order.
    AllItems,
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
    /// All tiles, of a dense block with few quads.
    Small(&'a [Tile]),
    /// Those above the diagonal.
    Dense(&'a [Tile]),
    Sparse(Adjacency<'a>),
}

/// Whether tiles are faster than votes. A tile of a small block takes about as long
/// as a vote. In larger blocks it takes longer, as it comes from a slower cache.
fn is_dense(quads: usize, graph: &Adjacency<'_>) -> bool {
    let votes_per_tile = 1 + quads / 8;
    tiles(quads) * votes_per_tile <= graph.edges()
}

/// How many tiles a dense block of so many quads has.
#[inline(always)]
fn stored_tiles(quads: usize) -> usize {
    match quads <= MAX_SMALL_QUADS {
        true => quads * quads,
        false => tiles(quads),
    }
}

impl<'a> BlockLaplacian<'a> {
    /// Of a dense block with so many quads.
    #[inline(always)]
    fn dense(quads: usize, tiles: &'a [Tile]) -> Self {
        match quads <= MAX_SMALL_QUADS {
            true => Self::Small(tiles),
            false => Self::Dense(tiles),
        }
    }
}

impl Blocks {
    /// Reserves memory for every annotator that may need it. Memory that is
    /// reserved but not written to costs nothing.
    pub(super) fn new(statistics: &BlockStatistics) -> Self {
        let quads = |u: usize| statistics.quad_range(u).len();
        let annotators = statistics.annotators();
        let dense = || (0..annotators).filter(|&u| is_dense(quads(u), &statistics.graph(u)));
        let position = |u: usize| {
            let [votes, net_left] = statistics.vote_sums(u);
            BlockPosition {
                layout: BlockLayout::Sparse,
                quads: quads(u) as u32,
                tiles: 0,
                vectors: 0,
                votes,
                net_left,
            }
        };
        Self {
            positions: (0..annotators).map(position).collect(),
            tiles: Vec::with_capacity(dense().map(|u| stored_tiles(quads(u))).sum()),
            vectors: Vec::with_capacity(dense().map(|u| 3 * quads(u)).sum()),
            sparse_z: vec![[0.0; 4]; statistics.total_quads()],
        }
    }

    /// Prepares an annotator's block, with z over the annotator's items. Before that its
    /// products go over votes, and z is zero.
    pub(super) fn add(&mut self, statistics: &BlockStatistics, u: usize, z: &[Quad]) {
        let graph = statistics.graph(u);
        let annotator = statistics.quads(u);
        let quads = annotator.side_sums.quads();
        if !is_dense(quads, &graph) {
            self.sparse_z[statistics.quad_range(u)].copy_from_slice(z);
            return;
        }
        let position = &mut self.positions[u];
        (position.tiles, position.vectors) = (self.tiles.len(), self.vectors.len());
        self.tiles
            .resize(position.tiles + stored_tiles(quads), Tile::default());
        let block = &mut self.tiles[position.tiles..];
        let items = statistics.annotator(u).items;
        let all = quads == statistics.items().div_ceil(4);
        let index = |row: usize| if all { items[row] as usize } else { row };
        let add = |block: &mut [Tile], row, column, value| match quads <= MAX_SMALL_QUADS {
            true => dense::add_to_small(block, quads, row, column, value),
            false => dense::add(block, row, column, value),
        };
        for (row, edges) in graph.rows().enumerate() {
            for (other, weight) in edges {
                add(block, index(row), index(row), weight);
                add(block, index(row), index(other), -weight);
            }
        }
        let sums = annotator.side_sums;
        self.vectors.resize(position.vectors + 3 * quads, [0.0; 4]);
        let (block_z, vectors) = self.vectors[position.vectors..].split_at_mut(quads);
        let (imbalance, net_wins) = vectors.split_at_mut(quads);
        if all {
            position.layout = BlockLayout::AllItems;
            spread(items, z.iter().copied(), block_z);
            spread(items, sums.imbalance(), imbalance);
            spread(items, sums.net_wins(), net_wins);
        } else {
            position.layout = BlockLayout::SeenItems;
            block_z.copy_from_slice(z);
            copy(sums.imbalance(), imbalance);
            copy(sums.net_wins(), net_wins);
        }
    }

    /// How many quads an annotator's block has, if it is dense.
    #[inline(always)]
    pub(super) fn dense_quads(&self, u: usize) -> Option<u32> {
        let position = &self.positions[u];
        (position.layout != BlockLayout::Sparse).then_some(position.quads)
    }

    /// One annotator's block, and z in its order.
    #[inline(always)]
    pub(super) fn of<'a>(
        &'a self,
        statistics: &'a BlockStatistics,
        u: usize,
    ) -> (Block<'a>, &'a [Quad]) {
        let position = &self.positions[u];
        if position.layout == BlockLayout::Sparse {
            let z = &self.sparse_z[statistics.quad_range(u)];
            return (Block::sparse(statistics, u), z);
        }
        let quads = position.quads as usize;
        let (z, sums) = self.vectors[position.vectors(quads)].split_at(quads);
        let tiles = BlockLaplacian::dense(quads, &self.tiles[position.tiles(quads)]);
        (position.dense(statistics, u, sums, tiles), z)
    }

    /// The same, for a z-step.
    #[inline(always)]
    pub(super) fn of_mut<'a>(
        &'a mut self,
        statistics: &'a BlockStatistics,
        u: usize,
    ) -> (Block<'a>, &'a mut [Quad]) {
        let position = &self.positions[u];
        if position.layout == BlockLayout::Sparse {
            let z = &mut self.sparse_z[statistics.quad_range(u)];
            return (Block::sparse(statistics, u), z);
        }
        let quads = position.quads as usize;
        let (z, sums) = self.vectors[position.vectors(quads)].split_at_mut(quads);
        let tiles = BlockLaplacian::dense(quads, &self.tiles[position.tiles(quads)]);
        (position.dense(statistics, u, sums, tiles), z)
    }

    /// The same as [`Self::of`], of a dense block of N quads.
    #[inline(always)]
    pub(super) fn small<'a, const N: usize>(
        &'a self,
        statistics: &'a BlockStatistics,
        u: usize,
    ) -> (Block<'a, SmallMatrix<'a, N>>, &'a [Quad]) {
        let position = &self.positions[u];
        let (z, sums) = self.vectors[position.vectors(N)].split_at(N);
        let tiles = SmallMatrix::new(&self.tiles[position.tiles(N)]);
        (position.dense(statistics, u, sums, tiles), z)
    }

    /// The same as [`Self::of_mut`], of a dense block of N quads.
    #[inline(always)]
    pub(super) fn small_mut<'a, const N: usize>(
        &'a mut self,
        statistics: &'a BlockStatistics,
        u: usize,
    ) -> (Block<'a, SmallMatrix<'a, N>>, &'a mut [Quad]) {
        let position = &self.positions[u];
        let (z, sums) = self.vectors[position.vectors(N)].split_at_mut(N);
        let tiles = SmallMatrix::new(&self.tiles[position.tiles(N)]);
        (position.dense(statistics, u, sums, tiles), z)
    }

    /// Brings values in the order of an annotator's block into that of its items.
    pub(super) fn restore(
        &self,
        statistics: &BlockStatistics,
        u: usize,
        block: &[Quad],
        out: &mut [Quad],
    ) {
        match self.positions[u].layout {
            BlockLayout::AllItems => {
                let items = statistics.annotator(u).items.iter();
                for (slot, &item) in out.as_flattened_mut().iter_mut().zip(items) {
                    *slot = block.as_flattened()[item as usize];
                }
            }
            BlockLayout::Sparse | BlockLayout::SeenItems => out.copy_from_slice(block),
        }
    }
}

impl BlockPosition {
    /// Where z, a_u and b_u of a dense block of so many quads are.
    #[inline(always)]
    fn vectors(&self, quads: usize) -> Range<usize> {
        self.vectors..self.vectors + 3 * quads
    }

    /// Where its tiles are.
    #[inline(always)]
    fn tiles(&self, quads: usize) -> Range<usize> {
        self.tiles..self.tiles + stored_tiles(quads)
    }

    /// A dense block with these a_u and b_u.
    #[inline(always)]
    fn dense<'a, M>(
        &self,
        statistics: &'a BlockStatistics,
        u: usize,
        sums: &'a [Quad],
        laplacian: M,
    ) -> Block<'a, M> {
        let quads = sums.len() / 2;
        let (imbalance, net_wins) = sums.split_at(quads);
        let items = (self.layout == BlockLayout::SeenItems)
            .then(|| statistics.item_quads(u).split_at(quads).0);
        Block {
            items,
            side_sums: SideSumsOf::Numbers(SideSlices {
                imbalance,
                net_wins,
            }),
            votes: self.votes,
            net_left: self.net_left,
            laplacian,
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
            Self::Small(tiles) => match x.len() {
                1 => SmallMatrix::<1>::new(tiles).product(lanes, x, sink),
                2 => SmallMatrix::<2>::new(tiles).product(lanes, x, sink),
                3 => SmallMatrix::<3>::new(tiles).product(lanes, x, sink),
                _ => SmallMatrix::<4>::new(tiles).product(lanes, x, sink),
            },
            Self::Dense(tiles) => {
                let image = &mut image[..x.len()];
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
    /// A block without tiles.
    #[inline(always)]
    fn sparse(statistics: &'a BlockStatistics, u: usize) -> Self {
        let AnnotatorQuads {
            items,
            side_sums,
            votes,
            net_left,
        } = statistics.quads(u);
        Self {
            items: Some(items),
            side_sums,
            votes,
            net_left,
            laplacian: BlockLaplacian::Sparse(statistics.graph(u)),
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

    /// The same block, whose vectors are known to be over all items.
    #[inline(always)]
    pub(super) fn over_all_items(self) -> Self {
        Self {
            items: None,
            ..self
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
                let theta = &theta.as_chunks::<4>().0[..imbalance.len()];
                for (theta, columns) in theta.iter().zip(columns) {
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
            None => AtItems::All(&mut values.as_chunks_mut::<4>().0[..self.side_sums.quads()]),
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
