//! The summary: numbers about the fit as a whole.

use super::cycles::FlowParts;
use super::settled::settled_share;
use super::verdict::{Verdict, Verdicts};
use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::fit::{ChosenModel, Fit};
use crate::options::Loss;

/// Numbers about a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// How many items.
    pub items: u64,
    /// How many annotators; None if nobody knows who voted, as with all counts of
    /// annotators below.
    pub annotators: Option<u64>,
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
    /// How many rows repeat the annotator, the items and the choice of another one; None
    /// if nobody knows who voted.
    pub repeated_rows: Option<u64>,
    /// The share of pairs of items whose order is settled: their q-value, over all pairs,
    /// is at most 0.05.
    pub settled_share: f64,
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
    /// The cross-validated mean loss of the model without effects: with the squared loss the
    /// mean squared error of HodgeRank.
    pub hodgerank_error: Option<f64>,
    /// The cross-validated mean loss of the model at the chosen time.
    pub mixed_error: Option<f64>,
    /// How many annotators have a verdict about a favourite side.
    pub position_biased: Option<u64>,
    /// How many annotators have an own taste, by their verdict.
    pub personalized: Option<u64>,
    /// How many annotators are against the consensus, by their verdict.
    pub adversarial: Option<u64>,
    /// How many annotators have no signal, by their verdict.
    pub no_signal: Option<u64>,
    /// The expected share of false ones among the verdicts is at most this.
    pub verdict_fdr: f64,
    /// Whether the knockoff filter decided who is position-biased, rather than p-values.
    pub has_knockoffs: bool,
    /// The version of this library.
    pub version: &'static str,
    /// The parts of the flow.
    pub shares: FlowShares,
    /// The [caveats](Fit::caveats) as one text; None if there are none.
    pub caveats: Option<String>,
    /// Which columns of a table were read, such as `annotator = judge, left = model_a,
    /// right = model_b, choice = winner`; None if the votes come from no table.
    pub columns: Option<String>,
    /// What was minimised.
    pub loss: Loss,
}

/// The shares of the pairwise flow.
///
/// Of Σ ω f² over all pairs: `consensus`, `local_cycle` and `global_cycle` add up to
/// one. `chance` is not a further part: it is what the two cyclic ones would come to, on
/// average, if the votes differed from a ranking by chance alone.
///
/// All are None if the loss is not the squared one: its scores do not split a flow.
///
/// Of the cyclic part: `personal_cycle`, `position_bias_cycle`, `noise_cycle` and
/// `shared_cycle` add up to one: where the cycles come from.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FlowShares {
    /// What a ranking explains; None if there are only ties.
    pub consensus: Option<f64>,
    /// Cycles of three items; None if there are too many triangles.
    pub local_cycle: Option<f64>,
    /// Longer cycles; None if there are too many triangles.
    pub global_cycle: Option<f64>,
    /// The cycles that chance alone is expected to give; None if there are only ties, or
    /// no pair has votes of two annotators.
    pub chance: Option<f64>,
    /// The share of the cycles from personal deviations; None without cycles, or with
    /// another pair model than `uniform`.
    pub personal_cycle: Option<f64>,
    /// The share of the cycles from position biases; None as above.
    pub position_bias_cycle: Option<f64>,
    /// The share of the cycles that chance explains; None as above, or if there is no
    /// `chance`.
    pub noise_cycle: Option<f64>,
    /// The rest of the cycles, beyond chance: annotators agree on them, or the flow is
    /// not the difference of scores. None as above.
    pub shared_cycle: Option<f64>,
}

impl Fit {
    /// Numbers about the fit. A time must have been chosen.
    pub fn summary(&self) -> Result<Summary> {
        self.summary_within(&mut Execution::new())
    }

    /// The same, under a time limit or a poll: the cycles of many items take long.
    pub fn summary_within(&self, execution: &mut Execution<'_>) -> Result<Summary> {
        execution.run_sized(self.flow.len(), |_, stop| Summary::new(self, stop))
    }
}

impl Summary {
    pub(crate) fn new(fit: &Fit, stop: &Stop) -> Result<Self> {
        let chosen = fit.chosen()?;
        let totals = &fit.totals;
        let [left_clicks, right_clicks, ties] = totals.sides;
        let of_annotators = |count: u64| fit.has_annotators().then_some(count);
        let verdicts = Verdicts::new(fit, chosen);
        let count = |is: fn(Verdict) -> bool| {
            of_annotators(verdicts.all().filter(|verdict| is(*verdict)).count() as u64)
        };
        let is_last = chosen.grid_index + 1 == fit.path.grid.len();
        Ok(Self {
            items: fit.items.len() as u64,
            annotators: of_annotators(fit.annotators.len() as u64),
            votes: totals.votes,
            left_clicks,
            right_clicks,
            ties,
            skipped_rows: totals.skipped,
            repeated_rows: of_annotators(fit.row_checks.repeated),
            settled_share: settled_share(fit, stop)?,
            components: fit.tally.component.iter().max().map_or(0, |&c| c.into()),
            kappa: totals.kappa,
            alpha: totals.alpha,
            t0: totals.first_entry,
            t: fit.path.grid[chosen.grid_index],
            is_last_grid_time: is_last && chosen.grid_index > 0,
            iterations: totals.iterations,
            hodgerank_error: fit.hodgerank_error(),
            mixed_error: fit.mixed_error(),
            position_biased: count(Verdict::is_about_sides),
            personalized: count(|verdict| verdict == Verdict::OwnTaste),
            adversarial: count(|verdict| verdict == Verdict::AgainstConsensus),
            no_signal: count(|verdict| verdict == Verdict::NoSignal),
            verdict_fdr: verdicts.fdr,
            has_knockoffs: fit.knockoff.is_some(),
            version: env!("CARGO_PKG_VERSION"),
            shares: FlowShares::new(fit, chosen, stop)?,
            caveats: fit.caveat_text()?,
            columns: fit.columns.clone(),
            loss: fit.loss(),
        })
    }
}

impl FlowShares {
    fn new(fit: &Fit, chosen: &ChosenModel, stop: &Stop) -> Result<Self> {
        if fit.loss() != Loss::Squared {
            return Ok(Self::default()); // the scores explain wins, not a flow
        }
        let flow = &fit.flow;
        let parts = FlowParts::new(fit, stop)?;
        let square = |values: &[f64]| flow.inner(values, values);
        let total = square(&flow.value);
        if total == 0.0 {
            return Ok(Self::default()); // only ties
        }
        let cycles = parts.cycles.as_ref();
        let cyclic = square(&parts.residual) / total;
        let chance = chance_square(fit).map(|square| square / total);
        let sources = chosen.cycle_sources;
        let rest = sources.map(|from| 1.0 - from.personal - from.position_bias);
        let noise = chance
            .zip(rest)
            .map(|(chance, rest)| f64::min(chance / cyclic, f64::max(rest, 0.0)));
        Ok(Self {
            consensus: Some(1.0 - cyclic),
            local_cycle: cycles.map(|cycles| square(&cycles.local) / total),
            global_cycle: cycles.map(|cycles| square(&cycles.global) / total),
            chance,
            personal_cycle: sources.map(|from| from.personal),
            position_bias_cycle: sources.map(|from| from.position_bias),
            noise_cycle: noise,
            shared_cycle: rest.zip(noise).map(|(rest, noise)| rest - noise),
        })
    }
}

/// The expected Σ ω r² of the cyclic part r if votes differ from a ranking by chance:
/// of the P dimensions of the flow, scores take up one for each item but the first of
/// every component.
fn chance_square(fit: &Fit) -> Option<f64> {
    let pairs = fit.flow.len() as f64;
    let components = fit.tally.component.iter().max().map_or(0, |&c| c);
    let explained = fit.items.len() as f64 - f64::from(components);
    let expected = fit.pair_variance.expected_square(&fit.flow)?;
    Some(expected * (pairs - explained) / pairs)
}
