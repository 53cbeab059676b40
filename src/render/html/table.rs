//! The ranking as a table.

use crate::findings::RankedItem;
use crate::render::text::{count, escape, label};

/// At most so many items are listed.
const MAX_ITEMS: usize = 200;

pub(super) fn ranking(ranking: &[RankedItem<'_>]) -> String {
    let several = ranking.iter().any(|item| item.component > 1);
    let mut rows = String::new();
    for item in ranking.iter().take(MAX_ITEMS) {
        let component = format!("<td>{}</td>", item.component);
        rows += &format!(
            "<tr><td>{}</td><td>{}–{}</td><td class=\"id\"><bdi>{}</bdi></td><td>{}</td>\
             <td>{} to {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}</tr>\n",
            item.rank,
            item.rank_low,
            item.rank_high,
            escape(&label(item.item)),
            decimal(item.score),
            decimal(item.score_low),
            decimal(item.score_high),
            item.hodgerank_rank,
            count(item.wins),
            count(item.losses),
            count(item.ties),
            if several { &component } else { "" },
        );
    }
    let left_out = ranking.len().saturating_sub(MAX_ITEMS);
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
