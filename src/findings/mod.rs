//! What a fit says, as typed structs.

pub(crate) mod rank;
pub(crate) mod verdict;
