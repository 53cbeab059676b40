//! `me_hodgerank_fit(annotator, left, right, choice [, weight [, fold]] [, options])`:
//! what DuckDB calls while it runs the aggregate.

use std::sync::Arc;

use arrow_array::RecordBatch;
use libduckdb_sys::{
    duckdb_aggregate_function_set_error, duckdb_aggregate_state, duckdb_data_chunk,
    duckdb_function_info, duckdb_vector, idx_t,
};

use super::handles::{c_string, guard};
use super::input::Input;
use super::options::CallOptions;
use super::result::Output;
use super::state::{self, Collected, State, States};
use crate::fit::cache;
use crate::render::arrow::hodgerank_ranking;
use crate::{Execution, Fit, ResultSet, VoteBuilder};

pub unsafe extern "C" fn state_size(_: duckdb_function_info) -> idx_t {
    state::SLOT_BYTES as idx_t
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
    let outcome = guard(|| {
        // SAFETY: DuckDB passes a valid chunk of flat vectors and its states.
        unsafe {
            let input = Input::new(chunk)?;
            input.push(States::of_update(states, input.rows()))
        }
    });
    report(info, outcome);
}

pub unsafe extern "C" fn combine(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    target: *mut duckdb_aggregate_state,
    count: idx_t,
) {
    let (source, target) = (States::each(source), States::each(target));
    let outcome = guard(|| {
        for row in 0..count as usize {
            // SAFETY: DuckDB passes `count` states of each; a source may be
            // read by others at the same time, and be read again later.
            let (source, target) = unsafe { (source.read(row), target.get(row)) };
            merge(source, target)?;
        }
        Ok(())
    });
    report(info, outcome);
}

/// Adds a copy of the source's votes to the target.
fn merge(source: &State, target: &mut State) -> Result<(), String> {
    let Some(source) = &source.votes else {
        return Ok(());
    };
    let target = target.collect(&source.call)?;
    target
        .merge_copy(&source.builder)
        .map_err(|error| error.to_string())
}

/// A struct of all result sets.
pub unsafe extern "C" fn finalize(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    // SAFETY: what DuckDB passes, passed on.
    unsafe { finish(info, source, result, (count, offset), fit) };
}

/// The whole fit as a BLOB.
pub unsafe extern "C" fn finalize_model(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    // SAFETY: what DuckDB passes, passed on.
    unsafe { finish(info, source, result, (count, offset), model) };
}

type Write = fn(&State, Output, usize) -> Result<(), String>;

/// # Safety
///
/// DuckDB's arguments of a finalize.
unsafe fn finish(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    (count, offset): (idx_t, idx_t),
    write: Write,
) {
    let states = States::each(source);
    let rows = 0..count as usize;
    let outcome = guard(|| {
        // SAFETY: the vector has a row for each state, from `offset` on.
        let output = unsafe { Output::new(result) };
        for row in rows.clone() {
            // SAFETY: DuckDB passes `count` states. They are kept: a running
            // window goes on with them.
            let state = unsafe { states.read(row) };
            write(state, output, offset as usize + row)?;
        }
        Ok(())
    });
    if outcome.is_err() {
        // DuckDB may never destroy them after an error; if it does, they are empty.
        // SAFETY: DuckDB passes `count` states that `init` filled.
        unsafe { destroy(source, count) };
    }
    report(info, outcome);
}

/// Fits a group and writes the result.
fn fit(state: &State, output: Output, row: usize) -> Result<(), String> {
    if let Some(ranking) = ranking_alone(state)? {
        output.write_set(row, ResultSet::Ranking, &ranking);
        return Ok(());
    }
    match fitted(state, needs_curve)? {
        Some(Fitted { fit, call, mut run }) => output
            .write_fit(row, &fit, call.only, &mut run)
            .map_err(|error| error.to_string()),
        None => {
            // As any aggregate of no rows. DuckDB 2.0 asks for it in every
            // correlated subquery.
            output.write_no_fit(row);
            Ok(())
        }
    }
}

/// The ranking where nothing else is asked for and no effect is in the model: it
/// is found before a whole fit would be.
fn ranking_alone(state: &State) -> Result<Option<RecordBatch>, String> {
    let Some(Collected { call, builder }) = &state.votes else {
        return Ok(None);
    };
    if call.only != Some(ResultSet::Ranking) || !call.options.is_hodgerank_only() {
        return Ok(None);
    }
    let mut run = Execution::new().max_seconds(call.options.max_seconds);
    let ranking = builder
        .snapshot(&mut run)
        .and_then(|votes| hodgerank_ranking(&votes, &call.options, &mut run));
    ranking.map(Some).map_err(|error| error.to_string())
}

/// Fits a group and writes the fit as bytes.
fn model(state: &State, output: Output, row: usize) -> Result<(), String> {
    match fitted(state, |_| true)? {
        Some(Fitted { fit, .. }) => output.put_bytes(row, &fit.to_bytes()),
        None => output.set_null(row),
    }
    Ok(())
}

/// A fit, how it was asked for, and the run that goes on with writing it.
struct Fitted<'a> {
    fit: Arc<Fit>,
    call: &'a CallOptions,
    run: Execution<'a>,
}

/// Whether the whole cross-validation curve is among what was asked for.
fn needs_curve(call: &CallOptions) -> bool {
    call.only.is_none_or(|set| set == ResultSet::Cv)
}

/// None for a group without rows.
fn fitted(
    state: &State,
    whole: impl Fn(&CallOptions) -> bool,
) -> Result<Option<Fitted<'_>>, String> {
    let Some(Collected { call, builder }) = &state.votes else {
        return Ok(None);
    };
    let mut run = Execution::new().max_seconds(call.options.max_seconds);
    if !whole(call) {
        run.early_stopping();
    }
    let fit = builder
        .snapshot(&mut run)
        .and_then(|votes| cache::fit(&votes, &call.options, &mut run));
    let fit = fit.map_err(|error| error.to_string())?;
    Ok(Some(Fitted { fit, call, run }))
}

fn report(info: duckdb_function_info, outcome: Result<(), String>) {
    if let Err(message) = outcome {
        let message = c_string(&message);
        // SAFETY: `info` is the one of the running callback; DuckDB copies the text.
        unsafe { duckdb_aggregate_function_set_error(info, message.as_ptr()) };
    }
}

impl State {
    /// The votes of this group, which all come with the same options.
    pub fn collect(&mut self, call: &Arc<CallOptions>) -> Result<&mut VoteBuilder, String> {
        let votes = self.votes.get_or_insert_with(|| Collected {
            call: call.clone(),
            builder: VoteBuilder::new(&call.options),
        });
        if !Arc::ptr_eq(&votes.call, call) && votes.call.written != call.written {
            return Err("the options must be the same for all votes of a group".into());
        }
        Ok(&mut votes.builder)
    }
}
