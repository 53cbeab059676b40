//! Arrow values as SQLite values.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};

/// The value of a column in a row.
pub(super) fn cell(array: &ArrayRef, row: usize) -> ToSqlOutput<'_> {
    if array.is_null(row) {
        return ToSqlOutput::Borrowed(ValueRef::Null);
    }
    let value = match array.data_type() {
        DataType::Int8 => integer::<Int8Type>(array, row),
        DataType::Int16 => integer::<Int16Type>(array, row),
        DataType::Int32 => integer::<Int32Type>(array, row),
        DataType::Int64 => integer::<Int64Type>(array, row),
        DataType::UInt8 => integer::<UInt8Type>(array, row),
        DataType::UInt16 => integer::<UInt16Type>(array, row),
        DataType::UInt32 => integer::<UInt32Type>(array, row),
        DataType::UInt64 => return wide(array.as_primitive::<UInt64Type>().value(row).into()),
        DataType::Decimal128(_, 0) => {
            return wide(array.as_primitive::<Decimal128Type>().value(row));
        }
        DataType::Float64 => ValueRef::Real(array.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => ValueRef::Integer(array.as_boolean().value(row).into()),
        DataType::Utf8 => ValueRef::Text(array.as_string::<i32>().value(row).as_bytes()),
        DataType::Union(..) => {
            let union = array.as_union();
            return cell(union.child(union.type_id(row)), union.value_offset(row));
        }
        other => unreachable!("no result set has a column of {other}"),
    };
    ToSqlOutput::Borrowed(value)
}

fn integer<T>(array: &ArrayRef, row: usize) -> ValueRef<'_>
where
    T: ArrowPrimitiveType<Native: Into<i64>>,
{
    ValueRef::Integer(array.as_primitive::<T>().value(row).into())
}

/// An id from a model that was not fitted in SQLite; one beyond 64 bits is shown as text.
fn wide(value: i128) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(match i64::try_from(value) {
        Ok(value) => Value::Integer(value),
        Err(_) => Value::Text(value.to_string()),
    })
}
