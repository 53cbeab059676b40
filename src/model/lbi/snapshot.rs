//! The model at one time.

use std::ops::Range;
use std::sync::Arc;

use super::gradients::{norm_of, shrink};
use crate::linalg::simd::Quad;
use crate::model::statistics::{BlockStatistics, Statistics};

/// The model at one time, with the statistics of the votes that it was fitted to.
pub struct Snapshot {
    statistics: Arc<Statistics>,
    t: f64,
    theta: Vec<f64>,
    bias: Vec<f64>,
    /// Laid out as the vectors of the statistics are.
    deviation: Vec<Quad>,
    deviation_norm: Vec<f64>,
    /// The annotators of each block.
    blocks: Vec<Range<usize>>,
    /// By block, the annotators with an effect; those with both are in it twice.
    nonzero: Vec<Vec<u32>>,
}

impl Snapshot {
    /// The time.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// θ, by item.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// γ, by annotator.
    pub fn position_bias(&self) -> &[f64] {
        &self.bias
    }

    /// ‖δ^u‖, by annotator.
    pub fn deviation_norm(&self) -> &[f64] {
        &self.deviation_norm
    }

    /// The statistics of the votes that the model was fitted to.
    pub fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// The items that an annotator saw, in the order of [`Self::deviation`].
    pub fn items(&self, annotator: usize) -> &[u32] {
        self.statistics.annotator(annotator).items
    }

    /// δ^u over the items that annotator u saw.
    pub fn deviation(&self, annotator: usize) -> &[f64] {
        let range = self.statistics.quad_range(annotator);
        &self.deviation[range].as_flattened()[..self.items(annotator).len()]
    }

    /// θ + δ^u at each item that annotator u saw.
    pub fn own_scores(&self, annotator: usize) -> impl Iterator<Item = (usize, f64)> {
        let items = self.items(annotator).iter().map(|&item| item as usize);
        items
            .zip(self.deviation(annotator))
            .map(|(item, deviation)| (item, self.theta[item] + deviation))
    }
}

impl Snapshot {
    /// A model without effects, whose vectors are allocated.
    pub(in crate::model) fn new(statistics: &Arc<Statistics>) -> Self {
        let partition = &statistics.partition;
        let blocks = (0..partition.len()).map(|k| partition.annotators_of(k));
        Self::in_blocks(statistics, blocks.collect())
    }

    /// The same, for effects that are written by one thread.
    pub(in crate::model) fn undivided(statistics: &Arc<Statistics>) -> Self {
        let everybody = 0..statistics.annotators();
        Self::in_blocks(statistics, vec![everybody])
    }

    fn in_blocks(statistics: &Arc<Statistics>, blocks: Vec<Range<usize>>) -> Self {
        let annotators = statistics.annotators();
        Self {
            statistics: Arc::clone(statistics),
            t: 0.0,
            theta: vec![0.0; statistics.items],
            bias: vec![0.0; annotators],
            deviation: vec![[0.0; 4]; statistics.total_quads()],
            deviation_norm: vec![0.0; annotators],
            nonzero: vec![Vec::new(); blocks.len()],
            blocks,
        }
    }

    /// Begins the model at another time, with these scores and no effects.
    pub(in crate::model) fn begin(&mut self, t: f64, theta: &[f64]) {
        self.t = t;
        self.theta.copy_from_slice(theta);
        for mut block in self.blocks() {
            block.clear();
        }
    }

    /// Moves θ a part of the way to other scores.
    pub(in crate::model) fn interpolate_theta(&mut self, next: &[f64], part: f64) {
        for (slot, next) in self.theta.iter_mut().zip(next) {
            *slot += part * (next - *slot);
        }
    }

    /// The effects of the annotators of each block.
    pub(in crate::model) fn blocks(&mut self) -> Vec<SnapshotBlock<'_>> {
        let (mut bias, mut deviation) = (&mut self.bias[..], &mut self.deviation[..]);
        let mut deviation_norm = &mut self.deviation_norm[..];
        let nonzero = self.nonzero.iter_mut().zip(&self.blocks);
        let block = |(nonzero, annotators): (_, &Range<usize>)| {
            let statistics = BlockStatistics::new(&self.statistics, annotators.clone());
            SnapshotBlock {
                bias: take_first(&mut bias, statistics.annotators()),
                deviation: take_first(&mut deviation, statistics.total_quads()),
                deviation_norm: take_first(&mut deviation_norm, statistics.annotators()),
                nonzero,
                statistics,
            }
        };
        nonzero.map(block).collect()
    }
}

/// Takes the first values off a slice.
fn take_first<'a, T>(values: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(values).split_at_mut(count);
    *values = rest;
    first
}

/// The effects of the annotators of a block, who are counted from the first of them.
pub(in crate::model) struct SnapshotBlock<'a> {
    statistics: BlockStatistics,
    bias: &'a mut [f64],
    deviation: &'a mut [Quad],
    deviation_norm: &'a mut [f64],
    nonzero: &'a mut Vec<u32>,
}

impl SnapshotBlock<'_> {
    /// Sets all effects to zero.
    fn clear(&mut self) {
        for u in self.nonzero.drain(..) {
            let u = u as usize;
            self.bias[u] = 0.0;
            self.deviation_norm[u] = 0.0;
            self.deviation[self.statistics.quad_range(u)].fill([0.0; 4]);
        }
    }

    pub fn set_bias(&mut self, u: usize, bias: f64) {
        if bias != 0.0 {
            self.bias[u] = bias;
            self.nonzero.push(u as u32);
        }
    }

    /// Gives annotator u the effects of another one, who saw the same items.
    pub(super) fn copy_effects(&mut self, other: usize, u: usize) {
        self.set_bias(u, self.bias[other]);
        let start = self.statistics.quad_range(u).start;
        let source = self.statistics.quad_range(other);
        self.deviation.copy_within(source, start);
        if self.deviation_norm[other] != 0.0 {
            self.deviation_norm[u] = self.deviation_norm[other];
            self.nonzero.push(u as u32);
        }
    }

    /// Sets δ^u to κ·shrink(z).
    pub fn set_deviation(&mut self, u: usize, z: impl Iterator<Item = Quad>, kappa: f64) {
        let deviation = &mut self.deviation[self.statistics.quad_range(u)];
        for (slot, z) in deviation.iter_mut().zip(z) {
            *slot = z;
        }
        let norm = norm_of(deviation);
        let scale = shrink(norm, kappa);
        let values = deviation.as_flattened_mut().iter_mut();
        values.for_each(|slot| *slot *= scale);
        if scale != 0.0 {
            self.deviation_norm[u] = scale * norm;
            self.nonzero.push(u as u32);
        }
    }
}
