//! `me_hodgerank_job(vote, options)`: the aggregate of the table functions. It collects the
//! votes of a table; the result is the number of a job that fits them
//! ([`fit_jobs`](super::fit_jobs)). A vote is a STRUCT of the columns that may be read.

use libduckdb_sys as ffi;
use libduckdb_sys::{
    duckdb_aggregate_function_set_error, duckdb_aggregate_state, duckdb_data_chunk,
    duckdb_data_chunk_get_size, duckdb_data_chunk_get_vector, duckdb_function_info, duckdb_vector,
    idx_t,
};

use super::arguments::VoteColumns;
use super::call_options::{Caller, MISSING_COLUMNS, OptionalColumns, OptionsColumn};
use super::connection::{Connection, registered};
use super::error::{SqlError, c_string, callback, guard};
use super::fit_jobs;
use super::fit_votes::compute_job;
use super::input_vector::InputVector;
use super::logical_type::LogicalType;
use super::output_vector::OutputVector;
use super::state::{self, CollectedVotes, VoteState};
use super::type_ids::{ANY, UBIGINT};
use crate::Execution;

const NAME: &str = "me_hodgerank_job";

/// The error for more than one group, of which an update cannot tell the rows apart.
const ONE_GROUP: &str = "this function is a part of the table functions such as me_hodgerank and \
                         fits one group only; me_hodgerank_fit is the one for groups of votes";

/// Makes the aggregate known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    let name = c_string(NAME);
    // SAFETY: the function is made, registered (which copies it) and destroyed; it copies
    // its name and types.
    let outcome = unsafe {
        let mut function = ffi::duckdb_create_aggregate_function();
        ffi::duckdb_aggregate_function_set_name(function, name.as_ptr());
        for argument in [ANY, ANY] {
            let argument = LogicalType::new(argument);
            ffi::duckdb_aggregate_function_add_parameter(function, argument.raw());
        }
        let result = LogicalType::new(UBIGINT);
        ffi::duckdb_aggregate_function_set_return_type(function, result.raw());
        ffi::duckdb_aggregate_function_set_functions(
            function,
            Some(state_size),
            Some(init),
            Some(update),
            Some(combine),
            Some(finalize),
        );
        ffi::duckdb_aggregate_function_set_destructor(function, Some(destroy));
        // Rows with a NULL are passed too: they are counted and reported.
        ffi::duckdb_aggregate_function_set_special_handling(function);
        let outcome = ffi::duckdb_register_aggregate_function(connection.raw(), function);
        ffi::duckdb_destroy_aggregate_function(&mut function);
        outcome
    };
    registered(outcome, NAME)
}

unsafe extern "C" fn state_size(_: duckdb_function_info) -> idx_t {
    state::STATE_BYTES as idx_t
}

unsafe extern "C" fn init(_: duckdb_function_info, state: duckdb_aggregate_state) {
    // SAFETY: DuckDB passes new memory of the size that it was told.
    unsafe { state::init(state) };
}

unsafe extern "C" fn destroy(states: *mut duckdb_aggregate_state, count: idx_t) {
    for index in 0..count as usize {
        // SAFETY: DuckDB passes `count` states that `init` filled.
        unsafe { state::destroy(states.add(index).read()) };
    }
}

unsafe extern "C" fn update(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    states: *mut duckdb_aggregate_state,
) {
    // SAFETY: DuckDB passes a valid chunk of two flat vectors and at least one state,
    // which no other thread has.
    unsafe {
        callback(info, duckdb_aggregate_function_set_error, || {
            let rows = duckdb_data_chunk_get_size(chunk) as usize;
            if rows == 0 {
                return Ok(());
            }
            let column = |index| InputVector::new(duckdb_data_chunk_get_vector(chunk, index), rows);
            let (votes, options) = (column(0), column(1));
            push(&votes, &options, rows, state::get_mut(states.read()))
        });
    }
}

/// Adds all rows to a state.
fn push(
    votes: &InputVector<'_>,
    options: &InputVector<'_>,
    rows: usize,
    state: &mut VoteState,
) -> Result<(), SqlError> {
    let options = OptionsColumn::new(Caller::Table, Some(options))?;
    let call = options.call(0..rows, OptionalColumns::default())?;
    let fields = votes.fields().ok_or(ONE_GROUP)?;
    let present: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    let Ok(columns) = call.options.columns.find(&present) else {
        *state = VoteState::MissingColumns;
        return Ok(());
    };
    let Some(CollectedVotes { builder, .. }) = state.collect(&call)? else {
        return Ok(());
    };
    let vote_columns = VoteColumns::of_table(votes, &columns)?;
    vote_columns.expect_ids(builder);
    builder.read_from(columns);
    vote_columns.push(0..rows, builder)
}

unsafe extern "C" fn combine(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    target: *mut duckdb_aggregate_state,
    count: idx_t,
) {
    // SAFETY: DuckDB passes `count` states of each. A source may be read by other
    // threads at the same time, and be read again later: it is not changed.
    unsafe {
        callback(info, duckdb_aggregate_function_set_error, || {
            for index in 0..count as usize {
                let target = target.add(index).read();
                let source = source.add(index).read();
                if target != source {
                    state::get_mut(target).merge(state::get(source))?;
                }
            }
            Ok(())
        });
    }
}

/// Writes the number of the job; NULL if there were no votes.
unsafe extern "C" fn finalize(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    // SAFETY: DuckDB passes `count` states, which no other thread has, and a vector with a
    // row for each, from `offset` on.
    let outcome = guard(|| unsafe {
        if count > 1 {
            return Err(ONE_GROUP.into());
        }
        let output = OutputVector::new(result);
        (0..count as usize).try_for_each(|row| {
            // The votes go to the job: they may be many.
            let job = match std::mem::take(state::get_mut(source.add(row).read())) {
                VoteState::Empty => None,
                VoteState::MissingColumns => Some(MISSING_COLUMNS),
                VoteState::Votes(votes) => {
                    let work = move |execution: &mut Execution<'_>, candidates| {
                        compute_job(*votes, candidates, execution)
                    };
                    Some(fit_jobs::park(work))
                }
            };
            let row = offset as usize + row;
            match job {
                Some(job) => output.put(row, std::iter::once(job)),
                None => output.set_null(row),
            }
            Ok(())
        })
    });
    // SAFETY: `info` and the states are those of this callback. After an error
    // DuckDB may never destroy the states; if it does, they are empty.
    unsafe {
        if outcome.is_err() {
            destroy(source, count);
        }
        callback(info, duckdb_aggregate_function_set_error, || outcome);
    }
}
