//! Sums over blocks in many slots, of which a block has a few: the votes on a pair, or on an
//! item by a few annotators.
//!
//! They have the bits of [`add_up`](super::add_up), which adds zeros where a block has nothing
//! in a slot. Here each slot has a stack of nodes of the tree, and work and memory go with
//! what there is. Two nodes are added as soon as a block comes that is not below the lowest
//! node of the tree above both.

use std::ops::Range;

use super::BlockSum;

/// Sums of `N` numbers in each slot. Blocks come in order.
pub(crate) struct SlotSums<const N: usize> {
    /// The blocks that are here, of those of the table.
    blocks: Range<usize>,
    /// By slot: the last node of its stack.
    top: Vec<u32>,
    nodes: Vec<Node<N>>,
    /// Nodes that can be used again.
    unused: Vec<u32>,
}

/// The sum over one or several blocks.
#[derive(Clone, Copy)]
struct Node<const N: usize> {
    values: [f64; N],
    /// The first block in it.
    block: u32,
    /// The node before it in the stack.
    below: u32,
}

/// No node.
const NONE: u32 = u32::MAX;

impl<const N: usize> SlotSums<N> {
    /// Zeros, for these blocks of the table.
    pub fn new(slots: usize, blocks: Range<usize>) -> Self {
        Self {
            blocks,
            top: vec![NONE; slots],
            nodes: Vec::new(),
            unused: Vec::new(),
        }
    }

    /// Whether nothing was added to a slot.
    #[inline(always)]
    pub fn is_empty(&self, slot: usize) -> bool {
        self.top[slot] == NONE
    }

    /// Adds numbers of a block, which is the last one of the slot or comes after it.
    #[inline(always)]
    pub fn add(&mut self, slot: usize, block: usize, values: [f64; N]) {
        if let Some(node) = self.nodes.get_mut(self.top[slot] as usize)
            && node.block == block as u32
        {
            add(&mut node.values, &values);
        } else {
            self.push(slot, block, values);
        }
    }

    fn push(&mut self, slot: usize, block: usize, values: [f64; N]) {
        while let Some(last) = self.nodes.get(self.top[slot] as usize) {
            let limit = height(last.block as usize, block);
            if !self.add_last_two(slot, |height| height < limit) {
                break;
            }
        }
        let mut node = Node {
            values: [0.0; N],
            block: block as u32,
            below: self.top[slot],
        };
        add(&mut node.values, &values);
        self.top[slot] = match self.unused.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
    }

    /// Adds the last two nodes of a stack to each other, if all blocks below the node above
    /// both are here and its height is as wanted. Returns whether it did.
    fn add_last_two(&mut self, slot: usize, is_wanted: impl Fn(u32) -> bool) -> bool {
        let top = self.top[slot];
        let Node {
            values,
            block,
            below,
        } = self.nodes[top as usize];
        let Some(left) = self.nodes.get_mut(below as usize) else {
            return false;
        };
        let height = height(left.block as usize, block as usize);
        let first = block as usize >> height << height;
        let is_here = first >= self.blocks.start && first + (1 << height) <= self.blocks.end;
        if !is_here || !is_wanted(height) {
            return false;
        }
        add(&mut left.values, &values);
        self.top[slot] = below;
        self.unused.push(top);
        true
    }

    /// Calls `visit` with the nodes that are left of a slot and the first block in each, and
    /// empties the slot. It is one node if all blocks of the table are here.
    pub fn take(&mut self, slot: usize, mut visit: impl FnMut(usize, [f64; N])) {
        while !self.is_empty(slot) && self.add_last_two(slot, |_| true) {}
        let mut last = std::mem::replace(&mut self.top[slot], NONE);
        let mut left = Vec::new();
        while let Some(node) = self.nodes.get(last as usize) {
            self.unused.push(last);
            last = node.below;
            if last == NONE && left.is_empty() {
                return visit(node.block as usize, node.values);
            }
            left.push((node.block as usize, node.values));
        }
        left.into_iter()
            .rev()
            .for_each(|(block, values)| visit(block, values));
    }

    /// The sums of all slots, by node of the tree: those that cover the blocks that are
    /// here.
    pub fn into_block_sums(mut self) -> Vec<BlockSum> {
        let slots = self.top.len();
        let nodes = covering_nodes(self.blocks.clone()).into_iter();
        let mut sums: Vec<BlockSum> = nodes
            .map(|blocks| BlockSum {
                blocks,
                values: vec![0.0; slots * N],
            })
            .collect();
        for slot in 0..slots {
            self.take(slot, |block, values| {
                let node = sums.partition_point(|sum| sum.blocks.end <= block);
                sums[node].values[slot * N..][..N].copy_from_slice(&values);
            });
        }
        sums
    }
}

#[inline(always)]
fn add<const N: usize>(sum: &mut [f64; N], values: &[f64; N]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}

/// How far above two different blocks the lowest node is that has both.
fn height(a: usize, b: usize) -> u32 {
    usize::BITS - (a ^ b).leading_zeros()
}

/// The fewest nodes of the tree that make up some blocks.
pub(crate) fn covering_nodes(blocks: Range<usize>) -> Vec<Range<usize>> {
    let mut nodes = Vec::new();
    let mut first = blocks.start;
    while first < blocks.end {
        let fits = |length: &usize| first.is_multiple_of(*length) && first + length <= blocks.end;
        let lengths = (0..usize::BITS).map(|height| 1 << height);
        let length = lengths.take_while(fits).last().expect("a block fits");
        nodes.push(first..first + length);
        first += length;
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::add_up;
    use crate::random::Random;

    const SLOTS: usize = 40;

    /// By block: some slots and numbers. The last slot has none.
    fn blocks(count: usize) -> Vec<Vec<(usize, f64)>> {
        let mut random = Random(8);
        let mut entry = || {
            let slot = random.below(SLOTS - 1).min(random.below(SLOTS - 1));
            (slot, random.normal() * 10f64.powi(random.below(17) as i32))
        };
        let mut block = |k: usize| (0..5 * (k % 7)).map(|_| entry()).collect();
        (0..count).map(&mut block).collect()
    }

    fn dense(blocks: &[Vec<(usize, f64)>]) -> Vec<f64> {
        let block = |(k, entries): (usize, &Vec<(usize, f64)>)| {
            let mut values = vec![0.0; SLOTS];
            entries
                .iter()
                .for_each(|(slot, value)| values[*slot] += value);
            BlockSum {
                blocks: k..k + 1,
                values,
            }
        };
        let mut sums: Vec<BlockSum> = blocks.iter().enumerate().map(block).collect();
        assert_eq!(add_up(&mut sums), [0]);
        sums.swap_remove(0).values
    }

    #[test]
    fn the_bits_are_those_of_the_tree() {
        for count in [1, 2, 8, 64] {
            let blocks = blocks(count);
            let expected = dense(&blocks);
            for ranks in 1..=count.min(7) {
                let bound = |rank: usize| rank * count / ranks;
                let of_rank = |rank: usize| {
                    let own = bound(rank)..bound(rank + 1);
                    let mut sums = SlotSums::<1>::new(SLOTS, own.clone());
                    for block in own {
                        for &(slot, value) in &blocks[block] {
                            sums.add(slot, block, [value]);
                        }
                    }
                    sums.into_block_sums()
                };
                let mut all: Vec<BlockSum> = (0..ranks).flat_map(of_rank).collect();
                assert_eq!(add_up(&mut all), [0]);
                assert_eq!(all[0].values, expected, "{count} blocks, {ranks} ranks");
                // The nodes of one slot after the other, as pairs are sent.
                let mut sums = SlotSums::<1>::new(1, 0..count);
                for (slot, expected) in expected.iter().enumerate() {
                    let each = (0..ranks).flat_map(of_rank);
                    each.for_each(|node| match node.values[slot] {
                        0.0 => {}
                        value => sums.add(0, node.blocks.start, [value]),
                    });
                    let mut found = 0.0;
                    sums.take(0, |_, [value]| found = value);
                    assert_eq!(found, *expected);
                }
            }
        }
    }

    #[test]
    fn blocks_are_covered_by_few_nodes() {
        assert_eq!(covering_nodes(5..12), [5..6, 6..8, 8..12]);
        assert_eq!(covering_nodes(4..16), [4..8, 8..16]);
        assert_eq!(covering_nodes(3..3), []);
    }
}
