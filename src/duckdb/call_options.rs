//! Options as they arrive in SQL: a JSON text or a struct.

use std::ops::Range;

use serde_json::{Map, Value};

use super::error::SqlError;
use super::input_vector::InputVector;
use crate::options::refuse_text_weight;
use crate::{Options, ResultSet};

/// Who passes the options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Caller {
    /// A table function. Its options have the names of the columns.
    Table,
    /// A user, whose columns are arguments.
    Votes,
}

/// The options of one call.
pub struct CallOptions {
    pub caller: Caller,
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
    pub fn read(
        caller: Caller,
        written: Option<String>,
        optional: OptionalColumns,
    ) -> Result<Self, SqlError> {
        let json = written.as_deref().unwrap_or("{}");
        let (json, only) = split(caller, json)?;
        let mut options = Options::from_json(&json)?;
        if caller == Caller::Votes {
            options.columns.refuse_as_options()?;
        }
        // The columns are arguments: their names are used in error texts only.
        let named = |present: bool, name: &mut Option<String>, default: &str| {
            *name = present.then(|| name.take().unwrap_or_else(|| default.into()));
        };
        named(optional.weight, &mut options.columns.weight, "weight");
        named(optional.fold, &mut options.columns.fold, "fold");
        Ok(Self {
            caller,
            written,
            options,
            optional,
            only,
        })
    }

    /// Whether these options were read from this text.
    pub fn was_read_from(
        &self,
        caller: Caller,
        written: &Option<String>,
        optional: OptionalColumns,
    ) -> bool {
        self.caller == caller && self.written == *written && self.optional == optional
    }
}

/// The names of columns, which are options of the table functions only.
const COLUMNS: [&str; 6] = ["annotator", "left", "right", "choice", "weight", "fold"];

/// Separates `result`, an option of this host only: the name of the only set to
/// compute. Checks that columns are named by whom they should be.
fn split(caller: Caller, json: &str) -> Result<(String, Option<ResultSet>), SqlError> {
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(json) else {
        return Ok((json.into(), None)); // `Options::from_json` says what is wrong
    };
    let named = |name: &&&str| fields.get(**name).is_some_and(|value| !value.is_null());
    let column = COLUMNS.iter().find(named);
    if caller == Caller::Table && column.is_none() {
        let text = "this function is a part of the table functions such as me_hodgerank; \
                    me_hodgerank_fit is the one for groups of votes";
        return Err(text.into());
    }
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

/// The error for options that change from row to row.
pub const OPTIONS_DIFFER: &str = "the options must be the same for all votes of a group";

/// The options of a chunk of rows.
pub struct OptionsColumn<'a> {
    pub caller: Caller,
    column: Option<&'a InputVector<'a>>,
}

impl<'a> OptionsColumn<'a> {
    pub fn new(caller: Caller, column: Option<&'a InputVector<'a>>) -> Result<Self, SqlError> {
        if let Some(column) = column.filter(|column| !column.is_options()) {
            let found = column.type_name();
            return Err(format!(
                "the options are of type {found}; they are a JSON text such as '{{\"kappa\": 10}}' or \
                 a struct such as {{kappa: 10}}"
            )
            .into());
        }
        Ok(Self { caller, column })
    }

    /// The text of the options of some rows, at least one.
    pub fn written(&self, rows: Range<usize>) -> Result<Option<String>, SqlError> {
        let Some(column) = self.column else {
            return Ok(None);
        };
        let first = column.json_text(rows.start)?;
        if !column.is_constant(rows) {
            return Err(OPTIONS_DIFFER.into());
        }
        first.as_deref().map_or(Ok(()), refuse_text_weight)?;
        Ok(first)
    }
}
