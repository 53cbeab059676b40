//! `me_hodgerank_rows_ranking(fit)` and its siblings, one for each result set: its rows as a
//! LIST of STRUCTs. A fit is the number of a job that is done, or a model as bytes; with the
//! latter go the set's own arguments, a STRUCT, where it has some.
//! `me_hodgerank_job_model(job)`: the bytes that a job made.

use libduckdb_sys::DUCKDB_TYPE;
use serde_json::{Map, Value};

use super::connection::Connection;
use super::error::SqlError;
use super::fit_jobs::{self, JobResult};
use super::fit_struct::{rows_type, write_rows};
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::{ANY, BLOB, UBIGINT};
use crate::{Execution, Fit, ResultSet, SetArguments};

macro_rules! result_rows {
    ($($function:ident: $set:ident = $name:literal;)*) => {
        /// Makes the functions known to DuckDB.
        pub fn register(connection: &Connection) -> Result<(), SqlError> {
            $(scalar::register::<$function>(connection)?;)*
            scalar::register::<JobModel>(connection)
        }

        $(
            struct $function;

            impl ScalarFunction for $function {
                const NAME: &'static str = $name;
                // A job's result is taken once.
                const VOLATILE: bool = true;

                fn signatures() -> Vec<Signature> {
                    signatures(ResultSet::$set)
                }

                fn run(call: &ScalarCall) -> Result<(), SqlError> {
                    write_set(call, ResultSet::$set)
                }
            }
        )*

        #[cfg(test)]
        const NAMES: &[(ResultSet, &str)] = &[$((ResultSet::$set, $name),)*];
    };
}

result_rows! {
    RankingRows: Ranking = "me_hodgerank_rows_ranking";
    AnnotatorRows: Annotators = "me_hodgerank_rows_annotators";
    PersonalRows: Personal = "me_hodgerank_rows_personal";
    PathRows: Path = "me_hodgerank_rows_path";
    CvRows: Cv = "me_hodgerank_rows_cv";
    SummaryRows: Summary = "me_hodgerank_rows_summary";
    CycleRows: Cycles = "me_hodgerank_rows_cycles";
    TriangleRows: Triangles = "me_hodgerank_rows_triangles";
    CompareRows: Compare = "me_hodgerank_rows_compare";
    NextRows: Next = "me_hodgerank_rows_next";
}

fn signatures(set: ResultSet) -> Vec<Signature> {
    let of = |arguments: &[DUCKDB_TYPE]| Signature {
        arguments: arguments.to_vec(),
        result: rows_type(set),
    };
    let mut signatures = vec![of(&[UBIGINT]), of(&[BLOB])];
    if !set.arguments().is_empty() {
        signatures.push(of(&[BLOB, ANY]));
    }
    signatures
}

fn write_set(call: &ScalarCall, set: ResultSet) -> Result<(), SqlError> {
    let [fit] = call.arguments();
    for row in 0..call.rows() {
        let table = match (fit.unsigned(row), fit.blob(row)) {
            (Some(job), _) => match fit_jobs::take(job)? {
                JobResult::Rows(table) => table,
                JobResult::Model(_) => return Err("this fit was not asked for rows".into()),
            },
            (_, Some(model)) => {
                let arguments = set_arguments(call, set, row)?;
                let fit = Fit::from_bytes(model)?;
                fit.table_with(set, &arguments, None, &mut Execution::new())?
            }
            _ => {
                call.output().set_null(row);
                continue;
            }
        };
        write_rows(call.output(), row, set, &table);
    }
    Ok(())
}

/// The set's own arguments in a row.
fn set_arguments(call: &ScalarCall, set: ResultSet, row: usize) -> Result<SetArguments, SqlError> {
    let given = call.argument(1);
    let json = given.map_or(Ok(None), |arguments| arguments.json_text(row))?;
    let fields = json
        .as_deref()
        .map(serde_json::from_str::<Map<String, Value>>);
    let fields = fields.transpose().map_err(|error| error.to_string())?;
    Ok(SetArguments::take_from(
        set,
        &mut fields.unwrap_or_default(),
    )?)
}

struct JobModel;

impl ScalarFunction for JobModel {
    const NAME: &'static str = "me_hodgerank_job_model";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        Signature::only(&[UBIGINT], BLOB)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [job] = call.arguments();
        for row in 0..call.rows() {
            match job.unsigned(row).map(fit_jobs::take).transpose()? {
                None => call.output().set_null(row),
                Some(JobResult::Model(bytes)) => call.output().put_bytes(row, &bytes),
                Some(JobResult::Rows(_)) => return Err("this fit was not asked for bytes".into()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_set_has_its_function() {
        let named = |set: ResultSet| (set, format!("me_hodgerank_rows_{}", set.name()));
        let names: Vec<_> = NAMES
            .iter()
            .map(|(set, name)| (*set, name.to_string()))
            .collect();
        assert_eq!(names, ResultSet::ALL.map(named));
    }
}
