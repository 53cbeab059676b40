//! The votes table that everything else computes with.

use std::sync::Arc;

use super::comparisons::Comparisons;
use super::folds::Folds;
use super::ids::Ids;
use super::numbers::NumbersSeen;
use super::partition::Partition;
use crate::error::Result;
use crate::options::ReadColumns;

/// Votes in canonical order, before the checks that concern all votes together.
pub(super) struct SortedVotes {
    pub annotators: Ids,
    pub items: Ids,
    pub comparisons: Comparisons,
    /// The values of the column of folds, if there is one.
    pub fold_values: Option<Vec<i64>>,
    pub numbers: NumbersSeen,
    pub skipped: u64,
    pub columns: ReadColumns,
    pub from_table: bool,
}

impl SortedVotes {
    /// The votes, or why they cannot be used together.
    pub fn check(self) -> Result<Votes> {
        self.numbers
            .refuse_scale(&self.comparisons.choice, self.columns.choice_name())?;
        let folds = self.fold_values.map(Folds::from_values).transpose()?;
        let partition = Arc::new(Partition::new(&self.comparisons.offsets));
        Ok(Votes {
            annotators: self.annotators,
            items: self.items,
            comparisons: self.comparisons.in_blocks(partition),
            folds,
            skipped: self.skipped,
            columns: self.columns,
            from_table: self.from_table,
        })
    }
}

/// A votes table in canonical order: the same votes in any order of rows, read
/// by any number of threads, give the same `Votes`.
#[derive(Clone, Debug, PartialEq)]
pub struct Votes {
    pub(crate) annotators: Ids,
    pub(crate) items: Ids,
    pub(crate) comparisons: Comparisons,
    pub(crate) folds: Option<Folds>,
    pub(crate) skipped: u64,
    /// The names of the columns.
    pub(crate) columns: ReadColumns,
    /// Whether these are columns of a table, not just names for messages.
    pub(crate) from_table: bool,
}

impl Votes {
    /// The ids of the annotators; none if nobody knows who voted.
    pub fn annotators(&self) -> &Ids {
        &self.annotators
    }

    /// The ids of the items.
    pub fn items(&self) -> &Ids {
        &self.items
    }

    /// The votes, with ids replaced by their positions in canonical order.
    pub fn comparisons(&self) -> &Comparisons {
        &self.comparisons
    }

    /// The folds given by a column of the table, if there is one.
    pub fn folds(&self) -> Option<&Folds> {
        self.folds.as_ref()
    }

    /// Whether somebody knows who voted.
    pub fn has_annotators(&self) -> bool {
        self.comparisons.has_annotators
    }

    /// Whether the items stood on sides. In a table of winners and losers they did not.
    pub fn has_sides(&self) -> bool {
        self.columns.choice.is_some()
    }

    /// Which columns of a table were read; None if the votes do not come from a table.
    pub(crate) fn columns_read(&self) -> Option<String> {
        self.from_table.then(|| self.columns.to_string())
    }

    /// The number of rows that could not be used and were skipped.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }
}
