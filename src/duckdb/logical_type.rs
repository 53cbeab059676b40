//! DuckDB's logical types, owned.

use std::ffi::{CStr, CString, c_char};

use libduckdb_sys::{
    DUCKDB_TYPE, duckdb_create_list_type, duckdb_create_logical_type, duckdb_create_struct_type,
    duckdb_decimal_internal_type, duckdb_decimal_scale, duckdb_destroy_logical_type,
    duckdb_enum_dictionary_size, duckdb_enum_dictionary_value, duckdb_enum_internal_type,
    duckdb_free, duckdb_get_type_id, duckdb_logical_type, duckdb_struct_type_child_count,
    duckdb_struct_type_child_name, duckdb_vector, duckdb_vector_get_column_type,
};

use super::error::c_string;

/// A logical type, which is destroyed when it is dropped.
pub struct LogicalType(duckdb_logical_type);

impl LogicalType {
    /// A type without parameters.
    pub fn new(id: DUCKDB_TYPE) -> Self {
        // SAFETY: any number is allowed; unknown ones give INVALID.
        Self(unsafe { duckdb_create_logical_type(id) })
    }

    /// LIST of a type.
    pub fn list(child: &Self) -> Self {
        // SAFETY: a valid type, which DuckDB copies.
        Self(unsafe { duckdb_create_list_type(child.0) })
    }

    /// STRUCT of named fields.
    pub fn structure(fields: &[(&str, Self)]) -> Self {
        let names: Vec<CString> = fields.iter().map(|(name, _)| c_string(name)).collect();
        let mut names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let mut types: Vec<_> = fields.iter().map(|(_, kind)| kind.0).collect();
        let count = fields.len() as u64;
        // SAFETY: two arrays of `count` valid entries, which DuckDB copies.
        Self(unsafe { duckdb_create_struct_type(types.as_mut_ptr(), names.as_mut_ptr(), count) })
    }

    /// The type of a vector.
    ///
    /// # Safety
    ///
    /// The vector must be valid.
    pub unsafe fn of(vector: duckdb_vector) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { duckdb_vector_get_column_type(vector) })
    }

    pub fn raw(&self) -> duckdb_logical_type {
        self.0
    }

    pub fn id(&self) -> DUCKDB_TYPE {
        // SAFETY: a valid type, as in all methods below.
        unsafe { duckdb_get_type_id(self.0) }
    }

    pub fn decimal_scale(&self) -> u8 {
        // SAFETY: as above; 0 if it is no decimal.
        unsafe { duckdb_decimal_scale(self.0) }
    }

    /// The type of the integers that store a DECIMAL.
    pub fn decimal_storage(&self) -> DUCKDB_TYPE {
        // SAFETY: as above.
        unsafe { duckdb_decimal_internal_type(self.0) }
    }

    /// The type of the indices that store an ENUM.
    pub fn enum_storage(&self) -> DUCKDB_TYPE {
        // SAFETY: as above.
        unsafe { duckdb_enum_internal_type(self.0) }
    }

    /// The dictionary of an ENUM.
    pub fn enum_values(&self) -> Vec<String> {
        // SAFETY: as above; each text is copied and freed.
        unsafe {
            let count = duckdb_enum_dictionary_size(self.0);
            (0..u64::from(count))
                .map(|index| take_text(duckdb_enum_dictionary_value(self.0, index)))
                .collect()
        }
    }

    /// The names of the fields of a STRUCT.
    pub fn field_names(&self) -> Vec<String> {
        // SAFETY: as above; each text is copied and freed.
        unsafe {
            let count = duckdb_struct_type_child_count(self.0);
            (0..count)
                .map(|index| take_text(duckdb_struct_type_child_name(self.0, index)))
                .collect()
        }
    }
}

impl Drop for LogicalType {
    fn drop(&mut self) {
        // SAFETY: made in a constructor, destroyed once.
        unsafe { duckdb_destroy_logical_type(&mut self.0) };
    }
}

/// Copies a text that DuckDB allocated, and frees it.
///
/// # Safety
///
/// Null, or a C string from DuckDB's allocator that nobody else frees.
unsafe fn take_text(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        duckdb_free(text.cast());
        copy
    }
}
