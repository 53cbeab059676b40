//! The arguments of one call of a table function.

use rusqlite::Result;
use rusqlite::types::Value;

use super::error::message;
use super::table_function::{KIND, OPTIONS, TEST, TableFunction};
use crate::options::Options;
use crate::render::arrow::{ResultSet, SetArguments};
use crate::render::html::ReportOptions;
use crate::render::svg::Plot;
use crate::simulate::Simulation;

/// The options that are columns too.
const COLUMN_OPTIONS: [&str; 3] = ["kappa", "t", "seed"];

/// The arguments of one call, in the order of the function's arguments; None for
/// those that were not given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TableArguments(pub Vec<Option<Value>>);

/// The first argument: what to read.
pub(super) enum FirstArgument<'a> {
    /// NULL: the result has no rows.
    Null,
    /// A table's name or a SELECT.
    Votes(&'a str),
    /// The bytes of a fit.
    Model(&'a [u8]),
}

impl TableArguments {
    /// The first argument.
    pub fn first(&self, function: TableFunction) -> Result<FirstArgument<'_>> {
        let name = function.name();
        match (function, self.0[0].as_ref()) {
            (_, Some(Value::Null)) => Ok(FirstArgument::Null),
            (_, Some(Value::Blob(bytes))) => Ok(FirstArgument::Model(bytes)),
            (TableFunction::Unpack(_) | TableFunction::UnpackRanking, _) => Err(message(format!(
                "{name} takes a model made by me_hodgerank_model; votes of a table are read by \
                     me_hodgerank('votes') and its siblings"
            ))),
            (_, Some(Value::Text(text))) => Ok(FirstArgument::Votes(text)),
            _ => Err(message(format!(
                "{name} takes the votes: the name of a table or view, the text of a SELECT, or a \
                 model made by me_hodgerank_model, such as {name}('votes')"
            ))),
        }
    }

    /// Whether an argument such as in `WHERE kappa = NULL` is NULL: no row fulfils it.
    pub fn ask_for_null(&self, function: TableFunction) -> bool {
        let named = function.arguments().iter().zip(&self.0);
        named
            .filter(|(name, _)| **name != OPTIONS)
            .any(|(_, value)| *value == Some(Value::Null))
    }

    /// The options of a fit: the JSON object, and the columns that are options.
    pub fn options(&self, function: TableFunction) -> Result<Options> {
        let given: Vec<_> = COLUMN_OPTIONS
            .into_iter()
            .filter_map(|name| Some((name, self.get(function, name)?)))
            .collect();
        let is_report = function == TableFunction::Report;
        let object = match self.fields(function) {
            Some(mut fields) => {
                if let Some(set) = function.set() {
                    SetArguments::take_from(set, &mut fields)?;
                }
                if is_report {
                    ReportOptions::take_from(&mut fields)?;
                }
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
            // `Options::from_json` refuses what is not an object.
            None => self.json(function)?,
        };
        Options::from_json(&object).map_err(|error| {
            let further = match function.set() {
                Some(set) => set.arguments(),
                None if is_report => &["title", "date"],
                None => &[],
            };
            match further.is_empty() || !error.to_string().starts_with("unknown option") {
                true => error.into(),
                false => message(format!("{error}; here also: {}", further.join(", "))),
            }
        })
    }

    /// The title and the date of a report.
    pub fn report(&self, function: TableFunction) -> Result<ReportOptions> {
        match self.fields(function) {
            Some(mut fields) => Ok(ReportOptions::take_from(&mut fields)?),
            // `options` refuses what is not an object.
            None => Ok(ReportOptions::default()),
        }
    }

    /// The arguments of a result set, which stand in the same JSON object as the options.
    pub fn of_set(&self, function: TableFunction, set: ResultSet) -> Result<SetArguments> {
        match self.fields(function) {
            Some(mut fields) => Ok(SetArguments::take_from(set, &mut fields)?),
            // `options` refuses what is not an object.
            None => Ok(SetArguments::default()),
        }
    }

    /// The votes to be predicted: the name of a table or a SELECT.
    pub fn test(&self, function: TableFunction) -> Result<&str> {
        match self.get(function, TEST) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(message(
                "me_hodgerank_predict takes two tables, those to learn from and those to be \
                 predicted, such as me_hodgerank_predict('train', 'test')",
            )),
        }
    }

    /// What to draw.
    pub fn plot(&self, function: TableFunction) -> Result<Plot> {
        let kind = match self.get(function, KIND) {
            Some(Value::Text(text)) => text,
            _ => "",
        };
        Ok(kind.parse()?)
    }

    /// The simulation to run.
    pub fn simulation(&self, function: TableFunction) -> Result<Simulation> {
        Ok(Simulation::from_json(&self.json(function)?)?)
    }

    /// Whether there are options that concern the fit.
    pub fn has_options(&self, function: TableFunction) -> bool {
        let visible = function.columns();
        let hidden = |name: &str| visible.iter().all(|(column, _)| column != name);
        let named = function.arguments().iter().zip(&self.0).skip(1);
        let has_any = named
            .filter(|(name, _)| hidden(name) && ![TEST, KIND].contains(name))
            .any(|(_, value)| !matches!(value, None | Some(Value::Null)));
        has_any && !self.concern_the_result_alone(function)
    }

    /// How many options are left beside the title and the date of a report, or the arguments
    /// of a result set.
    fn options_left(&self, function: TableFunction) -> Option<usize> {
        let mut fields = self.fields(function)?;
        match function.set() {
            Some(set) => drop(SetArguments::take_from(set, &mut fields).ok()?),
            None => drop(ReportOptions::take_from(&mut fields).ok()?),
        }
        Some(fields.len())
    }

    /// Whether the options are names of columns to be predicted or of candidate pairs, the
    /// title and the date of a report, or arguments of a result set.
    fn concern_the_result_alone(&self, function: TableFunction) -> bool {
        let is_about_columns = || {
            self.options(function).is_ok_and(|options| {
                let columns = options.columns.clone();
                let default = Options::default();
                options == Options { columns, ..default }
            })
        };
        match (function, function.set()) {
            (TableFunction::Predict, _) | (_, Some(ResultSet::Next)) => is_about_columns(),
            (TableFunction::Report, _) | (_, Some(ResultSet::Compare)) => {
                let mut columns = COLUMN_OPTIONS.iter();
                let is_json_alone = columns.all(|name| self.get(function, name).is_none());
                is_json_alone && self.options_left(function).is_some_and(|left| left == 0)
            }
            _ => false,
        }
    }

    /// The fields of the options; None if they are no JSON object.
    fn fields(
        &self,
        function: TableFunction,
    ) -> Option<serde_json::Map<String, serde_json::Value>> {
        serde_json::from_str(&self.json(function).ok()?).ok()
    }

    fn json(&self, function: TableFunction) -> Result<String> {
        match self.get(function, OPTIONS) {
            None | Some(Value::Null) => Ok("{}".into()),
            Some(Value::Text(text)) => Ok(text.clone()),
            Some(other) => Ok(json_value(other).to_string()),
        }
    }

    fn get(&self, function: TableFunction, name: &str) -> Option<&Value> {
        let mut names = function.arguments().iter();
        self.0[names.position(|known| *known == name)?].as_ref()
    }
}

/// A value as JSON. What JSON cannot express becomes a text, which the options refuse.
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
