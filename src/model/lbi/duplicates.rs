//! Annotators with one vote each who gave the same vote.
//!
//! Their effects are the same to the bit at all times, so a step is computed for the
//! first of them only, the *representative*. What it adds to the right-hand side of the
//! next θ is subtracted once for each of them, in the order of the active set, so that
//! the sums have the same bits as without this shortcut.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::model::statistics::Statistics;

/// Marks the end of a list, and an annotator who is no duplicate.
const NONE: u32 = u32::MAX;

/// Who gave the same vote as whom.
pub(super) struct Duplicates {
    /// By annotator: a number for all who gave the same vote; `NONE` if nobody else did.
    group: Vec<u32>,
    /// By annotator: the next one of the same group.
    next: Vec<u32>,
    /// By group: its first annotator.
    representative: Vec<u32>,
    /// By group: what each of its annotators adds to L δ + a γ.
    contribution: Vec<PairContribution>,
}

/// Numbers at the two items of a vote.
#[derive(Clone, Copy, Default)]
struct PairContribution {
    items: [u32; 2],
    values: [f64; 2],
}

/// What one annotator is among those with the same vote.
pub(super) enum Duplicate {
    /// Nobody else gave this vote, or there are several votes.
    Unique,
    /// The first of a group.
    Representative { group: usize },
    /// Another one of a group.
    Follower { group: usize },
}

impl Duplicates {
    /// Finds the annotators with the same single vote.
    pub fn new(statistics: &Statistics) -> Self {
        let annotators = statistics.annotators();
        let mut found = Self {
            group: vec![NONE; annotators],
            next: vec![NONE; annotators],
            representative: Vec::new(),
            contribution: Vec::new(),
        };
        // By vote: the latest annotator who gave it.
        let mut latest: HashMap<SingleVote, u32> = HashMap::new();
        for u in 0..annotators {
            let Some(vote) = SingleVote::of(statistics, u) else {
                continue;
            };
            match latest.entry(vote) {
                Entry::Vacant(entry) => {
                    entry.insert(u as u32);
                }
                Entry::Occupied(mut entry) => {
                    let before = entry.insert(u as u32) as usize;
                    if found.group[before] == NONE {
                        found.begin_group(before, vote.items);
                    }
                    found.group[u] = found.group[before];
                    found.next[before] = u as u32;
                }
            }
        }
        found
    }

    fn begin_group(&mut self, representative: usize, items: [u32; 2]) {
        self.group[representative] = self.representative.len() as u32;
        self.representative.push(representative as u32);
        self.contribution.push(PairContribution {
            items,
            values: [0.0; 2],
        });
    }

    #[inline(always)]
    pub fn of(&self, u: usize) -> Duplicate {
        let group = self.group[u];
        if group == NONE {
            return Duplicate::Unique;
        }
        let group = group as usize;
        match self.representative[group] as usize == u {
            true => Duplicate::Representative { group },
            false => Duplicate::Follower { group },
        }
    }

    /// The annotator whose effects are computed.
    pub fn representative(&self, group: usize) -> usize {
        self.representative[group] as usize
    }

    /// Those of the same group who come after this one.
    pub fn after(&self, u: usize) -> impl Iterator<Item = usize> {
        let next = |u: &usize| self.next[*u];
        let existing = move |next: u32| (next != NONE).then_some(next as usize);
        std::iter::successors(existing(self.next[u]), move |u| existing(next(u)))
    }

    /// Sets what each annotator of a group adds to L δ + a γ, at the items of the vote.
    pub fn set_contribution(&mut self, group: usize, values: [f64; 2]) {
        self.contribution[group].values = values;
    }

    /// Subtracts that from the right-hand side, for one annotator.
    #[inline(always)]
    pub fn subtract(&self, group: usize, rhs: &mut [f64]) {
        let PairContribution { items, values } = self.contribution[group];
        for (item, value) in items.into_iter().zip(values) {
            rhs[item as usize] -= value;
        }
    }
}

/// A vote with everything that the statistics of its annotator depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SingleVote {
    items: [u32; 2],
    /// The bits of the weight, negative if the first item stood right.
    imbalance: u64,
    /// The bits of weight times choice.
    net_left: u64,
}

impl SingleVote {
    /// The vote of an annotator who has no other.
    fn of(statistics: &Statistics, u: usize) -> Option<Self> {
        let annotator = statistics.annotator(u);
        let &[first, second] = annotator.items else {
            return None;
        };
        (annotator.graph.edges() == 1).then(|| Self {
            items: [first, second],
            imbalance: annotator.imbalance[0].to_bits(),
            net_left: annotator.net_left.to_bits(),
        })
    }
}
