//! Whether the numbers of a fit are ones that a fit can have: for bytes that were
//! read, which anyone may have made, and for a fit of very large or small choices
//! and weights, whose sums may overflow.

use super::types::{
    ChosenModel, CvCurve, EffectPath, Fit, FitTotals, ItemTally, PathRecord, PersonalScores,
    RowChecks,
};
use crate::error::{Error, Result};
use crate::model::{Evidence, Flow, PairVariance, RefitContributions, ScoreCovariance, SplitCrowd};
use crate::options::MAX_GRID_POINTS;

impl Fit {
    /// Whether all numbers are finite, except those that may be unknown, and in
    /// their range; and whether nothing is listed more often than a fit would. The
    /// lengths of columns and their indices were checked before.
    pub(super) fn has_valid_numbers(&self) -> bool {
        let clicks = &self.clicks;
        self.totals.is_valid()
            && self.tally.is_valid()
            && [&clicks.left, &clicks.right, &clicks.ties]
                .into_iter()
                .all(|column| all_counts(column))
            && is_valid_evidence(&self.evidence)
            && is_valid_flow(&self.flow)
            && is_valid_rows(&self.row_checks, &self.pair_variance)
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
        all_counts(&[self.votes, self.kappa])
            && all_counts(&self.sides)
            && self.strength > 0.0
            && self.strength.is_finite()
            && known.into_iter().flatten().all(is_count)
    }
}

impl ItemTally {
    fn is_valid(&self) -> bool {
        let items = self.component.len();
        all_counts(&self.wins)
            && all_counts(&self.losses)
            && all_counts(&self.ties)
            && all_finite(&self.hodgerank)
            && all_finite(&self.consensus)
            && self
                .component
                .iter()
                .all(|&component| (1..=items).contains(&(component as usize)))
    }
}

fn is_valid_evidence(evidence: &Evidence) -> bool {
    let is_probability = |p: &f64| (0.0..=1.0).contains(p);
    let tests = [
        &evidence.bias,
        &evidence.deviation,
        &evidence.against,
        &evidence.no_signal,
    ];
    let mut probabilities = tests.iter().flat_map(|test| test.p.iter().chain(&test.q));
    let is_valid_split = |split: &SplitCrowd| {
        all_known_are_finite(&split.agreement)
            && split.scores.iter().all(|scores| all_finite(scores))
    };
    all_finite(&evidence.mean_residual)
        && probabilities.all(is_probability)
        && evidence.expected_agreement.iter().all(is_probability)
        && is_probability(&evidence.sides.p_value)
        && is_probability(&evidence.sides.better_left)
        && evidence.split.as_ref().is_none_or(is_valid_split)
}

/// The variance of a pair with votes of a single annotator is unknown.
fn is_valid_rows(rows: &RowChecks, variance: &PairVariance) -> bool {
    let dominant = rows.dominant.iter();
    is_count(rows.expected_repeats)
        && dominant
            .flat_map(|row| [row.choice.abs(), row.share, row.median])
            .all(is_count)
        && all_known_are_finite(&variance.variance)
}

fn is_valid_flow(flow: &Flow) -> bool {
    flow.weight
        .iter()
        .all(|&weight| weight > 0.0 && is_count(weight))
        && all_finite(&flow.value)
        && all_counts(&flow.wins)
        && all_counts(&flow.ties)
}

impl PathRecord {
    fn is_valid(&self) -> bool {
        // A time that was chosen by hand may come after the others.
        self.grid.len() <= MAX_GRID_POINTS + 1
            && all_counts(&self.grid)
            && self.grid.is_sorted()
            && all_finite(&self.theta)
            && self.bias.is_valid()
            && self.deviation.is_valid()
    }
}

impl EffectPath {
    /// Each annotator has at most one value at a grid time.
    fn is_valid(&self) -> bool {
        let entries = self.grid_index.iter().zip(&self.annotator);
        entries.is_sorted_by(|x, y| x < y) && all_finite(&self.value)
    }
}

impl PersonalScores {
    /// Each annotator is listed once, and saw each item once and at least one.
    fn is_valid(&self) -> bool {
        let mut seen = self.starts.windows(2).map(|own| &self.item[own[0]..own[1]]);
        self.annotator.is_sorted_by(|x, y| x < y)
            && self.starts.is_sorted_by(|x, y| x < y)
            && seen.all(|items| items.is_sorted_by(|x, y| x < y))
            && all_finite(&self.deviation)
            && all_counts(&self.votes)
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
            && self.personal.is_valid()
            && all_counts(&self.standard_errors.std_error)
            && all_counts(&self.standard_errors.half_width)
            && is_valid_covariance(&self.standard_errors.covariance)
            && sources
                .flat_map(|sources| [sources.personal, sources.position_bias])
                .all(f64::is_finite)
    }
}

fn is_valid_covariance(covariance: &ScoreCovariance) -> bool {
    let is_valid_refits = |refits: &RefitContributions| {
        all_finite(&refits.moved) && all_finite(&refits.linear) && all_counts(&refits.seen_by)
    };
    all_finite(&covariance.clustered.exact)
        && covariance.clustered.sketch.iter().all(|x| x.is_finite())
        && all_counts(&covariance.annotators)
        && is_count(covariance.prior)
        && covariance.refits.as_ref().is_none_or(is_valid_refits)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, Execution, Options, Plot, ResultSet, Simulation, VoteBuilder};

    fn fit() -> Fit {
        let options = Options {
            bias_test: crate::BiasTest::Knockoff,
            fdr: Some(0.1),
            ..Options::default()
        };
        let simulation = Simulation {
            annotators: 40,
            items: 7,
            ..Simulation::default()
        };
        let mut votes = VoteBuilder::new(&options);
        for batch in simulation.run().unwrap() {
            votes.push_batch(&batch.unwrap()).unwrap();
        }
        Fit::new(&votes.finish().unwrap(), &options).unwrap()
    }

    /// Every column of numbers.
    fn columns(fit: &mut Fit) -> Vec<&mut [f64]> {
        let chosen = fit.chosen.as_mut().unwrap();
        let validation = fit.validation.as_mut().unwrap();
        let covariance = &mut chosen.standard_errors.covariance;
        let refits = covariance.refits.as_mut().unwrap();
        vec![
            &mut fit.tally.wins,
            &mut fit.tally.losses,
            &mut fit.tally.ties,
            &mut fit.tally.hodgerank,
            &mut fit.clicks.left,
            &mut fit.clicks.right,
            &mut fit.clicks.ties,
            &mut fit.evidence.mean_residual,
            &mut fit.evidence.bias.p,
            &mut fit.evidence.deviation.q,
            &mut fit.evidence.against.p,
            &mut fit.evidence.no_signal.q,
            &mut fit.evidence.expected_agreement,
            &mut fit.flow.weight,
            &mut fit.flow.value,
            &mut fit.flow.wins,
            &mut fit.flow.ties,
            &mut fit.path.grid,
            &mut fit.path.theta,
            &mut fit.path.bias.value,
            &mut fit.path.deviation.value,
            &mut validation.error,
            &mut validation.error_std,
            &mut validation.mismatch,
            &mut chosen.agreement,
            &mut chosen.personal.deviation,
            &mut chosen.personal.votes,
            &mut chosen.standard_errors.std_error,
            &mut chosen.standard_errors.half_width,
            &mut covariance.clustered.exact,
            &mut covariance.annotators,
            &mut refits.moved,
            &mut refits.linear,
            &mut refits.seen_by,
        ]
    }

    /// Reads a model with a right checksum, and everything that it says.
    fn read(forged: &Fit) -> Result<()> {
        let fit = Fit::from_bytes(&forged.to_bytes())?;
        for set in ResultSet::ALL {
            fit.table_within(set, &mut Execution::new())?;
        }
        for plot in Plot::ALL {
            fit.plot(plot)?;
        }
        fit.report()?;
        Ok(())
    }

    #[test]
    fn numbers_that_no_fit_has_are_refused() {
        let fit = fit();
        read(&fit).unwrap();
        for column in 0..columns(&mut fit.clone()).len() {
            for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut forged = fit.clone();
                let column = &mut columns(&mut forged)[column];
                let is_known = !number.is_nan() || column.iter().all(|x| !x.is_nan());
                let middle = column.len() / 2;
                column[middle] = number;
                let forged = read(&forged);
                assert!(forged.is_err() || (number.is_nan() && is_known), "{number}");
                if let Err(error) = forged {
                    let text = "this model is damaged or cut off: fit it again";
                    assert_eq!(error.to_string(), text);
                }
            }
        }
    }

    /// Numbers of any size can be shown, or are refused in words.
    #[test]
    fn numbers_of_any_size_can_be_read() {
        let fit = fit();
        for column in 0..columns(&mut fit.clone()).len() {
            for number in [0.0, -1.0, 5e-324, 1e-300, 1e300, -1e300, f64::MAX] {
                for is_everywhere in [false, true] {
                    let mut forged = fit.clone();
                    let column = &mut columns(&mut forged)[column];
                    let count = if is_everywhere { column.len() } else { 1 };
                    column[..count].fill(number);
                    if let Err(error) = read(&forged) {
                        assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_listed_twice() {
        let fit = fit();
        let forge = |change: fn(&mut Fit)| {
            let mut forged = fit.clone();
            change(&mut forged);
            read(&forged).is_err()
        };
        assert!(forge(|fit| fit.tally.component[0] = 0));
        assert!(forge(|fit| fit.tally.component[0] = 8));
        assert!(forge(
            |fit| fit.path.bias.annotator[1] = fit.path.bias.annotator[0]
        ));
        assert!(forge(|fit| {
            let personal = &mut fit.chosen.as_mut().unwrap().personal;
            personal.annotator[1] = personal.annotator[0];
        }));
        assert!(forge(|fit| {
            let personal = &mut fit.chosen.as_mut().unwrap().personal;
            personal.item[1] = personal.item[0];
        }));
    }
}
