//! The score contributions of all annotators, computed one after the other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::annotator_sums::AnnotatorSums;
use super::contribution::ScoreContribution;
use super::fitted::Fitted;
use crate::error::Result;
use crate::execution::{Stop, with_helpers};
use crate::votes::Comparisons;

/// r_u is at most this: an item that only annotators with r_u = 1 saw would have an
/// infinite variance.
const MAX_ABSORBED: f64 = 0.95;

/// The votes and the model that give the score contributions.
pub(super) struct ScoreContributions<'a> {
    pub votes: &'a Comparisons,
    fitted: Fitted<'a>,
}

impl<'a> ScoreContributions<'a> {
    pub fn new(votes: &'a Comparisons, fitted: Fitted<'a>) -> Self {
        Self { votes, fitted }
    }

    fn scratch(&self) -> ScoreContribution {
        ScoreContribution::new(self.fitted.theta)
    }

    /// Computes g_u.
    fn compute(&self, u: usize, contribution: &mut ScoreContribution) {
        let position_bias = self.fitted.position_bias(u);
        self.fitted.set_own_scores(u, &mut contribution.own_scores);
        contribution.compute(self.votes, u, position_bias);
        self.fitted
            .reset_own_scores(u, &mut contribution.own_scores);
    }

    /// Calls `visit` with every annotator u whose own effects absorb a part of the
    /// score contribution, and with this part: r_u = 1 − g_uᵀh/hᵀh, where h is what
    /// g_u would be without own effects.
    pub fn for_each_absorbed(&self, stop: &Stop, mut visit: impl FnMut(usize, f64)) -> Result<()> {
        let (mut with_effects, mut without) = (self.scratch(), self.scratch());
        for u in (0..self.votes.annotators()).filter(|&u| self.fitted.has_effect(u)) {
            stop.check()?;
            self.compute(u, &mut with_effects);
            without.compute(self.votes, u, 0.0);
            let absorbed = 1.0 - without.dot(&with_effects) / without.dot(&without);
            if absorbed > 0.0 {
                visit(u, absorbed.min(MAX_ABSORBED));
            }
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
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, (AnnotatorSums, T))>> = Mutex::new(Vec::new());
        let work = || -> Result<()> {
            let mut contribution = self.scratch();
            loop {
                let group = next.fetch_add(1, Ordering::Relaxed);
                if group >= groups {
                    return Ok(());
                }
                let (mut sums, mut total) = (AnnotatorSums::new(self.votes.items()), new());
                for u in (group..self.votes.annotators()).step_by(groups) {
                    stop.check()?;
                    self.compute(u, &mut contribution);
                    sums.add(&contribution);
                    add(&mut total, u, &contribution);
                }
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.push((group, (sums, total)));
            }
        };
        with_helpers(threads.min(groups), work, work)?;
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(group, _)| *group);
        Ok(done.into_iter().map(|(_, sums)| sums).collect())
    }
}
