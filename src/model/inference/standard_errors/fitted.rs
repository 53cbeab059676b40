//! The model whose scores are in question, and the scores that each annotator has in it.

use crate::model::lbi::Snapshot;
use crate::model::statistics::Statistics;

/// A fitted model.
#[derive(Clone, Copy)]
pub struct Fitted<'a> {
    /// θ.
    pub theta: &'a [f64],
    /// The annotators' own effects; None if nobody has any.
    pub effects: Option<(&'a Statistics, &'a Snapshot)>,
}

impl<'a> Fitted<'a> {
    /// γ^u.
    pub(super) fn position_bias(&self, u: usize) -> f64 {
        self.effects
            .map_or(0.0, |(_, snapshot)| snapshot.position_bias()[u])
    }

    /// The items that annotator u saw, and δ^u there; empty if δ^u = 0.
    fn deviation(&self, u: usize) -> (&'a [u32], &'a [f64]) {
        match self.effects {
            Some((statistics, snapshot)) if snapshot.deviation_norm()[u] != 0.0 => {
                let items = statistics.annotator(u).items;
                (items, snapshot.deviation(statistics, u))
            }
            _ => (&[], &[]),
        }
    }

    /// Whether annotator u has an effect.
    pub(super) fn has_effect(&self, u: usize) -> bool {
        self.position_bias(u) != 0.0 || !self.deviation(u).0.is_empty()
    }

    /// Turns `scores`, which hold θ, into the scores of annotator u, θ + δ^u.
    pub(super) fn set_own_scores(&self, u: usize, scores: &mut [f64]) {
        let (items, deviation) = self.deviation(u);
        for (&item, change) in items.iter().zip(deviation) {
            scores[item as usize] += change;
        }
    }

    /// Undoes [`set_own_scores`](Self::set_own_scores).
    pub(super) fn reset_own_scores(&self, u: usize, scores: &mut [f64]) {
        for &item in self.deviation(u).0 {
            scores[item as usize] = self.theta[item as usize];
        }
    }
}
