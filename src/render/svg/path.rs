//! The regularisation paths: time across, one line an annotator, the ten that
//! entered first in colour, with their ids at the right edge.

use super::axis::{Frame, Scale};
use super::canvas::{Anchor, Picture, WIDTH};
use super::labels::{MAX_HIGHLIGHTED, MAX_LABEL_CELLS, spread};
use super::style::HUES;
use crate::findings::EffectLine;
use crate::fit::Fit;
use crate::render::text::{label, short_label, text_width};

const HEIGHT: f64 = 480.0;

/// How far each annotator's scores are from the consensus.
pub(super) fn deviation(fit: &Fit) -> Picture {
    let names = [
        "Deviation from the consensus along the path",
        "deviation ‖δ‖",
    ];
    picture(fit, &fit.deviation_lines(), names)
}

/// Each annotator's position bias.
pub(super) fn position_bias(fit: &Fit) -> Picture {
    let names = [
        "Position bias along the path",
        "pull to the right (−) or to the left (+)",
    ];
    picture(fit, &fit.position_bias_lines(), names)
}

/// The lines in order of entry.
fn picture(fit: &Fit, lines: &[EffectLine<'_>], [title, name]: [&str; 2]) -> Picture {
    if lines.is_empty() {
        let why = "No annotator has this effect anywhere on the path.";
        return Picture::empty(title, why);
    }
    let (first, others) = lines.split_at(lines.len().min(MAX_HIGHLIGHTED as usize));
    let subtitle = format!(
        "{} of {} annotators leave zero at some time; {}.",
        lines.len(),
        fit.annotator_ids().len(),
        if others.is_empty() {
            "all are labelled"
        } else {
            "the ten that entered first are labelled"
        },
    );
    let mut picture = Picture::new(WIDTH, HEIGHT, title, &subtitle);
    let labels = first
        .iter()
        .map(|line| short_label(line.annotator, MAX_LABEL_CELLS));
    let labels: Vec<String> = labels.collect();
    let widest = labels.iter().map(|text| text_width(text));
    let frame = Frame {
        left: 74.0,
        top: 82.0,
        right: WIDTH - 46.0 - widest.fold(0.0, f64::max),
        bottom: HEIGHT - 56.0,
    };
    let grid = fit.grid_times();
    let x = Scale::times(grid, [frame.left, frame.right]);
    let values = lines.iter().flat_map(|line| &line.points);
    let values = values.map(|&(_, value)| value);
    let y = Scale::with_zero(values, [frame.bottom, frame.top]);
    let names = ["time t on the path (logarithmic)", name];
    frame.axes(&mut picture, &x, &y, names);
    let points = |line: &EffectLine<'_>| -> Vec<[f64; 2]> {
        let point = |&(k, value): &(usize, f64)| [x.at(grid[k]), y.at(value)];
        line.points.iter().map(point).collect()
    };
    for line in others {
        picture.polyline("me-other", &points(line), &what(line));
    }
    if let Some(t) = fit.chosen_time() {
        frame.chosen_time(&mut picture, &x, t);
    }
    let coloured = first.iter().map(|line| (points(line), what(line)));
    draw_labelled(&mut picture, frame, &coloured.collect::<Vec<_>>(), &labels);
    picture
}

fn what(line: &EffectLine<'_>) -> String {
    format!("annotator {}", label(line.annotator))
}

/// Lines in colour, each with a label at the right edge. A line has its points and
/// what it is.
fn draw_labelled(
    picture: &mut Picture,
    frame: Frame,
    lines: &[(Vec<[f64; 2]>, String)],
    labels: &[String],
) {
    let ends: Vec<f64> = lines
        .iter()
        .filter_map(|(points, _)| points.last().map(|end| end[1]))
        .collect();
    let heights = spread(&ends, 16.0, [frame.top, frame.bottom]);
    for (k, ((points, what), height)) in lines.iter().zip(heights).enumerate() {
        let hue = k % HUES;
        let dash = if k < HUES { "" } else { " me-dash" };
        picture.polyline(&format!("me-line me-s{hue}{dash}"), points, what);
        if let Some(&[x, y]) = points.last() {
            let (from, to) = ([x + 3.0, y], [frame.right + 24.0, height]);
            picture.line(&format!("me-lead me-s{hue}"), from, to);
        }
        let (x, y) = (frame.right + 30.0, height + 4.0);
        picture.text(x, y, "me-ink", Anchor::Start, &labels[k]);
    }
}
