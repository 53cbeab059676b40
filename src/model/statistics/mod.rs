//! Votes collapse to per-annotator statistics; nothing after this looks at a vote.
//!
//! For annotator u, over only the items that u saw, with e_i the unit vector of
//! item i and the sums over u's votes (left i, right j, choice y, weight ω):
//!
//! ```text
//! L_u = Σ ω (e_i − e_j)(e_i − e_j)ᵀ    a graph Laplacian over u's items
//! a_u = Σ ω (e_i − e_j)                how often left minus how often right
//! b_u = Σ ω y (e_i − e_j)              net wins
//! N_u = Σ ω,   s_u = Σ ω y
//! ```
//!
//! The gradient of the loss is linear in these: at scores x = θ + δ^u it is
//! b_u − L_u x − a_u γ^u for the deviation and s_u − a_uᵀx − N_u γ^u for the
//! position bias.
//!
//! Loops over an annotator's items go four at a time: each annotator's vectors
//! are filled up to whole quads, with zeros and with the last item once more.

mod graph;

use std::array::from_fn;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::gather::{GatherIndices, GatherSlice};
use crate::linalg::simd::Quad;
use crate::votes::Comparisons;

pub(crate) use graph::Adjacency;
pub(super) use graph::AdjacencyLists;

/// The statistics of all annotators, one after the other in flat arrays.
#[derive(Debug)]
pub struct Statistics {
    /// The number of items of the whole table.
    pub(crate) items: usize,
    /// m = Σ ω.
    pub(crate) total: f64,
    /// The largest Σ ω|y| of an annotator, beside which rounding is small.
    pub(crate) strength: f64,
    /// Where each annotator's items begin, in quads; one more entry at the end.
    pub(crate) offsets: Vec<usize>,
    totals: Vec<Totals>,
    /// A part for each annotator.
    item: GatherIndices,
    imbalance: Vec<Quad>,
    net_wins: Vec<Quad>,
    graphs: AdjacencyLists,
}

#[derive(Clone, Copy, Debug)]
struct Totals {
    items: usize,
    votes: f64,
    net_left: f64,
}

/// The statistics of one annotator.
#[derive(Clone, Copy, Debug)]
pub struct AnnotatorStatistics<'a> {
    /// The items that this annotator saw: most seen first, then ascending.
    pub items: &'a [u32],
    /// a_u: how often an item was shown left minus how often right.
    pub imbalance: &'a [f64],
    /// b_u: an item's wins minus its losses.
    pub net_wins: &'a [f64],
    /// N_u: the number of votes.
    pub votes: f64,
    /// s_u: votes for the left minus votes for the right.
    pub net_left: f64,
    /// L_u.
    pub(crate) graph: Adjacency<'a>,
}

/// The same in whole quads.
#[derive(Clone, Copy)]
pub(crate) struct AnnotatorQuads<'a> {
    pub items: GatherSlice<'a>,
    pub imbalance: &'a [Quad],
    pub net_wins: &'a [Quad],
    pub votes: f64,
    pub net_left: f64,
}

impl Statistics {
    /// Collapses the votes.
    pub fn new(votes: &Comparisons, stop: &Stop) -> Result<Self> {
        let annotators = votes.annotators();
        // At most; memory takes no room before it is written to.
        let seen = |u: usize| (2 * votes.rows(u).len()).min(votes.items()).div_ceil(4);
        let quads = (0..annotators).map(seen).sum();
        let mut statistics = Self {
            items: votes.items(),
            total: 0.0,
            strength: 0.0,
            offsets: vec![0],
            totals: Vec::with_capacity(annotators),
            item: GatherIndices::with_capacity(quads),
            imbalance: Vec::with_capacity(quads),
            net_wins: Vec::with_capacity(quads),
            graphs: AdjacencyLists::with_capacity(votes.len(), votes.is_weighted()),
        };
        let mut scratch = Scratch {
            seen: vec![0; votes.items()],
            place: vec![0; votes.items()],
            order: Vec::new(),
        };
        for annotator in 0..annotators {
            stop.check()?;
            statistics.push(votes, annotator, &mut scratch);
        }
        statistics.total = statistics.totals.iter().map(|totals| totals.votes).sum();
        statistics.item.shrink_to_fit();
        statistics.imbalance.shrink_to_fit();
        statistics.net_wins.shrink_to_fit();
        Ok(statistics)
    }

    fn push(&mut self, votes: &Comparisons, annotator: usize, scratch: &mut Scratch) {
        scratch.find_order(votes, annotator);
        let items = scratch.order.len();
        let first = self.imbalance.len();
        let length = first + items.div_ceil(4);
        push_items(&mut self.item, self.items, &scratch.order);
        self.imbalance.resize(length, [0.0; 4]);
        self.net_wins.resize(length, [0.0; 4]);
        let imbalance = self.imbalance[first..].as_flattened_mut();
        let net_wins = self.net_wins[first..].as_flattened_mut();
        let mut graph = self.graphs.begin(&scratch.order);
        let (mut count, mut net_left, mut strength) = (0.0, 0.0, 0.0);
        for vote in votes.of(annotator) {
            let left = scratch.place[vote.left] as usize;
            let right = scratch.place[vote.right] as usize;
            let strength_left = vote.weight * vote.choice;
            imbalance[left] += vote.weight;
            imbalance[right] -= vote.weight;
            net_wins[left] += strength_left;
            net_wins[right] -= strength_left;
            graph.push(left, right, vote.weight);
            count += vote.weight;
            net_left += strength_left;
            strength += strength_left.abs();
        }
        self.strength = self.strength.max(strength);
        self.offsets.push(length);
        self.totals.push(Totals {
            items,
            votes: count,
            net_left,
        });
    }

    /// The number of annotators.
    pub fn annotators(&self) -> usize {
        self.totals.len()
    }

    /// m = Σ ω.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// One annotator's statistics.
    pub fn annotator(&self, annotator: usize) -> AnnotatorStatistics<'_> {
        let range = self.offsets[annotator]..self.offsets[annotator + 1];
        let Totals {
            items,
            votes,
            net_left,
        } = self.totals[annotator];
        AnnotatorStatistics {
            items: &self.item.part(annotator).quads().as_flattened()[..items],
            imbalance: &self.imbalance[range.clone()].as_flattened()[..items],
            net_wins: &self.net_wins[range].as_flattened()[..items],
            votes,
            net_left,
            graph: self.graphs.of(annotator),
        }
    }

    /// One annotator's statistics for loops in quads.
    #[inline(always)]
    pub(crate) fn quads(&self, annotator: usize) -> AnnotatorQuads<'_> {
        let range = self.offsets[annotator]..self.offsets[annotator + 1];
        let Totals {
            votes, net_left, ..
        } = self.totals[annotator];
        AnnotatorQuads {
            items: self.item.part(annotator),
            imbalance: &self.imbalance[range.clone()],
            net_wins: &self.net_wins[range],
            votes,
            net_left,
        }
    }

    /// One annotator's graph.
    #[inline(always)]
    pub(crate) fn graph(&self, annotator: usize) -> Adjacency<'_> {
        self.graphs.of(annotator)
    }

    /// Σ_u b_u over all items.
    pub fn net_wins(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.items];
        for u in 0..self.annotators() {
            let annotator = self.annotator(u);
            for (&item, wins) in annotator.items.iter().zip(annotator.net_wins) {
                sum[item as usize] += wins;
            }
        }
        sum
    }
}

/// The items of another annotator, filled up with the last.
fn push_items(places: &mut GatherIndices, items: usize, order: &[(u32, u32)]) {
    places.begin(items);
    for quad in order.chunks(4) {
        let last = quad[quad.len() - 1];
        places.extend(from_fn(|lane| quad.get(lane).unwrap_or(&last).1), 1);
    }
}

struct Scratch {
    /// How often the annotator saw an item; zero in between.
    seen: Vec<u32>,
    /// An item's place among the annotator's items.
    place: Vec<u32>,
    /// The annotator's items, each after how often it was seen.
    order: Vec<(u32, u32)>,
}

impl Scratch {
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
        for (place, &(_, item)) in self.order.iter().enumerate() {
            self.place[item as usize] = place as u32;
        }
    }
}

impl AnnotatorStatistics<'_> {
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
    use crate::votes::Comparison;

    #[test]
    fn statistics_are_the_sums_over_votes() {
        let mut votes = Comparisons::with_capacity(5, 0, true, true);
        let rows = [(0, 3, 1.0, 2.0), (3, 0, -0.5, 1.0), (3, 4, 1.0, 1.0)];
        votes.end_annotator(); // one without votes
        for (left, right, choice, weight) in rows {
            votes.push(Comparison {
                left,
                right,
                choice,
                weight,
            });
        }
        votes.end_annotator();
        let statistics = Statistics::new(&votes, &Stop::default()).unwrap();
        assert_eq!(statistics.total(), 4.0);
        assert!(statistics.annotator(0).items.is_empty());
        let u = statistics.annotator(1);
        assert_eq!(u.items, [3, 0, 4]);
        assert_eq!(u.graph.degrees().collect::<Vec<_>>(), [4.0, 3.0, 1.0]);
        assert_eq!(u.imbalance, [0.0, 1.0, -1.0]);
        assert_eq!(u.net_wins, [-1.5, 2.5, -1.0]);
        assert_eq!((u.votes, u.net_left), (4.0, 2.5));
        let mut out = [0.0; 3];
        u.laplacian_times(&[2.0, 1.0, 4.0], &mut out);
        assert_eq!(out, [1.0, -3.0, 2.0]);
        assert_eq!(statistics.net_wins(), [2.5, 0.0, 0.0, -1.5, -1.0]);
    }
}
