//! How far the predictions of a model are from votes.

use crate::model::lbi::Snapshot;
use crate::options::Loss;
use crate::votes::Comparisons;

/// The losses of an annotator's votes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LossSum {
    /// Σ ω·(loss).
    pub sum: f64,
    /// Σ ω.
    pub weight: f64,
}

/// Compares models with votes.
pub struct Scorer<'a> {
    votes: &'a Comparisons,
    loss: Loss,
    /// An annotator's own scores, by item.
    scores: Vec<f64>,
    by_annotator: Vec<LossSum>,
}

impl<'a> Scorer<'a> {
    /// Will score these votes.
    pub fn new(votes: &'a Comparisons, loss: Loss) -> Self {
        Self {
            votes,
            loss,
            scores: vec![0.0; votes.items()],
            by_annotator: Vec::with_capacity(votes.annotators()),
        }
    }

    /// The parts of the latest error.
    pub(crate) fn by_annotator(&self) -> &[LossSum] {
        &self.by_annotator
    }

    /// The mean loss and the mismatch of a model. It may have been fitted to
    /// other votes: an annotator who is not in these has no effects, and an item
    /// that is not in these is a component of its own, with score 0.
    pub fn score(&mut self, snapshot: &Snapshot) -> (f64, f64) {
        let theta = snapshot.theta();
        self.scores.copy_from_slice(theta);
        self.by_annotator.clear();
        let mut mismatch = 0.0;
        for u in 0..self.votes.annotators() {
            let mut errors = LossSum::default();
            let deviates = snapshot.deviation_norm()[u] != 0.0;
            if deviates {
                for (item, score) in snapshot.own_scores(u) {
                    self.scores[item] = score;
                }
            }
            let bias = snapshot.position_bias()[u];
            for vote in self.votes.of(u) {
                let predicted = self.scores[vote.left] - self.scores[vote.right] + bias;
                errors.sum += vote.weight * self.loss.value(vote.choice, predicted);
                errors.weight += vote.weight;
                mismatch += vote.weight * (1.0 - sign(vote.choice * predicted)) / 2.0;
            }
            self.by_annotator.push(errors);
            if deviates {
                for &item in snapshot.items(u) {
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
