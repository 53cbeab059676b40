//! `cv`: the cross-validation curve, one row a grid time; none where a chosen
//! `t` made it unnecessary.

use arrow_array::ArrayRef;

use super::{Column, Kind, booleans, numbers, optional_numbers};
use crate::fit::{ChosenModel, CvCurve, Fit};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("t", Kind::Number),
    Column::new("error", Kind::Number),
    Column::nullable("error_std", Kind::Number),
    Column::new("mismatch", Kind::Number),
    Column::new("selected", Kind::Boolean),
];

pub(super) fn arrays(fit: &Fit, chosen: &ChosenModel) -> Vec<ArrayRef> {
    let nothing = CvCurve::default();
    let curve = fit.validation.as_ref().unwrap_or(&nothing);
    let rows = || 0..curve.error.len();
    vec![
        numbers(rows().map(|k| fit.path.grid[k])),
        numbers(rows().map(|k| curve.error[k])),
        optional_numbers(
            rows().map(|k| Some(curve.error_std[k]).filter(|spread| !spread.is_nan())),
        ),
        numbers(rows().map(|k| curve.mismatch[k])),
        booleans(rows().map(|k| k == chosen.grid_index)),
    ]
}
