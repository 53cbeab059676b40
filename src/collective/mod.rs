//! One computation on several machines.
//!
//! Each machine, or process, is a *rank*. It has the votes of some consecutive annotators, and all
//! ranks run the same program: what is computed from sums over all annotators is computed on
//! every rank, what belongs to an annotator on the rank that has the votes. Where a sum
//! over all annotators is needed, the ranks exchange their parts of it.
//!
//! The parts are sums over *blocks* of annotators, which depend on the votes alone and not on
//! the ranks (see [`Partition`](crate::votes::Partition)). They are added in a binary tree,
//! so a rank can add up the blocks that it has before it sends them, and the bits of the
//! sum do not depend on who has which block:
//!
//! ```text
//! ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))
//! ```

mod block_tree;
#[cfg(test)]
pub(crate) mod in_process;
mod slot_sums;
pub(crate) mod tcp;

use std::fmt::Debug;

pub(crate) use block_tree::{BlockSum, add_up};
pub(crate) use slot_sums::{SlotSums, covering_nodes};

use crate::error::Result;

/// The exchange of one rank with all others. All ranks make the same calls in the same order.
pub(crate) trait Collective: Debug + Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// The sum over all blocks of all ranks. Each rank passes the sums over its own blocks,
    /// as [`add_up`] leaves them. Empty if all are zero.
    fn all_reduce(&self, parts: Vec<BlockSum>) -> Result<Vec<f64>>;

    /// What every rank passes, in the order of ranks.
    fn all_gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>>;
}
