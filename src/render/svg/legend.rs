//! The legend of a colour scale.

use super::canvas::{Anchor, Picture};
use super::style::ramp;

/// A bar of colours, with what its two ends stand for; `[x, y]` is its upper left corner.
pub(super) fn colour_bar(
    picture: &mut Picture,
    colours: &[[u8; 3]],
    [x, y]: [f64; 2],
    [first, last]: [&str; 2],
) {
    const STEPS: usize = 24;
    picture.text(x - 8.0, y + 10.0, "me-soft", Anchor::End, first);
    for k in 0..STEPS {
        let along = k as f64 / (STEPS - 1) as f64;
        let paint = format!("fill=\"{}\"", ramp(colours, along));
        picture.rect(&paint, [x + 5.0 * k as f64, y], [5.2, 12.0]);
    }
    let end = x + 5.0 * STEPS as f64 + 8.0;
    picture.text(end, y + 10.0, "me-soft", Anchor::Start, last);
}
