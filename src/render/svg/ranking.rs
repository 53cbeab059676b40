//! The consensus scores as dots on their intervals, plain HodgeRank's beside the
//! model's.

use super::axis::{Scale, range};
use super::path::WIDTH;
use super::svg::{Anchor, Picture, show, shown, text_width};
use crate::findings::rank::Ranks;
use crate::fit::{ChosenModel, Fit};
use crate::render::arrow::Intervals;

const TITLE: &str = "The consensus ranking";

/// More items than this are shown from both ends.
const MOST: usize = 80;

/// The longest label.
const LABEL: usize = 28;

const TOP: f64 = 96.0;

/// A row of the picture.
enum Row {
    Item(usize),
    /// A heading or a note.
    Note(String),
}

pub(super) fn picture(fit: &Fit, chosen: &ChosenModel) -> Picture {
    let scores = fit.theta(chosen.grid_index);
    let hodgerank = &fit.tally.hodgerank;
    let intervals = Intervals::new(fit, chosen).score;
    let ranks = Ranks::new(scores, &fit.tally.component);
    let rows = rows(fit, &ranks);
    let step = if rows.len() <= 40 { 19.0 } else { 15.0 };
    let height = TOP + step * rows.len() as f64 + 52.0;
    let subtitle = format!(
        "{} items, best first; scores have mean zero. Blue lines are 95 % intervals.",
        fit.items.len()
    );
    let mut picture = Picture::new(WIDTH, height, TITLE, &subtitle);
    let label = |item: usize| show(fit.items.get(item), LABEL);
    let items = rows.iter().filter_map(|row| match row {
        Row::Item(item) => Some(*item),
        Row::Note(_) => None,
    });
    let widest = items
        .map(|item| text_width(&label(item)))
        .fold(30.0, f64::max);
    let (left, right) = (70.0 + widest, WIDTH - 28.0);
    let heading = TOP - 14.0;
    picture.text(44.0, heading, "me-soft", Anchor::End, "rank");
    picture.text(left - 10.0, heading, "me-soft", Anchor::End, "item");
    let x = Scale::linear(shown_scores(scores, hodgerank, &intervals), [left, right]);
    let bottom = height - 46.0;
    grid(&mut picture, &x, [TOP - 10.0, bottom], [left, right]);
    legend(&mut picture, right);
    for (k, row) in rows.iter().enumerate() {
        let y = TOP + step * (k as f64 + 0.5);
        match row {
            Row::Note(text) => picture.text(left + 6.0, y + 4.0, "me-soft", Anchor::Start, text),
            &Row::Item(item) => {
                let rank = ranks.rank[item].to_string();
                picture.text(44.0, y + 4.0, "me-soft", Anchor::End, &rank);
                picture.text(left - 10.0, y + 4.0, "me-ink", Anchor::End, &label(item));
                let (model, plain) = (x.at(scores[item]), x.at(hodgerank[item]));
                whisker(&mut picture, intervals[item], &x, [left, right], y);
                picture.line("me-other", [model, y], [plain, y]);
                let what = |name: &str, score: f64| {
                    format!("{}: {score:.3} with {name}", shown(fit.items.get(item)))
                };
                let paint = "class=\"me-paper me-s1\" stroke-width=\"1.8\"";
                let plain_text = what("HodgeRank", hodgerank[item]);
                picture.dot([plain, y], 4.5, paint, &plain_text);
                let (low, high) = intervals[item];
                let model_text = what("the model", scores[item])
                    + &format!(", 95 % interval {low:.3} to {high:.3}");
                picture.dot([model, y], 3.4, "class=\"me-f0\"", &model_text);
            }
        }
    }
    picture
}

/// The scores that the picture has room for: all dots and most intervals. One
/// that is much wider than the others is cut off.
fn shown_scores(scores: &[f64], hodgerank: &[f64], intervals: &[(f64, f64)]) -> [f64; 2] {
    let dots = || scores.iter().chain(hodgerank).copied();
    let [low, high] = range(dots());
    let mut widths: Vec<f64> = intervals.iter().map(|(from, to)| to - from).collect();
    widths.sort_by(f64::total_cmp);
    let usual = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
    let most = f64::max(2.0 * usual, 0.5 * (high - low));
    let ends = intervals.iter().flat_map(|&(from, to)| [from, to]);
    let ends = ends.map(|end| end.clamp(low - most, high + most));
    let [low, high] = range(dots().chain(ends));
    let room = 0.03 * (high - low);
    [low - room, high + room]
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
    let inside = |place: f64| (left..=right).contains(&place);
    let line = [from, to].map(|place| place.clamp(left, right));
    picture.line("me-whisker", [line[0], y], [line[1], y]);
    for place in [from, to].into_iter().filter(|&place| inside(place)) {
        picture.line("me-whisker-end", [place, y - 3.0], [place, y + 3.0]);
    }
}

/// The items by rank, component after component; too many are cut in the middle.
fn rows(fit: &Fit, ranks: &Ranks) -> Vec<Row> {
    let component = |item: u32| fit.tally.component[item as usize];
    let several = fit.tally.component.iter().any(|&c| c > 1);
    let cut = ranks.order.len() > MOST;
    let (head, tail) = (MOST / 2, ranks.order.len().saturating_sub(MOST / 2));
    let mut rows = Vec::new();
    let mut last = 0;
    for (k, &item) in ranks.order.iter().enumerate() {
        if cut && k == head {
            rows.push(Row::Note(format!("… {} items between …", tail - head)));
        }
        if cut && (head..tail).contains(&k) {
            continue;
        }
        if several && component(item) != last {
            last = component(item);
            rows.push(Row::Note(format!(
                "component {last}: compares with no other"
            )));
        }
        rows.push(Row::Item(item as usize));
    }
    rows
}

fn grid(picture: &mut Picture, x: &Scale, [top, bottom]: [f64; 2], [left, right]: [f64; 2]) {
    for (value, label) in x.ticks(7) {
        let place = x.at(value);
        picture.line("me-grid", [place, top], [place, bottom]);
        picture.text(place, bottom + 16.0, "me-soft", Anchor::Middle, &label);
    }
    let middle = (left + right) / 2.0;
    picture.text(middle, bottom + 36.0, "me-ink", Anchor::Middle, "score");
}

fn legend(picture: &mut Picture, right: f64) {
    let y = TOP - 26.0;
    picture.dot([right - 240.0, y], 3.4, "class=\"me-f0\"", "the model");
    let text = "mixed-effects model";
    picture.text(right - 230.0, y + 4.0, "me-ink", Anchor::Start, text);
    let paint = "class=\"me-paper me-s1\" stroke-width=\"1.8\"";
    picture.dot([right - 80.0, y], 4.5, paint, "HodgeRank");
    picture.text(right - 70.0, y + 4.0, "me-ink", Anchor::Start, "HodgeRank");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wide_interval_does_not_squeeze_the_others() {
        let scores = [0.5, 0.1, -0.6];
        let range = |widest: f64| {
            let intervals = [(0.4, 0.6), (0.0, 0.2), (-0.6 - widest, -0.6 + widest)];
            shown_scores(&scores, &scores, &intervals)
        };
        // All of the usual ones are shown.
        let [low, high] = range(0.1);
        assert!(low < -0.7 && low > -0.8 && high > 0.6 && high < 0.7);
        assert_eq!(range(9.0), range(90.0));
        let [low, high] = range(9.0);
        let mut picture = Picture::new(WIDTH, 100.0, "", "");
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
