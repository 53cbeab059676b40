//! Vectors in: one argument of the aggregate, read as ids, choices, numbers or
//! options. DuckDB flattens every vector before it hands it over.

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, duckdb_hugeint, duckdb_string_t, duckdb_vector, duckdb_vector_get_data,
    duckdb_vector_get_validity,
};
use serde_json::Value;

use super::handles::LogicalType;
use crate::votes::{ChoiceRef, IdRef, IdType};

/// The rows of one vector.
pub struct Column<'a> {
    id: DUCKDB_TYPE,
    rows: usize,
    values: Values<'a>,
    /// One bit a row; none if nothing is NULL.
    validity: Option<&'a [u64]>,
}

/// What the rows hold, each kind as DuckDB stores it.
enum Values<'a> {
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
    /// Whole numbers, to be divided by the second.
    Decimal(Box<Values<'a>>, f64),
    Text(&'a [duckdb_string_t]),
    Blob(&'a [duckdb_string_t]),
    /// GatherIndices in the dictionary.
    Enum(Box<Values<'a>>, Vec<String>),
    /// Shown as text: UUIDs.
    Shown(Vec<String>),
    Struct(Vec<(String, Column<'a>)>),
    /// A type that no argument takes.
    Other,
}

impl<'a> Column<'a> {
    /// Looks at the first `rows` rows of a vector.
    ///
    /// # Safety
    ///
    /// The vector must be flat, have so many rows and outlive the column.
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

    /// Whether this is a NULL without a type: an argument that was left out.
    pub fn is_absent(&self) -> bool {
        matches!(self.values, Values::Null)
    }

    /// Whether this can only be options: no number is text or a struct.
    pub fn is_options(&self) -> bool {
        matches!(self.values, Values::Text(_) | Values::Struct(_))
    }

    pub fn is_choice(&self) -> bool {
        !matches!(
            self.values,
            Values::Other | Values::Struct(_) | Values::Blob(_)
        )
    }

    pub fn is_numeric(&self) -> bool {
        self.is_whole()
            || matches!(
                self.values,
                Values::F32(_) | Values::F64(_) | Values::Decimal(..)
            )
    }

    pub fn is_whole(&self) -> bool {
        self.id_type()
            .is_some_and(|id_type| id_type != IdType::Text)
    }

    /// The type of ids, if they are of one that the aggregate's overloads have.
    pub fn id_type(&self) -> Option<IdType> {
        Some(match self.values {
            Values::I8(_) => IdType::int(true, 8),
            Values::I16(_) => IdType::int(true, 16),
            Values::I32(_) => IdType::int(true, 32),
            Values::I64(_) => IdType::int(true, 64),
            Values::I128(_) => IdType::INT128,
            Values::U8(_) => IdType::int(false, 8),
            Values::U16(_) => IdType::int(false, 16),
            Values::U32(_) => IdType::int(false, 32),
            Values::U64(_) => IdType::int(false, 64),
            Values::Text(_) | Values::Shown(_) | Values::Enum(..) => IdType::Text,
            _ => return None,
        })
    }

    pub fn id(&self, row: usize) -> Option<IdRef<'_>> {
        if !self.is_valid(row) {
            return None;
        }
        match &self.values {
            Values::Text(texts) => Some(IdRef::Text(text(&texts[row]))),
            Values::Shown(texts) => Some(IdRef::Text(&texts[row])),
            values @ Values::Enum(..) => values.text(row).map(IdRef::Text),
            values => values.whole(row).map(IdRef::Int),
        }
    }

    pub fn choice(&self, row: usize) -> Option<ChoiceRef<'_>> {
        if !self.is_valid(row) {
            return None;
        }
        match &self.values {
            Values::Bool(values) => Some(ChoiceRef::Bool(values[row] != 0)),
            values => match values.text(row) {
                Some(text) => Some(ChoiceRef::Text(text)),
                None => values.number(row).map(ChoiceRef::Number),
            },
        }
    }

    /// The bytes of a BLOB.
    pub fn blob(&self, row: usize) -> Option<&[u8]> {
        match &self.values {
            Values::Blob(blobs) if self.is_valid(row) => Some(bytes(&blobs[row])),
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

    pub fn whole(&self, row: usize) -> Option<i64> {
        let value = self.is_valid(row).then(|| self.values.whole(row))?;
        value?.try_into().ok()
    }

    /// A text as it is; a struct as a JSON object.
    pub fn json_text(&self, row: usize) -> Option<String> {
        if !self.is_valid(row) {
            return None;
        }
        match &self.values {
            Values::Text(texts) => Some(text(&texts[row]).to_owned()),
            Values::Struct(_) => Some(self.json(row).to_string()),
            _ => None,
        }
    }

    fn json(&self, row: usize) -> Value {
        if !self.is_valid(row) {
            return Value::Null;
        }
        match &self.values {
            Values::Bool(values) => (values[row] != 0).into(),
            Values::Struct(fields) => {
                let field = |(name, column): &(String, Self)| (name.clone(), column.json(row));
                Value::Object(fields.iter().map(field).collect())
            }
            values => {
                let whole = values.whole(row);
                let unsigned = whole.and_then(|value| u64::try_from(value).ok());
                let signed = whole.and_then(|value| i64::try_from(value).ok());
                let text = values.text(row);
                text.map(Value::from)
                    .or(unsigned.map(Value::from))
                    .or(signed.map(Value::from))
                    .or(values.number(row).map(Value::from))
                    .unwrap_or(Value::Null)
            }
        }
    }

    /// Appends whole numbers of at most 64 bits; false if there are others, or NULLs.
    pub fn all_whole(&self, out: &mut Vec<i64>) -> bool {
        out.clear();
        if !self.all_valid() {
            return false;
        }
        match self.values {
            Values::I8(values) => out.extend(values.iter().map(|&value| i64::from(value))),
            Values::I16(values) => out.extend(values.iter().map(|&value| i64::from(value))),
            Values::I32(values) => out.extend(values.iter().map(|&value| i64::from(value))),
            Values::I64(values) => out.extend(values),
            Values::U8(values) => out.extend(values.iter().map(|&value| i64::from(value))),
            Values::U16(values) => out.extend(values.iter().map(|&value| i64::from(value))),
            Values::U32(values) => out.extend(values.iter().map(|&value| i64::from(value))),
            _ => return false,
        }
        true
    }

    /// Appends choices that are numbers; false if they are of another type, or NULLs.
    pub fn all_choices(&self, out: &mut Vec<f64>) -> bool {
        out.clear();
        if !self.all_valid() {
            return false;
        }
        match self.values {
            Values::I8(values) => out.extend(values.iter().map(|&value| f64::from(value))),
            Values::I16(values) => out.extend(values.iter().map(|&value| f64::from(value))),
            Values::I32(values) => out.extend(values.iter().map(|&value| f64::from(value))),
            Values::I64(values) => out.extend(values.iter().map(|&value| value as f64)),
            // -0.0 becomes 0.0.
            Values::F32(values) => out.extend(values.iter().map(|&value| f64::from(value) + 0.0)),
            Values::F64(values) => out.extend(values.iter().map(|&value| value + 0.0)),
            _ => return false,
        }
        true
    }

    fn all_valid(&self) -> bool {
        self.validity.is_none_or(|mask| self.is_mask(mask, !0))
    }

    /// Whether the bits of all rows are those of a word.
    fn is_mask(&self, mask: &[u64], word: u64) -> bool {
        let (whole, rest) = (self.rows / 64, self.rows % 64);
        mask[..whole].iter().all(|&bits| bits == word)
            && (rest == 0 || (mask[whole] ^ word) << (64 - rest) == 0)
    }

    /// Whether every row is stored as the first. A text that is not short may
    /// be the same and yet be stored elsewhere.
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

impl Values<'_> {
    fn whole(&self, row: usize) -> Option<i128> {
        Some(match self {
            Self::I8(values) => values[row].into(),
            Self::I16(values) => values[row].into(),
            Self::I32(values) => values[row].into(),
            Self::I64(values) => values[row].into(),
            Self::I128(values) => wide(values[row]),
            Self::U8(values) => values[row].into(),
            Self::U16(values) => values[row].into(),
            Self::U32(values) => values[row].into(),
            Self::U64(values) => values[row].into(),
            _ => return None,
        })
    }

    fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::F32(values) => Some(values[row].into()),
            Self::F64(values) => Some(values[row]),
            // The usual types of choices without the way through 128 bits.
            Self::I32(values) => Some(values[row].into()),
            Self::I64(values) => Some(values[row] as f64),
            Self::Decimal(values, unit) => values.whole(row).map(|value| value as f64 / unit),
            values => values.whole(row).map(|value| value as f64),
        }
    }

    fn text(&self, row: usize) -> Option<&str> {
        match self {
            Self::Text(texts) => Some(text(&texts[row])),
            Self::Shown(texts) => Some(&texts[row]),
            Self::Enum(places, dictionary) => {
                let place = places.whole(row)?;
                dictionary.get(place as usize).map(String::as_str)
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
        match self {
            Self::Null | Self::Other => true,
            Self::Bool(values) | Self::U8(values) => same(values),
            Self::I8(values) => same(values),
            Self::I16(values) => same(values),
            Self::I32(values) => same(values),
            Self::I64(values) => same(values),
            Self::I128(values) => values.iter().all(|&value| wide(value) == wide(values[0])),
            Self::U16(values) => same(values),
            Self::U32(values) => same(values),
            Self::U64(values) => same(values),
            Self::F32(values) => same(values),
            Self::F64(values) => same(values),
            Self::Decimal(values, _) | Self::Enum(values, _) => values.is_constant(),
            Self::Shown(texts) => same(texts),
            Self::Text(texts) | Self::Blob(texts) => {
                same(raw(texts)) || texts.iter().all(|each| stored_alike(each, &texts[0]))
            }
            Self::Struct(fields) => fields.iter().all(|(_, column)| column.is_constant()),
        }
    }
}

fn wide(value: duckdb_hugeint) -> i128 {
    i128::from(value.upper) << 64 | i128::from(value.lower)
}

/// Texts up to this length are stored in place.
const INLINE: u32 = 12;

fn text(stored: &duckdb_string_t) -> &str {
    // SAFETY: DuckDB keeps texts valid UTF-8.
    unsafe { std::str::from_utf8_unchecked(bytes(stored)) }
}

fn bytes(stored: &duckdb_string_t) -> &[u8] {
    // SAFETY: the length is there in both forms and says which it is; DuckDB
    // keeps the bytes alive while their vector is.
    unsafe {
        let length = stored.value.inlined.length;
        let start = if length <= INLINE {
            (&raw const stored.value.inlined.inlined).cast::<u8>()
        } else {
            stored.value.pointer.ptr.cast_const().cast::<u8>()
        };
        std::slice::from_raw_parts(start, length as usize)
    }
}

/// What is stored in place, text or not.
fn raw(texts: &[duckdb_string_t]) -> &[[u64; 2]] {
    const { assert!(size_of::<duckdb_string_t>() == size_of::<[u64; 2]>()) };
    // SAFETY: of the same size and alignment; DuckDB fills all bytes of a text,
    // zeros behind a short one.
    unsafe { std::slice::from_raw_parts(texts.as_ptr().cast(), texts.len()) }
}

/// The same text without a look at the characters: what a repeated constant is.
fn stored_alike(a: &duckdb_string_t, b: &duckdb_string_t) -> bool {
    // SAFETY: the length is there in both forms and says which it is.
    let (long, same_place) = unsafe {
        let (a, b) = (&a.value.pointer, &b.value.pointer);
        let long = a.length > INLINE;
        (long, a.length == b.length && long && a.ptr == b.ptr)
    };
    same_place || (!long && bytes(a) == bytes(b))
}

/// # Safety
///
/// As for [`Column::new`].
unsafe fn values<'a>(vector: duckdb_vector, logical_type: &LogicalType, rows: usize) -> Values<'a> {
    let id = logical_type.id();
    // SAFETY: each type has its own storage; see the C API's list of types.
    unsafe {
        match id {
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL => {
                let unit = 10f64.powi(logical_type.decimal_scale().into());
                let stored = numbers(vector, logical_type.decimal_storage(), rows);
                Values::Decimal(Box::new(stored), unit)
            }
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_ENUM => {
                let places = numbers(vector, logical_type.enum_storage(), rows);
                Values::Enum(Box::new(places), logical_type.enum_values())
            }
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UUID => {
                let values: &[duckdb_hugeint] = slice(vector, rows);
                Values::Shown(values.iter().map(|&value| show_uuid(value)).collect())
            }
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT => {
                let fields = logical_type.field_names().into_iter().enumerate();
                let field = |(index, name)| {
                    let child = ffi::duckdb_struct_vector_get_child(vector, index as u64);
                    (name, Column::new(child, rows))
                };
                Values::Struct(fields.map(field).collect())
            }
            _ => numbers(vector, id, rows),
        }
    }
}

/// Types that are stored as one value a row.
///
/// # Safety
///
/// As for [`Column::new`], and `storage` must be how the vector is stored.
unsafe fn numbers<'a>(vector: duckdb_vector, storage: DUCKDB_TYPE, rows: usize) -> Values<'a> {
    // SAFETY: each type is stored as the C API's list of types says.
    unsafe {
        match storage {
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_SQLNULL => Values::Null,
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN => Values::Bool(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT => Values::I8(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT => Values::I16(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER => Values::I32(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT => Values::I64(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT => Values::I128(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT => Values::U8(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT => Values::U16(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER => Values::U32(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT => Values::U64(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT => Values::F32(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE => Values::F64(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR => Values::Text(slice(vector, rows)),
            ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB => Values::Blob(slice(vector, rows)),
            _ => Values::Other,
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

/// DuckDB stores UUIDs with the top bit turned, so that they sort as numbers.
fn show_uuid(stored: duckdb_hugeint) -> String {
    let value = wide(stored) as u128 ^ 1 << 127;
    let hex = format!("{value:032x}");
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

fn type_name(id: DUCKDB_TYPE) -> &'static str {
    match id {
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN => "BOOLEAN",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT => "TINYINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT => "SMALLINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER => "INTEGER",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT => "BIGINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT => "HUGEINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT => "UTINYINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT => "USMALLINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER => "UINTEGER",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT => "UBIGINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT => "FLOAT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE => "DOUBLE",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL => "DECIMAL",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR => "VARCHAR",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB => "BLOB",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_DATE => "DATE",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIME => "TIME",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP => "TIMESTAMP",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ => "TIMESTAMP WITH TIME ZONE",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL => "INTERVAL",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_UHUGEINT => "UHUGEINT",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_ENUM => "ENUM",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_UUID => "UUID",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_LIST => "LIST",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_ARRAY => "ARRAY",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_MAP => "MAP",
        ffi::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT => "STRUCT",
        _ => "another type",
    }
}
