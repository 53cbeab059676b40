//! The score contributions of all annotators, computed one after the other. If nobody
//! knows who voted, every vote is an annotator here.

use super::annotator_sums::AnnotatorSums;
use super::contribution::ScoreContribution;
use super::fitted::Fitted;
use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::votes::Comparisons;

/// A pass over so few votes takes less time than to start a thread, which is 0.05 ms.
const MAX_VOTES_ALONE: usize = 256;

/// The votes and the model that give the score contributions.
pub(super) struct ScoreContributions<'a> {
    pub votes: &'a Comparisons,
    pub fitted: Fitted<'a>,
}

impl<'a> ScoreContributions<'a> {
    pub fn new(votes: &'a Comparisons, fitted: Fitted<'a>) -> Self {
        Self { votes, fitted }
    }

    /// Sums over nobody.
    pub fn empty_sums(&self) -> AnnotatorSums {
        AnnotatorSums::new(self.votes.items(), self.fitted.loss)
    }

    /// Calls `visit` with each of these annotators and its score contribution.
    pub fn for_each(
        &self,
        annotators: impl Iterator<Item = usize>,
        stop: &Stop,
        mut visit: impl FnMut(usize, &ScoreContribution),
    ) -> Result<()> {
        let mut contribution = ScoreContribution::new(self.fitted.theta);
        for u in annotators {
            stop.check()?;
            let position_bias = self.fitted.position_bias(u);
            self.fitted.set_own_scores(u, &mut contribution.own_scores);
            let rows = self.votes.cluster(u);
            contribution.compute(self.votes, rows, position_bias, self.fitted.loss);
            self.fitted
                .reset_own_scores(u, &mut contribution.own_scores);
            visit(u, &contribution);
        }
        Ok(())
    }

    /// Adds up the annotators in groups: annotator u is in group u modulo `groups`.
    /// Returns for each group its sums and what `add` made of `new()`. The annotators
    /// of a group are added in order, so the number of threads does not change any bit.
    pub fn accumulate<T: Send>(
        &self,
        groups: usize,
        threads: usize,
        stop: &Stop,
        new: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, usize, &ScoreContribution) + Sync,
    ) -> Result<Vec<(AnnotatorSums, T)>> {
        let threads = if self.votes.len() <= MAX_VOTES_ALONE {
            1
        } else {
            threads
        };
        in_parallel(groups, threads, |group| {
            let (mut sums, mut total) = (self.empty_sums(), new());
            let annotators = (group..self.votes.clusters()).step_by(groups);
            self.for_each(annotators, stop, |u, contribution| {
                sums.add(contribution);
                add(&mut total, u, contribution);
            })?;
            Ok((sums, total))
        })
    }
}
