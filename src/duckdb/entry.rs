//! What DuckDB calls on `LOAD`.

use std::ffi::{CStr, c_char, c_void};
use std::mem::{MaybeUninit, offset_of};
use std::panic;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use libduckdb_sys::{
    duckdb_database, duckdb_ext_api_v1, duckdb_extension_access, duckdb_extension_info,
    duckdb_library_version, duckdb_rs_extension_api_init,
};

use super::connection::Connection;
use super::error::{SqlError, c_string, guard};
use super::{
    aggregate, fit_list, macros, pages, predict, result_rows, simulate, state_list, version, wait,
};

/// The C API version that is asked for: the first stable one.
const API_VERSION: &CStr = c"v1.2.0";

/// The entry point: DuckDB looks for the file's name followed by `_init_c_api`.
///
/// # Safety
///
/// DuckDB calls it on `LOAD`, with pointers that live until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn me_hodgerank_init_c_api(
    info: duckdb_extension_info,
    access: *const duckdb_extension_access,
) -> bool {
    // A panic is caught and becomes an error: it should not also be printed.
    panic::set_hook(Box::new(|_| {}));
    // SAFETY: DuckDB passes its own, valid access structure.
    let access = unsafe { &*access };
    match guard(|| load(info, access)) {
        Ok(loaded) => loaded,
        Err(error) => {
            let message = c_string(&error.to_string());
            if let Some(set_error) = access.set_error {
                // SAFETY: both pointers are valid during the call; DuckDB copies the text.
                unsafe { set_error(info, message.as_ptr()) };
            }
            false
        }
    }
}

fn load(info: duckdb_extension_info, access: &duckdb_extension_access) -> Result<bool, SqlError> {
    if !take_api(info, access)? {
        return Ok(false); // DuckDB has its own error ready
    }
    check_version(library_version())?;
    let get_database = access.get_database.ok_or("DuckDB gave no database")?;
    // SAFETY: `info` is the one that DuckDB passed.
    let database: *mut duckdb_database = unsafe { get_database(info) };
    if database.is_null() {
        return Ok(false);
    }
    // SAFETY: not null, and valid while the extension loads.
    let connection = Connection::open(unsafe { *database })?;
    version::register(&connection)?;
    simulate::register(&connection)?;
    aggregate::register(&connection)?;
    wait::register(&connection)?;
    result_rows::register(&connection)?;
    fit_list::register(&connection)?;
    state_list::register(&connection)?;
    predict::register(&connection)?;
    pages::register(&connection)?;
    macros::create(&connection)
}

/// The oldest DuckDB that this extension is tested in.
const OLDEST: (u32, u32) = (1, 4);

/// Refuses a DuckDB that is too old, by its version such as `v1.4.4`.
fn check_version(version: &str) -> Result<(), SqlError> {
    let mut parts = version.trim_start_matches('v').split(['.', '-']);
    let mut next = || parts.next()?.parse::<u32>().ok();
    match (next(), next()) {
        (Some(major), Some(minor)) if (major, minor) < OLDEST => Err(format!(
            "me_hodgerank needs DuckDB {}.{} or newer, and this is {version}: update DuckDB",
            OLDEST.0, OLDEST.1
        )
        .into()),
        _ => Ok(()),
    }
}

/// The functions that this extension may call, a copy of the start of DuckDB's table.
static API: AtomicPtr<duckdb_ext_api_v1> = AtomicPtr::new(ptr::null_mut());

/// The functions of the first stable API, in the order of the table.
const STABLE_FUNCTIONS: usize = 307;

/// Takes DuckDB's functions over into the bindings.
///
/// The bindings were made from the table of the newest DuckDB and would read an
/// older, shorter one beyond its end. So they are given a copy that has only
/// the part that is the same everywhere.
fn take_api(
    info: duckdb_extension_info,
    access: &duckdb_extension_access,
) -> Result<bool, SqlError> {
    let get_api = access.get_api.ok_or("DuckDB gave no API")?;
    // SAFETY: called as the C API asks for, with a C string.
    let host = unsafe { get_api(info, API_VERSION.as_ptr()) };
    if host.is_null() {
        return Ok(false);
    }
    let mut api = MaybeUninit::<duckdb_ext_api_v1>::zeroed();
    let stable = STABLE_FUNCTIONS * size_of::<fn()>();
    // Bindings whose table is another one are not to be used.
    const STABLE_END: usize = offset_of!(duckdb_ext_api_v1, duckdb_create_cast_function);
    const { assert!(STABLE_FUNCTIONS * size_of::<fn()>() == STABLE_END) };
    // SAFETY: every DuckDB that accepts API_VERSION has these first fields, and
    // a missing function is a null pointer, which is `None`.
    let api = unsafe {
        ptr::copy_nonoverlapping(host.cast::<u8>(), api.as_mut_ptr().cast::<u8>(), stable);
        api.assume_init()
    };
    API.store(Box::into_raw(Box::new(api)), Ordering::Release);

    unsafe extern "C" fn copied(_: duckdb_extension_info, _: *const c_char) -> *const c_void {
        API.load(Ordering::Acquire).cast()
    }
    let access = duckdb_extension_access {
        get_api: Some(copied),
        ..*access
    };
    let version = API_VERSION.to_str().unwrap_or_default();
    // SAFETY: `access` answers with a complete table, and lives until the call returns.
    let taken = unsafe { duckdb_rs_extension_api_init(info, &access, version) };
    taken.map_err(SqlError::from)
}

fn library_version() -> &'static str {
    // SAFETY: DuckDB returns a constant C string.
    unsafe { CStr::from_ptr(duckdb_library_version()) }
        .to_str()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_refused() {
        for version in [
            "v1.4.0",
            "v1.4.4",
            "v1.10.0",
            "v2.0.0",
            "v1.6.0-dev12",
            "unknown",
        ] {
            assert!(check_version(version).is_ok(), "{version}");
        }
        for version in ["v1.3.2", "v0.10.1", "v1.2.0-dev7"] {
            let error = check_version(version).unwrap_err().to_string();
            assert!(error.contains(&format!("1.4 or newer, and this is {version}")));
        }
    }
}
