//! Pictures of a fit, as SVG: one file per picture, on a few helpers for text,
//! axes and labels.
//!
//! Written by hand rather than with a plotting crate: the same fit has to give
//! the same bytes on every platform, labels must not overlap whatever the ids,
//! and one file has to be readable on a light and on a dark ground. Only
//! arithmetic that IEEE 754 fixes is used, and numbers are written with fixed
//! decimals.

mod axis;
mod canvas;
mod cv;
mod jump_out;
mod labels;
mod legend;
mod matrix;
mod path;
mod personal;
mod plot;
mod ranking;
mod style;

pub use plot::Plot;
pub(crate) use style::STYLE;
