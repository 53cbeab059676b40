//! The statistics of a block of annotators.

use std::ops::Range;
use std::sync::Arc;

use super::{Adjacency, AnnotatorQuads, AnnotatorStatistics, Statistics, StatisticsSizes};

/// The statistics of consecutive annotators, who are counted from the first of them.
#[derive(Clone, Debug)]
pub(crate) struct BlockStatistics {
    statistics: Arc<Statistics>,
    annotators: Range<usize>,
}

impl BlockStatistics {
    /// Those of some annotators.
    pub fn new(statistics: &Arc<Statistics>, annotators: Range<usize>) -> Self {
        Self {
            statistics: Arc::clone(statistics),
            annotators,
        }
    }

    /// Those of all annotators that are here.
    pub fn of_all(statistics: &Arc<Statistics>) -> Self {
        Self::new(statistics, 0..statistics.annotators())
    }

    /// The number of annotators.
    pub fn annotators(&self) -> usize {
        self.annotators.len()
    }

    /// The number of items of the table.
    pub fn items(&self) -> usize {
        self.statistics.items
    }

    /// m = Σ ω over all votes of the table.
    #[inline(always)]
    pub fn total(&self) -> f64 {
        self.statistics.total
    }

    /// Where an annotator's quads are in a vector over the items of all annotators.
    #[inline(always)]
    pub fn quad_range(&self, u: usize) -> Range<usize> {
        let first = self.statistics.quad_range(self.annotators.start).start;
        let Range { start, end } = self.statistics.quad_range(self.annotators.start + u);
        start - first..end - first
    }

    /// How many quads a vector over the items of all annotators has.
    pub fn total_quads(&self) -> usize {
        match self.annotators() {
            0 => 0,
            count => self.quad_range(count - 1).end,
        }
    }

    /// How often an annotator's votes count.
    #[inline(always)]
    pub fn count(&self, u: usize) -> f64 {
        self.statistics.count(self.annotators.start + u)
    }

    /// One annotator's statistics.
    pub fn annotator(&self, u: usize) -> AnnotatorStatistics<'_> {
        self.statistics.annotator(self.annotators.start + u)
    }

    /// One annotator's statistics for loops in quads.
    #[inline(always)]
    pub fn quads(&self, u: usize) -> AnnotatorQuads<'_> {
        self.statistics.quads(self.annotators.start + u)
    }

    /// How large one annotator's statistics are.
    pub fn sizes(&self, u: usize) -> StatisticsSizes {
        self.statistics.sizes(self.annotators.start + u)
    }

    /// One annotator's graph.
    #[inline(always)]
    pub fn graph(&self, u: usize) -> Adjacency<'_> {
        self.statistics.graph(self.annotators.start + u)
    }
}
