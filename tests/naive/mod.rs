//! A second implementation of the model, slow and obvious, which the fast one is
//! compared with.

pub mod case;
pub mod compare;
mod model;

#[allow(unused_imports)] // each test uses a part
pub use model::{Estimates, IndexedVote, NaiveModel, Setup, Table, cross_validate};
