//! `ranking`: the consensus, one row an item, best first.
//!
//! Scores compare only within a component; ranks begin at 1 in each.

use arrow_array::ArrayRef;

use super::ids::id_array;
use super::rank::Ranks;
use super::{Column, Kind, counts, integers, numbers};
use crate::fit::{Chosen, Fit};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("item", Kind::Item),
    Column::new("rank", Kind::Integer),
    Column::new("score", Kind::Number),
    Column::new("hodgerank_rank", Kind::Integer),
    Column::new("hodgerank_score", Kind::Number),
    Column::new("votes", Kind::Integer),
    Column::new("wins", Kind::Integer),
    Column::new("losses", Kind::Integer),
    Column::new("ties", Kind::Integer),
    Column::new("component", Kind::Integer),
];

pub(super) fn arrays(fit: &Fit, chosen: &Chosen) -> Vec<ArrayRef> {
    let tally = &fit.tally;
    let scores = fit.theta(chosen.grid_index);
    let ranks = Ranks::new(scores, &tally.component);
    let hodgerank = Ranks::new(&tally.hodgerank, &tally.component);
    let rows = || ranks.order.iter().map(|&item| item as usize);
    vec![
        id_array(&fit.items, ranks.order.iter().map(|&item| Some(item))),
        integers(rows().map(|i| ranks.rank[i])),
        numbers(rows().map(|i| scores[i])),
        integers(rows().map(|i| hodgerank.rank[i])),
        numbers(rows().map(|i| tally.hodgerank[i])),
        counts(rows().map(|i| tally.wins[i] + tally.losses[i] + tally.ties[i])),
        counts(rows().map(|i| tally.wins[i])),
        counts(rows().map(|i| tally.losses[i])),
        counts(rows().map(|i| tally.ties[i])),
        integers(rows().map(|i| tally.component[i].into())),
    ]
}
