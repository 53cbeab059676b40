//! `triangles`: a over b over c over a, the worst first: those that explain
//! most of what a ranking cannot.

use arrow_array::ArrayRef;

use super::ids::id_array;
use super::{Column, Kind, counts, numbers};
use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::model::{Triangle, Triangles};
use crate::run::Stop;

pub(super) const COLUMNS: &[Column] = &[
    Column::new("item_a", Kind::Item),
    Column::new("item_b", Kind::Item),
    Column::new("item_c", Kind::Item),
    Column::new("curl", Kind::Number),
    Column::new("votes", Kind::Integer),
    Column::new("flow_ab", Kind::Number),
    Column::new("flow_bc", Kind::Number),
    Column::new("flow_ca", Kind::Number),
];

/// At most so many rows.
const MOST: usize = 1000;

pub(super) fn arrays(fit: &Fit, stop: &Stop) -> Result<Vec<ArrayRef>> {
    let worst = Triangles(&fit.flow).worst(MOST, stop)?.ok_or_else(|| {
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
        flow(0),
        flow(1),
        flow(2),
    ])
}
