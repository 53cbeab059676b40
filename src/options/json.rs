//! Reads named values from a JSON object, as the SQL hosts pass them.

use serde_json::Value;

use super::names::unknown_name;
use crate::error::{Error, Result};

/// A type that an option can have.
pub(crate) trait FromJson: Sized {
    /// The values that are accepted, for the error message.
    const EXPECTED: &'static str;
    /// Whether `null` is a value of its own, not the default.
    const TAKES_NULL: bool = false;

    fn from_json(value: &Value) -> Option<Self>;
}

impl FromJson for f64 {
    const EXPECTED: &'static str = "a number";

    fn from_json(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}

impl FromJson for u64 {
    const EXPECTED: &'static str = "a whole number, 0 or greater";

    fn from_json(value: &Value) -> Option<Self> {
        // Hosts may send 5 as 5.0: JSON has one type of numbers.
        let exact = |x: f64| (x.fract() == 0.0 && (0.0..=9e15).contains(&x)).then_some(x as u64);
        value.as_u64().or_else(|| value.as_f64().and_then(exact))
    }
}

impl FromJson for usize {
    const EXPECTED: &'static str = u64::EXPECTED;

    fn from_json(value: &Value) -> Option<Self> {
        u64::from_json(value).map(|n| usize::try_from(n).unwrap_or(usize::MAX))
    }
}

impl FromJson for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_json(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

/// The only texts among the options are names of columns.
impl FromJson for String {
    const EXPECTED: &'static str = "the name of a column";

    fn from_json(value: &Value) -> Option<Self> {
        let text = value.as_str().filter(|text| !text.is_empty());
        text.map(str::to_owned)
    }
}

impl<T: FromJson> FromJson for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_json(value: &Value) -> Option<Self> {
        T::from_json(value).map(Some)
    }
}

/// A field of `T` by the name that SQL users write, and how it is set.
pub(crate) struct JsonField<T> {
    pub name: &'static str,
    pub set: fn(&mut T, &Value) -> Result<()>,
}

/// A list of [`JsonField`]s: `name: path.to.the.field`.
macro_rules! json_fields {
    ($($name:ident: $($field:ident).+),+ $(,)?) => {
        &[$($crate::options::JsonField {
            name: stringify!($name),
            set: |target, value| {
                $crate::options::set_value(&mut target.$($field).+, stringify!($name), value)
            },
        }),+]
    };
}
pub(crate) use json_fields;

/// A value of the type that an option has, or an error that says what is expected.
pub(crate) fn read_value<T: FromJson>(name: &str, value: &Value) -> Result<T> {
    T::from_json(value).ok_or_else(|| {
        let expected = T::EXPECTED;
        Error::option(format!("{name} must be {expected}, not {value}"))
    })
}

/// Sets a field; `null` leaves it as it is, unless that is a value of its own.
pub(crate) fn set_value<T: FromJson>(field: &mut T, name: &str, value: &Value) -> Result<()> {
    if !value.is_null() || T::TAKES_NULL {
        *field = read_value(name, value)?;
    }
    Ok(())
}

/// Sets the fields that a JSON object names. One that is `null` keeps its default
/// ([`set_value`]);
/// one that is not in `known` is an error with the nearest name.
pub(crate) fn read_fields<T>(
    target: &mut T,
    known: &[JsonField<T>],
    json: &str,
    example: &str,
) -> Result<()> {
    let value: Value = serde_json::from_str(json).map_err(|error| {
        Error::option(format!(
            "the options are not valid JSON ({error}): write an object such as {example}"
        ))
    })?;
    let Value::Object(fields) = value else {
        return Err(Error::option(format!(
            "the options must be a JSON object such as {example}, not {value}"
        )));
    };
    for (name, value) in &fields {
        let Some(field) = known.iter().find(|field| field.name == name) else {
            let names = known.iter().map(|field| field.name);
            return Err(Error::option(unknown_name("option", name, names)));
        };
        (field.set)(target, value)?;
    }
    Ok(())
}
