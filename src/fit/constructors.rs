//! `Fit::new`: checks the input, then runs the computation on worker threads.

use super::compute::{compute, refuse_one_sided};
use super::types::Fit;
use crate::error::Result;
use crate::execution::Execution;
use crate::options::Options;
use crate::votes::Votes;

impl Fit {
    /// Fits the model on all cores.
    pub fn new(votes: &Votes, options: &Options) -> Result<Self> {
        Self::new_within(votes, options, &mut Execution::new())
    }

    /// Fits the model with a choice of threads, deadline and interruption.
    pub fn new_within(
        votes: &Votes,
        options: &Options,
        execution: &mut Execution<'_>,
    ) -> Result<Self> {
        options.check()?;
        refuse_one_sided(&votes.comparisons, options)?;
        execution.limit(options.max_seconds);
        let cv_extent = execution.cv_extent();
        execution.run_sized(votes.comparisons.len(), |stop, threads| {
            compute(votes, options, (threads, cv_extent), stop)
        })
    }
}
