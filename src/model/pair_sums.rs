//! Sums over the votes on each pair of items.
//!
//! Where all votes are sides and weigh the same, the sums are integers, and exact in any
//! order. Else they are added up block by block, and the blocks' sums in a tree, pair by
//! pair: the votes with the same first item come one after the other, in the order of
//! annotators.

use std::ops::Range;

use crate::collective::SlotSums;
use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::linalg::csr::{for_each_slot, row_starts};
use crate::votes::{Comparison, Comparisons};

/// With more items the other item and the choice of a vote do not fit into 32 bits.
const MAX_PACKED_ITEMS: usize = 1 << 30;

/// So many votes are counted between two checks whether to stop.
const ROWS_PER_CHECK: usize = 1 << 16;

/// A thread counts at least so many votes, and so many for each pair: it has a table of all
/// pairs.
pub(super) const MIN_ROWS_PER_TABLE: usize = 1 << 18;
pub(super) const MIN_ROWS_PER_PAIR: usize = 4;

/// About so many votes are in a block, or more.
const MAX_PAIRS_PER_BLOCK: usize = 1 << 16;

/// Each thread adds up so many parts of the pairs, since some are larger than others.
const PARTS_PER_THREAD: usize = 8;

/// Fewer votes than this are added up on one thread.
const MIN_SHARED_ROWS: usize = 1 << 17;

/// How many pairs so many items make.
fn pairs(items: usize) -> usize {
    items * items.saturating_sub(1) / 2
}

/// Whether each block of a table can have a table of so many pairs: it is not larger than the
/// block. All ranks say the same.
pub(super) fn are_few_pairs(votes: &Comparisons, pairs: usize) -> bool {
    pairs <= MAX_PAIRS_PER_BLOCK.min(votes.partition().rows().total)
}

/// Sums over the votes on a pair.
#[derive(Clone, Copy, Default)]
pub(super) struct PairSums {
    pub weight: f64,
    pub choices: f64,
    pub wins: f64,
    pub ties: f64,
}

impl PairSums {
    /// Of one vote, with the choice as seen from the first item.
    fn of_vote(choice: f64, weight: f64) -> Self {
        Self {
            weight,
            choices: weight * choice,
            wins: if choice > 0.0 { weight } else { 0.0 },
            ties: if choice == 0.0 { weight } else { 0.0 },
        }
    }

    fn to_array(self) -> [f64; 4] {
        [self.weight, self.choices, self.wins, self.ties]
    }

    fn from_array([weight, choices, wins, ties]: [f64; 4]) -> Self {
        Self {
            weight,
            choices,
            wins,
            ties,
        }
    }
}

/// Pools the votes that are here.
pub(super) struct Pooling<'a> {
    pub votes: &'a Comparisons,
    /// Which of the table's blocks are here.
    pub blocks: Range<usize>,
    pub threads: usize,
    pub stop: &'a Stop,
}

/// A vote as it is kept with those of the same first item.
trait PackedVote: Sync {
    fn pack(&self, row: usize, other: u32, choice: f64) -> u32;

    /// The second item, the block, the choice as seen from the first item, and the weight.
    /// `later` is that of the vote before it with the same first item, 0 at first.
    fn unpack(&self, packed: u32, later: &mut usize) -> (u32, usize, f64, f64);
}

/// The second item and the side.
struct PackedSide {
    /// Sums of integers need no tree: all are in one block.
    block: usize,
}

impl PackedVote for PackedSide {
    fn pack(&self, _: usize, other: u32, choice: f64) -> u32 {
        other << 2 | (choice as i32 + 1) as u32
    }

    #[inline(always)]
    fn unpack(&self, packed: u32, _: &mut usize) -> (u32, usize, f64, f64) {
        let choice = f64::from((packed & 3) as i32 - 1);
        (packed >> 2, self.block, choice, 1.0)
    }
}

/// The row.
struct PackedRow<'a> {
    votes: &'a Comparisons,
    /// The row at which each block but the first begins.
    later_blocks: Vec<usize>,
    first_block: usize,
}

impl PackedVote for PackedRow<'_> {
    fn pack(&self, row: usize, _: u32, _: f64) -> u32 {
        row as u32
    }

    #[inline(always)]
    fn unpack(&self, row: u32, later: &mut usize) -> (u32, usize, f64, f64) {
        let row = row as usize;
        let vote = self.votes.get(row);
        let (other, choice) = seen_from_first(vote);
        while self
            .later_blocks
            .get(*later)
            .is_some_and(|&start| start <= row)
        {
            *later += 1;
        }
        (other as u32, self.first_block + *later, choice, vote.weight)
    }
}

impl Pooling<'_> {
    /// Calls `add` with each pair, ordered by first and then by second item: with the sums
    /// over its votes, and the first of the blocks that they are over. There are several
    /// sums of a pair if not all blocks of the table are here. Returns what was added to,
    /// one for each of several parts of the pairs.
    pub fn pool<T: Default + Send>(
        &self,
        add: impl Fn(&mut T, [u32; 2], usize, PairSums) + Sync,
    ) -> Result<Vec<T>> {
        let votes = self.votes;
        let sides = votes.sides();
        if let Some(sides) = sides.filter(|_| pairs(votes.items()) <= votes.len()) {
            return Ok(vec![self.count(sides, add)?]);
        }
        if sides.is_some() && votes.items() <= MAX_PACKED_ITEMS {
            let block = self.blocks.start;
            return self.pool_packed(&PackedSide { block }, add);
        }
        let partition = votes.partition();
        let start = |block| votes.offsets[partition.annotators_of(block).start];
        let packed_row = PackedRow {
            votes,
            later_blocks: (1..partition.len()).map(start).collect(),
            first_block: self.blocks.start,
        };
        self.pool_packed(&packed_row, add)
    }

    /// Calls `visit` with each pair and its sums over all votes of the table, if the pairs are
    /// few: each block has a table of all of them, compared or not.
    pub fn pool_tables(&self, mut visit: impl FnMut([u32; 2], PairSums)) -> Result<bool> {
        let items = self.votes.items();
        if self.votes.sides().is_some() || !are_few_pairs(self.votes, pairs(items)) {
            return Ok(false);
        }
        let start = |a: usize| pairs(items) - pairs(items - a);
        let add = |annotators: Range<usize>, sums: &mut [f64]| {
            let (sums, _) = sums.as_chunks_mut::<4>();
            for u in annotators {
                self.stop.check()?;
                for vote in self.votes.of(u) {
                    let (b, choice) = seen_from_first(vote);
                    let a = vote.left.min(vote.right);
                    let pair = &mut sums[start(a) + b - a - 1];
                    let vote = PairSums::of_vote(choice, vote.weight).to_array();
                    pair.iter_mut().zip(vote).for_each(|(sum, own)| *sum += own);
                }
            }
            Ok(())
        };
        let partition = self.votes.partition();
        let sums = partition.sum(4 * pairs(items), self.threads, add)?;
        let mut sums = sums.as_chunks().0.iter();
        for a in 0..items as u32 {
            for b in a + 1..items as u32 {
                let sums = PairSums::from_array(*sums.next().expect("sums for each pair"));
                if sums.weight > 0.0 {
                    visit([a, b], sums);
                }
            }
        }
        Ok(true)
    }

    /// Counts votes in a table of all pairs of items, compared or not, which is
    /// faster if there are more votes than pairs.
    fn count<T: Default>(
        &self,
        sides: &[i8],
        add: impl Fn(&mut T, [u32; 2], usize, PairSums),
    ) -> Result<T> {
        let rows = sides.len();
        let items = self.votes.items();
        let rows_per_table = MIN_ROWS_PER_TABLE.max(MIN_ROWS_PER_PAIR * pairs(items));
        let tables = (rows / rows_per_table).clamp(1, self.threads);
        let mut tables = in_parallel(tables, self.threads, |k| {
            let bound = |k: usize| (rows as u128 * k as u128 / tables as u128) as usize;
            self.count_rows(bound(k)..bound(k + 1), sides)
        })?
        .into_iter();
        let mut counts = tables.next().expect("at least one table");
        for other in tables {
            for (count, other) in counts.iter_mut().zip(&other) {
                count.votes += other.votes;
                count.ties += other.ties;
                count.net_wins += other.net_wins;
            }
        }
        let mut out = T::default();
        let mut counts = counts.iter();
        for a in 0..items as u32 {
            for b in a + 1..items as u32 {
                let count = counts.next().expect("a count for each pair");
                if count.votes > 0 {
                    add(&mut out, [a, b], self.blocks.start, count.sums());
                }
            }
        }
        Ok(out)
    }

    fn count_rows(&self, rows: Range<usize>, sides: &[i8]) -> Result<Vec<PairCount>> {
        let items = self.votes.items();
        // Where the pairs with each first item begin.
        let start = |a: usize| pairs(items) - pairs(items - a);
        let mut counts = vec![PairCount::default(); pairs(items)];
        for first in rows.clone().step_by(ROWS_PER_CHECK) {
            self.stop.check()?;
            let rows = first..rows.end.min(first + ROWS_PER_CHECK);
            let (left, right) = (
                &self.votes.left[rows.clone()],
                &self.votes.right[rows.clone()],
            );
            for ((&left, &right), &side) in left.iter().zip(right).zip(&sides[rows]) {
                let (a, b) = (left.min(right) as usize, left.max(right) as usize);
                let count = &mut counts[start(a) + b - a - 1];
                count.votes += 1;
                count.ties += u32::from(side == 0);
                // No branch: which item is on the left cannot be predicted.
                count.net_wins += i32::from(side) * (1 - 2 * i32::from(left > right));
            }
        }
        Ok(counts)
    }

    /// Groups the votes by the smaller of their items, each packed into 32 bits,
    /// and adds them up item by item.
    fn pool_packed<T: Default + Send>(
        &self,
        kind: &impl PackedVote,
        add: impl Fn(&mut T, [u32; 2], usize, PairSums) + Sync,
    ) -> Result<Vec<T>> {
        let (starts, packed) = self.by_first_item(kind)?;
        let parts = match self.votes.len() < MIN_SHARED_ROWS || self.threads == 1 {
            true => 1,
            false => PARTS_PER_THREAD * self.threads,
        };
        let bound = |part: usize| {
            let row = (packed.len() as u128 * part as u128 / parts as u128) as usize;
            starts[..self.votes.items()].partition_point(|&start| start < row)
        };
        in_parallel(parts, self.threads, |part| {
            let end = match part + 1 == parts {
                true => self.votes.items(),
                false => bound(part + 1),
            };
            let mut out = T::default();
            let mut sums = SlotSums::<4>::new(self.votes.items(), self.blocks.clone());
            let mut met: Vec<u32> = Vec::new();
            for a in bound(part)..end {
                self.stop.check()?;
                let mut later = 0;
                for &packed in &packed[starts[a]..starts[a + 1]] {
                    let (b, block, choice, weight) = kind.unpack(packed, &mut later);
                    if sums.is_empty(b as usize) {
                        met.push(b);
                    }
                    let vote = PairSums::of_vote(choice, weight);
                    sums.add(b as usize, block, vote.to_array());
                }
                met.sort_unstable();
                for b in met.drain(..) {
                    sums.take(b as usize, |block, sums| {
                        add(&mut out, [a as u32, b], block, PairSums::from_array(sums));
                    });
                }
            }
            Ok(out)
        })
    }

    /// The packed votes grouped by the smaller of their items, in order within each
    /// group, and where the groups begin.
    fn by_first_item(&self, kind: &impl PackedVote) -> Result<(Vec<usize>, Vec<u32>)> {
        let votes = self.votes;
        let first_items = (0..votes.len()).map(|row| {
            let [left, right] = votes.pair(row);
            left.min(right)
        });
        let starts = row_starts(votes.items(), first_items);
        self.stop.check()?;
        let entries = (0..votes.len()).map(|row| {
            let vote = votes.get(row);
            let (other, choice) = seen_from_first(vote);
            let first = vote.left.min(vote.right) as u32;
            (first, kind.pack(row, other as u32, choice))
        });
        let mut packed = vec![0; votes.len()];
        for_each_slot(&starts, entries, |slot, vote| packed[slot] = vote);
        Ok((starts, packed))
    }
}

/// The votes on a pair, if all are sides.
#[derive(Clone, Copy, Default)]
struct PairCount {
    votes: u32,
    ties: u32,
    net_wins: i32,
}

impl PairCount {
    fn sums(self) -> PairSums {
        let (weight, choices) = (f64::from(self.votes), f64::from(self.net_wins));
        let ties = f64::from(self.ties);
        PairSums {
            weight,
            choices,
            wins: 0.5 * (weight - ties + choices),
            ties,
        }
    }
}

/// The larger item of a vote, and the choice as seen from the smaller one.
fn seen_from_first(vote: Comparison) -> (usize, f64) {
    if vote.left < vote.right {
        (vote.right, vote.choice)
    } else {
        (vote.left, -vote.choice)
    }
}

/// The sums of a pair over some blocks, as ranks send them.
#[derive(Clone, Copy)]
pub(super) struct PairNode {
    pair: [u32; 2],
    block: usize,
    sums: PairSums,
}

impl PairNode {
    const BYTES: usize = 44;

    pub fn write(bytes: &mut Vec<u8>, [a, b]: [u32; 2], block: usize, sums: PairSums) {
        for number in [a, b, block as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for number in sums.to_array() {
            bytes.extend(number.to_le_bytes());
        }
    }

    /// The first one of some bytes, which are moved on; None if there is no more.
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (own, rest) = bytes.split_at_checked(Self::BYTES)?;
        *bytes = rest;
        let (numbers, sums) = own.split_at(12);
        let [a, b, block] = std::array::from_fn(|k| numbers.as_chunks::<4>().0[k]);
        let sums = std::array::from_fn(|k| f64::from_le_bytes(sums.as_chunks::<8>().0[k]));
        Some(Self {
            pair: [a, b].map(u32::from_le_bytes),
            block: u32::from_le_bytes(block) as usize,
            sums: PairSums::from_array(sums),
        })
    }
}

/// Calls `visit` with each pair and its sums over all blocks, given the nodes of every rank.
pub(super) fn merge_pairs(ranks: &[Vec<u8>], mut visit: impl FnMut([u32; 2], PairSums)) {
    let mut bytes: Vec<&[u8]> = ranks.iter().map(Vec::as_slice).collect();
    let mut next: Vec<Option<PairNode>> = bytes.iter_mut().map(PairNode::read).collect();
    // More blocks than there can be.
    let mut sums = SlotSums::<4>::new(1, 0..1 << 16);
    while let Some(pair) = next.iter().flatten().map(|node| node.pair).min() {
        for (next, bytes) in next.iter_mut().zip(&mut bytes) {
            while let Some(node) = next.filter(|node| node.pair == pair) {
                sums.add(0, node.block, node.sums.to_array());
                *next = PairNode::read(bytes);
            }
        }
        sums.take(0, |_, sums| visit(pair, PairSums::from_array(sums)));
    }
}
