//! From votes to a fitted model: what the result sets are made of.

mod compute;
mod parts;

use std::sync::Arc;

use crate::cache;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Curve, Evidence, Flow, Uncertainty};
use crate::options::Options;
use crate::run::Run;
use crate::votes::{Ids, Votes};

use compute::{compute, refuse_one_sided};

#[cfg(feature = "duckdb")]
pub(crate) use compute::scores_of;

/// A fitted model. [`table`](Self::table) gives its result sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    pub(crate) items: Ids,
    pub(crate) annotators: Ids,
    pub(crate) totals: Totals,
    /// By item.
    pub(crate) tally: ItemTally,
    /// By annotator.
    pub(crate) clicks: Clicks,
    /// By annotator.
    pub(crate) evidence: Evidence,
    /// By annotator: whom the knockoff filter calls biased, if it was asked.
    pub(crate) knockoff: Option<Vec<bool>>,
    /// By pair of items.
    pub(crate) flow: Flow,
    pub(crate) path: PathRecord,
    pub(crate) validation: Option<Validation>,
    pub(crate) chosen: Option<Chosen>,
}

/// Numbers about the whole fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Totals {
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
pub(crate) struct Clicks {
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
    pub bias: Effects,
    pub deviation: Effects,
}

/// The values of an effect where it is not zero, by grid time and annotator.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    pub grid_index: Vec<u32>,
    pub annotator: Vec<u32>,
    pub value: Vec<f64>,
}

/// The cross-validation curve over the grid, or its part until it has turned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Validation {
    pub error: Vec<f64>,
    /// NaN where there is a single fold.
    pub error_std: Vec<f64>,
    pub mismatch: Vec<f64>,
    pub hodgerank_error: f64,
}

/// The model at the time that was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chosen {
    pub grid_index: usize,
    /// By annotator; NaN for one who only saw ties.
    pub agreement: Vec<f64>,
    pub personal: Personal,
    /// By item.
    pub uncertainty: Uncertainty,
    /// None if nothing goes round in circles, or if the flow is not in votes.
    pub circles: Option<Circles>,
}

/// What the circles in the flow are made of: shares of Σ ω r², where r is what
/// HodgeRank leaves over. The rest is noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Circles {
    pub personal: f64,
    pub position_bias: f64,
}

/// The annotators with scores of their own, each with the items they saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Personal {
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
    pub fn new(votes: &Votes, options: &Options, run: &mut Run<'_>) -> Result<Self> {
        options.check()?;
        refuse_one_sided(&votes.comparisons, options)?;
        run.limit(options.max_seconds);
        let (threads, curve) = (run.worker_threads(), run.curve());
        run.watch(|stop| compute(votes, options, (threads, curve), stop))
    }

    /// The same, kept for the next call with the same votes and options: the
    /// last few fits of this process are remembered.
    pub fn cached(votes: &Votes, options: &Options, run: &mut Run<'_>) -> Result<Arc<Self>> {
        let key = cache::key(votes, options);
        if let Some(fit) = cache::get(key)
            && (fit.has_whole_curve() || run.curve() == Curve::UntilTurned)
        {
            return Ok(fit);
        }
        let fit = Arc::new(Self::new(votes, options, run)?);
        cache::put(key, &fit);
        Ok(fit)
    }

    /// Who voted.
    pub fn annotators(&self) -> &Ids {
        &self.annotators
    }

    /// What was voted on.
    pub fn items(&self) -> &Ids {
        &self.items
    }

    /// Whether a time was chosen: otherwise there is only the path.
    pub fn has_chosen_time(&self) -> bool {
        self.chosen.is_some()
    }

    /// Whether cross-validation went over the whole grid, if there was one.
    fn has_whole_curve(&self) -> bool {
        let points = self.path.grid.len();
        let whole = |curve: &Validation| curve.error.len() == points;
        self.validation.as_ref().is_none_or(whole)
    }

    /// The model at the chosen time, or the error that says how to choose one.
    pub(crate) fn chosen(&self) -> Result<&Chosen> {
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
