//! `me_hodgerank_fit_list(votes, annotator, item [, options])` and
//! `me_hodgerank_model_list(votes [, options])`: fits of lists of votes. The second and third argument of the first give the
//! types that ids have in the result; their values are not used.
//!
//! `me_hodgerank_fit` and `me_hodgerank_model` are macros that collect the votes
//! of a group with DuckDB's own `list`. So DuckDB keeps the votes, sorts, filters
//! and frees them, and nothing of ours is in a group's state.

use std::ops::Range;
use std::sync::Arc;

use libduckdb_sys::DUCKDB_TYPE;

use super::arguments::VoteColumns;
use super::call_options::{CallOptions, Caller, OptionsColumn};
use super::connection::Connection;
use super::error::SqlError;
use super::fit_struct::{RESULT_TYPES, fit_type};
use super::fit_votes::{FitOutput, FitResult, MODEL, SETS};
use super::input_vector::InputVector;
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
        let signature = |ids: &[DUCKDB_TYPE; 2], count| Signature {
            arguments: [ANY, ids[0], ids[1], ANY][..count].to_vec(),
            result: fit_type(ids[0], ids[1]),
        };
        let both = |ids| [signature(ids, 3), signature(ids, 4)];
        RESULT_TYPES.iter().flat_map(both).collect()
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [votes, annotator, item] = call.arguments();
        let options = call.argument(3);
        let types = Some((&annotator, &item));
        write_lists(call, &votes, types, options.as_ref(), &SETS)
    }
}

struct ModelList;

impl ScalarFunction for ModelList {
    const NAME: &'static str = "me_hodgerank_model_list";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        let mut both = Signature::only(&[ANY], BLOB);
        both.extend(Signature::only(&[ANY, ANY], BLOB));
        both
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [votes] = call.arguments();
        write_lists(call, &votes, None, call.argument(1).as_ref(), &MODEL)
    }
}

/// Fits the list of each row.
fn write_lists(
    call: &ScalarCall,
    lists: &InputVector<'_>,
    types: Option<(&InputVector<'_>, &InputVector<'_>)>,
    options: Option<&InputVector<'_>>,
    fit: &FitOutput,
) -> Result<(), SqlError> {
    if lists.is_absent() {
        (0..call.rows()).for_each(|row| fit.write(None, call.output(), row));
        return Ok(());
    }
    let Some(votes) = lists.elements() else {
        return Err(format!(
            "the votes are of type {}; they are a list of structs such as \
             list({{annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice}})",
            lists.type_name()
        )
        .into());
    };
    let columns = VoteColumns::of_votes(votes)?;
    let options = options.filter(|options| !options.is_absent());
    let options = options.map(|options| OptionsColumn::new(Caller::Votes, Some(options)));
    let options = options.transpose()?;
    // A list that is the same for all rows, as in a window, is fitted once.
    let mut last: Option<(Range<usize>, Arc<CallOptions>, FitResult)> = None;
    for row in 0..call.rows() {
        let Some(rows) = lists.elements_of(row).filter(|rows| !rows.is_empty()) else {
            fit.write(None, call.output(), row);
            continue;
        };
        let options = match &options {
            Some(options) => columns.call_with(options, row..row + 1)?,
            None => columns.call(rows.clone())?,
        };
        let known = |(last_rows, last_options, _): &(_, _, _)| {
            *last_rows == rows && Arc::ptr_eq(last_options, &options)
        };
        let (.., result) = match last.take_if(|last| known(last)) {
            Some(known) => last.insert(known),
            None => {
                let mut collected = CollectedVotes::new(&options);
                match types {
                    Some(types) => {
                        columns.expect_ids(&mut collected.builder, types, rows.clone())?
                    }
                    None => columns.expect_own_ids(&mut collected.builder),
                }
                columns.push(rows.clone(), &mut collected.builder)?;
                let result = (fit.compute)(&collected)?;
                last.insert((rows, options, result))
            }
        };
        fit.write(Some(result), call.output(), row);
    }
    Ok(())
}
