//! The p- and q-values of one test, by annotator.

use crate::model::inference::fdr::q_values;

/// The p-values of a test and their q-values: of all with a q-value of at most f, the
/// expected share of false ones is at most f.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestResults {
    /// By annotator.
    pub p: Vec<f64>,
    /// By annotator.
    pub q: Vec<f64>,
}

impl TestResults {
    /// With the q-values of Benjamini and Hochberg.
    pub(super) fn benjamini_hochberg(p: Vec<f64>) -> Self {
        Self { q: q_values(&p), p }
    }

    /// Of a test that was not done.
    pub(super) fn none(annotators: usize) -> Self {
        Self {
            p: vec![1.0; annotators],
            q: vec![1.0; annotators],
        }
    }
}
