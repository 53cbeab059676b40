//! What is read from frames: votes to be fitted or predicted, and candidate pairs.

use std::sync::Arc;

use arrow_array::builder::Float64Builder;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::arrow_stream::FrameBatches;
use crate::error::{Error, Result};
use crate::execution::Execution;
use crate::fit::predict::Predictor;
use crate::options::{AnnotatorColumn, Columns, Options, ReadColumns, position};
use crate::votes::arrow::VoteIds;
use crate::votes::{CandidateBuilder, CandidatePairs, VoteBuilder, Votes};

/// What a prediction adds to the columns of a frame.
const PREDICTIONS: [&str; 3] = ["predicted", "predicted_hodgerank", "win_probability"];

/// Reads all votes of a frame.
pub(super) fn votes(
    batches: FrameBatches,
    options: &Options,
    execution: &mut Execution<'_>,
) -> Result<Votes> {
    let mut votes = VoteBuilder::new(options);
    push(batches, options, &mut votes, execution)?;
    votes.finish_within(execution)
}

/// Adds all votes of a frame.
pub(super) fn push(
    batches: FrameBatches,
    options: &Options,
    votes: &mut VoteBuilder,
    execution: &mut Execution<'_>,
) -> Result<()> {
    // Missing columns are an error also where there are no rows.
    let schema = batches.schema();
    let columns = options.columns.find(&names(&schema))?;
    for batch in batches {
        execution.check()?;
        votes.push_batch(&read(batch, &columns)?)?;
    }
    Ok(())
}

/// A batch with all of its columns.
pub(super) fn complete(batch: Result<RecordBatch, ArrowError>) -> Result<RecordBatch> {
    valid(batch.map_err(unreadable)?)
}

/// Reads candidate pairs: the columns left and right of a frame.
pub(super) fn candidates(
    batches: FrameBatches,
    columns: &Columns,
    execution: &mut Execution<'_>,
) -> Result<CandidatePairs> {
    let columns = Columns {
        annotator: AnnotatorColumn::Unknown,
        ..columns.clone()
    };
    let schema = batches.schema();
    let found = columns.find_to_predict(&names(&schema));
    let columns = found.map_err(|error| Error::votes(format!("candidates: {error}")))?;
    let mut candidates = CandidateBuilder::default();
    for batch in batches {
        execution.check()?;
        let batch = read(batch, &columns)?;
        let ids = VoteIds::new(&batch, &columns)?;
        for id_type in ids.item_types.into_iter().flatten() {
            candidates.expect_ids(id_type);
        }
        for row in 0..batch.num_rows() {
            candidates.push(ids.left(row), ids.right(row))?;
        }
    }
    candidates.finish()
}

/// The rows of a frame with the predictions of a fit beside them.
pub(super) fn predictions(
    batches: FrameBatches,
    columns: &Columns,
    predictor: &Predictor,
    execution: &mut Execution<'_>,
) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let schema = batches.schema();
    let columns = columns.find_to_predict(&names(&schema))?;
    let predicted = with_predictions(&schema)?;
    let mut all = Vec::new();
    for batch in batches {
        execution.check()?;
        let batch = valid(batch.map_err(unreadable)?)?;
        let [vote, hodgerank, wins] = predict(&batch, &columns, predictor)?;
        let mut arrays = batch.columns().to_vec();
        arrays.extend([vote, hodgerank, wins]);
        all.push(RecordBatch::try_new(predicted.clone(), arrays).map_err(unreadable)?);
    }
    Ok((predicted, all))
}

/// The predictions of each row. One that would need a NULL is NULL.
fn predict(
    batch: &RecordBatch,
    columns: &ReadColumns,
    predictor: &Predictor,
) -> Result<[ArrayRef; 3]> {
    let ids = VoteIds::new(batch, columns)?;
    for item in ids.item_types {
        predictor.check_types(ids.annotator_type, item)?;
    }
    let mut numbers: [Float64Builder; 3] = Default::default();
    let [predicted, hodgerank, wins] = &mut numbers;
    for row in 0..batch.num_rows() {
        let (left, right) = (ids.left(row), ids.right(row));
        let vote = predictor.vote_of(ids.annotator(row), left, right);
        predicted.append_option(vote);
        wins.append_option(vote.map(|vote| predictor.win_probability(vote)));
        let pair = left.zip(right);
        hodgerank.append_option(pair.map(|(left, right)| predictor.hodgerank(left, right)));
    }
    Ok(numbers.map(|mut numbers| Arc::new(numbers.finish()) as ArrayRef))
}

fn with_predictions(schema: &SchemaRef) -> Result<SchemaRef> {
    let names = names(schema);
    if let Some(name) = PREDICTIONS.iter().find(|name| names.contains(name)) {
        return Err(Error::votes(format!(
            "the votes to be predicted have a column \"{name}\" already: leave it out, or rename it"
        )));
    }
    let fields = schema.fields().iter().cloned();
    let added = PREDICTIONS.map(|name| Arc::new(Field::new(name, DataType::Float64, true)));
    let fields: Vec<_> = fields.chain(added).collect();
    Ok(Arc::new(Schema::new(fields)))
}

fn names(schema: &SchemaRef) -> Vec<&str> {
    let fields = schema.fields().iter();
    fields.map(|field| field.name().as_str()).collect()
}

/// The columns of a batch that are read, and no others.
fn read(batch: Result<RecordBatch, ArrowError>, columns: &ReadColumns) -> Result<RecordBatch> {
    let batch = batch.map_err(unreadable)?;
    let schema = batch.schema();
    let names = names(&schema);
    let indices: Vec<usize> = columns
        .all()
        .filter_map(|(_, name)| position(&names, name))
        .collect();
    valid(batch.project(&indices).map_err(unreadable)?)
}

/// A batch whose arrays are what they say they are. Another library made them, and not
/// every one checks that its text is UTF-8.
fn valid(batch: RecordBatch) -> Result<RecordBatch> {
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        array.to_data().validate_full().map_err(|error| {
            Error::votes(format!("column \"{}\" is damaged: {error}", field.name()))
        })?;
    }
    Ok(batch)
}

fn unreadable(error: ArrowError) -> Error {
    Error::votes(format!("the frame could not be read: {error}"))
}
