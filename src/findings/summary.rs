//! The summary: numbers about the fit as a whole.

use super::cycles::FlowParts;
use super::flags::Flags;
use super::verdict::Verdicts;
use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::fit::{ChosenModel, Fit};

/// Numbers about a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// How many items.
    pub items: u64,
    /// How many annotators.
    pub annotators: u64,
    /// The votes, by weight.
    pub votes: f64,
    /// The votes for the left item, by weight.
    pub left_clicks: f64,
    /// The votes for the right item, by weight.
    pub right_clicks: f64,
    /// The ties, by weight.
    pub ties: f64,
    /// How many rows could not be used and were skipped.
    pub skipped_rows: u64,
    /// How many groups of items were never compared with each other.
    pub components: u64,
    /// The option κ.
    pub kappa: f64,
    /// The step size of the path; None if no effect ever enters.
    pub alpha: Option<f64>,
    /// The time of the first entry; None if no effect ever enters.
    pub t0: Option<f64>,
    /// The chosen time.
    pub t: f64,
    /// Whether the chosen time is the last of several on the grid.
    pub is_last_grid_time: bool,
    /// The steps of the path.
    pub iterations: u64,
    /// The cross-validated mean squared error of HodgeRank.
    pub hodgerank_error: Option<f64>,
    /// The cross-validated mean squared error of the model at the chosen time.
    pub mixed_error: Option<f64>,
    /// How many annotators are position-biased.
    pub position_biased: u64,
    /// How many annotators deviate.
    pub personalized: u64,
    /// The expected share of false ones among the verdicts is at most this.
    pub verdict_fdr: f64,
    /// Whether the knockoff filter decided who is position-biased, rather than p-values.
    pub has_knockoffs: bool,
    /// The version of this library.
    pub version: &'static str,
    /// The parts of the flow.
    pub shares: FlowShares,
}

/// The shares of the pairwise flow. The first three add up to 1: what the flow
/// consists of. The last three add up to 1: the sources of its cycles.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FlowShares {
    /// What a ranking explains; None if there are only ties.
    pub consensus: Option<f64>,
    /// Cycles of three items; None if there are too many triangles.
    pub local_cycle: Option<f64>,
    /// Longer cycles; None if there are too many triangles.
    pub global_cycle: Option<f64>,
    /// The share of the cycles from personal deviations; None without cycles, or with
    /// another pair model than `uniform`.
    pub personal_cycle: Option<f64>,
    /// The share of the cycles from position biases; None as above.
    pub position_bias_cycle: Option<f64>,
    /// The rest of the cycles; None as above.
    pub noise_cycle: Option<f64>,
}

impl Fit {
    /// Numbers about the fit. A time must have been chosen.
    pub fn summary(&self) -> Result<Summary> {
        self.summary_within(&mut Execution::new())
    }

    /// The same, under a time limit or a poll: the cycles of many items take long.
    pub fn summary_within(&self, execution: &mut Execution<'_>) -> Result<Summary> {
        execution.run_sized(self.flow.len(), |stop, _| Summary::new(self, stop))
    }
}

impl Summary {
    pub(crate) fn new(fit: &Fit, stop: &Stop) -> Result<Self> {
        let chosen = fit.chosen()?;
        let (totals, clicks) = (&fit.totals, &fit.clicks);
        let verdicts = Verdicts::new(fit, chosen);
        let flags = Flags::new(fit, chosen, &verdicts);
        let count = |flags: &[bool]| flags.iter().filter(|&&flag| flag).count() as u64;
        let is_last = chosen.grid_index + 1 == fit.path.grid.len();
        Ok(Self {
            items: fit.items.len() as u64,
            annotators: fit.annotators.len() as u64,
            votes: totals.votes,
            left_clicks: clicks.left.iter().sum(),
            right_clicks: clicks.right.iter().sum(),
            ties: clicks.ties.iter().sum(),
            skipped_rows: totals.skipped,
            components: fit.tally.component.iter().max().map_or(0, |&c| c.into()),
            kappa: totals.kappa,
            alpha: totals.alpha,
            t0: totals.first_entry,
            t: fit.path.grid[chosen.grid_index],
            is_last_grid_time: is_last && chosen.grid_index > 0,
            iterations: totals.iterations,
            hodgerank_error: fit.hodgerank_error(),
            mixed_error: fit.mixed_error(),
            position_biased: count(&flags.biased),
            personalized: count(&flags.personalized),
            verdict_fdr: verdicts.fdr,
            has_knockoffs: fit.knockoff.is_some(),
            version: env!("CARGO_PKG_VERSION"),
            shares: FlowShares::new(fit, chosen, stop)?,
        })
    }
}

impl FlowShares {
    fn new(fit: &Fit, chosen: &ChosenModel, stop: &Stop) -> Result<Self> {
        let flow = &fit.flow;
        let parts = FlowParts::new(fit, stop)?;
        let square = |values: &[f64]| flow.inner(values, values);
        let total = square(&flow.value);
        if total == 0.0 {
            return Ok(Self::default()); // only ties
        }
        let cycles = parts.cycles.as_ref();
        let sources = chosen.cycle_sources;
        Ok(Self {
            consensus: Some(1.0 - square(&parts.residual) / total),
            local_cycle: cycles.map(|cycles| square(&cycles.local) / total),
            global_cycle: cycles.map(|cycles| square(&cycles.global) / total),
            personal_cycle: sources.map(|from| from.personal),
            position_bias_cycle: sources.map(|from| from.position_bias),
            noise_cycle: sources.map(|from| 1.0 - from.personal - from.position_bias),
        })
    }
}
