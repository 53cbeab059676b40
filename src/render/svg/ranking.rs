//! The consensus scores as dots on their intervals, HodgeRank's beside the model's.

use super::axis::{Scale, range};
use super::canvas::{Anchor, FONT_SIZE, Picture, WIDTH};
use super::labels::MAX_ITEM_CELLS;
use crate::findings::RankedItem;
use crate::options::Loss;
use crate::render::text::{decimal, label, short_label, text_width};

const TITLE: &str = "The consensus ranking";

/// Of more items than this only the first and the last are drawn.
const MAX_ITEMS: usize = 80;

/// From the heading to the first row.
const HEADINGS: f64 = 38.0;

/// The right ends of the columns of numbers: the model's and HodgeRank's.
const COLUMNS: [f64; 2] = [WIDTH - 124.0, WIDTH - 16.0];

/// A line of the picture.
enum PictureRow<'a> {
    Item(&'a RankedItem<'a>),
    /// A heading or a note.
    Note(String),
}

pub(super) fn picture(ranking: &[RankedItem<'_>], loss: Loss) -> Picture {
    let rows = rows(ranking);
    let step = if rows.len() <= 40 { 20.0 } else { 17.0 };
    let has_tiers = ranking.iter().any(|item| item.tier > 1);
    let explanation = format!(
        "{} items, best first; scores have mean zero. Blue lines are 95 % intervals.{}",
        ranking.len(),
        if has_tiers {
            " A line across begins a tier."
        } else {
            ""
        }
    );
    let mut picture = Picture::new(TITLE, &explanation);
    let top = picture.top + HEADINGS;
    let bottom = top + step * rows.len() as f64 + 6.0;
    picture.height = bottom + 46.0;
    let widest = rows.iter().map(|row| match row {
        PictureRow::Item(item) => text_width(&short_label(item.item, MAX_ITEM_CELLS), FONT_SIZE),
        PictureRow::Note(_) => 0.0,
    });
    let (left, right) = (70.0 + widest.fold(30.0, f64::max), COLUMNS[0] - 62.0);
    headings(&mut picture, left, top - 16.0, loss);
    let dots = ranking.iter();
    let dots = dots.flat_map(|item| [item.score, item.hodgerank_score]);
    let intervals = ranking.iter().map(|item| (item.score_low, item.score_high));
    let shown = shown_scores(&dots.collect::<Vec<_>>(), &intervals.collect::<Vec<_>>());
    let x = Scale::linear(shown, [left, right]);
    let axis = loss.score_name();
    grid(&mut picture, &x, [top - 8.0, bottom], [left, right], axis);
    for (k, row) in rows.iter().enumerate() {
        let y = top + step * (k as f64 + 0.5);
        match row {
            PictureRow::Item(item) => {
                if begins_tier(&rows[..k], item) {
                    let y = y - step / 2.0;
                    picture.line("me-axis", [16.0, y], [right, y]);
                }
                draw_item(&mut picture, item, (&x, [left, right]), y, loss);
            }
            PictureRow::Note(text) => {
                picture.text(left + 6.0, y + 4.0, "me-soft", Anchor::Start, text);
            }
        }
    }
    picture
}

/// Whether the row before an item is one of another tier.
fn begins_tier(before: &[PictureRow<'_>], item: &RankedItem<'_>) -> bool {
    match before.last() {
        Some(PictureRow::Item(last)) => last.tier != item.tier,
        _ => false,
    }
}

/// An item's rank, id, interval, two dots and their numbers.
fn draw_item(
    picture: &mut Picture,
    item: &RankedItem<'_>,
    (x, [left, right]): (&Scale, [f64; 2]),
    y: f64,
    loss: Loss,
) {
    let rank = item.rank.to_string();
    picture.text(46.0, y + 4.5, "me-soft", Anchor::End, &rank);
    let position = [left - 10.0, y + 4.5];
    picture.id(position, "me-ink", Anchor::End, item.item, MAX_ITEM_CELLS);
    let (model, hodgerank) = (x.at(item.score), x.at(item.hodgerank_score));
    let (low, high) = (item.score_low, item.score_high);
    whisker(picture, (low, high), x, [left, right], y);
    picture.line("me-other", [model, y], [hodgerank, y]);
    let what = |name: &str, score: f64| format!("{}: {score:.3} with {name}", label(item.item));
    let hodgerank_text = what(loss.model_name(), item.hodgerank_score);
    picture.dot([hodgerank, y], 4.5, HODGERANK, &hodgerank_text);
    let interval = format!(", 95 % interval {low:.3} to {high:.3}");
    let model_text = what("the model", item.score) + &interval;
    picture.dot([model, y], 3.4, MODEL, &model_text);
    for (right, score, class) in [
        (COLUMNS[0], item.score, "me-ink"),
        (COLUMNS[1], item.hodgerank_score, "me-soft"),
    ] {
        picture.text(right, y + 4.5, class, Anchor::End, &decimal(score, 2));
    }
}

/// The paint of the dots.
const MODEL: &str = "class=\"me-f0\"";
const HODGERANK: &str = "class=\"me-paper me-s1\" stroke-width=\"1.8\"";

/// What the columns are, and with them what the dots are.
fn headings(picture: &mut Picture, left: f64, y: f64, loss: Loss) {
    picture.text(46.0, y, "me-soft", Anchor::End, "rank");
    picture.text(left - 10.0, y, "me-soft", Anchor::End, "item");
    let other = loss.model_name();
    // A long name leaves less room for the one before it.
    let room = COLUMNS[1] - text_width(other, FONT_SIZE) - 16.0;
    for (right, name, paint, radius) in [
        (COLUMNS[0].min(room), "model", MODEL, 3.4),
        (COLUMNS[1], other, HODGERANK, 4.5),
    ] {
        picture.text(right, y, "me-ink", Anchor::End, name);
        let [x, y] = [right - text_width(name, FONT_SIZE) - 4.0, y - 4.5];
        picture.dot([x, y], radius, paint, name);
    }
}

/// The range of scores that is drawn: all dots and most intervals. An interval that
/// is much wider than the others is cut off.
fn shown_scores(dots: &[f64], intervals: &[(f64, f64)]) -> [f64; 2] {
    let dots = || dots.iter().copied();
    let [low, high] = range(dots());
    let mut widths: Vec<f64> = intervals.iter().map(|(from, to)| to - from).collect();
    widths.sort_by(f64::total_cmp);
    let median = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
    let max_margin = f64::max(2.0 * median, 0.5 * (high - low));
    let ends = intervals.iter().flat_map(|&(from, to)| [from, to]);
    let ends = ends.map(|end| end.clamp(low - max_margin, high + max_margin));
    let [low, high] = range(dots().chain(ends));
    let margin = 0.03 * (high - low);
    [low - margin, high + margin]
}

/// An interval: a thin line with an end at either side, unless that lies outside.
fn whisker(
    picture: &mut Picture,
    (from, to): (f64, f64),
    x: &Scale,
    [left, right]: [f64; 2],
    y: f64,
) {
    let [from, to] = [from, to].map(|score| x.at(score));
    let inside = |end: f64| (left..=right).contains(&end);
    let line = [from, to].map(|end| end.clamp(left, right));
    picture.line("me-whisker", [line[0], y], [line[1], y]);
    for end in [from, to].into_iter().filter(|&end| inside(end)) {
        picture.line("me-whisker-end", [end, y - 3.0], [end, y + 3.0]);
    }
}

/// The items by rank, component after component; many are cut in the middle.
fn rows<'a>(ranking: &'a [RankedItem<'a>]) -> Vec<PictureRow<'a>> {
    let several = ranking.iter().any(|item| item.component > 1);
    let cut = ranking.len() > MAX_ITEMS;
    let (head, tail) = (MAX_ITEMS / 2, ranking.len().saturating_sub(MAX_ITEMS / 2));
    let mut rows = Vec::new();
    let mut last = 0;
    for (k, item) in ranking.iter().enumerate() {
        if cut && k == head {
            let note = format!("… {} items between …", tail - head);
            rows.push(PictureRow::Note(note));
        }
        if cut && (head..tail).contains(&k) {
            continue;
        }
        if several && item.component != last {
            last = item.component;
            let note = format!("component {last}: compares with no other");
            rows.push(PictureRow::Note(note));
        }
        rows.push(PictureRow::Item(item));
    }
    rows
}

/// The axis of scores with its vertical lines.
fn grid(
    picture: &mut Picture,
    x: &Scale,
    [top, bottom]: [f64; 2],
    [left, right]: [f64; 2],
    name: &str,
) {
    for (value, label) in x.ticks(5) {
        let x = x.at(value);
        picture.line("me-grid", [x, top], [x, bottom]);
        picture.text(x, bottom + 17.0, "me-soft", Anchor::Middle, &label);
    }
    let middle = (left + right) / 2.0;
    picture.text(middle, bottom + 36.0, "me-ink", Anchor::Middle, name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wide_interval_does_not_squeeze_the_others() {
        let range = |widest: f64| {
            let intervals = [(0.4, 0.6), (0.0, 0.2), (-0.6 - widest, -0.6 + widest)];
            shown_scores(&[0.5, 0.1, -0.6], &intervals)
        };
        // All of the usual ones are shown.
        let [low, high] = range(0.1);
        assert!(low < -0.7 && low > -0.8 && high > 0.6 && high < 0.7);
        assert_eq!(range(9.0), range(90.0));
        let [low, high] = range(9.0);
        let mut picture = Picture::new("", "");
        let x = Scale::linear([low, high], [100.0, 500.0]);
        whisker(&mut picture, (-9.6, 8.4), &x, [100.0, 500.0], 50.0);
        whisker(&mut picture, (0.4, 0.6), &x, [100.0, 500.0], 70.0);
        let svg = picture.inline();
        // From edge to edge, and only the other one has ends.
        assert!(
            svg.contains("x1=\"100\" y1=\"50\" x2=\"500\" y2=\"50\""),
            "{svg}"
        );
        assert_eq!(svg.matches("me-whisker-end").count(), 2);
    }
}
