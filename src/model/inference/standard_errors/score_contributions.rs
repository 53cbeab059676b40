//! The score contributions of all annotators, computed one after the other. If nobody
//! knows who voted, every vote is an annotator here.

use std::iter::StepBy;
use std::ops::Range;

use super::annotator_sums::{AnnotatorSums, add_to};
use super::contribution::ScoreContribution;
use super::fitted::Fitted;
use crate::collective::{BlockSum, SlotSums};
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

/// The sums of a lane, while annotators are added to them.
pub(super) struct LaneSums<const N: usize> {
    sums: SlotSums<N>,
    /// That of the annotator who is being added.
    block: usize,
}

impl<const N: usize> LaneSums<N> {
    /// Adds numbers in a slot.
    #[inline(always)]
    pub fn add(&mut self, slot: usize, values: [f64; N]) {
        self.sums.add(slot, self.block, values);
    }
}

impl<'a> ScoreContributions<'a> {
    pub fn new(votes: &'a Comparisons, fitted: Fitted<'a>) -> Self {
        Self { votes, fitted }
    }

    /// How many annotators the table has.
    pub fn annotators(&self) -> usize {
        match self.votes.has_annotators() {
            true => self.votes.partition().annotators().total,
            false => self.votes.clusters(),
        }
    }

    /// Calls `visit` with each of these annotators, who are here, and its score contribution.
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

    /// The sums over all annotators of the table, and `length` more numbers: `add` adds an
    /// annotator to them.
    ///
    /// Threads share the blocks. In a table of one block they share so many groups instead:
    /// annotator u is in group u modulo `groups`.
    pub fn sum(
        &self,
        groups: usize,
        length: usize,
        threads: usize,
        stop: &Stop,
        add: impl Fn(&mut [f64], &ScoreContribution) + Sync,
    ) -> Result<(AnnotatorSums, Vec<f64>)> {
        let own = AnnotatorSums::len(self.votes.items());
        let length = own + length;
        let add_each = |annotators: StepBy<Range<usize>>, all: &mut [f64]| {
            let (sums, numbers) = all.split_at_mut(own);
            let (sums, _) = sums.as_chunks_mut::<3>();
            self.for_each(annotators, stop, |_, contribution| {
                AnnotatorSums::for_each(contribution, |slot, values| {
                    add_to(&mut sums[slot], &values);
                });
                add(numbers, contribution);
            })
        };
        let partition = self.votes.partition();
        let [blocks] = partition.total([partition.len() as u64])?;
        let mut all = if blocks > 1 && self.votes.has_annotators() {
            partition.sum(length, threads, |annotators, all| {
                add_each(annotators.step_by(1), all)
            })?
        } else {
            let here = partition.len().min(1);
            let threads = self.useful_threads(threads);
            let mut sums = in_parallel(here * groups, threads, |group| {
                let mut all = vec![0.0; length];
                add_each((group..self.votes.clusters()).step_by(groups), &mut all)?;
                Ok(all)
            })?
            .into_iter();
            let mut block = sums.next();
            for other in sums {
                block.iter_mut().for_each(|sum| add_to(sum, &other));
            }
            partition.sum_blocks(block.into_iter().collect())?
        };
        let numbers = all.split_off(own);
        Ok((
            AnnotatorSums::new(all.as_chunks().0, self.fitted.loss),
            numbers,
        ))
    }

    /// By lane, sums over its annotators, of the whole table: `N` numbers in each slot. `add`
    /// adds an annotator, `members` says which annotators of a range are in a lane. For both,
    /// annotators are counted in the table.
    pub fn sum_lanes<const N: usize, I: Iterator<Item = usize>>(
        &self,
        (lanes, slots): (usize, usize),
        threads: usize,
        stop: &Stop,
        members: impl Fn(usize, Range<usize>) -> I + Sync,
        add: impl Fn(&mut LaneSums<N>, usize, &ScoreContribution) + Sync,
    ) -> Result<Vec<Vec<f64>>> {
        let partition = self.votes.partition();
        let before = match self.votes.has_annotators() {
            true => partition.annotators().before,
            false => 0,
        };
        let of_block = |block| {
            let Range { start, end } = self.votes.clusters_of(partition.annotators_of(block));
            before + start..before + end
        };
        let sums = in_parallel(lanes, self.useful_threads(threads), |lane| {
            let mut sums = LaneSums {
                sums: SlotSums::new(slots, partition.blocks()),
                block: partition.blocks().start,
            };
            let mut later = (0..partition.len()).map(of_block).peekable();
            let own = (0..partition.len()).flat_map(|block| members(lane, of_block(block)));
            self.for_each(own.map(|u| u - before), stop, |u, contribution| {
                while later.next_if(|block| block.end <= before + u).is_some() {
                    sums.block += 1;
                }
                add(&mut sums, before + u, contribution);
            })?;
            Ok(sums.sums.into_block_sums())
        })?;
        let reduce = |mut nodes: Vec<BlockSum>| partition.reduce(&mut nodes);
        sums.into_iter().map(reduce).collect()
    }

    fn useful_threads(&self, threads: usize) -> usize {
        match self.votes.len() <= MAX_VOTES_ALONE {
            true => 1,
            false => threads,
        }
    }
}
