//! How far the predictions of a model are from votes.

use std::ops::Range;

use crate::error::Result;
use crate::model::lbi::Snapshot;
use crate::options::Loss;
use crate::votes::{Comparison, Comparisons};

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
        // Each loss has a loop of its own.
        let blocks = partition.map(self.threads, |annotators| {
            Ok(match self.loss {
                Loss::Squared => self.score_block(snapshot, annotators, |choice, predicted| {
                    Loss::Squared.value(choice, predicted)
                }),
                loss => self.score_block(snapshot, annotators, |choice, predicted| {
                    loss.value(choice, predicted)
                }),
            })
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

    fn score_block(
        &self,
        snapshot: &Snapshot,
        annotators: Range<usize>,
        value: impl Fn(f64, f64) -> f64,
    ) -> BlockScore {
        let theta = snapshot.theta();
        // An annotator's own scores, by item.
        let mut scores = theta.to_vec();
        let mut block = BlockScore {
            by_annotator: Vec::with_capacity(annotators.len()),
            mismatch: 0.0,
        };
        for u in annotators {
            let deviates = snapshot.deviation_norm()[u] != 0.0;
            if deviates {
                for (item, score) in snapshot.own_scores(u) {
                    scores[item] = score;
                }
            }
            let bias = snapshot.position_bias()[u];
            match self.votes.sides_of(u) {
                Some(sides) => block.add_sides(sides, &scores, bias, &value),
                None => block.add(self.votes.of(u), &scores, bias, &value),
            }
            if deviates {
                for &item in snapshot.items(u) {
                    scores[item as usize] = theta[item as usize];
                }
            }
        }
        block
    }
}

impl BlockScore {
    /// Adds the votes of the next annotator, given the own scores and the position bias.
    fn add(
        &mut self,
        votes: impl Iterator<Item = Comparison>,
        scores: &[f64],
        bias: f64,
        value: &impl Fn(f64, f64) -> f64,
    ) {
        let mut errors = LossSum::default();
        for vote in votes {
            let predicted = scores[vote.left] - scores[vote.right] + bias;
            errors.sum += vote.weight * value(vote.choice, predicted);
            errors.weight += vote.weight;
            self.mismatch += vote.weight * (1.0 - f64::from(sign(vote.choice * predicted))) / 2.0;
        }
        self.by_annotator.push(errors);
    }

    /// The same of sides that weigh 1, with counts in integers. As a function of its own its
    /// sums stay in registers, and it takes half of the time.
    #[inline(never)]
    fn add_sides(
        &mut self,
        votes: impl Iterator<Item = Comparison>,
        scores: &[f64],
        bias: f64,
        value: &impl Fn(f64, f64) -> f64,
    ) {
        let (mut sum, mut count, mut net_agreed) = (0.0, 0_i64, 0_i64);
        for vote in votes {
            let predicted = scores[vote.left] - scores[vote.right] + bias;
            sum += value(vote.choice, predicted);
            count += 1;
            net_agreed += i64::from(sign(vote.choice * predicted));
        }
        self.mismatch += (count - net_agreed) as f64 / 2.0;
        self.by_annotator.push(LossSum {
            sum,
            weight: count as f64,
        });
    }
}

/// -1, 0 or 1.
fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::Stop;
    use crate::model::Problem;
    use crate::options::Options;
    use crate::random::Random;

    #[test]
    fn weights_of_one_score_as_none_do() {
        let votes = |weighted: bool| {
            let (mut random, items) = (Random(8), 7);
            let mut votes = Comparisons::with_capacity(items, 0, false, weighted);
            for annotator in 0..20 {
                let rows = (0..30).map(|_| {
                    let left = random.below(items);
                    let right = (left + 1 + random.below(items - 1)) % items;
                    let choice = match annotator % 4 {
                        0 => 1.0,
                        _ => (right as f64 - left as f64).signum(),
                    };
                    (left, right, choice * random.below(2) as f64, 1.0)
                });
                votes.push_annotator(rows.collect::<Vec<_>>());
            }
            votes
        };
        let (options, stop) = (Options::default(), Stop::default());
        let problem = Problem::new(&votes(false), &options, &stop).unwrap();
        let mut path = problem.path(&stop).unwrap();
        let grid = problem.grid(&options).unwrap();
        let snapshot = path.advance_to(grid[grid.len() - 1], &stop).unwrap();
        for loss in [Loss::Squared, Loss::Logistic] {
            let found = [false, true].map(|weighted| {
                let votes = votes(weighted);
                let mut scorer = Scorer::new(&votes, loss, 1);
                (scorer.score(snapshot).unwrap(), scorer.into_parts())
            });
            assert!(found[0].0.1 > 0.0 && found[0] == found[1]);
        }
    }
}
