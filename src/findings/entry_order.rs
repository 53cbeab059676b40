//! When each annotator's effect entered the path.

use crate::fit::EffectPath;

/// The entries of one effect on the grid, by annotator; None for one whose effect
/// never enters.
pub(crate) struct EntryOrder {
    /// The index of the first grid time with the effect.
    pub first: Vec<Option<u32>>,
    /// The position among all entries, from 1; those of the same grid time by id.
    pub order: Vec<Option<u64>>,
}

impl EntryOrder {
    pub fn new(effects: &EffectPath, annotators: usize) -> Self {
        let first = effects.first(annotators);
        let mut entered: Vec<usize> = (0..annotators).filter(|&u| first[u].is_some()).collect();
        entered.sort_by_key(|&u| first[u]);
        let mut order = vec![None; annotators];
        for (position, u) in (1..).zip(entered) {
            order[u] = Some(position);
        }
        Self { first, order }
    }
}

/// The annotators by the first entry of either effect, then by the order of the
/// position bias, then by id.
pub(crate) fn by_first_entry(bias: &EntryOrder, deviation: &EntryOrder) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bias.first.len()).collect();
    order.sort_by_key(|&u| {
        let earliest = bias.first[u].into_iter().chain(deviation.first[u]).min();
        (
            earliest.unwrap_or(u32::MAX),
            bias.order[u].unwrap_or(u64::MAX),
            u,
        )
    });
    order
}
