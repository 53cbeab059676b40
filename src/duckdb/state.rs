//! The state of the table functions' aggregate: the votes so far.
//!
//! DuckDB owns the memory of a state and may move it. It holds one pointer to a
//! [`VoteState`].
//!
//! An update gets an array of states. Its length cannot be known: before 2.0
//! DuckDB passes one state for all rows if the call has `ORDER BY` in it or the
//! frame of a window is a whole partition, and one for each row otherwise
//! (`CAPIAggregateUpdate` does not flatten the vector of states, DuckDB's issue
//! 21537). So only the first is ever read. It is the right one for every row
//! because a table function has all votes in one group. Groups are for
//! `me_hodgerank_fit`, whose votes DuckDB's own `list` collects.

use std::sync::Arc;

use libduckdb_sys::duckdb_aggregate_state;

use super::call_options::{CallOptions, OPTIONS_DIFFER};
use super::error::SqlError;
use crate::VoteBuilder;

/// What is known of a table.
#[derive(Default)]
pub enum VoteState {
    /// Nothing before the first row.
    #[default]
    Empty,
    /// The votes, or a part of them.
    Votes(Box<CollectedVotes>),
    /// It lacks columns: its rows are no votes.
    MissingColumns,
}

/// Votes and how they are to be fitted.
pub struct CollectedVotes {
    pub call: Arc<CallOptions>,
    pub builder: VoteBuilder,
}

/// DuckDB makes, fills, merges and drops a state on different threads.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<VoteState>();
};

impl CollectedVotes {
    /// No votes yet.
    pub fn new(call: &Arc<CallOptions>) -> Self {
        Self {
            call: call.clone(),
            builder: VoteBuilder::new(&call.options),
        }
    }

    /// Adds a copy of votes that come with the same options.
    fn merge(&mut self, source: &Self) -> Result<(), SqlError> {
        self.expect_same(&source.call)?;
        Ok(self.builder.merge_copy(&source.builder)?)
    }

    fn expect_same(&self, call: &Arc<CallOptions>) -> Result<(), SqlError> {
        let is_same = Arc::ptr_eq(&self.call, call) || self.call.written == call.written;
        is_same.then_some(()).ok_or_else(|| OPTIONS_DIFFER.into())
    }
}

impl VoteState {
    /// The votes so far, to which more with the same options are added. None if the table
    /// lacks columns.
    pub fn collect(
        &mut self,
        call: &Arc<CallOptions>,
    ) -> Result<Option<&mut CollectedVotes>, SqlError> {
        if let Self::Empty = self {
            *self = Self::Votes(Box::new(CollectedVotes::new(call)));
        }
        match self {
            Self::Votes(votes) => {
                votes.expect_same(call)?;
                Ok(Some(votes))
            }
            _ => Ok(None),
        }
    }

    /// Adds a copy of what another state has.
    pub fn merge(&mut self, source: &Self) -> Result<(), SqlError> {
        match source {
            Self::Empty => {}
            Self::MissingColumns => *self = Self::MissingColumns,
            Self::Votes(source) => {
                if let Some(votes) = self.collect(&source.call)? {
                    votes.merge(source)?;
                }
            }
        }
        Ok(())
    }
}

/// What DuckDB keeps for each state.
type StatePointer = *mut VoteState;

/// The size of what DuckDB keeps for each state.
pub const STATE_BYTES: usize = size_of::<StatePointer>();

/// Fills the memory of a new state.
///
/// # Safety
///
/// `state` must point to [`STATE_BYTES`] of memory.
pub unsafe fn init(state: duckdb_aggregate_state) {
    let ours = Box::into_raw(Box::<VoteState>::default());
    // SAFETY: the caller's promise; DuckDB aligns states to 8 bytes.
    unsafe { state.cast::<StatePointer>().write(ours) };
}

/// Frees what a state points to.
///
/// # Safety
///
/// `state` must be null or memory that [`init`] filled, perhaps moved since.
pub unsafe fn destroy(state: duckdb_aggregate_state) {
    if state.is_null() {
        return;
    }
    // SAFETY: the caller's promise; the pointer is set to null so that it is freed once.
    unsafe {
        let ours = state.cast::<StatePointer>().replace(std::ptr::null_mut());
        if !ours.is_null() {
            drop(Box::from_raw(ours));
        }
    }
}

/// What a state points to, to be changed.
///
/// # Safety
///
/// The state must be one that [`init`] filled, and not be held elsewhere.
pub unsafe fn get_mut<'a>(state: duckdb_aggregate_state) -> &'a mut VoteState {
    // SAFETY: the caller's promise.
    unsafe { &mut *state.cast::<StatePointer>().read() }
}

/// What a state points to, which others may read at the same time.
///
/// # Safety
///
/// The state must be one that [`init`] filled, and nothing may change it meanwhile.
pub unsafe fn get<'a>(state: duckdb_aggregate_state) -> &'a VoteState {
    // SAFETY: the caller's promise.
    unsafe { &*state.cast::<StatePointer>().read() }
}
