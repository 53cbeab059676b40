//! The state of the aggregate: the votes of one group so far.
//!
//! DuckDB owns the memory of a state and may move it. It holds one pointer to a
//! [`GroupState`].

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use libduckdb_sys::duckdb_aggregate_state;

use super::call_options::CallOptions;
use super::error::SqlError;
use crate::VoteBuilder;

/// The votes of a group.
pub struct GroupState {
    /// The address at which DuckDB had it made.
    address: usize,
    /// None until the first row.
    pub votes: Option<CollectedVotes>,
}

impl GroupState {
    /// The builder for the votes of this group, which all come with the same options.
    pub fn collect(&mut self, call: &Arc<CallOptions>) -> Result<&mut VoteBuilder, SqlError> {
        let votes = self.votes.get_or_insert_with(|| CollectedVotes {
            call: call.clone(),
            builder: VoteBuilder::new(&call.options),
        });
        if !Arc::ptr_eq(&votes.call, call) && votes.call.written != call.written {
            return Err("the options must be the same for all votes of a group".into());
        }
        Ok(&mut votes.builder)
    }

    /// Adds a copy of another group's votes.
    pub fn merge(&mut self, source: &Self) -> Result<(), SqlError> {
        let Some(source) = &source.votes else {
            return Ok(());
        };
        Ok(self.collect(&source.call)?.merge_copy(&source.builder)?)
    }
}

/// Votes and how they are to be fitted.
pub struct CollectedVotes {
    pub call: Arc<CallOptions>,
    pub builder: VoteBuilder,
}

/// What DuckDB keeps for each state.
type StatePointer = *mut GroupState;

/// The size of what DuckDB keeps for each state.
pub const STATE_BYTES: usize = size_of::<StatePointer>();

/// Fills the memory of a new state.
///
/// # Safety
///
/// `state` must point to [`STATE_BYTES`] of memory.
pub unsafe fn init(state: duckdb_aggregate_state) {
    let address = state as usize;
    live().insert(address);
    let ours = Box::new(GroupState {
        address,
        votes: None,
    });
    // SAFETY: the caller's promise; DuckDB aligns states to 8 bytes.
    unsafe { state.cast::<StatePointer>().write(Box::into_raw(ours)) };
}

/// Frees what a state points to.
///
/// # Safety
///
/// `state` must be memory that [`init`] filled, perhaps moved since.
pub unsafe fn destroy(state: duckdb_aggregate_state) {
    if state.is_null() {
        return;
    }
    // SAFETY: the caller's promise; the pointer is set to null so that it is freed once.
    unsafe {
        let ours = state.cast::<StatePointer>().replace(std::ptr::null_mut());
        if !ours.is_null() {
            live().remove(&Box::from_raw(ours).address);
        }
    }
}

/// The states that a callback was given.
#[derive(Clone, Copy)]
pub struct States {
    pointers: *mut duckdb_aggregate_state,
    /// Whether there is one state for all rows.
    single: bool,
}

impl States {
    /// One state a row.
    pub fn each(pointers: *mut duckdb_aggregate_state) -> Self {
        Self {
            pointers,
            single: false,
        }
    }

    /// The states of `rows` rows that are to be updated.
    ///
    /// Before 2.0 DuckDB does not say whether it passes a pointer for each row
    /// or one for all (`ORDER BY` inside the call, `OVER ()`). In the second case
    /// the memory behind the pointer is not ours. So each is looked up among the
    /// live states, and is used only if all of them are live.
    ///
    /// # Safety
    ///
    /// `pointers` must be the states of an update of so many rows.
    pub unsafe fn of_update(pointers: *mut duckdb_aggregate_state, rows: usize) -> Self {
        let mut single = rows == 1;
        if !single && !FLAT.load(Ordering::Relaxed) {
            let live = live();
            let mut last = std::ptr::null_mut();
            for row in 0..rows {
                // SAFETY: at worst a read of heap memory that is not ours, which
                // stops at the first word that is no live state.
                let state = unsafe { pointers.add(row).read() };
                if state != last && !live.contains(&(state as usize)) {
                    single = true;
                    break;
                }
                last = state;
            }
        }
        Self { pointers, single }
    }

    /// The state of a row.
    ///
    /// # Safety
    ///
    /// The row must be one that the callback was given; the same state must not
    /// be held twice, unless both only read.
    pub unsafe fn get<'a>(self, row: usize) -> &'a mut GroupState {
        let row = if self.single { 0 } else { row };
        // SAFETY: the caller's promise; every state was filled by `init`.
        unsafe { &mut *self.pointers.add(row).read().cast::<StatePointer>().read() }
    }

    /// The state of a row, which others may read at the same time.
    ///
    /// # Safety
    ///
    /// As for [`get`](Self::get), and nothing may change it meanwhile.
    pub unsafe fn read<'a>(self, row: usize) -> &'a GroupState {
        // SAFETY: the caller's promise.
        unsafe { &*self.pointers.add(row).read().cast::<StatePointer>().read() }
    }

    /// Whether the rows all go to one state.
    ///
    /// # Safety
    ///
    /// The states must be those of so many rows.
    pub unsafe fn all_same(self, rows: usize) -> bool {
        // SAFETY: the caller's promise.
        self.single
            || unsafe {
                let pointers = std::slice::from_raw_parts(self.pointers, rows);
                pointers.iter().all(|&pointer| pointer == pointers[0])
            }
    }
}

/// Whether this DuckDB passes a state for each row of every update.
static FLAT: AtomicBool = AtomicBool::new(false);

/// Stores what depends on the version of this DuckDB, such as `v1.4.4`.
pub fn set_host(version: &str) {
    let major = version.trim_start_matches('v').split('.').next();
    let flat = major
        .and_then(|major| major.parse().ok())
        .is_some_and(|major: u32| major >= 2);
    FLAT.store(flat, Ordering::Relaxed);
}

/// The addresses at which the live states were made.
static LIVE: LazyLock<Mutex<HashSet<usize>>> = LazyLock::new(Mutex::default);

fn live() -> MutexGuard<'static, HashSet<usize>> {
    // The set is valid between any two calls, also after a panic elsewhere.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}
