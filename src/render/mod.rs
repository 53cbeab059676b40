//! The findings of a fit as Arrow batches, SVG and HTML.

pub(crate) mod arrow;
pub(crate) mod html;
pub(crate) mod svg;
