//! The cross-validation curve with its spread, its minimum and HodgeRank beside it.

use super::axis::{Frame, Scale, range, significant};
use super::path::WIDTH;
use super::svg::{Anchor, Picture};
use crate::fit::{ChosenModel, Fit};

const HEIGHT: f64 = 440.0;
const TITLE: &str = "Error on held-out votes along the path";

pub(super) fn picture(fit: &Fit, chosen: &ChosenModel) -> Picture {
    let Some(curve) = fit.validation.as_ref() else {
        let why = "There is no curve: the time was given, or there was nothing to hold out.";
        return Picture::empty(TITLE, why);
    };
    let best = curve.error[chosen.grid_index];
    let subtitle = format!(
        "{} with HodgeRank, {} with the model at the chosen time; band: one standard deviation.",
        decimals(curve.hodgerank_error),
        decimals(best)
    );
    let mut picture = Picture::new(WIDTH, HEIGHT, TITLE, &subtitle);
    let frame = Frame {
        left: 74.0,
        top: 82.0,
        right: WIDTH - 24.0,
        bottom: HEIGHT - 56.0,
    };
    let spread = |k: usize| {
        Some(curve.error_std[k])
            .filter(|s| s.is_finite())
            .unwrap_or(0.0)
    };
    let each = || 0..curve.error.len();
    let [low, high] = range(
        each()
            .flat_map(|k| [curve.error[k] - spread(k), curve.error[k] + spread(k)])
            .chain([curve.hodgerank_error]),
    );
    let room = 0.06 * (high - low);
    let x = Scale::times(&fit.path.grid, [frame.left, frame.right]);
    let y = Scale::linear([low - room, high + room], [frame.bottom, frame.top]);
    let names = ["time t on the path (logarithmic)", "mean squared error"];
    frame.axes(&mut picture, &x, &y, names);

    let place = |k: usize, error: f64| [x.at(fit.path.grid[k]), y.at(error)];
    let mut band: Vec<[f64; 2]> = each()
        .map(|k| place(k, curve.error[k] + spread(k)))
        .collect();
    band.extend(each().rev().map(|k| place(k, curve.error[k] - spread(k))));
    picture.polygon("me-band", &band);
    let level = y.at(curve.hodgerank_error);
    let class = "me-line me-s1 me-dash";
    picture.line(class, [frame.left, level], [frame.right, level]);
    // Beside the line, where the curve is not.
    let above = level - 7.0;
    let below = if above < frame.top + 8.0 {
        level + 16.0
    } else {
        above
    };
    picture.text(frame.right - 4.0, below, "me-ink", Anchor::End, "HodgeRank");
    let points: Vec<[f64; 2]> = each().map(|k| place(k, curve.error[k])).collect();
    picture.polyline("me-line me-s0", &points, "mixed-effects model");
    let t = fit.path.grid[chosen.grid_index];
    frame.chosen_time(&mut picture, &x, t);
    let what = format!("t = {}: error {}", significant(t), decimals(best));
    let paint = "class=\"me-f0 me-edge\" stroke-width=\"1.5\"";
    picture.dot(place(chosen.grid_index, best), 5.0, paint, &what);
    picture
}

/// Errors are compared to four decimals.
pub(crate) fn decimals(error: f64) -> String {
    format!("{error:.4}")
}
