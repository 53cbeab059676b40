//! `me_hodgerank_predict_vote(model, annotator, left, right)` and
//! `me_hodgerank_predict_hodgerank(model, left, right)`: predictions of a model.

use std::rc::Rc;

use libduckdb_sys::DUCKDB_TYPE;

use super::connection::Connection;
use super::error::SqlError;
use super::input_vector::InputVector;
use super::scalar::{self, ScalarCall, ScalarFunction};
use super::type_ids::{ANY, BLOB, DOUBLE};
use crate::Predictor;

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<PredictVote>(connection)?;
    scalar::register::<PredictHodgeRank>(connection)
}

struct PredictVote;

impl ScalarFunction for PredictVote {
    const NAME: &'static str = "me_hodgerank_predict_vote";
    const ARGUMENTS: &'static [DUCKDB_TYPE] = &[BLOB, ANY, ANY, ANY];
    const RESULT: DUCKDB_TYPE = DOUBLE;

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model, annotator, left, right] = call.arguments();
        let types = (Some(&annotator), [&left, &right]);
        write_predictions(call, &model, types, |predictor, row| {
            let (annotator, left, right) = (annotator.id(row)?, left.id(row)?, right.id(row)?);
            Some(predictor.vote(annotator, left, right))
        })
    }
}

struct PredictHodgeRank;

impl ScalarFunction for PredictHodgeRank {
    const NAME: &'static str = "me_hodgerank_predict_hodgerank";
    const ARGUMENTS: &'static [DUCKDB_TYPE] = &[BLOB, ANY, ANY];
    const RESULT: DUCKDB_TYPE = DOUBLE;

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model, left, right] = call.arguments();
        write_predictions(call, &model, (None, [&left, &right]), |predictor, row| {
            Some(predictor.hodgerank(left.id(row)?, right.id(row)?))
        })
    }
}

/// Writes a prediction for each row; NULL where there is none.
fn write_predictions(
    call: &ScalarCall,
    model: &InputVector<'_>,
    (annotator, items): (Option<&InputVector<'_>>, [&InputVector<'_>; 2]),
    predict: impl Fn(&Predictor, usize) -> Option<f64>,
) -> Result<(), SqlError> {
    let mut last: Option<(&[u8], Rc<Predictor>)> = None;
    call.write_numbers(|row| {
        let Some(bytes) = model.blob(row) else {
            return Ok(None);
        };
        // A constant has the same address in every row.
        let predictor = match &last {
            Some((known, predictor)) if std::ptr::eq(*known, bytes) => predictor.clone(),
            _ => {
                let predictor = Predictor::from_bytes(bytes)?;
                check_types(&predictor, annotator, items)?;
                last = Some((bytes, predictor.clone()));
                predictor
            }
        };
        Ok(predict(&predictor, row))
    })
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
