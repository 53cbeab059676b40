//! The SQLite host: glue only, nothing statistical.
//!
//! ```text
//! a table or a SELECT ─ source.rs ─ ingest.rs ─┐
//! me_hodgerank_fit(…) ─ aggregate.rs ──────────┴─ the engine ─ table.rs ─ rows
//! ```
//!
//! | file | what it is about |
//! |---|---|
//! | `source.rs` | what `'votes'` names, and the statement that reads it |
//! | `ingest.rs` | SQLite values as votes |
//! | `poll.rs` | how Ctrl-C and progress handlers stop a fit |
//! | `functions.rs` | the table functions: their names, columns and arguments |
//! | `table.rs` | the one virtual table behind all of them |
//! | `memory.rs` | what a statement has fitted already |
//! | `cells.rs` | Arrow values as SQLite values |
//! | `predict.rs` | `me_hodgerank_predict`, rows of another table |
//! | `model.rs` | scalar functions of a model |
//! | `aggregate.rs` | `me_hodgerank_fit`, votes to a model |
//! | `extension.rs` | the entry point of the loadable extension |

mod aggregate;
mod cells;
mod error;
#[cfg(feature = "sqlite-extension")]
mod extension;
mod functions;
mod ingest;
mod memory;
mod model;
mod poll;
mod predict;
mod source;
mod table;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Result};

#[cfg(not(feature = "sqlite-extension"))]
use crate::{options::Options, votes::Votes};

#[cfg(not(feature = "sqlite-extension"))]
pub use rusqlite;

/// What needs nothing but its arguments may be used in views and triggers of a
/// schema that is not trusted.
const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);

/// Makes all SQL functions of this library known to a connection.
///
/// ```
/// use me_hodgerank::sqlite::rusqlite::Connection;
///
/// let connection = Connection::open_in_memory()?;
/// me_hodgerank::sqlite::register(&connection)?;
/// connection.execute_batch(
///     "CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{\"seed\": 7}')",
/// )?;
/// let best: i64 = connection.query_row("SELECT item FROM me_hodgerank('votes')", [], |row| row.get(0))?;
/// assert!((1..=20).contains(&best));
/// # Ok::<(), me_hodgerank::sqlite::rusqlite::Error>(())
/// ```
#[cfg(not(feature = "sqlite-extension"))]
pub fn register(connection: &Connection) -> Result<()> {
    register_all(connection)
}

/// Reads the votes that a text names (a table, a view or a SELECT, as in
/// `me_hodgerank('votes')`) for a program that wants to fit them itself.
#[cfg(not(feature = "sqlite-extension"))]
pub fn read_votes(connection: &Connection, text: &str, options: &Options) -> Result<Votes> {
    let ingest = ingest::Ingest::read(connection, text, options)?;
    poll::interruptible(connection, options.max_seconds, |run| ingest.finish(run))
}

fn register_all(connection: &Connection) -> Result<()> {
    connection.create_scalar_function("me_hodgerank_version", 0, PURE, |_| Ok(crate::VERSION))?;
    aggregate::register(connection)?;
    model::register(connection)?;
    table::register(connection)
}

#[cfg(all(test, feature = "sqlite-extension"))]
compile_error!("sqlite-extension is for building the .so only: test with --features sqlite");
