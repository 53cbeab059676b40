//! Ctrl-C, progress handlers and deadlines; and that sibling calls fit once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

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

/// The shortest time from `stop` to the end of the statement, in a few tries:
/// another process may get in the way of one.
fn time_to_stop(connection: &Connection, sql: &str, stop: impl Fn() + Sync) -> Duration {
    let once = || {
        thread::scope(|scope| {
            let stopper = scope.spawn(|| {
                thread::sleep(Duration::from_millis(300));
                stop();
                Instant::now()
            });
            let text = error(connection, sql);
            let end = Instant::now();
            assert_eq!(text, "interrupted");
            end.saturating_duration_since(stopper.join().unwrap())
        })
    };
    (0..3).map(|_| once()).min().unwrap()
}

#[test]
fn an_interrupt_stops_a_fit_at_once() {
    let (connection, fit) = slow();
    let handle = connection.get_interrupt_handle();
    for sql in [fit, AGGREGATE] {
        let time = time_to_stop(&connection, sql, || handle.interrupt());
        assert!(time < Duration::from_millis(50), "{sql}: {time:?}");
    }
    // The connection is as good as before.
    assert_eq!(show(&connection, "SELECT count(*) FROM votes"), "40000");
}

#[test]
fn a_progress_handler_stops_a_fit_at_once() {
    let (connection, fit) = slow();
    let stop = Arc::new(AtomicBool::new(false));
    for steps in [1, 1000, 50_000] {
        let asked = stop.clone();
        connection
            .progress_handler(steps, Some(move || asked.swap(false, Ordering::Relaxed)))
            .unwrap();
        let time = time_to_stop(&connection, fit, || stop.store(true, Ordering::Relaxed));
        assert!(
            time < Duration::from_millis(50),
            "every {steps} steps: {time:?}"
        );
    }
}

#[test]
fn a_deadline_is_kept() {
    let (connection, _) = slow();
    let start = Instant::now();
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank('votes', '{\"kappa\": 5000, \"max_seconds\": 0.2}')",
        "stopped after max_seconds = 0.2",
    );
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn sibling_calls_share_the_fit() {
    // The curve needs the most; what others need is a part of it.
    let connection =
        with_votes(r#"{"annotators": 200, "items": 50, "votes_each": 100, "seed": 5}"#);
    let kappa = 50;
    let start = Instant::now();
    rows(
        &connection,
        &format!("SELECT * FROM me_hodgerank_cv('votes') WHERE kappa = {kappa}"),
    );
    let first = start.elapsed();
    let start = Instant::now();
    for set in ["annotators", "personal", "path", "cycles", "summary"] {
        rows(
            &connection,
            &format!("SELECT count(*) FROM me_hodgerank_{set}('votes') WHERE kappa = {kappa}"),
        );
    }
    let model =
        format!("me_hodgerank_fit(annotator, left, right, choice, '{{\"kappa\": {kappa}}}')");
    rows(&connection, &format!("SELECT length({model}) FROM votes"));
    let siblings = start.elapsed();
    assert!(
        siblings < first,
        "{siblings:?} for six, {first:?} for the first"
    );
}
