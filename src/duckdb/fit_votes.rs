//! What becomes of collected votes: a fit, as result sets or as bytes, or a state.

use arrow_array::RecordBatch;

use super::call_options::CallOptions;
use super::error::SqlError;
use super::fit_jobs::JobResult;
use super::fit_struct::{STRUCT_SETS, write_fit, write_null};
use super::output_vector::OutputVector;
use super::state::CollectedVotes;
use crate::fit::cache;
use crate::render::arrow::hodgerank_ranking;
use crate::{CandidatePairs, CountedVotes, Execution, Fit, ResultSet, Votes};

/// What a group of votes becomes.
pub enum GroupResult {
    /// The result sets that the fit has, in the order of [`STRUCT_SETS`].
    Sets(Vec<Option<RecordBatch>>),
    /// The fit, or a state, as bytes.
    Bytes(Vec<u8>),
}

/// What a group of votes becomes a value of.
#[derive(Clone, Copy, PartialEq)]
pub enum GroupOutput {
    /// A STRUCT of result sets.
    Sets,
    /// A BLOB, the fit.
    Model,
    /// A BLOB, the votes.
    State,
}

/// The longest BLOB.
const MAX_BLOB_BYTES: usize = u32::MAX as usize;

/// A state as a BLOB.
pub fn state_bytes(state: &CountedVotes) -> crate::Result<Vec<u8>> {
    let bytes = state.to_bytes();
    match bytes.len() <= MAX_BLOB_BYTES {
        true => Ok(bytes),
        false => Err(crate::Error::state(
            "this state would be longer than a BLOB can be, 4 GB: collect fewer votes in each",
        )),
    }
}

impl GroupOutput {
    /// Fits the votes of a group, or makes them a state. An error says which group.
    pub fn compute(self, votes: CollectedVotes) -> Result<GroupResult, SqlError> {
        let CollectedVotes { call, builder } = votes;
        let execution = &mut self.execution(&call)?;
        let group = builder.group();
        let result = match self {
            Self::State => builder
                .finish_counted_within(execution)
                .and_then(|votes| Ok(GroupResult::Bytes(state_bytes(&votes)?))),
            _ => builder
                .finish_within(execution)
                .and_then(|votes| self.fit(&votes, &call, execution)),
        };
        Ok(result.map_err(|error| error.in_group(group))?)
    }

    /// Fits the votes of a group of states. An error says which group.
    pub fn compute_states(
        self,
        states: Vec<CountedVotes>,
        call: &CallOptions,
    ) -> Result<Option<GroupResult>, SqlError> {
        let execution = &mut self.execution(call)?;
        let Some(merged) = CountedVotes::merge_within(states, execution)? else {
            return Ok(None);
        };
        let votes = merged.votes_within(execution);
        let result = votes.and_then(|votes| self.fit(&votes, call, execution));
        Ok(Some(
            result.map_err(|error| error.in_group(merged.group()))?,
        ))
    }

    fn execution(self, call: &CallOptions) -> Result<Execution<'static>, SqlError> {
        if self == Self::Model && call.result.is_some() {
            return Err("result is an option of me_hodgerank_fit: a model holds every set".into());
        }
        let mut execution = Execution::new();
        execution.limit(call.options.max_seconds);
        Ok(execution)
    }

    fn fit(
        self,
        votes: &Votes,
        call: &CallOptions,
        execution: &mut Execution<'_>,
    ) -> crate::Result<GroupResult> {
        match (self, call.result) {
            (Self::Sets, Some(only)) => {
                let table = one_set(votes, call, only, None, execution)?;
                let sets = STRUCT_SETS.iter();
                let sets = sets.map(|set| (*set == only).then(|| table.clone()));
                Ok(GroupResult::Sets(sets.collect()))
            }
            (Self::Sets, None) => {
                let fit = cache::fit(votes, &call.options, execution)?;
                sets(&fit, execution)
            }
            _ => {
                let fit = cache::fit(votes, &call.options, execution)?;
                Ok(GroupResult::Bytes(fit.to_bytes()))
            }
        }
    }

    /// Writes a row; NULL if there were no votes, as any aggregate of no rows.
    pub fn write(self, result: Option<&GroupResult>, output: OutputVector, row: usize) {
        match result {
            None if self == Self::Sets => write_null(output, row),
            None => output.set_null(row),
            Some(GroupResult::Sets(sets)) => write_fit(output, row, sets),
            Some(GroupResult::Bytes(bytes)) => output.put_bytes(row, bytes),
        }
    }
}

/// The result sets that a fit has.
fn sets(fit: &Fit, execution: &mut Execution<'_>) -> crate::Result<GroupResult> {
    let mut table = |set| fit.has(set).then(|| fit.table_within(set, execution));
    let tables: crate::Result<_> = STRUCT_SETS
        .iter()
        .map(|set| table(*set).transpose())
        .collect();
    Ok(GroupResult::Sets(tables?))
}

/// One result set of a fit.
fn one_set(
    votes: &Votes,
    call: &CallOptions,
    set: ResultSet,
    candidates: Option<&CandidatePairs>,
    execution: &mut Execution<'_>,
) -> crate::Result<RecordBatch> {
    let options = &call.options;
    if set == ResultSet::Ranking && options.is_hodgerank_only() {
        // It takes less time than a fit.
        return hodgerank_ranking(votes, options, execution);
    }
    execution.set_extent(set.extent());
    let fit = cache::fit(votes, options, execution)?;
    fit.table_with(set, &call.set_arguments, candidates, execution)
}

/// What a table function asks for: one result set, or the fit as bytes.
pub fn compute_job(
    votes: CollectedVotes,
    candidates: Option<CandidatePairs>,
    execution: &mut Execution<'_>,
) -> Result<JobResult, SqlError> {
    let CollectedVotes { call, builder } = votes;
    execution.limit(call.options.max_seconds);
    let votes = builder.finish_within(execution)?;
    Ok(match call.result {
        Some(set) => JobResult::Rows(one_set(&votes, &call, set, candidates.as_ref(), execution)?),
        None => JobResult::Model(cache::fit(&votes, &call.options, execution)?.to_bytes()),
    })
}
