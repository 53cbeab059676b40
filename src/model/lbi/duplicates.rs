//! Annotators with one vote each who gave the same vote.
//!
//! Their effects are the same to the bit at all times, so a step is computed for the
//! first of them only, the *representative*. What it adds to the right-hand side of the
//! next θ is subtracted once for each of them, in the order of the active set, so that
//! the sums have the same bits as without this shortcut.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::model::statistics::BlockStatistics;

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
    pub fn new(statistics: &BlockStatistics) -> Self {
        let annotators = statistics.annotators();
        let mut found = Self {
            follows: vec![NONE; annotators],
            leads: vec![NONE; annotators],
            next: vec![NONE; annotators],
            representative: Vec::new(),
            contribution: Vec::new(),
        };
        #[cfg(test)]
        if tests::EVERYBODY_ALONE.get() {
            return found;
        }
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

    /// Subtracts what a representative, whose vote counts so often, adds to L δ + a γ, at the
    /// items of the vote, from the right-hand side. It is kept for those who follow.
    #[inline(always)]
    pub fn subtract_representative(
        &mut self,
        u: usize,
        count: f64,
        values: [f64; 2],
        rhs: &mut [f64],
    ) {
        let contribution = &mut self.contribution[self.leads[u] as usize];
        contribution.values = values;
        contribution.subtract_from(rhs, count);
    }

    /// Subtracts the same for an annotator who follows; false if this one does not.
    #[inline(always)]
    pub fn subtract_follower(&self, u: usize, count: f64, rhs: &mut [f64]) -> bool {
        let group = self.follows[u];
        if group != NONE {
            self.contribution[group as usize].subtract_from(rhs, count);
        }
        group != NONE
    }
}

impl PairContribution {
    #[inline(always)]
    fn subtract_from(&self, rhs: &mut [f64], count: f64) {
        for (&item, value) in self.items.iter().zip(self.values) {
            rhs[item as usize] -= count * value;
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
    fn of(statistics: &BlockStatistics, u: usize) -> Option<Self> {
        let annotator = statistics.annotator(u);
        let &[first, second] = annotator.items else {
            return None;
        };
        if annotator.graph.edges() != 1 {
            return None;
        }
        Some(Self {
            items: [first, second],
            imbalance: annotator.imbalance().next()?.to_bits(),
            net_left: annotator.net_left.to_bits(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use super::*;
    use crate::execution::Stop;
    use crate::model::Problem;
    use crate::model::statistics::Statistics;
    use crate::options::{Options, ThetaUpdate};
    use crate::random::Random;
    use crate::votes::{Comparison, Comparisons};

    thread_local! {
        /// Whether nobody is taken for a duplicate on this thread.
        pub(super) static EVERYBODY_ALONE: Cell<bool> = const { Cell::new(false) };
    }

    /// Most annotators have one vote, of few different ones; every seventh has ten.
    fn votes(items: usize, weighted: bool) -> Comparisons {
        let mut random = Random(23);
        let mut votes = Comparisons::with_capacity(items, 0, true, weighted);
        for annotator in 0..300 {
            for _ in 0..if annotator % 7 == 0 { 10 } else { 1 } {
                let left = random.below(items);
                votes.push(Comparison {
                    left,
                    right: (left + 1 + random.below(items.min(4) - 1)) % items,
                    choice: [-1.0, 0.0, 0.5, 1.0, 1.0][random.below(5)],
                    weight: if weighted {
                        [0.5, 2.0][random.below(2)]
                    } else {
                        1.0
                    },
                });
            }
            votes.end_annotator();
        }
        votes
    }

    fn block(votes: &Comparisons) -> BlockStatistics {
        let statistics = Statistics::new(votes, &Stop::default()).unwrap();
        BlockStatistics::of_all(&Arc::new(statistics))
    }

    /// Every number of the path at every grid time, and when effects entered.
    fn path_bits(votes: &Comparisons, options: &Options) -> (Vec<u64>, String) {
        let stop = Stop::default();
        let problem = Problem::new(votes, options, &stop).unwrap();
        let mut path = problem.path(&stop).unwrap();
        let mut bits = Vec::new();
        for t in problem.grid(options).unwrap() {
            let snapshot = path.advance_to(t, &stop).unwrap();
            let deviations = (0..votes.annotators()).flat_map(|u| snapshot.deviation(u));
            let numbers = snapshot.theta().iter().chain(snapshot.position_bias());
            let numbers = numbers.chain(snapshot.deviation_norm()).chain(deviations);
            bits.extend(numbers.map(|x| x.to_bits()));
        }
        let entries = (path.bias_entries(), path.deviation_entries());
        (bits, format!("{entries:?}"))
    }

    #[test]
    fn effects_are_those_of_a_step_for_everybody() {
        let effects = [(None, None), (Some(false), None), (None, Some(false))];
        for (items, weighted) in [(3, false), (4, true), (9, false), (9, true)] {
            let votes = votes(items, weighted);
            let statistics = block(&votes);
            let found = Duplicates::new(&statistics);
            assert!((0..300).filter(|&u| found.follows(u)).count() > 100);
            for (position_bias, personal) in effects {
                for theta_update in [ThetaUpdate::Solve, ThetaUpdate::Lagged] {
                    let options = Options {
                        grid_points: 12,
                        position_bias,
                        personal,
                        theta_update,
                        ..Options::default()
                    };
                    let (bits, entries) = path_bits(&votes, &options);
                    EVERYBODY_ALONE.set(true);
                    let (expected_bits, expected_entries) = path_bits(&votes, &options);
                    EVERYBODY_ALONE.set(false);
                    assert!(bits == expected_bits, "{items} {options:?}");
                    assert_eq!(entries, expected_entries);
                }
            }
        }
    }

    #[test]
    fn only_the_same_single_vote_makes_a_duplicate() {
        let mut votes = Comparisons::with_capacity(4, 0, true, true);
        let same = [(0, 1, 1.0, 2.0)];
        votes.push_annotator(same);
        votes.push_annotator([(1, 0, -1.0, 2.0)]); // sides swapped
        votes.push_annotator([(0, 1, 0.5, 2.0)]);
        votes.push_annotator(same);
        votes.push_annotator([(0, 1, 1.0, 1.0), (0, 1, 1.0, 1.0)]); // the same sums
        votes.push_annotator([(0, 1, 1.0, 1.0)]);
        votes.push_annotator([(0, 2, 1.0, 2.0)]);
        votes.push_annotator(same);
        let statistics = block(&votes);
        let found = Duplicates::new(&statistics);
        let representatives: Vec<_> = (0..8).map(|u| found.representative(u)).collect();
        let (none, first) = (None, Some(0));
        let expected = [none, none, none, first, none, none, none, first];
        assert_eq!(representatives, expected);
        assert_eq!(found.after(0).collect::<Vec<_>>(), [3, 7]);
        assert_eq!(found.after(3).collect::<Vec<_>>(), [7]);
        assert!(found.leads(0) && !found.leads(1) && !found.leads(3));
    }
}
