//! `triangles`: a over b over c over a, the worst first: circles, then those
//! whose flows do not fit each other, by how much they explain of what a
//! ranking cannot.

use arrow_array::ArrayRef;

use super::ids::id_array;
use super::{Column, Kind, booleans, counts, numbers};
use crate::error::{Error, Result};
use crate::execution::Stop;
use crate::fit::Fit;
use crate::model::{Triangle, Triangles};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("item_a", Kind::Item),
    Column::new("item_b", Kind::Item),
    Column::new("item_c", Kind::Item),
    Column::new("curl", Kind::Number),
    Column::new("votes", Kind::Integer),
    Column::new("is_circle", Kind::Boolean),
    Column::new("flow_ab", Kind::Number),
    Column::new("flow_bc", Kind::Number),
    Column::new("flow_ca", Kind::Number),
];

/// At most so many rows.
const MOST: usize = 1000;

/// The triangles, the worst first; None if there are too many.
pub(crate) fn worst(fit: &Fit, stop: &Stop) -> Result<Option<Vec<Triangle>>> {
    Triangles(&fit.flow).worst(MOST, stop)
}

pub(super) fn arrays(fit: &Fit, stop: &Stop) -> Result<Vec<ArrayRef>> {
    let worst = worst(fit, stop)?.ok_or_else(|| {
        Error::votes("there are too many triangles to look through: ask for fewer items")
    })?;
    let item = |corner: usize| {
        worst
            .iter()
            .map(move |triangle| Some(triangle.items[corner]))
    };
    let flow = |side: usize| numbers(worst.iter().map(move |triangle| triangle.flow[side]));
    Ok(vec![
        id_array(&fit.items, item(0)),
        id_array(&fit.items, item(1)),
        id_array(&fit.items, item(2)),
        numbers(worst.iter().map(Triangle::curl)),
        counts(worst.iter().map(|triangle| triangle.votes)),
        booleans(worst.iter().map(Triangle::is_cycle)),
        flow(0),
        flow(1),
        flow(2),
    ])
}
