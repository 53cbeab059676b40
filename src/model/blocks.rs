//! Products with the annotators' Laplacians: dense where an annotator's graph
//! is dense, over its votes otherwise.

use super::dense::{self, Tile, tiles};
use super::simd::Quad;
use super::statistics::{Neighbours, Statistics};

/// Dense Laplacians of the annotators whose graph is dense, one after the other
/// as they are needed.
pub(super) struct Blocks {
    /// Where an annotator's tiles are; empty if there are none.
    range: Vec<(usize, usize)>,
    tiles: Vec<Tile>,
}

/// A tile of a small block costs about as much as a vote; that of a large one
/// more, as it comes from farther away.
fn is_dense(quads: usize, graph: &Neighbours<'_>) -> bool {
    let votes_per_tile = 1 + quads / 8;
    tiles(quads) * votes_per_tile <= graph.votes()
}

impl Blocks {
    /// Takes memory for every annotator that may need it; it takes no room
    /// before it is written to.
    pub(super) fn new(statistics: &Statistics) -> Self {
        let tiles = (0..statistics.annotators()).map(|u| {
            let quads = statistics.quads(u).items.len();
            let dense = is_dense(quads, &statistics.graph(u));
            if dense { tiles(quads) } else { 0 }
        });
        Self {
            tiles: Vec::with_capacity(tiles.sum()),
            range: vec![(0, 0); statistics.annotators()],
        }
    }

    /// Makes ready for products with an annotator's Laplacian.
    pub(super) fn add(&mut self, statistics: &Statistics, u: usize) {
        let graph = statistics.graph(u);
        let quads = statistics.quads(u).items.len();
        if !is_dense(quads, &graph) {
            return;
        }
        let start = self.tiles.len();
        let end = start + tiles(quads);
        self.tiles.resize(end, Tile::default());
        self.range[u] = (start, end);
        let block = &mut self.tiles[start..end];
        for (place, row) in graph.rows().enumerate() {
            for (other, weight) in row {
                dense::add(block, place, place, weight);
                dense::add(block, place, other, -weight);
            }
        }
    }

    /// out = L_u x.
    #[inline(always)]
    pub(super) fn times(&self, statistics: &Statistics, u: usize, x: &[Quad], out: &mut [Quad]) {
        let (start, end) = self.range[u];
        if start < end {
            dense::times(&self.tiles[start..end], x, out);
        } else {
            // What fills up the last quad is no item and has no row.
            out[out.len() - 1] = [0.0; 4];
            statistics
                .graph(u)
                .times(x.as_flattened(), out.as_flattened_mut());
        }
    }
}
