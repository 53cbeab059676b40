//! Small tables in several blocks, and what is computed from them on several ranks.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Comparison, Comparisons, Partition};
use crate::collective::in_process::run_ranks;
use crate::random::Random;

const BLOCKS: usize = 8;

/// A crowd of whom some have another taste, are careless, contradict everybody, click left, or
/// did not vote. One has so many votes that a block is empty, if the crowd is not split.
pub(crate) struct TestCrowd {
    pub annotators: usize,
    pub items: usize,
    pub graded: bool,
    pub weighted: bool,
    /// Every second annotator has the other of two tastes.
    pub split: bool,
}

impl TestCrowd {
    pub fn votes(&self) -> Comparisons {
        let mut random = Random(11);
        let mut votes = Comparisons::with_capacity(self.items, 0, self.graded, self.weighted);
        // Two tastes that have nothing to do with each other.
        let angle = |item| std::f64::consts::TAU * item as f64 / self.items as f64;
        let taste: Vec<f64> = (0..self.items).map(|item| angle(item).cos()).collect();
        let other: Vec<f64> = (0..self.items).map(|item| angle(item).sin()).collect();
        for u in 0..self.annotators {
            let count = match u % 9 {
                _ if u == self.annotators / 2 && !self.split => 7 * self.annotators,
                4 => 0,
                _ => 10 + random.below(20),
            };
            let own = if self.split && u % 2 == 1 {
                &other
            } else {
                &taste
            };
            let (sharpness, pull) = match u % 11 {
                1 => (0.0, 0.0),
                _ if self.split => (4.0, 0.0),
                5 => (-2.0, 0.0),
                7 => (1.0, 3.0),
                _ => (2.0, 0.0),
            };
            for _ in 0..count {
                let left = random.below(self.items);
                let right = (left + 1 + random.below(self.items - 1)) % self.items;
                let value = sharpness * (own[left] - own[right]) + pull + 0.7 * random.normal();
                votes.push(Comparison {
                    left,
                    right,
                    choice: self.choice(value),
                    weight: if self.weighted {
                        0.1 + random.uniform()
                    } else {
                        1.0
                    },
                });
            }
            votes.end_annotator();
        }
        let partition = Partition::with_blocks(&votes.offsets, BLOCKS);
        let is_empty = |block| partition.annotators_of(block).is_empty();
        assert!(self.split || (0..BLOCKS).any(is_empty));
        votes.in_blocks(Arc::new(partition))
    }

    fn choice(&self, value: f64) -> f64 {
        match self.graded {
            true => value,
            false if value.abs() < 0.2 => 0.0,
            false => value.signum(),
        }
    }
}

/// Tables of every kind of votes, with their names: more and fewer votes than pairs, sides,
/// strengths, weights, a split crowd.
pub(crate) fn tables() -> Vec<(&'static str, Comparisons)> {
    let crowd = |items, graded, weighted, split| {
        let annotators = if split { 140 } else { 70 };
        let crowd = TestCrowd {
            annotators,
            items,
            graded,
            weighted,
            split,
        };
        crowd.votes()
    };
    vec![
        ("sides", crowd(12, false, false, false)),
        ("sides on many items", crowd(90, false, false, false)),
        ("graded", crowd(12, true, false, false)),
        ("weighted", crowd(12, false, true, false)),
        ("graded and weighted", crowd(40, true, true, false)),
        ("weighted on many items", crowd(90, true, true, false)),
        ("split", crowd(10, false, false, true)),
        ("split and weighted", crowd(10, true, true, true)),
    ]
}

/// Computes something from the votes on a single machine and on several ranks, on one and on
/// several threads, and demands that the results are equal. Returns the result.
pub(crate) fn assert_same_on_ranks<T: Debug + PartialEq + Send + Sync>(
    votes: &Comparisons,
    compute: impl Fn(&Comparisons, usize) -> T + Sync,
) -> T {
    let alone = compute(votes, 1);
    assert!(compute(votes, 3) == alone, "threads");
    for ranks in [1, 2, 3, 5] {
        for threads in [1, 3] {
            let found = run_ranks(ranks, |collective| {
                compute(&votes.of_rank(collective), threads)
            });
            for (rank, found) in found.iter().enumerate() {
                assert!(
                    *found == alone,
                    "rank {rank} of {ranks}, {threads} threads: {found:?} is not {alone:?}"
                );
            }
        }
    }
    alone
}
