//! Head to head: the best items against each other, the share of wins that the scores predict
//! and the one that was observed.

use super::canvas::{Anchor, FONT_SIZE, Picture, WIDTH};
use super::style::ramp;
use crate::error::Result;
use crate::execution::Stop;
use crate::findings::{HeadToHead, SETTLED_Q_VALUE, head_to_head};
use crate::fit::Fit;
use crate::render::text::{count, label, short_label, text_width};
use crate::votes::IdRef;

const TITLE: &str = "Head to head";

/// The most items that are drawn.
const MAX_ITEMS: usize = 15;

/// The longest label, in cells.
const MAX_ITEM_CELLS: usize = 20;

/// The height of a cell, which holds two lines.
const CELL_HEIGHT: f64 = 32.0;

/// From no win to all wins: Okabe and Ito's orange and blue, bright enough for dark text.
const SHARE: &[[u8; 3]] = &[[236, 156, 92], [248, 244, 238], [120, 184, 226]];

pub(super) fn picture(fit: &Fit) -> Result<Picture> {
    let pairs = head_to_head(fit, MAX_ITEMS, &Stop::default())?;
    let items = items_of_first_component(&pairs);
    if items.len() < 2 {
        return Ok(Picture::empty(TITLE, "There are no two items to compare."));
    }
    let mut picture = Picture::new(TITLE, &explanation(fit, items.len()));
    let names = items.iter().map(|&item| short_label(item, MAX_ITEM_CELLS));
    let widest = names.map(|name| text_width(&name, FONT_SIZE));
    let widest = widest.fold(0.0, f64::max);
    let left = 24.0 + widest;
    let width = f64::min((WIDTH - 16.0 - left) / items.len() as f64, 64.0);
    let top = picture.top + 10.0 + widest;
    picture.height = top + CELL_HEIGHT * items.len() as f64 + 16.0;
    for (k, &item) in items.iter().enumerate() {
        let row = [left - 8.0, top + CELL_HEIGHT * (k as f64 + 0.5) + 4.5];
        picture.id(row, "me-ink", Anchor::End, item, MAX_ITEM_CELLS);
        let column = [left + width * (k as f64 + 0.5) + 4.5, top - 8.0];
        picture.upwards(column, |picture| {
            picture.id([0.0, 0.0], "me-ink", Anchor::Start, item, MAX_ITEM_CELLS);
        });
    }
    picture.open_group("me-bright");
    let corner =
        |row: usize, column: usize| [left + width * column as f64, top + CELL_HEIGHT * row as f64];
    let size = [width - 2.0, CELL_HEIGHT - 2.0];
    // The first component comes first, by the rank of the one and then of the other.
    let positions = (0..items.len()).flat_map(|a| (a + 1..items.len()).map(move |b| (a, b)));
    for ((a, b), pair) in positions.zip(&pairs) {
        let (predicted, observed) = (pair.predicted_share, pair.observed_share());
        draw_cell(&mut picture, corner(a, b), size, pair, predicted, observed);
        let observed = observed.map(|share| 1.0 - share);
        draw_cell(
            &mut picture,
            corner(b, a),
            size,
            pair,
            1.0 - predicted,
            observed,
        );
    }
    picture.close_group();
    Ok(picture)
}

fn explanation(fit: &Fit, drawn: usize) -> String {
    let all = fit.item_ids().len();
    let which = match drawn < all {
        true => format!("The best {drawn} of {all} items"),
        false => format!("{all} items"),
    };
    format!(
        "{which}, best first. Percent of votes for the item of the row against that of the column: \
         predicted by the scores, and below it observed. A point: the order is not settled \
         (q > {SETTLED_Q_VALUE})."
    )
}

/// The items in the order of their rank: whoever the first is compared with.
fn items_of_first_component<'a>(pairs: &[HeadToHead<'a>]) -> Vec<IdRef<'a>> {
    let Some(first) = pairs.first() else {
        return Vec::new();
    };
    let with_first = pairs.iter().take_while(|pair| pair.item_a == first.item_a);
    let others = with_first.map(|pair| pair.item_b);
    std::iter::once(first.item_a).chain(others).collect()
}

fn draw_cell(
    picture: &mut Picture,
    [x, y]: [f64; 2],
    [width, height]: [f64; 2],
    pair: &HeadToHead<'_>,
    predicted: f64,
    observed: Option<f64>,
) {
    let paint = format!("fill=\"{}\"", ramp(SHARE, predicted));
    picture.cell(&paint, [x, y], [width, height], &what(pair));
    let middle = x + width / 2.0;
    picture.group_text([middle, y + 13.0], &percent(predicted));
    if let Some(observed) = observed {
        picture.group_text([middle, y + 26.0], &percent(observed));
    }
    if pair.q_value > SETTLED_Q_VALUE {
        picture.dot(
            [x + width - 4.0, y + 4.0],
            1.6,
            "fill=\"#1b1f24\"",
            "not settled",
        );
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

/// What a cell says, in words.
fn what(pair: &HeadToHead<'_>) -> String {
    let (a, b) = (label(pair.item_a), label(pair.item_b));
    let direct = match pair.observed_share() {
        Some(share) => format!(
            "observed {} % of {} votes",
            percent(share),
            count(pair.direct_votes)
        ),
        None => "never compared directly".into(),
    };
    format!(
        "{a} over {b}: predicted {} %, {direct}; difference {:.3}, 95 % interval {:.3} to {:.3}, \
         q = {:.3}",
        percent(pair.predicted_share),
        pair.difference,
        pair.low,
        pair.high,
        pair.q_value
    )
}
