//! The statement that reads what `'votes'` names.
//!
//! A table or view is read with a SELECT that is made here, with quoted names; the
//! text of a SELECT is the statement itself. SQLite prepares both on the caller's
//! connection: the statement sees what the caller sees, inside the caller's
//! transaction, and the caller's authoriser is asked.

#![allow(unsafe_code)]

use std::ffi::CStr;

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection, Error, Result, Statement, ffi};

use super::error::message;
use super::sql_text::{has_several_statements, is_query, path, quoted};
use crate::options::Columns;
use crate::votes::arrow::missing_column;

/// A statement that returns votes, and the indices of their columns.
pub(super) struct Source<'c> {
    pub statement: Statement<'c>,
    pub annotator: usize,
    pub left: usize,
    pub right: usize,
    pub choice: usize,
    pub weight: Option<usize>,
    pub fold: Option<usize>,
}

impl<'c> Source<'c> {
    /// Prepares to read the columns from what `text` names.
    pub fn open(connection: &'c Connection, text: &str, columns: &Columns) -> Result<Self> {
        if is_query(text) {
            return Self::find_columns(query(connection, text)?, columns);
        }
        let names: Vec<&String> = [
            &columns.annotator,
            &columns.left,
            &columns.right,
            &columns.choice,
        ]
        .into_iter()
        .chain(&columns.weight)
        .chain(&columns.fold)
        .collect();
        let statement = table(connection, text, &names)?;
        Ok(Self {
            statement,
            annotator: 0,
            left: 1,
            right: 2,
            choice: 3,
            weight: columns.weight.as_ref().map(|_| 4),
            fold: columns.fold.as_ref().map(|_| names.len() - 1),
        })
    }

    /// Finds the columns among those that a statement returns.
    fn find_columns(statement: Statement<'c>, columns: &Columns) -> Result<Self> {
        let present = column_names(&statement);
        let optional = |name: &Option<String>| {
            let index = name.as_ref().map(|name| require(&present, name));
            index.transpose()
        };
        Ok(Self {
            annotator: require(&present, &columns.annotator)?,
            left: require(&present, &columns.left)?,
            right: require(&present, &columns.right)?,
            choice: require(&present, &columns.choice)?,
            weight: optional(&columns.weight)?,
            fold: optional(&columns.fold)?,
            statement,
        })
    }

    /// Whether the choices are declared to be booleans: SQLite stores those as 0
    /// and 1, where 0 means right and not a tie.
    pub fn has_boolean_choices(&self) -> bool {
        let declared = self.statement.columns()[self.choice]
            .decl_type()
            .map(str::to_ascii_uppercase);
        matches!(declared.as_deref(), Some("BOOL" | "BOOLEAN"))
    }
}

/// A statement that returns votes to be predicted: the choice may be missing.
pub(super) struct TestSource<'c> {
    pub statement: Statement<'c>,
    pub annotator: usize,
    pub left: usize,
    pub right: usize,
    pub choice: Option<usize>,
}

impl<'c> TestSource<'c> {
    /// Prepares to read the columns from what `text` names.
    pub fn open(connection: &'c Connection, text: &str, columns: &Columns) -> Result<Self> {
        let statement = if is_query(text) {
            query(connection, text)?
        } else {
            table(connection, text, &[])?
        };
        let present = column_names(&statement);
        Ok(Self {
            annotator: require(&present, &columns.annotator)?,
            left: require(&present, &columns.left)?,
            right: require(&present, &columns.right)?,
            choice: find(&present, &columns.choice),
            statement,
        })
    }
}

fn column_names(statement: &Statement<'_>) -> Vec<String> {
    let names = statement.column_names().into_iter();
    names.map(String::from).collect()
}

/// The index of a column, or the error that it is missing.
fn require(present: &[String], name: &str) -> Result<usize> {
    find(present, name).ok_or_else(|| missing_column(name, present.iter()).into())
}

/// The index of a column. SQLite's names are the same in upper and lower case; an
/// exact match takes precedence.
fn find(present: &[String], name: &str) -> Option<usize> {
    let position = |same: &dyn Fn(&str) -> bool| present.iter().position(|known| same(known));
    position(&|known| known == name).or_else(|| position(&|known| known.eq_ignore_ascii_case(name)))
}

/// The caller's own SELECT, run unchanged. It must be a single statement that only
/// reads. What may follow it is never prepared: a PRAGMA acts when it is prepared.
fn query<'c>(connection: &'c Connection, text: &str) -> Result<Statement<'c>> {
    if text.contains('\0') {
        return Err(message(
            "the text of the SELECT holds a NUL character, and SQLite does not read what follows \
             it: remove it",
        ));
    }
    if has_several_statements(text) {
        return Err(message(
            "the votes must come from one SELECT: this text holds several statements",
        ));
    }
    // `Connection::prepare` would prepare what follows as well.
    let first = Batch::new(connection, text).next();
    let statement = first.map_err(|error| with_own_text(connection, error))?;
    let Some(statement) = statement else {
        return Err(message("the text of the SELECT is empty"));
    };
    if !statement.readonly() {
        return Err(message(
            "the votes must come from a SELECT that only reads: this one would write to the \
             database",
        ));
    }
    if statement.parameter_count() > 0 {
        return Err(message(
            "the SELECT has a parameter, which nothing binds: write its value into the text",
        ));
    }
    Ok(statement)
}

/// A SELECT of columns of a table or view; of all columns if none is named. The
/// columns are qualified: SQLite would take an unknown quoted name for a text.
fn table<'c>(connection: &'c Connection, text: &str, names: &[&String]) -> Result<Statement<'c>> {
    let columns: Vec<_> = names
        .iter()
        .map(|name| format!("v.{}", quoted(name)))
        .collect();
    let columns = match columns.as_slice() {
        [] => "*".to_string(),
        columns => columns.join(", "),
    };
    let select = |columns: &str, table: &str| {
        let sql = format!("SELECT {columns} FROM {table} AS v");
        let statement = connection.prepare(&sql);
        statement.map_err(|error| with_own_text(connection, error))
    };
    let unknown = |error: &Error| error.to_string().starts_with("no such table");
    let mut table = path(text).unwrap_or_else(|| quoted(text));
    let mut outcome = select(&columns, &table);
    // A dot may also be part of the table's name.
    if outcome.as_ref().is_err_and(unknown) && select("*", &quoted(text)).is_ok() {
        table = quoted(text);
        outcome = select(&columns, &table);
    }
    match outcome {
        Err(error) if unknown(&error) => Err(message(format!(
            "{error}: the first argument names a table or a view, or is the text of a SELECT"
        ))),
        Err(error) if error.to_string().starts_with("no such column") => {
            let present = column_names(&select("*", &table)?);
            let missing = names.iter().map(|name| require(&present, name));
            Err(missing.filter_map(Result::err).next().unwrap_or(error))
        }
        outcome => outcome,
    }
}

/// The error of a failed prepare with SQLite's own text only: rusqlite may add the
/// statement to it.
fn with_own_text(connection: &Connection, error: Error) -> Error {
    if matches!(error, Error::SqliteFailure(..)) {
        return error;
    }
    // SAFETY: the handle is open as long as the connection is borrowed; the text
    // is copied before the next call into SQLite.
    let (code, text) = unsafe {
        let handle = connection.handle();
        let text = CStr::from_ptr(ffi::sqlite3_errmsg(handle));
        (
            ffi::sqlite3_extended_errcode(handle),
            text.to_string_lossy().into_owned(),
        )
    };
    Error::SqliteFailure(ffi::Error::new(code), Some(text))
}
