//! The model whose scores are in question, and the scores that each annotator has in it.

use crate::model::flow::Flow;
use crate::model::lbi::Snapshot;
use crate::model::settings::Settings;
use crate::options::Loss;

/// A fitted model.
#[derive(Clone, Copy)]
pub struct Fitted<'a> {
    /// θ.
    pub theta: &'a [f64],
    /// What θ minimises.
    pub loss: Loss,
    /// The ridge in the Hessian of θ; 0 with the squared loss.
    pub ridge: f64,
    /// The annotators' own effects, and how the path to them is run again; None if the model
    /// has no effects, as where nobody knows who voted.
    pub effects: Option<(&'a Snapshot, Settings)>,
    /// The mean choices by pair, if they are known already.
    pub pairs: Option<&'a Flow>,
}

impl<'a> Fitted<'a> {
    /// γ^u.
    pub(super) fn position_bias(&self, u: usize) -> f64 {
        self.effects
            .map_or(0.0, |(snapshot, _)| snapshot.position_bias()[u])
    }

    /// The model, if δ^u is not zero in it.
    fn with_deviation(&self, u: usize) -> Option<&'a Snapshot> {
        let snapshot = self.effects.map(|(snapshot, _)| snapshot);
        snapshot.filter(|snapshot| snapshot.deviation_norm()[u] != 0.0)
    }

    /// Whether annotator u has an effect.
    pub(super) fn has_effect(&self, u: usize) -> bool {
        self.position_bias(u) != 0.0 || self.with_deviation(u).is_some()
    }

    /// Turns `scores`, which hold θ, into the scores of annotator u, θ + δ^u.
    pub(super) fn set_own_scores(&self, u: usize, scores: &mut [f64]) {
        if let Some(snapshot) = self.with_deviation(u) {
            for (item, score) in snapshot.own_scores(u) {
                scores[item] = score;
            }
        }
    }

    /// Undoes [`set_own_scores`](Self::set_own_scores).
    pub(super) fn reset_own_scores(&self, u: usize, scores: &mut [f64]) {
        if let Some(snapshot) = self.with_deviation(u) {
            for &item in snapshot.items(u) {
                scores[item as usize] = self.theta[item as usize];
            }
        }
    }
}
