//! Annotators with one vote each who gave the same vote.
//!
//! Their effects are the same to the bit at all times, so a step is computed for the
//! first of them only, the *representative*. What it adds to the right-hand side of the
//! next θ is subtracted once for each of them, in the order of the active set, so that
//! the sums have the same bits as without this shortcut.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::model::statistics::Statistics;

/// Nobody, or no group.
const NONE: u32 = u32::MAX;

/// Who gave the same vote as whom. Annotators of the same vote are a group; all but the
/// first follow it.
pub(super) struct Duplicates {
    /// By annotator: the group that they follow; `NONE` of most.
    follows: Vec<u32>,
    /// By annotator: the group that they represent; `NONE` of most.
    leads: Vec<u32>,
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

impl Duplicates {
    /// Finds the annotators with the same single vote.
    pub fn new(statistics: &Statistics) -> Self {
        let annotators = statistics.annotators();
        let mut found = Self {
            follows: vec![NONE; annotators],
            leads: vec![NONE; annotators],
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
                    found.follows[u] = match found.follows[before] {
                        NONE => found.begin_group(before, vote.items),
                        group => group,
                    };
                    found.next[before] = u as u32;
                }
            }
        }
        found
    }

    fn begin_group(&mut self, representative: usize, items: [u32; 2]) -> u32 {
        let group = self.representative.len() as u32;
        self.leads[representative] = group;
        self.representative.push(representative as u32);
        self.contribution.push(PairContribution {
            items,
            values: [0.0; 2],
        });
        group
    }

    /// Whether somebody before this annotator gave the same vote.
    #[inline(always)]
    pub fn follows(&self, u: usize) -> bool {
        self.follows[u] != NONE
    }

    /// Whether this annotator is the first of several with the same vote.
    #[inline(always)]
    pub fn leads(&self, u: usize) -> bool {
        self.leads[u] != NONE
    }

    /// The annotator whom this one follows.
    pub fn representative(&self, u: usize) -> Option<usize> {
        let group = self.follows[u];
        (group != NONE).then(|| self.representative[group as usize] as usize)
    }

    /// Those of the same group who come after this one.
    pub fn after(&self, u: usize) -> impl Iterator<Item = usize> {
        let next = |u: &usize| self.next[*u];
        let existing = move |next: u32| (next != NONE).then_some(next as usize);
        std::iter::successors(existing(self.next[u]), move |u| existing(next(u)))
    }

    /// Subtracts what a representative adds to L δ + a γ, at the items of the vote, from
    /// the right-hand side. It is kept for those who follow.
    #[inline(always)]
    pub fn subtract_representative(&mut self, u: usize, values: [f64; 2], rhs: &mut [f64]) {
        let contribution = &mut self.contribution[self.leads[u] as usize];
        contribution.values = values;
        contribution.subtract_from(rhs);
    }

    /// Subtracts the same for an annotator who follows; false if this one does not.
    #[inline(always)]
    pub fn subtract_follower(&self, u: usize, rhs: &mut [f64]) -> bool {
        let group = self.follows[u];
        if group != NONE {
            self.contribution[group as usize].subtract_from(rhs);
        }
        group != NONE
    }
}

impl PairContribution {
    #[inline(always)]
    fn subtract_from(&self, rhs: &mut [f64]) {
        for (&item, value) in self.items.iter().zip(self.values) {
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
