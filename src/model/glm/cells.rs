//! Votes collapsed to cells: all votes of an annotator on the same left and right item.
//!
//! A cell has the weight of the wins of the left item and that of its losses; a tie is
//! half of each, a graded vote a part of each. Left and right stay apart, since a
//! position bias pulls both orders to the left.
//!
//! Cells are kept four at a time. Those of an annotator are dealt to the four lanes in
//! turn: neighbours in order, which share the left item, are not added to it at once.

use std::ops::Range;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::gather::{GatherIndices, GatherSlice};
use crate::linalg::simd::Quad;
use crate::model::flow::Flow;
use crate::model::statistics::Statistics;
use crate::votes::Comparisons;

/// The cells of all annotators.
#[derive(Debug, Default)]
pub(crate) struct VoteCells {
    /// The first quad of each annotator's cells, and the number of all quads.
    starts: Vec<usize>,
    /// The left item's row among the annotator's items; a part for each annotator.
    left: GatherIndices,
    right: GatherIndices,
    /// The index of the pair of items, twice, plus 1 if the left item is the second of it.
    ordered_pair: Vec<[u32; 4]>,
    wins: Vec<Quad>,
    losses: Vec<Quad>,
}

/// The cells of one annotator. Those that fill up the last quads have no votes.
#[derive(Clone, Copy)]
pub(super) struct AnnotatorCells<'a> {
    pub left: GatherSlice<'a>,
    pub right: GatherSlice<'a>,
    pub ordered_pair: &'a [[u32; 4]],
    pub wins: &'a [Quad],
    pub losses: &'a [Quad],
}

/// One cell while it is collected.
struct Cell {
    left: usize,
    right: usize,
    wins: f64,
    losses: f64,
}

impl VoteCells {
    /// Collapses the votes that the statistics and the pairs are of.
    pub fn new(
        votes: &Comparisons,
        statistics: &Statistics,
        pairs: &Flow,
        stop: &Stop,
    ) -> Result<Self> {
        let mut cells = Self {
            starts: vec![0],
            left: GatherIndices::default(),
            right: GatherIndices::default(),
            ordered_pair: Vec::new(),
            wins: Vec::new(),
            losses: Vec::new(),
        };
        let mut row_of_item = vec![0; votes.items()];
        let mut own = Vec::new();
        for u in 0..votes.annotators() {
            stop.check()?;
            let items = statistics.annotator(u).items;
            for (row, &item) in items.iter().enumerate() {
                row_of_item[item as usize] = row as u32;
            }
            collect(votes, u, &mut own);
            cells.push(&own, items.len(), &row_of_item, pairs);
        }
        cells.left.shrink_to_fit();
        cells.right.shrink_to_fit();
        cells.ordered_pair.shrink_to_fit();
        cells.wins.shrink_to_fit();
        cells.losses.shrink_to_fit();
        Ok(cells)
    }

    /// Adds the cells of the next annotator.
    fn push(&mut self, cells: &[Cell], items: usize, row_of_item: &[u32], pairs: &Flow) {
        let (first, quads) = (self.wins.len(), cells.len().div_ceil(4));
        self.left.begin(items);
        self.right.begin(items);
        if quads > 0 {
            self.left.extend([0; 4], quads);
            self.right.extend([0; 4], quads);
        }
        self.ordered_pair.resize(first + quads, [0; 4]);
        self.wins.resize(first + quads, [0.0; 4]);
        self.losses.resize(first + quads, [0.0; 4]);
        for (index, cell) in cells.iter().enumerate() {
            let (quad, lane) = (index % quads, index / quads);
            self.left
                .latest()
                .set(4 * quad + lane, row_of_item[cell.left]);
            self.right
                .latest()
                .set(4 * quad + lane, row_of_item[cell.right]);
            let (a, b) = (cell.left.min(cell.right), cell.left.max(cell.right));
            let pair = 2 * pairs.pair(a, b) + usize::from(cell.left == b);
            self.ordered_pair[first + quad][lane] = pair as u32;
            self.wins[first + quad][lane] = cell.wins;
            self.losses[first + quad][lane] = cell.losses;
        }
        self.starts.push(first + quads);
    }

    /// About how many cells there are.
    pub(super) fn len(&self) -> usize {
        4 * self.wins.len()
    }

    fn quads(&self, annotator: usize) -> Range<usize> {
        self.starts[annotator]..self.starts[annotator + 1]
    }

    /// The cells of an annotator.
    #[inline(always)]
    pub(super) fn of(&self, annotator: usize) -> AnnotatorCells<'_> {
        let quads = self.quads(annotator);
        AnnotatorCells {
            left: self.left.part(annotator),
            right: self.right.part(annotator),
            ordered_pair: &self.ordered_pair[quads.clone()],
            wins: &self.wins[quads.clone()],
            losses: &self.losses[quads],
        }
    }
}

impl AnnotatorCells<'_> {
    /// The ordered pair, wins and losses of each cell, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let pairs = self.ordered_pair.as_flattened().iter();
        let wins = self.wins.as_flattened().iter();
        let losses = self.losses.as_flattened().iter();
        pairs
            .zip(wins.zip(losses))
            .map(|(&pair, (&wins, &losses))| (pair as usize, wins, losses))
    }
}

/// Adds up the votes of an annotator with the same left and right item, which follow
/// each other.
fn collect(votes: &Comparisons, annotator: usize, cells: &mut Vec<Cell>) {
    cells.clear();
    for vote in votes.of(annotator) {
        let is_new = cells
            .last()
            .is_none_or(|cell| (cell.left, cell.right) != (vote.left, vote.right));
        if is_new {
            cells.push(Cell {
                left: vote.left,
                right: vote.right,
                wins: 0.0,
                losses: 0.0,
            });
        }
        if let Some(cell) = cells.last_mut() {
            cell.wins += vote.weight * (0.5 * (1.0 + vote.choice));
            cell.losses += vote.weight * (0.5 * (1.0 - vote.choice));
        }
    }
}
