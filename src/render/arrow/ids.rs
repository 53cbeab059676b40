//! Ids as Arrow columns of the type that they came in.

use std::sync::Arc;

use arrow_array::builder::{Decimal128Builder, Int64Builder, PrimitiveBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, UnionArray};
use arrow_schema::{ArrowError, DataType, Field, UnionFields, UnionMode};

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

/// Ids as a column.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub(crate) fn id_array(ids: &Ids) -> Result<ArrayRef, ArrowError> {
    let mut builder = id_builder(ids.id_type());
    for id in ids.iter() {
        builder.append(Some(id))?;
    }
    Ok(builder.finish())
}

/// A column of ids under construction.
pub(super) trait IdBuilder {
    /// Appends an id, or NULL. An error if the column holds too much text then.
    fn append(&mut self, id: Option<IdRef<'_>>) -> Result<(), ArrowError>;
    fn finish(&mut self) -> ArrayRef;
}

/// A builder of the Arrow type of these ids.
pub(super) fn id_builder(id_type: IdType) -> Box<dyn IdBuilder> {
    fn ints<T>() -> Box<dyn IdBuilder>
    where
        T: ArrowPrimitiveType<Native: TryFrom<i128>>,
    {
        Box::new(PrimitiveBuilder::<T>::with_capacity(0))
    }
    match id_type {
        IdType::Int { signed, bits } => match (signed, bits) {
            (true, 8) => ints::<Int8Type>(),
            (true, 16) => ints::<Int16Type>(),
            (true, 32) => ints::<Int32Type>(),
            (true, 64) => ints::<Int64Type>(),
            (false, 8) => ints::<UInt8Type>(),
            (false, 16) => ints::<UInt16Type>(),
            (false, 32) => ints::<UInt32Type>(),
            (false, 64) => ints::<UInt64Type>(),
            _ => {
                Box::new(Decimal128Builder::with_capacity(0).with_data_type(id_data_type(id_type)))
            }
        },
        IdType::Text => Box::new(StringBuilder::with_capacity(0, 0)),
        IdType::Mixed => Box::new(MixedIdBuilder::default()),
    }
}

impl<T> IdBuilder for PrimitiveBuilder<T>
where
    T: ArrowPrimitiveType<Native: TryFrom<i128>>,
{
    fn append(&mut self, id: Option<IdRef<'_>>) -> Result<(), ArrowError> {
        self.append_option(int(id).and_then(|value| value.try_into().ok()));
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(PrimitiveBuilder::finish(self))
    }
}

impl IdBuilder for StringBuilder {
    fn append(&mut self, id: Option<IdRef<'_>>) -> Result<(), ArrowError> {
        append_text(self, text(id))
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(StringBuilder::finish(self))
    }
}

/// Ids of which some are integers and others text. NULL is a NULL integer: a union
/// has no NULLs of its own.
#[derive(Default)]
struct MixedIdBuilder {
    types: Vec<i8>,
    ints: Int64Builder,
    texts: StringBuilder,
}

impl IdBuilder for MixedIdBuilder {
    fn append(&mut self, id: Option<IdRef<'_>>) -> Result<(), ArrowError> {
        self.types.push(i8::from(text(id).is_some()));
        IdBuilder::append(&mut self.ints, id)?;
        IdBuilder::append(&mut self.texts, id)
    }

    fn finish(&mut self) -> ArrayRef {
        let children = vec![
            IdBuilder::finish(&mut self.ints),
            IdBuilder::finish(&mut self.texts),
        ];
        let types = std::mem::take(&mut self.types);
        let array = UnionArray::try_new(mixed_fields(), types.into(), None, children)
            .expect("children as long as the types");
        debug_assert_eq!(array.data_type(), &id_data_type(IdType::Mixed));
        Arc::new(array)
    }
}

/// Appends a text, or NULL. An Arrow column has offsets of 31 bits: one with more text
/// cannot be made.
pub(super) fn append_text(
    column: &mut StringBuilder,
    text: Option<&str>,
) -> Result<(), ArrowError> {
    let bytes = column.values_slice().len() + text.map_or(0, str::len);
    offset(bytes)?;
    column.append_option(text);
    Ok(())
}

fn offset(bytes: usize) -> Result<i32, ArrowError> {
    i32::try_from(bytes).map_err(|_| ArrowError::OffsetOverflowError(bytes))
}

fn int(id: Option<IdRef<'_>>) -> Option<i128> {
    match id {
        Some(IdRef::Int(value)) => Some(value),
        _ => None,
    }
}

fn text(id: Option<IdRef<'_>>) -> Option<&str> {
    match id {
        Some(IdRef::Text(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_holds_two_gigabytes_of_text() {
        assert_eq!(offset(0x7fff_ffff).unwrap(), i32::MAX);
        assert!(matches!(
            offset(0x8000_0000),
            Err(ArrowError::OffsetOverflowError(0x8000_0000))
        ));
    }
}
