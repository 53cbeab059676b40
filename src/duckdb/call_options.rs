//! Options as they arrive in SQL: a JSON text or a struct.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::SqlError;
use super::input_vector::InputVector;
use crate::{Options, Plot, ResultSet, SetArguments};

/// Who passes the options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Caller {
    /// A table function. Its options have the names of the columns.
    Table,
    /// A user, whose columns are arguments.
    Votes,
    /// The same, to collect votes that are fitted later.
    Collect,
    /// A user who fits states.
    States,
}

/// The number of a job in the place of one whose table lacks columns.
pub const MISSING_COLUMNS: u64 = 0;

/// The options of one call.
pub struct CallOptions {
    caller: Caller,
    /// The text from which they were read, to compare it with that of other rows.
    pub written: Option<String>,
    pub options: Options,
    optional: OptionalColumns,
    /// The only result set that is asked for: the others take time too.
    pub result: Option<ResultSet>,
    /// The arguments of that set.
    pub set_arguments: SetArguments,
}

/// Which of the optional columns a call has as arguments.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct OptionalColumns {
    pub weight: bool,
    pub fold: bool,
}

impl CallOptions {
    /// Reads the options from their text.
    fn read(
        caller: Caller,
        written: Option<String>,
        optional: OptionalColumns,
    ) -> Result<Self, SqlError> {
        let json = written.as_deref().unwrap_or("{}");
        let (options, result, set_arguments) = match caller {
            Caller::Table => of_table(json)?,
            Caller::States => {
                let (json, result) = split_result(json)?;
                (Options::of_states(&json)?, result, SetArguments::default())
            }
            Caller::Votes | Caller::Collect => {
                let (json, result) = match caller {
                    Caller::Collect => (json.into(), None),
                    _ => split_result(json)?,
                };
                let mut options = match caller {
                    Caller::Collect => Options::of_collect(&json)?,
                    _ => Options::of_aggregate(&json)?,
                };
                // The columns are arguments: their names are used in error texts only.
                let named = |present: bool, name: &str| present.then(|| name.to_string());
                options.columns.weight = named(optional.weight, "weight");
                options.columns.fold = named(optional.fold, "fold");
                (options, result, SetArguments::default())
            }
        };
        Ok(Self {
            caller,
            written,
            options,
            optional,
            result,
            set_arguments,
        })
    }

    /// Whether these options were read from this text.
    fn was_read_from(
        &self,
        caller: Caller,
        written: &Option<String>,
        optional: OptionalColumns,
    ) -> bool {
        self.caller == caller && self.written == *written && self.optional == optional
    }
}

/// Reads what a macro passes: options, the result that it asks for, and the kind of
/// picture, which is checked before the fit.
fn of_table(json: &str) -> Result<(Options, Option<ResultSet>, SetArguments), SqlError> {
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(json) else {
        let options = Options::from_json(json)?; // it says what is wrong
        return Ok((options, None, SetArguments::default()));
    };
    let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let result = take("result").map(|name| result_set(&name)).transpose()?;
    if let Some(kind) = take("plot") {
        kind.as_str().unwrap_or_default().parse::<Plot>()?;
    }
    // NULL says that nobody knows who voted; the default of the macros is the empty text.
    if fields.get("annotator").and_then(Value::as_str) == Some("") {
        fields.remove("annotator");
    }
    let set_arguments = match result {
        Some(set) => SetArguments::take_from(set, &mut fields)?,
        None => SetArguments::default(),
    };
    let options = Options::from_json(&Value::Object(fields).to_string())?;
    Ok((options, result, set_arguments))
}

/// Separates `result`, which is an option of the aggregates of this host only.
fn split_result(json: &str) -> Result<(Cow<'_, str>, Option<ResultSet>), SqlError> {
    match serde_json::from_str::<Map<String, Value>>(json) {
        Ok(mut fields) if fields.contains_key("result") => {
            let result = fields.remove("result").filter(|name| !name.is_null());
            let result = result.map(|name| result_set(&name)).transpose()?;
            Ok((Value::Object(fields).to_string().into(), result))
        }
        _ => Ok((json.into(), None)),
    }
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
    caller: Caller,
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

    /// The options of some rows, which are at least one and must agree. Those of the last
    /// call are kept: most often they are the same.
    pub fn call(
        &self,
        rows: Range<usize>,
        optional: OptionalColumns,
    ) -> Result<Arc<CallOptions>, SqlError> {
        thread_local! {
            static LAST: RefCell<Option<Arc<CallOptions>>> = const { RefCell::new(None) };
        }
        let written = self.written(rows)?;
        LAST.with_borrow_mut(|last| {
            let is_same =
                |call: &&Arc<CallOptions>| call.was_read_from(self.caller, &written, optional);
            if let Some(call) = last.as_ref().filter(is_same) {
                return Ok(call.clone());
            }
            let call = Arc::new(CallOptions::read(self.caller, written, optional)?);
            *last = Some(call.clone());
            Ok(call)
        })
    }

    /// The text of the options of some rows.
    fn written(&self, rows: Range<usize>) -> Result<Option<String>, SqlError> {
        let Some(column) = self.column else {
            return Ok(None);
        };
        let first = column.json_text(rows.start)?;
        if !column.is_constant(rows) {
            return Err(OPTIONS_DIFFER.into());
        }
        Ok(first)
    }
}
