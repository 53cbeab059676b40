//! The parts of a fit, each computed from votes, a path or a model at a time.

use super::{
    ClickCounts, CvCurve, CycleSources, EffectPath, ItemTally, PathRecord, PersonalScores,
};
use crate::model::{CrossValidation, Flow, LaplacianSolver, Snapshot, agreement};
use crate::votes::{Comparison, Comparisons};

impl PathRecord {
    /// Adds the model at the next grid time.
    pub(super) fn push(&mut self, snapshot: &Snapshot) {
        let index = self.grid.len() as u32;
        self.grid.push(snapshot.t());
        self.theta.extend(snapshot.theta());
        self.bias.push(index, snapshot.position_bias());
        self.deviation.push(index, snapshot.deviation_norm());
    }
}

impl EffectPath {
    /// Adds the values at the next grid time, by annotator.
    pub(super) fn push(&mut self, grid_index: u32, values: &[f64]) {
        for (annotator, &value) in values.iter().enumerate() {
            if value != 0.0 {
                self.grid_index.push(grid_index);
                self.annotator.push(annotator as u32);
                self.value.push(value);
            }
        }
    }

    /// The values at a grid time, by annotator.
    pub fn at(&self, grid_index: usize, annotators: usize) -> Vec<f64> {
        let mut values = vec![0.0; annotators];
        for k in self.rows(grid_index) {
            values[self.annotator[k] as usize] = self.value[k];
        }
        values
    }

    /// The range of a grid time's values.
    pub fn rows(&self, grid_index: usize) -> std::ops::Range<usize> {
        let first = |index: usize| self.grid_index.partition_point(|&g| (g as usize) < index);
        first(grid_index)..first(grid_index + 1)
    }

    /// The first grid time with a value, by annotator.
    pub fn first(&self, annotators: usize) -> Vec<Option<u32>> {
        let mut first = vec![None; annotators];
        for (&annotator, &grid_index) in self.annotator.iter().zip(&self.grid_index) {
            first[annotator as usize].get_or_insert(grid_index);
        }
        first
    }
}

impl CvCurve {
    pub(super) fn new(cv: &CrossValidation) -> Self {
        let each = || 0..cv.points();
        Self {
            error: each().map(|index| cv.error(index)).collect(),
            error_std: each()
                .map(|index| cv.error_std(index).unwrap_or(f64::NAN))
                .collect(),
            mismatch: each().map(|index| cv.mismatch(index)).collect(),
            hodgerank_error: cv.hodgerank_error(),
        }
    }
}

impl ItemTally {
    /// All but the scores.
    pub(crate) fn new(votes: &Comparisons, consensus: &LaplacianSolver) -> Self {
        // Losses, ties and wins.
        let mut counts = vec![[0.0; 3]; votes.items()];
        for vote in (0..votes.len()).map(|row| votes.get(row)) {
            let (left, right) = (vote.choice > 0.0, vote.choice < 0.0);
            let outcome = 1 + usize::from(left) - usize::from(right);
            counts[vote.left][outcome] += vote.weight;
            counts[vote.right][2 - outcome] += vote.weight;
        }
        let mut component = vec![0; votes.items()];
        for (index, items) in consensus.components().enumerate() {
            for &item in items {
                component[item as usize] = index as u32 + 1;
            }
        }
        let column = |outcome: usize| counts.iter().map(|counts| counts[outcome]).collect();
        Self {
            losses: column(0),
            ties: column(1),
            wins: column(2),
            component,
            hodgerank: Vec::new(),
            consensus: Vec::new(),
        }
    }
}

impl ItemTally {
    /// The items of each component, the largest component first.
    pub fn components(&self) -> Vec<Vec<u32>> {
        let count = self.component.iter().max().map_or(0, |&last| last as usize);
        let mut components = vec![Vec::new(); count];
        for (item, &component) in self.component.iter().enumerate() {
            components[component as usize - 1].push(item as u32);
        }
        components
    }
}

impl ClickCounts {
    /// By annotator; of nobody if nobody knows who voted.
    pub(super) fn new(votes: &Comparisons) -> Self {
        let mut counts = Self::default();
        for u in 0..annotators(votes) {
            counts.push(votes.of(u));
        }
        counts
    }

    /// Of all votes together.
    pub(super) fn of_all(votes: &Comparisons) -> [f64; 3] {
        let mut all = Self::default();
        (0..votes.annotators()).for_each(|u| all.push(votes.of(u)));
        [all.left, all.right, all.ties].map(|counts| counts.iter().sum())
    }

    /// Adds a group of votes.
    fn push(&mut self, votes: impl Iterator<Item = Comparison>) {
        let [mut left, mut right, mut ties] = [0.0; 3];
        for vote in votes {
            let count = match vote.choice {
                choice if choice > 0.0 => &mut left,
                choice if choice < 0.0 => &mut right,
                _ => &mut ties,
            };
            *count += vote.weight;
        }
        self.left.push(left);
        self.right.push(right);
        self.ties.push(ties);
    }
}

/// The annotators that are known.
fn annotators(votes: &Comparisons) -> usize {
    match votes.has_annotators() {
        true => votes.annotators(),
        false => 0,
    }
}

impl CycleSources {
    /// None if HodgeRank explains the flow but for rounding.
    pub(super) fn new(
        votes: &Comparisons,
        flow: &Flow,
        hodgerank: &[f64],
        snapshot: &Snapshot,
    ) -> Option<Self> {
        let explained = flow.gradient(hodgerank);
        let residual = flow.value.iter().zip(&explained).map(|(f, g)| f - g);
        let residual: Vec<f64> = residual.collect();
        let size = flow.inner(&residual, &residual);
        if size <= 1e-20 * flow.inner(&flow.value, &flow.value) {
            return None;
        }
        let mut deviation = vec![0.0; flow.items()];
        let mut sources = Self::default();
        for u in 0..votes.annotators() {
            let bias = snapshot.position_bias()[u];
            if bias == 0.0 && snapshot.deviation_norm()[u] == 0.0 {
                continue;
            }
            for (&item, value) in snapshot.items(u).iter().zip(snapshot.deviation(u)) {
                deviation[item as usize] = *value;
            }
            for vote in votes.of(u) {
                let (a, b) = (vote.left.min(vote.right), vote.left.max(vote.right));
                let side = if a == vote.left { 1.0 } else { -1.0 };
                let cyclic = vote.weight * side * residual[flow.pair(a, b)];
                sources.personal += cyclic * (deviation[vote.left] - deviation[vote.right]);
                sources.position_bias += cyclic * bias;
            }
        }
        sources.personal /= size;
        sources.position_bias /= size;
        Some(sources)
    }
}

/// The mean of |y| over the votes that are not ties; 1 if there are none.
pub(super) fn mean_strength(votes: &Comparisons) -> f64 {
    if !votes.is_graded() {
        return 1.0;
    }
    let (mut sum, mut weight) = (0.0, 0.0);
    for vote in (0..votes.len()).map(|row| votes.get(row)) {
        if vote.choice != 0.0 {
            sum += vote.weight * vote.choice.abs();
            weight += vote.weight;
        }
    }
    if weight > 0.0 { sum / weight } else { 1.0 }
}

/// By annotator: the share of the untied votes that the consensus predicts.
pub(super) fn agreements(votes: &Comparisons, theta: &[f64]) -> Vec<f64> {
    let each = 0..annotators(votes);
    each.map(|u| agreement(votes, u, theta)).collect()
}

impl PersonalScores {
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let mut personal = Self {
            starts: vec![0],
            ..Self::default()
        };
        let norms = snapshot.deviation_norm();
        for u in (0..norms.len()).filter(|&u| norms[u] != 0.0) {
            personal.annotator.push(u as u32);
            let votes = snapshot.statistics().annotator(u).graph.degrees();
            let seen = snapshot.items(u).iter().zip(snapshot.deviation(u));
            let mut seen: Vec<_> = seen.zip(votes).collect();
            seen.sort_unstable_by_key(|((item, _), _)| **item);
            for ((&item, &deviation), votes) in seen {
                personal.item.push(item);
                personal.deviation.push(deviation);
                personal.votes.push(votes);
            }
            personal.starts.push(personal.item.len());
        }
        personal
    }
}
