//! What a cross-validation is run on.

use crate::model::settings::Settings;
use crate::votes::{Comparisons, Folds};

/// How far the folds' paths are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CvExtent {
    /// Over the complete grid.
    FullGrid,
    /// Until early stopping: this is enough to choose a time.
    UntilStopped,
}

/// What a cross-validation is run on.
#[derive(Clone, Copy)]
pub(crate) struct CvInput<'a> {
    pub votes: &'a Comparisons,
    pub folds: &'a Folds,
    pub settings: Settings,
    pub grid: &'a [f64],
    pub extent: CvExtent,
}
