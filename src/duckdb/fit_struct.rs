//! Result sets as DuckDB's types and values: a set is a LIST of STRUCTs, a fit one STRUCT
//! with a field for each set (the summary a STRUCT itself). Types and names come from the
//! columns of the result sets, values from their Arrow batches.
//!
//! The type of a result is fixed when a function is registered, and ids have many types.
//! So ids are text here, and the SQL macros cast them to the type that they came in with.

use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::DataType;
use libduckdb_sys::DUCKDB_TYPE;

use super::logical_type::LogicalType;
use super::output_vector::OutputVector;
use super::type_ids::*;
use crate::{ColumnKind, ResultSet};

/// The sets in the STRUCT of a fit, in this order: all but those that have arguments of
/// their own, which are unpacked from a model.
pub static STRUCT_SETS: LazyLock<Vec<ResultSet>> = LazyLock::new(|| {
    let sets = ResultSet::ALL.into_iter();
    sets.filter(|set| set.arguments().is_empty()).collect()
});

/// The type of a column, ids being text.
pub fn column_type(kind: ColumnKind) -> DUCKDB_TYPE {
    match kind {
        ColumnKind::Annotator | ColumnKind::Item | ColumnKind::Text => VARCHAR,
        ColumnKind::Integer => BIGINT,
        ColumnKind::Number => DOUBLE,
        ColumnKind::Boolean => BOOLEAN,
    }
}

/// The type of a row of a result set.
fn row_type(set: ResultSet) -> LogicalType {
    let columns = set.columns().iter();
    let fields: Vec<_> = columns
        .map(|column| (column.name, LogicalType::new(column_type(column.kind))))
        .collect();
    LogicalType::structure(&fields)
}

/// The type of the rows of a result set.
pub fn rows_type(set: ResultSet) -> LogicalType {
    LogicalType::list(&row_type(set))
}

/// The type of a fit.
pub fn fit_type() -> LogicalType {
    let set_type = |set| match set {
        ResultSet::Summary => row_type(set),
        _ => rows_type(set),
    };
    let sets = STRUCT_SETS.iter();
    let sets: Vec<_> = sets.map(|set| (set.name(), set_type(*set))).collect();
    LogicalType::structure(&sets)
}

/// Writes the rows of a result set to one row.
pub fn write_rows(output: OutputVector, row: usize, set: ResultSet, table: &RecordBatch) {
    output.write_list(row, &columns_with_text_ids(set, table));
}

/// The columns of a result set, ids as text.
fn columns_with_text_ids(set: ResultSet, table: &RecordBatch) -> Vec<ArrayRef> {
    let columns = set.columns().iter().zip(table.columns());
    let text = |(column, array): (&crate::ResultColumn, &ArrayRef)| match column.kind {
        ColumnKind::Annotator | ColumnKind::Item => as_text(array),
        _ => array.clone(),
    };
    columns.map(text).collect()
}

/// Ids of any type as text.
fn as_text(ids: &ArrayRef) -> ArrayRef {
    fn integers<T: ArrowPrimitiveType<Native: ToString>>(ids: &ArrayRef) -> ArrayRef {
        let ids = ids.as_primitive::<T>().iter();
        let texts = ids.map(|id| id.map(|id| id.to_string()));
        Arc::new(texts.collect::<StringArray>())
    }
    match ids.data_type() {
        DataType::Int8 => integers::<Int8Type>(ids),
        DataType::Int16 => integers::<Int16Type>(ids),
        DataType::Int32 => integers::<Int32Type>(ids),
        DataType::Int64 => integers::<Int64Type>(ids),
        DataType::UInt8 => integers::<UInt8Type>(ids),
        DataType::UInt16 => integers::<UInt16Type>(ids),
        DataType::UInt32 => integers::<UInt32Type>(ids),
        DataType::UInt64 => integers::<UInt64Type>(ids),
        DataType::Decimal128(..) => integers::<Decimal128Type>(ids),
        _ => ids.clone(),
    }
}

/// Writes the tables of a fit to a row; NULL for a set without a table.
pub fn write_fit(output: OutputVector, row: usize, tables: &[Option<RecordBatch>]) {
    for ((index, set), table) in STRUCT_SETS.iter().enumerate().zip(tables) {
        let (field, set) = (output.field(index), *set);
        match table {
            None => write_null_set(field, row, set),
            Some(table) if set == ResultSet::Summary => {
                field.write_struct(row, &columns_with_text_ids(set, table));
            }
            Some(table) => write_rows(field, row, set, table),
        }
    }
}

/// Writes NULL to a row of fits.
pub fn write_null(output: OutputVector, row: usize) {
    output.set_null(row);
    for (index, set) in STRUCT_SETS.iter().enumerate() {
        write_null_set(output.field(index), row, *set);
    }
}

fn write_null_set(field: OutputVector, row: usize, set: ResultSet) {
    field.set_null(row);
    if set == ResultSet::Summary {
        // DuckDB reads the fields of a STRUCT also where the STRUCT is NULL.
        for index in 0..set.columns().len() {
            field.field(index).set_null(row);
        }
    }
}
