//! Ctrl-C, progress handlers and deadlines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::*;

/// Many votes and a kappa that takes the path many seconds.
fn slow() -> (Connection, &'static str) {
    let connection = with_votes(r#"{"annotators": 400, "items": 100, "votes_each": 100}"#);
    (
        connection,
        "SELECT * FROM me_hodgerank('votes', '{\"kappa\": 5000}')",
    )
}

const AGGREGATE: &str =
    "SELECT me_hodgerank_fit(annotator, left, right, choice, '{\"kappa\": 5000}') FROM votes";

/// Runs a statement that would take minutes, asks it to stop, and sees that it did:
/// it ends with an error and not with rows.
fn assert_stops(connection: &Connection, sql: &str, stop: impl Fn() + Sync) {
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            stop();
        });
        assert_eq!(error(connection, sql), "interrupted", "{sql}");
    });
}

#[test]
fn an_interrupt_stops_a_fit() {
    let (connection, fit) = slow();
    let handle = connection.get_interrupt_handle();
    for sql in [fit, AGGREGATE] {
        assert_stops(&connection, sql, || handle.interrupt());
    }
    // The connection is as good as before.
    assert_eq!(show(&connection, "SELECT count(*) FROM votes"), "40000");
}

#[test]
fn a_progress_handler_stops_a_fit() {
    let (connection, fit) = slow();
    let stop = Arc::new(AtomicBool::new(false));
    for steps in [1, 1000, 50_000] {
        let asked = stop.clone();
        connection
            .progress_handler(steps, Some(move || asked.swap(false, Ordering::Relaxed)))
            .unwrap();
        assert_stops(&connection, fit, || stop.store(true, Ordering::Relaxed));
    }
}

#[test]
fn a_deadline_is_kept() {
    let (connection, _) = slow();
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank('votes', '{\"kappa\": 5000, \"max_seconds\": 0.2}')",
        "stopped after max_seconds = 0.2",
    );
}
