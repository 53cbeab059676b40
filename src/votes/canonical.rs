//! The votes table that everything else computes with.

use super::comparisons::Comparisons;
use super::folds::Folds;
use super::ids::Ids;

/// A votes table in canonical order: the same votes in any order of rows, read
/// by any number of threads, give the same `Votes`.
#[derive(Clone, Debug, PartialEq)]
pub struct Votes {
    pub(crate) annotators: Ids,
    pub(crate) items: Ids,
    pub(crate) comparisons: Comparisons,
    pub(crate) folds: Option<Folds>,
    pub(crate) skipped: u64,
}

impl Votes {
    /// The ids of the annotators.
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

    /// The number of rows that could not be used and were skipped.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }
}
