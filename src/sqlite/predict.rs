//! `me_hodgerank_predict('train', 'test')`: the rows of the second table with
//! what the fit of the first says about them.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UnionArray};
use arrow_schema::{DataType, Field, UnionFields};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::error::{message, sql_error};
use super::ingest::{Seen, id};
use super::source::Shown;
use crate::fit::Fit;
use crate::fit::predict::Predictor;
use crate::options::Columns;

/// The visible columns with their declared types.
pub(super) const COLUMNS: [(&str, &str); 6] = [
    ("annotator", ""),
    ("left", ""),
    ("right", ""),
    ("choice", ""),
    ("predicted", "REAL"),
    ("predicted_hodgerank", "REAL"),
];

/// Reads what `text` names and predicts each row, in the order of the rows. A
/// prediction that would need a NULL is NULL.
pub(super) fn predict(
    connection: &Connection,
    text: &str,
    columns: &Columns,
    fit: Arc<Fit>,
) -> Result<RecordBatch> {
    let predictor = Predictor::new(fit).map_err(sql_error)?;
    let mut shown = Shown::open(connection, text, columns)?;
    let mut values: [Values; 4] = Default::default();
    let (mut annotators, mut items) = (Seen::default(), Seen::default());
    let (mut predicted, mut hodgerank) = (Float64Builder::new(), Float64Builder::new());
    let mut rows = shown.statement.raw_query();
    while let Some(row) = rows.next()? {
        let who = row.get_ref(shown.annotator)?;
        let (left, right) = (row.get_ref(shown.left)?, row.get_ref(shown.right)?);
        let choice = shown.choice.map(|place| row.get_ref(place)).transpose()?;
        let choice = choice.unwrap_or(ValueRef::Null);
        for (value, column) in [who, left, right, choice].into_iter().zip(&mut values) {
            column.push(value)?;
        }
        let who = id(who, &mut annotators, &columns.annotator).map_err(message)?;
        let left = id(left, &mut items, &columns.left).map_err(message)?;
        let right = id(right, &mut items, &columns.right).map_err(message)?;
        let pair = left.zip(right);
        let vote = pair.zip(who).map(|((l, r), u)| predictor.vote(u, l, r));
        predicted.append_option(vote);
        hodgerank.append_option(pair.map(|(left, right)| predictor.hodgerank(left, right)));
    }
    let checked = predictor.check_types(annotators.seen(), items.seen());
    checked.map_err(sql_error)?;
    batch(values, [predicted.finish(), hodgerank.finish()])
}

fn batch(values: [Values; 4], predictions: [Float64Array; 2]) -> Result<RecordBatch> {
    let mut arrays = Vec::new();
    for column in values {
        arrays.push(column.finish()?);
    }
    arrays.extend(predictions.map(|array| Arc::new(array) as ArrayRef));
    let named = COLUMNS.iter().map(|(name, _)| *name).zip(arrays);
    let named = named.map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(named).map_err(|error| message(error.to_string()))
}

/// A column of values of any type, as they are.
#[derive(Default)]
struct Values {
    types: Vec<i8>,
    offsets: Vec<i32>,
    integers: Int64Builder,
    reals: Float64Builder,
    texts: StringBuilder,
}

impl Values {
    fn push(&mut self, value: ValueRef<'_>) -> Result<()> {
        let (kind, length) = match value {
            ValueRef::Null | ValueRef::Integer(_) => (0, self.integers.values_slice().len()),
            ValueRef::Real(_) => (1, self.reals.values_slice().len()),
            _ => (2, self.texts.offsets_slice().len() - 1),
        };
        match value {
            ValueRef::Null => self.integers.append_null(),
            ValueRef::Integer(value) => self.integers.append_value(value),
            ValueRef::Real(value) => self.reals.append_value(value),
            ValueRef::Text(text) => self.texts.append_value(std::str::from_utf8(text)?),
            ValueRef::Blob(_) => return Err(message("a vote holds a blob, not a number or text")),
        }
        self.types.push(kind);
        self.offsets.push(length as i32);
        Ok(())
    }

    fn finish(mut self) -> Result<ArrayRef> {
        let fields = UnionFields::from_fields([
            Field::new("integer", DataType::Int64, true),
            Field::new("real", DataType::Float64, true),
            Field::new("text", DataType::Utf8, true),
        ]);
        let children: Vec<ArrayRef> = vec![
            Arc::new(self.integers.finish()),
            Arc::new(self.reals.finish()),
            Arc::new(self.texts.finish()),
        ];
        let union = UnionArray::try_new(
            fields,
            self.types.into(),
            Some(self.offsets.into()),
            children,
        );
        union
            .map(|array| Arc::new(array) as ArrayRef)
            .map_err(|error| message(error.to_string()))
    }
}
