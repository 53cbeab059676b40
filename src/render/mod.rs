//! The findings of a fit as Arrow batches, SVG pictures and an HTML report.
//!
//! Nothing is computed here that is not a matter of presentation.

pub(crate) mod arrow;
pub(crate) mod html;
pub(crate) mod svg;
mod text;
mod verdicts;
