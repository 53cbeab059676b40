//! Inference: tests of annotators, the knockoff filter, standard errors of scores.

mod bias_test;
mod consensus_slope;
mod deviation_test;
mod evidence;
mod fdr;
mod knockoff;
mod standard_errors;

pub use evidence::Evidence;
pub use fdr::q_values;
pub use knockoff::{knockoff_selection, knockoff_statistics};
pub use standard_errors::{Fitted, StandardErrors};
