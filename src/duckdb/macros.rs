//! The table functions are SQL macros over an aggregate, so that they read the
//! votes as the caller sees them: temporary tables, views, uncommitted rows.
//! `sql/macro.sql` is the template of all that fit votes.
//!
//! `me_hodgerank_fit` and `me_hodgerank_model` are macros over DuckDB's `list`, which
//! collects the votes of a group (`sql/group.sql`). `me_hodgerank_model_ranking` and its
//! siblings unpack a stored model.
//!
//! The macros that are made on `LOAD` and the two scripts in `sql/` are written
//! from these templates.

use super::connection::Connection;
use super::descriptions::{self, name_of};
use super::error::SqlError;
use super::fit_struct::{STRUCT_SETS, column_type};
use super::type_ids::type_name;
use crate::options::{COLUMN_SETS, ColumnSet};
use crate::{ColumnKind, Options, ResultColumn, ResultSet, VoteBuilder};

const TEMPLATE: &str = include_str!("../../sql/macro.sql");

/// The macros for groups of votes.
const GROUP: &str = include_str!("../../sql/group.sql");

/// The last part of `me_hodgerank_predict`.
const PREDICT: &str = include_str!("../../sql/predict.sql");

/// The candidate pairs of `me_hodgerank_next`, as a list.
const CANDIDATES: &str = include_str!("../../sql/candidates.sql");

/// The table that an argument `{name}` names, quoted.
const TABLE_NAME: &str = include_str!("../../sql/table_name.sql");

/// The catalog that every database gets on `LOAD`, in memory.
const CATALOG: &str = "me";

/// The parts in which macros that fit votes differ.
struct Macro {
    /// What follows `me_hodgerank` in the name.
    name: String,
    /// The first arguments, which have no defaults.
    arguments: &'static str,
    /// Further arguments, with their defaults.
    more_arguments: String,
    /// The list of candidate pairs, if they may be restricted.
    candidates: &'static str,
    /// The argument that names the votes to fit.
    votes: &'static str,
    /// What the aggregate is asked for.
    result: String,
    /// The rest of the statement.
    select: String,
}

impl Macro {
    fn all() -> impl Iterator<Item = Self> {
        let sets = ResultSet::ALL.into_iter().map(Self::of_set);
        sets.chain([Self::predict(), Self::plot(), Self::report()])
    }

    fn of_set(set: ResultSet) -> Self {
        let rows = format!(
            "SELECT unnest(me_hodgerank_rows_{}(job), recursive := true), annotator_type, item_type\n    \
             FROM me_hodgerank_waited WHERE is_done",
            set.name()
        );
        let columns = columns(set, "found.annotator_type", "found.item_type");
        Self {
            name: name_of(set),
            result: result(set),
            more_arguments: more_arguments(set.arguments()),
            candidates: match set {
                ResultSet::Next => CANDIDATES.trim_end(),
                _ => "",
            },
            select: format!("\nSELECT {columns}\nFROM (\n    {rows}\n) AS found"),
            ..Self::of_model("", "")
        }
    }

    /// A macro over the fit as bytes.
    fn of_model(name: &str, column: &str) -> Self {
        Self {
            name: name.into(),
            arguments: "votes",
            more_arguments: String::new(),
            candidates: "",
            votes: "votes",
            result: "result: NULL".into(),
            select: format!("\nSELECT {column}\nFROM me_hodgerank_waited WHERE is_done"),
        }
    }

    fn predict() -> Self {
        Self {
            arguments: "train, test",
            votes: "train",
            select: PREDICT.trim_end().into(),
            ..Self::of_model("_predict", "")
        }
    }

    fn plot() -> Self {
        let svg = "me_hodgerank_svg(me_hodgerank_job_model(job), kind) AS svg";
        Self {
            arguments: "votes, kind",
            result: "result: NULL, plot: kind".into(),
            ..Self::of_model("_plot", svg)
        }
    }

    fn report() -> Self {
        let html =
            "me_hodgerank_html(me_hodgerank_job_model(job), title::VARCHAR, date::VARCHAR) AS html";
        Self {
            more_arguments: more_arguments(&["title", "date"]),
            ..Self::of_model("_report", html)
        }
    }

    fn text(&self, kind: &str, schema: &str) -> String {
        let roles = Role::ALL.map(|role| (format!("{{first {}}}", role.name()), role.first()));
        let text = TEMPLATE
            .replace("{kind}", kind)
            .replace("{name}", &format!("{schema}me_hodgerank{}", self.name))
            .replace("{arguments}", self.arguments)
            .replace("{more arguments}", &self.more_arguments)
            .replace("{candidates}", self.candidates)
            .replace(
                "{more columns}",
                match self.candidates {
                    "" => "",
                    _ => ", candidate_pairs",
                },
            )
            .replace("{result}", &self.result)
            .replace("{select}", &self.select)
            .replace("{ordered columns}", &ordered_columns())
            .replace("{is read}", &is_read())
            .replace("{votes}", self.votes)
            .replace("{no_votes}", &no_votes().replace('\'', "''"));
        let text = roles
            .iter()
            .fold(text, |text, (word, first)| text.replace(word, first));
        let text = expand(&text, "table", |name| {
            TABLE_NAME.trim_end().replace("{name}", name)
        });
        expand(&text, "quoted", quoted)
    }
}

/// Arguments after the options, NULL if they are not given.
fn more_arguments(names: &[&str]) -> String {
    let defaults: Vec<_> = names.iter().map(|name| format!("{name} := NULL")).collect();
    match defaults.is_empty() {
        true => String::new(),
        false => format!(",\n    {}", defaults.join(", ")),
    }
}

/// What the aggregate is asked for: a set, and the arguments of that set.
fn result(set: ResultSet) -> String {
    let arguments = set.arguments().iter().map(|name| format!("{name}: {name}"));
    let set = format!("result: '{}'", set.name());
    let parts: Vec<_> = std::iter::once(set).chain(arguments).collect();
    parts.join(", ")
}

/// The columns of a result set, its ids cast to the types of two expressions.
fn columns(set: ResultSet, annotator: &str, item: &str) -> String {
    let column = |column: &ResultColumn| {
        let name = format!("\"{}\"", column.name);
        let like = match column.kind {
            ColumnKind::Annotator => annotator,
            ColumnKind::Item => item,
            _ => return format!("found.{name}"),
        };
        format!("cast_to_type(found.{name}, {like}) AS {name}")
    };
    let columns: Vec<_> = set.columns().iter().map(column).collect();
    columns.join(", ")
}

/// A column whose type ids have in the result.
#[derive(Clone, Copy)]
enum Role {
    Annotator,
    Left,
    Right,
}

impl Role {
    const ALL: [Self; 3] = [Self::Annotator, Self::Left, Self::Right];

    /// The argument that names it, which is also its first usual name.
    fn name(self) -> &'static str {
        match self {
            Self::Annotator => "annotator",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// Its usual names, by precedence.
    fn usual(self) -> Vec<&'static str> {
        let name = |set: &ColumnSet| match (self, set.choice) {
            (Self::Annotator, _) => set.annotator,
            (Self::Left, Some(_)) => set.left,
            // The winner of this set is the choice of another: the loser gives the type.
            (Self::Left, None) | (Self::Right, _) => set.right,
        };
        let mut names = Vec::new();
        for name in COLUMN_SETS.iter().map(name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// An expression: the first column that is there, or a text.
    fn first(self) -> String {
        let (given, usual) = (self.given(), quoted_list(&self.usual()));
        format!(
            "struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' \
             OR CASE WHEN {given} IS NOT NULL THEN lower(name) = lower({given}) \
             WHEN coalesce(\"left\", \"right\", choice) IS NULL THEN lower(name) IN ({usual}) \
             ELSE lower(name) = '{}' END)), 1)",
            self.name()
        )
    }

    /// What the caller named; NULL if nothing.
    fn given(self) -> &'static str {
        match self {
            Self::Annotator => "nullif(annotator, '')",
            Self::Left => "\"left\"",
            Self::Right => "\"right\"",
        }
    }
}

/// All usual names of columns: those that give ids their types set by set, then others.
fn usual_names() -> Vec<&'static str> {
    let typed = COLUMN_SETS.iter().flat_map(|set| match set.choice {
        Some(_) => vec![set.annotator, set.left, set.right],
        None => vec![set.annotator, set.right],
    });
    let others = COLUMN_SETS.iter();
    let others = others.flat_map(|set| std::iter::once(set.left).chain(set.choice));
    let mut names = Vec::new();
    for name in typed.chain(others) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn quoted_list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("'{name}'")).collect();
    quoted.join(", ")
}

/// Whether the caller named a column.
const IS_NAMED: &str = "coalesce(lower(name) IN (lower(annotator), lower(\"left\"), lower(\"right\"), \
                        lower(choice), lower(weight), lower(fold)), false)";

/// The columns that may be read: usual ones one by one, then others that the caller named.
fn ordered_columns() -> String {
    let names = usual_names();
    let one = |name: &&str| {
        format!("COLUMNS(lambda name: lower(name) IN ('{name}', 'me_hodgerank_none'))")
    };
    let others = format!(
        "COLUMNS(lambda name: name = 'me_hodgerank_none' OR ({IS_NAMED} AND lower(name) NOT IN ({})))",
        quoted_list(&names)
    );
    let columns: Vec<_> = names.iter().map(one).chain([others]).collect();
    columns.join(",\n                ")
}

/// Whether a column may be read: a condition on its `name`.
fn is_read() -> String {
    let usual = quoted_list(&usual_names());
    format!("name = 'me_hodgerank_none' OR lower(name) IN ({usual}) OR {IS_NAMED}")
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

/// The macros, in a schema of this name if it is given, with comments on them.
fn macros(kind: &str, schema: Option<&str>) -> String {
    let schema = schema.map_or(String::new(), |schema| format!("{schema}."));
    let fitting = Macro::all().map(|one| one.text(kind, &schema));
    let unpacking = ResultSet::ALL.map(|set| unpack(set, kind, &schema));
    let texts = fitting.chain(unpacking);
    let texts: Vec<String> = texts.chain([groups(kind, &schema)]).collect();
    texts.join("\n")
}

/// The macro that unpacks a set of a stored model. The condition always holds: it is there
/// for the reason that `sql/group.sql` gives.
fn unpack(set: ResultSet, kind: &str, schema: &str) -> String {
    let like = |argument| format!("CASE WHEN false THEN coalesce('', {argument}) END");
    let name = set.name();
    // A stored model is no place to read tables from.
    let own = set.arguments().iter().filter(|name| **name != "candidates");
    let own: Vec<&str> = own.copied().collect();
    let fields: Vec<_> = own.iter().map(|name| format!("{name}: {name}")).collect();
    let arguments = match own.is_empty() {
        true => "model::BLOB".into(),
        false => format!("model::BLOB, {{{}}}", fields.join(", ")),
    };
    let defaults: Vec<_> = own.iter().map(|name| format!(", {name} := NULL")).collect();
    format!(
        "CREATE {kind} {schema}me_hodgerank_model_{name}(model, annotator := NULL, item := NULL{}) AS TABLE\n\
         SELECT {}\n\
         FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_{name}({arguments}) END, \
         recursive := true)) AS found;\n",
        defaults.concat(),
        columns(set, &like("annotator"), &like("item"))
    )
}

/// The macros for groups of votes.
fn groups(kind: &str, schema: &str) -> String {
    let text = GROUP.replace("{kind}", kind).replace("{schema}", schema);
    let text = expand(&text, "votes", |fields| {
        let fields = fields.split(' ').filter(|field| !field.is_empty());
        let more: Vec<_> = fields.map(|field| format!(", {field}: {field}")).collect();
        format!(
            "list({{annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice{}}})",
            more.concat()
        )
    });
    let any = |name: &str| format!("any_value({name})");
    let items = format!("{}, {}", any("\"left\""), any("\"right\""));
    text.replace("{group type}", &fit_like(&any("annotator"), &items))
        .replace("{list type}", &fit_like("annotator", "item"))
}

/// An expression of the type of a fit whose ids have the types of two expressions.
fn fit_like(annotator: &str, item: &str) -> String {
    let field = |column: &ResultColumn| {
        let value = match column.kind {
            ColumnKind::Annotator => format!("coalesce('', {annotator})"),
            ColumnKind::Item => format!("coalesce('', {item})"),
            kind => format!("NULL::{}", type_name(column_type(kind))),
        };
        format!("\"{}\": {value}", column.name)
    };
    let set = |set: ResultSet| {
        let fields: Vec<_> = set.columns().iter().map(field).collect();
        let row = format!("{{{}}}", fields.join(", "));
        match set {
            ResultSet::Summary => format!("{}: {row}", set.name()),
            _ => format!("{}: [{row}]", set.name()),
        }
    };
    let sets: Vec<_> = STRUCT_SETS.iter().map(|one| set(*one)).collect();
    let sets = sets.join(",\n            ");
    format!("CASE WHEN false THEN {{\n            {sets}}} END")
}

/// The scripts that ship, each with its path.
#[cfg(test)]
fn scripts() -> [(&'static str, String); 3] {
    let script = |heading: &str, kind: &str, schema: &str| {
        let made = "-- Made from sql/macro.sql by `make sql`: change that one.";
        let comments = descriptions::comments(schema);
        format!("{heading}\n{made}\n\n{}\n{comments}", macros(kind, None))
    };
    [
        (
            "sql/session.sql",
            script(
                "-- For this session: me_hodgerank('votes') and its siblings under their bare names,\n\
                 -- whatever the database; nothing is written to it. LOAD the extension as well, before\n\
                 -- or after. At every start: duckdb -unsigned -init sql/session.sql votes.duckdb",
                "OR REPLACE TEMP MACRO",
                "temp.",
            ),
        ),
        (
            "sql/install.sql",
            script(
                "-- For a database file: keeps me_hodgerank('votes') and its siblings in the current\n\
                 -- database and schema, for every session that LOADs the extension.",
                "OR REPLACE MACRO",
                "",
            ),
        ),
        ("docs/function_descriptions.csv", descriptions::csv()),
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
        connection.run(&descriptions::comments(""))?;
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
    let comments = descriptions::comments(&format!("{CATALOG}."));
    let macros = macros("OR REPLACE MACRO", Some(CATALOG));
    let made = connection
        .run(&macros)
        .and_then(|()| connection.run(&comments));
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
                    || TEMPLATE.contains(&format!("\"{name}\": \"{name}\""))
                    || TEMPLATE.contains(&format!("{name}: coalesce({name}, ")),
                "{name}"
            );
        }
    }
}
