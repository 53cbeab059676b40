//! Votes in: Arrow batches or single rows, ids interned, bad rows counted,
//! canonical order.
//!
//! ```text
//! RecordBatch ─ arrow.rs ─┐
//!                         ├─ VoteBuilder ─ merge ─ finish ─ Votes
//! a host's rows ── Row ───┘         └─ finish_counted ─ CountedVotes ─ merge ─ votes ─ Votes
//! ```

pub(crate) mod arrow;
mod bad_rows;
mod builder;
mod candidates;
mod canonical;
mod choice;
mod chunks;
mod comparisons;
mod folds;
#[cfg_attr(not(any(feature = "duckdb", feature = "sqlite")), allow(dead_code))]
mod group;
mod ids;
mod numbers;
mod partition;
#[cfg(test)]
pub(crate) mod rank_tables;
#[cfg_attr(not(feature = "python"), allow(dead_code))]
mod ranks;
mod row;
mod sort;
mod state;

pub use builder::{IntegerRows, VoteBuilder};
pub use candidates::{CandidateBuilder, CandidatePairs};
pub use canonical::Votes;
pub use choice::ChoiceRef;
pub use comparisons::{Comparison, Comparisons};
pub use folds::Folds;
pub use ids::{IdRef, IdType, Ids};
pub use partition::Partition;
pub use row::Row;
pub use state::CountedVotes;

pub(crate) use comparisons::Choices;
#[cfg(feature = "python")]
pub(crate) use ranks::AnnotatorCounts;
