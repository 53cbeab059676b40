//! One fold: a path without its votes, and how well it predicts them.

use std::sync::Arc;

use super::input::CvInput;
use super::score::{Scorer, SquaredErrors};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::dense::{Tile, tiles};
use crate::model::flow::Flow;
use crate::model::hodgerank::{LaplacianSolver, SolveFrequency};
use crate::model::lbi::Path;
use crate::model::norm::{step_norm, step_norm_bound};
use crate::model::settings::Settings;
use crate::model::statistics::Statistics;
use crate::options::PairModel;
use crate::votes::Comparisons;

/// A fold's path in progress, and the votes that were held out.
pub(super) struct Fold {
    path: Path,
    held_out: Comparisons,
}

/// How well the held-out votes are predicted at one time.
pub(super) struct Evaluation {
    /// Mean squared error.
    pub error: f64,
    pub mismatch: f64,
    pub by_annotator: Vec<SquaredErrors>,
}

impl Fold {
    /// A fold at the beginning of its path.
    pub fn new(input: &CvInput<'_>, fold: usize, stop: &Stop) -> Result<Self> {
        let CvInput { votes, folds, .. } = *input;
        let training = votes.select(|row| folds.of(row) != fold);
        let statistics = Arc::new(Statistics::new(&training, stop)?);
        let pairs = Flow::new(&training, PairModel::Uniform, stop)?;
        drop(training);
        let solves = match input.settings.personal || input.settings.position_bias {
            true => SolveFrequency::Often,
            false => SolveFrequency::Once,
        };
        let solver = Arc::new(LaplacianSolver::new(&pairs, solves, stop)?);
        let settings = stable_settings(input.settings, &statistics, &solver, stop)?;
        Ok(Self {
            path: Path::new(&statistics, &solver, settings, stop)?,
            held_out: votes.select(|row| folds.of(row) == fold),
        })
    }

    /// The error of HodgeRank.
    pub fn hodgerank_error(&mut self, stop: &Stop) -> Result<f64> {
        Ok(self.evaluate(0.0, stop)?.error)
    }

    /// Advances the path to a time and scores the held-out votes there.
    pub fn evaluate(&mut self, t: f64, stop: &Stop) -> Result<Evaluation> {
        let mut scorer = Scorer::new(&self.held_out);
        let (error, mismatch) = scorer.score(self.path.advance_to(t, stop)?);
        Ok(Evaluation {
            error,
            mismatch,
            by_annotator: scorer.by_annotator().to_vec(),
        })
    }

    /// About how many bytes a fold of these votes takes at most, from the sizes
    /// of its largest parts: for each vote the two entries of the adjacency
    /// lists; for each item that an annotator saw its index, a_u, b_u, z and δ;
    /// the tiles of dense blocks; and the numbers kept for each annotator.
    pub fn max_bytes(votes: &Comparisons) -> usize {
        const PER_ANNOTATOR: usize = 300;
        const PER_ITEM_SEEN: usize = 4 + 4 * 8;
        let per_vote = 2 * if votes.is_weighted() { 4 + 8 } else { 4 };
        let annotator = |u: usize| {
            let rows = votes.rows(u).len();
            let seen = (2 * rows).min(votes.items());
            let quads = seen.div_ceil(4);
            // A block is dense only if its tiles are worth it; see `Blocks`.
            let dense = tiles(quads).min(rows / (1 + quads / 8));
            rows * per_vote + seen * PER_ITEM_SEEN + dense * size_of::<Tile>() + PER_ANNOTATOR
        };
        (0..votes.annotators()).map(annotator).sum()
    }
}

/// Settings with steps short enough that the path of the training votes does not
/// oscillate. In most cases a bound on the norm shows that they are already.
fn stable_settings(
    settings: Settings,
    statistics: &Statistics,
    solver: &LaplacianSolver,
    stop: &Stop,
) -> Result<Settings> {
    let total = statistics.total();
    let bound = step_norm_bound(statistics, solver, &settings, stop)?;
    if !settings.oscillates(bound, total) {
        return Ok(settings);
    }
    let norm = step_norm(statistics, solver, &settings, stop)?;
    let alpha = if settings.oscillates(norm, total) {
        total / (settings.kappa * norm)
    } else {
        settings.alpha
    };
    Ok(Settings { alpha, ..settings })
}
