//! Pairs that an annotator judged more than once: were the answers the same?
//!
//! Someone who answers by the items chooses the same item again. Someone who answers by the
//! sides chooses the other item when the two are swapped: the same side.

use super::SelfConsistency;
use crate::error::Result;
use crate::execution::Stop;
use crate::votes::{Comparison, Comparisons};

/// A vote as one number, so that sorting puts the votes on a pair beside each other: the
/// smaller item, the larger one, which of them stood left, and the answer.
fn key(vote: Comparison) -> u128 {
    let (first, second) = (vote.left.min(vote.right), vote.left.max(vote.right));
    let is_swapped = vote.left > vote.right;
    let side = match vote.choice {
        choice if choice > 0.0 => LEFT,
        choice if choice < 0.0 => RIGHT,
        _ => TIE,
    };
    (first as u128) << 64 | (second as u128) << 32 | u128::from(is_swapped) << 2 | side
}

const TIE: u128 = 0;
const LEFT: u128 = 1;
const RIGHT: u128 = 2;

/// The side of a vote.
fn side(key: u128) -> u128 {
    key & 3
}

fn is_swapped(key: u128) -> bool {
    key >> 2 & 1 == 1
}

/// What was chosen: as the side, but seen from the smaller item.
fn answer(key: u128) -> u128 {
    match (side(key), is_swapped(key)) {
        (LEFT, true) => RIGHT,
        (RIGHT, true) => LEFT,
        (side, _) => side,
    }
}

impl SelfConsistency {
    /// By annotator of the table; of nobody if nobody knows who voted.
    pub(super) fn new(votes: &Comparisons, threads: usize, stop: &Stop) -> Result<Self> {
        if !votes.has_annotators() {
            return Ok(Self::default());
        }
        let partition = votes.partition();
        let blocks = partition.map(threads, |annotators| {
            let mut keys: Vec<u128> = Vec::new();
            let one = |u| {
                stop.check()?;
                keys.clear();
                keys.extend(votes.of(u).map(key));
                keys.sort_unstable();
                Ok(counts(&keys).map(f64::from))
            };
            annotators.map(one).collect::<Result<Vec<_>>>()
        })?;
        let all = partition.gather(blocks.concat().as_flattened())?;
        let column = |k: usize| all.iter().skip(k).step_by(4).map(|&x| x as u32).collect();
        Ok(Self {
            repeated: column(0),
            same_choice: column(1),
            swapped: column(2),
            same_side: column(3),
        })
    }
}

/// Of one annotator with these votes, in the order of the fields.
fn counts(keys: &[u128]) -> [u32; 4] {
    let [mut repeated, mut same_choice, mut swapped, mut same_side] = [0; 4];
    let pairs = keys.chunk_by(|a, b| a >> 32 == b >> 32);
    for pair in pairs.filter(|pair| pair.len() > 1) {
        let first = pair[0];
        repeated += 1;
        same_choice += u32::from(pair.iter().all(|&vote| answer(vote) == answer(first)));
        if pair
            .iter()
            .any(|&vote| is_swapped(vote) != is_swapped(first))
        {
            let is_same_side = |&vote: &u128| side(vote) == side(first);
            swapped += 1;
            same_side += u32::from(side(first) != TIE && pair.iter().all(is_same_side));
        }
    }
    [repeated, same_choice, swapped, same_side]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_and_swaps_are_counted_by_pair() {
        let mut votes = Comparisons::with_capacity(5, 0, false, false);
        let mut annotator = |rows: &[(usize, usize, f64)]| {
            votes.push_annotator(rows.iter().map(|&(left, right, y)| (left, right, y, 1.0)));
        };
        // By the items: the same item from both sides, and once more from the same side.
        annotator(&[
            (0, 1, 1.0),
            (1, 0, -1.0),
            (2, 3, -1.0),
            (2, 3, -1.0),
            (3, 4, 1.0),
        ]);
        // By the side; a pair that is tied both times has the same answer and no side.
        annotator(&[(0, 1, 1.0), (1, 0, 1.0), (2, 3, 0.0), (3, 2, 0.0)]);
        // Neither, nothing twice, and a change of mind without a swap.
        annotator(&[(0, 1, 1.0), (1, 0, 0.0), (1, 2, 1.0), (1, 2, -1.0)]);
        annotator(&[(0, 1, 1.0), (0, 2, 1.0)]);
        let found = SelfConsistency::new(&votes, 1, &Stop::default()).unwrap();
        assert_eq!(found.repeated, [2, 2, 2, 0]);
        assert_eq!(found.same_choice, [2, 1, 0, 0]);
        assert_eq!(found.swapped, [1, 2, 1, 0]);
        assert_eq!(found.same_side, [0, 1, 0, 0]);
    }
}
