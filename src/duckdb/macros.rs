//! The table functions are SQL macros over the aggregate, so that they read the
//! votes as the caller sees them: temporary tables, views, uncommitted rows.
//!
//! `sql/macro.sql` is their one text. From it come the macros that are made on
//! `LOAD` and the two scripts that ship in `sql/`.

use super::connection::Connection;
use crate::{Options, ResultSet, Run, VoteBuilder};

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
            .replace("{no_votes}", &no_votes().replace('\'', "''"))
    };
    ResultSet::ALL.map(one).join("\n")
}

/// The scripts that ship, each with its path.
#[cfg(test)]
fn scripts() -> [(&'static str, String); 2] {
    let script = |heading: &str, macros: String| {
        let made = "-- Made from sql/macro.sql by `make sql`: change that one.";
        format!("{heading}\n{made}\n\n{macros}")
    };
    [
        (
            "sql/session.sql",
            script(
                "-- For this session: me_hodgerank('votes') and its siblings under their bare names,\n\
                 -- whatever the database; nothing is written to it. LOAD the extension as well, before\n\
                 -- or after. At every start: duckdb -unsigned -init sql/session.sql votes.duckdb",
                macros("OR REPLACE TEMP MACRO", None),
            ),
        ),
        (
            "sql/install.sql",
            script(
                "-- For a database file: keeps me_hodgerank('votes') and its siblings in the current\n\
                 -- database and schema, for every session that LOADs the extension.",
                macros("OR REPLACE MACRO", None),
            ),
        ),
    ]
}

/// What the engine says of an empty table. The aggregate of no rows is NULL, as
/// any aggregate is; a table function says what is wrong.
fn no_votes() -> String {
    let nothing = VoteBuilder::new(&Options::default()).finish(&mut Run::new());
    nothing.map_or_else(|error| error.to_string(), |_| String::new())
}

/// Makes the macros: in a catalog of their own, which is in memory, and in the
/// default database if that is in memory too. Nothing is written to a file.
pub fn create(connection: &Connection) -> Result<bool, String> {
    let catalog = connection
        .run(&format!("ATTACH ':memory:' AS {CATALOG} (READ_WRITE)"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, path::Path};

    /// `make sql` sets the variable.
    #[test]
    fn shipped_scripts_are_up_to_date() {
        for (path, script) in scripts() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            if env::var_os("ME_HODGERANK_WRITE_SQL").is_some() {
                fs::write(&path, &script).unwrap();
            }
            let shipped = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                shipped == script,
                "{} is out of date: run `make sql`",
                path.display()
            );
        }
    }

    #[test]
    fn the_macros_have_every_option() {
        for name in Options::names() {
            assert!(
                TEMPLATE.contains(&format!("{name}: {name}"))
                    || TEMPLATE.contains(&format!("\"{name}\": \"{name}\"")),
                "{name}"
            );
        }
    }
}
