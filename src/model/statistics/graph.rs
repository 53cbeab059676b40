//! The annotators' comparison graphs, as lists of neighbours.
//!
//! A row has one entry for each vote on its item: who the other one was. Items
//! are sorted by how often they were seen, and four rows at a time lie side by
//! side, filled up to the length of the first with entries that point to their
//! own item: a product goes over four rows at once, and from length to length
//! without a branch for each row.

use std::array::from_fn;

use crate::model::simd::{Lanes, Quad};

/// The graphs of all annotators.
#[derive(Debug)]
pub(super) struct Graphs {
    /// Where each annotator's runs and entries begin; one more at the end.
    starts: Vec<(usize, usize)>,
    /// How many rows each has.
    rows: Vec<u32>,
    runs: Vec<RowsAlike>,
    /// The other items of a vote each in four rows, by their places among the
    /// annotator's items.
    neighbours: Vec<[u32; 4]>,
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
pub(crate) struct Neighbours<'a> {
    rows: usize,
    runs: &'a [RowsAlike],
    neighbours: &'a [[u32; 4]],
    weights: Option<&'a [Quad]>,
}

impl Graphs {
    pub fn with_capacity(votes: usize, weighted: bool) -> Self {
        Self {
            starts: vec![(0, 0)],
            rows: Vec::new(),
            runs: Vec::new(),
            neighbours: Vec::with_capacity(votes / 2),
            weights: weighted.then(|| Vec::with_capacity(votes / 2)),
            next: Vec::new(),
        }
    }

    /// Makes rows for another annotator, from the lengths of the rows, falling.
    pub fn begin(&mut self, order: &[(u32, u32)]) -> Filling<'_> {
        let first = self.neighbours.len();
        let first_run = self.runs.len();
        self.next.clear();
        for (index, rows) in order.chunks(4).enumerate() {
            let length = rows[0].0;
            match self.runs[first_run..].last_mut() {
                Some(run) if run.length == length => run.quads += 1,
                _ => self.runs.push(RowsAlike { length, quads: 1 }),
            }
            let end = self.neighbours.len() - first;
            let lanes = 0..rows.len();
            self.next.extend(lanes.map(|lane| 4 * end + lane));
            let own = from_fn(|lane| (4 * index + lane) as u32);
            let filled = self.neighbours.len() + length as usize;
            self.neighbours.resize(filled, own);
        }
        let end = self.neighbours.len();
        if let Some(weights) = &mut self.weights {
            weights.resize(end, [0.0; 4]);
        }
        self.starts.push((self.runs.len(), end));
        self.rows.push(order.len() as u32);
        let weights = self.weights.as_mut();
        Filling {
            next: &mut self.next,
            neighbour: self.neighbours[first..].as_flattened_mut(),
            weight: weights.map(|weights| weights[first..].as_flattened_mut()),
        }
    }

    #[inline(always)]
    pub fn of(&self, annotator: usize) -> Neighbours<'_> {
        let (run, entry) = self.starts[annotator];
        let (last_run, last_entry) = self.starts[annotator + 1];
        let weights = self.weights.as_ref();
        Neighbours {
            rows: self.rows[annotator] as usize,
            runs: &self.runs[run..last_run],
            neighbours: &self.neighbours[entry..last_entry],
            weights: weights.map(|weights| &weights[entry..last_entry]),
        }
    }
}

/// An annotator's rows while the votes come in.
pub(super) struct Filling<'a> {
    next: &'a mut [usize],
    neighbour: &'a mut [u32],
    weight: Option<&'a mut [f64]>,
}

impl Filling<'_> {
    /// A vote on the items at two places.
    pub fn push(&mut self, left: usize, right: usize, vote: f64) {
        for (row, other) in [(left, right), (right, left)] {
            let entry = self.next[row];
            self.next[row] += 4;
            self.neighbour[entry] = other as u32;
            if let Some(weight) = &mut self.weight {
                weight[entry] = vote;
            }
        }
    }
}

impl<'a> Neighbours<'a> {
    /// The rows, each as the votes on an item: their other item and weight.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)> + 'a> + 'a {
        let (neighbours, weights) = (self.neighbours, self.weights);
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

    /// out = L x.
    #[inline(always)]
    pub fn times<L: Lanes>(&self, lanes: L, x: &[Quad], out: &mut [Quad]) {
        let (mut own, mut out) = (x, out);
        let (mut neighbours, mut weights) = (self.neighbours, self.weights);
        for run in self.runs {
            let (length, quads) = (run.length as usize, run.quads as usize);
            let (rows, later_rows) = own.split_at(quads);
            let (slots, later_slots) = out.split_at_mut(quads);
            let (these, later) = neighbours.split_at(quads * length);
            (own, out, neighbours) = (later_rows, later_slots, later);
            let product = Rows {
                length,
                neighbours: these,
                x: x.as_flattened(),
                own: rows,
            };
            if let Some(all) = weights {
                let (these, later) = all.split_at(quads * length);
                weights = Some(later);
                product.weighted(lanes, these, slots);
                continue;
            }
            match length {
                1 => product.of_length::<1, L>(lanes, slots),
                2 => product.of_length::<2, L>(lanes, slots),
                3 => product.of_length::<3, L>(lanes, slots),
                4 => product.of_length::<4, L>(lanes, slots),
                _ => product.of_any_length(lanes, slots),
            }
        }
    }
}

/// A product with rows of the same length.
struct Rows<'a> {
    length: usize,
    neighbours: &'a [[u32; 4]],
    x: &'a [f64],
    /// x at the rows themselves.
    own: &'a [Quad],
}

impl Rows<'_> {
    #[inline(always)]
    fn of_length<const N: usize, L: Lanes>(self, lanes: L, out: &mut [Quad]) {
        let quads = self.neighbours.as_chunks::<N>().0;
        for ((slot, own), quad) in out.iter_mut().zip(self.own).zip(quads) {
            self.row(lanes, own, quad, slot);
        }
    }

    #[inline(always)]
    fn of_any_length<L: Lanes>(self, lanes: L, out: &mut [Quad]) {
        let quads = self.neighbours.chunks_exact(self.length);
        for ((slot, own), quad) in out.iter_mut().zip(self.own).zip(quads) {
            self.row(lanes, own, quad, slot);
        }
    }

    #[inline(always)]
    fn row<L: Lanes>(&self, lanes: L, own: &Quad, quad: &[[u32; 4]], slot: &mut Quad) {
        let own = lanes.load(own);
        let mut sum = lanes.splat(0.0);
        for others in quad {
            sum = lanes.add(sum, lanes.subtract(own, self.gather(lanes, others)));
        }
        lanes.store(sum, slot);
    }

    #[inline(always)]
    fn weighted<L: Lanes>(self, lanes: L, weights: &[Quad], out: &mut [Quad]) {
        let quads = self.neighbours.chunks_exact(self.length);
        let quads = quads.zip(weights.chunks_exact(self.length));
        for ((slot, own), (quad, weights)) in out.iter_mut().zip(self.own).zip(quads) {
            let own = lanes.load(own);
            let mut sum = lanes.splat(0.0);
            for (others, weights) in quad.iter().zip(weights) {
                let difference = lanes.subtract(own, self.gather(lanes, others));
                sum = lanes.add_product(sum, lanes.load(weights), difference);
            }
            lanes.store(sum, slot);
        }
    }

    #[inline(always)]
    fn gather<L: Lanes>(&self, lanes: L, places: &[u32; 4]) -> L::Register {
        lanes.load(&places.map(|place| self.x[place as usize]))
    }
}
