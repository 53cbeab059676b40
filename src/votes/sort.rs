//! Canonical order: a counting sort by annotator, then a sort of each
//! annotator's votes.

use std::sync::{Arc, Mutex, PoisonError};

use super::chunks::{Chunk, Renumbering, RenumberingCache, SharedChunk};
use super::comparisons::{Choices, Comparison, Comparisons};
use crate::error::Result;
use crate::execution::{Stop, with_helpers};

/// Votes to be sorted.
pub(super) struct Sorter {
    chunks: Vec<SharedChunk>,
    /// From the numbers of annotators and items to their positions in canonical order.
    positions: RenumberingCache,
    /// The row at which each annotator's votes begin, and the number of rows.
    starts: Vec<usize>,
    items: usize,
}

impl Sorter {
    pub fn new(chunks: Vec<SharedChunk>, positions: Renumbering) -> Self {
        let (annotators, items) = (positions.annotators.len(), positions.items.len());
        let mut positions = RenumberingCache::new(Arc::new(positions));
        let mut starts = vec![0usize; annotators + 1];
        for shared in &chunks {
            let positions = positions.compose(shared);
            for &annotator in &shared.chunk.annotator {
                starts[positions.annotators[annotator as usize] as usize + 1] += 1;
            }
        }
        for annotator in 0..annotators {
            starts[annotator + 1] += starts[annotator];
        }
        Self {
            chunks,
            positions,
            starts,
            items,
        }
    }

    fn votes(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Converts every vote with `make` and moves it to the rows of its annotator.
    /// Each chunk is dropped once it was read.
    fn scatter<T: Clone>(
        &mut self,
        stop: &Stop,
        empty: T,
        make: impl Fn(&Chunk, usize, u32, u32) -> T,
    ) -> Result<Vec<T>> {
        let mut next = self.starts.clone();
        let mut sorted = vec![empty; self.votes()];
        for shared in std::mem::take(&mut self.chunks) {
            stop.check()?;
            let (chunk, positions) = (&shared.chunk, self.positions.compose(&shared));
            for row in 0..chunk.len() {
                let annotator = positions.annotators[chunk.annotator[row] as usize] as usize;
                let left = positions.items[chunk.left[row] as usize];
                let right = positions.items[chunk.right[row] as usize];
                sorted[next[annotator]] = make(chunk, row, left, right);
                next[annotator] += 1;
            }
        }
        Ok(sorted)
    }

    /// The common case, choices that are just sides: a vote is one integer key, of
    /// 32 bits if there are not too many items.
    pub fn sides(self, threads: usize, stop: &Stop) -> Result<Comparisons> {
        let bits = usize::BITS - self.items.leading_zeros();
        if 2 * bits + 2 <= u32::BITS {
            self.sort_keys(bits, threads, stop, |key| key as u32, u64::from)
        } else {
            self.sort_keys(31, threads, stop, |key| key, |key| key)
        }
    }

    fn sort_keys<K: Copy + Default + Ord + Send>(
        mut self,
        bits: u32,
        threads: usize,
        stop: &Stop,
        narrow: impl Fn(u64) -> K,
        wide: impl Fn(K) -> u64 + Copy + Sync,
    ) -> Result<Comparisons> {
        let mut keys = self.scatter(stop, K::default(), |chunk, row, left, right| {
            let choice = (chunk.choice.get(row) as i8 + 1) as u64;
            narrow(u64::from(left) << (bits + 2) | u64::from(right) << 2 | choice)
        })?;
        let votes = keys.len();
        let (mut left, mut right) = (vec![0; votes], vec![0; votes]);
        let mut choice = vec![0; votes];
        let mut rest = (
            &mut keys[..],
            &mut left[..],
            &mut right[..],
            &mut choice[..],
        );
        let cut = parts(&self.starts, threads).map(|starts| {
            let length = starts[starts.len() - 1] - starts[0];
            SortPart {
                starts,
                keys: rest.0.split_off_mut(..length).expect("as many as counted"),
                left: rest.1.split_off_mut(..length).expect("as many as keys"),
                right: rest.2.split_off_mut(..length).expect("as many as keys"),
                choice: rest.3.split_off_mut(..length).expect("as many as keys"),
            }
        });
        let todo = Mutex::new(cut.collect::<Vec<_>>());
        let next = || todo.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let work = || {
            while let Some(part) = next() {
                part.sort(bits, wide, stop)?;
            }
            Ok(())
        };
        with_helpers(threads, work, work)?;
        drop(todo);
        Ok(Comparisons {
            items: self.items,
            has_annotators: true,
            offsets: self.starts,
            left,
            right,
            choice: Choices::Sides(choice),
            weight: None,
            partition: None,
        })
    }

    /// Votes that are graded, weighted or have a fold column.
    pub fn general(
        mut self,
        stop: &Stop,
        graded: bool,
        weighted: bool,
        with_folds: bool,
    ) -> Result<(Comparisons, Option<Vec<i64>>)> {
        type WideVote = (u32, u32, f64, f64, i64);
        let mut votes: Vec<WideVote> =
            self.scatter(stop, (0, 0, 0.0, 0.0, 0), |chunk, row, left, right| {
                let weight = if weighted { chunk.weight[row] } else { 1.0 };
                let fold = if with_folds { chunk.fold[row] } else { 0 };
                (left, right, chunk.choice.get(row), weight, fold)
            })?;
        let mut sorted = Comparisons::with_capacity(self.items, votes.len(), graded, weighted);
        let mut folds = with_folds.then(|| Vec::with_capacity(votes.len()));
        for bounds in self.starts.windows(2) {
            stop.check()?;
            let votes = &mut votes[bounds[0]..bounds[1]];
            votes.sort_unstable_by(|a, b| {
                (a.0, a.1)
                    .cmp(&(b.0, b.1))
                    .then(a.2.total_cmp(&b.2))
                    .then(a.3.total_cmp(&b.3))
                    .then(a.4.cmp(&b.4))
            });
            for &(left, right, choice, weight, fold) in votes.iter() {
                let (left, right) = (left as usize, right as usize);
                sorted.push(Comparison {
                    left,
                    right,
                    choice,
                    weight,
                });
                if let Some(folds) = &mut folds {
                    folds.push(fold);
                }
            }
            sorted.end_annotator();
        }
        Ok((sorted, folds))
    }
}

/// The votes of consecutive annotators: their keys, and the columns to be made of them.
struct SortPart<'a, K> {
    /// The rows at which each annotator's votes begin; the first row is the part's.
    starts: &'a [usize],
    keys: &'a mut [K],
    left: &'a mut [u32],
    right: &'a mut [u32],
    choice: &'a mut [i8],
}

impl<K: Copy + Ord> SortPart<'_, K> {
    /// Sorts the keys of each annotator, then takes them apart.
    fn sort(self, bits: u32, wide: impl Fn(K) -> u64, stop: &Stop) -> Result<()> {
        let first = self.starts[0];
        for own in self.starts.windows(2) {
            stop.check()?;
            self.keys[own[0] - first..own[1] - first].sort_unstable();
        }
        for (row, &key) in self.keys.iter().enumerate() {
            let key = wide(key);
            self.left[row] = (key >> (bits + 2)) as u32;
            self.right[row] = (key >> 2 & ((1 << bits) - 1)) as u32;
            self.choice[row] = (key & 3) as i8 - 1;
        }
        Ok(())
    }
}

/// Cuts the annotators into parts with about as many votes each. The last start
/// of a part is the first start of the next.
fn parts(starts: &[usize], count: usize) -> impl Iterator<Item = &[usize]> {
    let annotators = starts.len() - 1;
    let votes = starts[annotators];
    let mut first = 0;
    (1..=count).map(move |part| {
        let end = if part == count {
            annotators
        } else {
            let share = votes / count * part;
            starts
                .partition_point(|&start| start < share)
                .clamp(first, annotators)
        };
        let own = &starts[first..=end];
        first = end;
        own
    })
}
