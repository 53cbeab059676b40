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
use super::{macros, overloads, pages, predict, simulate, state, version};

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
    state::set_host(library_version());
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
    overloads::register(&connection)?;
    predict::register(&connection)?;
    pages::register(&connection)?;
    macros::create(&connection)
}

/// The functions that this extension may call, a copy of the start of DuckDB's table.
static API: AtomicPtr<duckdb_ext_api_v1> = AtomicPtr::new(ptr::null_mut());

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
    let stable = offset_of!(duckdb_ext_api_v1, duckdb_create_cast_function);
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
