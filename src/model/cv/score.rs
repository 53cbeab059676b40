//! How far the predictions of a model are from votes.

use std::ops::Range;

use crate::error::Result;
use crate::model::lbi::Snapshot;
use crate::options::Loss;
use crate::votes::Comparisons;

/// So few votes are scored on one thread: it takes about as long as to wake another one.
const MIN_SHARED_VOTES: usize = 10_000;

/// The losses of an annotator's votes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LossSum {
    /// Σ ω·(loss).
    pub sum: f64,
    /// Σ ω.
    pub weight: f64,
}

/// Compares models with votes.
pub struct Scorer<'a> {
    votes: &'a Comparisons,
    loss: Loss,
    threads: usize,
    by_annotator: Vec<LossSum>,
}

/// The losses of a block of annotators.
struct BlockScore {
    by_annotator: Vec<LossSum>,
    /// Σ ω over the votes for the other side than predicted.
    mismatch: f64,
}

impl<'a> Scorer<'a> {
    /// Will score these votes, on several threads.
    pub fn new(votes: &'a Comparisons, loss: Loss, threads: usize) -> Self {
        Self {
            votes,
            loss,
            threads: if votes.len() < MIN_SHARED_VOTES {
                1
            } else {
                threads
            },
            by_annotator: Vec::new(),
        }
    }

    /// The parts of the latest error, by annotator that is here.
    pub(crate) fn into_parts(self) -> Vec<LossSum> {
        self.by_annotator
    }

    /// The mean loss and the mismatch of a model. It may have been fitted to
    /// other votes: an annotator who is not in these has no effects, and an item
    /// that is not in these is a component of its own, with score 0.
    pub fn score(&mut self, snapshot: &Snapshot) -> Result<(f64, f64)> {
        let partition = self.votes.partition();
        let blocks = partition.map(self.threads, |annotators| {
            Ok(self.score_block(snapshot, annotators))
        })?;
        let sums = blocks.iter().map(|block| {
            let errors = || block.by_annotator.iter();
            let sum = errors().map(|errors| errors.sum).sum();
            let weight = errors().map(|errors| errors.weight).sum();
            vec![sum, weight, block.mismatch]
        });
        let sums = partition.sum_blocks(sums.collect())?;
        let parts = blocks.into_iter().flat_map(|block| block.by_annotator);
        self.by_annotator = parts.collect();
        Ok((sums[0] / sums[1], sums[2] / sums[1]))
    }

    fn score_block(&self, snapshot: &Snapshot, annotators: Range<usize>) -> BlockScore {
        let theta = snapshot.theta();
        // An annotator's own scores, by item.
        let mut scores = theta.to_vec();
        let mut block = BlockScore {
            by_annotator: Vec::with_capacity(annotators.len()),
            mismatch: 0.0,
        };
        for u in annotators {
            let mut errors = LossSum::default();
            let deviates = snapshot.deviation_norm()[u] != 0.0;
            if deviates {
                for (item, score) in snapshot.own_scores(u) {
                    scores[item] = score;
                }
            }
            let bias = snapshot.position_bias()[u];
            for vote in self.votes.of(u) {
                let predicted = scores[vote.left] - scores[vote.right] + bias;
                errors.sum += vote.weight * self.loss.value(vote.choice, predicted);
                errors.weight += vote.weight;
                block.mismatch += vote.weight * (1.0 - sign(vote.choice * predicted)) / 2.0;
            }
            block.by_annotator.push(errors);
            if deviates {
                for &item in snapshot.items(u) {
                    scores[item as usize] = theta[item as usize];
                }
            }
        }
        block
    }
}

/// -1, 0 or 1.
fn sign(value: f64) -> f64 {
    f64::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}
