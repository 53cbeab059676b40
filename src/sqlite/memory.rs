//! What a statement has fitted already.
//!
//! A join or a correlated subquery may have to call a table function once for
//! each row of another table; the votes must not be read each time. So a cursor
//! remembers. SQLite does not say whether a statement sees what is written while
//! it runs, so the first answer may stand as long as the statement lasts, and no
//! longer.
//!
//! Older SQLites (3.40 is one) open a new cursor for every run of a correlated subquery,
//! then close the one that it replaces, then start the new one. Nothing else
//! closes a cursor between another's opening and its start: so what closes there
//! leaves its memory to the one that was just opened, within one statement.

use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::RecordBatch;

use super::functions::Arguments;

/// How many results a cursor remembers: a few values of kappa in one join.
const REMEMBERED: usize = 8;

type Results = Vec<(Arguments, RecordBatch)>;

/// What passes from a cursor to the one that replaces it.
#[derive(Default)]
pub(super) struct Handover(Mutex<State>);

#[derive(Default)]
struct State {
    /// Counts cursors, so that each has a number.
    cursors: u64,
    /// The cursor that was opened and not started yet.
    opened: Option<u64>,
    /// What was left to it.
    results: Results,
}

/// A cursor's own.
pub(super) struct Memory {
    cursor: u64,
    results: Results,
    handover: Arc<Handover>,
}

impl Handover {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Memory {
    /// That of a cursor that is being opened.
    pub fn new(handover: &Arc<Handover>) -> Self {
        let mut state = handover.state();
        state.cursors += 1;
        state.opened = Some(state.cursors);
        state.results.clear();
        Self {
            cursor: state.cursors,
            results: Results::new(),
            handover: handover.clone(),
        }
    }

    /// The cursor starts: it gets what the one that it replaces has left.
    pub fn take_over(&mut self) {
        let mut state = self.handover.state();
        let left = std::mem::take(&mut state.results);
        if state.opened.take() == Some(self.cursor) && !left.is_empty() {
            self.results = left;
        }
    }

    /// What these arguments gave before.
    pub fn get(&self, arguments: &Arguments) -> Option<RecordBatch> {
        let known = self.results.iter().find(|(known, _)| known == arguments);
        known.map(|(_, batch)| batch.clone())
    }

    /// Remembers what these arguments gave.
    pub fn put(&mut self, arguments: &Arguments, batch: &RecordBatch) {
        if self.results.len() == REMEMBERED {
            self.results.remove(0);
        }
        self.results.push((arguments.clone(), batch.clone()));
    }
}

impl Drop for Memory {
    /// The cursor closes.
    fn drop(&mut self) {
        let mut state = self.handover.state();
        if state.opened == Some(self.cursor) {
            state.opened = None;
        } else if state.opened.is_some() && !self.results.is_empty() {
            state.results = std::mem::take(&mut self.results);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(memory: &mut Memory) {
        let batch = RecordBatch::new_empty(crate::Simulation::schema());
        memory.put(&Arguments::default(), &batch);
    }

    fn knows(memory: &Memory) -> bool {
        memory.get(&Arguments::default()).is_some()
    }

    #[test]
    fn a_replaced_cursor_leaves_its_memory() {
        let handover = Arc::default();
        let mut first = Memory::new(&handover);
        first.take_over();
        results(&mut first);
        let mut second = Memory::new(&handover);
        drop(first);
        second.take_over();
        assert!(knows(&second));
    }

    #[test]
    fn another_statement_gets_nothing() {
        let handover = Arc::default();
        let mut first = Memory::new(&handover);
        first.take_over();
        results(&mut first);
        // Started while the first is still there.
        let mut second = Memory::new(&handover);
        second.take_over();
        drop(first);
        assert!(!knows(&second));
        // Opened after the end of all others.
        results(&mut second);
        drop(second);
        let mut third = Memory::new(&handover);
        third.take_over();
        assert!(!knows(&third));
        // Opened and never started.
        results(&mut third);
        drop(Memory::new(&handover));
        drop(third);
        let mut fourth = Memory::new(&handover);
        fourth.take_over();
        assert!(!knows(&fourth));
    }
}
