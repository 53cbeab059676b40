//! The table functions are SQL macros over an aggregate, so that they read the
//! votes as the caller sees them: temporary tables, views, uncommitted rows.
//! `sql/macro.sql` is the template of all.
//!
//! `me_hodgerank_fit` and `me_hodgerank_model` are macros over DuckDB's `list`, which
//! collects the votes of a group (`sql/group.sql`).
//!
//! The macros that are made on `LOAD` and the two scripts in `sql/` are written
//! from these templates.

use super::connection::Connection;
use super::error::SqlError;
use crate::{Options, ResultSet, VoteBuilder};

const TEMPLATE: &str = include_str!("../../sql/macro.sql");

/// The macros for groups of votes.
const GROUP: &str = include_str!("../../sql/group.sql");

/// The votes to be predicted, which are joined with the model.
const TEST_VOTES: &str = include_str!("../../sql/predict.sql");

/// The table that an argument `{name}` names, quoted.
const TABLE_NAME: &str = include_str!("../../sql/table_name.sql");

/// The catalog that every database gets on `LOAD`, in memory.
const CATALOG: &str = "me";

/// The parts in which macros differ.
struct Macro {
    /// What follows `me_hodgerank` in the name.
    name: String,
    /// The first arguments, which have no defaults.
    arguments: &'static str,
    /// The argument that names the votes to fit.
    votes: &'static str,
    columns: String,
    /// What is joined with the model.
    joined: &'static str,
    fit: &'static str,
    /// The only result set to fill.
    set: Option<ResultSet>,
}

impl Macro {
    fn all() -> impl Iterator<Item = Self> {
        let sets = ResultSet::ALL.into_iter().map(Self::of_set);
        sets.chain([Self::predict(), Self::plot(), Self::report()])
    }

    fn of_set(set: ResultSet) -> Self {
        let rows = match set {
            ResultSet::Summary => format!("[model.{}]", set.name()),
            _ => format!("model.{}", set.name()),
        };
        Self {
            name: match set {
                ResultSet::Ranking => String::new(),
                _ => format!("_{}", set.name()),
            },
            fit: "me_hodgerank_table_fit",
            set: Some(set),
            ..Self::of_model("", &format!("unnest({rows}, recursive := true)"))
        }
    }

    /// A macro over the fit as bytes.
    fn of_model(name: &str, columns: &str) -> Self {
        Self {
            name: name.into(),
            arguments: "votes",
            votes: "votes",
            columns: columns.into(),
            joined: "",
            fit: "me_hodgerank_table_model",
            set: None,
        }
    }

    fn predict() -> Self {
        let ids = |names: &[&str]| {
            let ids = names
                .iter()
                .map(|name| format!("shown.me_hodgerank_ids.{name}"));
            ids.collect::<Vec<_>>().join(", ")
        };
        let columns = format!(
            "shown.* EXCLUDE (me_hodgerank_ids),\n    \
             me_hodgerank_predict_vote(fitted.model, {}) AS predicted,\n    \
             me_hodgerank_predict_hodgerank(fitted.model, {}) AS predicted_hodgerank",
            ids(&["annotator", "\"left\"", "\"right\""]),
            ids(&["\"left\"", "\"right\""]),
        );
        Self {
            arguments: "train, test",
            votes: "train",
            joined: TEST_VOTES,
            ..Self::of_model("_predict", &columns)
        }
    }

    fn plot() -> Self {
        Self {
            arguments: "votes, kind",
            ..Self::of_model("_plot", "me_hodgerank_svg(model, kind) AS svg")
        }
    }

    fn report() -> Self {
        Self::of_model("_report", "me_hodgerank_html(model) AS html")
    }

    fn text(&self, kind: &str, schema: Option<&str>) -> String {
        let schema = schema.map_or(String::new(), |schema| format!("{schema}."));
        let set = self.set.map(|set| format!("'{}'", set.name()));
        let text = TEMPLATE
            .replace("{kind}", kind)
            .replace("{name}", &format!("{schema}me_hodgerank{}", self.name))
            .replace("{arguments}", self.arguments)
            .replace("{columns}", &self.columns)
            .replace("{joined}", self.joined.trim_end())
            .replace("{fit}", self.fit)
            .replace("{set}", set.as_deref().unwrap_or("NULL"))
            .replace("{votes}", self.votes)
            .replace("{no_votes}", &no_votes().replace('\'', "''"));
        let text = expand(&text, "table", |name| {
            TABLE_NAME.trim_end().replace("{name}", name)
        });
        expand(&text, "quoted", quoted)
    }
}

/// An SQL expression: the value of an argument as a quoted name.
fn quoted(argument: &str) -> String {
    format!(r#"'"' || replace({argument}, '"', '""') || '"'"#)
}

/// Replaces every `{word argument}`; further lines are indented as the first.
fn expand(template: &str, word: &str, replacement: impl Fn(&str) -> String) -> String {
    let open = format!("{{{word} ");
    let mut pieces = template.split(&open);
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let (argument, rest) = piece.split_once('}').expect("a placeholder is closed");
        let line = &text[text.rfind('\n').map_or(0, |end| end + 1)..];
        let indent = &line[..line.len() - line.trim_start().len()];
        let replacement = replacement(argument).replace('\n', &format!("\n{indent}"));
        text += &replacement;
        text += rest;
    }
    text
}

/// The macros, in a schema of this name if it is given.
fn macros(kind: &str, schema: Option<&str>) -> String {
    let tables = Macro::all().map(|one| one.text(kind, schema));
    let texts: Vec<String> = tables.chain([groups(kind, schema)]).collect();
    texts.join("\n")
}

/// The macros for groups of votes.
fn groups(kind: &str, schema: Option<&str>) -> String {
    let schema = schema.map_or(String::new(), |schema| format!("{schema}."));
    let text = GROUP.replace("{kind}", kind).replace("{schema}", &schema);
    expand(&text, "votes", |fields| {
        let fields = fields.split(' ').filter(|field| !field.is_empty());
        let more: Vec<_> = fields.map(|field| format!(", {field}: {field}")).collect();
        format!(
            "list({{annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice{}}})",
            more.concat()
        )
    })
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

/// The error text for an empty table. The aggregate of no rows is NULL, as any
/// aggregate is; a table function fails with this text.
fn no_votes() -> String {
    let nothing = VoteBuilder::new(&Options::default()).finish();
    nothing.map_or_else(|error| error.to_string(), |_| String::new())
}

/// Makes the macros: in a catalog of their own, which is in memory, and in the
/// default database if that is in memory too. Nothing is written to a file.
pub fn create(connection: &Connection) -> Result<bool, SqlError> {
    if let Err(message) = create_catalog(connection) {
        // Everything else works: print a warning and load.
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

/// Makes the catalog with the macros, or nothing.
fn create_catalog(connection: &Connection) -> Result<(), SqlError> {
    // With a catalog of the same name DuckDB would not know which of the two the
    // user's `me.table` means.
    let schema = format!("SELECT 1 FROM duckdb_schemas() WHERE schema_name ILIKE '{CATALOG}'");
    if connection.has_rows(&schema)? {
        return Err(format!("there is a schema called {CATALOG}").into());
    }
    connection.run(&format!("ATTACH ':memory:' AS {CATALOG} (READ_WRITE)"))?;
    let made = connection.run(&macros("OR REPLACE MACRO", Some(CATALOG)));
    if made.is_err() {
        connection.run(&format!("DETACH {CATALOG}"))?;
    }
    made
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
