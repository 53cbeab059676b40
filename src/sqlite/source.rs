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
use crate::options::{Columns, ReadColumns, position};

/// A statement that returns votes, the columns that are read, and their indices.
pub(super) struct Source<'c> {
    pub statement: Statement<'c>,
    pub columns: ReadColumns,
    pub annotator: Option<usize>,
    pub left: usize,
    pub right: usize,
    pub choice: Option<usize>,
    pub weight: Option<usize>,
    pub fold: Option<usize>,
}

impl<'c> Source<'c> {
    /// Prepares to read the columns from what `text` names.
    pub fn open(connection: &'c Connection, text: &str, columns: &Columns) -> Result<Self> {
        let whole = if is_query(text) {
            query(connection, text)?
        } else {
            match Self::table(connection, text, columns)? {
                Some(source) => return Ok(source),
                None => whole_table(connection, text)?,
            }
        };
        let found = columns.find(&whole.column_names())?;
        Ok(Self::of_names(whole, found))
    }

    /// A SELECT of the columns of a table or view that hold the votes; None if it does
    /// not have them.
    ///
    /// The first columns that can be read are taken: a table may have more than `SELECT *`
    /// shows, and the caller's authoriser is asked for no others.
    fn table(connection: &'c Connection, text: &str, columns: &Columns) -> Result<Option<Self>> {
        for candidate in columns.candidates() {
            match select(connection, text, &candidate) {
                Ok(statement) => return Ok(Some(Self::in_order(statement, candidate))),
                Err(error) if !is_about(&error, "no such column") => return Err(error),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// A statement that returns these columns and no others, in their order.
    fn in_order(statement: Statement<'c>, columns: ReadColumns) -> Self {
        let mut next = 0..;
        let mut index = |is_read: bool| is_read.then(|| next.next()).flatten();
        let annotator = index(columns.annotator.is_some());
        let (left, right) = (index(true), index(true));
        let choice = index(columns.choice.is_some());
        let weight = index(columns.weight.is_some());
        let fold = index(columns.fold.is_some());
        // SQLite may call a column otherwise: rowid.
        let spelled = columns.clone().require(&statement.column_names());
        Self {
            columns: spelled.unwrap_or(columns),
            statement,
            annotator,
            left: left.expect("every vote has one"),
            right: right.expect("every vote has one"),
            choice,
            weight,
            fold,
        }
    }

    /// Votes to be predicted: the choice may be missing.
    pub fn open_to_predict(
        connection: &'c Connection,
        text: &str,
        columns: &Columns,
    ) -> Result<Self> {
        let statement = if is_query(text) {
            query(connection, text)?
        } else {
            whole_table(connection, text)?
        };
        let found = columns.find_to_predict(&statement.column_names())?;
        Ok(Self::of_names(statement, found))
    }

    /// A statement that returns columns of these names.
    fn of_names(statement: Statement<'c>, columns: ReadColumns) -> Self {
        let present = statement.column_names();
        let index = |name: &str| position(&present, name);
        let optional = |name: &Option<String>| name.as_deref().and_then(index);
        let required = |name: &str| index(name).expect("found before");
        Self {
            annotator: optional(&columns.annotator),
            left: required(&columns.left),
            right: required(&columns.right),
            choice: optional(&columns.choice),
            weight: optional(&columns.weight),
            fold: optional(&columns.fold),
            columns,
            statement,
        }
    }

    /// Whether the choices are declared to be booleans: SQLite stores those as 0
    /// and 1, where 0 means right and not a tie.
    pub fn has_boolean_choices(&self) -> bool {
        let columns = self.statement.columns();
        let declared = self.choice.and_then(|choice| columns[choice].decl_type());
        let declared = declared.map(str::to_ascii_uppercase);
        matches!(declared.as_deref(), Some("BOOL" | "BOOLEAN"))
    }
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

/// A SELECT of some columns of a table or view. They are qualified: SQLite would take an
/// unknown quoted name for a text.
fn select<'c>(
    connection: &'c Connection,
    text: &str,
    columns: &ReadColumns,
) -> Result<Statement<'c>> {
    let names = columns.all().map(|(_, name)| format!("v.{}", quoted(name)));
    prepare(connection, text, &names.collect::<Vec<_>>().join(", "))
}

/// A SELECT of all columns of a table or view.
fn whole_table<'c>(connection: &'c Connection, text: &str) -> Result<Statement<'c>> {
    prepare(connection, text, "*")
}

fn prepare<'c>(connection: &'c Connection, text: &str, columns: &str) -> Result<Statement<'c>> {
    let from = |table: &str, columns: &str| {
        let sql = format!("SELECT {columns} FROM {table} AS v");
        let statement = connection.prepare(&sql);
        statement.map_err(|error| with_own_text(connection, error))
    };
    let unknown = |error: &Error| is_about(error, "no such table");
    let mut outcome = from(&path(text).unwrap_or_else(|| quoted(text)), columns);
    // A dot may also be part of the table's name.
    if outcome.as_ref().is_err_and(unknown) && from(&quoted(text), "*").is_ok() {
        outcome = from(&quoted(text), columns);
    }
    match outcome {
        Err(error) if unknown(&error) => Err(message(format!(
            "{error}: the first argument names a table or a view, or is the text of a SELECT"
        ))),
        outcome => outcome,
    }
}

/// Whether an error of SQLite begins with these words.
fn is_about(error: &Error, words: &str) -> bool {
    error.to_string().starts_with(words)
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
