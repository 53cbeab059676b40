//! What a step of the path needs of an annotator, as it is needed: products with
//! its Laplacian, dense where its graph is dense and over its votes otherwise,
//! and its other vectors in the same order of items.
//!
//! An annotator with a dense graph who saw so many items that all of them take no
//! more quads has a block over all items in the table's order. Then there is
//! nothing to gather and nothing to scatter.

use super::statistics::{Adjacency, AnnotatorQuads, Statistics};
use crate::linalg::dense::{self, Tile, tiles};
use crate::linalg::gather::{GatherSlice, ValuesMut};
use crate::linalg::simd::{Lanes, Quad, Sink, sum};

/// The annotators' blocks, one after the other as they are needed.
pub(super) struct Blocks {
    /// By annotator.
    kinds: Vec<Kind>,
    tiles: Vec<Tile>,
    /// a_u and b_u over all items, of blocks that need them.
    vectors: Vec<Quad>,
}

/// Where an annotator's tiles and vectors begin, if it has such.
#[derive(Clone, Copy)]
enum Kind {
    /// Votes in place of tiles.
    Sparse,
    /// The annotator's items in its own order.
    Some { tiles: usize },
    /// All items in the table's order.
    All { tiles: usize, vectors: usize },
}

/// One annotator's block.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    /// Which items the vectors are over; None if all in order.
    pub items: Option<GatherSlice<'a>>,
    pub imbalance: &'a [Quad],
    pub net_wins: &'a [Quad],
    pub votes: f64,
    pub net_left: f64,
    laplacian: Laplacian<'a>,
}

#[derive(Clone, Copy)]
enum Laplacian<'a> {
    Dense(&'a [Tile]),
    Sparse(Adjacency<'a>),
}

/// A tile of a small block costs about as much as a vote; that of a large one
/// more, as it comes from farther away.
fn is_dense(quads: usize, graph: &Adjacency<'_>) -> bool {
    let votes_per_tile = 1 + quads / 8;
    tiles(quads) * votes_per_tile <= graph.votes()
}

impl Blocks {
    /// Takes memory for every annotator that may need it; it takes no room
    /// before it is written to.
    pub(super) fn new(statistics: &Statistics) -> Self {
        let quads = |u: usize| statistics.quads(u).imbalance.len();
        let users = statistics.annotators();
        let dense = || (0..users).filter(|&u| is_dense(quads(u), &statistics.graph(u)));
        let all = statistics.items.div_ceil(4);
        let whole = dense().filter(|&u| quads(u) == all).count();
        Self {
            kinds: vec![Kind::Sparse; users],
            tiles: Vec::with_capacity(dense().map(|u| tiles(quads(u))).sum()),
            vectors: Vec::with_capacity(2 * all * whole),
        }
    }

    /// Makes ready for steps with an annotator.
    pub(super) fn add(&mut self, statistics: &Statistics, u: usize) {
        let graph = statistics.graph(u);
        let annotator = statistics.quads(u);
        let quads = annotator.imbalance.len();
        if !is_dense(quads, &graph) {
            return;
        }
        let start = self.tiles.len();
        self.tiles.resize(start + tiles(quads), Tile::default());
        let block = &mut self.tiles[start..];
        let items = statistics.annotator(u).items;
        let all = quads == statistics.items.div_ceil(4);
        let at = |place: usize| if all { items[place] as usize } else { place };
        for (place, row) in graph.rows().enumerate() {
            for (other, weight) in row {
                dense::add(block, at(place), at(place), weight);
                dense::add(block, at(place), at(other), -weight);
            }
        }
        self.kinds[u] = Kind::Some { tiles: start };
        if all {
            let vectors = self.vectors.len();
            self.kinds[u] = Kind::All {
                tiles: start,
                vectors,
            };
            self.vectors.resize(vectors + 2 * quads, [0.0; 4]);
            let (imbalance, net_wins) = self.vectors[vectors..].split_at_mut(quads);
            spread(items, annotator.imbalance, imbalance);
            spread(items, annotator.net_wins, net_wins);
        }
    }

    #[inline(always)]
    pub(super) fn of<'a>(&'a self, statistics: &'a Statistics, u: usize) -> Block<'a> {
        let AnnotatorQuads {
            items,
            imbalance,
            net_wins,
            votes,
            net_left,
        } = statistics.quads(u);
        let quads = imbalance.len();
        let own = Block {
            items: Some(items),
            imbalance,
            net_wins,
            votes,
            net_left,
            laplacian: Laplacian::Dense(&[]),
        };
        let dense = |start: usize| Laplacian::Dense(&self.tiles[start..start + tiles(quads)]);
        match self.kinds[u] {
            Kind::Sparse => Block {
                laplacian: Laplacian::Sparse(statistics.graph(u)),
                ..own
            },
            Kind::Some { tiles } => Block {
                laplacian: dense(tiles),
                ..own
            },
            Kind::All { tiles, vectors } => Block {
                items: None,
                imbalance: &self.vectors[vectors..vectors + quads],
                net_wins: &self.vectors[vectors + quads..vectors + 2 * quads],
                laplacian: dense(tiles),
                ..own
            },
        }
    }

    /// Brings values over an annotator's items into the order of its block.
    pub(super) fn arrange(
        &self,
        statistics: &Statistics,
        u: usize,
        own: &[Quad],
        out: &mut [Quad],
    ) {
        match self.kinds[u] {
            Kind::All { .. } => spread(statistics.annotator(u).items, own, out),
            Kind::Sparse | Kind::Some { .. } => out.copy_from_slice(own),
        }
    }

    /// Brings values in the order of an annotator's block into that of its items.
    pub(super) fn restore(
        &self,
        statistics: &Statistics,
        u: usize,
        block: &[Quad],
        out: &mut [Quad],
    ) {
        match self.kinds[u] {
            Kind::All { .. } => {
                let items = statistics.annotator(u).items.iter();
                for (slot, &item) in out.as_flattened_mut().iter_mut().zip(items) {
                    *slot = block.as_flattened()[item as usize];
                }
            }
            Kind::Sparse | Kind::Some { .. } => out.copy_from_slice(block),
        }
    }
}

/// Puts each value where its item is among all.
fn spread(items: &[u32], values: &[Quad], out: &mut [Quad]) {
    out.fill([0.0; 4]);
    for (&item, &value) in items.iter().zip(values.as_flattened()) {
        out.as_flattened_mut()[item as usize] = value;
    }
}

impl Block<'_> {
    /// Hands the product L_u x to a sink, quad by quad; `image` is room for it.
    #[inline(always)]
    pub(super) fn product<L: Lanes>(
        &self,
        lanes: L,
        x: &[Quad],
        image: &mut [Quad],
        sink: &mut impl Sink<L>,
    ) {
        match &self.laplacian {
            Laplacian::Dense(tiles) => {
                dense::times(lanes, tiles, x, image);
                for (place, value) in image.iter().enumerate() {
                    sink.take(lanes, place, lanes.load(value));
                }
            }
            Laplacian::Sparse(graph) => graph.product(lanes, x, sink),
        }
    }

    /// x = θ + scale·z at the block's items; a_uᵀx.
    #[inline(always)]
    pub(super) fn scores<L: Lanes>(
        &self,
        lanes: L,
        theta: &[f64],
        (scale, z): (f64, &[Quad]),
        x: &mut [Quad],
    ) -> f64 {
        let scale = lanes.splat(scale);
        let mut along = lanes.splat(0.0);
        let mut score = |theta: &Quad, ((slot, z), a): ((&mut Quad, &Quad), &Quad)| {
            let score = lanes.add_product(lanes.load(theta), scale, lanes.load(z));
            along = lanes.add_product(along, lanes.load(a), score);
            lanes.store(score, slot);
        };
        let columns = x.iter_mut().zip(z).zip(self.imbalance);
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
        sum(lanes.quad(along))
    }

    /// Values over all items, as the block has them.
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
    Some(ValuesMut<'a, 'x>),
    All(&'x mut [Quad]),
}

impl AtItems<'_, '_> {
    /// Subtracts from a quad.
    #[inline(always)]
    pub(super) fn subtract<L: Lanes>(&mut self, lanes: L, place: usize, change: L::Register) {
        match self {
            Self::Some(values) => values.subtract(place, lanes.quad(change)),
            Self::All(values) => {
                let slot = &mut values[place];
                lanes.store(lanes.subtract(lanes.load(slot), change), slot);
            }
        }
    }
}
