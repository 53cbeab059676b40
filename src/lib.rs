//! LaplacianSolver ranking, personal taste and position bias from pairwise votes.
//!
//! People are shown two items, one left, one right, and pick one. This library
//! reads such votes as Arrow batches, fits the mixed-effects HodgeRank model of
//! Xu, Xiong, Cao and Yao (ACM Multimedia 2016) and returns result sets as
//! Arrow batches:
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, RecordBatch, StringArray, cast::AsArray};
//! use me_hodgerank::{Fit, Options, ResultSet, VoteBuilder};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let column = |values: [&'static str; 6]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
//! let batch = RecordBatch::try_from_iter([
//!     ("annotator", column(["ann", "ann", "bob", "bob", "cyd", "cyd"])),
//!     ("left", column(["tea", "milk", "tea", "cola", "milk", "cola"])),
//!     ("right", column(["milk", "cola", "cola", "milk", "tea", "tea"])),
//!     ("choice", column(["left", "left", "left", "right", "right", "left"])),
//! ])?;
//!
//! let options = Options::default();
//! let mut votes = VoteBuilder::new(&options);
//! votes.push_batch(&batch)?;
//! let votes = votes.finish()?;
//! let fit = Fit::new(&votes, &options)?;
//!
//! let ranking = fit.table(ResultSet::Ranking)?;
//! let items = ranking.column_by_name("item").unwrap().as_string::<i32>();
//! assert_eq!(items.iter().flatten().collect::<Vec<_>>(), ["tea", "milk", "cola"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Vocabulary
//!
//! An **annotator** casts a **vote** on two **items**, one shown left and one
//! right. The **consensus** is a score for each item. An annotator's
//! **deviation** is how the own scores differ from it; the **position bias** is
//! the pull to the left (positive) or right (negative). Most annotators have
//! neither. The **path** runs from plain HodgeRank, where nobody does, to the
//! overfitted model where everybody does; **cross-validation** chooses the time
//! on it at which held-out votes are predicted best.
//!
//! # The way of the data
//!
//! [`VoteBuilder`] collects votes into canonical [`Votes`]; the model computes
//! with numbers only; a [`Fit`] keeps what came out, to be read as one of the
//! [`ResultSet`]s, written to bytes or kept in the process for the next call.
//! The same votes give the same bits whatever the order of rows, the number of
//! threads or the host.

#[cfg(feature = "duckdb")]
mod duckdb;
mod error;
mod execution;
mod findings;
mod fit;
mod linalg;
mod model;
mod options;
mod random;
mod render;
mod simulate;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod votes;

pub use error::{Error, ErrorKind, Result};
pub use execution::{Execution, Poll, Stop};
pub use findings::{
    AnnotatorFinding, CvPoint, FlowShares, PairFlow, PathEffect, PathPoint, PersonalRank,
    RankedItem, Summary, TriangleFinding, Verdict,
};
pub use fit::Fit;
pub use fit::predict::Predictor;
pub use options::{BiasTest, Columns, OnBadRow, Options, PairModel, ThetaUpdate};
pub use render::arrow::{ColumnKind, ResultColumn, ResultSet, id_data_type};
pub use render::svg::Plot;
pub use simulate::{Simulation, Simulator};
pub use votes::{ChoiceRef, IdRef, IdType, Ids, Row, VoteBuilder, Votes};

/// What the tests and benchmarks of this crate look at, and nobody else: it changes
/// without notice.
#[cfg(feature = "internals")]
pub mod internals {
    pub use crate::fit::cache;
    pub use crate::model::*;
}

/// The Rust example in README.md is compiled and run with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
