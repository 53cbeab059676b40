//! Runs SQL texts in one SQLite session inside this process: a JSON list on
//! standard input, a list of results on standard output.

use std::io;

use me_hodgerank::sqlite::register;
use me_hodgerank::sqlite::rusqlite::types::ValueRef;
use me_hodgerank::sqlite::rusqlite::{Connection, Result, Row};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let statements: Vec<String> = serde_json::from_reader(io::stdin())?;
    let connection = Connection::open_in_memory()?;
    register(&connection)?;
    let result = |sql: &String| match run(&connection, sql) {
        Ok(rows) => json!(["rows", rows]),
        Err(error) => json!(["error", error.to_string()]),
    };
    let results: Vec<Value> = statements.iter().map(result).collect();
    serde_json::to_writer(io::stdout(), &results)?;
    Ok(())
}

fn run(connection: &Connection, sql: &str) -> Result<Vec<Value>> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let cell = |row: &Row<'_>, column| {
        Ok(match row.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => value.into(),
            ValueRef::Real(value) => value.into(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
            ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    };
    let rows = statement.query_map([], |row| {
        (0..columns)
            .map(|column| cell(row, column))
            .collect::<Result<Value>>()
    })?;
    rows.collect()
}
