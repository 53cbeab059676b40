//! Lists of states: `me_hodgerank_merge_list(states)`, one state of their votes, and what
//! `me_hodgerank_list_fit` and `me_hodgerank_model_list` do with them.
//!
//! `me_hodgerank_merge`, and `me_hodgerank_model` of states, are macros over DuckDB's own `list`,
//! as those of votes are. A state that is NULL has no votes.

use std::ops::Range;
use std::sync::Arc;

use super::call_options::{CallOptions, Caller, OptionalColumns, OptionsColumn};
use super::connection::Connection;
use super::error::SqlError;
use super::fit_votes::{GroupOutput, GroupResult, state_bytes};
use super::input_vector::InputVector;
use super::logical_type::LogicalType;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::{ANY, BLOB};
use crate::CountedVotes;

/// Makes the function known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<MergeList>(connection)
}

struct MergeList;

impl ScalarFunction for MergeList {
    const NAME: &'static str = "me_hodgerank_merge_list";
    // Merging takes long: a filter on it must not do it a second time.
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        vec![Signature {
            arguments: vec![ANY],
            result: LogicalType::new(BLOB),
        }]
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [lists] = call.arguments();
        check_states(&lists)?;
        // It has no options.
        let options = OptionsColumn::new(Caller::States, None)?;
        write_states(call, &lists, GroupOutput::State, &options, |states, _| {
            let merged = CountedVotes::merge(states)?;
            let bytes = merged.as_ref().map(state_bytes).transpose()?;
            Ok(bytes.map(GroupResult::Bytes))
        })
    }
}

/// Checks that these are lists of BLOBs.
fn check_states(lists: &InputVector<'_>) -> Result<(), SqlError> {
    match lists.elements() {
        _ if lists.is_absent() => Ok(()),
        None => Err(format!(
            "the states are of type {}; they are a list of BLOBs that me_hodgerank_collect made, \
             list(state)",
            lists.type_name()
        )
        .into()),
        Some(states) if states.is_blob() || states.is_absent() => Ok(()),
        Some(states) => Err(format!(
            "a state is of type {}; it is a BLOB that me_hodgerank_collect made",
            states.type_name()
        )
        .into()),
    }
}

/// Fits the states in the list of each row. Options stand beside the list.
pub fn write_fits_of_states(
    call: &ScalarCall,
    lists: &InputVector<'_>,
    output: GroupOutput,
) -> Result<(), SqlError> {
    let options = call.argument(1);
    let options = options.as_ref().filter(|options| !options.is_absent());
    let options = OptionsColumn::new(Caller::States, options)?;
    write_states(call, lists, output, &options, |states, options| {
        output.compute_states(states, options)
    })
}

/// Writes what becomes of the states in the list of each row; NULL if there are none. A list
/// that is the same for all rows, as in a window, is read once.
fn write_states(
    call: &ScalarCall,
    lists: &InputVector<'_>,
    output: GroupOutput,
    options: &OptionsColumn<'_>,
    compute: impl Fn(Vec<CountedVotes>, &CallOptions) -> Result<Option<GroupResult>, SqlError>,
) -> Result<(), SqlError> {
    let mut last: Option<(Range<usize>, Arc<CallOptions>, Option<GroupResult>)> = None;
    for row in 0..call.rows() {
        let Some((states, rows)) = lists.elements().zip(lists.elements_of(row)) else {
            output.write(None, call.output(), row);
            continue;
        };
        let options = options.call(row..row + 1, OptionalColumns::default())?;
        let known = |(last_rows, last_options, _): &(_, _, _)| {
            *last_rows == rows && Arc::ptr_eq(last_options, &options)
        };
        let (.., result) = match last.take_if(|last| known(last)) {
            Some(known) => last.insert(known),
            None => {
                let blobs = rows.clone().filter_map(|row| states.blob(row));
                let states: crate::Result<_> = blobs.map(CountedVotes::from_bytes).collect();
                let result = compute(states?, &options)?;
                last.insert((rows, options, result))
            }
        };
        output.write(result.as_ref(), call.output(), row);
    }
    Ok(())
}
