//! `path`: the regularisation path in long format, one row a grid time and
//! score, and one a grid time and effect that is not zero.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};

use super::ids::id_array;
use super::{Column, Kind, numbers};
use crate::fit::{EffectPath, Fit};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("t", Kind::Number),
    Column::new("effect", Kind::Text),
    Column::nullable("item", Kind::Item),
    Column::nullable("annotator", Kind::Annotator),
    Column::new("value", Kind::Number),
];

/// One row.
struct Row {
    t: f64,
    effect: &'static str,
    item: Option<u32>,
    annotator: Option<u32>,
    value: f64,
}

pub(super) fn arrays(fit: &Fit) -> Vec<ArrayRef> {
    let rows = rows(fit);
    let each = || rows.iter();
    vec![
        numbers(each().map(|row| row.t)),
        Arc::new(StringArray::from_iter_values(each().map(|row| row.effect))),
        id_array(&fit.items, each().map(|row| row.item)),
        id_array(&fit.annotators, each().map(|row| row.annotator)),
        numbers(each().map(|row| row.value)),
    ]
}

fn rows(fit: &Fit) -> Vec<Row> {
    let path = &fit.path;
    let effects = [
        ("position_bias", &path.bias),
        ("deviation", &path.deviation),
    ];
    let mut rows = Vec::new();
    for (index, &t) in path.grid.iter().enumerate() {
        rows.extend(
            fit.theta(index)
                .iter()
                .enumerate()
                .map(|(item, &value)| Row {
                    t,
                    effect: "score",
                    item: Some(item as u32),
                    annotator: None,
                    value,
                }),
        );
        for (effect, values) in effects {
            rows.extend(effect_rows(t, effect, values, index));
        }
    }
    rows
}

fn effect_rows<'a>(
    t: f64,
    effect: &'static str,
    values: &'a EffectPath,
    grid_index: usize,
) -> impl Iterator<Item = Row> + 'a {
    values.rows(grid_index).map(move |k| Row {
        t,
        effect,
        item: None,
        annotator: Some(values.annotator[k]),
        value: values.value[k],
    })
}
