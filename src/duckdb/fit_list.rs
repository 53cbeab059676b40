//! `me_hodgerank_list_fit(votes [, options])` and `me_hodgerank_model_list(votes [, options])`:
//! fits of lists of votes, as a STRUCT of result sets whose ids are text, or as bytes. Both
//! take a list of states as well (`state_list.rs`).
//! `me_hodgerank_collect_list(votes [, options])`: the votes themselves, as a state.
//!
//! `me_hodgerank_fit`, `me_hodgerank_model` and `me_hodgerank_collect` are macros that collect
//! the votes of a group with DuckDB's own `list`. So DuckDB keeps the votes, sorts, filters
//! and frees them, and nothing of ours is in a group's state. The macros also give ids
//! the type that they came in with.

use std::ops::Range;
use std::sync::Arc;

use super::arguments::{VoteColumns, VoteFields};
use super::call_options::{CallOptions, Caller, OptionsColumn};
use super::connection::Connection;
use super::error::SqlError;
use super::fit_struct::fit_type;
use super::fit_votes::{GroupOutput, GroupResult};
use super::logical_type::LogicalType;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::state::CollectedVotes;
use super::state_list::write_fits_of_states;
use super::type_ids::{ANY, BLOB};

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<ListFit>(connection)?;
    scalar::register::<ModelList>(connection)?;
    scalar::register::<CollectList>(connection)
}

struct ListFit;

impl ScalarFunction for ListFit {
    const NAME: &'static str = "me_hodgerank_list_fit";
    // A fit takes long: a filter on it must not make a second one.
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        with_or_without_options(fit_type)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        write_lists(call, GroupOutput::Sets)
    }
}

struct ModelList;

impl ScalarFunction for ModelList {
    const NAME: &'static str = "me_hodgerank_model_list";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        with_or_without_options(|| LogicalType::new(BLOB))
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        write_lists(call, GroupOutput::Model)
    }
}

struct CollectList;

impl ScalarFunction for CollectList {
    const NAME: &'static str = "me_hodgerank_collect_list";
    const VOLATILE: bool = true;

    fn signatures() -> Vec<Signature> {
        with_or_without_options(|| LogicalType::new(BLOB))
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        write_lists(call, GroupOutput::State)
    }
}

fn with_or_without_options(result: fn() -> LogicalType) -> Vec<Signature> {
    let signature = |count| Signature {
        arguments: vec![ANY; count],
        result: result(),
    };
    vec![signature(1), signature(2)]
}

/// Fits the list of each row, or makes it a state.
fn write_lists(call: &ScalarCall, output: GroupOutput) -> Result<(), SqlError> {
    let [lists] = call.arguments();
    if lists.is_absent() {
        (0..call.rows()).for_each(|row| output.write(None, call.output(), row));
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
    // NULLs without a type are states that are not there.
    if output != GroupOutput::State && (votes.is_blob() || votes.is_absent()) {
        return write_fits_of_states(call, &lists, output);
    }
    let fields = VoteFields::new(votes)?;
    // Options stand beside the list, or each vote has them.
    let beside = call.argument(1);
    let beside = beside.as_ref().filter(|options| !options.is_absent());
    let caller = match output {
        GroupOutput::State => Caller::Collect,
        GroupOutput::Sets | GroupOutput::Model => Caller::Votes,
    };
    let options = OptionsColumn::new(caller, beside.or(fields.options()))?;
    // A list that is the same for all rows, as in a window, is fitted once.
    let mut last: Option<(Range<usize>, Arc<CallOptions>, GroupResult)> = None;
    for row in 0..call.rows() {
        let Some(rows) = lists.elements_of(row).filter(|rows| !rows.is_empty()) else {
            output.write(None, call.output(), row);
            continue;
        };
        let with_options = match beside {
            Some(_) => row..row + 1,
            None => rows.clone(),
        };
        let options = options.call(with_options, fields.optional())?;
        let known = |(last_rows, last_options, _): &(_, _, _)| {
            *last_rows == rows && Arc::ptr_eq(last_options, &options)
        };
        let (.., result) = match last.take_if(|last| known(last)) {
            Some(known) => last.insert(known),
            None => {
                let columns = VoteColumns::of_list(votes, &fields, &options.options.columns)?;
                let mut collected = CollectedVotes::new(&options);
                columns.expect_ids(&mut collected.builder);
                columns.push(rows.clone(), &mut collected.builder)?;
                let result = output.compute(collected)?;
                last.insert((rows, options, result))
            }
        };
        output.write(Some(result), call.output(), row);
    }
    Ok(())
}
