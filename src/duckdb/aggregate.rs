//! What DuckDB calls while it runs the aggregates of the table functions:
//! `me_hodgerank_table_fit(annotator, item, left, right, choice, weight, fold, options)`
//! and `me_hodgerank_table_model`. The type of `item` is that of items in the result.

use libduckdb_sys::{
    duckdb_aggregate_function_set_error, duckdb_aggregate_state, duckdb_data_chunk,
    duckdb_data_chunk_get_column_count, duckdb_data_chunk_get_size, duckdb_data_chunk_get_vector,
    duckdb_function_info, duckdb_vector, idx_t,
};

use super::arguments::VoteColumns;
use super::error::{SqlError, callback, guard};
use super::fit_votes::{FitOutput, MODEL, SETS};
use super::input_vector::InputVector;
use super::output_vector::OutputVector;
use super::state;

/// The error for more than one group, of which an update cannot tell the rows apart.
const ONE_GROUP: &str = "this function is a part of the table functions such as me_hodgerank and \
                         fits one group only; me_hodgerank_fit is the one for groups of votes";

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
    // SAFETY: DuckDB passes a valid chunk of flat vectors and at least one state,
    // which no other thread has.
    unsafe {
        callback(info, duckdb_aggregate_function_set_error, || {
            let rows = duckdb_data_chunk_get_size(chunk) as usize;
            if rows == 0 {
                return Ok(());
            }
            let count = duckdb_data_chunk_get_column_count(chunk);
            let column = |index| InputVector::new(duckdb_data_chunk_get_vector(chunk, index), rows);
            let columns: Vec<_> = (0..count).map(column).collect();
            push(&columns, rows, state::get_mut(states.read()))
        });
    }
}

/// Adds all rows to a state.
fn push(
    columns: &[InputVector<'_>],
    rows: usize,
    state: &mut state::VoteState,
) -> Result<(), SqlError> {
    let [annotator, item, votes @ ..] = columns else {
        return Err("too few arguments".into());
    };
    let [left, right, choice, weight, fold, options] = votes else {
        return Err("too few arguments".into());
    };
    let votes = VoteColumns::of_table([annotator, left, right, choice, weight, fold, options])?;
    let builder = state.collect(&votes.call(0..rows)?)?;
    votes.expect_ids(builder, (annotator, item), 0..rows)?;
    votes.push(0..rows, builder)
}

pub unsafe extern "C" fn combine(
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

/// Writes a STRUCT of all result sets.
pub unsafe extern "C" fn finalize_fit(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    // SAFETY: the arguments of this callback.
    unsafe { finalize(info, source, result, (count, offset), &SETS) };
}

/// Writes the bytes of a fit, a BLOB.
pub unsafe extern "C" fn finalize_model(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    // SAFETY: the arguments of this callback.
    unsafe { finalize(info, source, result, (count, offset), &MODEL) };
}

/// # Safety
///
/// The arguments must be those of a finalize callback.
unsafe fn finalize(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    (count, offset): (idx_t, idx_t),
    fit: &FitOutput,
) {
    // SAFETY: DuckDB passes `count` states and a vector with a row for each, from
    // `offset` on. The states are kept: a running window goes on with them.
    let outcome = guard(|| unsafe {
        if count > 1 {
            return Err(ONE_GROUP.into());
        }
        let output = OutputVector::new(result);
        (0..count as usize).try_for_each(|row| {
            let votes = state::get(source.add(row).read()).0.as_ref();
            let result = votes.map(fit.compute).transpose()?;
            fit.write(result.as_ref(), output, offset as usize + row);
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
