//! The annotators' comparison graphs, as lists of neighbours.
//!
//! A row has one entry for each vote on its item: who the other one was. Items
//! are sorted by how often they were seen, and four rows at a time lie side by
//! side, filled up to the length of the first with entries that point to their
//! own item: a product goes over four rows at once, and from length to length
//! without a branch for each row.

use std::array::from_fn;

use crate::linalg::gather::{GatherIndices, GatherSlice, Values};
use crate::linalg::simd::{Lanes, Quad, Sink};

/// The graphs of all annotators.
#[derive(Debug)]
pub(crate) struct AdjacencyLists {
    /// Where each annotator's runs and weights begin; one more at the end.
    starts: Vec<(usize, usize)>,
    /// How many rows each has.
    rows: Vec<u32>,
    runs: Vec<RowsAlike>,
    /// The other items of a vote each in four rows, by their places among the
    /// annotator's items; a part for each annotator.
    neighbours: GatherIndices,
    /// None: every vote weighs 1.
    weights: Option<Vec<Quad>>,
    /// Where the next entry of each row of the latest annotator goes.
    next: Vec<usize>,
}

/// Fours of rows of the same length.
#[derive(Clone, Copy, Debug)]
struct RowsAlike {
    length: u32,
    quads: u32,
}

/// One annotator's graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjacency<'a> {
    rows: usize,
    runs: &'a [RowsAlike],
    neighbours: GatherSlice<'a>,
    weights: Option<&'a [Quad]>,
}

impl AdjacencyLists {
    pub fn with_capacity(votes: usize, weighted: bool) -> Self {
        Self {
            starts: vec![(0, 0)],
            rows: Vec::new(),
            runs: Vec::new(),
            neighbours: GatherIndices::with_capacity(votes / 2),
            weights: weighted.then(|| Vec::with_capacity(votes / 2)),
            next: Vec::new(),
        }
    }

    /// Makes rows for another annotator, from the lengths of the rows, falling.
    pub fn begin(&mut self, order: &[(u32, u32)]) -> Filling<'_> {
        let first_run = self.runs.len();
        self.neighbours.begin(order.len().next_multiple_of(4));
        self.next.clear();
        let mut end = 0;
        for (index, rows) in order.chunks(4).enumerate() {
            let length = rows[0].0;
            match self.runs[first_run..].last_mut() {
                Some(run) if run.length == length => run.quads += 1,
                _ => self.runs.push(RowsAlike { length, quads: 1 }),
            }
            let lanes = 0..rows.len();
            self.next.extend(lanes.map(|lane| 4 * end + lane));
            let own = from_fn(|lane| (4 * index + lane) as u32);
            self.neighbours.extend(own, length as usize);
            end += length as usize;
        }
        let first = self.starts[self.starts.len() - 1].1;
        self.starts.push((self.runs.len(), first + end));
        self.rows.push(order.len() as u32);
        let weights = self.weights.as_mut().map(|weights| {
            weights.resize(first + end, [0.0; 4]);
            weights[first..].as_flattened_mut()
        });
        Filling {
            next: &mut self.next,
            neighbours: &mut self.neighbours,
            weights,
        }
    }

    #[inline(always)]
    pub fn of(&self, annotator: usize) -> Adjacency<'_> {
        let (run, entry) = self.starts[annotator];
        let (last_run, last_entry) = self.starts[annotator + 1];
        let weights = self.weights.as_ref();
        Adjacency {
            rows: self.rows[annotator] as usize,
            runs: &self.runs[run..last_run],
            neighbours: self.neighbours.part(annotator),
            weights: weights.map(|weights| &weights[entry..last_entry]),
        }
    }
}

/// An annotator's rows while the votes come in.
pub(crate) struct Filling<'a> {
    next: &'a mut [usize],
    neighbours: &'a mut GatherIndices,
    weights: Option<&'a mut [f64]>,
}

impl Filling<'_> {
    /// A vote on the items at two places.
    pub fn push(&mut self, left: usize, right: usize, vote: f64) {
        for (row, other) in [(left, right), (right, left)] {
            let entry = self.next[row];
            self.next[row] += 4;
            self.neighbours.set(entry, other as u32);
            if let Some(weights) = &mut self.weights {
                weights[entry] = vote;
            }
        }
    }
}

impl<'a> Adjacency<'a> {
    /// The rows, each as the votes on an item: their other item and weight.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)> + 'a> + 'a {
        let (neighbours, weights) = (self.neighbours.quads(), self.weights);
        let quads = self.runs.iter();
        let quads = quads.flat_map(|run| (0..run.quads).map(|_| run.length as usize));
        let mut end = 0;
        let quads = quads.map(move |length| {
            end += length;
            end - length..end
        });
        let rows = quads.enumerate().flat_map(move |(quad, entries)| {
            (0..4).map(move |lane| {
                let own = (4 * quad + lane) as u32;
                let entries = entries.clone();
                let votes = entries.take_while(move |&entry| neighbours[entry][lane] != own);
                votes.map(move |entry| {
                    let weight = weights.map_or(1.0, |weights| weights[entry][lane]);
                    (neighbours[entry][lane] as usize, weight)
                })
            })
        });
        rows.take(self.rows)
    }

    /// The number of votes, each of which is in two rows.
    pub fn votes(&self) -> usize {
        self.rows().map(Iterator::count).sum::<usize>() / 2
    }

    /// The diagonal of the Laplacian: how often each item was shown.
    pub fn degrees(&self) -> impl Iterator<Item = f64> + 'a {
        self.rows().map(|row| row.map(|(_, weight)| weight).sum())
    }

    /// Hands the product L x to a sink, quad by quad.
    #[inline(always)]
    pub fn product<L: Lanes>(&self, lanes: L, x: &[Quad], sink: &mut impl Sink<L>) {
        let mut place = 0;
        let (mut neighbours, mut weights) = (self.neighbours, self.weights);
        for run in self.runs {
            let (length, quads) = (run.length as usize, run.quads as usize);
            let (these, later) = neighbours.split_at(quads * length);
            neighbours = later;
            let rows = Rows {
                first: place,
                own: &x[place..place + quads],
                others: these.of(x.as_flattened()),
            };
            place += quads;
            if let Some(all) = weights {
                let (these, later) = all.split_at(quads * length);
                weights = Some(later);
                rows.weighted(lanes, length, these, sink);
                continue;
            }
            match length {
                1 => rows.sums(lanes, rows.others.chunks_of::<1>(), sink),
                2 => rows.sums(lanes, rows.others.chunks_of::<2>(), sink),
                3 => rows.sums(lanes, rows.others.chunks_of::<3>(), sink),
                4 => rows.sums(lanes, rows.others.chunks_of::<4>(), sink),
                _ => rows.sums(lanes, rows.others.chunks(length), sink),
            }
        }
    }
}

/// Rows of the same length, for a product.
struct Rows<'a> {
    /// Their place, in quads.
    first: usize,
    /// x at the rows themselves.
    own: &'a [Quad],
    /// x at their neighbours.
    others: Values<'a, 'a>,
}

impl Rows<'_> {
    #[inline(always)]
    fn sums<'b, L: Lanes>(
        &self,
        lanes: L,
        rows: impl Iterator<Item = Values<'b, 'b>>,
        sink: &mut impl Sink<L>,
    ) {
        for (index, (own, others)) in self.own.iter().zip(rows).enumerate() {
            let own = lanes.load(own);
            let mut sum = lanes.splat(0.0);
            for other in others.iter() {
                sum = lanes.add(sum, lanes.subtract(own, lanes.load(&other)));
            }
            sink.take(lanes, self.first + index, sum);
        }
    }

    #[inline(always)]
    fn weighted<L: Lanes>(
        &self,
        lanes: L,
        length: usize,
        weights: &[Quad],
        sink: &mut impl Sink<L>,
    ) {
        let rows = self.others.chunks(length).zip(weights.chunks_exact(length));
        for (index, (own, (others, weights))) in self.own.iter().zip(rows).enumerate() {
            let own = lanes.load(own);
            let mut sum = lanes.splat(0.0);
            for (other, weights) in others.iter().zip(weights) {
                let difference = lanes.subtract(own, lanes.load(&other));
                sum = lanes.add_product(sum, lanes.load(weights), difference);
            }
            sink.take(lanes, self.first + index, sum);
        }
    }
}
