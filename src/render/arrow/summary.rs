//! `summary`: one row about the fit.
//!
//! The two errors are cross-validated mean squared errors, of HodgeRank alone
//! and of the model at the chosen time; NULL where there was no
//! cross-validation.

use std::iter::once;

use arrow_array::ArrayRef;

use super::annotators::Flags;
use super::cycles::Parts;
use super::{Column, Kind, counts, integers, numbers, optional_numbers, texts};
use crate::error::Result;
use crate::execution::Stop;
use crate::fit::{ChosenModel, Fit};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("items", Kind::Integer),
    Column::new("annotators", Kind::Integer),
    Column::new("votes", Kind::Integer),
    Column::new("skipped_rows", Kind::Integer),
    Column::new("components", Kind::Integer),
    Column::new("kappa", Kind::Number),
    Column::nullable("alpha", Kind::Number),
    Column::nullable("t0", Kind::Number),
    Column::new("t", Kind::Number),
    Column::new("iterations", Kind::Integer),
    Column::nullable("hodgerank_error", Kind::Number),
    Column::nullable("mixed_error", Kind::Number),
    Column::new("position_biased", Kind::Integer),
    Column::new("personalized", Kind::Integer),
    Column::new("version", Kind::Text),
    Column::nullable("consensus_share", Kind::Number),
    Column::nullable("local_cycle_share", Kind::Number),
    Column::nullable("global_cycle_share", Kind::Number),
    Column::nullable("personal_cycle_share", Kind::Number),
    Column::nullable("position_bias_cycle_share", Kind::Number),
    Column::nullable("noise_cycle_share", Kind::Number),
];

pub(super) fn arrays(fit: &Fit, chosen: &ChosenModel, stop: &Stop) -> Result<Vec<ArrayRef>> {
    let totals = &fit.totals;
    let integer = |value: usize| integers(once(value as i64));
    let components = fit.tally.component.iter().max().map_or(0, |&c| c as usize);
    let errors = fit.validation.as_ref();
    let mixed_error = errors.map(|curve| curve.error[chosen.grid_index]);
    let flags = Flags::new(fit, chosen);
    let count = |flags: &[bool]| integer(flags.iter().filter(|&&flag| flag).count());
    let shares = Shares::new(fit, chosen, stop)?;
    Ok(vec![
        integer(fit.items.len()),
        integer(fit.annotators.len()),
        counts(once(totals.votes)),
        integer(totals.skipped as usize),
        integer(components),
        numbers(once(totals.kappa)),
        optional_numbers(once(totals.alpha)),
        optional_numbers(once(totals.first_entry)),
        numbers(once(fit.path.grid[chosen.grid_index])),
        integer(totals.iterations as usize),
        optional_numbers(once(errors.map(|curve| curve.hodgerank_error))),
        optional_numbers(once(mixed_error)),
        count(&flags.biased),
        count(&flags.personalized),
        texts(once(env!("CARGO_PKG_VERSION"))),
        optional_numbers(once(shares.consensus)),
        optional_numbers(once(shares.local)),
        optional_numbers(once(shares.global)),
        optional_numbers(once(shares.personal)),
        optional_numbers(once(shares.position_bias)),
        optional_numbers(once(shares.noise)),
    ])
}

/// What the pairwise flow consists of: the first three add up to 1, and so do
/// the last three, which say what its cycles come from.
#[derive(Default)]
pub(crate) struct Shares {
    pub consensus: Option<f64>,
    pub local: Option<f64>,
    pub global: Option<f64>,
    pub personal: Option<f64>,
    pub position_bias: Option<f64>,
    pub noise: Option<f64>,
}

impl Shares {
    pub fn new(fit: &Fit, chosen: &ChosenModel, stop: &Stop) -> Result<Self> {
        let flow = &fit.flow;
        let parts = Parts::new(fit, stop)?;
        let square = |values: &[f64]| flow.inner(values, values);
        let whole = square(&flow.value);
        if whole == 0.0 {
            return Ok(Self::default()); // nothing but ties
        }
        let circles = chosen.circles;
        Ok(Self {
            consensus: Some(1.0 - square(&parts.left_over) / whole),
            local: parts.cycles.as_ref().map(|c| square(&c.local) / whole),
            global: parts.cycles.as_ref().map(|c| square(&c.global) / whole),
            personal: circles.map(|c| c.personal),
            position_bias: circles.map(|c| c.position_bias),
            noise: circles.map(|c| 1.0 - c.personal - c.position_bias),
        })
    }
}
