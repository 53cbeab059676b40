//! `me_hodgerank_predict('train', 'test')`: the rows of the second table with the
//! predictions of the fit of the first.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UnionArray};
use arrow_schema::{DataType, Field, UnionFields};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::error::message;
use super::ingest::{SeenTypes, id};
use super::source::Source;
use crate::fit::Fit;
use crate::fit::predict::Predictor;
use crate::options::Columns;

/// The visible columns with their declared types.
pub(super) const COLUMNS: [(&str, &str); 7] = [
    ("annotator", ""),
    ("left", ""),
    ("right", ""),
    ("choice", ""),
    ("predicted", "REAL"),
    ("predicted_hodgerank", "REAL"),
    ("win_probability", "REAL"),
];

/// Reads what `text` names and predicts each row, in the order of the rows. A
/// prediction that would need a NULL is NULL.
pub(super) fn predict(
    connection: &Connection,
    text: &str,
    columns: &Columns,
    fit: Arc<Fit>,
) -> Result<RecordBatch> {
    let predictor = Predictor::new(fit)?;
    let mut test = Source::open_to_predict(connection, text, columns)?;
    let columns = test.columns.clone();
    let mut values: [MixedColumn; 4] = Default::default();
    let (mut annotators, mut items) = (SeenTypes::default(), SeenTypes::default());
    let mut predictions: [Float64Builder; 3] = Default::default();
    let [predicted, hodgerank, wins] = &mut predictions;
    let mut rows = test.statement.raw_query();
    while let Some(row) = rows.next()? {
        let optional = |index: Option<usize>| match index {
            Some(index) => row.get_ref(index),
            None => Ok(ValueRef::Null),
        };
        let (who, choice) = (optional(test.annotator)?, optional(test.choice)?);
        let (left, right) = (row.get_ref(test.left)?, row.get_ref(test.right)?);
        for (value, column) in [who, left, right, choice].into_iter().zip(&mut values) {
            column.push(value)?;
        }
        let who = id(who, &mut annotators, columns.annotator_name()).map_err(message)?;
        let left = id(left, &mut items, &columns.left).map_err(message)?;
        let right = id(right, &mut items, &columns.right).map_err(message)?;
        let vote = predictor.vote_of(who, left, right);
        predicted.append_option(vote);
        wins.append_option(vote.map(|vote| predictor.win_probability(vote)));
        let pair = left.zip(right);
        hodgerank.append_option(pair.map(|(left, right)| predictor.hodgerank(left, right)));
    }
    predictor.check_types(annotators.known(), items.known())?;
    batch(values, predictions.map(|mut numbers| numbers.finish()))
}

fn batch(values: [MixedColumn; 4], predictions: [Float64Array; 3]) -> Result<RecordBatch> {
    let mut arrays = Vec::new();
    for column in values {
        arrays.push(column.finish()?);
    }
    arrays.extend(predictions.map(|array| Arc::new(array) as ArrayRef));
    let named = COLUMNS.iter().map(|(name, _)| *name).zip(arrays);
    let named = named.map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(named).map_err(|error| message(error.to_string()))
}

/// A column of values of any type, as a union array.
#[derive(Default)]
struct MixedColumn {
    types: Vec<i8>,
    offsets: Vec<i32>,
    integers: Int64Builder,
    reals: Float64Builder,
    texts: StringBuilder,
}

impl MixedColumn {
    fn push(&mut self, value: ValueRef<'_>) -> Result<()> {
        let (type_id, offset) = match value {
            ValueRef::Null | ValueRef::Integer(_) => (0, self.integers.values_slice().len()),
            ValueRef::Real(_) => (1, self.reals.values_slice().len()),
            _ => (2, self.texts.offsets_slice().len() - 1),
        };
        match value {
            ValueRef::Null => self.integers.append_null(),
            ValueRef::Integer(value) => self.integers.append_value(value),
            ValueRef::Real(value) => self.reals.append_value(value),
            ValueRef::Text(text) => {
                if self.texts.values_slice().len() + text.len() > i32::MAX as usize {
                    return Err(message(
                        "the votes to be predicted hold more than 2 GB of text in one column: \
                         predict them in parts",
                    ));
                }
                self.texts.append_value(std::str::from_utf8(text)?);
            }
            ValueRef::Blob(_) => return Err(message("a vote holds a blob, not a number or text")),
        }
        self.types.push(type_id);
        self.offsets.push(offset as i32);
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
