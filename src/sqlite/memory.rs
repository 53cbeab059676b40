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

use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::RecordBatch;

use super::table_arguments::TableArguments;

/// Results that a cursor keeps at most: enough for a few values of kappa in one join.
const MAX_RESULTS: usize = 8;

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
    pub fn new(handover: &Arc<ResultHandover>) -> Self {
        let mut state = handover.state();
        state.cursors += 1;
        state.opened = Some(state.cursors);
        state.results.clear();
        Self {
            cursor: state.cursors,
            results: KeptResults::new(),
            handover: handover.clone(),
        }
    }

    /// The cursor starts: it takes the results of the one that it replaces.
    pub fn take_over(&mut self) {
        let mut state = self.handover.state();
        let passed = std::mem::take(&mut state.results);
        if state.opened.take() == Some(self.cursor) && !passed.is_empty() {
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
        let mut first = ResultMemory::new(&handover);
        first.take_over();
        results(&mut first);
        let mut second = ResultMemory::new(&handover);
        drop(first);
        second.take_over();
        assert!(knows(&second));
    }

    #[test]
    fn another_statement_gets_nothing() {
        let handover = Arc::default();
        let mut first = ResultMemory::new(&handover);
        first.take_over();
        results(&mut first);
        // Started while the first is still there.
        let mut second = ResultMemory::new(&handover);
        second.take_over();
        drop(first);
        assert!(!knows(&second));
        // Opened after the end of all others.
        results(&mut second);
        drop(second);
        let mut third = ResultMemory::new(&handover);
        third.take_over();
        assert!(!knows(&third));
        // Opened and never started.
        results(&mut third);
        drop(ResultMemory::new(&handover));
        drop(third);
        let mut fourth = ResultMemory::new(&handover);
        fourth.take_over();
        assert!(!knows(&fourth));
    }
}
