//! Consensus ranking, personal taste and position bias from pairwise votes.
//!
//! People are shown two items, one left, one right, and pick one. This library fits
//! the mixed-effects HodgeRank model of Xu, Xiong, Cao and Yao (ACM Multimedia 2016)
//! to such votes. It returns the consensus ranking, says which annotators click a
//! side and which have a taste of their own, and predicts votes.
//!
//! # Rows in, typed findings out
//!
//! ```
//! use me_hodgerank::{Fit, IdRef, Options, Predictor, Row, Verdict, VoteBuilder};
//!
//! let options = Options::default();
//! let mut votes = VoteBuilder::new(&options);
//! for (annotator, left, right, choice) in [
//!     ("ann", "tea", "milk", "left"),
//!     ("ann", "milk", "cola", "left"),
//!     ("bob", "tea", "cola", "left"),
//!     ("bob", "cola", "milk", "right"),
//!     ("cyd", "milk", "tea", "right"),
//!     ("cyd", "cola", "tea", "left"),
//! ] {
//!     votes.push(Row::new(annotator, left, right, choice))?;
//! }
//! let fit = Fit::new(&votes.finish()?, &options)?;
//!
//! let best = &fit.ranking()?[0];
//! assert_eq!((best.item, best.rank), (IdRef::from("tea"), 1));
//! for annotator in fit.annotators()? {
//!     assert_eq!(annotator.verdict, Verdict::TooFewVotes, "{}", annotator.evidence);
//! }
//! let predictor = Predictor::new(fit.into())?;
//! let tea_over_cola = predictor.vote(IdRef::from("bob"), IdRef::from("tea"), IdRef::from("cola"));
//! assert!(tea_over_cola > 0.0);
//! # Ok::<(), me_hodgerank::Error>(())
//! ```
//!
//! # Arrow in, Arrow out
//!
//! Votes can be pushed as Arrow batches, and every [`ResultSet`] is an Arrow batch.
//! [`arrow_array`] and [`arrow_schema`] are re-exported, so that a program has the
//! version of Arrow that this library was built with.
//!
//! ```
//! use std::sync::Arc;
//! use me_hodgerank::arrow_array::{ArrayRef, RecordBatch, StringArray, cast::AsArray};
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
//! let fit = Fit::new(&votes.finish()?, &options)?;
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
//! right. The **consensus** is a score for each item. An annotator's **deviation** is
//! the difference between their own scores and the consensus; the **position bias**
//! is their preference for the left side (positive) or the right side (negative).
//! Both are zero for most annotators. The **path** is a sequence of models, from
//! HodgeRank, where both are zero for everybody, to an overfitted model where they
//! are zero for nobody. **Cross-validation** chooses the time on the path at which
//! held-out votes are predicted best.
//!
//! # The way of the data
//!
//! votes → model → fit → findings → a rendering → a host: [`VoteBuilder`] collects
//! rows or batches and sorts them into canonical [`Votes`]; the model computes with
//! numbers only; a [`Fit`] holds the results, to be read as one of the
//! [`ResultSet`]s, drawn as a [`Plot`], or written to bytes. [`Execution`] limits the
//! threads and the time of a computation. The same votes give the same bits whatever
//! the order of rows, the number of threads or the host.

// Of what `internals` shows, not every type needs it.
#![cfg_attr(not(feature = "internals"), warn(missing_debug_implementations))]

// Used by all stages.
mod blob;
// Ranks that are processes are for Python.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
mod collective;
mod error;
mod execution;
mod options;
mod progress;
mod random;

// The stages, in the order of the data. Each uses those before it only.

pub mod votes;

#[allow(unsafe_code)]
mod linalg;

// Parts of the model are used by tests and benchmarks only.
#[cfg_attr(not(feature = "internals"), allow(dead_code, unused_imports))]
mod model;

mod fit;

mod findings;

mod render;

// The hosts.
#[cfg(feature = "duckdb")]
mod duckdb;
#[cfg(feature = "python")]
#[allow(unsafe_code)]
mod python;
#[cfg(feature = "sqlite")]
pub mod sqlite;

// Votes with a known truth.
mod simulate;

pub use {arrow_array, arrow_schema};

pub use error::{Error, ErrorKind, Result};
pub use execution::Execution;
pub use findings::{
    AnnotatorFinding, Caveat, CompareOptions, CvPoint, FlowShares, HeadToHead, NextOptions,
    NextPair, PairFlow, PathEffect, PathPoint, PersonalRank, RankedItem, Summary, TriangleFinding,
    Verdict,
};
pub use fit::Fit;
pub use fit::predict::Predictor;
pub use options::{
    AnnotatorColumn, BiasTest, Columns, Loss, OnBadRow, Options, PairModel, ThetaUpdate,
};
pub use render::arrow::{ColumnKind, ResultColumn, ResultSet, SetArguments, id_data_type};
pub use render::html::ReportOptions;
pub use render::svg::Plot;
pub use simulate::{Simulation, Simulator};
pub use votes::{
    CandidateBuilder, CandidatePairs, ChoiceRef, CountedVotes, IdRef, IdType, Ids, Row,
    VoteBuilder, Votes,
};

/// For the tests and benchmarks of this crate only: it changes without notice.
#[cfg(feature = "internals")]
pub mod internals {
    pub use crate::execution::Stop;
    pub use crate::fit::cache;
    pub use crate::model::*;
}

/// The Rust example in README.md is compiled and run with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
