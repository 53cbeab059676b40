//! The entry points that SQLite looks for when it loads the extension.

use std::ffi::{c_char, c_int};

use rusqlite::{Connection, ffi};

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
    // This copy of the standard library is the extension's own. A panic becomes
    // an SQL error; it has no business on the host's stderr.
    std::panic::set_hook(Box::new(|_| {}));
    // SAFETY: the three pointers are SQLite's, for the time of this call;
    // `register_all` only registers.
    unsafe { Connection::extension_init2(db, error, api, register_for_good) }
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

/// The library stays in the process when the connection closes: so does its
/// cache of fits, and no thread is left in unmapped code.
fn register_for_good(connection: Connection) -> rusqlite::Result<bool> {
    super::error::guard(|| super::register_all(&connection))?;
    Ok(true)
}
