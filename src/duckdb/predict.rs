//! `me_hodgerank_predict_vote(model, annotator, left, right)` and
//! `me_hodgerank_predict_hodgerank(model, left, right)`: predictions of a model.

use std::sync::{Arc, Mutex, PoisonError};

use super::connection::Connection;
use super::error::SqlError;
use super::input_vector::{InputVector, NotUtf8};
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::{ANY, BLOB, DOUBLE};
use crate::{Fit, IdRef, Predictor};

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<PredictVote>(connection)?;
    scalar::register::<PredictHodgeRank>(connection)
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
    (annotator, items): (Option<&InputVector<'_>>, [&InputVector<'_>; 2]),
    predict: impl Fn(&Predictor, usize) -> Result<Option<f64>, SqlError>,
) -> Result<(), SqlError> {
    let mut last: Option<(&[u8], Arc<Predictor>)> = None;
    call.write_numbers(|row| {
        let Some(bytes) = model.blob(row) else {
            return Ok(None);
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
        predict(&predictor, row)
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
