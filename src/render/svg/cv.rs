//! The cross-validation curve with its spread, its minimum and HodgeRank's error.

use super::axis::{Frame, Scale, range};
use super::canvas::{Anchor, Picture, WIDTH};
use crate::error::Result;
use crate::fit::Fit;
use crate::render::text::significant;

const HEIGHT: f64 = 300.0;
const TITLE: &str = "Error on held-out votes along the path";

pub(super) fn picture(fit: &Fit) -> Result<Picture> {
    let curve = fit.cv()?;
    let selected = curve.iter().find(|point| point.selected);
    let (Some(hodgerank_error), Some(selected)) = (fit.hodgerank_error(), selected) else {
        let why = "There is no curve: the time was given, or there was nothing to hold out.";
        return Ok(Picture::empty(TITLE, why));
    };
    let explanation = format!(
        "{} with {}, {} with the model at the chosen time: less is better. Band: one \
         standard deviation over the folds.",
        decimals(hodgerank_error),
        fit.loss().model_name(),
        decimals(selected.error)
    );
    let mut picture = Picture::new(TITLE, &explanation);
    // The band: t, lower and upper end.
    let band: Vec<(f64, f64, f64)> = curve
        .iter()
        .map(|point| {
            let spread = point.error_std.filter(|spread| spread.is_finite());
            let spread = spread.unwrap_or(0.0);
            (point.t, point.error - spread, point.error + spread)
        })
        .collect();
    let ends = band.iter().flat_map(|&(_, low, high)| [low, high]);
    let [low, high] = range(ends.chain([hodgerank_error]));
    let margin = 0.06 * (high - low);
    let (top, bottom) = (picture.top + 22.0, picture.top + 22.0 + HEIGHT);
    let y = Scale::linear([low - margin, high + margin], [bottom, top]);
    let frame = Frame {
        left: Frame::left_of(&y),
        top,
        right: WIDTH - 24.0,
        bottom,
    };
    picture.height = bottom + 56.0;
    let x = Scale::times(fit.grid_times(), [frame.left, frame.right]);
    let names = ["time t on the path (logarithmic)", fit.loss().mean_name()];
    frame.axes(&mut picture, &x, &y, names);

    let at = |t: f64, error: f64| [x.at(t), y.at(error)];
    let upper = band.iter().map(|&(t, _, high)| at(t, high));
    let lower = band.iter().rev().map(|&(t, low, _)| at(t, low));
    picture.polygon("me-band", &upper.chain(lower).collect::<Vec<_>>());
    let name = format!("{} {}", fit.loss().model_name(), decimals(hodgerank_error));
    hodgerank_line(&mut picture, frame, y.at(hodgerank_error), &name);
    let points = curve.iter().map(|point| at(point.t, point.error));
    let points: Vec<[f64; 2]> = points.collect();
    picture.polyline("me-line me-s0", &points, "mixed-effects model");
    let (t, error) = (selected.t, selected.error);
    frame.chosen_time(&mut picture, &x, t);
    let what = format!("t = {}: error {}", significant(t), decimals(error));
    let paint = "class=\"me-f0 me-edge\" stroke-width=\"1.5\"";
    let [x, y] = at(t, error);
    picture.dot([x, y], 5.0, paint, &what);
    let below = frame.bottom - y > 26.0;
    let y = if below { y + 20.0 } else { y - 12.0 };
    let text = decimals(error);
    picture.text(x + 8.0, y, "me-ink me-halo", Anchor::Start, &text);
    Ok(picture)
}

/// HodgeRank's error: a dashed line with its name above, or below at the top edge.
fn hodgerank_line(picture: &mut Picture, frame: Frame, level: f64, name: &str) {
    let class = "me-line me-s1 me-dash";
    picture.line(class, [frame.left, level], [frame.right, level]);
    let above = level - 7.0;
    let y = if above < frame.top + 8.0 {
        level + 16.0
    } else {
        above
    };
    picture.text(frame.right - 4.0, y, "me-ink me-halo", Anchor::End, name);
}

/// Errors are compared to four decimals.
fn decimals(error: f64) -> String {
    format!("{error:.4}")
}
