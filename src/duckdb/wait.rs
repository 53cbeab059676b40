//! `me_hodgerank_wait(job, columns, named [, candidates])`: whether the fit of a table
//! function is done. `columns` are those that the table has, `named` those that the caller
//! named, `candidates` a list of candidate pairs.
//! `me_hodgerank_rest(job)`: false, after a thread that waits for the job has returned. A
//! thread of DuckDB that finds no task of its query looks for one again and again, and
//! takes a core from the fit; a thread that rests does not.
//! `me_hodgerank_unshared()`: true, and volatile. DuckDB computes equal parts of a query
//! once, and a job's result is taken once: with this in it, no part equals another.

use super::call_options::{Caller, MISSING_COLUMNS, OptionalColumns, OptionsColumn};
use super::connection::Connection;
use super::error::SqlError;
use super::fit_jobs;
use super::input_vector::InputVector;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::{ANY, BOOLEAN, UBIGINT};
use crate::options::{AnnotatorColumn, Columns};
use crate::{CandidateBuilder, CandidatePairs};

/// Makes the function known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<Wait>(connection)?;
    scalar::register::<Rest>(connection)?;
    scalar::register::<Unshared>(connection)
}

struct Unshared;

impl ScalarFunction for Unshared {
    const NAME: &'static str = "me_hodgerank_unshared";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        Signature::only(&[], BOOLEAN)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let always = std::iter::repeat_n(true, call.rows());
        call.output().put(0, always);
        Ok(())
    }
}

struct Rest;

impl ScalarFunction for Rest {
    const NAME: &'static str = "me_hodgerank_rest";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        Signature::only(&[UBIGINT], BOOLEAN)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [job] = call.arguments();
        for row in 0..call.rows() {
            if let Some(job) = job.unsigned(row) {
                fit_jobs::rest(job);
            }
            call.output().put(row, std::iter::once(false));
        }
        Ok(())
    }
}

struct Wait;

impl ScalarFunction for Wait {
    const NAME: &'static str = "me_hodgerank_wait";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        let signature = |count| Signature::only(&[UBIGINT, ANY, ANY, ANY][..count], BOOLEAN);
        [signature(3), signature(4)].into_iter().flatten().collect()
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [job, columns, named] = call.arguments();
        let candidates = call.argument(3);
        for row in 0..call.rows() {
            match job.unsigned(row) {
                None => call.output().set_null(row),
                Some(MISSING_COLUMNS) => return Err(missing_columns(&columns, &named, row)?),
                Some(job) => {
                    let pairs = || match &candidates {
                        Some(pairs) => read_candidates(pairs, &named, row),
                        None => Ok(None),
                    };
                    let is_done = fit_jobs::wait(job, pairs)?;
                    call.output().put(row, std::iter::once(is_done));
                }
            }
        }
        Ok(())
    }
}

/// The candidate pairs of a row: a list of structs. None if the list is NULL.
fn read_candidates(
    lists: &InputVector<'_>,
    named: &InputVector<'_>,
    row: usize,
) -> Result<Option<CandidatePairs>, SqlError> {
    let (Some(pairs), Some(rows)) = (lists.elements(), lists.elements_of(row)) else {
        return Ok(None);
    };
    let mut candidates = CandidateBuilder::default();
    if !rows.is_empty() {
        let options = OptionsColumn::new(Caller::Table, Some(named))?;
        let options = options.call(row..row + 1, OptionalColumns::default())?;
        let columns = Columns {
            annotator: AnnotatorColumn::Unknown,
            ..options.options.columns.clone()
        };
        let fields = pairs.fields().ok_or("a candidate pair is not a row")?;
        let present: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let columns = columns.find_to_predict(&present);
        let columns = columns.map_err(|error| format!("candidates: {error}"))?;
        let (left, right) = (pairs.field(&columns.left)?, pairs.field(&columns.right)?);
        let id_type = left.id_type().or(right.id_type()).ok_or_else(|| {
            let found = left.type_name();
            format!("the candidate items are of type {found}; ids are integers, text or UUIDs")
        })?;
        candidates.expect_ids(id_type);
        for row in rows {
            let left = left
                .id(row)
                .map_err(|error| error.in_column(&columns.left))?;
            let right = right
                .id(row)
                .map_err(|error| error.in_column(&columns.right))?;
            candidates.push(left, right)?;
        }
    }
    Ok(Some(candidates.finish()?))
}

/// The error for a table that lacks columns.
fn missing_columns(
    columns: &InputVector<'_>,
    named: &InputVector<'_>,
    row: usize,
) -> Result<SqlError, SqlError> {
    let options = OptionsColumn::new(Caller::Table, Some(named))?;
    let options = options.call(row..row + 1, OptionalColumns::default())?;
    let names = columns.elements().zip(columns.elements_of(row));
    let names: Vec<&str> = names
        .into_iter()
        .flat_map(|(names, rows)| rows.filter_map(|row| names.text(row).ok().flatten()))
        .collect();
    match options.options.columns.find(&names) {
        Err(error) => Ok(error.into()),
        Ok(_) => Ok("the columns of the votes changed while they were read".into()),
    }
}
