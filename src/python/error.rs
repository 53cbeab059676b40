//! Errors as Python's exceptions. Their classes are Python's own code, in
//! `python/me_hodgerank/_errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::error::{Error, ErrorKind};

/// The exception for an error, with the same text.
pub(super) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Option => "OptionError",
        ErrorKind::Votes => "VotesError",
        ErrorKind::Model | ErrorKind::State => "ModelError",
        ErrorKind::TimedOut => "Timeout",
        // Another rank, or the connection to it. Who asked to stop here has an exception of
        // their own: see `call.rs`.
        ErrorKind::Interrupted => "Error",
        ErrorKind::Internal => "InternalError",
    };
    let class = py
        .import("me_hodgerank._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| Ok(class.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, error.to_string()),
        Err(failed) => failed,
    }
}
