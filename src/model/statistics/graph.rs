//! The annotators' comparison graphs, as lists of neighbours.
//!
//! A row has one entry for each vote on its item: who the other one was. Items
//! are sorted by how often they were seen, so rows of equal length lie together
//! and a product goes from length to length without a branch for each row.

/// The graphs of all annotators.
#[derive(Debug)]
pub(super) struct Graphs {
    /// Where each annotator's runs and entries begin; one more at the end.
    starts: Vec<(usize, usize)>,
    runs: Vec<RowsAlike>,
    /// The other item of a vote, by its place among the annotator's items.
    neighbour: Vec<u32>,
    /// None: every vote weighs 1.
    weight: Option<Vec<f64>>,
    /// Where the next entry of each row of the latest annotator goes.
    next: Vec<usize>,
}

/// Rows of the same length.
#[derive(Clone, Copy, Debug)]
struct RowsAlike {
    length: u32,
    rows: u32,
}

/// One annotator's graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbours<'a> {
    runs: &'a [RowsAlike],
    neighbour: &'a [u32],
    weight: Option<&'a [f64]>,
}

impl Graphs {
    pub fn with_capacity(votes: usize, weighted: bool) -> Self {
        Self {
            starts: vec![(0, 0)],
            runs: Vec::new(),
            neighbour: Vec::with_capacity(2 * votes),
            weight: weighted.then(|| Vec::with_capacity(2 * votes)),
            next: Vec::new(),
        }
    }

    /// Makes rows for another annotator, from the lengths of the rows, falling.
    pub fn begin(&mut self, order: &[(u32, u32)]) -> Filling<'_> {
        let first = self.neighbour.len();
        let mut end = first;
        self.next.clear();
        for rows in order.chunk_by(|a, b| a.0 == b.0) {
            self.runs.push(RowsAlike {
                length: rows[0].0,
                rows: rows.len() as u32,
            });
            for &(length, _) in rows {
                self.next.push(end - first);
                end += length as usize;
            }
        }
        self.neighbour.resize(end, 0);
        if let Some(weight) = &mut self.weight {
            weight.resize(end, 0.0);
        }
        self.starts.push((self.runs.len(), end));
        Filling {
            next: &mut self.next,
            neighbour: &mut self.neighbour[first..],
            weight: self.weight.as_mut().map(|weight| &mut weight[first..]),
        }
    }

    #[inline(always)]
    pub fn of(&self, annotator: usize) -> Neighbours<'_> {
        let (run, entry) = self.starts[annotator];
        let (last_run, last_entry) = self.starts[annotator + 1];
        Neighbours {
            runs: &self.runs[run..last_run],
            neighbour: &self.neighbour[entry..last_entry],
            weight: self
                .weight
                .as_ref()
                .map(|weight| &weight[entry..last_entry]),
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
            self.next[row] += 1;
            self.neighbour[entry] = other as u32;
            if let Some(weight) = &mut self.weight {
                weight[entry] = vote;
            }
        }
    }
}

impl<'a> Neighbours<'a> {
    /// The number of votes, each of which is in two rows.
    pub fn votes(&self) -> usize {
        self.neighbour.len() / 2
    }

    /// The rows, each as the votes on an item: their other item and weight.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)> + 'a> + 'a {
        let (neighbour, weight) = (self.neighbour, self.weight);
        let lengths = self.runs.iter();
        let lengths = lengths.flat_map(|run| (0..run.rows).map(|_| run.length as usize));
        let mut end = 0;
        lengths.map(move |length| {
            let row = end..end + length;
            end += length;
            row.map(move |entry| {
                let weight = weight.map_or(1.0, |weight| weight[entry]);
                (neighbour[entry] as usize, weight)
            })
        })
    }

    /// The diagonal of the Laplacian: how often each item was shown.
    pub fn degrees(&self) -> impl Iterator<Item = f64> + 'a {
        self.rows().map(|row| row.map(|(_, weight)| weight).sum())
    }

    /// out = L x.
    #[inline(always)]
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        let (mut done, mut entries) = (0, 0);
        for run in self.runs {
            let (length, rows) = (run.length as usize, run.rows as usize);
            let end = entries + rows * length;
            let neighbour = &self.neighbour[entries..end];
            let own = &x[done..done + rows];
            let out = &mut out[done..done + rows];
            match (self.weight, length) {
                (Some(weight), _) => {
                    weighted(length, neighbour, &weight[entries..end], x, own, out);
                }
                (None, 1) => rows_of::<1>(neighbour, x, own, out),
                (None, 2) => rows_of::<2>(neighbour, x, own, out),
                (None, 3) => rows_of::<3>(neighbour, x, own, out),
                (None, 4) => rows_of::<4>(neighbour, x, own, out),
                (None, 5) => rows_of::<5>(neighbour, x, own, out),
                (None, 6) => rows_of::<6>(neighbour, x, own, out),
                (None, _) => rows_of_any(length, neighbour, x, own, out),
            }
            (done, entries) = (done + rows, end);
        }
    }
}

#[inline(always)]
fn rows_of<const N: usize>(neighbour: &[u32], x: &[f64], own: &[f64], out: &mut [f64]) {
    let (rows, _) = neighbour.as_chunks::<N>();
    for ((slot, own), row) in out.iter_mut().zip(own).zip(rows) {
        let sum: f64 = row.iter().map(|&other| x[other as usize]).sum();
        *slot = N as f64 * own - sum;
    }
}

#[inline(always)]
fn rows_of_any(length: usize, neighbour: &[u32], x: &[f64], own: &[f64], out: &mut [f64]) {
    let rows = neighbour.chunks_exact(length);
    for ((slot, own), row) in out.iter_mut().zip(own).zip(rows) {
        let sum: f64 = row.iter().map(|&other| x[other as usize]).sum();
        *slot = length as f64 * own - sum;
    }
}

#[inline(always)]
fn weighted(
    length: usize,
    neighbour: &[u32],
    weight: &[f64],
    x: &[f64],
    own: &[f64],
    out: &mut [f64],
) {
    let rows = neighbour
        .chunks_exact(length)
        .zip(weight.chunks_exact(length));
    for ((slot, own), (row, weights)) in out.iter_mut().zip(own).zip(rows) {
        let mut sum = 0.0;
        for (&other, weight) in row.iter().zip(weights) {
            sum += weight * (own - x[other as usize]);
        }
        *slot = sum;
    }
}
