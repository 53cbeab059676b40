//! Inference: tests of annotators, the knockoff filter, standard errors of scores.

pub(super) mod evidence;
pub(super) mod knockoff;
pub(super) mod standard_errors;
