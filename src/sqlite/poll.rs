//! How Ctrl-C and progress handlers stop a fit.
//!
//! While other threads fit, the calling thread runs a small statement on the
//! caller's connection every few milliseconds. SQLite then checks its interrupt
//! flag and calls the host's progress handler, in every version
//! (`sqlite3_is_interrupted` needs 3.41 and calls no progress handlers).

use std::ops::ControlFlow;

use rusqlite::{Connection, Result, Statement};

use crate::execution::Execution;

/// About 4,000 steps of SQLite's virtual machine, less than a tenth of a
/// millisecond: a progress handler that is set to every 50,000 steps is called
/// within 50 ms, and the fit is hardly slowed down.
const TICK: &str = "WITH RECURSIVE tick(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM tick LIMIT \
                    250) SELECT n FROM tick WHERE n = 250";

/// For connections whose authoriser forbids recursion. Interrupts are noticed, but
/// progress handlers are not called.
const SHORT_TICK: &str = "VALUES (1)";

/// Runs `work` so that the connection's user can stop it.
pub(super) fn interruptible<T>(
    connection: &Connection,
    max_seconds: Option<f64>,
    work: impl FnOnce(&mut Execution<'_>) -> crate::Result<T>,
) -> Result<T> {
    let mut tick = connection
        .prepare(TICK)
        .or_else(|_| connection.prepare(SHORT_TICK))?;
    let mut poll = || step(&mut tick);
    let mut execution = Execution::new().poll(&mut poll);
    execution.limit(max_seconds);
    Ok(work(&mut execution)?)
}

fn step(tick: &mut Statement<'_>) -> ControlFlow<()> {
    match tick.query_row([], |_| Ok(())) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}
