//! Errors and panics as texts for DuckDB. Every callback runs inside `callback`.

use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::execution::panic_text;

/// The text of an error that DuckDB shows.
#[derive(Debug)]
pub struct SqlError(String);

impl From<crate::Error> for SqlError {
    fn from(error: crate::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<String> for SqlError {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for SqlError {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl std::fmt::Display for SqlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs code that DuckDB called. A panic must not reach its C++ code: it becomes
/// an error.
pub fn guard<T>(body: impl FnOnce() -> Result<T, SqlError>) -> Result<T, SqlError> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        Err(SqlError(format!(
            "me_hodgerank panicked: {} (this is a defect of me_hodgerank: please report it)",
            panic_text(panic.as_ref())
        )))
    })
}

/// Runs the body of a callback and reports its error, or its panic, to DuckDB.
///
/// # Safety
///
/// `info` must be that of the running callback, and `set_error` the function of
/// the C API that takes its error and copies the text.
pub unsafe fn callback<I>(
    info: I,
    set_error: unsafe fn(I, *const c_char),
    body: impl FnOnce() -> Result<(), SqlError>,
) {
    if let Err(error) = guard(body) {
        // SAFETY: the caller's promise.
        unsafe { set_error(info, c_string(&error.0).as_ptr()) };
    }
}

/// A text for C. It is cut off at a NUL byte, which would end it there anyway.
pub fn c_string(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let error = guard::<()>(|| panic!("oh {}", "no")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("me_hodgerank panicked: oh no (this is a defect"));
    }

    #[test]
    fn a_nul_byte_ends_a_text() {
        assert_eq!(c_string("a\0b").as_c_str(), c"a");
    }
}
