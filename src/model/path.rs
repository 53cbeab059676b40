//! The regularisation path of either kind of loss, and the votes as it needs them.

use std::sync::Arc;

use super::flow::Flow;
use super::glm::{GlmPath, VoteCells};
use super::hodgerank::{LaplacianSolver, SolveFrequency};
use super::lbi::{EffectEntry, Snapshot, SquaredPath};
use super::norm::{step_norm, step_norm_bound};
use super::settings::Settings;
use super::statistics::Statistics;
use crate::error::Result;
use crate::execution::Stop;
use crate::options::{Loss, PairModel};
use crate::votes::Comparisons;

/// A path in progress.
pub struct Path(LossPath);

enum LossPath {
    Squared(Box<SquaredPath>),
    Glm(Box<GlmPath>),
}

/// Calls the same method of either path.
macro_rules! either {
    ($path:expr, $inner:ident => $call:expr) => {
        match $path {
            LossPath::Squared($inner) => $call,
            LossPath::Glm($inner) => $call,
        }
    };
}

impl Path {
    /// The time from which steps are made: t0, at which the first effect is about to enter,
    /// or 0 where gradient steps begin; infinite if no effect ever enters.
    pub fn first_entry(&self) -> f64 {
        either!(&self.0, path => path.first_entry())
    }

    /// The time at which the first effect enters; infinite if none ever does. It may take
    /// steps to find it.
    pub(super) fn entry_time(self, stop: &Stop) -> Result<f64> {
        match self.0 {
            LossPath::Squared(path) => Ok(path.first_entry()),
            LossPath::Glm(path) => path.entry_time(stop),
        }
    }

    /// The scores of the model without effects: HodgeRank's, Bradley and Terry's or
    /// Thurstone's.
    pub fn consensus(&self) -> &[f64] {
        either!(&self.0, path => path.consensus())
    }

    /// The number of steps made.
    pub fn iteration(&self) -> usize {
        either!(&self.0, path => path.iteration())
    }

    /// The current time.
    pub fn time(&self) -> f64 {
        either!(&self.0, path => path.time())
    }

    /// The number of steps from the beginning to a time that is not before the current one,
    /// the step that it lies within included. They need not be made to be counted.
    pub fn iterations_to(&self, t: f64) -> usize {
        let mut steps = self.iteration();
        if !self.first_entry().is_finite() {
            return steps;
        }
        while !either!(&self.0, path => path.reaches(t, steps)) {
            steps += 1;
        }
        let before = either!(&self.0, path => path.time_after(steps));
        steps + usize::from(before < t)
    }

    /// When each γ first was not zero.
    pub fn bias_entries(&self) -> Vec<Option<EffectEntry>> {
        either!(&self.0, path => path.bias_entries())
    }

    /// When each δ first was not zero.
    pub fn deviation_entries(&self) -> Vec<Option<EffectEntry>> {
        either!(&self.0, path => path.deviation_entries())
    }

    /// The model at a time, after the steps up to it. The path does not go back:
    /// a time after t0 must not be before the current one.
    pub fn advance_to(&mut self, t: f64, stop: &Stop) -> Result<&Snapshot> {
        either!(&mut self.0, path => path.advance_to(t, stop))
    }

    /// The model without effects.
    pub fn without_effects(&mut self) -> &Snapshot {
        either!(&mut self.0, path => path.without_effects(0.0))
    }

    /// One step of the iteration.
    pub fn step(&mut self, stop: &Stop) -> Result<()> {
        either!(&mut self.0, path => path.step(stop))
    }
}

/// Votes, ready for a path.
#[derive(Debug)]
pub(crate) struct PathVotes {
    pub statistics: Arc<Statistics>,
    source: PathSource,
}

/// What a loss needs beside the statistics.
#[derive(Debug)]
enum PathSource {
    Squared(Arc<LaplacianSolver>),
    Glm {
        cells: Arc<VoteCells>,
        pairs: Arc<Flow>,
    },
}

impl PathVotes {
    /// Prepares votes for a path with these settings.
    pub fn new(votes: &Comparisons, settings: &Settings, stop: &Stop) -> Result<Self> {
        let statistics = Arc::new(Statistics::new(votes, stop)?);
        let pairs = Flow::new(votes, PairModel::Uniform, stop)?;
        if settings.loss != Loss::Squared {
            return Self::with_cells(votes, &statistics, pairs, settings, stop);
        }
        let solves = match settings.has_effects() {
            true => SolveFrequency::Often,
            false => SolveFrequency::Once,
        };
        let solver = Arc::new(LaplacianSolver::new(&pairs, solves, stop)?);
        Ok(Self::with_solver(&statistics, &solver))
    }

    /// For the squared loss.
    pub fn with_solver(statistics: &Arc<Statistics>, solver: &Arc<LaplacianSolver>) -> Self {
        Self {
            statistics: Arc::clone(statistics),
            source: PathSource::Squared(Arc::clone(solver)),
        }
    }

    /// For the other losses. `pairs` has mean choices.
    pub fn with_cells(
        votes: &Comparisons,
        statistics: &Arc<Statistics>,
        pairs: Flow,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Self> {
        // Without effects nobody's own votes matter.
        let cells = match settings.has_effects() {
            true => VoteCells::new(votes, statistics, &pairs, stop)?,
            false => VoteCells::default(),
        };
        Ok(Self {
            statistics: Arc::clone(statistics),
            source: PathSource::Glm {
                cells: Arc::new(cells),
                pairs: Arc::new(pairs),
            },
        })
    }

    /// A path at its beginning.
    pub fn path(&self, settings: Settings, stop: &Stop) -> Result<Path> {
        let statistics = &self.statistics;
        Ok(Path(match &self.source {
            PathSource::Squared(solver) => {
                let path = SquaredPath::new(statistics, solver, settings, stop)?;
                LossPath::Squared(Box::new(path))
            }
            PathSource::Glm { cells, pairs } => {
                let path = GlmPath::new(statistics, cells, pairs, settings, stop)?;
                LossPath::Glm(Box::new(path))
            }
        }))
    }

    /// The mean choices by pair, where the loss needs them.
    pub fn pairs(&self) -> Option<&Flow> {
        match &self.source {
            PathSource::Squared(_) => None,
            PathSource::Glm { pairs, .. } => Some(pairs),
        }
    }

    /// The norm that limits the step size.
    pub fn step_norm(&self, settings: &Settings, stop: &Stop) -> Result<f64> {
        step_norm(&self.statistics, self.solver(), settings, stop)
    }

    /// Settings with steps short enough that the path does not oscillate. In most cases a
    /// bound on the norm shows that they are already: the norm of more votes than these, or
    /// else one of these votes.
    pub fn stable_settings(
        &self,
        settings: Settings,
        norm_of_more: f64,
        stop: &Stop,
    ) -> Result<Settings> {
        let total = self.statistics.total();
        // The squared norm is found by iteration, from below.
        if !settings.oscillates(1.01 * norm_of_more, total) {
            return Ok(settings);
        }
        let bound = step_norm_bound(&self.statistics, self.solver(), &settings, stop)?;
        if !settings.oscillates(bound, total) {
            return Ok(settings);
        }
        let norm = self.step_norm(&settings, stop)?;
        let alpha = if settings.oscillates(norm, total) {
            total / (settings.kappa * norm)
        } else {
            settings.alpha
        };
        Ok(Settings { alpha, ..settings })
    }

    fn solver(&self) -> Option<&LaplacianSolver> {
        match &self.source {
            PathSource::Squared(solver) => Some(solver),
            PathSource::Glm { .. } => None,
        }
    }
}
