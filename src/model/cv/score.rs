//! How far a model is from votes.

use super::early_stopping::SquaredErrors;
use crate::model::lbi::Snapshot;
use crate::model::statistics::Statistics;
use crate::votes::Comparisons;

/// Compares a model with votes.
pub struct Scorer<'a> {
    votes: &'a Comparisons,
    /// An annotator's own scores.
    scores: Vec<f64>,
    by_annotator: Vec<SquaredErrors>,
}

impl<'a> Scorer<'a> {
    /// Will score these votes.
    pub fn new(votes: &'a Comparisons) -> Self {
        Self {
            votes,
            scores: vec![0.0; votes.items()],
            by_annotator: Vec::with_capacity(votes.annotators()),
        }
    }

    /// What the last error was made of.
    pub(crate) fn by_annotator(&self) -> &[SquaredErrors] {
        &self.by_annotator
    }

    /// Mean squared error and mismatch of the model at a time. What the model
    /// knows of an annotator, `statistics`, may come from other votes: an
    /// annotator or item unseen there has no effect, and its own component.
    pub fn score(&mut self, statistics: &Statistics, snapshot: &Snapshot) -> (f64, f64) {
        let theta = snapshot.theta();
        self.scores.copy_from_slice(theta);
        self.by_annotator.clear();
        let mut mismatch = 0.0;
        for u in 0..self.votes.annotators() {
            let mut errors = SquaredErrors::default();
            let personal = snapshot.deviation_norm()[u] != 0.0;
            let items = statistics.annotator(u).items;
            if personal {
                for (&item, delta) in items.iter().zip(snapshot.deviation(statistics, u)) {
                    self.scores[item as usize] += delta;
                }
            }
            let bias = snapshot.position_bias()[u];
            for vote in self.votes.of(u) {
                let predicted = self.scores[vote.left] - self.scores[vote.right] + bias;
                let residual = vote.choice - predicted;
                errors.sum += vote.weight * (residual * residual);
                errors.weight += vote.weight;
                mismatch += vote.weight * (1.0 - sign(vote.choice * predicted)) / 2.0;
            }
            self.by_annotator.push(errors);
            if personal {
                for &item in items {
                    self.scores[item as usize] = theta[item as usize];
                }
            }
        }
        let sum: f64 = self.by_annotator.iter().map(|errors| errors.sum).sum();
        let total: f64 = self.by_annotator.iter().map(|errors| errors.weight).sum();
        (sum / total, mismatch / total)
    }
}

/// -1, 0 or 1.
fn sign(value: f64) -> f64 {
    f64::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}
