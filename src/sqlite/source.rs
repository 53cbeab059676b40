//! What `'votes'` names, and the statement that reads it.
//!
//! A table or view is read with a statement of ours, its names quoted; the text
//! of a SELECT is the statement itself. Either way SQLite prepares it on the
//! caller's connection: it sees what the caller sees, inside the caller's
//! transaction, and the caller's authoriser is asked.

use std::ffi::CStr;

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection, Error, Result, Statement, ffi};

use super::error::{message, sql_error};
use crate::options::Columns;
use crate::votes::arrow::missing_column;

/// A statement that gives votes, and where in its rows they are.
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
            return Self::in_order_of(query(connection, text)?, columns);
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

    /// Finds the columns among those that a statement gives.
    fn in_order_of(statement: Statement<'c>, columns: &Columns) -> Result<Self> {
        let there: Vec<String> = statement
            .column_names()
            .into_iter()
            .map(Into::into)
            .collect();
        let place = |name: &String| {
            find(&there, name).ok_or_else(|| sql_error(missing_column(name, there.iter())))
        };
        let optional = |name: &Option<String>| name.as_ref().map(place).transpose();
        Ok(Self {
            annotator: place(&columns.annotator)?,
            left: place(&columns.left)?,
            right: place(&columns.right)?,
            choice: place(&columns.choice)?,
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

/// A statement that gives votes to be predicted: the choice may be missing.
pub(super) struct Shown<'c> {
    pub statement: Statement<'c>,
    pub annotator: usize,
    pub left: usize,
    pub right: usize,
    pub choice: Option<usize>,
}

impl<'c> Shown<'c> {
    /// Prepares to read the columns from what `text` names.
    pub fn open(connection: &'c Connection, text: &str, columns: &Columns) -> Result<Self> {
        let statement = if is_query(text) {
            query(connection, text)?
        } else {
            table(connection, text, &[])?
        };
        let there: Vec<String> = statement
            .column_names()
            .into_iter()
            .map(Into::into)
            .collect();
        let place = |name: &String| {
            find(&there, name).ok_or_else(|| sql_error(missing_column(name, there.iter())))
        };
        Ok(Self {
            annotator: place(&columns.annotator)?,
            left: place(&columns.left)?,
            right: place(&columns.right)?,
            choice: find(&there, &columns.choice),
            statement,
        })
    }
}

/// SQLite's names are the same in any case; one that is spelt exactly goes first.
fn find(there: &[String], name: &str) -> Option<usize> {
    let position = |same: &dyn Fn(&str) -> bool| there.iter().position(|known| same(known));
    position(&|known| known == name).or_else(|| position(&|known| known.eq_ignore_ascii_case(name)))
}

/// The caller's own SELECT. It is run as it is: nothing that it says can reach
/// beyond it.
fn query<'c>(connection: &'c Connection, text: &str) -> Result<Statement<'c>> {
    let mut batch = Batch::new(connection, text);
    let plain = |error| plain(connection, error);
    let statement = batch.next().map_err(plain)?;
    let Some(statement) = statement else {
        return Err(message("the text of the SELECT is empty"));
    };
    if !statement.readonly() {
        return Err(message(
            "the votes must come from a SELECT that only reads: this one would write to the \
             database",
        ));
    }
    if batch.next().map_err(plain)?.is_some() {
        return Err(message(
            "the votes must come from one SELECT: this text holds several statements",
        ));
    }
    if statement.parameter_count() > 0 {
        return Err(message(
            "the SELECT has a parameter, which nothing binds: write its value into the text",
        ));
    }
    Ok(statement)
}

/// A SELECT of columns of a table or view, of all if none is named. Columns are qualified: SQLite would
/// read a quoted name that it does not know as a text.
fn table<'c>(connection: &'c Connection, text: &str, names: &[&String]) -> Result<Statement<'c>> {
    let columns: Vec<String> = names
        .iter()
        .map(|name| format!("v.{}", quoted(name)))
        .collect();
    let columns = if names.is_empty() {
        "*".to_string()
    } else {
        columns.join(", ")
    };
    let select = |columns: &str, table: &str| {
        let sql = format!("SELECT {columns} FROM {table} AS v");
        connection.prepare(&sql).map_err(|e| plain(connection, e))
    };
    let unknown = |error: &Error| error.to_string().starts_with("no such table");
    let mut table = path(text).unwrap_or_else(|| quoted(text));
    let mut outcome = select(&columns, &table);
    // A dot may also be a letter of the name.
    if let Err(error) = &outcome
        && unknown(error)
        && let Ok(whole) = select("*", &quoted(text))
    {
        drop(whole);
        table = quoted(text);
        outcome = select(&columns, &table);
    }
    match outcome {
        Err(error) if unknown(&error) => Err(message(format!(
            "{error}: the first argument names a table or a view, or is the text of a SELECT"
        ))),
        Err(error) if error.to_string().starts_with("no such column") => {
            let all = select("*", &table)?;
            let there: Vec<String> = all.column_names().into_iter().map(Into::into).collect();
            match names.iter().find(|name| find(&there, name).is_none()) {
                Some(name) => Err(sql_error(missing_column(name, there.iter()))),
                None => Err(error),
            }
        }
        outcome => outcome,
    }
}

/// The error of a failed prepare with SQLite's own text only, whichever way
/// rusqlite was built.
fn plain(connection: &Connection, error: Error) -> Error {
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

/// Whether a text is a statement, not a name: SELECT, WITH or VALUES and more.
fn is_query(text: &str) -> bool {
    let text = skip_blanks(text);
    let end = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let follows = |c: char| !(c.is_alphanumeric() || "_$.".contains(c));
    ["select", "with", "values"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
        && rest.trim_end().starts_with(follows)
}

/// The text behind blanks and comments.
fn skip_blanks(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let rest = if let Some(comment) = text.strip_prefix("--") {
            comment.split_once('\n').map(|(_, rest)| rest)
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.split_once("*/").map(|(_, rest)| rest)
        } else {
            return text;
        };
        text = rest.unwrap_or("");
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// `votes`, `main.votes`, `"my votes"`, `temp.[my votes]` … as quoted names.
/// None if it is not such a path.
fn path(text: &str) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let (part, behind) = match rest.chars().next()? {
            open @ ('"' | '`') => enclosed(&rest[1..], open)?,
            '[' => {
                let (name, behind) = rest[1..].split_once(']')?;
                (name.to_string(), behind)
            }
            _ => {
                let (name, behind) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
                (name.trim_end().to_string(), behind)
            }
        };
        parts.push(quoted(&part));
        let behind = behind.trim_start();
        if behind.is_empty() {
            break;
        }
        rest = behind.strip_prefix('.')?.trim_start();
    }
    (parts.len() <= 2).then(|| parts.join("."))
}

/// A name up to its closing quote, which is doubled within, and what follows.
fn enclosed(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (piece, behind) = rest.split_once(quote)?;
        name += piece;
        match behind.strip_prefix(quote) {
            Some(behind) => {
                name.push(quote);
                rest = behind;
            }
            None => return Some((name, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_kinds() {
        for (text, expected) in [
            ("votes", r#""votes""#),
            (" main.votes ", r#""main"."votes""#),
            ("my votes", r#""my votes""#),
            (r#""my ""best"" votes""#, r#""my ""best"" votes""#),
            (r#"temp . "a.b""#, r#""temp"."a.b""#),
            ("[odd name].`q``q`", r#""odd name"."q`q""#),
            ("Stimmen_für", r#""Stimmen_für""#),
            (r#"x"; DROP TABLE votes"#, r#""x""; DROP TABLE votes""#),
        ] {
            assert_eq!(path(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "a.b.c", "a.", r#""open"#, r#""a"b"#, "[a"] {
            assert_eq!(path(text), None, "{text}");
        }
    }

    #[test]
    fn queries_and_names_are_told_apart() {
        for text in [
            "SELECT 1",
            " select*from x",
            "-- why\n/* not */ With x AS (VALUES (1)) SELECT 1",
            "VALUES(1)",
            "select\n1",
        ] {
            assert!(is_query(text), "{text}");
        }
        for text in [
            "votes",
            "selected",
            "select",
            "with.x",
            "values ",
            "with_x",
            "-- SELECT 1",
        ] {
            assert!(!is_query(text), "{text}");
        }
    }
}
