//! Vectors in: one argument of a function, read as ids, choices, numbers or
//! options. DuckDB flattens every vector before it passes it.

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, duckdb_hugeint, duckdb_string_t, duckdb_vector, duckdb_vector_get_data,
    duckdb_vector_get_validity,
};
use serde_json::Value;

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

    fn is_valid(&self, row: usize) -> bool {
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
            InputValues::Other | InputValues::Struct(_) | InputValues::Blob(_)
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

    pub fn id(&self, row: usize) -> Option<IdRef<'_>> {
        if !self.is_valid(row) {
            return None;
        }
        match &self.values {
            InputValues::Text(texts) => Some(IdRef::Text(text(&texts[row]))),
            InputValues::Uuid(texts) => Some(IdRef::Text(&texts[row])),
            values @ InputValues::Enum(..) => values.text(row).map(IdRef::Text),
            values => values.integer(row).map(IdRef::Int),
        }
    }

    pub fn choice(&self, row: usize) -> Option<ChoiceRef<'_>> {
        if !self.is_valid(row) {
            return None;
        }
        match &self.values {
            InputValues::Bool(values) => Some(ChoiceRef::Bool(values[row] != 0)),
            values => match values.text(row) {
                Some(text) => Some(ChoiceRef::Text(text)),
                None => values.number(row).map(ChoiceRef::Number),
            },
        }
    }

    /// The bytes of a BLOB.
    pub fn blob(&self, row: usize) -> Option<&[u8]> {
        match &self.values {
            InputValues::Blob(blobs) if self.is_valid(row) => Some(bytes(&blobs[row])),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, row: usize) -> Option<&str> {
        self.is_valid(row).then(|| self.values.text(row))?
    }

    pub fn number(&self, row: usize) -> Option<f64> {
        self.is_valid(row).then(|| self.values.number(row))?
    }

    pub fn integer(&self, row: usize) -> Option<i64> {
        let value = self.is_valid(row).then(|| self.values.integer(row))?;
        value?.try_into().ok()
    }

    /// A text as it is; a struct as a JSON object.
    pub fn json_text(&self, row: usize) -> Option<String> {
        if !self.is_valid(row) {
            return None;
        }
        match &self.values {
            InputValues::Text(texts) => Some(text(&texts[row]).to_owned()),
            InputValues::Struct(_) => Some(self.json(row).to_string()),
            _ => None,
        }
    }

    fn json(&self, row: usize) -> Value {
        if !self.is_valid(row) {
            return Value::Null;
        }
        match &self.values {
            InputValues::Bool(values) => (values[row] != 0).into(),
            InputValues::Struct(fields) => {
                let field = |(name, field): &(String, Self)| (name.clone(), field.json(row));
                Value::Object(fields.iter().map(field).collect())
            }
            values => {
                let integer = values.integer(row);
                let unsigned = integer.and_then(|value| u64::try_from(value).ok());
                let signed = integer.and_then(|value| i64::try_from(value).ok());
                let text = values.text(row);
                text.map(Value::from)
                    .or(unsigned.map(Value::from))
                    .or(signed.map(Value::from))
                    .or(values.number(row).map(Value::from))
                    .unwrap_or(Value::Null)
            }
        }
    }

    /// Replaces `out` by the integers of all rows; false if one is NULL or may
    /// not fit in an `i64`.
    #[allow(clippy::unnecessary_cast)] // one of the types is i64 already
    pub fn all_integers(&self, out: &mut Vec<i64>) -> bool {
        out.clear();
        if !self.all_valid() || matches!(self.values, InputValues::U64(_)) {
            return false;
        }
        match_integers!(&self.values,
            values => out.extend(values.iter().map(|&value| value as i64)),
            _ => return false,
        );
        true
    }

    /// Replaces `out` by the numbers of all rows; false if one is NULL or the
    /// type is another.
    pub fn all_numbers(&self, out: &mut Vec<f64>) -> bool {
        out.clear();
        if !self.all_valid() {
            return false;
        }
        match_integers!(&self.values,
            values => out.extend(values.iter().map(|&value| value as f64)),
            InputValues::F32(values) => out.extend(values.iter().map(|&value| f64::from(value))),
            InputValues::F64(values) => out.extend_from_slice(values),
            _ => return false,
        );
        true
    }

    fn all_valid(&self) -> bool {
        self.validity.is_none_or(|mask| self.is_mask(mask, !0))
    }

    /// Whether the bits of all rows are those of `word`.
    fn is_mask(&self, mask: &[u64], word: u64) -> bool {
        let (full, rest) = (self.rows / 64, self.rows % 64);
        mask[..full].iter().all(|&bits| bits == word)
            && (rest == 0 || (mask[full] ^ word) << (64 - rest) == 0)
    }

    /// Whether every row is stored as the first one is. Long texts that are equal
    /// but stored at different addresses count as different.
    pub fn is_constant(&self) -> bool {
        let valid = self.is_valid(0);
        let word = if valid { !0 } else { 0 };
        if !self.validity.is_none_or(|mask| self.is_mask(mask, word)) {
            return false;
        }
        !valid || self.values.is_constant()
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

    fn text(&self, row: usize) -> Option<&str> {
        match self {
            Self::Text(texts) => Some(text(&texts[row])),
            Self::Uuid(texts) => Some(&texts[row]),
            Self::Enum(indices, dictionary) => {
                let index = indices.integer(row)?;
                dictionary.get(index as usize).map(String::as_str)
            }
            _ => None,
        }
    }

    fn is_constant(&self) -> bool {
        fn same<T: PartialEq>(values: &[T]) -> bool {
            values
                .split_first()
                .is_none_or(|(_, rest)| rest == &values[..rest.len()])
        }
        match_integers!(self,
            values => same(values),
            Self::Null | Self::Other => true,
            Self::Bool(values) => same(values),
            Self::I128(values) => values
                .iter()
                .all(|&value| to_i128(value) == to_i128(values[0])),
            Self::F32(values) => same(values),
            Self::F64(values) => same(values),
            Self::Decimal(values, _) | Self::Enum(values, _) => values.is_constant(),
            Self::Uuid(texts) => same(texts),
            Self::Text(texts) | Self::Blob(texts) => {
                same(raw(texts)) || texts.iter().all(|each| stored_alike(each, &texts[0]))
            }
            Self::Struct(fields) => fields.iter().all(|(_, field)| field.is_constant()),
        )
    }
}

/// Texts up to this length are stored inside of the vector.
const MAX_INLINE: u32 = 12;

fn text(stored: &duckdb_string_t) -> &str {
    // SAFETY: DuckDB keeps texts valid UTF-8.
    unsafe { std::str::from_utf8_unchecked(bytes(stored)) }
}

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

/// Whether two texts are stored alike: short and equal, or long and at the same
/// address, as a repeated constant is.
fn stored_alike(a: &duckdb_string_t, b: &duckdb_string_t) -> bool {
    // SAFETY: the length is there in both forms and says which it is.
    let (long, same_address) = unsafe {
        let (a, b) = (&a.value.pointer, &b.value.pointer);
        let long = a.length > MAX_INLINE;
        (long, a.length == b.length && long && a.ptr == b.ptr)
    };
    same_address || (!long && bytes(a) == bytes(b))
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
