//! Votes on several machines: which annotators are where, and what all have to know of all
//! votes before they can be fitted.

use std::sync::Arc;

use arrow_array::RecordBatch;

use super::arrow::id_column;
use super::builder::{VoteBuilder, no_votes};
use super::canonical::{SortedVotes, Votes};
use super::comparisons::{Choices, Comparisons};
use super::folds::Folds;
use super::ids::{Ids, Interner};
use super::numbers::{MAX_SCALE_NUMBERS, NumbersSeen};
use super::partition::Partition;
use super::state::{StateReader, write_ids, write_length};
use crate::collective::Collective;
use crate::error::{Error, Result};
use crate::execution::Execution;

/// How many votes each annotator of a table has, from the counts of its parts.
#[derive(Default)]
pub(crate) struct AnnotatorCounts {
    annotators: Interner,
    /// By number of the annotator.
    votes: Vec<u64>,
}

impl AnnotatorCounts {
    /// Adds the counts of a part: its columns annotator and votes.
    pub fn push_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        let annotators = id_column(batch, "annotator")?;
        let votes = id_column(batch, "votes")?;
        if let Some(id_type) = annotators.id_type {
            self.annotators.expect(id_type);
        }
        let mut numbers = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let (Some(annotator), Some(count)) = (annotators.id(row), votes.integer(row)) else {
                return Err(Error::votes("a count of votes is NULL"));
            };
            numbers.clear();
            self.annotators
                .intern_all(std::iter::once(annotator), &mut numbers)?;
            let number = numbers[0] as usize;
            if number == self.votes.len() {
                self.votes.push(0);
            }
            self.votes[number] += count.unsigned_abs();
        }
        Ok(())
    }

    /// The annotators in canonical order, and on which of so many ranks each of them is, so that
    /// a rank has complete blocks. There are no more ranks than blocks.
    pub fn assign(&self, ranks: usize) -> Result<(Ids, Vec<u32>)> {
        let (ids, positions) = self.annotators.sorted("annotators")?;
        let mut votes = vec![0; ids.len()];
        for (number, &position) in positions.iter().enumerate() {
            votes[position as usize] = self.votes[number];
        }
        let partition = Partition::new(&offsets(&votes));
        let blocks = partition.len();
        let ranks = ranks.clamp(1, blocks);
        let mut assigned = vec![0; ids.len()];
        // One annotator may have the votes of many blocks: a rank without annotators is left out.
        let mut used = 0;
        for rank in 0..ranks {
            let of_rank = rank * blocks / ranks..(rank + 1) * blocks / ranks;
            let first = partition.annotators_of(of_rank.start).start;
            let annotators = first..partition.annotators_of(of_rank.end - 1).end;
            if !annotators.is_empty() {
                assigned[annotators].fill(used);
                used += 1;
            }
        }
        Ok((ids, assigned))
    }
}

/// The row at which each annotator's votes begin, and the number of rows.
fn offsets(votes: &[u64]) -> Vec<usize> {
    let mut row = 0;
    let ends = votes.iter().map(|count| {
        row += *count as usize;
        row
    });
    let mut offsets = vec![0];
    offsets.extend(ends);
    offsets
}

/// Votes that one machine has read, before it knows of the others'.
pub(crate) struct VotePart(SortedVotes);

impl VoteBuilder {
    /// Sorts what was collected, as a part of a table. It may be empty.
    pub(crate) fn finish_part(self, execution: &mut Execution<'_>) -> Result<VotePart> {
        self.sorted(execution).map(VotePart)
    }
}

impl VotePart {
    /// The annotators with votes in this part.
    pub fn annotators(&self) -> &Ids {
        &self.0.annotators
    }

    /// How many votes each of them has in it.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        let votes = &self.0.comparisons;
        (0..votes.annotators()).map(|u| votes.rows(u).len() as u64)
    }

    /// The votes of this rank, as those of a table of which the other ranks have the rest. All
    /// votes of an annotator must be on one rank, annotators in the order of ranks, and a
    /// rank must have complete blocks: as [`AnnotatorCounts::assign`] says.
    pub fn on_rank(self, collective: Arc<dyn Collective>) -> Result<Votes> {
        let own = self.0;
        if !own.comparisons.has_annotators() {
            return Err(Error::option(
                "votes of which nobody knows who cast them are fitted in one process: \
                 annotator must be a column",
            ));
        }
        let all = collective.all_gather(PartHeader::new(&own).to_bytes())?;
        let all = all.iter().map(|bytes| PartHeader::from_bytes(bytes));
        let all: Vec<PartHeader> = all.collect::<Result<_>>()?;
        let table = TableHeader::new(&all, own.columns.choice_name())?;
        let partition = table.partition(&all, &collective)?;
        let folds = own
            .fold_values
            .map(|values| Folds::of_table(values, &table.folds));
        Ok(Votes {
            comparisons: renumbered(own.comparisons, &own.items, &table)
                .in_blocks(Arc::new(partition)),
            annotators: table.annotators,
            items: table.items,
            folds: folds.transpose()?,
            skipped: table.skipped,
            columns: own.columns,
            from_table: own.from_table,
        })
    }
}

/// What the other ranks have to know of a part.
struct PartHeader {
    annotators: Ids,
    items: Ids,
    /// By annotator.
    votes: Vec<u64>,
    skipped: u64,
    is_graded: bool,
    numbers: NumbersSeen,
    /// The different choices but 0: all of them, or one more than a scale has.
    choices: Vec<f64>,
    /// The different folds.
    folds: Vec<i64>,
}

impl PartHeader {
    fn new(part: &SortedVotes) -> Self {
        let votes = &part.comparisons;
        let mut folds = part.fold_values.clone().unwrap_or_default();
        folds.sort_unstable();
        folds.dedup();
        let mut choices = votes.choice.distinct_nonzero(MAX_SCALE_NUMBERS);
        if votes.choice.has_both_signs() {
            choices = vec![-1.0, 1.0]; // which no scale has
        }
        Self {
            annotators: part.annotators.clone(),
            items: part.items.clone(),
            votes: (0..votes.annotators())
                .map(|u| votes.rows(u).len() as u64)
                .collect(),
            skipped: part.skipped,
            is_graded: votes.is_graded(),
            numbers: part.numbers,
            choices,
            folds,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_ids(&mut bytes, &self.annotators);
        write_ids(&mut bytes, &self.items);
        let flags = [self.is_graded, self.numbers.zero, self.numbers.nonzero];
        bytes.extend(flags.map(u8::from));
        let numbers = self.votes.iter().chain([&self.skipped]);
        numbers.for_each(|&number| write_length(&mut bytes, number as usize));
        let choices = self.choices.iter().map(|choice| choice.to_bits());
        let folds = self.folds.iter().map(|fold| fold.cast_unsigned());
        for values in [choices.collect::<Vec<u64>>(), folds.collect()] {
            write_length(&mut bytes, values.len());
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = StateReader(bytes);
        let (annotators, items) = (from.ids()?, from.ids()?);
        let mut flag = || Ok::<_, Error>(from.byte()? != 0);
        let (is_graded, zero, nonzero) = (flag()?, flag()?, flag()?);
        let votes = (0..annotators.len()).map(|_| from.small_number());
        let votes = votes.collect::<Result<_>>()?;
        let skipped = from.small_number()?;
        let mut values = || -> Result<Vec<u64>> {
            let length = from.length(8)?;
            let values = from.take(8 * length)?.as_chunks::<8>().0.iter();
            Ok(values.map(|bytes| u64::from_le_bytes(*bytes)).collect())
        };
        let choices = values()?.into_iter().map(f64::from_bits).collect();
        let folds = values()?.into_iter().map(u64::cast_signed).collect();
        Ok(Self {
            annotators,
            items,
            votes,
            skipped,
            is_graded,
            numbers: NumbersSeen { zero, nonzero },
            choices,
            folds,
        })
    }
}

/// What is known of all votes together.
struct TableHeader {
    annotators: Ids,
    items: Ids,
    /// The row at which each annotator's votes begin, and the number of rows.
    offsets: Vec<usize>,
    skipped: u64,
    is_graded: bool,
    /// The different folds, ascending.
    folds: Vec<i64>,
}

impl TableHeader {
    fn new(parts: &[PartHeader], choice_name: &str) -> Result<Self> {
        let votes: Vec<u64> = parts.iter().flat_map(|part| &part.votes).copied().collect();
        if votes.iter().sum::<u64>() == 0 {
            return Err(no_votes());
        }
        let mut numbers = NumbersSeen::default();
        parts.iter().for_each(|part| numbers.merge(part.numbers));
        let choices = parts.iter().flat_map(|part| &part.choices);
        numbers.refuse_scale(&Choices::Graded(choices.copied().collect()), choice_name)?;
        let mut folds: Vec<i64> = parts.iter().flat_map(|part| &part.folds).copied().collect();
        folds.sort_unstable();
        folds.dedup();
        Ok(Self {
            annotators: merged(parts, "annotators", |part| &part.annotators)?,
            items: merged(parts, "items", |part| &part.items)?,
            offsets: offsets(&votes),
            skipped: parts.iter().map(|part| part.skipped).sum(),
            is_graded: parts.iter().any(|part| part.is_graded),
            folds,
        })
    }

    /// The blocks that this rank has: those that begin with its annotators.
    fn partition(
        &self,
        parts: &[PartHeader],
        collective: &Arc<dyn Collective>,
    ) -> Result<Partition> {
        let before = |rank: usize| -> usize {
            let parts = parts[..rank].iter();
            parts.map(|part| part.annotators.len()).sum()
        };
        let all = Partition::new(&self.offsets);
        let first_block = |rank: usize| {
            let begins_before = |&k: &usize| all.annotators_of(k).start < before(rank);
            match rank == collective.ranks() {
                true => all.len(),
                false => (0..all.len()).take_while(begins_before).count(),
            }
        };
        let rank = collective.rank();
        let blocks = first_block(rank)..first_block(rank + 1);
        // All ranks come to the same conclusion.
        let is_start = |first: usize| {
            let starts = (0..all.len()).map(|block| all.annotators_of(block).start);
            first == self.annotators.len() || starts.into_iter().any(|start| start == first)
        };
        let are_complete = (0..parts.len()).all(|rank| is_start(before(rank)));
        if !are_complete || !self.are_in_order(parts) {
            return Err(Error::votes(
                "the votes are not divided among the ranks as they have to be: all votes of an \
                 annotator on one rank, annotators in order, in complete blocks",
            ));
        }
        let collective = Arc::clone(collective);
        Ok(all.of_rank(blocks, &self.offsets, collective))
    }

    /// Whether the annotators of the parts, one part after the other, are those of the table.
    fn are_in_order(&self, parts: &[PartHeader]) -> bool {
        let each = parts.iter().flat_map(|part| part.annotators.iter());
        each.eq(self.annotators.iter())
    }
}

/// The ids of all parts.
fn merged(parts: &[PartHeader], what: &str, of: fn(&PartHeader) -> &Ids) -> Result<Ids> {
    let mut interner = Interner::default();
    let mut numbers = Vec::new();
    for ids in parts.iter().map(of).filter(|ids| !ids.is_empty()) {
        interner.expect(ids.id_type());
        for id in ids.iter() {
            numbers.clear();
            interner.intern_all(std::iter::once(id), &mut numbers)?;
        }
    }
    Ok(interner.sorted(what)?.0)
}

/// The votes of a part, with the items of the table. That keeps their order.
fn renumbered(votes: Comparisons, items: &Ids, table: &TableHeader) -> Comparisons {
    let position = |id| table.items.position(id).expect("an item of the table") as u32;
    let positions: Vec<u32> = items.iter().map(position).collect();
    let renumber = |items: Vec<u32>| {
        items
            .into_iter()
            .map(|item| positions[item as usize])
            .collect()
    };
    let choice = match votes.choice {
        Choices::Sides(sides) if table.is_graded => {
            Choices::Graded(sides.into_iter().map(f64::from).collect())
        }
        choice => choice,
    };
    Comparisons {
        items: table.items.len(),
        left: renumber(votes.left),
        right: renumber(votes.right),
        choice,
        ..votes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::in_process::run_ranks;
    use crate::options::Options;
    use crate::simulate::Simulation;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    fn batches() -> Vec<RecordBatch> {
        let simulation = Simulation {
            annotators: 900,
            items: 40,
            votes_each: 300,
            ..Simulation::default()
        };
        simulation.run().unwrap().map(Result::unwrap).collect()
    }

    fn part(rows: impl Fn(i64) -> bool) -> VotePart {
        let mut builder = VoteBuilder::new(&Options::default());
        for batch in batches() {
            let annotator = batch.column_by_name("annotator").unwrap();
            let annotator = annotator.as_primitive::<Int64Type>();
            for row in (0..batch.num_rows()).filter(|&row| rows(annotator.value(row))) {
                builder.push_batch(&batch.slice(row, 1)).unwrap();
            }
        }
        builder.finish_part(&mut Execution::new()).unwrap()
    }

    #[test]
    fn the_votes_of_all_ranks_are_those_of_the_table() {
        let mut builder = VoteBuilder::new(&Options::default());
        batches()
            .iter()
            .for_each(|batch| builder.push_batch(batch).unwrap());
        let table = builder.finish().unwrap();
        assert_eq!(table.comparisons.partition().len(), 4);
        let mut counts = AnnotatorCounts::default();
        let whole = part(|_| true);
        for (id, votes) in whole.annotators().iter().zip(whole.counts()) {
            let mut numbers = Vec::new();
            counts
                .annotators
                .intern_all(std::iter::once(id), &mut numbers)
                .unwrap();
            counts.votes.push(votes);
        }
        let (_, ranks) = counts.assign(3).unwrap();
        let found = run_ranks(3, |collective| {
            let rank = collective.rank() as u32;
            let own = part(|annotator| ranks[annotator as usize - 1] == rank);
            own.on_rank(collective).unwrap()
        });
        let mut first = 0;
        for votes in found {
            assert_eq!(
                (&votes.annotators, &votes.items),
                (&table.annotators, &table.items)
            );
            let partition = votes.comparisons.partition();
            assert_eq!(partition.annotators().before, first);
            for u in 0..votes.comparisons.annotators() {
                let wanted = table.comparisons.of(first + u);
                assert!(votes.comparisons.of(u).eq(wanted));
            }
            first += votes.comparisons.annotators();
        }
        assert_eq!(first, table.annotators.len());
    }

    #[test]
    fn a_rank_with_part_of_a_block_is_an_error() {
        let errors = run_ranks(2, |collective| {
            let is_own = |annotator| (annotator < 100) == (collective.rank() == 0);
            part(is_own)
                .on_rank(Arc::clone(&collective))
                .unwrap_err()
                .to_string()
        });
        assert!(
            errors.iter().all(|error| error.contains("complete blocks")),
            "{errors:?}"
        );
    }
}
