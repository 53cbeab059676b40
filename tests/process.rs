//! What all callers of a process share: its threads and its cache of fits.

use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use me_hodgerank::internals::cache::computed_fits;
use me_hodgerank::sqlite::register;
use me_hodgerank::sqlite::rusqlite::Connection;

/// Fits are counted in the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection with a table of votes that no other test has.
fn with_votes(seed: u32, annotators: u32, votes_each: u32) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection).unwrap();
    let simulation = format!(
        r#"{{"annotators": {annotators}, "items": 6, "votes_each": {votes_each}, "seed": {seed}}}"#
    );
    let sql = format!("CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{simulation}')");
    connection.execute_batch(&sql).unwrap();
    connection
}

fn run(connection: &Connection, sql: &str) -> Result<usize, String> {
    let mut count = 0;
    let mut statement = connection.prepare(sql).map_err(|error| error.to_string())?;
    let mut rows = statement.query([]).map_err(|error| error.to_string())?;
    while rows.next().map_err(|error| error.to_string())?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// How many fits it takes.
fn fits(work: impl FnOnce()) -> u64 {
    let before = computed_fits();
    work();
    computed_fits() - before
}

/// Only the complete curve needs another fit than the ranking: for the annotators the path of
/// all votes goes on.
#[test]
fn sibling_calls_share_a_fit() {
    let _alone = alone();
    let connection = with_votes(104, 20, 30);
    let fitted = |function: &str| {
        let sql = format!("SELECT * FROM {function}('votes')");
        fits(|| assert!(run(&connection, &sql).unwrap() > 0))
    };
    assert_eq!(fitted("me_hodgerank"), 1);
    for set in ["summary", "annotators", "path", "personal", "cycles"] {
        assert_eq!(fitted(&format!("me_hodgerank_{set}")), 0, "{set}");
    }
    assert_eq!(fitted("me_hodgerank_cv"), 1);
    assert_eq!(fitted("me_hodgerank"), 0);
}

/// `top`, `n` and `candidates` choose rows of a fit and do not make another one.
#[test]
fn arguments_of_one_set_fit_nothing_again() {
    let _alone = alone();
    let connection = with_votes(103, 20, 30);
    let fitted = |options: &str, set: &str, rows: usize| {
        let sql = format!("SELECT * FROM me_hodgerank_{set}('votes', '{options}')");
        fits(|| assert_eq!(run(&connection, &sql), Ok(rows)))
    };
    assert_eq!(fitted(r#"{"top": 4}"#, "compare", 6), 1);
    assert_eq!(fitted(r#"{"top": 3}"#, "compare", 3), 0);
    assert_eq!(fitted(r#"{"n": 5}"#, "next", 5), 0);
    let candidates = r#"{"n": 2, "candidates": "SELECT 1 AS left, 2 AS right"}"#;
    assert_eq!(fitted(candidates, "next", 2), 0);
    assert_eq!(fitted(r#"{"n": 5, "seed": 1}"#, "next", 5), 1);
}

#[test]
fn sibling_calls_share_the_fit() {
    let _alone = alone();
    let connection = with_votes(101, 20, 30);
    // The curve needs the most; what others need is a part of it.
    let first = fits(|| {
        assert_eq!(
            run(&connection, "SELECT * FROM me_hodgerank_cv('votes')"),
            Ok(50)
        )
    });
    assert_eq!(first, 1);
    let siblings = fits(|| {
        for set in ["annotators", "personal", "path", "cycles", "summary"] {
            run(
                &connection,
                &format!("SELECT * FROM me_hodgerank_{set}('votes')"),
            )
            .unwrap();
        }
        let model = "SELECT me_hodgerank_fit(annotator, left, right, choice) FROM votes";
        assert_eq!(run(&connection, model), Ok(1));
    });
    assert_eq!(siblings, 0);
    let other = fits(|| {
        run(
            &connection,
            "SELECT * FROM me_hodgerank_cv('votes') WHERE kappa = 7",
        )
        .unwrap();
    });
    assert_eq!(other, 1);
}

#[test]
fn nothing_is_fitted_after_a_bad_row() {
    let _alone = alone();
    let connection = with_votes(102, 20, 30);
    let votes = "(SELECT annotator, left, right, choice FROM votes \
                 UNION ALL SELECT 1, 1, 2.5, 1)";
    for (call, says) in [
        (
            "me_hodgerank_fit(annotator, left, right, choice)",
            "column \"right\" holds the float 2.5",
        ),
        (
            "me_hodgerank_fit(annotator, left, 'a' || right, choice, '{\"seed\": ' || (right = 2.5) || '}')",
            "must be the same for all votes",
        ),
    ] {
        let count = fits(|| {
            let error = run(&connection, &format!("SELECT {call} FROM {votes}")).unwrap_err();
            assert!(error.contains(says), "{error}");
        });
        assert_eq!(count, 0, "{call}");
    }
}

/// What a fit of more votes than are small says, and one of few.
fn answers() -> String {
    let mut text = String::new();
    for (seed, annotators, votes_each) in [(103, 40, 50), (104, 3, 10)] {
        let connection = with_votes(seed, annotators, votes_each);
        for sql in [
            "SELECT hex(me_hodgerank_fit(annotator, left, right, choice)) FROM votes",
            "SELECT length(html) || '' FROM me_hodgerank_report('votes')",
            "SELECT max(score) || '' FROM me_hodgerank('votes', '{\"personal\": false, \"position_bias\": false}')",
        ] {
            let found: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
            text += &blake3::hash(found.as_bytes()).to_hex();
        }
    }
    text
}

/// Runs as a process of its own, see below.
#[test]
#[ignore = "run by without_threads_the_answers_are_the_same"]
fn print_answers() {
    assert!(
        std::thread::Builder::new().spawn(|| ()).is_err(),
        "a thread was started"
    );
    println!("answers: {}", answers());
}

#[test]
fn without_threads_the_answers_are_the_same() {
    // Stacks of 2^48 bytes: the system refuses to start any thread.
    let child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "print_answers",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("RUST_MIN_STACK", (1u64 << 48).to_string())
        .output()
        .unwrap();
    let _alone = alone();
    let printed = String::from_utf8_lossy(&child.stdout);
    let expected = format!("answers: {}", answers());
    assert!(
        printed.contains(&expected),
        "{expected}\n{printed}\n{}",
        String::from_utf8_lossy(&child.stderr)
    );
}
