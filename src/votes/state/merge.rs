//! The votes of several states. Ids and levels are numbered anew, which keeps the order of
//! each state's votes, so that a merge of sorted sequences is enough.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::count::{VOTES_BETWEEN_CHECKS, position, refuse_more_than_max};
use super::counted::{CountedVotes, Levels, MAX_SKIPPED, VoteShape, row_format};
use super::rows::{RowReader, RowWriter, VoteKey};
use crate::error::{Error, Result};
use crate::execution::{Execution, Stop};
use crate::votes::ids::{IdType, Ids, Interner};
use crate::votes::numbers::NumbersSeen;

/// Ids that are looked up together.
const BLOCK_IDS: usize = 128;

impl CountedVotes {
    /// The votes of all states together, in whatever order they come; None if there are no
    /// states. It is an error if one has weights, folds, annotators or sides and another has
    /// not, or if their ids are of different types. Integers of different widths become
    /// integers of the wider one.
    pub fn merge(states: Vec<Self>) -> Result<Option<Self>> {
        Self::merge_within(states, &mut Execution::new())
    }

    /// The same, within an execution that limits its time and threads.
    pub fn merge_within(
        mut states: Vec<Self>,
        execution: &mut Execution<'_>,
    ) -> Result<Option<Self>> {
        if states.len() <= 1 {
            return Ok(states.pop());
        }
        let rows: usize = states.iter().map(|state| state.different as usize).sum();
        let merged = execution.run_sort(rows, |_, stop| merge(&states, stop));
        merged.map(Some)
    }
}

fn merge(states: &[CountedVotes], stop: &Stop) -> Result<CountedVotes> {
    let shape = common_shape(states)?;
    let mut totals = (0_u64, 0_u64);
    for state in states {
        totals = (totals.0 + state.cast, totals.1 + state.skipped);
        refuse_more_than_max(totals.0)?;
        if totals.1 > MAX_SKIPPED {
            let text = "these states have more skipped rows than can be counted";
            return Err(Error::state(text));
        }
    }
    let mut numbers = NumbersSeen::default();
    states.iter().for_each(|state| numbers.merge(state.numbers));
    let (annotators, annotator_numbers) = merge_ids(states, "annotators", |s| &s.annotators)?;
    let (items, item_numbers) = merge_ids(states, "items", |s| &s.items)?;
    let levels = Levels::merged(states);
    let mut writer = RowWriter::new(row_format(shape, &annotators, &items, &levels));
    let numberings = annotator_numbers.into_iter().zip(item_numbers);
    let parts = states.iter().zip(numberings);
    let parts = parts.map(|(state, (annotators, items))| SortedPart {
        rows: state.read_rows(),
        annotators,
        items,
        choices: positions(state.levels.numbered_choices(), levels.numbered_choices()),
        weights: positions(&state.levels.weights, &levels.weights),
        folds: fold_positions(&state.levels.folds, &levels.folds),
    });
    let different = merge_sorted(parts.collect(), &mut writer, stop)?;
    Ok(CountedVotes {
        shape,
        numbers,
        skipped: totals.1,
        annotators,
        items,
        levels,
        rows: writer.finish(),
        different,
        cast: totals.0,
    })
}

/// What the votes of all states have; an error if they differ.
fn common_shape(states: &[CountedVotes]) -> Result<VoteShape> {
    let differ = |has: fn(&VoteShape) -> bool| {
        let with = states.iter().filter(|state| has(&state.shape)).count();
        with > 0 && with < states.len()
    };
    let difference = if differ(|shape| shape.has_annotators) {
        "some of these states know who voted and others do not (annotator is NULL)"
    } else if differ(|shape| shape.has_sides) {
        "some of these states have choices and others only winners and losers"
    } else if differ(|shape| shape.is_weighted) {
        "some of these states have weights and others have none"
    } else if differ(|shape| shape.has_folds) {
        "some of these states have folds and others have none"
    } else {
        return Ok(states[0].shape);
    };
    Err(Error::state(format!(
        "{difference}: collect the votes of all in the same way"
    )))
}

/// What kind of ids a type holds: ids of different kinds are never equal.
fn kind_of(id_type: IdType) -> &'static str {
    match id_type {
        IdType::Int { .. } => "integers",
        IdType::Text => "text",
        IdType::Mixed => "both integers and text",
    }
}

/// The ids of all states in canonical order, and for each state the new numbers of its ids.
fn merge_ids(
    states: &[CountedVotes],
    what: &str,
    of: impl Fn(&CountedVotes) -> &Ids,
) -> Result<(Ids, Vec<Vec<u32>>)> {
    let known = states.iter().map(&of).filter(|ids| !ids.is_empty());
    let mut kinds: Vec<_> = known.map(|ids| kind_of(ids.id_type())).collect();
    kinds.sort_unstable_by_key(|kind| (kind.len(), *kind));
    kinds.dedup();
    if let [first, second, ..] = kinds[..] {
        return Err(Error::state(format!(
            "the ids of {what} are {second} in some of these states and {first} in others: cast \
             them to one type when they are collected"
        )));
    }
    let mut interner = Interner::default();
    let mut numbers = Vec::with_capacity(states.len());
    for ids in states.iter().map(of) {
        if !ids.is_empty() {
            interner.expect(ids.id_type());
        }
        let mut own = Vec::with_capacity(ids.len());
        for start in (0..ids.len()).step_by(BLOCK_IDS) {
            let block = start..ids.len().min(start + BLOCK_IDS);
            interner.intern_all(block.map(|index| ids.get(index)), &mut own)?;
        }
        numbers.push(own);
    }
    let (ids, positions) = interner.sorted(what)?;
    for number in numbers.iter_mut().flatten() {
        *number = positions[*number as usize];
    }
    Ok((ids, numbers))
}

impl Levels {
    /// The different choices, weights and folds of all states.
    fn merged(states: &[CountedVotes]) -> Self {
        let numbers = |of: fn(&Self) -> &Vec<f64>| {
            let all = states.iter().flat_map(|state| of(&state.levels));
            let mut all: Vec<f64> = all.copied().collect();
            all.sort_unstable_by(f64::total_cmp);
            all.dedup();
            all
        };
        let folds = states.iter().flat_map(|state| &state.levels.folds);
        let mut folds: Vec<i64> = folds.copied().collect();
        folds.sort_unstable();
        folds.dedup();
        Self {
            choices: numbers(|levels| &levels.choices),
            weights: numbers(|levels| &levels.weights),
            folds,
        }
    }
}

/// Where each of some numbers is among all.
fn positions(numbers: &[f64], all: &[f64]) -> Vec<u32> {
    numbers
        .iter()
        .map(|number| position(all, *number))
        .collect()
}

fn fold_positions(folds: &[i64], all: &[i64]) -> Vec<u32> {
    let position = |fold: &i64| all.partition_point(|known| known < fold) as u32;
    folds.iter().map(position).collect()
}

/// The votes of one state, by the numbers of all states.
struct SortedPart<'a> {
    rows: RowReader<'a>,
    annotators: Vec<u32>,
    items: Vec<u32>,
    choices: Vec<u32>,
    weights: Vec<u32>,
    folds: Vec<u32>,
}

impl SortedPart<'_> {
    /// The next vote and how often it was cast.
    fn next(&mut self) -> Result<Option<(VoteKey, u64)>> {
        // Of what no vote has, the only number is 0.
        let number = |numbers: &[u32], of: u32| numbers.get(of as usize).copied().unwrap_or(0);
        let vote = self.rows.next()?;
        Ok(vote.map(|(vote, times)| {
            let vote = VoteKey {
                annotator: number(&self.annotators, vote.annotator),
                left: self.items[vote.left as usize],
                right: self.items[vote.right as usize],
                choice: self.choices[vote.choice as usize],
                weight: number(&self.weights, vote.weight),
                fold: number(&self.folds, vote.fold),
            };
            (vote, times)
        }))
    }
}

/// Writes the votes of all parts in order; the result is how many different ones there are.
fn merge_sorted(
    mut parts: Vec<SortedPart<'_>>,
    writer: &mut RowWriter,
    stop: &Stop,
) -> Result<u64> {
    let mut next = BinaryHeap::with_capacity(parts.len());
    for (index, part) in parts.iter_mut().enumerate() {
        let vote = part.next()?;
        next.extend(vote.map(|(vote, times)| Reverse((vote, index, times))));
    }
    let mut different = 0;
    while let Some(Reverse((vote, ..))) = next.peek().copied() {
        let mut times = 0;
        while let Some(mut first) = next.peek_mut()
            && first.0.0 == vote
        {
            let Reverse((_, index, own)) = *first;
            times += own;
            match parts[index].next()? {
                Some((vote, times)) => *first = Reverse((vote, index, times)),
                None => drop(std::collections::binary_heap::PeekMut::pop(first)),
            }
        }
        writer.push(&vote, times);
        different += 1;
        if different % VOTES_BETWEEN_CHECKS == 0 {
            stop.check()?;
        }
    }
    Ok(different)
}
