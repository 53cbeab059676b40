//! Rows in, one at a time or merged from several threads; canonical votes out.

use std::fmt;
use std::sync::Arc;

use super::bad_rows::{BadRows, Fault};
use super::choice::{BadChoice, ChoiceRef, LARGEST};
use super::chunks::{CHUNK_ROWS, Chunk, Held, Lookup, Numbers};
use super::ids::{IdRef, IdType, Interner};
use super::row::Row;
use super::sort::Sorter;
use super::{Votes, folds};
use crate::error::{Error, Result};
use crate::execution::{Execution, Stop};
use crate::options::{Columns, OnBadRow, Options};

/// Rows without a NULL, ids whole numbers and choices numbers: the quick way in.
#[cfg(feature = "duckdb")]
#[derive(Default)]
pub(crate) struct WholeRows {
    pub annotator: Vec<i64>,
    pub left: Vec<i64>,
    pub right: Vec<i64>,
    pub choice: Vec<f64>,
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

/// So many rows are looked up together: their ids stay in the fastest cache.
const BLOCK_ROWS: usize = 128;

/// Collects votes. Several can be filled in parallel and merged: the votes
/// that come out are the same.
pub struct VoteBuilder {
    columns: Columns,
    on_bad_row: OnBadRow,
    annotators: Interner,
    items: Interner,
    /// Full ones.
    chunks: Vec<Held>,
    /// The one that is being filled.
    open: Chunk,
    rows: u64,
    bad: BadRows,
}

impl fmt::Debug for VoteBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VoteBuilder")
            .field("columns", &self.columns)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
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

    /// Takes rows whose ids are whole numbers and whose choices are numbers. If
    /// one of them cannot be used, none is taken and the answer is false.
    #[cfg(feature = "duckdb")]
    pub(crate) fn push_whole(&mut self, rows: &WholeRows) -> Result<bool> {
        let usable = |&choice: &f64| choice.abs() <= LARGEST;
        let differ = rows.left.iter().zip(&rows.right).all(|(a, b)| a != b);
        let plain = self.columns.weight.is_none() && self.columns.fold.is_none();
        if !(plain && differ && rows.choice.iter().all(usable)) {
            return Ok(false);
        }
        let chunk = Self::room(&mut self.open, &mut self.chunks, rows.choice.len());
        self.annotators
            .intern_whole(&rows.annotator, &mut chunk.annotator)?;
        self.items.intern_whole(&rows.left, &mut chunk.left)?;
        self.items.intern_whole(&rows.right, &mut chunk.right)?;
        chunk.choice.extend(&rows.choice);
        self.rows += rows.choice.len() as u64;
        Ok(true)
    }

    /// The open chunk, after it made room for more rows.
    fn room<'a>(open: &'a mut Chunk, full: &mut Vec<Held>, rows: usize) -> &'a mut Chunk {
        if open.len() + rows > CHUNK_ROWS {
            full.push(whole(std::mem::replace(open, Chunk::new())));
        }
        open
    }

    /// After an error the builder is of no use any more.
    fn store(&mut self, votes: &[Vote<'_>]) -> Result<()> {
        let chunk = Self::room(&mut self.open, &mut self.chunks, votes.len());
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

    fn take_chunks(&mut self) -> Vec<Held> {
        let open = std::mem::replace(&mut self.open, Chunk::new());
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.push(whole(open));
        chunks
    }

    fn copy_chunks(&self) -> Vec<Held> {
        let mut chunks = self.chunks.clone();
        chunks.push(whole(self.open.clone()));
        chunks
    }

    /// Chunks stay as they are and shared; only what their numbers mean is new.
    fn take(&mut self, other: &Self, chunks: Vec<Held>) -> Result<()> {
        let annotators = self.annotators.merge(&other.annotators)?;
        let items = self.items.merge(&other.items)?;
        let mut lookup = Numbers::new(annotators, items).map(Lookup::new);
        for mut held in chunks.into_iter().filter(|held| held.chunk.len() > 0) {
            if let Some(lookup) = &mut lookup {
                held.numbers = Some(lookup.of(held.numbers.as_ref()));
            }
            self.chunks.push(held);
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
        let full = self.chunks.iter().map(|held| held.chunk.bytes());
        full.sum::<usize>() + self.open.bytes() + self.annotators.bytes() + self.items.bytes()
    }

    /// Sorts what was collected into canonical order, or says why it cannot be used.
    pub fn finish(self) -> Result<Votes> {
        self.finish_within(&mut Execution::new())
    }

    /// The same, watched.
    pub fn finish_within(mut self, execution: &mut Execution<'_>) -> Result<Votes> {
        let chunks = self.take_chunks();
        self.votes(chunks, execution)
    }

    /// The votes so far; more can follow.
    pub fn snapshot(&self, run: &mut Execution<'_>) -> Result<Votes> {
        self.votes(self.copy_chunks(), run)
    }

    fn votes(&self, chunks: Vec<Held>, run: &mut Execution<'_>) -> Result<Votes> {
        let skipped = self.bad.total();
        if self.rows == 0 {
            return Err(Error::votes(
                "there are no votes: the table is empty, or a filter leaves nothing of it",
            ));
        }
        if skipped == self.rows || (skipped > 0 && self.on_bad_row == OnBadRow::Error) {
            return Err(self.bad.error(&self.columns, self.rows));
        }
        let threads = run.worker_threads();
        run.run(move |stop| self.sort(chunks, threads, stop))
    }

    fn sort(&self, chunks: Vec<Held>, threads: usize, stop: &Stop) -> Result<Votes> {
        let (annotators, annotator_place) = self.annotators.sorted("annotators")?;
        let (items, item_place) = self.items.sorted("items")?;
        let graded = chunks.iter().any(|held| held.chunk.choice.is_graded());
        let (weighted, with_folds) = (self.columns.weight.is_some(), self.columns.fold.is_some());
        let places = Numbers {
            annotators: annotator_place,
            items: item_place,
        };
        let sorter = Sorter::new(chunks, places);
        let (comparisons, fold_values) = if graded || weighted || with_folds {
            sorter.general(stop, graded, weighted, with_folds)?
        } else {
            (sorter.sides(threads, stop)?, None)
        };
        let folds = fold_values.map(folds::Folds::from_values).transpose()?;
        Ok(Votes {
            annotators,
            items,
            comparisons,
            folds,
            skipped: self.bad.total(),
        })
    }
}

fn whole(chunk: Chunk) -> Held {
    Held {
        chunk: Arc::new(chunk),
        numbers: None,
    }
}

fn show(choice: ChoiceRef<'_>) -> String {
    match choice {
        ChoiceRef::Number(value) => value.to_string(),
        ChoiceRef::Bool(value) => value.to_string(),
        ChoiceRef::Text(text) => format!("'{text}'"),
    }
}
