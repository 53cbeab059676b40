//! `me_hodgerank_fit_list(votes, annotator, item)` and `me_hodgerank_model_list(votes)`:
//! fits of lists of votes. The second and third argument of the first give the
//! types that ids have in the result; their values are not used.
//!
//! `me_hodgerank_fit` and `me_hodgerank_model` are macros that collect the votes
//! of a group with DuckDB's own `list`. So DuckDB keeps the votes, sorts, filters
//! and frees them, and nothing of ours is in a group's state.

use libduckdb_sys::DUCKDB_TYPE;

use super::arguments::VoteColumns;
use super::connection::Connection;
use super::error::SqlError;
use super::fit_struct::{RESULT_TYPES, fit_type};
use super::fit_votes::{WriteVotes, write_fit_of, write_model_of};
use super::input_vector::InputVector;
use super::logical_type::LogicalType;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::state::CollectedVotes;
use super::type_ids::{ANY, BLOB};

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<FitList>(connection)?;
    scalar::register::<ModelList>(connection)
}

struct FitList;

impl ScalarFunction for FitList {
    const NAME: &'static str = "me_hodgerank_fit_list";
    // A fit takes long: a filter on it must not make a second one.
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        let signature = |ids: &[DUCKDB_TYPE; 2]| Signature {
            arguments: vec![ANY, ids[0], ids[1]],
            result: fit_type(ids[0], ids[1]),
        };
        RESULT_TYPES.iter().map(signature).collect()
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [votes, annotator, item] = call.arguments();
        write_lists(call, &votes, Some((&annotator, &item)), write_fit_of)
    }
}

struct ModelList;

impl ScalarFunction for ModelList {
    const NAME: &'static str = "me_hodgerank_model_list";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        vec![Signature {
            arguments: vec![ANY],
            result: LogicalType::new(BLOB),
        }]
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [votes] = call.arguments();
        write_lists(call, &votes, None, write_model_of)
    }
}

/// Fits the list of each row.
fn write_lists(
    call: &ScalarCall,
    lists: &InputVector<'_>,
    types: Option<(&InputVector<'_>, &InputVector<'_>)>,
    write: WriteVotes,
) -> Result<(), SqlError> {
    if lists.is_absent() {
        return (0..call.rows()).try_for_each(|row| write(None, call.output(), row));
    }
    let Some((votes, rows_of)) = lists.elements() else {
        return Err(format!(
            "the votes are of type {}; they are a list of structs such as \
             list({{annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice}})",
            lists.type_name()
        )
        .into());
    };
    let columns = VoteColumns::of_votes(votes)?;
    for row in 0..call.rows() {
        let collected = match rows_of(row).filter(|rows| !rows.is_empty()) {
            None => None,
            Some(rows) => {
                let mut collected = CollectedVotes::new(&columns.call(rows.clone())?);
                match types {
                    Some(types) => {
                        columns.expect_ids(&mut collected.builder, types, rows.clone())?
                    }
                    None => columns.expect_own_ids(&mut collected.builder),
                }
                columns.push(rows, &mut collected.builder)?;
                Some(collected)
            }
        };
        write(collected.as_ref(), call.output(), row)?;
    }
    Ok(())
}
