//! Sums over blocks, added in a binary tree.

use std::ops::Range;

/// The sum over consecutive blocks: as many as a power of two, the first of which is a
/// multiple of that. It is a node of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BlockSum {
    /// Of the blocks of the table.
    pub blocks: Range<usize>,
    /// Empty if all are zero.
    pub values: Vec<f64>,
}

/// Adds up sums over blocks, which come in order, as far as the tree allows: two nodes that are
/// the halves of another one become that one. Returns which of the sums are left; it is
/// the first one alone if all blocks of the table are there. The others are scratch memory.
pub(crate) fn add_up(sums: &mut [BlockSum]) -> Vec<usize> {
    let mut left: Vec<usize> = Vec::with_capacity(sums.len().min(16));
    for k in 0..sums.len() {
        left.push(k);
        while let [.., first, second] = left[..] {
            let (before, after) = sums.split_at_mut(second);
            let (first, second) = (&mut before[first], &mut after[0]);
            if !are_halves(&first.blocks, &second.blocks) {
                break;
            }
            first.add(second);
            left.pop();
        }
    }
    left
}

/// Whether two nodes are the left and the right half of a node.
fn are_halves(left: &Range<usize>, right: &Range<usize>) -> bool {
    left.len() == right.len()
        && left.end == right.start
        && left.start.is_multiple_of(2 * left.len())
}

impl BlockSum {
    /// Adds the other half of a node.
    fn add(&mut self, other: &mut Self) {
        self.blocks.end = other.blocks.end;
        if self.values.is_empty() {
            std::mem::swap(&mut self.values, &mut other.values);
            return;
        }
        for (sum, value) in self.values.iter_mut().zip(&other.values) {
            *sum += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn blocks(count: usize) -> Vec<BlockSum> {
        let mut random = Random(3);
        let mut block = |k| BlockSum {
            blocks: k..k + 1,
            values: match k % 5 {
                2 => Vec::new(),
                _ => vec![random.normal(), 1e16 * random.normal()],
            },
        };
        (0..count).map(&mut block).collect()
    }

    fn nodes(mut sums: Vec<BlockSum>) -> Vec<BlockSum> {
        let left = add_up(&mut sums);
        left.into_iter()
            .map(|k| std::mem::take(&mut sums[k]))
            .collect()
    }

    /// Whoever has which blocks.
    #[test]
    fn the_sum_does_not_depend_on_how_blocks_are_dealt() {
        for count in [1, 2, 8, 64] {
            let all = nodes(blocks(count));
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].blocks, 0..count);
            for ranks in 1..=count.min(7) {
                let bounds: Vec<usize> = (0..=ranks).map(|rank| rank * count / ranks).collect();
                let each = bounds.windows(2).flat_map(|own| {
                    let own = blocks(count)[own[0]..own[1]].to_vec();
                    nodes(own)
                });
                assert_eq!(nodes(each.collect()), all, "{count} blocks, {ranks} ranks");
            }
        }
    }

    #[test]
    fn a_rank_sends_few_nodes() {
        let of_five_to_eleven = nodes(blocks(16)[5..12].to_vec());
        let nodes: Vec<_> = of_five_to_eleven
            .iter()
            .map(|node| node.blocks.clone())
            .collect();
        assert_eq!(nodes, [5..6, 6..8, 8..12]);
    }
}
