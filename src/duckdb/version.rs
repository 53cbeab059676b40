//! `me_hodgerank_version()`.

use super::connection::Connection;
use super::error::SqlError;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::VARCHAR;

/// Makes the function known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<Version>(connection)
}

struct Version;

impl ScalarFunction for Version {
    const NAME: &'static str = "me_hodgerank_version";

    fn signatures() -> Vec<Signature> {
        Signature::only(&[], VARCHAR)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        call.write_texts(|_| Ok(Some(crate::VERSION.into())))
    }
}
