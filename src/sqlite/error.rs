//! Errors of the engine, and panics, as SQL errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::{Error, Result, ffi};

use crate::error::ErrorKind;

/// An SQL error with our text; an interrupt is SQLite's own.
pub(super) fn sql_error(error: crate::Error) -> Error {
    match error.kind() {
        ErrorKind::Interrupted => {
            Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None)
        }
        _ => message(error.to_string()),
    }
}

/// An SQL error with a text.
pub(super) fn message(text: impl Into<String>) -> Error {
    // A C string would end at a NUL of an offending value.
    Error::ModuleError(text.into().replace('\0', "␀"))
}

/// Runs what SQLite calls. A panic must not reach its C code: it becomes an error.
pub(super) fn guard<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Whatever a panic leaves behind is dropped with its cursor or aggregate.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        Err(message(format!(
            "panic: {text} (this is a defect of me_hodgerank: please report it)"
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let error = guard::<()>(|| panic!("oh {}", "no")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("panic: oh no (this is a defect")
        );
    }

    #[test]
    fn an_error_has_no_nul() {
        assert_eq!(message("a\0b").to_string(), "a␀b");
    }
}
