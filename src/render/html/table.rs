//! The ranking as a table.

use super::count;
use crate::findings::rank::Ranks;
use crate::fit::{ChosenModel, Fit};
use crate::render::arrow::Intervals;
use crate::render::svg::{escape, shown};

/// More items than this are cut off.
const MOST: usize = 200;

pub(super) fn ranking(fit: &Fit, chosen: &ChosenModel) -> String {
    let scores = fit.theta(chosen.grid_index);
    let tally = &fit.tally;
    let ranks = Ranks::new(scores, &tally.component);
    let hodgerank = Ranks::new(&tally.hodgerank, &tally.component);
    let intervals = Intervals::new(fit, chosen);
    let several = tally.component.iter().any(|&component| component > 1);
    let mut rows = String::new();
    for &item in ranks.order.iter().take(MOST) {
        let i = item as usize;
        let component = format!("<td>{}</td>", tally.component[i]);
        rows += &format!(
            "<tr><td>{}</td><td>{}–{}</td><td class=\"id\"><bdi>{}</bdi></td><td>{}</td>\
             <td>{} to {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}</tr>\n",
            ranks.rank[i],
            intervals.rank[i].0,
            intervals.rank[i].1,
            escape(&shown(fit.items.get(i))),
            decimal(scores[i]),
            decimal(intervals.score[i].0),
            decimal(intervals.score[i].1),
            hodgerank.rank[i],
            count(tally.wins[i]),
            count(tally.losses[i]),
            count(tally.ties[i]),
            if several { &component } else { "" },
        );
    }
    let left_out = fit.items.len().saturating_sub(MOST);
    let note = match left_out {
        0 => String::new(),
        _ => format!("<p class=\"note\">{left_out} more items follow.</p>\n"),
    };
    format!(
        "<details>\n<summary>The ranking as a table</summary>\n<div class=\"wide\">\n<table>\n\
         <thead><tr><th>rank</th><th>rank range</th><th class=\"id\">item</th><th>score</th>\
         <th>95 % interval</th><th>HodgeRank</th><th>won</th><th>lost</th><th>tied</th>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n\
         </div>\n{note}</details>\n",
        if several { "<th>component</th>" } else { "" },
    )
}

/// A score.
fn decimal(value: f64) -> String {
    format!("{value:.3}").replace('-', "−")
}
