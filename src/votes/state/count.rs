//! Sorted votes to counted ones, and back.

use std::iter::repeat_n;

use super::counted::{CountedVotes, Levels, MAX_VOTES, VoteShape, row_format};
use super::rows::{RowWriter, VoteKey};
use crate::error::{Error, Result};
use crate::execution::{Execution, Stop};
use crate::options::{AnnotatorColumn, Columns, ReadColumns};
use crate::votes::builder::{VoteBuilder, no_votes};
use crate::votes::canonical::{SortedVotes, Votes};
use crate::votes::comparisons::{Choices, Comparisons};
use crate::votes::ids::{IdType, Ids};

/// Different votes between two looks at whether to stop.
pub const VOTES_BETWEEN_CHECKS: u64 = 1 << 12;

impl VoteBuilder {
    /// What was collected, to be stored and merged with other votes. Rows that cannot be used
    /// are an error or counted, as the options say; whether the votes can be fitted is not
    /// asked before they are.
    pub fn finish_counted(self) -> Result<CountedVotes> {
        self.finish_counted_within(&mut Execution::new())
    }

    /// The same, within an execution that limits its time and threads.
    pub fn finish_counted_within(self, execution: &mut Execution<'_>) -> Result<CountedVotes> {
        let votes = self.sorted(execution)?;
        let rows = votes.comparisons.len();
        execution.run_sort(rows, |_, stop| CountedVotes::count(votes, stop))
    }
}

impl CountedVotes {
    /// Counts equal votes, which lie beside each other.
    fn count(votes: SortedVotes, stop: &Stop) -> Result<Self> {
        let comparisons = &votes.comparisons;
        let cast = comparisons.len() as u64;
        refuse_more_than_max(cast)?;
        let shape = VoteShape {
            has_annotators: comparisons.has_annotators(),
            has_sides: votes.columns.choice.is_some(),
            is_weighted: comparisons.is_weighted(),
            has_folds: votes.fold_values.is_some(),
        };
        let levels = Levels::of(&votes);
        let format = row_format(shape, &votes.annotators, &votes.items, &levels);
        let mut writer = RowWriter::new(format);
        let (mut different, mut last) = (0, None);
        for annotator in 0..comparisons.annotators() {
            for row in comparisons.rows(annotator) {
                let vote = levels.key(&votes, annotator, row);
                last = match last {
                    Some((known, times)) if known == vote => Some((known, times + 1)),
                    before => {
                        before.inspect(|(known, times)| writer.push(known, *times));
                        different += 1;
                        if different % VOTES_BETWEEN_CHECKS == 0 {
                            stop.check()?;
                        }
                        Some((vote, 1))
                    }
                };
            }
        }
        last.inspect(|(known, times)| writer.push(known, *times));
        Ok(Self {
            shape,
            numbers: votes.numbers,
            skipped: votes.skipped,
            annotators: without_type_if_empty(votes.annotators),
            items: without_type_if_empty(votes.items),
            levels,
            rows: writer.finish(),
            different,
            cast,
        })
    }

    /// The votes, each as often as it was cast: what the rows give that were collected. An
    /// error says why they cannot be fitted.
    pub fn votes(&self) -> Result<Votes> {
        self.votes_within(&mut Execution::new())
    }

    /// The same, within an execution that limits its time and threads.
    pub fn votes_within(&self, execution: &mut Execution<'_>) -> Result<Votes> {
        match (self.cast, self.skipped) {
            (0, 0) => return Err(no_votes()),
            (0, 1) => {
                return Err(Error::votes(
                    "there are no votes: the only row was skipped when it was collected",
                ));
            }
            (0, skipped) => {
                return Err(Error::votes(format!(
                    "there are no votes: all {skipped} rows were skipped when they were collected"
                )));
            }
            _ => {}
        }
        let rows = usize::try_from(self.cast).unwrap_or(usize::MAX);
        execution.run_sort(rows, |_, stop| self.repeat(stop)?.check())
    }

    /// Every vote as often as it was cast.
    fn repeat(&self, stop: &Stop) -> Result<SortedVotes> {
        let mut votes = self.reserve()?;
        let choices = self.levels.numbered_choices();
        let mut fold_values = match self.shape.has_folds {
            true => Some(reserved(self.cast)?),
            false => None,
        };
        let mut rows = self.read_rows();
        let mut different = 0_u64;
        while let Some((vote, times)) = rows.next()? {
            different += 1;
            if different.is_multiple_of(VOTES_BETWEEN_CHECKS) {
                stop.check()?;
            }
            while votes.annotators() < vote.annotator as usize {
                votes.end_annotator();
            }
            let times = times as usize;
            votes.left.extend(repeat_n(vote.left, times));
            votes.right.extend(repeat_n(vote.right, times));
            match &mut votes.choice {
                Choices::Sides(sides) => sides.extend(repeat_n(vote.choice as i8 - 1, times)),
                Choices::Graded(values) => {
                    values.extend(repeat_n(choices[vote.choice as usize], times));
                }
            }
            if let Some(weights) = &mut votes.weight {
                weights.extend(repeat_n(self.levels.weights[vote.weight as usize], times));
            }
            if let Some(folds) = &mut fold_values {
                folds.extend(repeat_n(self.levels.folds[vote.fold as usize], times));
            }
        }
        votes.end_annotator();
        Ok(SortedVotes {
            annotators: self.annotators.clone(),
            items: self.items.clone(),
            comparisons: votes.with_annotators(self.shape.has_annotators),
            fold_values,
            numbers: self.numbers,
            skipped: self.skipped,
            columns: self.column_names(),
            from_table: false,
        })
    }

    /// Memory for all votes. A few bytes may say that there are very many.
    fn reserve(&self) -> Result<Comparisons> {
        let votes = self.cast;
        let choice = match self.levels.are_graded() {
            true => Choices::Graded(reserved(votes)?),
            false => Choices::Sides(reserved(votes)?),
        };
        let weight = match self.shape.is_weighted {
            true => Some(reserved(votes)?),
            false => None,
        };
        let is_graded = self.levels.are_graded();
        Ok(Comparisons {
            left: reserved(votes)?,
            right: reserved(votes)?,
            choice,
            weight,
            ..Comparisons::with_capacity(self.items.len(), 0, is_graded, false)
        })
    }

    /// The names that columns have in messages about these votes.
    fn column_names(&self) -> ReadColumns {
        let shape = self.shape;
        let named = |has: bool, name: &str| has.then(|| name.to_string());
        let columns = Columns {
            annotator: match shape.has_annotators {
                true => AnnotatorColumn::Usual,
                false => AnnotatorColumn::Unknown,
            },
            weight: named(shape.is_weighted, "weight"),
            fold: named(shape.has_folds, "fold"),
            ..Columns::default()
        };
        let names = columns.default_names();
        ReadColumns {
            choice: names.choice.clone().filter(|_| shape.has_sides),
            ..names
        }
    }
}

impl Levels {
    fn of(votes: &SortedVotes) -> Self {
        let choices = match &votes.comparisons.choice {
            Choices::Sides(sides) => {
                let cast = [-1, 0, 1].into_iter().filter(|side| sides.contains(side));
                cast.map(f64::from).collect()
            }
            Choices::Graded(values) => distinct(values),
        };
        let mut folds = votes.fold_values.clone().unwrap_or_default();
        folds.sort_unstable();
        folds.dedup();
        let weights = votes.comparisons.weight.as_deref();
        Self {
            choices,
            weights: distinct(weights.unwrap_or_default()),
            folds,
        }
    }

    /// A vote by the positions of its choice, weight and fold.
    fn key(&self, votes: &SortedVotes, annotator: usize, row: usize) -> VoteKey {
        let comparisons = &votes.comparisons;
        let [left, right] = comparisons.pair(row);
        let weight = comparisons.weight.as_ref().map(|weights| weights[row]);
        let fold = votes.fold_values.as_ref().map(|folds| folds[row]);
        let fold = fold.map(|fold| self.folds.partition_point(|known| *known < fold));
        VoteKey {
            annotator: annotator as u32,
            left,
            right,
            choice: position(self.numbered_choices(), comparisons.choice.get(row)),
            weight: weight.map_or(0, |weight| position(&self.weights, weight)),
            fold: fold.unwrap_or(0) as u32,
        }
    }
}

/// An error if there are more votes than a state may hold.
pub fn refuse_more_than_max(votes: u64) -> Result<()> {
    match votes <= MAX_VOTES {
        true => Ok(()),
        false => Err(Error::state(format!(
            "a state holds at most {MAX_VOTES} votes, and these are {votes}"
        ))),
    }
}

/// Ids that a state can tell from others: where there are none, it does not know their type.
fn without_type_if_empty(ids: Ids) -> Ids {
    match ids.is_empty() {
        true => Ids::new(IdType::Text),
        false => ids,
    }
}

/// The different numbers, ascending.
fn distinct(numbers: &[f64]) -> Vec<f64> {
    let mut distinct = numbers.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    distinct
}

/// The position of a number among ascending ones.
pub fn position(numbers: &[f64], number: f64) -> u32 {
    numbers.partition_point(|known| *known < number) as u32
}

/// An empty vector that takes so many elements, or an error if there is no memory for them.
fn reserved<T>(count: u64) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    let outcome = vector.try_reserve_exact(usize::try_from(count).unwrap_or(usize::MAX));
    outcome.map_err(|_| {
        Error::state(format!(
            "there is not enough memory for the {count} votes of these states"
        ))
    })?;
    Ok(vector)
}
