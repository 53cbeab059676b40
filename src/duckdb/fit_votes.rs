//! A fit of collected votes, and what becomes of it: result sets or bytes.

use arrow_array::RecordBatch;

use super::error::SqlError;
use super::fit_jobs::JobResult;
use super::fit_struct::{write_fit, write_null};
use super::output_vector::OutputVector;
use super::state::CollectedVotes;
use crate::fit::cache;
use crate::render::arrow::hodgerank_ranking;
use crate::{Execution, Fit, ResultSet};

/// What a group of votes becomes.
pub enum GroupResult {
    /// The result sets that the fit has, in the order of `ResultSet::ALL`.
    Sets(Vec<Option<RecordBatch>>),
    /// The fit as bytes.
    Model(Vec<u8>),
}

/// How a group of votes becomes a value.
pub struct GroupOutput {
    compute: fn(&Fit, &mut Execution<'_>) -> crate::Result<GroupResult>,
    write_null: fn(OutputVector, usize),
}

/// A STRUCT of result sets.
pub const SETS: GroupOutput = GroupOutput {
    compute: sets,
    write_null,
};

/// A BLOB.
pub const MODEL: GroupOutput = GroupOutput {
    compute: |fit, _| Ok(GroupResult::Model(fit.to_bytes())),
    write_null: OutputVector::set_null,
};

impl GroupOutput {
    /// Fits the votes of a group. An error says which group.
    pub fn compute(&self, votes: &CollectedVotes) -> Result<GroupResult, SqlError> {
        let CollectedVotes { call, builder } = votes;
        let execution = &mut Execution::new();
        execution.limit(call.options.max_seconds);
        let mut fit = || {
            let votes = builder.snapshot(execution)?;
            let fit = cache::fit(&votes, &call.options, execution)?;
            (self.compute)(&fit, execution)
        };
        Ok(fit().map_err(|error: crate::Error| error.in_group(builder.group()))?)
    }

    /// Writes a row; NULL if there were no votes, as any aggregate of no rows.
    pub fn write(&self, result: Option<&GroupResult>, output: OutputVector, row: usize) {
        match result {
            None => (self.write_null)(output, row),
            Some(GroupResult::Sets(sets)) => write_fit(output, row, sets),
            Some(GroupResult::Model(bytes)) => output.put_bytes(row, bytes),
        }
    }
}

/// The result sets that a fit has.
fn sets(fit: &Fit, execution: &mut Execution<'_>) -> crate::Result<GroupResult> {
    let mut table = |set| fit.has(set).then(|| fit.table_within(set, execution));
    let tables: crate::Result<_> = ResultSet::ALL
        .into_iter()
        .map(|set| table(set).transpose())
        .collect();
    Ok(GroupResult::Sets(tables?))
}

/// What a table function asks for: one result set, or the fit as bytes.
pub fn compute_job(
    votes: CollectedVotes,
    execution: &mut Execution<'_>,
) -> Result<JobResult, SqlError> {
    let CollectedVotes { call, builder } = votes;
    execution.limit(call.options.max_seconds);
    let votes = builder.finish_within(execution)?;
    let Some(set) = call.result else {
        let fit = cache::fit(&votes, &call.options, execution)?;
        return Ok(JobResult::Model(fit.to_bytes()));
    };
    if set == ResultSet::Ranking && call.options.is_hodgerank_only() {
        // It takes less time than a fit.
        let ranking = hodgerank_ranking(&votes, &call.options, execution)?;
        return Ok(JobResult::Rows(ranking));
    }
    if set != ResultSet::Cv {
        execution.stop_early();
    }
    let fit = cache::fit(&votes, &call.options, execution)?;
    Ok(JobResult::Rows(fit.table_within(set, execution)?))
}
