//! All votes of a table, ready for a path: statistics, step size, time grid.

use std::sync::Arc;

use super::flow::Flow;
use super::glm::SCORE_TOLERANCE;
use super::hodgerank::{LaplacianSolver, SolveFrequency};
use super::path::{Path, PathVotes};
use super::settings::Settings;
use super::statistics::Statistics;
use crate::error::{Error, Result};
use crate::execution::Stop;
use crate::options::{Loss, Options, PairModel};
use crate::votes::Comparisons;

/// More steps than this are refused rather than run.
const MAX_STEPS: f64 = 2e7;

/// Long steps, as a multiple of the default. From twice that on a path oscillates.
const LONG_STEP: f64 = 1.5;

/// A path that would take more memory than this is refused.
const MAX_PATH_BYTES: f64 = 4e9;

/// The votes as the path needs them, before any effect is fitted.
#[derive(Debug)]
pub struct Problem {
    /// The annotators' statistics.
    pub statistics: Arc<Statistics>,
    /// The votes by pair.
    pub flow: Flow,
    /// HodgeRank on the votes of all annotators.
    pub consensus: Arc<LaplacianSolver>,
    /// The votes as a path needs them.
    path_votes: PathVotes,
    /// How the path is run.
    pub settings: Settings,
    /// ‖XᵀX‖₂ times a bound on the second derivative of the loss, or with a gradient step
    /// for θ the squared norm of the complete design or a bound on it.
    pub norm: f64,
    /// t0; infinite if no effect ever enters.
    pub first_entry: f64,
}

impl Problem {
    /// Prepares the votes for a path with these options, on the calling thread.
    pub fn new(votes: &Comparisons, options: &Options, stop: &Stop) -> Result<Self> {
        Self::on_threads(votes, options, 1, stop)
    }

    /// The same, for a path whose steps may run on several threads.
    pub fn on_threads(
        votes: &Comparisons,
        options: &Options,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let statistics = Arc::new(Statistics::new(votes, stop)?);
        let flow = Flow::with_threads(votes, options.pair_model, threads, stop)?;
        let mut settings = Settings {
            kappa: options.kappa,
            alpha: f64::NAN, // follows from the norm
            position_bias: options.has_position_bias(),
            personal: options.has_personal(),
            loss: options.loss,
            ridge: options.ridge_or_default(),
            score_tolerance: SCORE_TOLERANCE,
            theta_update: options.theta_update,
            threads,
        };
        // The path explains choices, whatever the flow is.
        let choices = match options.pair_model {
            PairModel::Uniform => None,
            _ => Some(Flow::with_threads(
                votes,
                PairModel::Uniform,
                threads,
                stop,
            )?),
        };
        let choices = choices.as_ref().unwrap_or(&flow);
        let is_squared = options.loss == Loss::Squared;
        let solves = if options.has_effects() && is_squared {
            SolveFrequency::Often
        } else {
            SolveFrequency::Once
        };
        let consensus = Arc::new(LaplacianSolver::new(choices, solves, stop)?);
        let path_votes = match is_squared {
            true => PathVotes::with_solver(&statistics, &consensus),
            false => PathVotes::with_cells(votes, &statistics, choices.clone(), &settings, stop)?,
        };
        let norm = path_votes.step_norm(&settings, stop)?;
        let total = statistics.total();
        settings.alpha = options.alpha.unwrap_or(total / (options.kappa * norm));
        if options.alpha.is_some() && settings.oscillates(norm, total) {
            return Err(Error::option(format!(
                "alpha = {} would make the path oscillate: with kappa = {} and these votes it \
                 must be below {}; leave alpha out to use half of that",
                settings.alpha,
                options.kappa,
                2.0 * total / (options.kappa * norm),
            )));
        }
        let mut problem = Self {
            statistics,
            flow,
            consensus,
            path_votes,
            settings,
            norm,
            first_entry: f64::INFINITY,
        };
        if options.has_effects() {
            problem.first_entry = problem.path(stop)?.entry_time(stop)?;
        }
        Ok(problem)
    }

    /// The votes by pair, with mean choices where the loss is not the squared one.
    pub(crate) fn pairs(&self) -> &Flow {
        self.path_votes.pairs().unwrap_or(&self.flow)
    }

    /// The settings of the path with long steps: those of paths that are compared with each
    /// other only, where each ends a little off in the same way.
    pub(crate) fn settings_of_long_steps(&self) -> Settings {
        let default = self.statistics.total() / (self.settings.kappa * self.norm);
        Settings {
            alpha: f64::max(self.settings.alpha, LONG_STEP * default),
            ..self.settings
        }
    }

    /// A path over all votes, at its beginning.
    pub fn path(&self, stop: &Stop) -> Result<Path> {
        self.path_votes.path(self.settings, stop)
    }

    /// HodgeRank's scores, whatever the loss is.
    pub fn hodgerank(&self, stop: &Stop) -> Result<Vec<f64>> {
        let mut theta = vec![0.0; self.statistics.items];
        let mut scratch = self.consensus.scratch();
        let net_wins = self.statistics.net_wins()?;
        self.consensus
            .hodgerank(&net_wins, &mut theta, &mut scratch, stop)?;
        Ok(theta)
    }

    /// Whether any effect ever enters. If not, HodgeRank is the complete answer.
    pub fn has_path(&self) -> bool {
        self.first_entry.is_finite()
    }

    /// The times at which the path is recorded: t0·span^(k/(points−1)). If a time
    /// `t` is chosen, the grid ends with it.
    pub fn grid(&self, options: &Options) -> Result<Vec<f64>> {
        if !self.has_path() {
            return Ok(vec![options.t.unwrap_or(0.0)]);
        }
        let last = (options.grid_points - 1) as f64;
        let mut grid: Vec<f64> = (0..options.grid_points)
            .map(|k| self.first_entry * options.grid_span.powf(k as f64 / last))
            .collect();
        if let Some(t) = options.t {
            grid.retain(|&time| time < t);
            grid.push(t);
        }
        self.refuse_large_path(grid.len())?;
        let steps = grid[grid.len() - 1] / self.settings.alpha;
        if steps > MAX_STEPS {
            return Err(Error::votes(format!(
                "the path would take {steps:.0} steps: the votes agree with each other almost \
                 perfectly, or the choices are very small numbers; scale the choices to about 1, \
                 lower kappa, or set personal and position_bias to false for a plain ranking"
            )));
        }
        Ok(grid)
    }

    /// At each grid time the path keeps all scores and the effects that are not zero.
    fn refuse_large_path(&self, points: usize) -> Result<()> {
        let (items, annotators) = (self.statistics.items, self.statistics.annotators());
        let each = size_of::<f64>() * items + 2 * size_of::<f64>() * annotators;
        let bytes = points as f64 * each as f64;
        if bytes > MAX_PATH_BYTES {
            return Err(Error::option(format!(
                "the path would take up to {:.0} GB of memory: grid_points = {points} with {items} \
                 items and {annotators} annotators; set a smaller grid_points",
                bytes / 1e9
            )));
        }
        Ok(())
    }
}
