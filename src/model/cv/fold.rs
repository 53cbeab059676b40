//! One fold: a path without its votes, and how well it predicts them.

use super::HeldOut;
use super::early_stopping::SquaredErrors;
use super::score::Scorer;
use crate::error::Result;
use crate::execution::Stop;
use crate::model::flow::Flow;
use crate::model::hodgerank::{LaplacianSolver, SolveFrequency};
use crate::model::lbi::Path;
use crate::model::norm::{step_norm, step_norm_bound};
use crate::model::settings::Settings;
use crate::model::statistics::Statistics;
use crate::options::PairModel;
use crate::votes::Comparisons;

/// The votes of the other folds, ready for a path, and those that are held out.
pub(super) struct Training {
    statistics: Statistics,
    consensus: LaplacianSolver,
    settings: Settings,
    held_out: Comparisons,
}

impl Training {
    pub fn new(held_out: &HeldOut<'_>, fold: usize, stop: &Stop) -> Result<Self> {
        let HeldOut { votes, folds, .. } = *held_out;
        let training = votes.select(|row| folds.of(row) != fold);
        let statistics = Statistics::new(&training, stop)?;
        let pairs = Flow::new(&training, PairModel::Uniform, stop)?;
        drop(training);
        let consensus = LaplacianSolver::new(&pairs, SolveFrequency::Often, stop)?;
        let settings = calmed(held_out.settings, &statistics, &consensus, stop)?;
        Ok(Self {
            statistics,
            consensus,
            settings,
            held_out: votes.select(|row| folds.of(row) == fold),
        })
    }
}

/// A fold's path under way.
pub(super) struct Fold<'a> {
    statistics: &'a Statistics,
    path: Path<'a>,
    scorer: Scorer<'a>,
    pub errors: Errors,
}

/// What came out so far, by grid time.
pub(super) struct Errors {
    /// Mean squared errors.
    pub squared: Vec<f64>,
    pub mismatches: Vec<f64>,
    /// Of plain HodgeRank.
    pub hodgerank: f64,
}

impl<'a> Fold<'a> {
    pub fn new(training: &'a Training, stop: &Stop) -> Result<Self> {
        let Training {
            statistics,
            consensus,
            settings,
            held_out,
        } = training;
        let mut path = Path::new(statistics, consensus, *settings, stop)?;
        let mut scorer = Scorer::new(held_out);
        let (hodgerank, _) = scorer.score(statistics, path.advance_to(0.0, stop)?);
        Ok(Self {
            statistics,
            path,
            scorer,
            errors: Errors {
                squared: Vec::new(),
                mismatches: Vec::new(),
                hodgerank,
            },
        })
    }

    /// The number of grid times looked at.
    pub fn points(&self) -> usize {
        self.errors.squared.len()
    }

    /// Goes on to the next time and looks how well the votes are predicted there.
    pub fn advance_to(&mut self, t: f64, stop: &Stop) -> Result<()> {
        let snapshot = self.path.advance_to(t, stop)?;
        let (squared, mismatch) = self.scorer.score(self.statistics, snapshot);
        self.errors.squared.push(squared);
        self.errors.mismatches.push(mismatch);
        Ok(())
    }

    /// The squared errors at the latest time.
    pub fn by_annotator(&self) -> &[SquaredErrors] {
        self.scorer.by_annotator()
    }
}

/// Steps short enough for what is left of the votes. A bound on the norm mostly
/// shows that they are.
fn calmed(
    settings: Settings,
    statistics: &Statistics,
    consensus: &LaplacianSolver,
    stop: &Stop,
) -> Result<Settings> {
    let total = statistics.total();
    let most = step_norm_bound(statistics, consensus, &settings, stop)?;
    if !settings.oscillates(most, total) {
        return Ok(settings);
    }
    let norm = step_norm(statistics, consensus, &settings, stop)?;
    let alpha = if settings.oscillates(norm, total) {
        total / (settings.kappa * norm)
    } else {
        settings.alpha
    };
    Ok(Settings { alpha, ..settings })
}
