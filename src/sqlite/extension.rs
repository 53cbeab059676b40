//! The entry points that SQLite looks for when it loads the extension.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

use rusqlite::{Connection, ffi};

use super::error::guard;
use super::register::register_all;

/// The name that SQLite tries first.
///
/// # Safety
///
/// Only for SQLite to call, with the pointers that it gives to extensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlite3_extension_init(
    db: *mut ffi::sqlite3,
    error: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
) -> c_int {
    // The extension has its own copy of the standard library, and thereby its own
    // hook. A panic becomes an SQL error; it is not printed to the host's stderr.
    std::panic::set_hook(Box::new(|_| {}));
    // SAFETY: the three pointers are SQLite's and valid during this call;
    // `register_permanently` only registers.
    unsafe { Connection::extension_init2(db, error, api, register_permanently) }
}

/// The name that SQLite makes from the file name `me_hodgerank`, for those who
/// link several extensions into one program.
///
/// # Safety
///
/// Only for SQLite to call, with the pointers that it gives to extensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlite3_mehodgerank_init(
    db: *mut ffi::sqlite3,
    error: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: the caller's pointers, passed on.
    unsafe { sqlite3_extension_init(db, error, api) }
}

/// The library stays loaded when the connection closes: its cache of fits is kept,
/// and no thread runs in unmapped code.
fn register_permanently(connection: Connection) -> rusqlite::Result<bool> {
    guard(|| register_all(&connection))?;
    Ok(true)
}
