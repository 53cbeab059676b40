//! Rows in, one at a time or merged from several threads; canonical votes out.

use std::fmt;

use super::bad_rows::{BadRows, Fault};
use super::canonical::{SortedVotes, Votes};
use super::choice::{BadChoice, ChoiceRef, MAX_MAGNITUDE, MIN_WEIGHT};
use super::chunks::{CHUNK_ROWS, Chunk, Renumbering, RenumberingCache, SharedChunk};
use super::ids::{IdRef, IdType, Interner};
use super::numbers::NumbersSeen;
use super::row::Row;
use super::sort::Sorter;
use crate::error::{Error, Result};
use crate::execution::{Execution, Stop};
use crate::options::{AnnotatorColumn, Columns, OnBadRow, Options, ReadColumns};

/// Rows in columns, without NULLs, weights or folds, ids being integers and
/// choices numbers. They are read faster than other rows.
#[derive(Clone, Debug, Default)]
pub struct IntegerRows {
    /// Who voted.
    pub annotator: Vec<i64>,
    /// The item shown on the left.
    pub left: Vec<i64>,
    /// The item shown on the right.
    pub right: Vec<i64>,
    /// What was chosen: the sign is the side, the size the strength.
    pub choice: Vec<f64>,
}

/// A row that can be used.
struct Vote<'a> {
    /// Only None if nobody knows who voted.
    annotator: Option<IdRef<'a>>,
    left: IdRef<'a>,
    right: IdRef<'a>,
    choice: f64,
    weight: f64,
    fold: i64,
}

/// Rows that are looked up together: so many ids stay in the fastest cache.
const BLOCK_ROWS: usize = 128;

/// Collects votes. Several can be filled in parallel and merged: the votes
/// that come out are the same.
pub struct VoteBuilder {
    /// What the options say of the columns.
    wanted: Columns,
    /// The columns that are read.
    columns: ReadColumns,
    /// Whether these are columns of a table, not just names for messages.
    from_table: bool,
    on_bad_row: OnBadRow,
    annotators: Interner,
    items: Interner,
    /// Full chunks.
    chunks: Vec<SharedChunk>,
    /// The chunk that is being filled.
    open: Chunk,
    rows: u64,
    bad: BadRows,
    numbers: NumbersSeen,
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
            wanted: options.columns.clone(),
            columns: options.columns.default_names(),
            from_table: false,
            on_bad_row: options.on_bad_row,
            annotators: Interner::default(),
            items: Interner::default(),
            chunks: Vec::new(),
            open: Chunk::default(),
            rows: 0,
            bad: BadRows::default(),
            numbers: NumbersSeen::default(),
        }
    }

    /// Rows that come from these columns of a table.
    pub(crate) fn read_from(&mut self, columns: ReadColumns) {
        self.columns = columns;
        self.from_table = true;
    }

    /// The columns of a table that has the columns `present`. They are the same for all
    /// of its batches.
    pub(super) fn find_columns(&mut self, present: &[&str]) -> Result<()> {
        let columns = if self.from_table {
            self.columns.clone().require(present)?
        } else {
            self.wanted.find(present)?
        };
        self.read_from(columns);
        Ok(())
    }

    pub(crate) fn columns(&self) -> &ReadColumns {
        &self.columns
    }

    /// The ids of annotators and items; rows that cannot be used have others.
    pub(super) fn ids(&self) -> (&Interner, &Interner, &BadRows) {
        (&self.annotators, &self.items, &self.bad)
    }

    /// The numbers of annotators. If nobody knows who voted, all votes are one group.
    fn groups(&self, annotators: Vec<u32>) -> Vec<u32> {
        match self.has_annotators() {
            true => annotators,
            false => vec![0],
        }
    }

    /// Whether somebody knows who voted.
    fn has_annotators(&self) -> bool {
        self.wanted.annotator != AnnotatorColumn::Unknown
    }

    /// Declares the types of the ids in the rows to come. Results have ids of the
    /// same types.
    pub fn expect_ids(&mut self, annotator: IdType, left: IdType, right: IdType) {
        self.annotators.expect(annotator);
        self.items.expect(left);
        self.items.expect(right);
    }

    /// Takes one row. A row that cannot be used is counted;
    /// [`finish`](Self::finish) reports it.
    pub fn push(&mut self, row: Row<'_>) -> Result<()> {
        match self.checked(row) {
            Some(vote) => self.store(&[vote]),
            None => Ok(()),
        }
    }

    /// Takes many rows, which is faster than one at a time: ids are looked up one
    /// column after the other, so that the processor waits for memory less often.
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
            Ok(vote) => {
                let choice = row.choice.filter(|_| self.columns.choice.is_some());
                if let Some(ChoiceRef::Number(number)) = choice {
                    self.numbers.add(number);
                }
                Some(vote)
            }
            Err((fault, example)) => {
                self.bad.record(fault, example, &row);
                None
            }
        }
    }

    fn check<'a>(&self, row: Row<'a>) -> Result<Vote<'a>, (Fault, Option<String>)> {
        let annotator = match row.annotator {
            None if self.has_annotators() => return Err((Fault::NullAnnotator, None)),
            annotator => annotator,
        };
        let left = row.left.ok_or((Fault::NullLeft, None))?;
        let right = row.right.ok_or((Fault::NullRight, None))?;
        if left == right {
            return Err((Fault::SameItem, Some(left.to_string())));
        }
        let choice = match &self.columns.choice {
            Some(_) => row.choice.ok_or((Fault::NullChoice, None))?,
            None => ChoiceRef::Bool(true),
        };
        let choice = choice.value(left, right).map_err(|bad| {
            let fault = match bad {
                BadChoice::NotFinite => Fault::ChoiceNotFinite,
                BadChoice::TooLarge => Fault::ChoiceTooLarge,
                BadChoice::NumberAsText => Fault::ChoiceNumberAsText,
                BadChoice::Unknown => Fault::ChoiceUnknown,
            };
            (fault, Some(show(choice)))
        })?;
        if self.columns.weight.is_some() {
            let weight = row.weight;
            if !weight.is_some_and(|weight| (MIN_WEIGHT..=MAX_MAGNITUDE).contains(&weight)) {
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

    /// Takes rows of integers. If one of them cannot be used, or the options name
    /// a weight or fold column, none is taken and the result is false. The annotators
    /// are not looked at if the options say that nobody knows who voted.
    pub fn push_integers(&mut self, rows: &IntegerRows) -> Result<bool> {
        let annotators = self.has_annotators().then_some(&rows.annotator);
        let ids = [&rows.left, &rows.right].into_iter().chain(annotators);
        if ids.clone().any(|ids| ids.len() != rows.choice.len()) {
            return Err(Error::votes("the columns of the votes differ in length"));
        }
        let usable = |&choice: &f64| choice.abs() <= MAX_MAGNITUDE;
        let differ = rows.left.iter().zip(&rows.right).all(|(a, b)| a != b);
        let unweighted = self.columns.weight.is_none() && self.columns.fold.is_none();
        let has_choice = self.columns.choice.is_some();
        if !(unweighted && has_choice && differ && rows.choice.iter().all(usable)) {
            return Ok(false);
        }
        let chunk = Self::chunk_for(&mut self.open, &mut self.chunks, rows.choice.len());
        match annotators {
            Some(ids) => self.annotators.intern_integers(ids, &mut chunk.annotator)?,
            None => chunk.add_unknown_annotators(rows.choice.len()),
        }
        self.items.intern_integers(&rows.left, &mut chunk.left)?;
        self.items.intern_integers(&rows.right, &mut chunk.right)?;
        chunk.choice.extend(&rows.choice);
        self.numbers.add_all(&rows.choice);
        self.rows += rows.choice.len() as u64;
        Ok(true)
    }

    /// The open chunk for so many more rows: a new one if they do not fit.
    fn chunk_for<'a>(
        open: &'a mut Chunk,
        full: &mut Vec<SharedChunk>,
        rows: usize,
    ) -> &'a mut Chunk {
        if open.len() + rows > CHUNK_ROWS {
            full.push(std::mem::take(open).shared());
        }
        open
    }

    /// Appends votes. After an error the builder cannot be used any more.
    fn store(&mut self, votes: &[Vote<'_>]) -> Result<()> {
        let chunk = Self::chunk_for(&mut self.open, &mut self.chunks, votes.len());
        if self.wanted.annotator == AnnotatorColumn::Unknown {
            chunk.add_unknown_annotators(votes.len());
        } else {
            let annotators = votes.iter().filter_map(|vote| vote.annotator);
            self.annotators
                .intern_all(annotators, &mut chunk.annotator)?;
        }
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

    fn take_chunks(&mut self) -> Vec<SharedChunk> {
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.push(std::mem::take(&mut self.open).shared());
        chunks
    }

    fn copy_chunks(&self) -> Vec<SharedChunk> {
        let mut chunks = self.chunks.clone();
        chunks.push(self.open.clone().shared());
        chunks
    }

    /// Takes over chunks of another builder. Their rows stay shared; only their
    /// renumbering changes.
    fn take(&mut self, other: &Self, chunks: Vec<SharedChunk>) -> Result<()> {
        if other.from_table {
            self.read_from(other.columns.clone());
        }
        let annotators = self.annotators.merge(&other.annotators)?;
        let annotators = self.groups(annotators);
        let items = self.items.merge(&other.items)?;
        let mut next = Renumbering::new(annotators, items).map(RenumberingCache::new);
        for mut shared in chunks.into_iter().filter(|shared| shared.chunk.len() > 0) {
            if let Some(next) = &mut next {
                shared.renumbering = Some(next.compose(&shared));
            }
            self.chunks.push(shared);
        }
        self.rows += other.rows;
        self.bad.merge(other.bad.clone());
        self.numbers.merge(other.numbers);
        Ok(())
    }

    /// The number of rows taken, good and bad.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        let full = self.chunks.iter().map(|shared| shared.chunk.bytes());
        full.sum::<usize>() + self.open.bytes() + self.annotators.bytes() + self.items.bytes()
    }

    /// Sorts what was collected into canonical order, or says why it cannot be used.
    pub fn finish(self) -> Result<Votes> {
        self.finish_within(&mut Execution::new())
    }

    /// The same, within an execution that limits its time and threads.
    pub fn finish_within(mut self, execution: &mut Execution<'_>) -> Result<Votes> {
        let chunks = self.take_chunks();
        self.votes(chunks, execution)
    }

    /// The votes so far; more can follow.
    pub fn snapshot(&self, execution: &mut Execution<'_>) -> Result<Votes> {
        self.votes(self.copy_chunks(), execution)
    }

    /// The votes in canonical order, not checked as a whole: there may be none.
    pub(super) fn sorted(mut self, execution: &mut Execution<'_>) -> Result<SortedVotes> {
        if self.bad.total() > 0 && self.on_bad_row == OnBadRow::Error {
            return Err(self.bad.error(&self.columns, self.rows));
        }
        let (chunks, rows) = (self.take_chunks(), self.rows_to_sort());
        execution.run_sort(rows, |threads, stop| self.sort(chunks, threads, stop))
    }

    fn votes(&self, chunks: Vec<SharedChunk>, execution: &mut Execution<'_>) -> Result<Votes> {
        let skipped = self.bad.total();
        if self.rows == 0 {
            return Err(no_votes());
        }
        if skipped == self.rows || (skipped > 0 && self.on_bad_row == OnBadRow::Error) {
            return Err(self.bad.error(&self.columns, self.rows));
        }
        execution.run_sort(self.rows_to_sort(), |threads, stop| {
            self.sort(chunks, threads, stop)?.check()
        })
    }

    fn rows_to_sort(&self) -> usize {
        usize::try_from(self.rows).unwrap_or(usize::MAX)
    }

    fn sort(&self, chunks: Vec<SharedChunk>, threads: usize, stop: &Stop) -> Result<SortedVotes> {
        let (annotators, annotator_positions) = self.annotators.sorted("annotators")?;
        let (items, item_positions) = self.items.sorted("items")?;
        let graded = chunks.iter().any(|shared| shared.chunk.choice.is_graded());
        let (weighted, with_folds) = (self.columns.weight.is_some(), self.columns.fold.is_some());
        let positions = Renumbering {
            annotators: self.groups(annotator_positions),
            items: item_positions,
        };
        let sorter = Sorter::new(chunks, positions);
        let (comparisons, fold_values) = if graded || weighted || with_folds {
            sorter.general(stop, graded, weighted, with_folds)?
        } else {
            (sorter.sides(threads, stop)?, None)
        };
        Ok(SortedVotes {
            annotators,
            items,
            comparisons: comparisons.with_annotators(self.has_annotators()),
            fold_values,
            numbers: self.numbers,
            skipped: self.bad.total(),
            columns: self.columns.clone(),
            from_table: self.from_table,
        })
    }
}

/// The error for a table without rows.
pub(super) fn no_votes() -> Error {
    Error::votes("there are no votes: the table is empty, or a filter leaves nothing of it")
}

fn show(choice: ChoiceRef<'_>) -> String {
    match choice {
        ChoiceRef::Number(value) => value.to_string(),
        ChoiceRef::Bool(value) => value.to_string(),
        ChoiceRef::Text(text) => format!("'{text}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer_rows(choice: Vec<f64>) -> IntegerRows {
        IntegerRows {
            annotator: vec![7, -3, 7],
            left: vec![1, 2, 1 << 40],
            right: vec![2, 1, 2],
            choice,
        }
    }

    fn one_by_one(rows: &IntegerRows) -> Votes {
        let mut builder = VoteBuilder::new(&Options::default());
        builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
        for row in 0..rows.choice.len() {
            let id = |ids: &[i64]| Some(IdRef::Int(ids[row].into()));
            let row = Row {
                annotator: id(&rows.annotator),
                left: id(&rows.left),
                right: id(&rows.right),
                choice: Some(ChoiceRef::Number(rows.choice[row])),
                weight: None,
                fold: None,
            };
            builder.push(row).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn integer_rows_are_the_votes_of_single_rows() {
        for choice in [vec![1.0, -1.0, 0.0], vec![0.5, -0.0, -2.0]] {
            let rows = integer_rows(choice);
            let mut builder = VoteBuilder::new(&Options::default());
            builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
            assert!(builder.push_integers(&rows).unwrap());
            let votes = builder.finish().unwrap();
            assert_eq!(votes, one_by_one(&rows));
            // Equal numbers may still differ in their bits: 0.0 and -0.0.
            let comparisons = votes.comparisons();
            let mut choices = (0..comparisons.len()).map(|row| comparisons.get(row).choice);
            assert!(choices.all(|choice| choice != 0.0 || choice.is_sign_positive()));
        }
    }

    #[test]
    fn unusable_integer_rows_are_not_taken() {
        let mut builder = VoteBuilder::new(&Options::default());
        let unusable = integer_rows(vec![1.0, f64::NAN, 1.0]);
        assert!(!builder.push_integers(&unusable).unwrap());
        assert!(builder.push_integers(&integer_rows(vec![1.0])).is_err());
        assert_eq!(builder.rows(), 0);
    }
}
