//! `me_hodgerank_predict_vote(model, annotator, left, right)` and
//! `me_hodgerank_predict_hodgerank(model, left, right)`: predictions of a model.
//! `me_hodgerank_predict_row(model, vote, named)`: both for a row of a table, whose columns
//! are found as those of votes are; `named` are those that the caller named.

use std::sync::{Arc, Mutex, PoisonError};

use super::call_options::{Caller, OptionalColumns, OptionsColumn};
use super::connection::Connection;
use super::error::SqlError;
use super::input_vector::{InputVector, NotUtf8};
use super::logical_type::LogicalType;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::{ANY, BLOB, DOUBLE};
use crate::{Fit, IdRef, Predictor};

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<PredictVote>(connection)?;
    scalar::register::<PredictHodgeRank>(connection)?;
    scalar::register::<PredictRow>(connection)
}

struct PredictVote;

impl ScalarFunction for PredictVote {
    const NAME: &'static str = "me_hodgerank_predict_vote";

    fn signatures() -> Vec<Signature> {
        Signature::only(&[BLOB, ANY, ANY, ANY], DOUBLE)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model, annotator, left, right] = call.arguments();
        let types = (Some(&annotator), [&left, &right]);
        write_predictions(call, &model, types, |predictor, row| {
            let (who, items) = (annotator.id(row), (left.id(row), right.id(row)));
            let who = who.map_err(|error| error.in_column("annotator"))?;
            let (left, right) = both(items)?;
            Ok(predictor.vote_of(who, left, right))
        })
    }
}

struct PredictHodgeRank;

impl ScalarFunction for PredictHodgeRank {
    const NAME: &'static str = "me_hodgerank_predict_hodgerank";

    fn signatures() -> Vec<Signature> {
        Signature::only(&[BLOB, ANY, ANY], DOUBLE)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model, left, right] = call.arguments();
        write_predictions(call, &model, (None, [&left, &right]), |predictor, row| {
            let (left, right) = both((left.id(row), right.id(row)))?;
            let hodgerank = || Some(predictor.hodgerank(left?, right?));
            Ok(hodgerank())
        })
    }
}

struct PredictRow;

impl ScalarFunction for PredictRow {
    const NAME: &'static str = "me_hodgerank_predict_row";

    fn signatures() -> Vec<Signature> {
        let number = |name| (name, LogicalType::new(DOUBLE));
        let fields = ["predicted", "predicted_hodgerank", "win_probability"].map(number);
        vec![Signature {
            arguments: vec![BLOB, ANY, ANY],
            result: LogicalType::structure(&fields),
        }]
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model, votes, named] = call.arguments();
        if call.rows() == 0 {
            return Ok(());
        }
        let options = OptionsColumn::new(Caller::Table, Some(&named))?;
        let options = options.call(0..1, OptionalColumns::default())?;
        let fields = votes.fields().ok_or("a vote is not a row of a table")?;
        let present: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let columns = options.options.columns.find_to_predict(&present)?;
        let field = |name: &str| votes.field(name);
        let annotator = columns.annotator.as_deref().map(field).transpose()?;
        let (left, right) = (field(&columns.left)?, field(&columns.right)?);
        let output = call.output();
        each_prediction(
            call,
            &model,
            (annotator, [left, right]),
            |predictor, row| {
                let numbers = match predictor {
                    None => [None; 3],
                    Some(predictor) => {
                        let who = annotator.map_or(Ok(None), |column| column.id(row));
                        let who = who.map_err(|error| error.in_column(columns.annotator_name()))?;
                        let (left, right) = both((left.id(row), right.id(row)))?;
                        let hodgerank = left.zip(right).map(|(a, b)| predictor.hodgerank(a, b));
                        let vote = predictor.vote_of(who, left, right);
                        let wins = vote.map(|vote| predictor.win_probability(vote));
                        [vote, hodgerank, wins]
                    }
                };
                for (index, number) in numbers.into_iter().enumerate() {
                    output.field(index).put_or_null(row, number);
                }
                Ok(())
            },
        )
    }
}

/// An item as it is read.
type ReadItem<'a> = Result<Option<IdRef<'a>>, NotUtf8>;

/// Both items of a row.
fn both<'a>(
    (left, right): (ReadItem<'a>, ReadItem<'a>),
) -> Result<(Option<IdRef<'a>>, Option<IdRef<'a>>), SqlError> {
    let left = left.map_err(|error| error.in_column("left"))?;
    let right = right.map_err(|error| error.in_column("right"))?;
    Ok((left, right))
}

/// Writes a prediction for each row; NULL where there is none.
fn write_predictions(
    call: &ScalarCall,
    model: &InputVector<'_>,
    types: (Option<&InputVector<'_>>, [&InputVector<'_>; 2]),
    predict: impl Fn(&Predictor, usize) -> Result<Option<f64>, SqlError>,
) -> Result<(), SqlError> {
    each_prediction(call, model, types, |predictor, row| {
        let number = predictor.map_or(Ok(None), |predictor| predict(predictor, row))?;
        call.output().put_or_null(row, number);
        Ok(())
    })
}

/// Calls `write` for each row, with the predictor of its model if that is not NULL.
fn each_prediction(
    call: &ScalarCall,
    model: &InputVector<'_>,
    (annotator, items): (Option<&InputVector<'_>>, [&InputVector<'_>; 2]),
    write: impl Fn(Option<&Predictor>, usize) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let mut last: Option<(&[u8], Arc<Predictor>)> = None;
    (0..call.rows()).try_for_each(|row| {
        let Some(bytes) = model.blob(row) else {
            return write(None, row);
        };
        // A constant has the same address in every row.
        let predictor = match &last {
            Some((known, predictor)) if std::ptr::eq(*known, bytes) => predictor.clone(),
            _ => {
                let predictor = predictor(bytes)?;
                check_types(&predictor, annotator, items)?;
                last = Some((bytes, predictor.clone()));
                predictor
            }
        };
        write(Some(&predictor), row)
    })
}

/// The predictors that are kept: a query asks for the same model in every chunk.
const MAX_KEPT: usize = 4;

/// The last predictors of the process, by a hash of all bytes of their models. Most
/// recently used first.
static RECENT: Mutex<Vec<(blake3::Hash, Arc<Predictor>)>> = Mutex::new(Vec::new());

/// The predictor of a model.
fn predictor(bytes: &[u8]) -> Result<Arc<Predictor>, SqlError> {
    let key = blake3::hash(bytes);
    // The list is valid between any two calls, also after a panic elsewhere.
    let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    let keep = |predictor: &Arc<Predictor>| {
        let mut recent = recent();
        recent.retain(|(known, _)| *known != key);
        recent.insert(0, (key, predictor.clone()));
        recent.truncate(MAX_KEPT);
    };
    let known = recent().iter().find(|(known, _)| *known == key).cloned();
    let predictor = match known {
        Some((_, predictor)) => predictor,
        None => Arc::new(Predictor::new(Arc::new(Fit::from_bytes(bytes)?))?),
    };
    keep(&predictor);
    Ok(predictor)
}

/// Checks that the ids are of types that the model can have.
fn check_types(
    predictor: &Predictor,
    annotator: Option<&InputVector<'_>>,
    items: [&InputVector<'_>; 2],
) -> Result<(), SqlError> {
    let id_type = |ids: &InputVector<'_>| match ids.id_type() {
        None if !ids.is_absent() => Err(SqlError::from(format!(
            "an id to be predicted is of type {}; ids are integers, text or UUIDs: cast it to one \
             of them",
            ids.type_name()
        ))),
        id_type => Ok(id_type),
    };
    let annotator = annotator.map(id_type).transpose()?.flatten();
    for item in items {
        predictor.check_types(annotator, id_type(item)?)?;
    }
    Ok(())
}
