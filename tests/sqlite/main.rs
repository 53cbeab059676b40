//! The SQLite host in a program of its own, with the SQLite that rusqlite bundles.

#[cfg(feature = "sqlite-extension")]
compile_error!("sqlite-extension is for building the .so only: test with --features sqlite");

mod aggregate;
mod answers;
mod decision;
mod refused;
mod safety;
mod sources;
mod stopping;

use me_hodgerank::sqlite::{register, rusqlite};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// A connection that knows the functions.
fn connect() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection).unwrap();
    connection
}

/// One with a table `votes`.
fn with_votes(simulation: &str) -> Connection {
    let connection = connect();
    let sql = format!("CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{simulation}')");
    connection.execute_batch(&sql).unwrap();
    connection
}

/// Few votes: a fit takes milliseconds.
const SMALL: &str = r#"{"annotators": 20, "items": 6, "votes_each": 30, "seed": 1}"#;

fn try_rows(connection: &Connection, sql: &str) -> Result<Vec<Vec<Value>>, String> {
    let read = || -> rusqlite::Result<Vec<Vec<Value>>> {
        let mut statement = connection.prepare(sql)?;
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| (0..columns).map(|i| row.get(i)).collect())?;
        rows.collect()
    };
    read().map_err(|error| error.to_string())
}

fn rows(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
    try_rows(connection, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The rows as text: columns with blanks between them, rows with semicolons.
fn show(connection: &Connection, sql: &str) -> String {
    let cell = |value: &Value| match value {
        Value::Null => "NULL".to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(text) => format!("'{text}'"),
        Value::Blob(bytes) => format!("blob of {}", bytes.len()),
    };
    let row = |row: &Vec<Value>| row.iter().map(cell).collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = rows(connection, sql).iter().map(row).collect();
    rows.join("; ")
}

fn error(connection: &Connection, sql: &str) -> String {
    match try_rows(connection, sql) {
        Ok(rows) => panic!("{sql}: {} rows instead of an error", rows.len()),
        Err(error) => error,
    }
}

#[track_caller]
fn assert_error(connection: &Connection, sql: &str, part: &str) {
    let text = error(connection, sql);
    assert!(text.contains(part), "{sql}: {text}");
}
