//! `summary`: one row about the fit.
//!
//! The two errors are cross-validated mean squared errors, of HodgeRank alone
//! and of the model at the chosen time; NULL where there was no
//! cross-validation.

use std::iter::once;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};

use super::{Column, Kind, counts, integers, numbers, optional_numbers};
use crate::fit::{Chosen, Fit};

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
];

pub(super) fn arrays(fit: &Fit, chosen: &Chosen) -> Vec<ArrayRef> {
    let totals = &fit.totals;
    let integer = |value: usize| integers(once(value as i64));
    let components = fit.tally.component.iter().max().map_or(0, |&c| c as usize);
    let errors = fit.validation.as_ref();
    let mixed_error = errors.map(|curve| curve.error[chosen.grid_index]);
    vec![
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
        integer(fit.path.bias.rows(chosen.grid_index).len()),
        integer(chosen.personal.annotator.len()),
        Arc::new(StringArray::from_iter_values(once(env!(
            "CARGO_PKG_VERSION"
        )))),
    ]
}
