//! How the annotators of a table are divided into blocks.
//!
//! Sums over annotators are added up block by block, and the blocks' sums in a fixed order. A
//! block's work can be done by any thread, and on any machine that has its votes: the bits of
//! the sum are the same. So blocks depend on the votes alone: they are consecutive
//! annotators in canonical order, with about as many votes in each, and their number is a
//! power of two that grows with the number of votes.

use std::ops::Range;
use std::sync::Arc;

use crate::collective::{BlockSum, Collective, add_up, covering_nodes};
use crate::error::Result;
use crate::execution::in_parallel;

/// A block has about so many votes at least …
const MIN_BLOCK_VOTES: usize = 1 << 16;

/// … and there are so many at most, since each has a sum of its own over the items.
const MAX_BLOCKS: usize = 256;

/// The blocks of a table, and which of them are here. Annotators are counted from the first
/// one that is here.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The blocks that are here, of those of the table.
    blocks: Range<usize>,
    /// By block that is here: its first annotator; then the number of annotators.
    starts: Vec<usize>,
    annotators: Share,
    rows: Share,
    /// None if all votes of the table are here.
    collective: Option<Arc<dyn Collective>>,
}

/// How much of a table is here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    /// How much comes before what is here.
    pub before: usize,
    /// How much there is in the table.
    pub total: usize,
}

impl PartialEq for Partition {
    fn eq(&self, other: &Self) -> bool {
        let parts = |this: &Self| (this.blocks.clone(), this.annotators, this.rows);
        self.starts == other.starts && parts(self) == parts(other)
    }
}

impl Partition {
    /// All annotators in one block.
    pub(crate) fn single(annotators: usize, rows: usize) -> Self {
        Self::whole(vec![0, annotators], rows)
    }

    /// The blocks of a table, given the row at which each annotator's votes begin, and the
    /// number of rows.
    pub(crate) fn new(offsets: &[usize]) -> Self {
        let rows = offsets[offsets.len() - 1];
        let count = (rows / MIN_BLOCK_VOTES).clamp(1, MAX_BLOCKS);
        Self::whole(block_starts(offsets, 1 << count.ilog2()), rows)
    }

    /// So many blocks, a power of two.
    #[cfg(test)]
    pub(crate) fn with_blocks(offsets: &[usize], blocks: usize) -> Self {
        Self::whole(block_starts(offsets, blocks), offsets[offsets.len() - 1])
    }

    fn whole(starts: Vec<usize>, rows: usize) -> Self {
        let annotators = starts[starts.len() - 1];
        let all = |total| Share { before: 0, total };
        Self {
            blocks: 0..starts.len() - 1,
            starts,
            annotators: all(annotators),
            rows: all(rows),
            collective: None,
        }
    }

    /// The part of a table's partition that one rank has: some consecutive blocks. `offsets`
    /// is that of the table.
    pub(crate) fn of_rank(
        &self,
        blocks: Range<usize>,
        offsets: &[usize],
        collective: Arc<dyn Collective>,
    ) -> Self {
        let starts = &self.starts[blocks.start..=blocks.end];
        Self {
            annotators: Share {
                before: starts[0],
                ..self.annotators
            },
            rows: Share {
                before: offsets[starts[0]],
                ..self.rows
            },
            starts: starts.iter().map(|start| start - starts[0]).collect(),
            blocks,
            collective: Some(collective),
        }
    }

    /// How many blocks are here.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Which of the table's blocks are here.
    pub(crate) fn blocks(&self) -> Range<usize> {
        self.blocks.clone()
    }

    /// Whether the table has enough votes for several blocks.
    pub(crate) fn is_large(&self) -> bool {
        self.rows.total >= 2 * MIN_BLOCK_VOTES
    }

    /// Whether all votes of the table are here.
    pub(crate) fn is_complete(&self) -> bool {
        self.collective.is_none()
    }

    /// The annotators of a block that is here.
    pub(crate) fn annotators_of(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// Which of the table's annotators are here.
    pub(crate) fn annotators(&self) -> Share {
        self.annotators
    }

    /// Of something by annotator of the table, the part of those who are here.
    pub(crate) fn here<'a, T>(&self, of_table: &'a [T]) -> &'a [T] {
        &of_table[self.annotators.before..][..self.starts[self.len()]]
    }

    /// Which of the table's rows are here.
    pub(crate) fn rows(&self) -> Share {
        self.rows
    }

    /// Computes something for each block that is here, given its annotators, on several threads.
    pub(crate) fn map<T: Send>(
        &self,
        threads: usize,
        compute: impl Fn(Range<usize>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        in_parallel(self.len(), threads, |block| {
            compute(self.annotators_of(block))
        })
    }

    /// A sum over all annotators of the table, wherever their votes are: `add` adds those of
    /// a block to zeros.
    pub(crate) fn sum(
        &self,
        length: usize,
        threads: usize,
        add: impl Fn(Range<usize>, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Vec<f64>> {
        let runs = self.runs(threads);
        let nodes = in_parallel(runs.len(), threads, |run| {
            let mut nodes: Vec<BlockSum> = Vec::new();
            for block in runs[run].clone() {
                let annotators = self.annotators_of(block - self.blocks.start);
                let mut values = Vec::new(); // zeros
                if !annotators.is_empty() {
                    values.resize(length, 0.0);
                    add(annotators, &mut values)?;
                }
                let blocks = block..block + 1;
                nodes.push(BlockSum { blocks, values });
                let left = add_up(&mut nodes).into_iter();
                nodes = left.map(|k| std::mem::take(&mut nodes[k])).collect();
            }
            Ok(nodes)
        })?;
        let mut nodes: Vec<BlockSum> = nodes.into_iter().flatten().collect();
        let mut sum = self.reduce(&mut nodes)?;
        sum.resize(length, 0.0); // empty if nobody is there
        Ok(sum)
    }

    /// The blocks that are here in runs, a few for each thread, so that the sums of a run can be
    /// added up one after the other: there is never memory for the sums of all blocks. A run
    /// is a node of the tree, or the part of it that is here.
    fn runs(&self, threads: usize) -> Vec<Range<usize>> {
        let wanted = self.len() / (4 * threads.max(1));
        let length = 1 << wanted.max(1).ilog2();
        let Range { start, end } = self.blocks;
        let first = start / length * length;
        let runs = (first..end).step_by(length);
        runs.map(|run| run.max(start)..(run + length).min(end))
            .collect()
    }

    /// The sum over all blocks of the table, given the sums of those that are here.
    pub(crate) fn sum_blocks(&self, sums: Vec<Vec<f64>>) -> Result<Vec<f64>> {
        let mut sums = self.block_sums(sums);
        self.reduce(&mut sums)
    }

    /// Sums over the blocks that are here, each with its block.
    pub(crate) fn block_sums(&self, sums: Vec<Vec<f64>>) -> Vec<BlockSum> {
        let sums = self.blocks.clone().zip(sums);
        let sums = sums.map(|(block, values)| BlockSum {
            blocks: block..block + 1,
            values,
        });
        sums.collect()
    }

    /// The sum over all blocks of the table; empty if all are. `sums` become scratch memory.
    pub(crate) fn reduce(&self, sums: &mut [BlockSum]) -> Result<Vec<f64>> {
        let left = add_up(sums);
        let mut nodes = left.into_iter().map(|k| std::mem::take(&mut sums[k]));
        match &self.collective {
            Some(collective) => collective.all_reduce(nodes.collect()),
            None => Ok(nodes.next().unwrap_or_default().values),
        }
    }

    /// The largest of some numbers over all annotators of the table, given the largest ones
    /// here.
    pub(crate) fn max<const N: usize>(&self, here: [f64; N]) -> Result<[f64; N]> {
        let mut largest = here;
        if self.collective.is_some() {
            for (k, value) in self.gather(&here)?.into_iter().enumerate() {
                largest[k % N] = largest[k % N].max(value);
            }
        }
        Ok(largest)
    }

    /// What every rank passes, one after the other: by annotator of the table, if it is by
    /// annotator here.
    pub(crate) fn gather(&self, here: &[f64]) -> Result<Vec<f64>> {
        let Some(collective) = &self.collective else {
            return Ok(here.to_vec());
        };
        let bytes = here.iter().flat_map(|value| value.to_le_bytes()).collect();
        let all = collective.all_gather(bytes)?;
        let numbers = all.iter().flat_map(|bytes| bytes.as_chunks::<8>().0);
        Ok(numbers.map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    /// Counts of the table, given those of what is here: integers are exact in any order.
    pub(crate) fn total<const N: usize>(&self, here: [u64; N]) -> Result<[u64; N]> {
        let bytes = here.iter().flat_map(|count| count.to_le_bytes()).collect();
        let mut total = [0; N];
        for bytes in self.gather_bytes(bytes)? {
            for (sum, count) in total.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *sum += u64::from_le_bytes(*count);
            }
        }
        Ok(total)
    }

    /// Counts of the table, many of them, given those of what is here.
    pub(crate) fn total_counts(&self, here: Vec<f64>) -> Result<Vec<f64>> {
        let length = here.len();
        let mut counts = Some(here);
        // As if all were in the first block.
        let nodes = covering_nodes(self.blocks.clone()).into_iter();
        let nodes = nodes.map(|blocks| BlockSum {
            blocks,
            values: counts.take().unwrap_or_default(),
        });
        let mut total = self.reduce(&mut nodes.collect::<Vec<_>>())?;
        total.resize(length, 0.0);
        Ok(total)
    }

    /// What every rank passes, in the order of ranks.
    pub(crate) fn gather_bytes(&self, here: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        match &self.collective {
            Some(collective) => collective.all_gather(here),
            None => Ok(vec![here]),
        }
    }
}

/// The first annotator of each block, and the number of annotators. An annotator is in the block
/// that the first of their votes falls into, if blocks had the same number of votes.
fn block_starts(offsets: &[usize], blocks: usize) -> Vec<usize> {
    let annotators = offsets.len() - 1;
    let rows = offsets[annotators];
    let starts = &offsets[..annotators];
    let start = |block: usize| {
        let first_row = (rows as u128 * block as u128 / blocks as u128) as usize;
        starts.partition_point(|&row| row < first_row)
    };
    (0..blocks).map(start).chain([annotators]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::in_process::run_ranks;

    fn offsets(annotators: usize) -> Vec<usize> {
        (0..=annotators).map(|u| 3000 * u + 37 * (u % 2)).collect()
    }

    #[test]
    fn blocks_are_about_equally_large_and_cover_everybody() {
        assert_eq!(Partition::new(&[0, 3, 7]), Partition::single(2, 7));
        let offsets = offsets(400);
        let partition = Partition::new(&offsets);
        assert_eq!(partition.len(), 16);
        let sizes: Vec<usize> = (0..16).map(|k| partition.annotators_of(k).len()).collect();
        assert!(sizes.iter().all(|size| *size == 25), "{sizes:?}");
        assert_eq!(partition.annotators_of(15).end, 400);
    }

    /// One annotator with more votes than a block should have, and some without votes.
    #[test]
    fn a_block_may_be_empty() {
        let votes = MIN_BLOCK_VOTES;
        let partition = Partition::new(&[0, 0, 3 * votes, 3 * votes, 4 * votes, 4 * votes]);
        let blocks: Vec<_> = (0..4).map(|k| partition.annotators_of(k)).collect();
        assert_eq!(blocks, [0..2, 2..2, 2..2, 2..5]);
    }

    #[test]
    fn a_sum_has_the_same_bits_on_any_number_of_ranks() {
        let offsets = offsets(700);
        let table = Partition::new(&offsets);
        let sum = |partition: &Partition, threads| {
            let before = partition.annotators().before;
            let add = |annotators: Range<usize>, sum: &mut [f64]| {
                for u in annotators.map(|u| u + before) {
                    sum[u % 3] += 1.0 / (1.0 + u as f64);
                }
                Ok(())
            };
            let sum = partition.sum(3, threads, add).unwrap();
            let here = partition.annotators_of(partition.len() - 1).end as f64;
            let [largest] = partition.max([here]).unwrap();
            let everybody = partition.gather(&vec![1.0; here as usize]).unwrap();
            assert!(largest >= here && everybody.len() == 700);
            sum
        };
        let alone = sum(&table, 1);
        assert_eq!(alone, sum(&table, 3));
        for ranks in [1, 2, 3, 4, 7] {
            let sums = run_ranks(ranks, |collective| {
                let bound = |rank: usize| rank * table.len() / ranks;
                let blocks = bound(collective.rank())..bound(collective.rank() + 1);
                sum(&table.of_rank(blocks, &offsets, collective), 2)
            });
            assert!(sums.iter().all(|sum| *sum == alone), "{ranks}");
        }
    }
}
