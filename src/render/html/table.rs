//! The ranking as a table.

use super::id::id;
use crate::findings::RankedItem;
use crate::render::text::{count, decimal};

/// At most so many items are listed.
const MAX_ITEMS: usize = 200;

pub(super) fn ranking(ranking: &[RankedItem<'_>]) -> String {
    let several = ranking.iter().any(|item| item.component > 1);
    let mut rows = String::new();
    for item in ranking.iter().take(MAX_ITEMS) {
        let component = format!("<td>{}</td>", item.component);
        rows += &format!(
            "<tr><td>{}</td><td>{}–{}</td><td>{}</td><td class=\"id\">{}</td><td>{}</td>\
             <td>{} to {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}</tr>\n",
            item.rank,
            item.rank_low,
            item.rank_high,
            item.tier,
            id(item.item),
            decimal(item.score, 3),
            decimal(item.score_low, 3),
            decimal(item.score_high, 3),
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
        _ => format!(
            "<p class=\"note\">{} more items are not shown. This lists all, with the name of your \
             table: <code>SELECT * FROM me_hodgerank(&#39;votes&#39;)</code></p>\n",
            count(left_out as f64)
        ),
    };
    format!(
        "<details>\n<summary>The ranking as a table</summary>\n<div class=\"wide\">\n<table class=\"ranking\">\n\
         <thead><tr><th>rank</th><th>rank range</th><th>tier</th><th class=\"id\">item</th><th>score</th>\
         <th>95 % interval</th><th>HodgeRank</th><th>won</th><th>lost</th><th>tied</th>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n\
         </div>\n{note}</details>\n",
        if several { "<th>component</th>" } else { "" },
    )
}
