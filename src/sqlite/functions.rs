//! The table functions: their names, columns and arguments.
//!
//! SQLite has no named arguments. A table function's arguments are hidden
//! columns: `f(a, b)` sets them in order, `WHERE kappa = 10` by name.

use rusqlite::Result;
use rusqlite::types::Value;

use super::error::{message, sql_error};
use crate::options::Options;
use crate::render::arrow::{ColumnKind as Kind, ResultSet};
use crate::render::svg::Plot;
use crate::simulate::Simulation;

/// A table function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    /// Fits the votes of a table or SELECT, or unpacks a model.
    Fit(ResultSet),
    /// Only unpacks a model.
    Unpack(ResultSet),
    /// Fits the votes and predicts those of another table.
    Predict,
    /// Draws the fit of votes, or a model.
    Plot,
    /// A page about the fit of votes, or a model.
    Report,
    /// Makes up votes.
    Simulate,
}

/// The names of arguments must not be those of columns that people have: both
/// are in scope wherever the function is joined.
const SOURCE: &str = "me_votes";
const OPTIONS: &str = "me_options";
const MODEL: &str = "me_model";
const TEST: &str = "me_test";
const KIND: &str = "me_kind";

impl Function {
    /// Whether the answer may hold the whole cross-validation curve.
    pub fn shows_curve(self) -> bool {
        matches!(self, Self::Fit(ResultSet::Cv) | Self::Plot | Self::Report)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        ResultSet::ALL
            .into_iter()
            .map(Self::Fit)
            .chain([Self::Predict, Self::Plot, Self::Report])
            .chain([Self::Unpack(ResultSet::Ranking), Self::Simulate])
    }

    /// The name in SQL.
    pub fn name(self) -> String {
        match self {
            Self::Fit(ResultSet::Ranking) => "me_hodgerank".into(),
            Self::Fit(set) | Self::Unpack(set) => format!("me_hodgerank_{}", set.name()),
            Self::Predict => "me_hodgerank_predict".into(),
            Self::Plot => "me_hodgerank_plot".into(),
            Self::Report => "me_hodgerank_report".into(),
            Self::Simulate => "me_hodgerank_simulate".into(),
        }
    }

    /// Whether it needs nothing but its arguments, so that it may be used in
    /// views and triggers of a schema that is not trusted.
    pub fn is_pure(self) -> bool {
        matches!(self, Self::Unpack(_) | Self::Simulate)
    }

    /// The visible columns with their declared types. Ids have none: they come
    /// back as they came.
    pub fn columns(self) -> Vec<(String, &'static str)> {
        let set = match self {
            Self::Fit(set) | Self::Unpack(set) => set,
            Self::Predict => {
                return super::predict::COLUMNS
                    .map(|(name, declared)| (name.to_string(), declared))
                    .into();
            }
            Self::Plot => return vec![("svg".into(), "TEXT")],
            Self::Report => return vec![("html".into(), "TEXT")],
            Self::Simulate => return simulated_columns(),
        };
        let column = |column: &crate::ResultColumn| {
            let declared = match column.kind {
                Kind::Item | Kind::Annotator => "",
                Kind::Integer => "INTEGER",
                Kind::Number => "REAL",
                Kind::Boolean => "BOOLEAN",
                Kind::Text => "TEXT",
            };
            (column.name.to_string(), declared)
        };
        set.columns().iter().map(column).collect()
    }

    /// The arguments in order. One with the name of a visible column is that
    /// column: `WHERE kappa = 10` on the summary means the same either way.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            // Here t is a time on the grid, a value of each row.
            Self::Fit(ResultSet::Path | ResultSet::Cv) => &[SOURCE, OPTIONS, "kappa", "seed"],
            Self::Fit(_) | Self::Report => &[SOURCE, OPTIONS, "kappa", "t", "seed"],
            Self::Predict => &[SOURCE, TEST, OPTIONS, "kappa", "t", "seed"],
            Self::Plot => &[SOURCE, KIND, OPTIONS, "kappa", "t", "seed"],
            Self::Unpack(_) => &[MODEL],
            Self::Simulate => &[OPTIONS],
        }
    }

    /// Roughly how many rows come out.
    pub fn rows(self) -> i64 {
        match self {
            Self::Fit(set) | Self::Unpack(set) => match set {
                ResultSet::Ranking | ResultSet::Personal => 100,
                ResultSet::Annotators => 1000,
                ResultSet::Path => 10_000,
                ResultSet::Cv => 50,
                ResultSet::Summary => 1,
                ResultSet::Cycles | ResultSet::Triangles => 1000,
            },
            Self::Plot | Self::Report => 1,
            Self::Predict => 10_000,
            Self::Simulate => 6000,
        }
    }

    /// A fit is so dear that a join must never run it once for every row.
    pub fn cost(self) -> f64 {
        if self.is_pure() { 1e4 } else { 1e12 }
    }
}

fn simulated_columns() -> Vec<(String, &'static str)> {
    let schema = Simulation::schema();
    let column = |field: &std::sync::Arc<arrow_schema::Field>| {
        let declared = match field.data_type() {
            arrow_schema::DataType::Int64 => "INTEGER",
            arrow_schema::DataType::Float64 => "REAL",
            _ => "TEXT",
        };
        (field.name().clone(), declared)
    };
    schema.fields().iter().map(column).collect()
}

/// What a call gave for each argument of its function; None where it gave nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Arguments(pub Vec<Option<Value>>);

/// What to read: the first argument.
pub(super) enum Input<'a> {
    /// NULL: no rows come out.
    Nothing,
    /// A table's name or a SELECT.
    Votes(&'a str),
    /// A fit in bytes.
    Model(&'a [u8]),
}

impl Arguments {
    /// The first argument.
    pub fn input(&self, function: Function) -> Result<Input<'_>> {
        let name = function.name();
        match (function, self.0[0].as_ref()) {
            (_, Some(Value::Null)) => Ok(Input::Nothing),
            (_, Some(Value::Blob(bytes))) => Ok(Input::Model(bytes)),
            (Function::Unpack(_), _) => Err(message(format!(
                "{name} takes a model made by me_hodgerank_fit; to rank the votes of a table call \
                 me_hodgerank('votes')"
            ))),
            (_, Some(Value::Text(text))) => Ok(Input::Votes(text)),
            _ => Err(message(format!(
                "{name} takes the votes: the name of a table or view, the text of a SELECT, or a \
                 model made by me_hodgerank_fit, such as {name}('votes')"
            ))),
        }
    }

    /// Whether `WHERE kappa = NULL` or the like was asked, which holds for no row.
    pub fn ask_for_null(&self, function: Function) -> bool {
        let named = function.arguments().iter().zip(&self.0);
        named
            .filter(|(name, _)| **name != OPTIONS)
            .any(|(_, value)| *value == Some(Value::Null))
    }

    /// The options of a fit: the JSON object, and the columns that stand for one of them.
    pub fn options(&self, function: Function) -> Result<Options> {
        let json = self.json(function)?;
        let columns = ["kappa", "t", "seed"];
        let given: Vec<_> = columns
            .into_iter()
            .filter_map(|name| Some((name, self.get(function, name)?)))
            .collect();
        let object = match serde_json::from_str(&json) {
            Ok(serde_json::Value::Object(mut fields)) if !given.is_empty() => {
                for (name, value) in given {
                    if fields.get(name).is_some_and(|value| !value.is_null()) {
                        return Err(message(format!(
                            "{name} is given twice: in the options and as a column"
                        )));
                    }
                    fields.insert(name.into(), json_value(value));
                }
                serde_json::Value::Object(fields).to_string()
            }
            // What is not an object is for the engine to refuse.
            _ => json,
        };
        Options::from_json(&object).map_err(sql_error)
    }

    /// The votes to be predicted: the name of a table or a SELECT.
    pub fn test(&self, function: Function) -> Result<&str> {
        match self.get(function, TEST) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(message(
                "me_hodgerank_predict takes two tables, those to learn from and those to be \
                 predicted, such as me_hodgerank_predict('train', 'test')",
            )),
        }
    }

    /// What to draw.
    pub fn plot(&self, function: Function) -> Result<Plot> {
        let kind = match self.get(function, KIND) {
            Some(Value::Text(text)) => text,
            _ => "",
        };
        Plot::named(kind).map_err(sql_error)
    }

    /// What to make up.
    pub fn simulation(&self, function: Function) -> Result<Simulation> {
        Simulation::from_json(&self.json(function)?).map_err(sql_error)
    }

    /// Whether anything was said about how to fit.
    pub fn has_options(&self, function: Function) -> bool {
        let visible = function.columns();
        let hidden = |name: &str| visible.iter().all(|(column, _)| column != name);
        let named = function.arguments().iter().zip(&self.0).skip(1);
        // The columns of a table to be predicted are not about the fit.
        let about_columns = function == Function::Predict
            && self.options(function).is_ok_and(|options| {
                let columns = options.columns.clone();
                let default = Options::default();
                options == Options { columns, ..default }
            });
        named
            .filter(|(name, _)| hidden(name) && ![TEST, KIND].contains(name))
            .filter(|_| !about_columns)
            .any(|(_, value)| !matches!(value, None | Some(Value::Null)))
    }

    fn json(&self, function: Function) -> Result<String> {
        match self.get(function, OPTIONS) {
            None | Some(Value::Null) => Ok("{}".into()),
            Some(Value::Text(text)) => Ok(text.clone()),
            Some(other) => Ok(json_value(other).to_string()),
        }
    }

    fn get(&self, function: Function, name: &str) -> Option<&Value> {
        let place = function
            .arguments()
            .iter()
            .position(|known| *known == name)?;
        self.0[place].as_ref()
    }
}

/// A value as JSON; what JSON cannot say becomes a text, for the engine to refuse.
fn json_value(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Integer(value) => (*value).into(),
        Value::Real(value) => serde_json::Number::from_f64(*value)
            .map_or_else(|| value.to_string().into(), serde_json::Value::Number),
        Value::Text(text) => text.as_str().into(),
        Value::Blob(_) => "a blob".into(),
    }
}
