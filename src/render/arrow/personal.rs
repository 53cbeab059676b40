//! `personal`: the own rankings of those who deviate, one row an annotator and
//! item; annotators by entry, items by the annotator's rank.
//!
//! Where an annotator never saw an item (`votes` = 0) the consensus speaks.

use arrow_array::ArrayRef;

use super::annotators::Entries;
use super::ids::id_array;
use super::{Column, Kind, counts, integers, numbers};
use crate::findings::rank::Ranks;
use crate::fit::{ChosenModel, Fit};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("annotator", Kind::Annotator),
    Column::new("item", Kind::Item),
    Column::new("rank", Kind::Integer),
    Column::new("score", Kind::Number),
    Column::new("deviation", Kind::Number),
    Column::new("consensus_rank", Kind::Integer),
    Column::new("consensus_score", Kind::Number),
    Column::new("votes", Kind::Integer),
];

/// One row.
struct Row {
    annotator: u32,
    item: u32,
    rank: i64,
    deviation: f64,
    votes: f64,
}

pub(super) fn arrays(fit: &Fit, chosen: &ChosenModel) -> Vec<ArrayRef> {
    let theta = fit.theta(chosen.grid_index);
    let consensus = Ranks::new(theta, &fit.tally.component);
    let rows = rows(fit, chosen, theta);
    let each = || rows.iter();
    let score = |row: &Row| theta[row.item as usize];
    vec![
        id_array(&fit.annotators, each().map(|row| Some(row.annotator))),
        id_array(&fit.items, each().map(|row| Some(row.item))),
        integers(each().map(|row| row.rank)),
        numbers(each().map(|row| score(row) + row.deviation)),
        numbers(each().map(|row| row.deviation)),
        integers(each().map(|row| consensus.rank[row.item as usize])),
        numbers(each().map(score)),
        counts(each().map(|row| row.votes)),
    ]
}

fn rows(fit: &Fit, chosen: &ChosenModel, theta: &[f64]) -> Vec<Row> {
    let personal = &chosen.personal;
    let entries = Entries::new(&fit.path.deviation, fit.annotators.len());
    let mut who: Vec<usize> = (0..personal.annotator.len()).collect();
    who.sort_by_key(|&index| entries.order[personal.annotator[index] as usize]);
    let mut rows = Vec::with_capacity(who.len() * theta.len());
    let mut deviation = vec![0.0; theta.len()];
    let mut votes = vec![0.0; theta.len()];
    for index in who {
        deviation.fill(0.0);
        votes.fill(0.0);
        for k in personal.starts[index]..personal.starts[index + 1] {
            let item = personal.item[k] as usize;
            deviation[item] = personal.deviation[k];
            votes[item] = personal.votes[k];
        }
        let own: Vec<f64> = theta.iter().zip(&deviation).map(|(t, d)| t + d).collect();
        let ranks = Ranks::new(&own, &fit.tally.component);
        rows.extend(ranks.order.iter().map(|&item| Row {
            annotator: personal.annotator[index],
            item,
            rank: ranks.rank[item as usize],
            deviation: deviation[item as usize],
            votes: votes[item as usize],
        }));
    }
    rows
}
