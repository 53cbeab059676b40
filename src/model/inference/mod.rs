//! Inference: tests of annotators, the knockoff filter, standard errors of scores.

mod evidence;
mod fdr;
mod knockoff;
mod standard_errors;

pub use evidence::{Evidence, SideAssignment, SplitCrowd, TestResults, agreement};
pub use fdr::q_values;
pub use knockoff::{knockoff_selection, knockoff_statistics};
pub use standard_errors::{
    ClusteredCovariance, Fitted, ItemInverse, RefitContributions, ResistanceSolver, Resistances,
    ScoreCovariance, StandardErrors, Variance,
};
