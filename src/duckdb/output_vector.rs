//! Vectors out: Arrow arrays and single values, written to DuckDB's vectors.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use libduckdb_sys::{
    duckdb_list_entry, duckdb_list_vector_get_child, duckdb_list_vector_get_size,
    duckdb_list_vector_reserve, duckdb_list_vector_set_size, duckdb_struct_vector_get_child,
    duckdb_validity_set_row_invalid, duckdb_vector, duckdb_vector_assign_string_element_len,
    duckdb_vector_ensure_validity_writable, duckdb_vector_get_data, duckdb_vector_get_validity,
};

/// A vector to be written.
#[derive(Clone, Copy)]
pub struct OutputVector(duckdb_vector);

impl OutputVector {
    /// # Safety
    ///
    /// The vector must be valid as long as it is written, at the rows that the
    /// callback was given.
    pub unsafe fn new(vector: duckdb_vector) -> Self {
        Self(vector)
    }

    /// Writes columns to the fields of a STRUCT, from a row on.
    pub fn write_struct(self, row: usize, columns: &[ArrayRef]) {
        for (index, array) in columns.iter().enumerate() {
            self.field(index).write(row, array);
        }
    }

    /// Writes the rows of some columns as a LIST of STRUCTs to one row.
    pub fn write_list(self, row: usize, columns: &[ArrayRef]) {
        let length = columns.first().map_or(0, |column| column.len()) as u64;
        // SAFETY: a list vector; its child is fetched after the memory was reserved.
        unsafe {
            let offset = duckdb_list_vector_get_size(self.0);
            duckdb_list_vector_reserve(self.0, offset + length);
            let child = Self(duckdb_list_vector_get_child(self.0));
            child.write_struct(offset as usize, columns);
            duckdb_list_vector_set_size(self.0, offset + length);
            let entry = duckdb_list_entry { offset, length };
            duckdb_vector_get_data(self.0)
                .cast::<duckdb_list_entry>()
                .add(row)
                .write(entry);
        }
    }

    /// A field of a struct vector.
    pub fn field(self, index: usize) -> Self {
        // SAFETY: the vector's type was made from the same columns.
        Self(unsafe { duckdb_struct_vector_get_child(self.0, index as u64) })
    }

    /// Writes an array to the rows from `start` on.
    pub fn write(self, start: usize, array: &ArrayRef) {
        match array.data_type() {
            DataType::Int64 => self.write_primitive::<Int64Type>(start, array),
            DataType::Float64 => self.write_primitive::<Float64Type>(start, array),
            DataType::Boolean => self.put(start, array.as_boolean().values().iter()),
            DataType::Utf8 => self.write_text(start, array),
            other => unreachable!("no result column holds {other}"),
        }
        if array.null_count() > 0 {
            let rows = (0..array.len()).filter(|&row| array.is_null(row));
            rows.for_each(|row| self.set_null(start + row));
        }
    }

    fn write_primitive<T: ArrowPrimitiveType>(self, start: usize, array: &ArrayRef) {
        self.put(start, array.as_primitive::<T>().values().iter().copied());
    }

    /// Writes values to the rows from `start` on.
    pub fn put<T>(self, start: usize, values: impl Iterator<Item = T>) {
        // SAFETY: the vector's type is the array's, and its memory is large enough for the rows.
        unsafe {
            let data = duckdb_vector_get_data(self.0).cast::<T>().add(start);
            for (row, value) in values.enumerate() {
                data.add(row).write(value);
            }
        }
    }

    /// Writes a number to a row, or NULL.
    pub fn put_or_null(self, row: usize, number: Option<f64>) {
        match number {
            Some(number) => self.put(row, std::iter::once(number)),
            None => self.set_null(row),
        }
    }

    fn write_text(self, start: usize, array: &ArrayRef) {
        for (row, text) in array.as_string::<i32>().iter().enumerate() {
            self.put_text(start + row, text.unwrap_or_default());
        }
    }

    /// Writes a text to a row.
    pub fn put_text(self, row: usize, text: &str) {
        self.put_bytes(row, text.as_bytes());
    }

    /// Writes a BLOB to a row.
    pub fn put_bytes(self, row: usize, bytes: &[u8]) {
        // SAFETY: DuckDB copies the bytes; the row is one of the vector's.
        unsafe {
            let (start, length) = (bytes.as_ptr().cast(), bytes.len() as u64);
            duckdb_vector_assign_string_element_len(self.0, row as u64, start, length);
        }
    }

    /// Writes NULL to a row.
    pub fn set_null(self, row: usize) {
        // SAFETY: the mask is there once it was made writable.
        unsafe {
            duckdb_vector_ensure_validity_writable(self.0);
            duckdb_validity_set_row_invalid(duckdb_vector_get_validity(self.0), row as u64);
        }
    }
}
