//! One fold: a path without its votes, and how well it predicts them.

use super::input::CvInput;
use super::score::{LossSum, Scorer};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::dense::{Tile, tiles};
use crate::linalg::simd::Quad;
use crate::model::path::{Path, PathVotes};
use crate::model::settings::Settings;
use crate::options::Loss;
use crate::votes::Comparisons;

/// A fold's path in progress, and the votes that were held out.
pub(super) struct Fold {
    path: Path,
    held_out: Comparisons,
    settings: Settings,
}

/// How well the held-out votes are predicted at one time.
pub(super) struct Evaluation {
    /// The mean loss.
    pub error: f64,
    pub mismatch: f64,
    pub by_annotator: Vec<LossSum>,
}

impl Fold {
    /// A fold at the beginning of its path.
    pub fn new(input: &CvInput<'_>, fold: usize, stop: &Stop) -> Result<Self> {
        let CvInput { votes, folds, .. } = *input;
        let [training, held_out] = votes.split(|row| folds.of(row) == fold);
        let path_votes = PathVotes::new(&training, &input.settings, stop)?;
        drop(training);
        let settings = path_votes.stable_settings(input.settings, input.norm, stop)?;
        Ok(Self {
            path: path_votes.path(settings, stop)?,
            held_out,
            settings,
        })
    }

    /// The error of the model without effects.
    pub fn hodgerank_error(&mut self) -> Result<f64> {
        let mut scorer = Scorer::new(&self.held_out, self.settings.loss, self.settings.threads);
        Ok(scorer.score(self.path.without_effects())?.0)
    }

    /// Advances the path to a time and scores the held-out votes there.
    pub fn evaluate(&mut self, t: f64, stop: &Stop) -> Result<Evaluation> {
        let mut scorer = Scorer::new(&self.held_out, self.settings.loss, self.settings.threads);
        let (error, mismatch) = scorer.score(self.path.advance_to(t, stop)?)?;
        Ok(Evaluation {
            error,
            mismatch,
            by_annotator: scorer.into_parts(),
        })
    }

    /// About how many bytes a fold of these votes takes at most, from the sizes
    /// of its largest parts: for each vote the two entries of the adjacency
    /// lists; for each item that an annotator saw its index, a_u, b_u, z and δ;
    /// the tiles of dense blocks and their copies of a_u and b_u, or with another loss than
    /// the squared one the cells; and the numbers kept for each annotator. Neighbours, a_u
    /// and b_u are small integers if votes have no weights and no grades.
    pub fn max_bytes(votes: &Comparisons, loss: Loss) -> usize {
        const PER_ANNOTATOR: usize = 300;
        const PER_CELL: usize = 3 * 4 + 2 * 8;
        let per_neighbour = if votes.items() <= 1 << 16 { 2 } else { 4 };
        let per_vote = 2 * (per_neighbour + if votes.is_weighted() { 8 } else { 0 });
        let has_integers = !votes.is_weighted() && !votes.is_graded();
        let per_item_seen = 4 + 2 * 8 + 2 * if has_integers { 2 } else { 8 };
        let annotator = |u: usize| {
            let rows = votes.rows(u).len();
            let seen = (2 * rows).min(votes.items());
            let quads = seen.div_ceil(4);
            // A block is dense only if its tiles are worth it; see `Blocks`.
            let dense = tiles(quads).min(rows / (1 + quads / 8));
            let of_loss = match loss {
                Loss::Squared => {
                    dense * size_of::<Tile>() + 2 * quads.min(dense) * size_of::<Quad>()
                }
                _ => rows * PER_CELL,
            };
            rows * per_vote + seen * per_item_seen + of_loss + PER_ANNOTATOR
        };
        (0..votes.annotators()).map(annotator).sum()
    }
}
