//! The variance of the scores from [refits](super::refits), in which groups of
//! annotators count twice or half: a jackknife.
//!
//! A mean of n groups would move by a known part s of a group's distance from it: 1/(n + 1)
//! if the group counts twice. So the contribution of group g to the score of item i is
//!
//! ```text
//! x_gi = (θ_i of refit g − mean over the refits) / (s n),   V_i = Σ_g x_gi²
//! ```
//!
//! with n the effective number of groups that saw the item. If each annotator is a
//! group, that is all. Else there are few groups, and V_i is known better by a control
//! variate: the contribution x⁰_g = L⁺Σ_u g_u over the group, as if effects stayed what
//! they are. Its variance V⁰ over annotators is the sandwich, and with r the slope of x
//! over x⁰
//!
//! ```text
//! V_i = Σ_g (x_gi − r x⁰_gi)² + r² V⁰_i,   r = Σ_g x_gi x⁰_gi / Σ_g x⁰_gi²
//! ```
//!
//! where only the first sum has the degrees of freedom of the groups. It is small where
//! few annotators have effects.

use std::ops::Range;

use super::annotator_sums::effective_number;
use super::contribution::ScoreContribution;
use super::hessian::{Hessian, LANES, RhsLanes};
use super::refits::Refits;
use super::score_contributions::{LaneSums, ScoreContributions};
use super::variances::Variance;
use crate::error::Result;
use crate::execution::Stop;

/// Fewer groups than this cannot tell how x depends on x⁰.
const MIN_GROUPS_FOR_SLOPE: f64 = 4.0;

/// What the refits say of the scores, by item and group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefitContributions {
    /// How many groups there are.
    pub groups: usize,
    /// Whether each annotator is a group.
    pub is_complete: bool,
    /// The score in each refit less its mean over the refits, item after item.
    pub moved: Vec<f64>,
    /// x⁰, item after item; empty if each annotator is a group.
    pub linear: Vec<f64>,
    /// By item, the effective number of groups that saw it.
    pub seen_by: Vec<f64>,
}

/// A number for each group; zero beyond the last.
type ByGroup = [f64; LANES];

impl RefitContributions {
    pub(super) fn new(
        refits: &Refits,
        hessian: &Hessian<'_>,
        contributions: &ScoreContributions<'_>,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let GroupSums { votes, score } = GroupSums::new(refits, contributions, threads, stop)?;
        let groups = refits.groups();
        let mut found = Self {
            groups,
            is_complete: refits.is_complete(),
            ..Self::default()
        };
        if !found.is_complete {
            let linear = hessian.solve(score, stop)?;
            let each = linear
                .iter()
                .flat_map(|item| &item.as_flattened()[..groups]);
            found.linear = each.copied().collect();
        }
        for (item, votes) in votes.iter().enumerate() {
            let scores = || refits.theta.iter().map(|theta| theta[item]);
            let mean = scores().sum::<f64>() / groups as f64;
            found.moved.extend(scores().map(|score| score - mean));
            let votes = &votes.as_flattened()[..groups];
            let squares = votes.iter().map(|votes| votes * votes).sum();
            found
                .seen_by
                .push(effective_number(votes.iter().sum(), squares));
        }
        Ok(found)
    }

    /// Whether there is a number for each item and group.
    pub fn is_consistent(&self, items: usize) -> bool {
        let numbers = items.checked_mul(self.groups);
        (1..=LANES).contains(&self.groups)
            && numbers == Some(self.moved.len())
            && self.seen_by.len() == items
            && match self.is_complete {
                true => self.linear.is_empty(),
                false => numbers == Some(self.linear.len()),
            }
    }

    /// The variance of an item's score, given that of the sandwich.
    pub(super) fn of_item(&self, item: usize, sandwich: Variance) -> Variance {
        let own = |values: &[f64]| self.by_group(values, item);
        self.variance(own, self.seen_by[item], sandwich)
    }

    /// The variance of the difference of two scores, given that of the sandwich and the
    /// effective number of groups that know of it.
    pub(super) fn of_difference(
        &self,
        [a, b]: [usize; 2],
        groups: f64,
        sandwich: Variance,
    ) -> Variance {
        let difference = |values: &[f64]| {
            let (a, b) = (self.by_group(values, a), self.by_group(values, b));
            std::array::from_fn(|group| a[group] - b[group])
        };
        self.variance(difference, groups, sandwich)
    }

    fn by_group(&self, values: &[f64], item: usize) -> ByGroup {
        let mut own = [0.0; LANES];
        own[..self.groups].copy_from_slice(&values[item * self.groups..][..self.groups]);
        own
    }

    fn variance(
        &self,
        of: impl Fn(&[f64]) -> ByGroup,
        groups: f64,
        sandwich: Variance,
    ) -> Variance {
        let scale = self.shift(groups) * groups;
        let x = of(&self.moved).map(|moved| moved / scale);
        if !self.is_complete && groups >= MIN_GROUPS_FOR_SLOPE {
            return with_control(&x, &of(&self.linear), groups, sandwich);
        }
        Variance::of_sum(x.iter().map(|x| x * x).sum(), groups)
    }

    /// The part of its distance from the mean of n groups by which a group moves that
    /// mean, if it counts twice or half.
    fn shift(&self, groups: f64) -> f64 {
        if self.is_complete {
            -1.0 / (2.0 * groups - 1.0)
        } else {
            1.0 / (groups + 1.0)
        }
    }
}

/// The variance with the control variate x⁰, whose variance is known.
fn with_control(x: &ByGroup, x0: &ByGroup, groups: f64, known: Variance) -> Variance {
    let dot = |a: &ByGroup, b: &ByGroup| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let x0x0 = dot(x0, x0);
    let slope = if x0x0 > 0.0 { dot(x, x0) / x0x0 } else { 0.0 };
    let rest = f64::max(dot(x, x) - slope * dot(x, x0), 0.0);
    // The mean and the slope take a degree of freedom each.
    let freedom = groups - 2.0;
    let rest = Variance {
        value: rest * groups / freedom,
        freedom,
    };
    let sum = rest.plus(Variance {
        value: slope * slope * known.value,
        ..known
    });
    // Both parts are about the same annotators, and together know no more than these.
    Variance {
        freedom: sum.freedom.min(known.freedom),
        ..sum
    }
}

/// Sums over the annotators of each group, by item, with a lane for each group.
struct GroupSums {
    /// The votes on the item.
    votes: Vec<RhsLanes>,
    /// Σ_u g_ui.
    score: Vec<RhsLanes>,
}

impl GroupSums {
    fn new(
        refits: &Refits,
        contributions: &ScoreContributions<'_>,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let members = |group: usize, annotators: Range<usize>| {
            annotators.filter(move |&u| refits.group[u] == group)
        };
        let add = |sums: &mut LaneSums<2>, _, contribution: &ScoreContribution| {
            for item in contribution.seen.iter().map(|&item| item as usize) {
                let on_item = contribution.by_item[item];
                sums.add(item, [on_item.votes, on_item.value]);
            }
        };
        let items = contributions.votes.items();
        let size = (refits.groups(), items);
        let groups = contributions.sum_lanes(size, threads, stop, members, add)?;
        let mut votes = vec![RhsLanes::default(); items];
        let mut score = vec![RhsLanes::default(); items];
        for (group, sums) in groups.iter().enumerate() {
            for (item, &[on_item, value]) in sums.as_chunks().0.iter().enumerate() {
                votes[item].as_flattened_mut()[group] = on_item;
                score[item].as_flattened_mut()[group] = value;
            }
        }
        Ok(Self { votes, score })
    }
}
