//! `annotators`: who is biased and who deviates, one row an annotator, in the
//! order in which they stood out on the path.

use arrow_array::ArrayRef;

use super::ids::id_array;
use super::{Column, Kind, booleans, counts, numbers, optional_integers, optional_numbers, texts};
use crate::findings::verdict::Verdicts;
use crate::fit::{ChosenModel, EffectPath, Fit};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("annotator", Kind::Annotator),
    Column::new("votes", Kind::Integer),
    Column::new("left_clicks", Kind::Integer),
    Column::new("right_clicks", Kind::Integer),
    Column::new("ties", Kind::Integer),
    Column::nullable("agreement", Kind::Number),
    Column::new("position_bias", Kind::Number),
    Column::nullable("position_bias_order", Kind::Integer),
    Column::nullable("position_bias_time", Kind::Number),
    Column::new("deviation", Kind::Number),
    Column::nullable("deviation_order", Kind::Integer),
    Column::nullable("deviation_time", Kind::Number),
    Column::new("is_position_biased", Kind::Boolean),
    Column::new("is_personalized", Kind::Boolean),
    Column::new("is_adversarial", Kind::Boolean),
    Column::new("position_bias_p_value", Kind::Number),
    Column::new("position_bias_q_value", Kind::Number),
    Column::new("deviation_p_value", Kind::Number),
    Column::new("deviation_q_value", Kind::Number),
    Column::new("verdict", Kind::Text),
    Column::new("evidence", Kind::Text),
];

pub(super) fn arrays(fit: &Fit, chosen: &ChosenModel) -> Vec<ArrayRef> {
    let users = fit.annotators.len();
    let clicks = &fit.clicks;
    let bias_entry = Entries::new(&fit.path.bias, users);
    let deviation_entry = Entries::new(&fit.path.deviation, users);
    let bias = fit.path.bias.at(chosen.grid_index, users);
    let deviation = fit.path.deviation.at(chosen.grid_index, users);
    let verdicts = Verdicts::new(fit, chosen);
    let flags = Flags::new(fit, chosen);
    let order = by_entry(&bias_entry, &deviation_entry);
    let rows = || order.iter().copied();
    let time =
        |entries: &Entries, u: usize| entries.first[u].map(|index| fit.path.grid[index as usize]);
    vec![
        id_array(&fit.annotators, rows().map(|u| Some(u as u32))),
        counts(rows().map(|u| clicks.left[u] + clicks.right[u] + clicks.ties[u])),
        counts(rows().map(|u| clicks.left[u])),
        counts(rows().map(|u| clicks.right[u])),
        counts(rows().map(|u| clicks.ties[u])),
        optional_numbers(rows().map(|u| known(chosen.agreement[u]))),
        numbers(rows().map(|u| bias[u])),
        optional_integers(rows().map(|u| bias_entry.order[u])),
        optional_numbers(rows().map(|u| time(&bias_entry, u))),
        numbers(rows().map(|u| deviation[u])),
        optional_integers(rows().map(|u| deviation_entry.order[u])),
        optional_numbers(rows().map(|u| time(&deviation_entry, u))),
        booleans(rows().map(|u| flags.biased[u])),
        booleans(rows().map(|u| flags.personalized[u])),
        booleans(rows().map(|u| flags.adversarial[u])),
        numbers(rows().map(|u| fit.evidence.bias_p[u])),
        numbers(rows().map(|u| verdicts.bias_q[u])),
        numbers(rows().map(|u| fit.evidence.deviation_p[u])),
        numbers(rows().map(|u| verdicts.deviation_q[u])),
        texts(rows().map(|u| verdicts.verdict(u).name())),
        texts(rows().map(|u| verdicts.evidence(u))),
    ]
}

/// The annotators in the order in which they stood out.
pub(crate) fn by_entry(bias: &Entries, deviation: &Entries) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bias.first.len()).collect();
    order.sort_by_key(|&u| {
        let earliest = bias.first[u].into_iter().chain(deviation.first[u]).min();
        (
            earliest.unwrap_or(u32::MAX),
            bias.order[u].unwrap_or(i64::MAX),
            u,
        )
    });
    order
}

/// Who is flagged: by the path at the chosen time or, if the options have a
/// rate of false discoveries, by tests that keep to it.
pub(super) struct Flags {
    pub biased: Vec<bool>,
    pub personalized: Vec<bool>,
    pub adversarial: Vec<bool>,
}

impl Flags {
    pub fn new(fit: &Fit, chosen: &ChosenModel) -> Self {
        let users = fit.annotators.len();
        if fit.totals.fdr.is_some() {
            let verdicts = Verdicts::new(fit, chosen);
            return Self {
                biased: (0..users).map(|u| verdicts.is_biased(u)).collect(),
                personalized: (0..users).map(|u| verdicts.deviates(u)).collect(),
                adversarial: (0..users).map(|u| verdicts.is_against(u)).collect(),
            };
        }
        let nonzero = |effects: &EffectPath| {
            let values = effects.at(chosen.grid_index, users);
            values.iter().map(|&value| value != 0.0).collect()
        };
        let mut adversarial = vec![false; users];
        let personal = &chosen.personal;
        for (&u, &flag) in personal.annotator.iter().zip(&personal.adversarial) {
            adversarial[u as usize] = flag;
        }
        Self {
            biased: nonzero(&fit.path.bias),
            personalized: nonzero(&fit.path.deviation),
            adversarial,
        }
    }
}

/// None for not-a-number.
fn known(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

/// When each annotator's effect first showed on the grid: the grid time, and
/// the place among all by it, ties by id.
pub(crate) struct Entries {
    pub first: Vec<Option<u32>>,
    pub order: Vec<Option<i64>>,
}

impl Entries {
    pub fn new(effects: &EffectPath, users: usize) -> Self {
        let first = effects.first(users);
        let mut entered: Vec<usize> = (0..users).filter(|&u| first[u].is_some()).collect();
        entered.sort_by_key(|&u| first[u]);
        let mut order = vec![None; users];
        for (place, u) in entered.into_iter().enumerate() {
            order[u] = Some(place as i64 + 1);
        }
        Self { first, order }
    }
}
