//! A second implementation of the model, slow and obvious, which the fast one is
//! compared with.

pub mod case;
pub mod compare;
pub mod glm;
mod model;

pub use model::{Estimates, IndexedVote, NaiveModel, Setup, Table, cross_validate};
