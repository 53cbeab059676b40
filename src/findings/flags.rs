//! Who is flagged: by the path at the chosen time or, if the options have a
//! false discovery rate, by tests that keep to it.

use super::verdict::Verdicts;
use crate::fit::{ChosenModel, EffectPath, Fit};

/// The flags, by annotator.
pub(crate) struct Flags {
    pub biased: Vec<bool>,
    pub personalized: Vec<bool>,
    pub adversarial: Vec<bool>,
}

impl Flags {
    pub fn new(fit: &Fit, chosen: &ChosenModel, verdicts: &Verdicts<'_>) -> Self {
        if fit.totals.fdr.is_some() {
            Self::by_tests(fit.annotators.len(), verdicts)
        } else {
            Self::by_path(fit, chosen)
        }
    }

    fn by_tests(annotators: usize, verdicts: &Verdicts<'_>) -> Self {
        let each = || 0..annotators;
        Self {
            biased: each().map(|u| verdicts.is_biased(u)).collect(),
            personalized: each().map(|u| verdicts.deviates(u)).collect(),
            adversarial: each().map(|u| verdicts.is_against(u)).collect(),
        }
    }

    fn by_path(fit: &Fit, chosen: &ChosenModel) -> Self {
        let annotators = fit.annotators.len();
        let nonzero = |effects: &EffectPath| {
            let values = effects.at(chosen.grid_index, annotators);
            values.iter().map(|&value| value != 0.0).collect()
        };
        let mut adversarial = vec![false; annotators];
        let personal = &chosen.personal;
        for (&u, &flag) in personal.annotator.iter().zip(&personal.adversarial) {
            adversarial[u as usize] = flag;
        }
        Self {
            biased: nonzero(&fit.path.bias),
            personalized: nonzero(&fit.path.deviation),
            adversarial,
        }
    }
}
