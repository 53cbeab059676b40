//! `me_hodgerank_version()`.

use libduckdb_sys::DUCKDB_TYPE;

use super::connection::Connection;
use super::error::SqlError;
use super::scalar::{self, ScalarCall, ScalarFunction};
use super::type_ids::VARCHAR;

/// Makes the function known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<Version>(connection)
}

struct Version;

impl ScalarFunction for Version {
    const NAME: &'static str = "me_hodgerank_version";
    const ARGUMENTS: &'static [DUCKDB_TYPE] = &[];
    const RESULT: DUCKDB_TYPE = VARCHAR;

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        call.write_texts(|_| Ok(Some(crate::VERSION.into())))
    }
}
