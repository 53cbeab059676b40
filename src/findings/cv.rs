//! The cross-validation curve.

use crate::error::Result;
use crate::fit::Fit;

/// The cross-validated errors at a grid time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CvPoint {
    /// The grid time.
    pub t: f64,
    /// The mean loss on held-out votes, averaged over the folds: the mean squared error,
    /// unless another loss was chosen.
    pub error: f64,
    /// Its standard deviation over the folds; None with a single fold.
    pub error_std: Option<f64>,
    /// The share of held-out votes whose sign is predicted wrongly.
    pub mismatch: f64,
    /// Whether this is the chosen time.
    pub selected: bool,
}

impl Fit {
    /// The cross-validation curve by grid time; empty where a given `t` made it
    /// unnecessary. A time must have been chosen.
    pub fn cv(&self) -> Result<Vec<CvPoint>> {
        let chosen = self.chosen()?;
        let Some(curve) = &self.validation else {
            return Ok(Vec::new());
        };
        let point = |k: usize| CvPoint {
            t: self.path.grid[k],
            error: curve.error[k],
            error_std: Some(curve.error_std[k]).filter(|spread| !spread.is_nan()),
            mismatch: curve.mismatch[k],
            selected: k == chosen.grid_index,
        };
        Ok((0..curve.error.len()).map(point).collect())
    }

    /// The mean loss of HodgeRank, or of another model without effects, on held-out votes,
    /// if there was a cross-validation.
    pub fn hodgerank_error(&self) -> Option<f64> {
        self.validation.as_ref().map(|curve| curve.hodgerank_error)
    }

    /// The mean loss of the model at the chosen time on held-out votes, if there was
    /// a cross-validation.
    pub fn mixed_error(&self) -> Option<f64> {
        let (curve, chosen) = (self.validation.as_ref()?, self.chosen.as_ref()?);
        Some(curve.error[chosen.grid_index])
    }
}
