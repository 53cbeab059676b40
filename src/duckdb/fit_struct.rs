//! A fit as one STRUCT with a field for each result set: the summary a STRUCT,
//! every other set a LIST of STRUCTs. Types and names come from the columns of
//! the result sets, values from their Arrow batches.

use arrow_array::RecordBatch;
use libduckdb_sys::DUCKDB_TYPE;

use super::logical_type::LogicalType;
use super::output_vector::OutputVector;
use super::type_ids::*;
use crate::{ColumnKind, ResultSet};

/// The types that ids have in a result, and `ANY` for all others: ENUM and JSON,
/// which come back as text, and types that are refused.
const ID_TYPES: [DUCKDB_TYPE; 12] = [
    BIGINT, VARCHAR, UUID, INTEGER, TINYINT, SMALLINT, HUGEINT, UTINYINT, USMALLINT, UINTEGER,
    UBIGINT, ANY,
];

/// Every pair of types of annotators and items. The type of a result is fixed when
/// a function is registered, so there is an overload for each.
pub const RESULT_TYPES: [[DUCKDB_TYPE; 2]; 144] = {
    let mut pairs = [[ANY; 2]; 144];
    let mut index = 0;
    while index < pairs.len() {
        pairs[index] = [ID_TYPES[index / 12], ID_TYPES[index % 12]];
        index += 1;
    }
    pairs
};

/// The type of a fit whose annotators and items have these types.
pub fn fit_type(annotator: DUCKDB_TYPE, item: DUCKDB_TYPE) -> LogicalType {
    let returned = |id| if id == ANY { VARCHAR } else { id };
    let column_type = |kind| {
        LogicalType::new(match kind {
            ColumnKind::Annotator => returned(annotator),
            ColumnKind::Item => returned(item),
            ColumnKind::Integer => BIGINT,
            ColumnKind::Number => DOUBLE,
            ColumnKind::Boolean => BOOLEAN,
            ColumnKind::Text => VARCHAR,
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

/// Writes the tables of a fit to a row; NULL for a set without a table.
pub fn write_fit(output: OutputVector, row: usize, tables: &[Option<RecordBatch>]) {
    for ((index, set), table) in ResultSet::ALL.into_iter().enumerate().zip(tables) {
        let field = output.field(index);
        match table {
            None => write_null_set(field, row, set),
            Some(batch) if set == ResultSet::Summary => field.write_struct(row, batch),
            Some(batch) => field.write_list(row, batch),
        }
    }
}

/// Writes NULL to a row of fits.
pub fn write_null(output: OutputVector, row: usize) {
    output.set_null(row);
    for (index, set) in ResultSet::ALL.into_iter().enumerate() {
        write_null_set(output.field(index), row, set);
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
