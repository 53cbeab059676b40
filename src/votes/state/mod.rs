//! Votes as a state: bytes that are stored, merged with those of other votes, and fitted.
//!
//! A state holds what [`VoteBuilder`](super::VoteBuilder) collected: the ids, each different
//! vote with how often it was cast, and how many rows were skipped. Everything is in canonical
//! order and nothing is added up in floating point. So the same votes give the same bytes,
//! in whatever order and in how many parts they were collected.
//!
//! ```text
//! flags u8 | skipped rows | items | annotators, if known
//! | choices, if graded | weights, if weighted | folds, if given | votes
//! ```
//!
//! These follow the header of all BLOBs (`blob.rs`). Numbers are varints and ids ascend
//! (`bytes.rs`); a vote is the difference to the one before (`rows.rs`). The choices, weights
//! and folds are all different values, ascending. Whatever is read is checked: a state that
//! no votes give is an error.
//!
//! | file | what it holds |
//! |---|---|
//! | `counted.rs` | votes with how often each was cast |
//! | `count.rs` | sorted votes to counted ones, and back |
//! | `merge.rs` | the votes of several states |
//! | `format.rs` | a state as bytes and back |
//! | `rows.rs`, `bytes.rs` | votes, numbers and ids as bytes |

mod bytes;
mod count;
mod counted;
mod format;
mod merge;
mod rows;

pub(super) use bytes::{StateReader, write_ids, write_length};
pub use counted::CountedVotes;
