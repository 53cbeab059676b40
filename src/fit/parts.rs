//! The parts of a fit, each from what it is made of.

use super::{
    ClickCounts, CvCurve, CycleSources, EffectPath, ItemTally, PathRecord, PersonalScores,
};
use crate::model::{CrossValidation, LaplacianSolver, Problem, Snapshot};
use crate::votes::Comparisons;

impl PathRecord {
    pub(super) fn push(&mut self, snapshot: &Snapshot) {
        let index = self.grid.len() as u32;
        self.grid.push(snapshot.t());
        self.theta.extend(snapshot.theta());
        self.bias.push(index, snapshot.position_bias());
        self.deviation.push(index, snapshot.deviation_norm());
    }
}

impl EffectPath {
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

    /// The places of a grid time's values.
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
        // Losses, ties and wins, side by side.
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
        }
    }
}

impl ClickCounts {
    pub(super) fn new(votes: &Comparisons) -> Self {
        let zeros = || vec![0.0; votes.annotators()];
        let (mut left, mut right, mut ties) = (zeros(), zeros(), zeros());
        for u in 0..votes.annotators() {
            for vote in votes.of(u) {
                let count = match vote.choice {
                    choice if choice > 0.0 => &mut left,
                    choice if choice < 0.0 => &mut right,
                    _ => &mut ties,
                };
                count[u] += vote.weight;
            }
        }
        Self { left, right, ties }
    }
}

impl CycleSources {
    pub(super) fn new(
        votes: &Comparisons,
        problem: &Problem,
        hodgerank: &[f64],
        snapshot: &Snapshot,
    ) -> Option<Self> {
        let flow = &problem.flow;
        let explained = flow.gradient(hodgerank);
        let left_over = flow.value.iter().zip(&explained).map(|(f, g)| f - g);
        let left_over: Vec<f64> = left_over.collect();
        let size = flow.inner(&left_over, &left_over);
        if size <= 1e-20 * flow.inner(&flow.value, &flow.value) {
            return None;
        }
        let statistics = &problem.statistics;
        let mut own = vec![0.0; flow.items()];
        let mut circles = Self::default();
        for u in 0..votes.annotators() {
            let bias = snapshot.position_bias()[u];
            if bias == 0.0 && snapshot.deviation_norm()[u] == 0.0 {
                continue;
            }
            let seen = statistics.annotator(u).items;
            for (&item, value) in seen.iter().zip(snapshot.deviation(statistics, u)) {
                own[item as usize] = *value;
            }
            for vote in votes.of(u) {
                let (a, b) = (vote.left.min(vote.right), vote.left.max(vote.right));
                let side = if a == vote.left { 1.0 } else { -1.0 };
                let round = vote.weight * side * left_over[flow.pair(a, b)];
                circles.personal += round * (own[vote.left] - own[vote.right]);
                circles.position_bias += round * bias;
            }
        }
        circles.personal /= size;
        circles.position_bias /= size;
        Some(circles)
    }
}

pub(super) fn agreements(votes: &Comparisons, theta: &[f64]) -> Vec<f64> {
    let each = 0..votes.annotators();
    each.map(|u| agreement(votes, u, theta)).collect()
}

/// The share of an annotator's untied votes that the consensus predicts.
fn agreement(votes: &Comparisons, annotator: usize, theta: &[f64]) -> f64 {
    let (mut agreed, mut untied) = (0.0, 0.0);
    for vote in votes.of(annotator).filter(|vote| vote.choice != 0.0) {
        untied += vote.weight;
        if vote.choice * (theta[vote.left] - theta[vote.right]) > 0.0 {
            agreed += vote.weight;
        }
    }
    agreed / untied
}

impl PersonalScores {
    pub(super) fn new(problem: &Problem, snapshot: &Snapshot) -> Self {
        let mut component = vec![0; snapshot.theta().len()];
        for (index, items) in problem.consensus.components().enumerate() {
            for &item in items {
                component[item as usize] = index;
            }
        }
        let mut personal = Self {
            starts: vec![0],
            ..Self::default()
        };
        let norms = snapshot.deviation_norm();
        for u in (0..norms.len()).filter(|&u| norms[u] != 0.0) {
            let annotator = problem.statistics.annotator(u);
            let deviation = snapshot.deviation(&problem.statistics, u);
            personal.annotator.push(u as u32);
            personal
                .adversarial
                .push(covariance(annotator.items, deviation, snapshot.theta(), &component) < 0.0);
            let votes = annotator.graph.degrees();
            let seen = annotator.items.iter().zip(deviation).zip(votes);
            let mut seen: Vec<_> = seen.collect();
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

/// How an annotator's own scores go with the consensus over the items that the
/// annotator saw; scores of different components do not compare.
fn covariance(items: &[u32], deviation: &[f64], theta: &[f64], component: &[usize]) -> f64 {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&place| component[items[place] as usize]);
    let same =
        |&a: &usize, &b: &usize| component[items[a] as usize] == component[items[b] as usize];
    let mut sum = 0.0;
    for group in order.chunk_by(same) {
        let consensus = |&place: &usize| theta[items[place] as usize];
        let mean = group.iter().map(consensus).sum::<f64>() / group.len() as f64;
        for place in group {
            let own = consensus(place) + deviation[*place];
            sum += (consensus(place) - mean) * own;
        }
    }
    sum
}
