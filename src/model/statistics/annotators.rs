//! The statistics of all annotators, in flat arrays.

use std::array::from_fn;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::adjacency::{Adjacency, AdjacencyLists};
use crate::linalg::gather::{GatherIndices, GatherSlice};
use crate::linalg::simd::{Quad, sum};
use crate::model::statistics::side_sums::{SideSums, SideSumsOf};
use crate::votes::{Comparisons, Partition};

/// The statistics of all annotators.
#[derive(Debug)]
pub struct Statistics {
    /// The number of items of the table.
    pub(crate) items: usize,
    /// How the annotators are divided into blocks.
    pub(crate) partition: Arc<Partition>,
    /// m = Σ ω over all votes of the table.
    pub(crate) total: f64,
    /// The largest Σ ω|y| of an annotator of the table. Rounding errors are small compared to it.
    pub(crate) strength: f64,
    /// By annotator: how often their votes count; None if those of everybody count once.
    counts: Option<Vec<f64>>,
    vectors: Arc<StatisticsVectors>,
}

/// What is kept of each annotator's votes.
#[derive(Debug)]
struct StatisticsVectors {
    /// The first quad of each annotator's vectors, and the number of all quads.
    offsets: Vec<usize>,
    totals: Vec<Totals>,
    /// The items, a part for each annotator.
    item: GatherIndices,
    side_sums: SideSums,
    graphs: AdjacencyLists,
}

#[derive(Clone, Copy, Debug)]
struct Totals {
    items: usize,
    votes: f64,
    net_left: f64,
    sizes: StatisticsSizes,
}

/// How large an annotator's statistics are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StatisticsSizes {
    /// The norm of the diagonal of L_u.
    pub degree_norm: f64,
    /// ‖a_u‖.
    pub imbalance_norm: f64,
    /// Σ_i |a_ui|.
    pub imbalance_sum: f64,
}

/// The statistics of one annotator.
#[derive(Clone, Copy, Debug)]
pub struct AnnotatorStatistics<'a> {
    /// The items that this annotator saw: most seen first, then ascending.
    pub items: &'a [u32],
    side_sums: SideSumsOf<'a>,
    /// N_u: the number of votes.
    pub votes: f64,
    /// s_u: votes for the left minus votes for the right.
    pub net_left: f64,
    /// L_u.
    pub(crate) graph: Adjacency<'a>,
}

/// The statistics of one annotator in complete quads.
#[derive(Clone, Copy)]
pub(crate) struct AnnotatorQuads<'a> {
    pub items: GatherSlice<'a>,
    pub side_sums: SideSumsOf<'a>,
    pub votes: f64,
    pub net_left: f64,
}

impl Statistics {
    /// Collapses the votes.
    pub fn new(votes: &Comparisons, stop: &Stop) -> Result<Self> {
        let annotators = votes.annotators();
        // Upper bounds. Memory that is reserved but not written to costs nothing.
        let seen = |u: usize| (2 * votes.rows(u).len()).min(votes.items()).div_ceil(4);
        let quads = (0..annotators).map(seen).sum();
        let mut vectors = StatisticsVectors {
            offsets: vec![0],
            totals: Vec::with_capacity(annotators),
            item: GatherIndices::with_capacity(quads),
            side_sums: SideSums::with_capacity(votes, quads),
            graphs: AdjacencyLists::with_capacity(votes.len(), votes.items(), votes.is_weighted()),
        };
        let mut scratch = AnnotatorScratch {
            seen: vec![0; votes.items()],
            row_of_item: vec![0; votes.items()],
            order: Vec::new(),
            imbalance: Vec::new(),
            net_wins: Vec::new(),
            degree: Vec::new(),
        };
        let mut strength = 0.0f64;
        for annotator in 0..annotators {
            stop.check()?;
            strength = strength.max(vectors.push(votes, annotator, &mut scratch));
        }
        vectors.item.shrink_to_fit();
        vectors.side_sums.shrink_to_fit();
        let partition = votes.partition();
        let [strength] = partition.max([strength])?;
        let mut statistics = Self {
            items: votes.items(),
            partition,
            total: 0.0,
            strength,
            counts: None,
            vectors: Arc::new(vectors),
        };
        statistics.total = statistics.sum_of_votes()?;
        Ok(statistics)
    }

    /// The same votes, but those of some annotators count more than once: as if others had
    /// cast them too. `counts` is by annotator that is here.
    pub fn with_counts(&self, counts: Vec<f64>) -> Result<Self> {
        let mut statistics = Self {
            items: self.items,
            partition: Arc::clone(&self.partition),
            counts: Some(counts),
            vectors: Arc::clone(&self.vectors),
            ..*self
        };
        statistics.total = statistics.sum_of_votes()?;
        Ok(statistics)
    }

    /// Σ ω over all votes of the table.
    fn sum_of_votes(&self) -> Result<f64> {
        let votes = |u: usize| self.count(u) * self.vectors.totals[u].votes;
        let sum = self.partition.sum(1, 1, |annotators, sum| {
            sum[0] = annotators.map(votes).sum();
            Ok(())
        })?;
        Ok(sum[0])
    }

    /// How often an annotator's votes count.
    #[inline(always)]
    pub(crate) fn count(&self, annotator: usize) -> f64 {
        self.counts.as_ref().map_or(1.0, |counts| counts[annotator])
    }

    /// The number of annotators.
    pub fn annotators(&self) -> usize {
        self.vectors.totals.len()
    }

    /// m = Σ ω over all votes of the table.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Where an annotator's quads are in a vector over the items of all annotators.
    #[inline(always)]
    pub(crate) fn quad_range(&self, annotator: usize) -> Range<usize> {
        self.vectors.offsets[annotator]..self.vectors.offsets[annotator + 1]
    }

    /// How many quads a vector over the items of all annotators has.
    pub(crate) fn total_quads(&self) -> usize {
        self.vectors.offsets[self.annotators()]
    }

    /// One annotator's statistics.
    pub fn annotator(&self, annotator: usize) -> AnnotatorStatistics<'_> {
        let range = self.quad_range(annotator);
        let Totals {
            items,
            votes,
            net_left,
            ..
        } = self.vectors.totals[annotator];
        AnnotatorStatistics {
            items: &self.vectors.item.part(annotator).quads().as_flattened()[..items],
            side_sums: self.vectors.side_sums.of(range),
            votes,
            net_left,
            graph: self.vectors.graphs.of(annotator),
        }
    }

    /// One annotator's statistics for loops in quads.
    #[inline(always)]
    pub(crate) fn quads(&self, annotator: usize) -> AnnotatorQuads<'_> {
        let [votes, net_left] = self.vote_sums(annotator);
        AnnotatorQuads {
            items: self.item_quads(annotator),
            side_sums: self.vectors.side_sums.of(self.quad_range(annotator)),
            votes,
            net_left,
        }
    }

    /// The items of one annotator in complete quads.
    #[inline(always)]
    pub(crate) fn item_quads(&self, annotator: usize) -> GatherSlice<'_> {
        self.vectors.item.part(annotator)
    }

    /// N_u and s_u of one annotator.
    #[inline(always)]
    pub(crate) fn vote_sums(&self, annotator: usize) -> [f64; 2] {
        let Totals {
            votes, net_left, ..
        } = self.vectors.totals[annotator];
        [votes, net_left]
    }

    /// How large one annotator's statistics are.
    pub(crate) fn sizes(&self, annotator: usize) -> StatisticsSizes {
        self.vectors.totals[annotator].sizes
    }

    /// One annotator's graph.
    #[inline(always)]
    pub(crate) fn graph(&self, annotator: usize) -> Adjacency<'_> {
        self.vectors.graphs.of(annotator)
    }

    /// Σ_u b_u over all annotators of the table, by item.
    pub fn net_wins(&self) -> Result<Vec<f64>> {
        self.partition.sum(self.items, 1, |annotators, sum| {
            for u in annotators {
                let (annotator, count) = (self.annotator(u), self.count(u));
                for (&item, wins) in annotator.items.iter().zip(annotator.net_wins()) {
                    sum[item as usize] += count * wins;
                }
            }
            Ok(())
        })
    }
}

impl StatisticsVectors {
    /// Adds the statistics of the next annotator. Returns Σ ω|y|.
    fn push(
        &mut self,
        votes: &Comparisons,
        annotator: usize,
        scratch: &mut AnnotatorScratch,
    ) -> f64 {
        scratch.find_order(votes, annotator);
        let items = scratch.order.len();
        let quads = items.div_ceil(4);
        push_items(&mut self.item, votes.items(), &scratch.order);
        for vector in scratch.vectors() {
            vector.clear();
            vector.resize(quads, [0.0; 4]);
        }
        let imbalance = scratch.imbalance.as_flattened_mut();
        let net_wins = scratch.net_wins.as_flattened_mut();
        let degree = scratch.degree.as_flattened_mut();
        let mut graph = self.graphs.begin(&scratch.order);
        let (mut count, mut net_left, mut strength) = (0.0, 0.0, 0.0);
        for vote in votes.of(annotator) {
            let left = scratch.row_of_item[vote.left] as usize;
            let right = scratch.row_of_item[vote.right] as usize;
            let strength_left = vote.weight * vote.choice;
            imbalance[left] += vote.weight;
            imbalance[right] -= vote.weight;
            net_wins[left] += strength_left;
            net_wins[right] -= strength_left;
            degree[left] += vote.weight;
            degree[right] += vote.weight;
            graph.push(left, right, vote.weight);
            count += vote.weight;
            net_left += strength_left;
            strength += strength_left.abs();
        }
        self.side_sums.push(&scratch.imbalance, &scratch.net_wins);
        self.offsets.push(self.offsets[annotator] + quads);
        self.totals.push(Totals {
            items,
            votes: count,
            net_left,
            sizes: StatisticsSizes {
                degree_norm: norm(&scratch.degree),
                imbalance_norm: norm(&scratch.imbalance),
                imbalance_sum: size_sum(&scratch.imbalance),
            },
        });
        strength
    }
}

/// Adds a part with the items of an annotator, filled up with the last one.
fn push_items(indices: &mut GatherIndices, items: usize, order: &[(u32, u32)]) {
    indices.begin(items);
    for quad in order.chunks(4) {
        let last = quad[quad.len() - 1];
        indices.extend(from_fn(|lane| quad.get(lane).unwrap_or(&last).1), 1);
    }
}

/// One annotator's items at a time: their order, and sums over their votes.
struct AnnotatorScratch {
    /// By item, how often the annotator saw it; all zero between annotators.
    seen: Vec<u32>,
    /// By item, its position among the annotator's items.
    row_of_item: Vec<u32>,
    /// The annotator's items in order, each after how often it was seen.
    order: Vec<(u32, u32)>,
    imbalance: Vec<Quad>,
    net_wins: Vec<Quad>,
    degree: Vec<Quad>,
}

/// The Euclidean norm.
fn norm(vector: &[Quad]) -> f64 {
    let squares = vector.iter().map(|quad| quad.map(|value| value * value));
    squares.map(sum).sum::<f64>().sqrt()
}

/// The sum of absolute values.
fn size_sum(vector: &[Quad]) -> f64 {
    vector.iter().map(|quad| sum(quad.map(f64::abs))).sum()
}

impl AnnotatorScratch {
    /// The sums over votes.
    fn vectors(&mut self) -> [&mut Vec<Quad>; 3] {
        [&mut self.imbalance, &mut self.net_wins, &mut self.degree]
    }

    /// Sorts the items that an annotator saw: most seen first, then ascending.
    fn find_order(&mut self, votes: &Comparisons, annotator: usize) {
        self.order.clear();
        for row in votes.rows(annotator) {
            for item in votes.pair(row) {
                let seen = &mut self.seen[item as usize];
                if *seen == 0 {
                    self.order.push((0, item));
                }
                *seen += 1;
            }
        }
        for (count, item) in &mut self.order {
            *count = std::mem::take(&mut self.seen[*item as usize]);
        }
        self.order
            .sort_unstable_by_key(|&(count, item)| u64::from(!count) << 32 | u64::from(item));
        for (row, &(_, item)) in self.order.iter().enumerate() {
            self.row_of_item[item as usize] = row as u32;
        }
    }
}

impl<'a> AnnotatorStatistics<'a> {
    /// a_u: how often an item was shown left minus how often right.
    pub fn imbalance(&self) -> impl Iterator<Item = f64> + use<'a> {
        self.side_sums.imbalance().flatten().take(self.items.len())
    }

    /// b_u: an item's wins minus its losses.
    pub fn net_wins(&self) -> impl Iterator<Item = f64> + use<'a> {
        self.side_sums.net_wins().flatten().take(self.items.len())
    }

    /// out = L_u x.
    pub fn laplacian_times(&self, x: &[f64], out: &mut [f64]) {
        for ((slot, own), row) in out.iter_mut().zip(x).zip(self.graph.rows()) {
            *slot = row.map(|(other, weight)| weight * (own - x[other])).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_the_sums_over_votes() {
        let mut votes = Comparisons::with_capacity(5, 0, true, true);
        let rows = [(0, 3, 1.0, 2.0), (3, 0, -0.5, 1.0), (3, 4, 1.0, 1.0)];
        votes.end_annotator(); // one without votes
        votes.push_annotator(rows);
        let statistics = Statistics::new(&votes, &Stop::default()).unwrap();
        assert_eq!(statistics.total(), 4.0);
        assert!(statistics.annotator(0).items.is_empty());
        let u = statistics.annotator(1);
        assert_eq!(u.items, [3, 0, 4]);
        assert_eq!(u.graph.degrees().collect::<Vec<_>>(), [4.0, 3.0, 1.0]);
        assert_eq!(u.imbalance().collect::<Vec<_>>(), [0.0, 1.0, -1.0]);
        assert_eq!(u.net_wins().collect::<Vec<_>>(), [-1.5, 2.5, -1.0]);
        assert_eq!((u.votes, u.net_left), (4.0, 2.5));
        let mut out = [0.0; 3];
        u.laplacian_times(&[2.0, 1.0, 4.0], &mut out);
        assert_eq!(out, [1.0, -3.0, 2.0]);
        assert_eq!(statistics.quad_range(0), 0..0);
        assert_eq!(statistics.quad_range(1), 0..1);
        assert_eq!(statistics.total_quads(), 1);
        assert_eq!(statistics.net_wins().unwrap(), [2.5, 0.0, 0.0, -1.5, -1.0]);
    }
}
