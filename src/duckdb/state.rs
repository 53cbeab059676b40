//! The state of the aggregate: the votes of one group so far.
//!
//! DuckDB owns the memory of a state and may move it about; it holds one
//! pointer to what is ours.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use libduckdb_sys::duckdb_aggregate_state;

use super::options::CallOptions;
use crate::VoteBuilder;

/// The votes of a group.
pub struct State {
    /// Where DuckDB had it made.
    home: usize,
    /// None until the first row.
    pub votes: Option<Collected>,
}

/// Votes and how they are to be fitted.
pub struct Collected {
    pub call: Arc<CallOptions>,
    pub builder: VoteBuilder,
}

/// What DuckDB keeps for each state.
type Slot = *mut State;

/// The size of what DuckDB keeps for each state.
pub const SLOT_BYTES: usize = size_of::<Slot>();

/// Fills a new slot.
///
/// # Safety
///
/// `state` must point to [`SLOT_BYTES`] of memory.
pub unsafe fn init(state: duckdb_aggregate_state) {
    let home = state as usize;
    live().insert(home);
    let ours = Box::new(State { home, votes: None });
    // SAFETY: the caller's promise; DuckDB aligns states to 8 bytes.
    unsafe { state.cast::<Slot>().write(Box::into_raw(ours)) };
}

/// Frees what a slot holds.
///
/// # Safety
///
/// `state` must be a slot that [`init`] filled, perhaps moved since.
pub unsafe fn destroy(state: duckdb_aggregate_state) {
    if state.is_null() {
        return;
    }
    // SAFETY: the caller's promise; a slot is emptied so that it is freed once.
    unsafe {
        let slot = state.cast::<Slot>();
        let ours = slot.replace(std::ptr::null_mut());
        if !ours.is_null() {
            let ours = Box::from_raw(ours);
            live().remove(&ours.home);
        }
    }
}

/// The states that a callback was given.
#[derive(Clone, Copy)]
pub struct States {
    slots: *mut duckdb_aggregate_state,
    /// One state for all rows.
    single: bool,
}

impl States {
    /// One state a row.
    pub fn each(slots: *mut duckdb_aggregate_state) -> Self {
        Self {
            slots,
            single: false,
        }
    }

    /// The states of `rows` rows that are to be updated.
    ///
    /// Before 2.0 DuckDB does not say whether it passes a pointer for each row
    /// or one for all (`ORDER BY` inside the call, `OVER ()`), and what follows
    /// the one is not ours. So each is looked up among the live ones, and
    /// followed only if they all are.
    ///
    /// # Safety
    ///
    /// `slots` must be the states of an update of so many rows.
    pub unsafe fn of_update(slots: *mut duckdb_aggregate_state, rows: usize) -> Self {
        let mut single = rows == 1;
        if !single && !FLAT.load(Ordering::Relaxed) {
            let live = live();
            let mut last = std::ptr::null_mut();
            for row in 0..rows {
                // SAFETY: at worst a read of heap memory that is not ours, which
                // stops at the first word that is no live state.
                let state = unsafe { slots.add(row).read() };
                if state != last && !live.contains(&(state as usize)) {
                    single = true;
                    break;
                }
                last = state;
            }
        }
        Self { slots, single }
    }

    /// The state of a row.
    ///
    /// # Safety
    ///
    /// The row must be one that the callback was given; the same state must not
    /// be held twice, unless both only read.
    pub unsafe fn get<'a>(self, row: usize) -> &'a mut State {
        let row = if self.single { 0 } else { row };
        // SAFETY: the caller's promise; every slot was filled by `init`.
        unsafe { &mut *self.slots.add(row).read().cast::<Slot>().read() }
    }

    /// The state of a row, which others may read at the same time.
    ///
    /// # Safety
    ///
    /// As for [`get`](Self::get), and nobody may change it meanwhile.
    pub unsafe fn read<'a>(self, row: usize) -> &'a State {
        // SAFETY: the caller's promise.
        unsafe { &*self.slots.add(row).read().cast::<*const State>().read() }
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
                let slots = std::slice::from_raw_parts(self.slots, rows);
                slots.iter().all(|&slot| slot == slots[0])
            }
    }
}

/// Whether this DuckDB passes a state for each row of every update.
static FLAT: AtomicBool = AtomicBool::new(false);

/// Remembers which DuckDB this is, by its version: `v1.4.4`.
pub fn set_host(version: &str) {
    let major = version.trim_start_matches('v').split('.').next();
    let flat = major
        .and_then(|major| major.parse().ok())
        .is_some_and(|major: u32| major >= 2);
    FLAT.store(flat, Ordering::Relaxed);
}

/// Where the live states were made.
static LIVE: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

struct Live(MutexGuard<'static, Option<HashSet<usize>>>);

fn live() -> Live {
    // Whole between any two calls, also after a panic elsewhere.
    let mut guard = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    guard.get_or_insert_default();
    Live(guard)
}

impl std::ops::Deref for Live {
    type Target = HashSet<usize>;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref().expect("filled by live()")
    }
}

impl std::ops::DerefMut for Live {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut().expect("filled by live()")
    }
}
