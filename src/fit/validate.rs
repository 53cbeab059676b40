//! Whether the numbers of a fit are ones that a fit can have: for bytes that were
//! read, which anyone may have made, and for a fit of very large or small choices
//! and weights, whose sums may overflow.

use super::types::{ChosenModel, CvCurve, Fit, FitTotals, ItemTally, PathRecord};
use crate::error::{Error, Result};
use crate::model::{Evidence, Flow};

impl Fit {
    /// Whether all numbers are finite, except those that may be unknown, and in
    /// their range.
    pub(super) fn has_valid_numbers(&self) -> bool {
        let clicks = &self.clicks;
        self.totals.is_valid()
            && self.tally.is_valid()
            && [&clicks.left, &clicks.right, &clicks.ties]
                .into_iter()
                .all(|column| all_counts(column))
            && is_valid_evidence(&self.evidence)
            && is_valid_flow(&self.flow)
            && self.path.is_valid()
            && self.validation.as_ref().is_none_or(CvCurve::is_valid)
            && self.chosen.as_ref().is_none_or(ChosenModel::is_valid)
    }

    /// An error if the fit has numbers that overflowed.
    pub(super) fn refuse_overflow(self) -> Result<Self> {
        if self.has_valid_numbers() {
            return Ok(self);
        }
        Err(Error::votes(
            "the numbers of this fit are beyond what can be computed with: the choices or weights \
             are too large, too small or too far apart; scale both to about 1",
        ))
    }
}

impl FitTotals {
    fn is_valid(&self) -> bool {
        let known = [self.alpha, self.first_entry, self.fdr];
        all_counts(&[self.votes, self.kappa]) && known.into_iter().flatten().all(is_count)
    }
}

impl ItemTally {
    fn is_valid(&self) -> bool {
        let items = self.component.len();
        all_counts(&self.wins)
            && all_counts(&self.losses)
            && all_counts(&self.ties)
            && all_finite(&self.hodgerank)
            && self
                .component
                .iter()
                .all(|&component| (1..=items).contains(&(component as usize)))
    }
}

fn is_valid_evidence(evidence: &Evidence) -> bool {
    let is_probability = |p: &f64| (0.0..=1.0).contains(p);
    all_finite(&evidence.mean_residual)
        && evidence.bias_p.iter().all(is_probability)
        && evidence.deviation_p.iter().all(is_probability)
        && all_finite(&evidence.slope)
}

fn is_valid_flow(flow: &Flow) -> bool {
    flow.weight.iter().all(|&weight| weight > 0.0 && is_count(weight)) && all_finite(&flow.value)
}

impl PathRecord {
    fn is_valid(&self) -> bool {
        all_counts(&self.grid)
            && self.grid.is_sorted()
            && all_finite(&self.theta)
            && all_finite(&self.bias.value)
            && all_finite(&self.deviation.value)
    }
}

impl CvCurve {
    /// The spread of a single fold is unknown.
    fn is_valid(&self) -> bool {
        all_counts(&self.error)
            && all_known_are_finite(&self.error_std)
            && all_counts(&self.mismatch)
            && is_count(self.hodgerank_error)
    }
}

impl ChosenModel {
    /// The agreement of an annotator with ties only is unknown.
    fn is_valid(&self) -> bool {
        let sources = self.cycle_sources.iter();
        all_known_are_finite(&self.agreement)
            && all_finite(&self.personal.deviation)
            && all_counts(&self.personal.votes)
            && all_counts(&self.standard_errors.std_error)
            && all_counts(&self.standard_errors.half_width)
            && sources
                .flat_map(|sources| [sources.personal, sources.position_bias])
                .all(f64::is_finite)
    }
}

fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

fn all_known_are_finite(values: &[f64]) -> bool {
    values.iter().all(|value| !value.is_infinite())
}

/// Whether a number is finite and not negative.
fn is_count(value: f64) -> bool {
    value >= 0.0 && value.is_finite()
}

fn all_counts(values: &[f64]) -> bool {
    values.iter().copied().all(is_count)
}
