//! Options as they arrive in SQL: a JSON text or a struct.

use serde_json::{Map, Value};

use super::error::SqlError;
use super::input_vector::InputVector;
use crate::{Options, ResultSet};

/// The options of one call.
pub struct CallOptions {
    /// The text from which they were read, to compare it with that of other rows.
    pub written: Option<String>,
    pub options: Options,
    optional: OptionalColumns,
    /// The only set to compute, if one is asked for: the others take time too.
    pub only: Option<ResultSet>,
}

/// Which of the optional columns a call has.
#[derive(Clone, Copy, PartialEq)]
pub struct OptionalColumns {
    pub weight: bool,
    pub fold: bool,
}

impl CallOptions {
    /// Reads the options from their text.
    pub fn read(written: Option<String>, optional: OptionalColumns) -> Result<Self, SqlError> {
        let json = written.as_deref().unwrap_or("{}");
        let (json, only) = split_result(json)?;
        let mut options = Options::from_json(&json)?;
        // The columns are arguments: their names are used in error texts only.
        let named = |present: bool, name: &mut Option<String>, default: &str| {
            *name = present.then(|| name.take().unwrap_or_else(|| default.into()));
        };
        named(optional.weight, &mut options.columns.weight, "weight");
        named(optional.fold, &mut options.columns.fold, "fold");
        Ok(Self {
            written,
            options,
            optional,
            only,
        })
    }

    /// Whether these options were read from this text.
    pub fn was_read_from(&self, written: &Option<String>, optional: OptionalColumns) -> bool {
        self.written == *written && self.optional == optional
    }
}

/// Separates `result`, an option of this host only: the name of the only set to
/// compute.
fn split_result(json: &str) -> Result<(String, Option<ResultSet>), SqlError> {
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(json) else {
        return Ok((json.into(), None)); // `Options::from_json` says what is wrong
    };
    let only = match fields.remove("result") {
        None | Some(Value::Null) => None,
        Some(name) => Some(result_set(&name)?),
    };
    Ok((Value::Object(fields).to_string(), only))
}

fn result_set(name: &Value) -> Result<ResultSet, SqlError> {
    let known = ResultSet::ALL.into_iter();
    let found = known.clone().find(|set| name.as_str() == Some(set.name()));
    found.ok_or_else(|| {
        let names: Vec<_> = known.map(|set| format!("'{}'", set.name())).collect();
        format!("result must be one of {}, not {name}", names.join(", ")).into()
    })
}

/// The options argument of one chunk of rows.
pub struct OptionsColumn<'a> {
    column: Option<InputVector<'a>>,
    /// Whether every row of the chunk has the same options.
    pub constant: bool,
}

impl<'a> OptionsColumn<'a> {
    pub fn new(column: Option<InputVector<'a>>) -> Result<Self, SqlError> {
        if let Some(column) = column.as_ref().filter(|column| !column.is_options()) {
            let found = column.type_name();
            return Err(format!(
                "the options are of type {found}; they are a JSON text such as '{{\"kappa\": 10}}' or \
                 a struct such as {{kappa: 10}}"
            )
            .into());
        }
        let constant = column.as_ref().is_none_or(InputVector::is_constant);
        Ok(Self { column, constant })
    }

    /// The text of the options of a row.
    pub fn written(&self, row: usize) -> Option<String> {
        self.column
            .as_ref()
            .and_then(|column| column.json_text(row))
    }
}
