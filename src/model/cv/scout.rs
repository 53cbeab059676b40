//! The scout: the first fold of a large table, which runs ahead of the others.
//!
//! It runs on until its own error is 2.5 % above its minimum, or to the end of the grid. The
//! folds are drawn at random, so what is clear in one of them holds for all. At a time where
//! the scout's error is above its minimum by five standard errors, and stays so, the others
//! would find the same: they look at the first such time and at none after it. Should the
//! pooled error have its minimum there, the scout was wrong and they go on.
//!
//! The standard error is clustered by annotator as in [`super::early_stopping`]. Given a rise
//! of five standard errors in the scout, that of all folds is below zero with a probability
//! of 2·10⁻⁶.

use crate::error::Result;

/// Where the error of a single fold exceeds its minimum by this part, all folds
/// together are expected to have stopped.
pub(super) const MARGIN_OF_ONE: f64 = 0.025;

/// A rise is clear if it exceeds so many of its standard errors.
const CLEAR: f64 = 5.0;

#[derive(Default)]
pub(super) struct Scout {
    /// The smallest error so far, and where it is.
    minimum: Option<(usize, f64)>,
    /// The sums of losses there, by annotator.
    sums_at_minimum: Vec<f64>,
    /// Since which grid time the error has been clearly above the minimum.
    clear_since: Option<usize>,
    has_ended: bool,
}

impl Scout {
    /// Takes in the error at the next grid time and its sums by annotator.
    /// `standard_error` is that of a rise since such sums.
    pub fn advance(
        &mut self,
        (point, error): (usize, f64),
        sums: &[f64],
        is_last: bool,
        standard_error: impl Fn(f64, &[f64]) -> Result<f64>,
    ) -> Result<()> {
        if self.has_ended {
            return Ok(());
        }
        self.has_ended = is_last;
        match self.minimum {
            Some((_, minimum)) if error >= minimum => {
                let rise = error - minimum;
                if rise > CLEAR * standard_error(rise, &self.sums_at_minimum)? {
                    self.clear_since.get_or_insert(point);
                } else {
                    self.clear_since = None;
                }
                self.has_ended |= rise > MARGIN_OF_ONE * minimum;
            }
            _ => {
                self.minimum = Some((point, error));
                self.sums_at_minimum = sums.to_vec();
                self.clear_since = None;
            }
        }
        Ok(())
    }

    /// Whether it need not run on.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The number of grid times up to its minimum so far; one before it has begun, since
    /// the first time is needed in any case.
    pub fn points_to_minimum(&self) -> usize {
        self.minimum.map_or(1, |(point, _)| point + 1)
    }

    /// The number of grid times that the other folds look at, as far as is known; None if the
    /// scout has ended and cannot tell.
    pub fn points_of_others(&self) -> Option<usize> {
        match self.has_ended {
            true => self.clear_since.map(|point| point + 1),
            false => Some(self.points_to_minimum()),
        }
    }
}
