//! From votes to a fitted model: what the result sets are made of.

mod bytes;
pub mod cache;
mod compute;
pub(crate) mod hodgerank_only;
mod parts;
pub(crate) mod predict;

use crate::error::{Error, ErrorKind, Result};
use crate::execution::Execution;
use crate::model::{Evidence, Flow, StandardErrors};
use crate::options::Options;
use crate::votes::{Ids, Votes};

use compute::{compute, refuse_one_sided};

/// A fitted model. [`table`](Self::table) gives its result sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    pub(crate) items: Ids,
    pub(crate) annotators: Ids,
    pub(crate) totals: FitTotals,
    /// By item.
    pub(crate) tally: ItemTally,
    /// By annotator.
    pub(crate) clicks: ClickCounts,
    /// By annotator.
    pub(crate) evidence: Evidence,
    /// By annotator: whom the knockoff filter calls biased, if it was asked.
    pub(crate) knockoff: Option<Vec<bool>>,
    /// By pair of items.
    pub(crate) flow: Flow,
    pub(crate) path: PathRecord,
    pub(crate) validation: Option<CvCurve>,
    pub(crate) chosen: Option<ChosenModel>,
}

/// Numbers about the whole fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FitTotals {
    pub votes: f64,
    pub skipped: u64,
    pub kappa: f64,
    /// None if no effect ever enters.
    pub alpha: Option<f64>,
    /// None if no effect ever enters.
    pub first_entry: Option<f64>,
    pub iterations: u64,
    /// The rate of false discoveries that decides who is biased and who deviates.
    pub fdr: Option<f64>,
}

/// What happened to each item, before any model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemTally {
    pub wins: Vec<f64>,
    pub losses: Vec<f64>,
    pub ties: Vec<f64>,
    /// From 1, the largest first.
    pub component: Vec<u32>,
    pub hodgerank: Vec<f64>,
}

/// What each annotator did, before any model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClickCounts {
    pub left: Vec<f64>,
    pub right: Vec<f64>,
    pub ties: Vec<f64>,
}

/// The path at its grid times.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathRecord {
    pub grid: Vec<f64>,
    /// θ, grid time after grid time.
    pub theta: Vec<f64>,
    pub bias: EffectPath,
    pub deviation: EffectPath,
}

/// The values of an effect where it is not zero, by grid time and annotator.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EffectPath {
    pub grid_index: Vec<u32>,
    pub annotator: Vec<u32>,
    pub value: Vec<f64>,
}

/// The cross-validation curve over the grid, or its part until it has turned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CvCurve {
    pub error: Vec<f64>,
    /// NaN where there is a single fold.
    pub error_std: Vec<f64>,
    pub mismatch: Vec<f64>,
    pub hodgerank_error: f64,
}

/// The model at the time that was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChosenModel {
    pub grid_index: usize,
    /// By annotator; NaN for one who only saw ties.
    pub agreement: Vec<f64>,
    pub personal: PersonalScores,
    /// By item.
    pub uncertainty: StandardErrors,
    /// None if nothing goes round in circles, or if the flow is not in votes.
    pub circles: Option<CycleSources>,
}

/// What the circles in the flow are made of: shares of Σ ω r², where r is what
/// HodgeRank leaves over. The rest is noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CycleSources {
    pub personal: f64,
    pub position_bias: f64,
}

/// The annotators with scores of their own, each with the items they saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PersonalScores {
    pub annotator: Vec<u32>,
    pub adversarial: Vec<bool>,
    /// Where each one's items, ascending, begin; one more entry at the end.
    pub starts: Vec<usize>,
    pub item: Vec<u32>,
    pub deviation: Vec<f64>,
    pub votes: Vec<f64>,
}

impl Fit {
    /// Fits the model.
    pub fn new(votes: &Votes, options: &Options) -> Result<Self> {
        Self::new_within(votes, options, &mut Execution::new())
    }

    /// The same, watched.
    pub fn new_within(
        votes: &Votes,
        options: &Options,
        execution: &mut Execution<'_>,
    ) -> Result<Self> {
        options.check()?;
        refuse_one_sided(&votes.comparisons, options)?;
        execution.limit(options.max_seconds);
        let (threads, extent) = (execution.worker_threads(), execution.cv_extent());
        execution.watch(|stop| compute(votes, options, (threads, extent), stop))
    }

    /// Who voted.
    pub fn annotator_ids(&self) -> &Ids {
        &self.annotators
    }

    /// What was voted on.
    pub fn item_ids(&self) -> &Ids {
        &self.items
    }

    /// Whether a time was chosen: otherwise there is only the path.
    pub fn has_chosen_time(&self) -> bool {
        self.chosen.is_some()
    }

    /// Whether cross-validation went over the whole grid, if there was one.
    pub(crate) fn has_complete_curve(&self) -> bool {
        let points = self.path.grid.len();
        let complete = |curve: &CvCurve| curve.error.len() == points;
        self.validation.as_ref().is_none_or(complete)
    }

    /// The model at the chosen time, or the error that says how to choose one.
    pub(crate) fn chosen(&self) -> Result<&ChosenModel> {
        self.chosen.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::Option,
                "with folds = 0 nothing chooses where to stop: set t, or ask for the path only",
            )
        })
    }

    /// θ at a grid time.
    pub(crate) fn theta(&self, grid_index: usize) -> &[f64] {
        let items = self.items.len();
        &self.path.theta[grid_index * items..][..items]
    }
}
