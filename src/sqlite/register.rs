//! What a program calls: all SQL functions for a connection, and votes to be
//! fitted by the program itself.

use rusqlite::{Connection, Result};

use super::{aggregate, scalars, states, virtual_table};
#[cfg(not(feature = "sqlite-extension"))]
use super::{ingest::Ingest, poll::interruptible};
#[cfg(not(feature = "sqlite-extension"))]
use crate::{options::Options, votes::Votes};

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
    let ingest = Ingest::read(connection, text, options)?;
    interruptible(connection, options.max_seconds, |execution| {
        ingest.finish(execution)
    })
}

/// Makes all SQL functions known to a connection, whichever way the library was built.
pub(super) fn register_all(connection: &Connection) -> Result<()> {
    aggregate::register(connection)?;
    states::register(connection)?;
    scalars::register(connection)?;
    virtual_table::register(connection)
}
