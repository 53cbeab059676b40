//! The connection on which the extension registers itself while it loads. No
//! query of a user ever runs on it.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::ptr;

use libduckdb_sys::{
    DuckDBSuccess, duckdb_connect, duckdb_connection, duckdb_data_chunk_get_size, duckdb_database,
    duckdb_destroy_data_chunk, duckdb_destroy_result, duckdb_disconnect, duckdb_fetch_chunk,
    duckdb_query, duckdb_result, duckdb_result_error, duckdb_state,
};

use super::error::SqlError;

/// An open connection.
pub struct Connection(duckdb_connection);

impl Connection {
    pub fn open(database: duckdb_database) -> Result<Self, SqlError> {
        let mut connection = ptr::null_mut();
        // SAFETY: the database is open while the extension loads.
        if unsafe { duckdb_connect(database, &mut connection) } == DuckDBSuccess {
            Ok(Self(connection))
        } else {
            Err("could not connect to the database".into())
        }
    }

    /// The handle that the C API takes.
    pub fn raw(&self) -> duckdb_connection {
        self.0
    }

    /// Runs one or more statements.
    pub fn run(&self, sql: &str) -> Result<(), SqlError> {
        self.query(sql).map(drop)
    }

    /// Whether a query returns any row.
    pub fn has_rows(&self, sql: &str) -> Result<bool, SqlError> {
        let result = self.query(sql)?;
        // SAFETY: a successful result; the chunk is destroyed here.
        unsafe {
            let mut chunk = duckdb_fetch_chunk(result.0);
            if chunk.is_null() {
                return Ok(false);
            }
            let rows = duckdb_data_chunk_get_size(chunk);
            duckdb_destroy_data_chunk(&mut chunk);
            Ok(rows > 0)
        }
    }

    fn query(&self, sql: &str) -> Result<QueryResult, SqlError> {
        let sql = CString::new(sql).map_err(|error| error.to_string())?;
        let mut result = MaybeUninit::<duckdb_result>::zeroed();
        // SAFETY: the connection is open; DuckDB fills in the result also when it fails.
        unsafe {
            let state = duckdb_query(self.0, sql.as_ptr(), result.as_mut_ptr());
            let mut result = QueryResult(result.assume_init());
            if state == DuckDBSuccess {
                return Ok(result);
            }
            let message = duckdb_result_error(&mut result.0);
            if message.is_null() {
                return Err("unknown error".into());
            }
            Err(CStr::from_ptr(message)
                .to_string_lossy()
                .into_owned()
                .into())
        }
    }
}

/// The outcome of registering the function of a name.
pub fn registered(outcome: duckdb_state, name: &str) -> Result<(), SqlError> {
    if outcome == DuckDBSuccess {
        Ok(())
    } else {
        Err(format!("could not register {name}").into())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: opened in `open`, closed once.
        unsafe { duckdb_disconnect(&mut self.0) };
    }
}

struct QueryResult(duckdb_result);

impl Drop for QueryResult {
    fn drop(&mut self) {
        // SAFETY: filled in by `duckdb_query`, destroyed once.
        unsafe { duckdb_destroy_result(&mut self.0) };
    }
}
