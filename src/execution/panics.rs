//! Panics become errors: none crosses into the host.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use crate::error::{Error, ErrorKind, Result};

/// Runs work. Its panic becomes an error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // What a panic left incomplete is dropped with the work.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// Waits for a thread. Its panic becomes an error.
pub(super) fn join<T>(handle: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    handle
        .join()
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic_text(panic);
    Error::new(
        ErrorKind::Internal,
        format!("panic: {text} (this is a defect of me_hodgerank: please report it)"),
    )
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown")
}
