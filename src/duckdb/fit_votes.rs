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

/// What a row of the result is.
pub enum FitResult {
    /// The result sets that were asked for, in the order of `ResultSet::ALL`.
    Sets(Vec<Option<RecordBatch>>),
    /// The fit as bytes.
    Model(Vec<u8>),
}

/// How votes become a row of the result.
pub struct FitOutput {
    pub compute: fn(&CollectedVotes) -> Result<FitResult, SqlError>,
    write_null: fn(OutputVector, usize),
}

/// A STRUCT of result sets.
pub const SETS: FitOutput = FitOutput {
    compute: sets,
    write_null,
};

/// A BLOB.
pub const MODEL: FitOutput = FitOutput {
    compute: |votes| Ok(FitResult::Model(fit(votes, true)?.0.to_bytes())),
    write_null: OutputVector::set_null,
};

impl FitOutput {
    /// Writes a row; NULL if there were no votes, as any aggregate of no rows.
    pub fn write(&self, result: Option<&FitResult>, output: OutputVector, row: usize) {
        match result {
            None => (self.write_null)(output, row),
            Some(FitResult::Sets(sets)) => write_fit(output, row, sets),
            Some(FitResult::Model(bytes)) => output.put_bytes(row, bytes),
        }
    }
}

/// The result sets that were asked for.
fn sets(votes: &CollectedVotes) -> Result<FitResult, SqlError> {
    let sets = ResultSet::ALL.into_iter();
    if let Some(ranking) = ranking_alone(votes)? {
        let table = |set| (set == ResultSet::Ranking).then(|| ranking.clone());
        return Ok(FitResult::Sets(sets.map(table).collect()));
    }
    let call = &votes.call;
    let (fit, mut execution) = fit(votes, needs_curve(call))?;
    let tables: crate::Result<_> = sets
        .map(|set| {
            let wanted = call.only.is_none_or(|only| only == set);
            // A set that was asked for by name and is not available is an error.
            let available = call.only.is_some() || fit.has(set);
            let table = (wanted && available).then(|| fit.table_within(set, &mut execution));
            table.transpose()
        })
        .collect();
    Ok(FitResult::Sets(tables?))
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
