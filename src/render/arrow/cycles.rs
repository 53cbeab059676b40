//! `cycles`: what a ranking explains of the votes on each pair, and what goes
//! round in circles, one row a compared pair.

use arrow_array::ArrayRef;

use super::ids::id_array;
use super::{Column, Kind, counts, numbers, optional_numbers};
use crate::error::Result;
use crate::execution::Stop;
use crate::fit::Fit;
use crate::model::{Cycles, Triangles};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("item_a", Kind::Item),
    Column::new("item_b", Kind::Item),
    Column::new("votes", Kind::Integer),
    Column::new("flow", Kind::Number),
    Column::new("consensus", Kind::Number),
    Column::nullable("local_cycle", Kind::Number),
    Column::nullable("global_cycle", Kind::Number),
];

/// The flow of a fit in its parts.
pub(super) struct Parts {
    pub consensus: Vec<f64>,
    pub left_over: Vec<f64>,
    /// None if there are too many triangles.
    pub cycles: Option<Cycles>,
}

impl Parts {
    pub fn new(fit: &Fit, stop: &Stop) -> Result<Self> {
        let flow = &fit.flow;
        let consensus = flow.gradient(&fit.tally.hodgerank);
        let left_over = flow.value.iter().zip(&consensus).map(|(f, c)| f - c);
        let left_over: Vec<f64> = left_over.collect();
        let cycles = Triangles(flow).split(&left_over, stop)?;
        Ok(Self {
            consensus,
            left_over,
            cycles,
        })
    }
}

pub(super) fn arrays(fit: &Fit, stop: &Stop) -> Result<Vec<ArrayRef>> {
    let flow = &fit.flow;
    let parts = Parts::new(fit, stop)?;
    let cycles = parts.cycles.as_ref();
    let pairs = || 0..flow.len();
    Ok(vec![
        id_array(&fit.items, flow.a.iter().map(|&item| Some(item))),
        id_array(&fit.items, flow.b.iter().map(|&item| Some(item))),
        counts(flow.weight.iter().copied()),
        numbers(flow.value.iter().copied()),
        numbers(parts.consensus.iter().copied()),
        optional_numbers(pairs().map(|k| cycles.map(|cycles| cycles.local[k]))),
        optional_numbers(pairs().map(|k| cycles.map(|cycles| cycles.global[k]))),
    ])
}
