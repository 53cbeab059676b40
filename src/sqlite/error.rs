//! Errors of the engine, and panics, as SQL errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::{Error, Result, ffi};

use crate::error::ErrorKind;
use crate::execution::panic_text;

/// An SQL error with the text of ours; an interrupt becomes SQLite's own error.
impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error.kind() {
            ErrorKind::Interrupted => {
                Self::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None)
            }
            _ => message(error.to_string()),
        }
    }
}

/// An SQL error with a text.
pub(super) fn message(text: impl Into<String>) -> Error {
    // A C string would end at a NUL of an offending value.
    Error::ModuleError(text.into().replace('\0', "␀"))
}

/// Runs code that SQLite called. A panic must not reach its C code: it becomes an
/// error.
pub(super) fn guard<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // State that a panic left incomplete is dropped with its cursor or aggregate.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(message(format!(
            "panic: {} (this is a defect of me_hodgerank: please report it)",
            panic_text(panic.as_ref())
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
