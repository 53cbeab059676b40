//! The pairs of items that one annotator voted on. A slot is the position of an item among
//! those that the annotator saw.

use std::ops::Range;

/// The pairs of one annotator after the other. They are ordered by the larger of their slots.
#[derive(Default)]
pub(super) struct SlotPairs {
    /// By slot: where the pairs with this larger slot begin; then the number of pairs.
    starts: Vec<u32>,
    /// By pair: its smaller slot.
    smaller: Vec<u32>,
    /// By vote: its pair.
    of_vote: Vec<u32>,
    /// The votes ordered by the larger slot, and by slot where the next one goes.
    order: Vec<u32>,
    next: Vec<u32>,
    /// By slot: the pair with this smaller slot that was met last.
    met: Vec<u32>,
}

impl SlotPairs {
    /// Takes the slots of each vote of an annotator.
    pub fn set(&mut self, slots: usize, votes: impl ExactSizeIterator<Item = [u32; 2]> + Clone) {
        self.sort(slots, votes.clone().map(|[a, b]| a.max(b)));
        self.order_votes(votes.clone().map(|[a, b]| a.max(b)));
        let smaller_slot = votes.map(|[a, b]| a.min(b));
        self.of_vote.clear();
        self.of_vote.extend(smaller_slot); // the slot, until the pair is known
        self.met.resize(slots.max(self.met.len()), 0);
        self.smaller.clear();
        self.starts.clear();
        let mut first = 0;
        for &end in &self.next[..slots] {
            let start = self.smaller.len();
            self.starts.push(start as u32);
            for &vote in &self.order[first..end as usize] {
                let slot = self.of_vote[vote as usize];
                let met = &mut self.met[slot as usize];
                let is_known =
                    start <= *met as usize && self.smaller.get(*met as usize) == Some(&slot);
                if !is_known {
                    *met = self.smaller.len() as u32;
                    self.smaller.push(slot);
                }
                self.of_vote[vote as usize] = *met;
            }
            first = end as usize;
        }
        self.starts.push(self.smaller.len() as u32);
    }

    /// Counts the votes by their larger slot: `next` is where those of each slot begin.
    fn sort(&mut self, slots: usize, larger: impl Iterator<Item = u32>) {
        self.next.clear();
        self.next.resize(slots + 1, 0);
        larger.for_each(|slot| self.next[slot as usize + 1] += 1);
        for slot in 0..slots {
            self.next[slot + 1] += self.next[slot];
        }
    }

    /// Orders the votes by their larger slot: `next` becomes where those of each slot end.
    fn order_votes(&mut self, larger: impl ExactSizeIterator<Item = u32>) {
        self.order.resize(larger.len(), 0);
        for (vote, slot) in larger.enumerate() {
            let next = &mut self.next[slot as usize];
            self.order[*next as usize] = vote as u32;
            *next += 1;
        }
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.smaller.len()
    }

    /// By vote: its pair.
    pub fn of_vote(&self) -> &[u32] {
        &self.of_vote
    }

    /// The pairs with a larger slot.
    pub fn of_larger(&self, slot: usize) -> Range<usize> {
        self.starts[slot] as usize..self.starts[slot + 1] as usize
    }

    /// The smaller slot of a pair.
    pub fn smaller(&self, pair: usize) -> usize {
        self.smaller[pair] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_on_the_same_items_share_a_pair() {
        let mut pairs = SlotPairs::default();
        // The second annotator finds what the first one left.
        for votes in [
            vec![[0, 3], [1, 0], [3, 0], [2, 3], [0, 1], [3, 2], [0, 3]],
            vec![[1, 0], [0, 1]],
            vec![],
            vec![[2, 0], [2, 1], [1, 0], [1, 2]],
        ] {
            let slots = votes
                .iter()
                .flatten()
                .max()
                .map_or(0, |most| *most as usize + 1);
            pairs.set(slots, votes.iter().copied());
            let mut seen = Vec::new();
            for slot in 0..slots {
                let own = pairs.of_larger(slot);
                seen.extend(own.map(|pair| [pairs.smaller(pair) as u32, slot as u32]));
            }
            let mut expected: Vec<[u32; 2]> =
                votes.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
            for (vote, &pair) in expected.iter().zip(pairs.of_vote()) {
                assert_eq!(*vote, seen[pair as usize]);
            }
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(pairs.len(), expected.len());
            seen.sort_unstable();
            assert_eq!(seen, expected);
        }
    }
}
