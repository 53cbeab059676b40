//! The results that a statement has computed already.
//!
//! A join or a correlated subquery may call a table function once for each row of
//! another table; the votes must not be read each time. So a cursor keeps its
//! results. SQLite does not define whether a statement sees what is written while
//! it runs, so a result may be used until the statement ends, and not longer.
//!
//! Older SQLites, such as 3.40, open a new cursor for every run of a correlated
//! subquery, then close the cursor that it replaces, then start the new one.
//! Nothing else closes a cursor between the opening and the start of another. So
//! a cursor that is closed then passes its results to the one that was just
//! opened, which belongs to the same statement.
//!
//! A function in the arguments of the new cursor, which run before it starts, may
//! close another statement, and with it that one's cursor. So results are passed
//! only if the same statements run when the new cursor starts as when it was opened.

use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::RecordBatch;

use super::table_arguments::TableArguments;

/// Results that a cursor keeps at most: enough for a few values of kappa in one join.
const MAX_RESULTS: usize = 8;

/// The addresses of a connection's running statements.
pub(super) type RunningStatements = Vec<usize>;

type KeptResults = Vec<(TableArguments, RecordBatch)>;

/// What a cursor passes to the one that replaces it.
#[derive(Default)]
pub(super) struct ResultHandover(Mutex<HandoverState>);

#[derive(Default)]
struct HandoverState {
    /// The number of cursors so far, which is the id of the last.
    cursors: u64,
    /// The cursor that was opened and has not started yet.
    opened: Option<u64>,
    /// The statements that ran when it was opened.
    running: RunningStatements,
    /// What was passed to it.
    results: KeptResults,
}

/// The results of one cursor.
pub(super) struct ResultMemory {
    cursor: u64,
    results: KeptResults,
    handover: Arc<ResultHandover>,
}

impl ResultHandover {
    fn state(&self) -> MutexGuard<'_, HandoverState> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl ResultMemory {
    /// For a cursor that is being opened.
    pub fn new(handover: &Arc<ResultHandover>, running: RunningStatements) -> Self {
        let mut state = handover.state();
        state.cursors += 1;
        state.running = running;
        state.opened = Some(state.cursors);
        state.results.clear();
        Self {
            cursor: state.cursors,
            results: KeptResults::new(),
            handover: handover.clone(),
        }
    }

    /// The cursor starts: it takes the results of the one that it replaces.
    pub fn take_over(&mut self, running: &[usize]) {
        let mut state = self.handover.state();
        let passed = std::mem::take(&mut state.results);
        let is_latest = state.opened.take() == Some(self.cursor);
        if is_latest && *running == state.running && !passed.is_empty() {
            self.results = passed;
        }
    }

    /// The kept result for these arguments.
    pub fn get(&self, arguments: &TableArguments) -> Option<RecordBatch> {
        let known = self.results.iter().find(|(known, _)| known == arguments);
        known.map(|(_, batch)| batch.clone())
    }

    /// Keeps the result for these arguments.
    pub fn put(&mut self, arguments: &TableArguments, batch: &RecordBatch) {
        if self.results.len() == MAX_RESULTS {
            self.results.remove(0);
        }
        self.results.push((arguments.clone(), batch.clone()));
    }
}

impl Drop for ResultMemory {
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

    fn results(memory: &mut ResultMemory) {
        let batch = RecordBatch::new_empty(crate::Simulation::schema());
        memory.put(&TableArguments::default(), &batch);
    }

    fn knows(memory: &ResultMemory) -> bool {
        memory.get(&TableArguments::default()).is_some()
    }

    #[test]
    fn a_replaced_cursor_leaves_its_memory() {
        let handover = Arc::default();
        let mut first = ResultMemory::new(&handover, vec![1]);
        first.take_over(&[1]);
        results(&mut first);
        let mut second = ResultMemory::new(&handover, vec![1]);
        drop(first);
        second.take_over(&[1]);
        assert!(knows(&second));
    }

    #[test]
    fn another_statement_gets_nothing() {
        let handover = Arc::default();
        let mut first = ResultMemory::new(&handover, vec![1]);
        first.take_over(&[1]);
        results(&mut first);
        // Started while the first is still there.
        let mut second = ResultMemory::new(&handover, vec![1]);
        second.take_over(&[1]);
        drop(first);
        assert!(!knows(&second));
        // Opened after the end of all others.
        results(&mut second);
        drop(second);
        let mut third = ResultMemory::new(&handover, vec![1]);
        third.take_over(&[1]);
        assert!(!knows(&third));
        // Opened and never started.
        results(&mut third);
        drop(ResultMemory::new(&handover, vec![1]));
        drop(third);
        let mut fourth = ResultMemory::new(&handover, vec![1]);
        fourth.take_over(&[1]);
        assert!(!knows(&fourth));
    }

    #[test]
    fn a_statement_that_ended_leaves_nothing() {
        let handover = Arc::default();
        let mut first = ResultMemory::new(&handover, vec![1]);
        first.take_over(&[1]);
        results(&mut first);
        let mut second = ResultMemory::new(&handover, vec![1, 2]);
        drop(first); // with its statement
        second.take_over(&[2]);
        assert!(!knows(&second));
    }
}
