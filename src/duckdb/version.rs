//! `me_hodgerank_version()`.

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DuckDBSuccess, duckdb_data_chunk, duckdb_data_chunk_get_size, duckdb_function_info,
    duckdb_vector,
};

use super::connection::Connection;
use super::handles::LogicalType;
use super::result::Output;

/// Makes the function known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), String> {
    let text = LogicalType::new(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
    // SAFETY: registering copies the function, which is then destroyed.
    let outcome = unsafe {
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, c"me_hodgerank_version".as_ptr());
        ffi::duckdb_scalar_function_set_return_type(function, text.raw());
        ffi::duckdb_scalar_function_set_function(function, Some(version));
        let outcome = ffi::duckdb_register_scalar_function(connection.raw(), function);
        ffi::duckdb_destroy_scalar_function(&mut function);
        outcome
    };
    if outcome == DuckDBSuccess {
        Ok(())
    } else {
        Err("could not register me_hodgerank_version".into())
    }
}

unsafe extern "C" fn version(
    _: duckdb_function_info,
    input: duckdb_data_chunk,
    output: duckdb_vector,
) {
    // SAFETY: the output has as many rows as the input.
    let (rows, output) = unsafe { (duckdb_data_chunk_get_size(input), Output::new(output)) };
    for row in 0..rows as usize {
        output.put_text(row, crate::VERSION);
    }
}
