//! What a cross-validation is run on.

use crate::execution::CvExtent;
use crate::model::settings::Settings;
use crate::votes::{Comparisons, Folds};

/// What a cross-validation is run on.
#[derive(Clone, Copy)]
pub(crate) struct CvInput<'a> {
    pub votes: &'a Comparisons,
    pub folds: &'a Folds,
    pub settings: Settings,
    /// The norm that limits the step size with all votes; infinite if it is not known.
    pub norm: f64,
    pub grid: &'a [f64],
    pub extent: CvExtent,
}
