//! Votes from Arrow: one `RecordBatch` at a time, columns found by name.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Decimal128Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;

use super::builder::VoteBuilder;
use super::choice::ChoiceRef;
use super::ids::{IdRef, IdType};
use super::row::Row;
use crate::error::{Error, Result};
use crate::options::ReadColumns;

impl VoteBuilder {
    /// Takes a batch of votes. Its columns are found by the names in the options, or are
    /// one of the usual sets: see [`Columns`](crate::Columns).
    pub fn push_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        let fields = batch.schema_ref().fields().iter();
        let present: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
        self.find_columns(&present)?;
        let columns = self.columns().clone();
        let ids = VoteIds::new(batch, &columns)?;
        let optional = |name: &Option<String>, rule| {
            let column = name
                .as_ref()
                .map(|name| ArrowColumn::new(batch, name, rule));
            column.transpose()
        };
        let choice = optional(&columns.choice, "a choice is a number, a boolean or text")?;
        let weight = optional(&columns.weight, "weights are numbers")?;
        if let Some(weight) = &weight {
            weight.require(weight.is_numeric())?;
        }
        let fold = optional(&columns.fold, "folds are whole numbers")?;
        if let Some(fold) = &fold {
            fold.require(fold.is_integer())?;
        }

        // A column without a type holds only NULLs: no row of this batch is used.
        let annotator = match &columns.annotator {
            Some(_) => ids.annotator_type,
            None => Some(IdType::Text),
        };
        if let (Some(annotator), [Some(left), Some(right)]) = (annotator, ids.item_types) {
            self.expect_ids(annotator, left, right);
        }
        self.push_all((0..batch.num_rows()).map(|row| Row {
            annotator: ids.annotator(row),
            left: ids.left(row),
            right: ids.right(row),
            choice: choice.as_ref().and_then(|column| column.choice(row)),
            weight: weight.as_ref().and_then(|column| column.number(row)),
            fold: fold.as_ref().and_then(|column| column.integer(row)),
        }))
    }
}

/// The ids of a batch of votes, row by row. None is NULL.
pub(crate) struct VoteIds<'a> {
    annotator: Option<ArrowColumn<'a>>,
    left: ArrowColumn<'a>,
    right: ArrowColumn<'a>,
    /// None if there is no such column, or if it holds only NULLs.
    pub annotator_type: Option<IdType>,
    /// Of the left and of the right item; None if the column holds only NULLs.
    pub item_types: [Option<IdType>; 2],
}

impl<'a> VoteIds<'a> {
    /// Of the columns that were found in the batch.
    pub fn new(batch: &'a RecordBatch, columns: &ReadColumns) -> Result<Self> {
        let ids = |name: &str| {
            let rule = "ids are integers or text: cast the column to one of them";
            let column = ArrowColumn::new(batch, name, rule)?;
            column.id_type().map(|id_type| (column, id_type))
        };
        let annotator = columns.annotator.as_deref().map(ids).transpose()?;
        let (left, left_type) = ids(&columns.left)?;
        let (right, right_type) = ids(&columns.right)?;
        let (annotator, annotator_type) = annotator.unzip();
        Ok(Self {
            annotator,
            left,
            right,
            annotator_type: annotator_type.flatten(),
            item_types: [left_type, right_type],
        })
    }

    pub fn annotator(&self, row: usize) -> Option<IdRef<'_>> {
        self.annotator.as_ref().and_then(|column| column.id(row))
    }

    pub fn left(&self, row: usize) -> Option<IdRef<'_>> {
        self.left.id(row)
    }

    pub fn right(&self, row: usize) -> Option<IdRef<'_>> {
        self.right.id(row)
    }
}

/// A column of ids or integers.
pub(super) struct IdColumn<'a> {
    column: ArrowColumn<'a>,
    /// None if it holds only NULLs.
    pub id_type: Option<IdType>,
}

/// A column of ids or integers, by its name.
pub(super) fn id_column<'a>(batch: &'a RecordBatch, name: &str) -> Result<IdColumn<'a>> {
    if batch.schema_ref().column_with_name(name).is_none() {
        return Err(Error::votes(format!("there is no column \"{name}\"")));
    }
    let column = ArrowColumn::new(batch, name, "ids are integers or text")?;
    let id_type = column.id_type()?;
    Ok(IdColumn { column, id_type })
}

impl IdColumn<'_> {
    pub fn id(&self, row: usize) -> Option<IdRef<'_>> {
        self.column.id(row)
    }

    pub fn integer(&self, row: usize) -> Option<i64> {
        self.column.integer(row)
    }
}

type Get<'a, T> = Box<dyn Fn(usize) -> T + 'a>;

/// How the value of a row is read. Every integer is read as an `i128`.
enum ArrowValues<'a> {
    Null,
    Text(Get<'a, Option<&'a str>>),
    Int(IdType, Get<'a, i128>),
    Float(Get<'a, f64>),
    Bool(Get<'a, bool>),
}

/// A column, and the rule that an error states if its type is wrong.
struct ArrowColumn<'a> {
    name: &'a str,
    rule: &'static str,
    array: &'a ArrayRef,
    values: ArrowValues<'a>,
}

impl<'a> ArrowColumn<'a> {
    fn new(batch: &'a RecordBatch, name: &str, rule: &'static str) -> Result<Self> {
        // Its columns were found by name before.
        let (index, field) = batch
            .schema_ref()
            .column_with_name(name)
            .expect("a known column");
        let array = batch.column(index);
        let name = field.name();
        match values(array) {
            Some(values) => Ok(Self {
                name,
                rule,
                array,
                values,
            }),
            None => Err(wrong_type(name, array, rule)),
        }
    }

    fn require(&self, fits: bool) -> Result<()> {
        if fits || matches!(self.values, ArrowValues::Null) {
            Ok(())
        } else {
            Err(wrong_type(self.name, self.array, self.rule))
        }
    }

    fn is_integer(&self) -> bool {
        matches!(self.values, ArrowValues::Int(..))
    }

    fn is_numeric(&self) -> bool {
        self.is_integer() || matches!(self.values, ArrowValues::Float(_))
    }

    fn id_type(&self) -> Result<Option<IdType>> {
        match self.values {
            ArrowValues::Int(id_type, _) => Ok(Some(id_type)),
            ArrowValues::Text(_) => Ok(Some(IdType::Text)),
            ArrowValues::Null => Ok(None),
            _ => Err(wrong_type(self.name, self.array, self.rule)),
        }
    }

    fn id(&self, row: usize) -> Option<IdRef<'_>> {
        match &self.values {
            ArrowValues::Text(get) => get(row).map(IdRef::Text),
            ArrowValues::Int(_, get) if self.array.is_valid(row) => Some(IdRef::Int(get(row))),
            _ => None,
        }
    }

    fn choice(&self, row: usize) -> Option<ChoiceRef<'_>> {
        match &self.values {
            ArrowValues::Text(get) => get(row).map(ChoiceRef::Text),
            ArrowValues::Bool(get) if self.array.is_valid(row) => Some(ChoiceRef::Bool(get(row))),
            _ => self.number(row).map(ChoiceRef::Number),
        }
    }

    fn number(&self, row: usize) -> Option<f64> {
        match &self.values {
            _ if self.array.is_null(row) => None,
            ArrowValues::Int(_, get) => Some(get(row) as f64),
            ArrowValues::Float(get) => Some(get(row)),
            _ => None,
        }
    }

    fn integer(&self, row: usize) -> Option<i64> {
        match &self.values {
            ArrowValues::Int(_, get) if self.array.is_valid(row) => get(row).try_into().ok(),
            _ => None,
        }
    }
}

fn wrong_type(name: &str, array: &ArrayRef, rule: &str) -> Error {
    let found = array.data_type();
    Error::votes(format!("column \"{name}\" holds {found}; {rule}"))
}

fn values(array: &ArrayRef) -> Option<ArrowValues<'_>> {
    Some(match array.data_type() {
        DataType::Null => ArrowValues::Null,
        DataType::Boolean => {
            let array = array.as_boolean();
            ArrowValues::Bool(Box::new(|row| array.value(row)))
        }
        DataType::Int8 => int::<Int8Type>(array, true, 8),
        DataType::Int16 => int::<Int16Type>(array, true, 16),
        DataType::Int32 => int::<Int32Type>(array, true, 32),
        DataType::Int64 => int::<Int64Type>(array, true, 64),
        DataType::UInt8 => int::<UInt8Type>(array, false, 8),
        DataType::UInt16 => int::<UInt16Type>(array, false, 16),
        DataType::UInt32 => int::<UInt32Type>(array, false, 32),
        DataType::UInt64 => int::<UInt64Type>(array, false, 64),
        DataType::Decimal128(_, 0) => int::<Decimal128Type>(array, true, 128),
        DataType::Decimal128(_, scale) => {
            let array = array.as_primitive::<Decimal128Type>();
            let unit = 10f64.powi((*scale).into());
            ArrowValues::Float(Box::new(move |row| array.value(row) as f64 / unit))
        }
        DataType::Float16 => float::<Float16Type>(array),
        DataType::Float32 => float::<Float32Type>(array),
        DataType::Float64 => float::<Float64Type>(array),
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            text(move |row| array.is_valid(row).then(|| array.value(row)))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            text(move |row| array.is_valid(row).then(|| array.value(row)))
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            text(move |row| array.is_valid(row).then(|| array.value(row)))
        }
        DataType::Dictionary(key, _) => return dictionary(array, key),
        _ => return None,
    })
}

fn int<T>(array: &ArrayRef, signed: bool, bits: u8) -> ArrowValues<'_>
where
    T: ArrowPrimitiveType<Native: Into<i128>>,
{
    let array = array.as_primitive::<T>();
    let get = Box::new(|row| array.value(row).into());
    ArrowValues::Int(IdType::int(signed, bits), get)
}

fn float<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &ArrayRef) -> ArrowValues<'_> {
    let array = array.as_primitive::<T>();
    ArrowValues::Float(Box::new(|row| array.value(row).into()))
}

fn text<'a>(get: impl Fn(usize) -> Option<&'a str> + 'a) -> ArrowValues<'a> {
    ArrowValues::Text(Box::new(get))
}

/// A dictionary of text, with keys of any type.
fn dictionary<'a>(array: &'a ArrayRef, key: &DataType) -> Option<ArrowValues<'a>> {
    fn with_key<'a, K: ArrowDictionaryKeyType>(array: &'a ArrayRef) -> Option<ArrowValues<'a>> {
        let array = array.as_dictionary::<K>();
        match values(array.values())? {
            ArrowValues::Text(get) => Some(text(move |row| array.key(row).and_then(&get))),
            _ => None,
        }
    }
    match key {
        DataType::Int8 => with_key::<Int8Type>(array),
        DataType::Int16 => with_key::<Int16Type>(array),
        DataType::Int32 => with_key::<Int32Type>(array),
        DataType::Int64 => with_key::<Int64Type>(array),
        DataType::UInt8 => with_key::<UInt8Type>(array),
        DataType::UInt16 => with_key::<UInt16Type>(array),
        DataType::UInt32 => with_key::<UInt32Type>(array),
        DataType::UInt64 => with_key::<UInt64Type>(array),
        _ => None,
    }
}
