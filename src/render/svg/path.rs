//! The regularisation paths: time across, one line an annotator, the ten that
//! entered first in colour, with their ids at the right edge.

use super::axis::{Frame, Scale};
use super::labels::spread;
use super::style::HUES;
use super::svg::{Anchor, Picture, show, shown, text_width};
use crate::fit::{EffectPath, Fit};
use crate::render::arrow::Entries;

/// The width of every picture, in pixels: that of a text column on a screen.
pub(super) const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 480.0;

/// How many are highlighted.
pub(super) const FIRST: i64 = 10;

/// The longest label.
pub(super) const LABEL: usize = 16;

/// How far each annotator's scores are from the consensus.
pub(super) fn deviation(fit: &Fit) -> Picture {
    let names = [
        "Deviation from the consensus along the path",
        "deviation ‖δ‖",
    ];
    picture(fit, &fit.path.deviation, names)
}

/// Each annotator's pull to one side.
pub(super) fn position_bias(fit: &Fit) -> Picture {
    let names = [
        "Position bias along the path",
        "pull to the right (−) or to the left (+)",
    ];
    picture(fit, &fit.path.bias, names)
}

/// An annotator's line: places in the grid, with values.
struct Line {
    annotator: usize,
    order: i64,
    values: Vec<(usize, f64)>,
}

fn picture(fit: &Fit, effects: &EffectPath, [title, name]: [&str; 2]) -> Picture {
    let lines = lines(fit, effects);
    if lines.is_empty() {
        let why = "No annotator has this effect anywhere on the path.";
        return Picture::empty(title, why);
    }
    let few = lines.len() as i64 <= FIRST;
    let subtitle = format!(
        "{} of {} annotators leave zero at some time; {}.",
        lines.len(),
        fit.annotators.len(),
        if few {
            "all are labelled"
        } else {
            "the ten that entered first are labelled"
        },
    );
    let mut picture = Picture::new(WIDTH, HEIGHT, title, &subtitle);
    let label = |line: &Line| show(fit.annotators.get(line.annotator), LABEL);
    let first = || lines.iter().filter(|line| line.order <= FIRST);
    let widest = first()
        .map(|line| text_width(&label(line)))
        .fold(0.0, f64::max);
    let frame = Frame {
        left: 74.0,
        top: 82.0,
        right: WIDTH - 46.0 - widest,
        bottom: HEIGHT - 56.0,
    };
    let x = Scale::times(&fit.path.grid, [frame.left, frame.right]);
    let y = Scale::with_zero(effects.value.iter().copied(), [frame.bottom, frame.top]);
    frame.axes(
        &mut picture,
        &x,
        &y,
        ["time t on the path (logarithmic)", name],
    );
    let points = |line: &Line| -> Vec<[f64; 2]> {
        let point = |&(k, value): &(usize, f64)| [x.at(fit.path.grid[k]), y.at(value)];
        line.values.iter().map(point).collect()
    };
    let what = |line: &Line| format!("annotator {}", shown(fit.annotators.get(line.annotator)));
    for line in lines.iter().filter(|line| line.order > FIRST) {
        picture.polyline("me-other", &points(line), &what(line));
    }
    if let Some(chosen) = &fit.chosen {
        frame.chosen_time(&mut picture, &x, fit.path.grid[chosen.grid_index]);
    }
    let ends: Vec<f64> = first()
        .filter_map(|line| points(line).last().map(|end| end[1]))
        .collect();
    let places = spread(&ends, 16.0, [frame.top, frame.bottom]);
    for (k, (line, place)) in first().zip(places).enumerate() {
        let hue = k % HUES;
        let dash = if k < HUES { "" } else { " me-dash" };
        let points = points(line);
        picture.polyline(&format!("me-line me-s{hue}{dash}"), &points, &what(line));
        if let Some(&end) = points.last() {
            let (from, to) = ([end[0] + 3.0, end[1]], [frame.right + 24.0, place]);
            picture.line(&format!("me-lead me-s{hue}"), from, to);
        }
        let (x, y) = (frame.right + 30.0, place + 4.0);
        picture.text(x, y, "me-ink", Anchor::Start, &label(line));
    }
    picture
}

/// The lines in the order in which they entered. Each begins at zero, one grid
/// time before its first value, and ends at the last grid time.
fn lines(fit: &Fit, effects: &EffectPath) -> Vec<Line> {
    let users = fit.annotators.len();
    let points = fit.path.grid.len();
    let entries = Entries::new(effects, users);
    let mut values: Vec<Vec<(usize, f64)>> = vec![Vec::new(); users];
    for ((&k, &u), &value) in effects
        .grid_index
        .iter()
        .zip(&effects.annotator)
        .zip(&effects.value)
    {
        let (k, line) = (k as usize, &mut values[u as usize]);
        // Where an effect left the model again, it is zero.
        let next = line
            .last()
            .map_or(k.saturating_sub(1), |&(last, _)| last + 1);
        line.extend((next..k).map(|zero| (zero, 0.0)));
        line.push((k, value));
    }
    let mut lines: Vec<Line> = Vec::new();
    for (annotator, mut values) in values.into_iter().enumerate() {
        let (Some(order), Some(&(last, _))) = (entries.order[annotator], values.last()) else {
            continue;
        };
        values.extend((last + 1..points).map(|zero| (zero, 0.0)));
        lines.push(Line {
            annotator,
            order,
            values,
        });
    }
    lines.sort_by_key(|line| line.order);
    lines
}
