//! Votes in: Arrow batches or single rows, ids interned, bad rows named,
//! canonical order.
//!
//! ```text
//! RecordBatch ─ arrow.rs ─┐
//!                         ├─ VoteBuilder ─ merge ─ finish ─ Votes
//! a host's rows ── Row ───┘
//! ```

mod arrow;
mod bad_rows;
mod builder;
mod choice;
mod chunks;
mod comparisons;
mod folds;
mod ids;
mod row;
mod sort;

pub use builder::VoteBuilder;
#[cfg(feature = "duckdb")]
pub(crate) use builder::WholeRows;
pub use choice::ChoiceRef;
pub use comparisons::{Comparison, Comparisons};
pub use folds::Folds;
pub use ids::{IdRef, IdType, Ids};
pub use row::Row;

#[cfg(feature = "sqlite")]
pub(crate) use arrow::missing_column;
pub(crate) use comparisons::Choices;

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
    /// Who voted.
    pub fn annotators(&self) -> &Ids {
        &self.annotators
    }

    /// What was voted on.
    pub fn items(&self) -> &Ids {
        &self.items
    }

    /// The votes as numbers.
    pub fn comparisons(&self) -> &Comparisons {
        &self.comparisons
    }

    /// The folds that a column gave.
    pub fn folds(&self) -> Option<&Folds> {
        self.folds.as_ref()
    }

    /// How many rows were left out.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }
}
