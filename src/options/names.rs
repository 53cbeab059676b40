//! Values by their names, and the error for a name that is not known.

use crate::error::{Error, Result};

/// The one of `all` that has this name.
pub(crate) fn from_name<T: Copy>(
    all: &[T],
    name_of: fn(T) -> &'static str,
    what: &str,
    name: &str,
) -> Result<T> {
    let found = all.iter().copied().find(|&value| name_of(value) == name);
    found.ok_or_else(|| {
        let names = all.iter().map(|&value| name_of(value));
        Error::option(unknown_name(what, name, names))
    })
}

/// Says that `name` is not one of `known`, with the nearest of them if it is near
/// enough for a typing error.
pub(crate) fn unknown_name<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let all = known.clone().collect::<Vec<_>>().join(", ");
    let lower = name.to_lowercase();
    let nearest = known
        .map(|candidate| (strsim::levenshtein(&lower, candidate), candidate))
        .min_by_key(|(distance, _)| *distance);
    let hint = match nearest {
        Some((distance, candidate)) if distance <= 1 + name.len() / 4 => {
            format!("; did you mean {candidate:?}?")
        }
        _ => ".".into(),
    };
    format!("unknown {what} {name:?}{hint} The {what}s are: {all}")
}
