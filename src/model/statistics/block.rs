//! The statistics of a block of annotators.

use std::ops::Range;
use std::sync::Arc;

use super::{Adjacency, AnnotatorQuads, AnnotatorStatistics, Statistics, StatisticsSizes};
use crate::linalg::gather::GatherSlice;

/// The statistics of consecutive annotators, who are counted from the first of them.
#[derive(Clone, Debug)]
pub(crate) struct BlockStatistics {
    statistics: Arc<Statistics>,
    annotators: Range<usize>,
    /// Where their vectors begin among those of all annotators.
    first_quad: usize,
}

impl BlockStatistics {
    /// Those of some annotators.
    pub fn new(statistics: &Arc<Statistics>, annotators: Range<usize>) -> Self {
        let first_quad = match annotators.is_empty() {
            true => 0,
            false => statistics.quad_range(annotators.start).start,
        };
        Self {
            statistics: Arc::clone(statistics),
            annotators,
            first_quad,
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
        let Range { start, end } = self.statistics.quad_range(self.annotators.start + u);
        start - self.first_quad..end - self.first_quad
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

    /// The items of one annotator in complete quads.
    #[inline(always)]
    pub fn item_quads(&self, u: usize) -> GatherSlice<'_> {
        self.statistics.item_quads(self.annotators.start + u)
    }

    /// N_u and s_u of one annotator.
    #[inline(always)]
    pub fn vote_sums(&self, u: usize) -> [f64; 2] {
        self.statistics.vote_sums(self.annotators.start + u)
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
