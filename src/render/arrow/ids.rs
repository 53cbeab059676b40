//! Ids as Arrow columns of the type that they came in.

use std::sync::Arc;

use arrow_array::builder::{Decimal128Builder, Int64Builder, PrimitiveBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, UnionArray};
use arrow_schema::{DataType, Field, UnionFields, UnionMode};

use crate::votes::{IdRef, IdType, Ids};

/// The Arrow type of ids: 128-bit integers are decimals without a fraction;
/// mixed ones a union of a 64-bit integer and a text.
pub fn id_data_type(id_type: IdType) -> DataType {
    match id_type {
        IdType::Int { signed, bits } => match (signed, bits) {
            (true, 8) => DataType::Int8,
            (true, 16) => DataType::Int16,
            (true, 32) => DataType::Int32,
            (true, 64) => DataType::Int64,
            (false, 8) => DataType::UInt8,
            (false, 16) => DataType::UInt16,
            (false, 32) => DataType::UInt32,
            (false, 64) => DataType::UInt64,
            _ => DataType::Decimal128(38, 0),
        },
        IdType::Text => DataType::Utf8,
        IdType::Mixed => DataType::Union(mixed_fields(), UnionMode::Sparse),
    }
}

fn mixed_fields() -> UnionFields {
    let fields = [
        Field::new("integer", DataType::Int64, true),
        Field::new("text", DataType::Utf8, true),
    ];
    UnionFields::from_fields(fields)
}

/// The ids at some places; NULL where there is none.
pub(super) fn id_array(ids: &Ids, places: impl Iterator<Item = Option<u32>>) -> ArrayRef {
    let values = places.map(|place| place.map(|place| ids.get(place as usize)));
    match ids.id_type() {
        IdType::Int { signed, bits } => match (signed, bits) {
            (true, 8) => ints::<Int8Type>(values),
            (true, 16) => ints::<Int16Type>(values),
            (true, 32) => ints::<Int32Type>(values),
            (true, 64) => ints::<Int64Type>(values),
            (false, 8) => ints::<UInt8Type>(values),
            (false, 16) => ints::<UInt16Type>(values),
            (false, 32) => ints::<UInt32Type>(values),
            (false, 64) => ints::<UInt64Type>(values),
            _ => decimals(values),
        },
        IdType::Text => {
            let mut builder = StringBuilder::new();
            values.for_each(|value| builder.append_option(text(value)));
            Arc::new(builder.finish())
        }
        IdType::Mixed => mixed(values),
    }
}

fn int(value: Option<IdRef<'_>>) -> Option<i128> {
    match value {
        Some(IdRef::Int(value)) => Some(value),
        _ => None,
    }
}

fn text(value: Option<IdRef<'_>>) -> Option<&str> {
    match value {
        Some(IdRef::Text(text)) => Some(text),
        _ => None,
    }
}

fn ints<'a, T>(values: impl Iterator<Item = Option<IdRef<'a>>>) -> ArrayRef
where
    T: ArrowPrimitiveType<Native: TryFrom<i128>>,
{
    let mut builder = PrimitiveBuilder::<T>::new();
    for value in values {
        builder.append_option(int(value).and_then(|value| value.try_into().ok()));
    }
    Arc::new(builder.finish())
}

fn decimals<'a>(values: impl Iterator<Item = Option<IdRef<'a>>>) -> ArrayRef {
    let mut builder = Decimal128Builder::new().with_data_type(id_data_type(IdType::INT128));
    values.for_each(|value| builder.append_option(int(value)));
    Arc::new(builder.finish())
}

/// NULL is a NULL integer: a union has no NULLs of its own.
fn mixed<'a>(values: impl Iterator<Item = Option<IdRef<'a>>>) -> ArrayRef {
    let mut types = Vec::new();
    let mut ints = Int64Builder::new();
    let mut texts = StringBuilder::new();
    for value in values {
        types.push(i8::from(text(value).is_some()));
        ints.append_option(int(value).and_then(|value| value.try_into().ok()));
        texts.append_option(text(value));
    }
    let children: Vec<ArrayRef> = vec![Arc::new(ints.finish()), Arc::new(texts.finish())];
    let array = UnionArray::try_new(mixed_fields(), types.into(), None, children)
        .expect("children as long as the types");
    debug_assert_eq!(array.data_type(), &id_data_type(IdType::Mixed));
    Arc::new(array)
}
