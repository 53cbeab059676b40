//! Vectors in: one argument of a function, read as ids, choices, numbers, lists or
//! options. DuckDB flattens every vector before it passes it.

use std::ops::Range;

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, duckdb_hugeint, duckdb_list_entry, duckdb_string_t, duckdb_vector,
    duckdb_vector_get_data, duckdb_vector_get_validity,
};
use serde_json::Value;

use super::error::SqlError;
use super::hugeint::{to_i128, uuid_text};
use super::logical_type::LogicalType;
use super::type_ids::*;
use crate::votes::{ChoiceRef, IdRef, IdType};

/// The rows of one vector.
pub struct InputVector<'a> {
    id: DUCKDB_TYPE,
    rows: usize,
    values: InputValues<'a>,
    /// One bit a row; none if nothing is NULL.
    validity: Option<&'a [u64]>,
}

/// The values of the rows, in the form in which DuckDB stores them.
enum InputValues<'a> {
    /// Only NULLs.
    Null,
    Bool(&'a [u8]),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    I128(&'a [duckdb_hugeint]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    /// Integers, to be divided by the second.
    Decimal(Box<InputValues<'a>>, f64),
    Text(&'a [duckdb_string_t]),
    Blob(&'a [duckdb_string_t]),
    /// Indices into the dictionary.
    Enum(Box<InputValues<'a>>, Vec<String>),
    /// UUIDs, as text.
    Uuid(Vec<String>),
    Struct(Vec<(String, InputVector<'a>)>),
    /// Where the elements of each row are, and the elements of all rows.
    List(&'a [duckdb_list_entry], Box<InputVector<'a>>),
    /// A type that no argument takes.
    Other,
}

/// A match on [`InputValues`]: the first arm is for the slices of integers of at
/// most 64 bits, whatever their width.
macro_rules! match_integers {
    ($values:expr, $slice:ident => $body:expr, $($rest:tt)*) => {
        match $values {
            InputValues::I8($slice) => $body,
            InputValues::I16($slice) => $body,
            InputValues::I32($slice) => $body,
            InputValues::I64($slice) => $body,
            InputValues::U8($slice) => $body,
            InputValues::U16($slice) => $body,
            InputValues::U32($slice) => $body,
            InputValues::U64($slice) => $body,
            $($rest)*
        }
    };
}

impl<'a> InputVector<'a> {
    /// The first `rows` rows of a vector.
    ///
    /// # Safety
    ///
    /// The vector must be flat, have so many rows and outlive the result.
    pub unsafe fn new(vector: duckdb_vector, rows: usize) -> Self {
        // SAFETY: the caller's promise; a validity mask has a bit for each row.
        unsafe {
            let mask = duckdb_vector_get_validity(vector);
            let words = rows.div_ceil(64);
            let logical_type = LogicalType::of(vector);
            Self {
                id: logical_type.id(),
                rows,
                values: values(vector, &logical_type, rows),
                validity: (!mask.is_null()).then(|| std::slice::from_raw_parts(mask, words)),
            }
        }
    }

    /// Whether a row is not NULL.
    pub fn is_valid(&self, row: usize) -> bool {
        self.validity
            .is_none_or(|mask| mask[row / 64] >> (row % 64) & 1 == 1)
    }

    /// Whether this is a NULL without a type: an argument that was not given.
    pub fn is_absent(&self) -> bool {
        matches!(self.values, InputValues::Null)
    }

    /// Whether this can only be options: no number is text or a struct.
    pub fn is_options(&self) -> bool {
        matches!(self.values, InputValues::Text(_) | InputValues::Struct(_))
    }

    pub fn is_choice(&self) -> bool {
        !matches!(
            self.values,
            InputValues::Other
                | InputValues::Struct(_)
                | InputValues::List(..)
                | InputValues::Blob(_)
        )
    }

    pub fn is_numeric(&self) -> bool {
        self.is_integer()
            || matches!(
                self.values,
                InputValues::F32(_) | InputValues::F64(_) | InputValues::Decimal(..)
            )
    }

    pub fn is_integer(&self) -> bool {
        self.id_type()
            .is_some_and(|id_type| id_type != IdType::Text)
    }

    /// The type of ids, if they are of one that the aggregate's overloads have.
    pub fn id_type(&self) -> Option<IdType> {
        Some(match self.values {
            InputValues::I8(_) => IdType::int(true, 8),
            InputValues::I16(_) => IdType::int(true, 16),
            InputValues::I32(_) => IdType::int(true, 32),
            InputValues::I64(_) => IdType::int(true, 64),
            InputValues::I128(_) => IdType::INT128,
            InputValues::U8(_) => IdType::int(false, 8),
            InputValues::U16(_) => IdType::int(false, 16),
            InputValues::U32(_) => IdType::int(false, 32),
            InputValues::U64(_) => IdType::int(false, 64),
            InputValues::Text(_) | InputValues::Uuid(_) | InputValues::Enum(..) => IdType::Text,
            _ => return None,
        })
    }

    pub fn id(&self, row: usize) -> Result<Option<IdRef<'_>>, NotUtf8> {
        if !self.is_valid(row) {
            return Ok(None);
        }
        let text = self.values.text(row)?.map(IdRef::Text);
        Ok(text.or_else(|| self.values.integer(row).map(IdRef::Int)))
    }

    pub fn choice(&self, row: usize) -> Result<Option<ChoiceRef<'_>>, NotUtf8> {
        if !self.is_valid(row) {
            return Ok(None);
        }
        if let InputValues::Bool(values) = &self.values {
            return Ok(Some(ChoiceRef::Bool(values[row] != 0)));
        }
        let text = self.values.text(row)?.map(ChoiceRef::Text);
        Ok(text.or_else(|| self.values.number(row).map(ChoiceRef::Number)))
    }

    /// The elements of all lists.
    pub fn elements(&self) -> Option<&InputVector<'a>> {
        match &self.values {
            InputValues::List(_, elements) => Some(elements),
            _ => None,
        }
    }

    /// Which of the elements are in the list of a row.
    pub fn elements_of(&self, row: usize) -> Option<Range<usize>> {
        let InputValues::List(entries, elements) = &self.values else {
            return None;
        };
        if !self.is_valid(row) {
            return None;
        }
        let (start, length) = (entries[row].offset as usize, entries[row].length as usize);
        let end = start
            .checked_add(length)
            .filter(|end| *end <= elements.rows);
        Some(start..end.expect("a list ends within its elements"))
    }

    /// The fields of a struct by their names.
    pub fn fields(&self) -> Option<&[(String, InputVector<'a>)]> {
        match &self.values {
            InputValues::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    /// The field of a struct that has this name.
    pub fn field(&self, name: &str) -> Result<&InputVector<'a>, SqlError> {
        let mut fields = self.fields().unwrap_or_default().iter();
        let found = fields.find(|(field, _)| field == name);
        let found = found.map(|(_, column)| column);
        found.ok_or_else(|| format!("a row has no field \"{name}\"").into())
    }

    /// Whether these are BLOBs.
    pub fn is_blob(&self) -> bool {
        matches!(self.values, InputValues::Blob(_))
    }

    /// The bytes of a BLOB.
    pub fn blob(&self, row: usize) -> Option<&[u8]> {
        match &self.values {
            InputValues::Blob(blobs) if self.is_valid(row) => Some(bytes(&blobs[row])),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, row: usize) -> Result<Option<&str>, NotUtf8> {
        if self.is_valid(row) {
            self.values.text(row)
        } else {
            Ok(None)
        }
    }

    pub fn number(&self, row: usize) -> Option<f64> {
        self.is_valid(row).then(|| self.values.number(row))?
    }

    pub fn integer(&self, row: usize) -> Option<i64> {
        let value = self.is_valid(row).then(|| self.values.integer(row))?;
        value?.try_into().ok()
    }

    /// A number of a job: an UBIGINT.
    pub fn unsigned(&self, row: usize) -> Option<u64> {
        match &self.values {
            InputValues::U64(values) if self.is_valid(row) => Some(values[row]),
            _ => None,
        }
    }

    /// A text as it is; a struct of options as a JSON object.
    pub fn json_text(&self, row: usize) -> Result<Option<String>, SqlError> {
        match &self.values {
            InputValues::Struct(fields) if self.is_valid(row) => {
                let option = |(name, field): &(String, Self)| {
                    field.option(name, row).map(|value| (name.clone(), value))
                };
                let options: Result<_, _> = fields.iter().map(option).collect();
                Ok(Some(Value::Object(options?).to_string()))
            }
            InputValues::Struct(_) => Ok(None),
            _ => {
                let text = self.text(row);
                let text = text.map_err(|_| "the options are text that is not UTF-8")?;
                Ok(text.map(str::to_owned))
            }
        }
    }

    /// The value of an option. One that JSON cannot hold is an error: it would
    /// become the default.
    fn option(&self, name: &str, row: usize) -> Result<Value, SqlError> {
        if !self.is_valid(row) || self.is_absent() {
            return Ok(Value::Null);
        }
        if let InputValues::Bool(values) = &self.values {
            return Ok((values[row] != 0).into());
        }
        let text = self.values.text(row);
        if let Some(text) = text.map_err(|_| format!("{name} is text that is not UTF-8"))? {
            return Ok(text.into());
        }
        let integer = self.values.integer(row);
        let unsigned = integer.and_then(|value| u64::try_from(value).ok());
        let signed = integer.and_then(|value| i64::try_from(value).ok());
        if let Some(value) = unsigned.map(Value::from).or(signed.map(Value::from)) {
            return Ok(value);
        }
        let Some(number) = self.values.number(row) else {
            return Err(format!(
                "{name} is of type {}; an option is a number, a boolean or a text",
                self.type_name()
            )
            .into());
        };
        if !number.is_finite() {
            return Err(format!("{name} must be a finite number, not {number}").into());
        }
        Ok(number.into())
    }

    /// Replaces `out` by the integers of some rows; false if one is NULL or may
    /// not fit in an `i64`.
    #[allow(clippy::unnecessary_cast)] // one of the types is i64 already
    pub fn all_integers(&self, rows: Range<usize>, out: &mut Vec<i64>) -> bool {
        out.clear();
        if !self.all_valid(rows.clone()) || matches!(self.values, InputValues::U64(_)) {
            return false;
        }
        match_integers!(&self.values,
            values => out.extend(values[rows].iter().map(|&value| value as i64)),
            _ => return false,
        );
        true
    }

    /// Replaces `out` by the numbers of some rows; false if one is NULL or the
    /// type is another.
    pub fn all_numbers(&self, rows: Range<usize>, out: &mut Vec<f64>) -> bool {
        out.clear();
        if !self.all_valid(rows.clone()) {
            return false;
        }
        match_integers!(&self.values,
            values => out.extend(values[rows].iter().map(|&value| value as f64)),
            InputValues::F32(values) => {
                out.extend(values[rows].iter().map(|&value| f64::from(value)));
            }
            InputValues::F64(values) => out.extend_from_slice(&values[rows]),
            _ => return false,
        );
        true
    }

    /// Whether none of some rows is NULL.
    pub fn all_valid(&self, mut rows: Range<usize>) -> bool {
        self.validity.is_none() || rows.all(|row| self.is_valid(row))
    }

    /// Whether all of some rows are NULL.
    pub fn all_null(&self, mut rows: Range<usize>) -> bool {
        self.is_absent() || !rows.any(|row| self.is_valid(row))
    }

    /// Whether some rows are all equal.
    pub fn is_constant(&self, rows: Range<usize>) -> bool {
        rows.is_empty()
            || self.all_null(rows.clone())
            || (self.all_valid(rows.clone()) && self.values.is_constant(rows))
    }

    /// The type as SQL users write it.
    pub fn type_name(&self) -> &'static str {
        type_name(self.id)
    }
}

impl InputValues<'_> {
    fn integer(&self, row: usize) -> Option<i128> {
        match_integers!(self,
            values => Some(values[row].into()),
            Self::I128(values) => Some(to_i128(values[row])),
            _ => None,
        )
    }

    fn number(&self, row: usize) -> Option<f64> {
        match_integers!(self,
            values => Some(values[row] as f64),
            Self::F32(values) => Some(values[row].into()),
            Self::F64(values) => Some(values[row]),
            Self::I128(values) => Some(to_i128(values[row]) as f64),
            Self::Decimal(values, unit) => values.integer(row).map(|value| value as f64 / unit),
            _ => None,
        )
    }

    fn text(&self, row: usize) -> Result<Option<&str>, NotUtf8> {
        Ok(match self {
            Self::Text(texts) => {
                Some(std::str::from_utf8(bytes(&texts[row])).map_err(|_| NotUtf8)?)
            }
            Self::Uuid(texts) => Some(&texts[row]),
            Self::Enum(indices, dictionary) => indices
                .integer(row)
                .and_then(|index| dictionary.get(index as usize))
                .map(String::as_str),
            _ => None,
        })
    }

    fn is_constant(&self, rows: Range<usize>) -> bool {
        fn same<T: PartialEq>(values: &[T]) -> bool {
            values
                .split_first()
                .is_none_or(|(_, rest)| rest == &values[..rest.len()])
        }
        match_integers!(self,
            values => same(&values[rows]),
            Self::Null => true,
            Self::Bool(values) => same(&values[rows]),
            Self::I128(values) => {
                let values = &values[rows];
                values.iter().all(|&value| to_i128(value) == to_i128(values[0]))
            }
            Self::F32(values) => same(&values[rows]),
            Self::F64(values) => same(&values[rows]),
            Self::Decimal(values, _) | Self::Enum(values, _) => values.is_constant(rows),
            Self::Uuid(texts) => same(&texts[rows]),
            Self::Text(texts) | Self::Blob(texts) => {
                let texts = &texts[rows];
                same(raw(texts)) || texts.iter().all(|text| bytes(text) == bytes(&texts[0]))
            }
            Self::Struct(fields) => {
                let mut fields = fields.iter();
                fields.all(|(_, field)| field.is_constant(rows.clone()))
            }
            // No option is of such a type, which is said where its value is read.
            Self::List(..) | Self::Other => true,
        )
    }
}

/// A text is not UTF-8. DuckDB does not check what comes from an Arrow frame.
#[derive(Debug)]
pub struct NotUtf8;

impl NotUtf8 {
    /// The error, with the name of the column.
    pub fn in_column(self, name: &str) -> SqlError {
        format!("column \"{name}\" holds text that is not UTF-8").into()
    }
}

/// Texts up to this length are stored inside of the vector.
const MAX_INLINE: u32 = 12;

fn bytes(stored: &duckdb_string_t) -> &[u8] {
    // SAFETY: the length is there in both forms and says which it is; DuckDB
    // keeps the bytes alive while their vector is.
    unsafe {
        let length = stored.value.inlined.length;
        let start = if length <= MAX_INLINE {
            (&raw const stored.value.inlined.inlined).cast::<u8>()
        } else {
            stored.value.pointer.ptr.cast_const().cast::<u8>()
        };
        std::slice::from_raw_parts(start, length as usize)
    }
}

/// The bytes of the vector itself: short texts, or lengths and pointers of long ones.
fn raw(texts: &[duckdb_string_t]) -> &[[u64; 2]] {
    const { assert!(size_of::<duckdb_string_t>() == size_of::<[u64; 2]>()) };
    // SAFETY: of the same size and alignment; DuckDB fills all bytes of a text,
    // zeros behind a short one.
    unsafe { std::slice::from_raw_parts(texts.as_ptr().cast(), texts.len()) }
}

/// # Safety
///
/// As for [`InputVector::new`].
unsafe fn values<'a>(
    vector: duckdb_vector,
    logical_type: &LogicalType,
    rows: usize,
) -> InputValues<'a> {
    let id = logical_type.id();
    // SAFETY: each type has its own storage; see the C API's list of types.
    unsafe {
        match id {
            DECIMAL => {
                let unit = 10f64.powi(logical_type.decimal_scale().into());
                let stored = numbers(vector, logical_type.decimal_storage(), rows);
                InputValues::Decimal(Box::new(stored), unit)
            }
            ENUM => {
                let indices = numbers(vector, logical_type.enum_storage(), rows);
                InputValues::Enum(Box::new(indices), logical_type.enum_values())
            }
            UUID => {
                let values: &[duckdb_hugeint] = slice(vector, rows);
                InputValues::Uuid(values.iter().map(|&value| uuid_text(value)).collect())
            }
            STRUCT => {
                let fields = logical_type.field_names().into_iter().enumerate();
                let field = |(index, name)| {
                    let child = ffi::duckdb_struct_vector_get_child(vector, index as u64);
                    (name, InputVector::new(child, rows))
                };
                InputValues::Struct(fields.map(field).collect())
            }
            LIST => {
                let elements = ffi::duckdb_list_vector_get_child(vector);
                let count = ffi::duckdb_list_vector_get_size(vector) as usize;
                let elements = InputVector::new(elements, count);
                InputValues::List(slice(vector, rows), Box::new(elements))
            }
            _ => numbers(vector, id, rows),
        }
    }
}

/// Types that are stored as one value a row.
///
/// # Safety
///
/// As for [`InputVector::new`], and `storage` must be how the vector is stored.
unsafe fn numbers<'a>(vector: duckdb_vector, storage: DUCKDB_TYPE, rows: usize) -> InputValues<'a> {
    // SAFETY: each type is stored as the C API's list of types says.
    unsafe {
        match storage {
            SQLNULL => InputValues::Null,
            BOOLEAN => InputValues::Bool(slice(vector, rows)),
            TINYINT => InputValues::I8(slice(vector, rows)),
            SMALLINT => InputValues::I16(slice(vector, rows)),
            INTEGER => InputValues::I32(slice(vector, rows)),
            BIGINT => InputValues::I64(slice(vector, rows)),
            HUGEINT => InputValues::I128(slice(vector, rows)),
            UTINYINT => InputValues::U8(slice(vector, rows)),
            USMALLINT => InputValues::U16(slice(vector, rows)),
            UINTEGER => InputValues::U32(slice(vector, rows)),
            UBIGINT => InputValues::U64(slice(vector, rows)),
            FLOAT => InputValues::F32(slice(vector, rows)),
            DOUBLE => InputValues::F64(slice(vector, rows)),
            VARCHAR => InputValues::Text(slice(vector, rows)),
            BLOB => InputValues::Blob(slice(vector, rows)),
            _ => InputValues::Other,
        }
    }
}

/// # Safety
///
/// The vector must hold `rows` values that are stored as `T`.
unsafe fn slice<'a, T>(vector: duckdb_vector, rows: usize) -> &'a [T] {
    // SAFETY: the caller's promise; a vector without rows may have no data.
    unsafe {
        let data = duckdb_vector_get_data(vector).cast::<T>();
        if data.is_null() || rows == 0 {
            return &[];
        }
        std::slice::from_raw_parts(data, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vector of texts that are stored inside of it.
    fn texts<'a>(stored: &'a [duckdb_string_t]) -> InputVector<'a> {
        InputVector {
            id: VARCHAR,
            rows: stored.len(),
            values: InputValues::Text(stored),
            validity: None,
        }
    }

    fn short(text: &[u8]) -> duckdb_string_t {
        // SAFETY: zeros are an empty text.
        let mut stored: duckdb_string_t = unsafe { std::mem::zeroed() };
        let mut inlined = [0; MAX_INLINE as usize];
        inlined[..text.len()].copy_from_slice(&text.iter().map(|&b| b as _).collect::<Vec<_>>());
        stored.value.inlined.length = text.len() as u32;
        stored.value.inlined.inlined = inlined;
        stored
    }

    #[test]
    fn text_that_is_not_utf8_is_never_a_str() {
        let stored = [short("né".as_bytes()), short(b"\xf0")];
        let texts = texts(&stored);
        assert_eq!(texts.text(0).unwrap(), Some("né"));
        assert!(texts.text(1).is_err() && texts.id(1).is_err() && texts.choice(1).is_err());
        let error = texts.json_text(1).unwrap_err().to_string();
        assert_eq!(error, "the options are text that is not UTF-8");
        let error = texts.option("kappa", 1).unwrap_err().to_string();
        assert_eq!(error, "kappa is text that is not UTF-8");
        let error = NotUtf8.in_column("annotator").to_string();
        assert_eq!(error, "column \"annotator\" holds text that is not UTF-8");
    }
}
