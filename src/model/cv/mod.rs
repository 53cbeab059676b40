//! Cross-validation: the grid time at which held-out votes are predicted best.
//!
//! The votes of each fold are predicted along a path that is run without them,
//! with the step size and the grid of all votes; with shorter steps where so
//! many votes are held out that the path would oscillate.
//!
//! The last grid times cost the most: the grid is geometric and steps have equal
//! length. So folds stop early, where the error of all folds together has
//! clearly risen above its minimum ([`early_stopping`]), and of a large table all but one
//! before that ([`scout`]). The time that is chosen
//! is a function of the folds' errors alone, whatever the number of threads and
//! the number of folds that are in memory at once ([`scheduler`]).

mod cross_validation;
mod early_stopping;
mod fold;
mod input;
mod scheduler;
mod score;
mod scout;

pub(crate) use cross_validation::cross_validate_with;
pub use cross_validation::{CrossValidation, cross_validate};
pub(crate) use input::CvInput;
pub use score::Scorer;
