//! Options as they arrive in SQL: a JSON text or a struct.

use serde_json::{Map, Value};

use super::column::Column;
use crate::{Options, ResultSet};

/// The options of one call.
pub struct CallOptions {
    /// As they were written, to see whether other rows say the same.
    pub written: Option<String>,
    pub options: Options,
    optional: Optional,
    /// Fill only this set: a call that asks for one should not pay for all.
    pub only: Option<ResultSet>,
}

/// Which of the optional columns a call has.
#[derive(Clone, Copy, PartialEq)]
pub struct Optional {
    pub weight: bool,
    pub fold: bool,
}

impl CallOptions {
    pub fn read(written: Option<String>, optional: Optional) -> Result<Self, String> {
        let json = written.as_deref().unwrap_or("{}");
        let (json, only) = split_result(json)?;
        let mut options = Options::from_json(&json).map_err(|error| error.to_string())?;
        // The names matter for messages only: the columns are arguments.
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
    pub fn says(&self, written: &Option<String>, optional: Optional) -> bool {
        self.written == *written && self.optional == optional
    }
}

/// Takes out `result`, which is the host's: the name of the only set to fill.
fn split_result(json: &str) -> Result<(String, Option<ResultSet>), String> {
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(json) else {
        return Ok((json.into(), None)); // the engine says what is wrong
    };
    let only = match fields.remove("result") {
        None | Some(Value::Null) => None,
        Some(name) => Some(result_set(&name)?),
    };
    Ok((Value::Object(fields).to_string(), only))
}

fn result_set(name: &Value) -> Result<ResultSet, String> {
    let known = ResultSet::ALL.into_iter();
    let found = known.clone().find(|set| name.as_str() == Some(set.name()));
    found.ok_or_else(|| {
        let names: Vec<_> = known.map(|set| format!("'{}'", set.name())).collect();
        format!("result must be one of {}, not {name}", names.join(", "))
    })
}

/// The options argument of one chunk of rows.
pub struct OptionsColumn<'a> {
    column: Option<Column<'a>>,
    /// Whether every row of the chunk says the same.
    pub constant: bool,
}

impl<'a> OptionsColumn<'a> {
    pub fn new(column: Option<Column<'a>>) -> Result<Self, String> {
        if let Some(column) = column.as_ref().filter(|column| !column.is_options()) {
            let found = column.type_name();
            return Err(format!(
                "the options are of type {found}; they are a JSON text such as '{{\"kappa\": 10}}' or \
                 a struct such as {{kappa: 10}}"
            ));
        }
        let constant = column.as_ref().is_none_or(Column::is_constant);
        Ok(Self { column, constant })
    }

    pub fn written(&self, row: usize) -> Option<String> {
        self.column
            .as_ref()
            .and_then(|column| column.json_text(row))
    }
}
