//! Sums over blocks, added in a binary tree.

use std::ops::Range;

/// The sum over consecutive blocks: as many as a power of two, the first of which is a
/// multiple of that. It is a node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockSum {
    /// Of the blocks of the table.
    pub blocks: Range<usize>,
    pub values: Vec<f64>,
}

/// Adds up sums over blocks, which come in order, as far as the tree allows: two nodes that are
/// the halves of another one become that one. If all blocks of the table are there, one
/// node is left.
pub(crate) fn sum_blocks(parts: impl IntoIterator<Item = BlockSum>) -> Vec<BlockSum> {
    let mut nodes: Vec<BlockSum> = Vec::new();
    for part in parts {
        nodes.push(part);
        while let [.., left, right] = &mut nodes[..]
            && are_halves(&left.blocks, &right.blocks)
        {
            for (sum, value) in left.values.iter_mut().zip(&right.values) {
                *sum += value;
            }
            left.blocks.end = right.blocks.end;
            nodes.pop();
        }
    }
    nodes
}

/// Whether two nodes are the left and the right half of a node.
fn are_halves(left: &Range<usize>, right: &Range<usize>) -> bool {
    left.len() == right.len() && left.end == right.start && left.start % (2 * left.len()) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn blocks(count: usize) -> Vec<BlockSum> {
        let mut random = Random(3);
        let block = |k| BlockSum {
            blocks: k..k + 1,
            values: vec![random.normal(), 1e16 * random.normal()],
        };
        (0..count).map(block).collect()
    }

    /// Whoever has which blocks.
    #[test]
    fn the_sum_does_not_depend_on_how_blocks_are_dealt() {
        for count in [1, 2, 8, 64] {
            let all = sum_blocks(blocks(count));
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].blocks, 0..count);
            for ranks in 1..=count.min(7) {
                let bounds: Vec<usize> = (0..=ranks).map(|rank| rank * count / ranks).collect();
                let each = bounds.windows(2).flat_map(|own| {
                    let own = blocks(count)[own[0]..own[1]].to_vec();
                    sum_blocks(own)
                });
                assert_eq!(sum_blocks(each), all, "{count} blocks, {ranks} ranks");
            }
        }
    }

    #[test]
    fn a_rank_sends_few_nodes() {
        let of_five_to_eleven = sum_blocks(blocks(16)[5..12].to_vec());
        let nodes: Vec<_> = of_five_to_eleven
            .iter()
            .map(|node| node.blocks.clone())
            .collect();
        assert_eq!(nodes, [5..6, 6..8, 8..12]);
    }
}
