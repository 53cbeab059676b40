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

use crate::error::Result;
use crate::run::Stop;
use crate::votes::Comparisons;

/// The statistics of all annotators, one after the other in flat arrays.
#[derive(Debug)]
pub struct Statistics {
    /// The number of items of the whole table.
    pub(crate) items: usize,
    /// m = Σ ω.
    pub(crate) total: f64,
    /// The largest Σ ω|y| of an annotator, beside which rounding is small.
    pub(crate) strength: f64,
    /// Where each annotator's items begin in the arrays below; one more entry at the end.
    pub(crate) offsets: Vec<usize>,
    /// The items that an annotator saw, ascending.
    item: Vec<u32>,
    imbalance: Vec<f64>,
    net_wins: Vec<f64>,
    degree: Vec<f64>,
    /// Where each row of neighbours begins; one more entry at the end.
    row_starts: Vec<usize>,
    /// Neighbours in an annotator's graph, by their place among the annotator's items.
    neighbour: Vec<u32>,
    weight: Vec<f64>,
    votes: Vec<f64>,
    lean: Vec<f64>,
}

/// The statistics of one annotator.
#[derive(Clone, Copy, Debug)]
pub struct AnnotatorStatistics<'a> {
    /// The items that this annotator saw, ascending.
    pub items: &'a [u32],
    /// a_u: how often an item was shown left minus how often right.
    pub imbalance: &'a [f64],
    /// b_u: an item's wins minus its losses.
    pub net_wins: &'a [f64],
    /// The diagonal of L_u: how often an item was shown.
    pub degree: &'a [f64],
    /// N_u: the number of votes.
    pub votes: f64,
    /// s_u: votes for the left minus votes for the right.
    pub lean: f64,
    row_starts: &'a [usize],
    neighbour: &'a [u32],
    weight: &'a [f64],
}

impl Statistics {
    /// Collapses the votes.
    pub fn new(votes: &Comparisons, stop: &Stop) -> Result<Self> {
        let annotators = votes.annotators();
        let mut statistics = Self {
            items: votes.items(),
            total: 0.0,
            strength: 0.0,
            offsets: Vec::with_capacity(annotators + 1),
            item: Vec::new(),
            imbalance: Vec::new(),
            net_wins: Vec::new(),
            degree: Vec::new(),
            row_starts: vec![0],
            neighbour: Vec::new(),
            weight: Vec::new(),
            votes: Vec::with_capacity(annotators),
            lean: Vec::with_capacity(annotators),
        };
        statistics.offsets.push(0);
        let mut scratch = Scratch {
            place: vec![0; votes.items()],
            edges: Vec::new(),
        };
        for annotator in 0..annotators {
            stop.check()?;
            statistics.push(votes, annotator, &mut scratch);
        }
        statistics.total = statistics.votes.iter().sum();
        Ok(statistics)
    }

    fn push(&mut self, votes: &Comparisons, annotator: usize, scratch: &mut Scratch) {
        let first = self.item.len();
        for vote in votes.of(annotator) {
            self.item.extend([vote.left as u32, vote.right as u32]);
        }
        self.item[first..].sort_unstable();
        let mut kept = first;
        for index in first..self.item.len() {
            if index == first || self.item[index] != self.item[kept - 1] {
                self.item[kept] = self.item[index];
                kept += 1;
            }
        }
        self.item.truncate(kept);
        for (place, &item) in self.item[first..].iter().enumerate() {
            scratch.place[item as usize] = place as u32;
        }
        for column in [&mut self.imbalance, &mut self.net_wins, &mut self.degree] {
            column.resize(kept, 0.0);
        }
        let (mut count, mut lean, mut strength) = (0.0, 0.0, 0.0);
        scratch.edges.clear();
        for vote in votes.of(annotator) {
            let (left, right) = (scratch.place[vote.left], scratch.place[vote.right]);
            for (here, other, sign) in [(left, right, 1.0), (right, left, -1.0)] {
                let slot = first + here as usize;
                self.imbalance[slot] += sign * vote.weight;
                self.net_wins[slot] += sign * (vote.weight * vote.choice);
                self.degree[slot] += vote.weight;
                let edge = u64::from(here) << 32 | u64::from(other);
                scratch.edges.push((edge, vote.weight));
            }
            count += vote.weight;
            lean += vote.weight * vote.choice;
            strength += vote.weight * vote.choice.abs();
        }
        self.strength = self.strength.max(strength);
        // Stable: an edge and its mirror image add up in the same order.
        scratch.edges.sort_by_key(|(edge, _)| *edge);
        let mut row = 0;
        let mut previous = None;
        for &(edge, weight) in &scratch.edges {
            if previous == Some(edge) {
                *self.weight.last_mut().expect("an edge came before") += weight;
                continue;
            }
            while row < edge >> 32 {
                self.row_starts.push(self.neighbour.len());
                row += 1;
            }
            self.neighbour.push(edge as u32);
            self.weight.push(weight);
            previous = Some(edge);
        }
        if kept > first {
            self.row_starts.push(self.neighbour.len());
        }
        self.offsets.push(kept);
        self.votes.push(count);
        self.lean.push(lean);
    }

    /// The number of annotators.
    pub fn annotators(&self) -> usize {
        self.votes.len()
    }

    /// m = Σ ω.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// One annotator's statistics.
    pub fn annotator(&self, annotator: usize) -> AnnotatorStatistics<'_> {
        let range = self.offsets[annotator]..self.offsets[annotator + 1];
        let row_starts = &self.row_starts[range.start..=range.end];
        let edges = row_starts[0]..row_starts[range.len()];
        AnnotatorStatistics {
            items: &self.item[range.clone()],
            imbalance: &self.imbalance[range.clone()],
            net_wins: &self.net_wins[range.clone()],
            degree: &self.degree[range.clone()],
            votes: self.votes[annotator],
            lean: self.lean[annotator],
            row_starts,
            neighbour: &self.neighbour[edges.clone()],
            weight: &self.weight[edges],
        }
    }

    /// Σ_u b_u over all items.
    pub fn net_wins(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.items];
        for (item, wins) in self.item.iter().zip(&self.net_wins) {
            sum[*item as usize] += wins;
        }
        sum
    }
}

struct Scratch {
    /// An item's place among the annotator's items.
    place: Vec<u32>,
    edges: Vec<(u64, f64)>,
}

impl<'a> AnnotatorStatistics<'a> {
    /// The neighbours of the item at a place, with the weight of their comparisons.
    pub fn neighbours(&self, place: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let first = self.row_starts[0];
        let row = self.row_starts[place] - first..self.row_starts[place + 1] - first;
        let neighbours = self.neighbour[row.clone()].iter();
        let weights = self.weight[row].iter();
        neighbours.zip(weights).map(|(j, w)| (*j as usize, *w))
    }

    /// The number of ordered pairs with a comparison.
    pub fn edges(&self) -> usize {
        self.neighbour.len()
    }

    /// out = L_u x.
    pub fn laplacian_times(&self, x: &[f64], out: &mut [f64]) {
        let (mut neighbours, mut weights) = (self.neighbour, self.weight);
        let bounds = self.row_starts.windows(2);
        for (((slot, bounds), degree), own) in out.iter_mut().zip(bounds).zip(self.degree).zip(x) {
            let length = bounds[1] - bounds[0];
            let (row, other_rows) = neighbours.split_at(length);
            let (row_weights, other_weights) = weights.split_at(length);
            (neighbours, weights) = (other_rows, other_weights);
            let mut sum = degree * own;
            for (&neighbour, weight) in row.iter().zip(row_weights) {
                sum -= weight * x[neighbour as usize];
            }
            *slot = sum;
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
        assert_eq!(u.items, [0, 3, 4]);
        assert_eq!(u.degree, [3.0, 4.0, 1.0]);
        assert_eq!(u.imbalance, [1.0, 0.0, -1.0]);
        assert_eq!(u.net_wins, [2.5, -1.5, -1.0]);
        assert_eq!((u.votes, u.lean), (4.0, 2.5));
        let mut out = [0.0; 3];
        u.laplacian_times(&[1.0, 2.0, 4.0], &mut out);
        assert_eq!(out, [-3.0, 1.0, 2.0]);
        assert_eq!(statistics.net_wins(), [2.5, 0.0, 0.0, -1.5, -1.0]);
    }
}
