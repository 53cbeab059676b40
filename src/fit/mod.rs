//! Votes and options to a fitted model; the model as bytes; predictions from it.
//!
//! | file | what it holds |
//! |---|---|
//! | `types.rs` | [`Fit`] and its parts: plain data |
//! | `parts.rs` | how each part is computed |
//! | `row_checks.rs` | rows that are repeated, a vote that outweighs all others |
//! | `vote_checks.rs` | votes that are refused |
//! | `self_consistency.rs` | pairs that an annotator judged more than once |
//! | `compute.rs` | the path, cross-validation, and a `Fit` made from them |
//! | `constructors.rs` | `Fit::new` |
//! | `effects.rs` | which effects of annotators the votes allow |
//! | `hodgerank_only.rs` | the ranking alone, where the model has no effects of annotators |
//! | `bytes.rs` | a `Fit` as bytes and back |
//! | `predict.rs` | predicted votes |
//! | `cache.rs` | the last few fits of the process |

mod bytes;
// Only the hosts keep fits, and the tests look at it.
#[cfg_attr(
    not(any(feature = "duckdb", feature = "sqlite", feature = "internals")),
    allow(dead_code)
)]
pub mod cache;
mod compute;
mod constructors;
mod effects;
pub(crate) mod hodgerank_only;
mod parts;
pub(crate) mod predict;
#[cfg_attr(not(feature = "python"), allow(dead_code))]
mod ranks;
mod row_checks;
mod self_consistency;
mod types;
mod validate;
mod vote_checks;

pub use types::Fit;
pub(crate) use types::{
    ChosenModel, ClickCounts, CvCurve, CycleSources, DominantRow, EffectPath, FitTotals, ItemTally,
    PathRecord, PersonalScores, RowChecks, SelfConsistency,
};
