//! `me_hodgerank_wait(job, columns, named)`: whether the fit of a table function is done.
//! `columns` are those that the table has, `named` those that the caller named.
//! `me_hodgerank_unshared()`: true, and volatile. DuckDB computes equal parts of a query
//! once, and a job's result is taken once: with this in it, no part equals another.

use super::call_options::{Caller, MISSING_COLUMNS, OptionalColumns, OptionsColumn};
use super::connection::Connection;
use super::error::SqlError;
use super::fit_jobs;
use super::input_vector::InputVector;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::{ANY, BOOLEAN, UBIGINT};

/// Makes the function known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<Wait>(connection)?;
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

struct Wait;

impl ScalarFunction for Wait {
    const NAME: &'static str = "me_hodgerank_wait";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        Signature::only(&[UBIGINT, ANY, ANY], BOOLEAN)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [job, columns, named] = call.arguments();
        for row in 0..call.rows() {
            match job.unsigned(row) {
                None => call.output().set_null(row),
                Some(MISSING_COLUMNS) => return Err(missing_columns(&columns, &named, row)?),
                Some(job) => {
                    let is_done = fit_jobs::wait(job)?;
                    call.output().put(row, std::iter::once(is_done));
                }
            }
        }
        Ok(())
    }
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
