//! The parts of a fit, each computed from votes, a path or a model at a time.

use std::ops::Range;

use super::{
    ClickCounts, CvCurve, CycleSources, EffectPath, ItemTally, PathRecord, PersonalScores,
};
use crate::error::Result;
use crate::model::{CrossValidation, Flow, LaplacianSolver, Snapshot, agreement};
use crate::votes::{Comparison, Comparisons};

impl PathRecord {
    /// Of these grid times, and of no model yet.
    pub(super) fn new(grid: &[f64]) -> Self {
        Self {
            grid: grid.to_vec(),
            ..Self::default()
        }
    }

    /// Adds the model at the grid time of an index, which is the next one.
    pub(super) fn push(&mut self, index: usize, snapshot: &Snapshot) {
        self.theta.extend(snapshot.theta());
        self.bias.push(index as u32, snapshot.position_bias());
        self.deviation.push(index as u32, snapshot.deviation_norm());
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
    pub(crate) fn new(
        votes: &Comparisons,
        consensus: &LaplacianSolver,
        threads: usize,
    ) -> Result<Self> {
        // Losses, ties and wins, by item.
        let add = |annotators: Range<usize>, counts: &mut [f64]| {
            for vote in annotators.flat_map(|u| votes.of(u)) {
                let (left, right) = (vote.choice > 0.0, vote.choice < 0.0);
                let outcome = 1 + usize::from(left) - usize::from(right);
                counts[3 * vote.left + outcome] += vote.weight;
                counts[3 * vote.right + 2 - outcome] += vote.weight;
            }
            Ok(())
        };
        let partition = votes.partition();
        let counts = if votes.is_weighted() {
            partition.sum(3 * votes.items(), threads, add)?
        } else {
            // Integers: no block needs sums of its own over the items.
            let mut counts = vec![0.0; 3 * votes.items()];
            add(0..votes.annotators(), &mut counts)?;
            partition.total_counts(counts)?
        };
        let mut component = vec![0; votes.items()];
        for (index, items) in consensus.components().enumerate() {
            for &item in items {
                component[item as usize] = index as u32 + 1;
            }
        }
        let column = |outcome: usize| counts.iter().skip(outcome).step_by(3).copied().collect();
        Ok(Self {
            losses: column(0),
            ties: column(1),
            wins: column(2),
            component,
            hodgerank: Vec::new(),
            consensus: Vec::new(),
        })
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
    /// By annotator of the table; of nobody if nobody knows who voted.
    pub(super) fn new(votes: &Comparisons, threads: usize) -> Result<Self> {
        if !votes.has_annotators() {
            return Ok(Self::default());
        }
        let partition = votes.partition();
        let blocks = partition.map(threads, |annotators| {
            Ok(annotators.map(|u| clicks(votes.of(u))).collect::<Vec<_>>())
        })?;
        let all = partition.gather(blocks.concat().as_flattened())?;
        let column = |side: usize| all.iter().skip(side).step_by(3).copied().collect();
        Ok(Self {
            left: column(0),
            right: column(1),
            ties: column(2),
        })
    }

    /// Of all votes together.
    pub(super) fn of_all(votes: &Comparisons, threads: usize) -> Result<[f64; 3]> {
        let sum = votes.partition().sum(3, threads, |annotators, sum| {
            for u in annotators {
                let own = clicks(votes.of(u));
                sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
            Ok(())
        })?;
        Ok([sum[0], sum[1], sum[2]])
    }
}

/// The votes for the left item, for the right one, and the ties (sums of weights).
fn clicks(votes: impl Iterator<Item = Comparison>) -> [f64; 3] {
    let mut counts = [0.0; 3];
    for vote in votes {
        let side = match vote.choice {
            choice if choice > 0.0 => 0,
            choice if choice < 0.0 => 1,
            _ => 2,
        };
        counts[side] += vote.weight;
    }
    counts
}

impl CycleSources {
    /// None if HodgeRank explains the flow but for rounding.
    pub(super) fn new(
        votes: &Comparisons,
        flow: &Flow,
        hodgerank: &[f64],
        snapshot: &Snapshot,
        threads: usize,
    ) -> Result<Option<Self>> {
        let explained = flow.gradient(hodgerank);
        let residual = flow.value.iter().zip(&explained).map(|(f, g)| f - g);
        let residual: Vec<f64> = residual.collect();
        let size = flow.inner(&residual, &residual);
        if size <= 1e-20 * flow.inner(&flow.value, &flow.value) {
            return Ok(None);
        }
        let add = |annotators: Range<usize>, sum: &mut [f64]| {
            let mut deviation = vec![0.0; flow.items()];
            for u in annotators {
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
                    sum[0] += cyclic * (deviation[vote.left] - deviation[vote.right]);
                    sum[1] += cyclic * bias;
                }
            }
            Ok(())
        };
        let sum = votes.partition().sum(2, threads, add)?;
        Ok(Some(Self {
            personal: sum[0] / size,
            position_bias: sum[1] / size,
        }))
    }
}

/// The mean of |y| over the votes that are not ties; 1 if there are none.
pub(super) fn mean_strength(votes: &Comparisons, threads: usize) -> Result<f64> {
    if !votes.is_graded() {
        return Ok(1.0);
    }
    let sum = votes.partition().sum(2, threads, |annotators, sum| {
        for vote in annotators.flat_map(|u| votes.of(u)) {
            if vote.choice != 0.0 {
                sum[0] += vote.weight * vote.choice.abs();
                sum[1] += vote.weight;
            }
        }
        Ok(())
    })?;
    Ok(if sum[1] > 0.0 { sum[0] / sum[1] } else { 1.0 })
}

/// By annotator of the table: the share of the untied votes that the consensus predicts.
pub(super) fn agreements(votes: &Comparisons, theta: &[f64], threads: usize) -> Result<Vec<f64>> {
    if !votes.has_annotators() {
        return Ok(Vec::new());
    }
    let partition = votes.partition();
    let blocks = partition.map(threads, |annotators| {
        let each = annotators.map(|u| agreement(votes, u, theta));
        Ok(each.collect::<Vec<f64>>())
    })?;
    partition.gather(&blocks.concat())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::execution::Stop;
    use crate::fit::{RowChecks, SelfConsistency};
    use crate::model::{Problem, SolveFrequency};
    use crate::options::{Options, PairModel};
    use crate::votes::Partition;
    use crate::votes::rank_tables::{assert_same_on_ranks, tables};

    #[test]
    fn ranks_have_the_same_parts() {
        let stop = Stop::default();
        for (name, votes) in tables() {
            let theta: Vec<f64> = (0..votes.items()).map(|i| (i * i % 7) as f64).collect();
            let (tally, clicks, _, rest) = assert_same_on_ranks(&votes, |votes, threads| {
                let flow = Flow::new(votes, PairModel::Uniform, &stop).unwrap();
                let consensus = LaplacianSolver::new(&flow, SolveFrequency::Once, &stop).unwrap();
                let agreements = agreements(votes, &theta, threads).unwrap();
                (
                    ItemTally::new(votes, &consensus, threads).unwrap(),
                    ClickCounts::new(votes, threads).unwrap(),
                    SelfConsistency::new(votes, threads, &stop).unwrap(),
                    (
                        ClickCounts::of_all(votes, threads).unwrap(),
                        mean_strength(votes, threads).unwrap(),
                        RowChecks::new(votes, 2 * flow.len(), threads).unwrap(),
                        // Who has no votes has NaN.
                        agreements.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
                    ),
                )
            });
            let [all, decided, rows] = [&rest.0[..], &rest.0[..2], &[votes.len() as f64]]
                .map(|counts| counts.iter().sum::<f64>());
            assert_eq!(clicks.left.len(), votes.annotators(), "{name}");
            let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
            assert!(close(tally.wins.iter().sum(), decided), "{name}");
            assert!(votes.is_weighted() || all == rows, "{name}");
            assert_eq!(rest.2.rows, votes.len() as u64);
            assert_eq!(rest.3.len(), votes.annotators());
        }
    }

    /// A vote that outweighs all others is found on whichever rank it is.
    #[test]
    fn ranks_find_the_dominant_row() {
        for annotator in [0, 13, 29] {
            let mut votes = Comparisons::with_capacity(4, 0, true, false);
            for u in 0..30 {
                let choice = |k: usize| match (u, k) {
                    (u, 3) if u == annotator => -1000.0,
                    _ => 1.0 + (k % 3) as f64,
                };
                votes.push_annotator((0..9).map(|k| (k % 3, 3, choice(k), 1.0)));
            }
            let partition = Partition::with_blocks(&votes.offsets, 8);
            let votes = votes.in_blocks(Arc::new(partition));
            let checks = assert_same_on_ranks(&votes, |votes, threads| {
                RowChecks::new(votes, 12, threads).unwrap()
            });
            let dominant = checks.dominant.unwrap();
            assert_eq!(dominant.annotator, Some(annotator as u32));
            assert_eq!((dominant.left, dominant.choice), (0, -1000.0));
            assert_eq!(dominant.median, 2.0);
        }
    }

    /// What the effects explain of the cycles is a sum over annotators.
    #[test]
    fn threads_find_the_same_sources_of_cycles() {
        let stop = Stop::default();
        let (_, votes) = tables().swap_remove(2);
        let problem = Problem::new(&votes, &Options::default(), &stop).unwrap();
        let mut path = problem.path(&stop).unwrap();
        let snapshot = path.advance_to(8.0 * problem.first_entry, &stop).unwrap();
        let hodgerank = problem.hodgerank(&stop).unwrap();
        let sources = |threads| {
            let sources = CycleSources::new(&votes, &problem.flow, &hodgerank, snapshot, threads);
            sources.unwrap().unwrap()
        };
        assert!(sources(1).personal != 0.0);
        assert_eq!(sources(1), sources(3));
    }
}
