//! How Ctrl-C and progress handlers stop a fit.
//!
//! While workers fit, the calling thread runs a tiny statement on the caller's
//! connection every few milliseconds. SQLite then looks at its interrupt flag
//! and calls the host's progress handler, on every version of it
//! (`sqlite3_is_interrupted` came with 3.41 and knows no progress handlers).

use std::ops::ControlFlow;

use rusqlite::{Connection, Result, Statement};

use crate::execution::Execution;

/// Some 4,000 steps of SQLite's machine, less than a tenth of a millisecond: a
/// progress handler that is to be called every 50,000 steps is called in 50 ms,
/// and the fit hardly notices.
const TICK: &str = "WITH RECURSIVE tick(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM tick LIMIT \
                    250) SELECT n FROM tick WHERE n = 250";

/// Where an authoriser forbids recursion; it sees interrupts all the same.
const PLAIN_TICK: &str = "VALUES (1)";

/// Runs `work` so that the connection's user can stop it.
pub(super) fn interruptible<T>(
    connection: &Connection,
    max_seconds: Option<f64>,
    work: impl FnOnce(&mut Execution<'_>) -> crate::Result<T>,
) -> Result<T> {
    let mut tick = connection
        .prepare(TICK)
        .or_else(|_| connection.prepare(PLAIN_TICK))?;
    let mut poll = || step(&mut tick);
    let mut run = Execution::new().poll(&mut poll);
    run.limit(max_seconds);
    work(&mut run).map_err(super::error::sql_error)
}

fn step(tick: &mut Statement<'_>) -> ControlFlow<()> {
    match tick.query_row([], |_| Ok(())) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}
