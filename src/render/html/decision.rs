//! What the ranking decides, in words: who shares the first place, and whether to go on.

use super::id::id;
use crate::findings::{RankedItem, SETTLED_Q_VALUE, Summary};
use crate::render::text::count;

/// So many items of the first tier are named.
const MAX_NAMED: usize = 5;

/// From this share on a ranking is said to be settled.
const MOSTLY_SETTLED: f64 = 0.95;

pub(super) fn in_words(ranking: &[RankedItem<'_>], summary: &Summary) -> String {
    format!("{}{}", first_place(ranking), settled(summary))
}

/// Who is in the first tier of the largest component.
fn first_place(ranking: &[RankedItem<'_>]) -> String {
    let is_first = |item: &&RankedItem<'_>| item.component == 1 && item.tier == 1;
    let first: Vec<&RankedItem<'_>> = ranking.iter().filter(is_first).collect();
    let named = first.iter().take(MAX_NAMED).map(|item| id(item.item));
    let names = named.collect::<Vec<_>>().join(", ");
    let more = match first.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {} more", count(more as f64)),
    };
    match first.len() {
        1 => format!("<p>{names} stands in the first tier alone.</p>\n"),
        number => format!(
            "<p>{} items share the first tier: {names}{more}. Their intervals do not tell them \
             from the first of them.</p>\n",
            count(number as f64)
        ),
    }
}

/// Whether more votes are needed.
fn settled(summary: &Summary) -> String {
    let items = summary.items as f64;
    let pairs = count(items * (items - 1.0) / 2.0);
    let percent = 100.0 * summary.settled_share;
    let rate = 100.0 * SETTLED_Q_VALUE;
    let advice = match summary.settled_share >= MOSTLY_SETTLED {
        true => "More votes would change little.",
        false => {
            "If that is too few, <code>SELECT * FROM me_hodgerank_next(&#39;votes&#39;)</code>, \
             with the name of your table, lists the pairs whose votes would tell most."
        }
    };
    format!(
        "<p>Of the {pairs} pairs of items, {percent:.0} % have an order that is settled: at most \
         {rate:.0} % of these are expected to be the wrong way round. {advice}</p>\n"
    )
}
