//! The table functions are SQL macros over the aggregate, so that they read the
//! votes as the caller sees them: temporary tables, views, uncommitted rows.
//!
//! `sql/macro.sql` is their one text. From it come the macros that are made on
//! `LOAD` and the two scripts that ship in `sql/`.

use super::connection::Connection;
use crate::ResultSet;

const TEMPLATE: &str = include_str!("../../sql/macro.sql");

/// The catalog that every database gets on `LOAD`, in memory.
const CATALOG: &str = "me";

/// The macros, one for each result set, in a schema of this name if it is given.
fn macros(kind: &str, schema: Option<&str>) -> String {
    let one = |set: ResultSet| {
        let mut name = schema.map_or(String::new(), |schema| format!("{schema}."));
        name += "me_hodgerank";
        if set != ResultSet::Ranking {
            name += &format!("_{}", set.name());
        }
        let rows = match set {
            ResultSet::Summary => format!("[model.{}]", set.name()),
            _ => format!("model.{}", set.name()),
        };
        TEMPLATE
            .replace("{kind}", kind)
            .replace("{name}", &name)
            .replace("{rows}", &rows)
            .replace("{set}", set.name())
    };
    ResultSet::ALL.map(one).join("\n")
}

/// Makes the macros: in a catalog of their own, which is in memory, and in the
/// default database if that is in memory too. Nothing is written to a file.
pub fn create(connection: &Connection) -> Result<bool, String> {
    let catalog = connection
        .run(&format!("ATTACH ':memory:' AS {CATALOG}"))
        .and_then(|()| connection.run(&macros("OR REPLACE MACRO", Some(CATALOG))));
    if let Err(message) = catalog {
        // Everything else works: say so, and load.
        eprintln!(
            "me_hodgerank: could not make the functions {CATALOG}.me_hodgerank, …: {message}; \
             run sql/session.sql to have them under their bare names"
        );
    }
    let in_memory = "SELECT 1 FROM duckdb_databases() WHERE database_name = current_database() \
                     AND path IS NULL AND NOT internal AND NOT readonly";
    if connection.has_rows(in_memory)? {
        connection.run(&macros("MACRO IF NOT EXISTS", None))?;
    }
    Ok(true)
}
