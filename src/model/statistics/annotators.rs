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
use crate::votes::{Comparison, Comparisons, Partition};

/// With fewer votes than one for so many items, those that an annotator saw are sorted.
const ITEMS_PER_VOTE: usize = 16;

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
            items: vec![ItemSums::default(); votes.items()],
            ..AnnotatorScratch::default()
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
        let sums = scratch.add_up(votes, annotator);
        scratch.find_order(votes, annotator);
        scratch.take_vectors();
        let items = scratch.order.len();
        push_items(&mut self.item, votes.items(), &scratch.order);
        let mut graph = self.graphs.begin(&scratch.order);
        for vote in votes.of(annotator) {
            let [left, right] = [vote.left, vote.right].map(|item| scratch.items[item].row);
            graph.push(left as usize, right as usize, vote.weight);
        }
        self.side_sums.push(&scratch.imbalance, &scratch.net_wins);
        self.offsets
            .push(self.offsets[annotator] + items.div_ceil(4));
        self.totals.push(Totals {
            items,
            votes: sums.votes,
            net_left: sums.net_left,
            sizes: StatisticsSizes {
                degree_norm: norm(&scratch.degree),
                imbalance_norm: norm(&scratch.imbalance),
                imbalance_sum: size_sum(&scratch.imbalance),
            },
        });
        sums.strength
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

/// One annotator's items at a time: sums over their votes, and their order.
#[derive(Default)]
struct AnnotatorScratch {
    /// By item. The sums are zero between annotators.
    items: Vec<ItemSums>,
    /// The items that the annotator saw, ascending.
    seen: Vec<u32>,
    /// The same in order, each after how often it was seen.
    order: Vec<(u32, u32)>,
    /// Where the next item goes in the order, by how much less often it was seen than the first.
    next: Vec<u32>,
    /// By position in the order.
    imbalance: Vec<Quad>,
    net_wins: Vec<Quad>,
    degree: Vec<Quad>,
}

/// Sums over an annotator's votes on an item.
#[derive(Clone, Copy, Default)]
struct ItemSums {
    /// How many votes there are.
    seen: u32,
    /// Its position in the order, of the last annotator who saw it.
    row: u32,
    imbalance: f64,
    net_wins: f64,
    degree: f64,
}

/// Sums over all votes of an annotator.
#[derive(Default)]
struct VoteSums {
    votes: f64,
    net_left: f64,
    /// Σ ω|y|.
    strength: f64,
}

impl ItemSums {
    #[inline(always)]
    fn add(&mut self, weight: f64, side: f64, wins: f64) {
        self.seen += 1;
        self.imbalance += side;
        self.net_wins += wins;
        self.degree += weight;
    }
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
    /// Adds up an annotator's votes, by item and all of them.
    fn add_up(&mut self, votes: &Comparisons, annotator: usize) -> VoteSums {
        match votes.sides_of(annotator) {
            Some(sides) => self.add_votes(sides),
            None => self.add_votes(votes.of(annotator)),
        }
    }

    /// As a function of its own its sums stay in registers.
    #[inline(never)]
    fn add_votes(&mut self, votes: impl Iterator<Item = Comparison>) -> VoteSums {
        let mut sums = VoteSums::default();
        for vote in votes {
            let strength = vote.weight * vote.choice;
            self.items[vote.left].add(vote.weight, vote.weight, strength);
            self.items[vote.right].add(vote.weight, -vote.weight, -strength);
            sums.votes += vote.weight;
            sums.net_left += strength;
            sums.strength += strength.abs();
        }
        sums
    }

    /// Sorts the items that an annotator saw: most seen first, then ascending.
    fn find_order(&mut self, votes: &Comparisons, annotator: usize) {
        self.find_seen(votes, annotator);
        let seen = || {
            self.seen
                .iter()
                .map(|&item| (self.items[item as usize].seen, item))
        };
        let most = seen().fold(0, |most, (count, _)| most.max(count));
        self.next.clear();
        self.next.resize(most as usize + 1, 0);
        for (count, _) in seen() {
            // Those that were seen less often come later.
            self.next[(most - count) as usize + 1] += 1;
        }
        for less in 1..self.next.len() {
            self.next[less] += self.next[less - 1];
        }
        self.order.clear();
        self.order.resize(self.seen.len(), (0, 0));
        for &item in &self.seen {
            let sums = &mut self.items[item as usize];
            let next = &mut self.next[(most - sums.seen) as usize];
            sums.row = *next;
            self.order[*next as usize] = (sums.seen, item);
            *next += 1;
        }
    }

    /// Lists the items that an annotator saw. Looking at all items is faster than sorting
    /// unless the annotator saw few of them.
    fn find_seen(&mut self, votes: &Comparisons, annotator: usize) {
        self.seen.clear();
        let rows = votes.rows(annotator);
        if rows.len() >= votes.items() / ITEMS_PER_VOTE {
            let items = self.items.iter().zip(0..);
            let seen = items.filter(|(item, _)| item.seen > 0);
            self.seen.extend(seen.map(|(_, item)| item));
        } else {
            self.seen.extend(rows.flat_map(|row| votes.pair(row)));
            self.seen.sort_unstable();
            self.seen.dedup();
        }
    }

    /// Moves the sums by item to the vectors.
    fn take_vectors(&mut self) {
        let quads = self.order.len().div_ceil(4);
        for vector in [&mut self.imbalance, &mut self.net_wins, &mut self.degree] {
            vector.clear();
            vector.resize(quads, [0.0; 4]);
        }
        let imbalance = self.imbalance.as_flattened_mut().iter_mut();
        let net_wins = self.net_wins.as_flattened_mut().iter_mut();
        let degree = self.degree.as_flattened_mut().iter_mut();
        let slots = imbalance.zip(net_wins).zip(degree);
        for (((imbalance, net_wins), degree), (_, item)) in slots.zip(&self.order) {
            let item = &mut self.items[*item as usize];
            *imbalance = item.imbalance;
            *net_wins = item.net_wins;
            *degree = item.degree;
            *item = ItemSums {
                row: item.row,
                ..ItemSums::default()
            };
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

    /// Of few items all are looked at, of many those of the votes are sorted.
    #[test]
    fn items_that_nobody_saw_change_nothing() {
        let statistics = |items: usize| {
            let mut votes = Comparisons::with_capacity(items, 0, false, false);
            for first in [0, 3] {
                let pair = |k: usize| (first + k * k % 7, first + 7 + k % 3, 1.0, 1.0);
                votes.push_annotator((0..12).map(pair));
            }
            votes.push_annotator([(5, 2, 0.0, 1.0)]);
            Statistics::new(&votes, &Stop::default()).unwrap()
        };
        let (few, many) = (statistics(13), statistics(1300));
        for u in 0..3 {
            let both = [&few, &many].map(|statistics| {
                let own = statistics.annotator(u);
                let degrees: Vec<f64> = own.graph.degrees().collect();
                let sums: Vec<_> = own.imbalance().zip(own.net_wins()).zip(degrees).collect();
                (own.items.to_vec(), sums, own.votes, own.net_left)
            });
            assert_eq!(both[0], both[1]);
            let order = |k: usize| (-both[0].1[k].1, both[0].0[k]);
            assert!((1..both[0].0.len()).all(|k| order(k - 1) < order(k)));
        }
    }

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
