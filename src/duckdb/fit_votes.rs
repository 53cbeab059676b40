//! A fit of collected votes, written to a row of the result: as a STRUCT of all
//! result sets or as bytes.

use std::sync::Arc;

use arrow_array::RecordBatch;

use super::call_options::CallOptions;
use super::error::SqlError;
use super::fit_struct::{write_fit, write_null};
use super::output_vector::OutputVector;
use super::state::CollectedVotes;
use crate::fit::cache;
use crate::render::arrow::hodgerank_ranking;
use crate::{Execution, Fit, ResultSet};

/// Fits votes and writes what is asked for to a row; NULL if there are no votes,
/// as any aggregate of no rows.
pub type WriteVotes = fn(Option<&CollectedVotes>, OutputVector, usize) -> Result<(), SqlError>;

/// Writes the result sets that were asked for.
pub fn write_fit_of(
    votes: Option<&CollectedVotes>,
    output: OutputVector,
    row: usize,
) -> Result<(), SqlError> {
    let Some(votes) = votes else {
        write_null(output, row);
        return Ok(());
    };
    if let Some(ranking) = ranking_alone(votes)? {
        let table = |set| (set == ResultSet::Ranking).then(|| ranking.clone());
        return write_fit(output, row, |set| Ok(table(set)));
    }
    let call = &votes.call;
    let (fit, mut execution) = fit(votes, needs_curve(call))?;
    write_fit(output, row, |set| {
        let wanted = call.only.is_none_or(|only| only == set);
        // A set that was asked for by name and is not available is an error.
        let available = call.only.is_some() || fit.has(set);
        let table = (wanted && available).then(|| fit.table_within(set, &mut execution));
        Ok(table.transpose()?)
    })
}

/// Writes the fit as bytes.
pub fn write_model_of(
    votes: Option<&CollectedVotes>,
    output: OutputVector,
    row: usize,
) -> Result<(), SqlError> {
    match votes {
        Some(votes) => output.put_bytes(row, &fit(votes, true)?.0.to_bytes()),
        None => output.set_null(row),
    }
    Ok(())
}

/// The ranking, if nothing else is asked for and the model has no effects: it
/// takes less time than a fit.
fn ranking_alone(votes: &CollectedVotes) -> Result<Option<RecordBatch>, SqlError> {
    let CollectedVotes { call, builder } = votes;
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

/// The fit, and the execution whose time limit also holds for the result sets.
fn fit(votes: &CollectedVotes, needs_curve: bool) -> Result<(Arc<Fit>, Execution<'_>), SqlError> {
    let CollectedVotes { call, builder } = votes;
    let mut execution = Execution::new();
    execution.limit(call.options.max_seconds);
    if !needs_curve {
        execution.stop_early();
    }
    let votes = builder.snapshot(&mut execution)?;
    let fit = cache::fit(&votes, &call.options, &mut execution)?;
    Ok((fit, execution))
}
