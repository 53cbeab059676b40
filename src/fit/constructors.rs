//! `Fit::new`: checks the input, then runs the computation.

use super::compute::{compute, whole_path};
use super::types::Fit;
use super::vote_checks::{refuse_one_sided, refuse_strong_choices, refuse_unknown_annotators};
use crate::error::Result;
use crate::execution::Execution;
use crate::options::Options;
use crate::votes::Votes;

/// Refuses votes that cannot be fitted with these options.
pub(super) fn check_votes(votes: &Votes, options: &Options) -> Result<()> {
    refuse_unknown_annotators(votes)?;
    refuse_one_sided(votes, options)?;
    refuse_strong_choices(votes, options)
}

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
        let options = &options.for_votes(votes)?;
        check_votes(votes, options)?;
        execution.limit(options.max_seconds);
        execution.limit_threads(options.threads);
        let extent = execution.extent();
        execution.run_sized(votes.comparisons.len(), |threads, stop| {
            compute(votes, options, (threads, extent), stop)
        })
    }

    /// The same fit with the path over the whole grid and the tests of annotators. The votes and
    /// options are those that it was made of.
    pub(super) fn with_whole_path(
        &self,
        votes: &Votes,
        options: &Options,
        execution: &mut Execution<'_>,
    ) -> Result<Self> {
        execution.limit(options.max_seconds);
        execution.limit_threads(options.threads);
        let (path, evidence) = execution.run_sized(votes.comparisons.len(), |threads, stop| {
            whole_path(votes, options, threads, stop)
        })?;
        let fit = Self {
            path,
            evidence,
            ..self.clone()
        };
        fit.refuse_overflow()
    }

    /// The same fit with verdicts at another false discovery rate, from 0 to 1. Whom the
    /// knockoff filter selected stays as it is.
    ///
    /// ```
    /// use me_hodgerank::{Fit, Options, Row, VoteBuilder};
    ///
    /// let options = Options::default();
    /// let mut votes = VoteBuilder::new(&options);
    /// votes.push(Row::new("ann", "tea", "milk", "left"))?;
    /// votes.push(Row::new("bob", "tea", "milk", "right"))?;
    /// let fit = Fit::new(&votes.finish()?, &options)?.with_fdr(0.05)?;
    /// assert_eq!(fit.summary()?.verdict_fdr, 0.05);
    /// # Ok::<(), me_hodgerank::Error>(())
    /// ```
    pub fn with_fdr(mut self, fdr: f64) -> Result<Self> {
        let options = Options {
            fdr: Some(fdr),
            ..Options::default()
        };
        options.check()?;
        self.totals.fdr = Some(fdr);
        Ok(self)
    }
}
