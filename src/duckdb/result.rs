//! Vectors out: a fit as one STRUCT of LISTs of STRUCTs. The types are made
//! from the engine's columns, the values from its Arrow batches.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, duckdb_hugeint, duckdb_list_entry, duckdb_list_vector_get_child,
    duckdb_list_vector_get_size, duckdb_list_vector_reserve, duckdb_list_vector_set_size,
    duckdb_struct_vector_get_child, duckdb_validity_set_row_invalid, duckdb_vector,
    duckdb_vector_assign_string_element_len, duckdb_vector_ensure_validity_writable,
    duckdb_vector_get_data, duckdb_vector_get_validity,
};

use super::handles::LogicalType;
use crate::{ColumnKind as Kind, Execution, Fit, ResultSet};

/// The type of a fit whose annotators and items have these types.
pub fn fit_type(annotator: DUCKDB_TYPE, item: DUCKDB_TYPE) -> LogicalType {
    let column_type = |kind| {
        LogicalType::new(match kind {
            Kind::Annotator => annotator,
            Kind::Item => item,
            Kind::Integer => ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT,
            Kind::Number => ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE,
            Kind::Boolean => ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN,
            Kind::Text => ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
        })
    };
    let set_type = |set: ResultSet| {
        let columns = set.columns().iter();
        let fields: Vec<_> = columns
            .map(|column| (column.name, column_type(column.kind)))
            .collect();
        let row = LogicalType::structure(&fields);
        match set {
            ResultSet::Summary => row,
            _ => LogicalType::list(&row),
        }
    };
    let sets: Vec<_> = ResultSet::ALL.map(|set| (set.name(), set_type(set))).into();
    LogicalType::structure(&sets)
}

/// A vector to be written.
#[derive(Clone, Copy)]
pub struct Output(duckdb_vector);

impl Output {
    /// # Safety
    ///
    /// The vector must be valid as long as it is written, at the rows that the
    /// callback was given.
    pub unsafe fn new(vector: duckdb_vector) -> Self {
        Self(vector)
    }

    /// Writes a fit to a row; of all sets but `only`, if that is given, NULL.
    pub fn write_fit(
        self,
        row: usize,
        fit: &Fit,
        only: Option<ResultSet>,
        run: &mut Execution<'_>,
    ) -> crate::Result<()> {
        for (index, set) in ResultSet::ALL.into_iter().enumerate() {
            let vector = self.field(index);
            let wanted = only.is_none_or(|only| only == set);
            // Who asked by name for a set that there is not is told.
            let available = only.is_some() || fit.has(set);
            match set {
                _ if !(wanted && available) => vector.write_null(row, set),
                ResultSet::Summary => vector.write_struct(row, &fit.table_within(set, run)?),
                _ => vector.write_list(row, &fit.table_within(set, run)?),
            }
        }
        Ok(())
    }

    /// Writes one set to a row; of all others NULL.
    pub fn write_set(self, row: usize, only: ResultSet, batch: &RecordBatch) {
        for (index, set) in ResultSet::ALL.into_iter().enumerate() {
            let vector = self.field(index);
            match set {
                _ if set != only => vector.write_null(row, set),
                ResultSet::Summary => vector.write_struct(row, batch),
                _ => vector.write_list(row, batch),
            }
        }
    }

    /// Writes NULL to a row of fits.
    pub fn write_no_fit(self, row: usize) {
        self.set_null(row);
        for (index, set) in ResultSet::ALL.into_iter().enumerate() {
            self.field(index).write_null(row, set);
        }
    }

    fn write_null(self, row: usize, set: ResultSet) {
        self.set_null(row);
        if set == ResultSet::Summary {
            // A struct's fields are looked at without it.
            for index in 0..set.columns().len() {
                self.field(index).set_null(row);
            }
        }
    }

    fn write_struct(self, row: usize, batch: &RecordBatch) {
        for (index, array) in batch.columns().iter().enumerate() {
            self.field(index).write(row, array);
        }
    }

    fn write_list(self, row: usize, batch: &RecordBatch) {
        let length = batch.num_rows() as u64;
        // SAFETY: a list vector; its child is asked for after it was given room.
        unsafe {
            let offset = duckdb_list_vector_get_size(self.0);
            duckdb_list_vector_reserve(self.0, offset + length);
            let child = Self(duckdb_list_vector_get_child(self.0));
            child.write_struct(offset as usize, batch);
            duckdb_list_vector_set_size(self.0, offset + length);
            let entry = duckdb_list_entry { offset, length };
            duckdb_vector_get_data(self.0)
                .cast::<duckdb_list_entry>()
                .add(row)
                .write(entry);
        }
    }

    /// A field of a struct vector.
    fn field(self, index: usize) -> Self {
        // SAFETY: the vector's type was made from the same columns.
        Self(unsafe { duckdb_struct_vector_get_child(self.0, index as u64) })
    }

    /// Writes an array to the rows from `start` on.
    pub fn write(self, start: usize, array: &ArrayRef) {
        match array.data_type() {
            DataType::Int8 => self.write_primitive::<Int8Type>(start, array),
            DataType::Int16 => self.write_primitive::<Int16Type>(start, array),
            DataType::Int32 => self.write_primitive::<Int32Type>(start, array),
            DataType::Int64 => self.write_primitive::<Int64Type>(start, array),
            DataType::UInt8 => self.write_primitive::<UInt8Type>(start, array),
            DataType::UInt16 => self.write_primitive::<UInt16Type>(start, array),
            DataType::UInt32 => self.write_primitive::<UInt32Type>(start, array),
            DataType::UInt64 => self.write_primitive::<UInt64Type>(start, array),
            DataType::Float64 => self.write_primitive::<Float64Type>(start, array),
            DataType::Decimal128(..) => {
                let wide = array.as_primitive::<Decimal128Type>().values().iter();
                self.put(start, wide.map(|&value| hugeint(value)));
            }
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
        // SAFETY: the vector's type is the array's, and it has room for the rows.
        unsafe {
            let data = duckdb_vector_get_data(self.0).cast::<T>().add(start);
            for (row, value) in values.enumerate() {
                data.add(row).write(value);
            }
        }
    }

    fn write_text(self, start: usize, array: &ArrayRef) {
        // SAFETY: a valid vector.
        let vector_type = unsafe { LogicalType::of(self.0) };
        if vector_type.id() == ffi::DUCKDB_TYPE_DUCKDB_TYPE_UUID {
            let texts = array.as_string::<i32>().iter();
            return self.put(
                start,
                texts.map(|text| stored_uuid(text.unwrap_or_default())),
            );
        }
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

/// DuckDB stores UUIDs with the top bit turned, so that they sort as numbers.
fn stored_uuid(text: &str) -> duckdb_hugeint {
    let hex = text.replace('-', "");
    let value = u128::from_str_radix(&hex, 16).unwrap_or_default();
    hugeint((value ^ 1 << 127) as i128)
}

fn hugeint(value: i128) -> duckdb_hugeint {
    duckdb_hugeint {
        lower: value as u64,
        upper: (value >> 64) as i64,
    }
}
