//! `me_hodgerank_fit(annotator, left, right, choice [, weight [, fold]] [, options])`
//! and `me_hodgerank_model` with the same arguments: what DuckDB calls while it
//! runs the aggregates.

use std::sync::Arc;

use arrow_array::RecordBatch;
use libduckdb_sys::{
    duckdb_aggregate_function_set_error, duckdb_aggregate_state, duckdb_data_chunk,
    duckdb_function_info, duckdb_vector, idx_t,
};

use super::arguments::VoteArguments;
use super::call_options::CallOptions;
use super::error::{SqlError, callback, guard};
use super::fit_struct::{write_fit, write_null};
use super::output_vector::OutputVector;
use super::state::{self, CollectedVotes, GroupState, States};
use crate::fit::cache;
use crate::render::arrow::hodgerank_ranking;
use crate::{Execution, Fit, ResultSet};

pub unsafe extern "C" fn state_size(_: duckdb_function_info) -> idx_t {
    state::STATE_BYTES as idx_t
}

pub unsafe extern "C" fn init(_: duckdb_function_info, state: duckdb_aggregate_state) {
    // SAFETY: DuckDB passes new memory of the size that it was told.
    unsafe { state::init(state) };
}

pub unsafe extern "C" fn destroy(states: *mut duckdb_aggregate_state, count: idx_t) {
    for index in 0..count as usize {
        // SAFETY: DuckDB passes `count` states that `init` filled.
        unsafe { state::destroy(states.add(index).read()) };
    }
}

pub unsafe extern "C" fn update(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    states: *mut duckdb_aggregate_state,
) {
    // SAFETY: DuckDB passes a valid chunk of flat vectors and its states.
    unsafe {
        callback(info, duckdb_aggregate_function_set_error, || {
            let arguments = VoteArguments::new(chunk)?;
            arguments.push(States::of_update(states, arguments.rows()))
        });
    }
}

pub unsafe extern "C" fn combine(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    target: *mut duckdb_aggregate_state,
    count: idx_t,
) {
    let (source, target) = (States::each(source), States::each(target));
    // SAFETY: DuckDB passes `count` states of each. A source may be read by other
    // threads at the same time, and be read again later: it is not changed.
    unsafe {
        callback(info, duckdb_aggregate_function_set_error, || {
            (0..count as usize).try_for_each(|row| target.get(row).merge(source.read(row)))
        });
    }
}

/// Writes a STRUCT of all result sets for each group.
pub unsafe extern "C" fn finalize_fit(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    // SAFETY: the arguments of this callback.
    unsafe { finalize(info, source, result, (count, offset), fit_group) };
}

/// Writes the bytes of a fit, a BLOB, for each group.
pub unsafe extern "C" fn finalize_model(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    // SAFETY: the arguments of this callback.
    unsafe { finalize(info, source, result, (count, offset), model_group) };
}

/// Writes the result of a group to a row.
type WriteGroup = fn(&GroupState, OutputVector, usize) -> Result<(), SqlError>;

/// # Safety
///
/// The arguments must be those of a finalize callback.
unsafe fn finalize(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    (count, offset): (idx_t, idx_t),
    write: WriteGroup,
) {
    let states = States::each(source);
    // SAFETY: DuckDB passes `count` states and a vector with a row for each, from
    // `offset` on. The states are kept: a running window goes on with them.
    let outcome = guard(|| unsafe {
        let output = OutputVector::new(result);
        (0..count as usize)
            .try_for_each(|row| write(states.read(row), output, offset as usize + row))
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

/// Fits a group and writes the result sets that were asked for.
fn fit_group(state: &GroupState, output: OutputVector, row: usize) -> Result<(), SqlError> {
    if let Some(ranking) = ranking_alone(state)? {
        let table = |set| (set == ResultSet::Ranking).then(|| ranking.clone());
        return write_fit(output, row, |set| Ok(table(set)));
    }
    let Some(group) = GroupFit::new(state, needs_curve)? else {
        // As any aggregate of no rows. DuckDB 2.0 asks for it in every
        // correlated subquery.
        write_null(output, row);
        return Ok(());
    };
    let GroupFit {
        fit,
        call,
        mut execution,
    } = group;
    write_fit(output, row, |set| {
        let wanted = call.only.is_none_or(|only| only == set);
        // A set that was asked for by name and is not available is an error.
        let available = call.only.is_some() || fit.has(set);
        let table = (wanted && available).then(|| fit.table_within(set, &mut execution));
        Ok(table.transpose()?)
    })
}

/// Fits a group and writes the fit as bytes.
fn model_group(state: &GroupState, output: OutputVector, row: usize) -> Result<(), SqlError> {
    match GroupFit::new(state, |_| true)? {
        Some(group) => output.put_bytes(row, &group.fit.to_bytes()),
        None => output.set_null(row),
    }
    Ok(())
}

/// The ranking, if nothing else is asked for and the model has no effects: it
/// takes less time than a fit.
fn ranking_alone(state: &GroupState) -> Result<Option<RecordBatch>, SqlError> {
    let Some(CollectedVotes { call, builder }) = &state.votes else {
        return Ok(None);
    };
    if call.only != Some(ResultSet::Ranking) || !call.options.is_hodgerank_only() {
        return Ok(None);
    }
    let mut execution = Execution::new();
    execution.limit(call.options.max_seconds);
    let votes = builder.snapshot(&mut execution)?;
    let ranking = hodgerank_ranking(&votes, &call.options, &mut execution)?;
    Ok(Some(ranking))
}

/// Whether the complete cross-validation curve is asked for.
fn needs_curve(call: &CallOptions) -> bool {
    call.only.is_none_or(|set| set == ResultSet::Cv)
}

/// The fit of a group, its options, and the execution whose time limit also
/// holds for the result sets.
struct GroupFit<'a> {
    fit: Arc<Fit>,
    call: &'a CallOptions,
    execution: Execution<'a>,
}

impl<'a> GroupFit<'a> {
    /// None for a group without rows.
    fn new(
        state: &'a GroupState,
        needs_curve: fn(&CallOptions) -> bool,
    ) -> Result<Option<Self>, SqlError> {
        let Some(CollectedVotes { call, builder }) = &state.votes else {
            return Ok(None);
        };
        let mut execution = Execution::new();
        execution.limit(call.options.max_seconds);
        if !needs_curve(call) {
            execution.stop_early();
        }
        let votes = builder.snapshot(&mut execution)?;
        let fit = cache::fit(&votes, &call.options, &mut execution)?;
        Ok(Some(Self {
            fit,
            call,
            execution,
        }))
    }
}
