//! The fold of the cross-validation that each vote belongs to.

use super::partition::Share;
use crate::error::{Error, Result};
use crate::options::MAX_FOLDS;
use crate::random::Random;

/// A fold for every vote in canonical order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// The fold of each vote, from 0.
    pub(crate) of: Vec<u16>,
    /// How many folds there are.
    pub(crate) count: usize,
}

impl Folds {
    /// The folds that a column gives; their values in ascending order become 0, 1, …
    pub(crate) fn from_values(values: Vec<i64>) -> Result<Self> {
        let mut distinct = values.clone();
        distinct.sort_unstable();
        distinct.dedup();
        Self::of_table(values, &distinct)
    }

    /// The folds that a column gives, of votes that are here, given the different values of the
    /// table in ascending order.
    pub(crate) fn of_table(values: Vec<i64>, distinct: &[i64]) -> Result<Self> {
        if distinct.len() < 2 || distinct.len() > MAX_FOLDS {
            return Err(unusable(distinct.len()));
        }
        let rank = |value: &i64| distinct.partition_point(|known| known < value) as u16;
        Ok(Self {
            of: values.iter().map(rank).collect(),
            count: distinct.len(),
        })
    }

    /// Folds drawn from a seed. Of every `count` consecutive votes in
    /// canonical order each fold gets one, so folds are equally large and every
    /// annotator's votes are spread evenly over them. With fewer votes than folds there are
    /// as many folds as votes.
    pub fn draw(votes: usize, count: usize, seed: u64) -> Self {
        let all = Share {
            before: 0,
            total: votes,
        };
        Self::draw_share(all, votes, count, seed)
    }

    /// The same folds of some consecutive votes: those that are here.
    pub(crate) fn draw_share(share: Share, votes: usize, count: usize, seed: u64) -> Self {
        let count = count.min(share.total).max(1);
        let mut random = Random(seed);
        let mut deck: Vec<u16> = (0..count as u16).collect();
        let mut of = Vec::with_capacity(votes);
        let end = share.before + votes;
        for first in (0..end).step_by(count) {
            random.shuffle(&mut deck);
            let dealt = deck[..count.min(end - first)].iter();
            of.extend(dealt.skip(share.before.saturating_sub(first)));
        }
        Self { of, count }
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of a vote.
    pub fn of(&self, row: usize) -> usize {
        usize::from(self.of[row])
    }
}

/// The error for a column with so many different folds.
fn unusable(distinct: usize) -> Error {
    Error::votes(format!(
        "the fold column holds {distinct} distinct value{}: cross-validation takes from 2 to \
         {MAX_FOLDS} folds",
        if distinct == 1 { "" } else { "s" },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_balanced_and_seeded() {
        let folds = Folds::draw(103, 5, 7);
        let mut sizes = [0; 5];
        for row in 0..103 {
            sizes[folds.of(row)] += 1;
        }
        assert!(
            sizes.iter().all(|size| (20..=21).contains(size)),
            "{sizes:?}"
        );
        assert_eq!(folds, Folds::draw(103, 5, 7));
        assert_ne!(folds, Folds::draw(103, 5, 8));
        assert_eq!(Folds::draw(3, 5, 0).count(), 3);
        for (before, votes) in [(0, 103), (0, 7), (7, 1), (8, 90), (99, 4), (103, 0)] {
            let share = Share { before, total: 103 };
            let own = Folds::draw_share(share, votes, 5, 7);
            assert_eq!(own.of, folds.of[before..before + votes]);
        }
    }

    #[test]
    fn given_folds_keep_their_order() {
        let folds = Folds::from_values(vec![30, -1, 7, 30]).unwrap();
        assert_eq!((folds.of, folds.count), (vec![2, 0, 1, 2], 3));
        let error = Folds::from_values(vec![4, 4]).unwrap_err();
        assert!(error.to_string().contains("1 distinct value:"));
    }
}
