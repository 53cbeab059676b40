//! Rows in, one at a time or merged from several threads; canonical votes out.

use std::sync::Arc;

use super::bad_rows::{BadRows, Fault};
use super::choice::{BadChoice, ChoiceRef, LARGEST};
use super::comparisons::{Choices, Comparison, Comparisons};
use super::ids::{IdRef, IdType, Interner};
use super::{Votes, folds};
use crate::error::{Error, Result};
use crate::options::{Columns, OnBadRow, Options};
use crate::run::{Run, Stop};

/// One row of the votes table as a host hands it over; `None` for NULL.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Who voted.
    pub annotator: Option<IdRef<'a>>,
    /// The item shown on the left.
    pub left: Option<IdRef<'a>>,
    /// The item shown on the right.
    pub right: Option<IdRef<'a>>,
    /// What was chosen.
    pub choice: Option<ChoiceRef<'a>>,
    /// The vote's weight. Ignored unless the options name a weight column.
    pub weight: Option<f64>,
    /// The vote's fold. Ignored unless the options name a fold column.
    pub fold: Option<i64>,
}

/// A row that can be used.
struct Vote<'a> {
    annotator: IdRef<'a>,
    left: IdRef<'a>,
    right: IdRef<'a>,
    choice: f64,
    weight: f64,
    fold: i64,
}

/// Rows of one chunk: 13 bytes a vote as long as choices are just sides and
/// nothing is weighted.
#[derive(Clone)]
struct Chunk {
    annotator: Vec<u32>,
    left: Vec<u32>,
    right: Vec<u32>,
    choice: Choices,
    weight: Vec<f64>,
    fold: Vec<i64>,
}

/// A full chunk is left alone: growing one long vector would need three times its size.
const CHUNK_ROWS: usize = 1 << 16;

/// So many rows are looked up together: their ids stay in the fastest cache.
const BLOCK_ROWS: usize = 128;

impl Chunk {
    fn new() -> Self {
        Self {
            annotator: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            choice: Choices::with_capacity(false, 0),
            weight: Vec::new(),
            fold: Vec::new(),
        }
    }

    /// Gives every id the number that it has in another interner.
    fn renumber(&mut self, annotators: &[u32], items: &[u32]) {
        for annotator in &mut self.annotator {
            *annotator = annotators[*annotator as usize];
        }
        for item in self.left.iter_mut().chain(&mut self.right) {
            *item = items[*item as usize];
        }
    }
}

/// Collects votes. Several can be filled in parallel and merged: the votes
/// that come out are the same.
pub struct VoteBuilder {
    columns: Columns,
    on_bad_row: OnBadRow,
    annotators: Interner,
    items: Interner,
    /// Full ones, shared between a builder and its copies.
    chunks: Vec<Arc<Chunk>>,
    /// The one that is being filled.
    open: Chunk,
    rows: u64,
    bad: BadRows,
}

impl VoteBuilder {
    /// An empty collection that reads the columns that `options` name.
    pub fn new(options: &Options) -> Self {
        Self {
            columns: options.columns.clone(),
            on_bad_row: options.on_bad_row,
            annotators: Interner::default(),
            items: Interner::default(),
            chunks: Vec::new(),
            open: Chunk::new(),
            rows: 0,
            bad: BadRows::default(),
        }
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Declares the types of the ids in the rows to come: they come back with it.
    pub fn expect_ids(&mut self, annotator: IdType, left: IdType, right: IdType) {
        self.annotators.expect(annotator);
        self.items.expect(left);
        self.items.expect(right);
    }

    /// Takes one row. A row that cannot be used is counted; [`finish`](Self::finish) speaks of it.
    pub fn push(&mut self, row: Row<'_>) -> Result<()> {
        match self.checked(row) {
            Some(vote) => self.store(&[vote]),
            None => Ok(()),
        }
    }

    /// Takes many rows, which is faster than one at a time: looking up one
    /// column after the other, the processor waits for memory less often.
    pub fn push_all<'a>(&mut self, rows: impl Iterator<Item = Row<'a>>) -> Result<()> {
        let mut block = Vec::with_capacity(BLOCK_ROWS);
        for row in rows {
            block.extend(self.checked(row));
            if block.len() == BLOCK_ROWS {
                self.store(&block)?;
                block.clear();
            }
        }
        self.store(&block)
    }

    /// The vote of a row, if it can be used.
    fn checked<'a>(&mut self, row: Row<'a>) -> Option<Vote<'a>> {
        self.rows += 1;
        match self.check(row) {
            Ok(vote) => Some(vote),
            Err((fault, example)) => {
                self.bad.record(fault, example);
                None
            }
        }
    }

    fn check<'a>(&self, row: Row<'a>) -> Result<Vote<'a>, (Fault, Option<String>)> {
        let annotator = row.annotator.ok_or((Fault::NullAnnotator, None))?;
        let left = row.left.ok_or((Fault::NullLeft, None))?;
        let right = row.right.ok_or((Fault::NullRight, None))?;
        if left == right {
            return Err((Fault::SameItem, Some(left.to_string())));
        }
        let choice = row.choice.ok_or((Fault::NullChoice, None))?;
        let choice = choice.value(left, right).map_err(|bad| {
            let fault = match bad {
                BadChoice::NotFinite => Fault::ChoiceNotFinite,
                BadChoice::TooLarge => Fault::ChoiceTooLarge,
                BadChoice::Unknown => Fault::ChoiceUnknown,
            };
            (fault, Some(show(choice)))
        })?;
        if self.columns.weight.is_some() {
            let weight = row.weight;
            if !weight.is_some_and(|weight| weight > 0.0 && weight <= LARGEST) {
                let example = weight.map_or("NULL".into(), |weight| weight.to_string());
                return Err((Fault::BadWeight, Some(example)));
            }
        }
        if self.columns.fold.is_some() && row.fold.is_none() {
            return Err((Fault::NullFold, Some("NULL".into())));
        }
        Ok(Vote {
            annotator,
            left,
            right,
            choice,
            weight: row.weight.unwrap_or(1.0),
            fold: row.fold.unwrap_or(0),
        })
    }

    /// After an error the builder is of no use any more.
    fn store(&mut self, votes: &[Vote<'_>]) -> Result<()> {
        if self.open.left.len() + votes.len() > CHUNK_ROWS {
            let full = std::mem::replace(&mut self.open, Chunk::new());
            self.chunks.push(Arc::new(full));
        }
        let chunk = &mut self.open;
        let annotators = votes.iter().map(|vote| vote.annotator);
        self.annotators
            .intern_all(annotators, &mut chunk.annotator)?;
        let (left, right) = (
            votes.iter().map(|vote| vote.left),
            votes.iter().map(|vote| vote.right),
        );
        self.items.intern_all(left, &mut chunk.left)?;
        self.items.intern_all(right, &mut chunk.right)?;
        for vote in votes {
            chunk.choice.push(vote.choice);
        }
        if self.columns.weight.is_some() {
            chunk.weight.extend(votes.iter().map(|vote| vote.weight));
        }
        if self.columns.fold.is_some() {
            chunk.fold.extend(votes.iter().map(|vote| vote.fold));
        }
        Ok(())
    }

    /// Takes over the votes that another builder with the same options collected.
    pub fn merge(&mut self, mut other: Self) -> Result<()> {
        let chunks = other.take_chunks();
        self.take(&other, chunks)
    }

    /// The same, and the other keeps its votes: for a host that merges one
    /// partial result into several others.
    pub fn merge_copy(&mut self, other: &Self) -> Result<()> {
        self.take(other, other.copy_chunks())
    }

    fn take_chunks(&mut self) -> Vec<Arc<Chunk>> {
        let open = std::mem::replace(&mut self.open, Chunk::new());
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.push(Arc::new(open));
        chunks
    }

    fn copy_chunks(&self) -> Vec<Arc<Chunk>> {
        let mut chunks = self.chunks.clone();
        chunks.push(Arc::new(self.open.clone()));
        chunks
    }

    /// A chunk that nobody else holds is renumbered in place; one whose numbers
    /// stay as they are remains shared.
    fn take(&mut self, other: &Self, chunks: Vec<Arc<Chunk>>) -> Result<()> {
        let annotators = self.annotators.merge(&other.annotators)?;
        let items = self.items.merge(&other.items)?;
        let same = |places: &[u32]| (0..).zip(places).all(|(index, &place)| index == place);
        let unchanged = same(&annotators) && same(&items);
        for mut chunk in chunks.into_iter().filter(|chunk| !chunk.left.is_empty()) {
            if !unchanged {
                Arc::make_mut(&mut chunk).renumber(&annotators, &items);
            }
            self.chunks.push(chunk);
        }
        self.rows += other.rows;
        self.bad.merge(other.bad.clone());
        Ok(())
    }

    /// The number of rows taken, good and bad.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        let chunk_bytes = |chunk: &Chunk| {
            let choice = if chunk.choice.is_graded() { 8 } else { 1 };
            chunk.left.capacity() * (12 + choice)
                + 8 * (chunk.weight.capacity() + chunk.fold.capacity())
        };
        let full = self.chunks.iter().map(|chunk| chunk_bytes(chunk));
        full.sum::<usize>() + chunk_bytes(&self.open) + self.annotators.bytes() + self.items.bytes()
    }

    /// Sorts what was collected into canonical order, or says why it cannot be used.
    pub fn finish(mut self, run: &mut Run<'_>) -> Result<Votes> {
        let chunks = self.take_chunks();
        self.votes(chunks, run)
    }

    /// The votes so far; more can follow.
    pub fn snapshot(&self, run: &mut Run<'_>) -> Result<Votes> {
        self.votes(self.copy_chunks(), run)
    }

    fn votes(&self, chunks: Vec<Arc<Chunk>>, run: &mut Run<'_>) -> Result<Votes> {
        let skipped = self.bad.total();
        if self.rows == 0 {
            return Err(Error::votes(
                "there are no votes: the table is empty, or a filter leaves nothing of it",
            ));
        }
        if skipped == self.rows || (skipped > 0 && self.on_bad_row == OnBadRow::Error) {
            return Err(self.bad.error(&self.columns, self.rows));
        }
        run.watch(move |stop| self.sort(chunks, stop, skipped))
    }

    fn sort(&self, chunks: Vec<Arc<Chunk>>, stop: &Stop, skipped: u64) -> Result<Votes> {
        let (annotators, annotator_place) = self.annotators.sorted("annotators")?;
        let (items, item_place) = self.items.sorted("items")?;
        let graded = chunks.iter().any(|chunk| chunk.choice.is_graded());
        let (weighted, with_folds) = (self.columns.weight.is_some(), self.columns.fold.is_some());

        // Where each annotator's votes go.
        let mut starts = vec![0usize; annotators.len() + 1];
        for annotator in chunks.iter().flat_map(|chunk| &chunk.annotator) {
            starts[annotator_place[*annotator as usize] as usize + 1] += 1;
        }
        for annotator in 0..annotators.len() {
            starts[annotator + 1] += starts[annotator];
        }
        let sorter = Sorter {
            chunks,
            annotator_place,
            item_place,
            starts,
            items: items.len(),
            weighted,
        };
        let (comparisons, fold_values) = if graded || weighted || with_folds {
            sorter.general(stop, graded, with_folds)?
        } else {
            (sorter.sides(stop)?, None)
        };
        let folds = fold_values.map(folds::Folds::from_values).transpose()?;
        Ok(Votes {
            annotators,
            items,
            comparisons,
            folds,
            skipped,
        })
    }
}

fn show(choice: ChoiceRef<'_>) -> String {
    match choice {
        ChoiceRef::Number(value) => value.to_string(),
        ChoiceRef::Bool(value) => value.to_string(),
        ChoiceRef::Text(text) => format!("'{text}'"),
    }
}

/// Counting sort by annotator, then a sort of each annotator's votes.
struct Sorter {
    chunks: Vec<Arc<Chunk>>,
    annotator_place: Vec<u32>,
    item_place: Vec<u32>,
    starts: Vec<usize>,
    items: usize,
    weighted: bool,
}

impl Sorter {
    fn votes(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Calls `put` with the slot, the items and the place of every vote, and frees the chunks.
    fn scatter<T: Clone>(
        &mut self,
        stop: &Stop,
        empty: T,
        make: impl Fn(&Chunk, usize, u32, u32) -> T,
    ) -> Result<Vec<T>> {
        let mut next = self.starts.clone();
        let mut sorted = vec![empty; self.votes()];
        for chunk in std::mem::take(&mut self.chunks) {
            stop.check()?;
            for row in 0..chunk.left.len() {
                let annotator = self.annotator_place[chunk.annotator[row] as usize] as usize;
                let left = self.item_place[chunk.left[row] as usize];
                let right = self.item_place[chunk.right[row] as usize];
                sorted[next[annotator]] = make(&chunk, row, left, right);
                next[annotator] += 1;
            }
        }
        Ok(sorted)
    }

    /// The common case: a whole vote is one 64-bit key.
    fn sides(mut self, stop: &Stop) -> Result<Comparisons> {
        let mut keys = self.scatter(stop, 0u64, |chunk, row, left, right| {
            let choice = (chunk.choice.get(row) as i8 + 1) as u64;
            u64::from(left) << 33 | u64::from(right) << 2 | choice
        })?;
        let mut sorted = Comparisons::with_capacity(self.items, keys.len(), false, false);
        for bounds in self.starts.windows(2) {
            stop.check()?;
            let keys = &mut keys[bounds[0]..bounds[1]];
            keys.sort_unstable();
            for &key in keys.iter() {
                sorted.push(Comparison {
                    left: (key >> 33) as usize,
                    right: (key >> 2 & 0x7fff_ffff) as usize,
                    choice: (key & 3) as f64 - 1.0,
                    weight: 1.0,
                });
            }
            sorted.end_annotator();
        }
        Ok(sorted)
    }

    /// Graded, weighted or with folds of their own.
    fn general(
        mut self,
        stop: &Stop,
        graded: bool,
        with_folds: bool,
    ) -> Result<(Comparisons, Option<Vec<i64>>)> {
        let weighted = self.weighted;
        type Wide = (u32, u32, f64, f64, i64);
        let mut votes: Vec<Wide> =
            self.scatter(stop, (0, 0, 0.0, 0.0, 0), |chunk, row, left, right| {
                let weight = if weighted { chunk.weight[row] } else { 1.0 };
                let fold = if with_folds { chunk.fold[row] } else { 0 };
                (left, right, chunk.choice.get(row), weight, fold)
            })?;
        let mut sorted = Comparisons::with_capacity(self.items, votes.len(), graded, weighted);
        let mut folds = with_folds.then(|| Vec::with_capacity(votes.len()));
        for bounds in self.starts.windows(2) {
            stop.check()?;
            let votes = &mut votes[bounds[0]..bounds[1]];
            votes.sort_unstable_by(|a, b| {
                (a.0, a.1)
                    .cmp(&(b.0, b.1))
                    .then(a.2.total_cmp(&b.2))
                    .then(a.3.total_cmp(&b.3))
                    .then(a.4.cmp(&b.4))
            });
            for &(left, right, choice, weight, fold) in votes.iter() {
                let (left, right) = (left as usize, right as usize);
                sorted.push(Comparison {
                    left,
                    right,
                    choice,
                    weight,
                });
                if let Some(folds) = &mut folds {
                    folds.push(fold);
                }
            }
            sorted.end_annotator();
        }
        Ok((sorted, folds))
    }
}
