//! Confidence intervals of scores and ranks.

use crate::model::StandardErrors;

/// The intervals of the scores and of the ranks, by item: (low, high).
pub(crate) struct Intervals {
    pub score: Vec<(f64, f64)>,
    pub rank: Vec<(u64, u64)>,
}

impl Intervals {
    /// Score ± half width for each item, and the ranks that follow from it.
    pub fn new(scores: &[f64], standard_errors: &StandardErrors, component: &[u32]) -> Self {
        let scores = scores.iter().zip(&standard_errors.half_width);
        let score: Vec<(f64, f64)> = scores
            .map(|(score, half)| (score - half, score + half))
            .collect();
        let rank = rank_intervals(&score, component);
        Self { score, rank }
    }
}

/// The best and the worst rank of each item within its component. An item is
/// surely better than another if its interval lies entirely above the other's,
/// and surely worse if it lies entirely below.
fn rank_intervals(interval: &[(f64, f64)], component: &[u32]) -> Vec<(u64, u64)> {
    let mut ranks = vec![(0, 0); component.len()];
    let mut order: Vec<usize> = (0..component.len()).collect();
    order.sort_by_key(|&i| component[i]);
    for group in order.chunk_by(|&a, &b| component[a] == component[b]) {
        let mut low: Vec<f64> = group.iter().map(|&i| interval[i].0).collect();
        let mut high: Vec<f64> = group.iter().map(|&i| interval[i].1).collect();
        low.sort_by(f64::total_cmp);
        high.sort_by(f64::total_cmp);
        for &i in group {
            let (own_low, own_high) = interval[i];
            let above = group.len() - low.partition_point(|&other| other <= own_high);
            let below = high.partition_point(|&other| other < own_low);
            ranks[i] = (above as u64 + 1, (group.len() - below) as u64);
        }
    }
    ranks
}
