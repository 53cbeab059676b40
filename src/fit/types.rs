//! What a fit holds: plain data, by item, by annotator, by pair or by grid time.

use crate::error::{Error, ErrorKind, Result};
use crate::execution::FitExtent;
use crate::model::{Evidence, Flow, PairVariance, StandardErrors, VoteModel};
use crate::options::Loss;
use crate::votes::Ids;

/// A fitted model: the consensus scores, the annotators' effects, the path and the
/// cross-validation curve. [`table`](Self::table) gives its result sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Which columns of a table were read, in words; None if the votes come from none.
    pub(crate) columns: Option<String>,
    pub(crate) items: Ids,
    /// Empty if nobody knows who voted, and so is all that goes by annotator.
    pub(crate) annotators: Ids,
    pub(crate) totals: FitTotals,
    /// By item.
    pub(crate) tally: ItemTally,
    /// By annotator.
    pub(crate) clicks: ClickCounts,
    /// By annotator.
    pub(crate) self_consistency: SelfConsistency,
    /// By annotator; empty if the fit went no further than the chosen time.
    pub(crate) evidence: Evidence,
    /// By annotator: whether the knockoff filter selects this one as biased. None
    /// unless the options ask for the filter.
    pub(crate) knockoff: Option<Vec<bool>>,
    /// By pair of items.
    pub(crate) flow: Flow,
    /// By pair of items.
    pub(crate) pair_variance: PairVariance,
    pub(crate) row_checks: RowChecks,
    pub(crate) path: PathRecord,
    pub(crate) validation: Option<CvCurve>,
    pub(crate) chosen: Option<ChosenModel>,
}

/// Numbers that describe the fit as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FitTotals {
    pub votes: f64,
    pub skipped: u64,
    pub kappa: f64,
    pub loss: Loss,
    /// The step size α; None if no effect ever enters the path.
    pub alpha: Option<f64>,
    /// The time t0 at which the first effect enters; None if none ever does.
    pub first_entry: Option<f64>,
    pub iterations: u64,
    /// The false discovery rate of the tests that decide who is biased and who deviates.
    pub fdr: Option<f64>,
    /// The votes for the left item, for the right one, and the ties (sums of weights).
    pub sides: [f64; 3],
    /// The mean of |y| over the votes that are not ties; 1 if there are none.
    pub strength: f64,
    /// The option `seed`.
    pub seed: u64,
}

/// What the rows of the table look like as rows, whatever they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowChecks {
    pub rows: u64,
    /// Rows that repeat the annotator, both items and the choice of another one.
    pub repeated: u64,
    /// So many would at most repeat another one if annotators drew pairs by lot.
    pub expected_repeats: f64,
    pub dominant: Option<DominantRow>,
}

/// The vote with the largest square, if the others hardly count beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DominantRow {
    /// None if nobody knows who voted.
    pub annotator: Option<u32>,
    pub left: u32,
    pub right: u32,
    pub choice: f64,
    /// Of Σ ω y².
    pub share: f64,
    /// The median of |y| over the votes that are not ties.
    pub median: f64,
}

/// What the votes say of each item: counts (sums of weights) and HodgeRank scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemTally {
    pub wins: Vec<f64>,
    pub losses: Vec<f64>,
    pub ties: Vec<f64>,
    /// Connected component of the comparison graph; 1 is the largest.
    pub component: Vec<u32>,
    /// HodgeRank's scores, of the flow that the votes are.
    pub hodgerank: Vec<f64>,
    /// The scores of the model without effects where the loss is not the squared one;
    /// else empty, since these are HodgeRank's.
    pub consensus: Vec<f64>,
}

impl ItemTally {
    /// The scores of the model without effects.
    pub fn without_effects(&self) -> &[f64] {
        if self.consensus.is_empty() {
            &self.hodgerank
        } else {
            &self.consensus
        }
    }
}

/// How often each annotator chose left, right or neither (sums of weights).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClickCounts {
    pub left: Vec<f64>,
    pub right: Vec<f64>,
    pub ties: Vec<f64>,
}

/// The pairs that each annotator judged more than once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SelfConsistency {
    /// How many.
    pub repeated: Vec<u32>,
    /// Those of them with the same answer each time: the same item, or a tie.
    pub same_choice: Vec<u32>,
    /// Those that were seen both ways round.
    pub swapped: Vec<u32>,
    /// Those of these with a vote for the same side each time.
    pub same_side: Vec<u32>,
}

/// The path at its grid times: at all of them, or up to the chosen one; see
/// [`FitExtent`](crate::execution::FitExtent).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathRecord {
    /// All grid times.
    pub grid: Vec<f64>,
    /// θ at each grid time, one grid time after the other.
    pub theta: Vec<f64>,
    pub bias: EffectPath,
    pub deviation: EffectPath,
}

/// The nonzero values of an effect along the path: entries sorted by grid time,
/// then by annotator.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EffectPath {
    pub grid_index: Vec<u32>,
    pub annotator: Vec<u32>,
    pub value: Vec<f64>,
}

/// The cross-validation curve, by grid time: over the whole grid, or up to where
/// early stopping ended it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CvCurve {
    pub error: Vec<f64>,
    /// NaN if there is a single fold.
    pub error_std: Vec<f64>,
    pub mismatch: Vec<f64>,
    pub hodgerank_error: f64,
}

/// The model at the chosen time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChosenModel {
    pub grid_index: usize,
    /// By annotator: the share of votes, ties left out, that the consensus predicts;
    /// NaN for an annotator with ties only.
    pub agreement: Vec<f64>,
    pub personal: PersonalScores,
    /// By item.
    pub standard_errors: StandardErrors,
    /// None if there is no cyclic flow; or if the pair model is not the uniform one, or the
    /// loss not the squared one: then flow and effects are not in the unit of votes.
    pub cycle_sources: Option<CycleSources>,
}

/// What the cyclic flow comes from: shares of Σ ω r², where r is the residual of
/// HodgeRank. The rest is noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CycleSources {
    pub personal: f64,
    pub position_bias: f64,
}

/// The annotators with a deviation, each with the items that they saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PersonalScores {
    pub annotator: Vec<u32>,
    /// Annotator k of this list has the entries `starts[k]..starts[k + 1]` of the
    /// columns below, sorted by item.
    pub starts: Vec<usize>,
    pub item: Vec<u32>,
    pub deviation: Vec<f64>,
    pub votes: Vec<f64>,
}

impl Fit {
    /// The annotators, in canonical order; none if nobody knows who voted.
    pub fn annotator_ids(&self) -> &Ids {
        &self.annotators
    }

    /// The items, in canonical order.
    pub fn item_ids(&self) -> &Ids {
        &self.items
    }

    /// Whether somebody knows who voted.
    pub fn has_annotators(&self) -> bool {
        !self.annotators.is_empty()
    }

    /// An error if nobody knows who voted.
    pub(crate) fn require_annotators(&self) -> Result<()> {
        if self.has_annotators() {
            return Ok(());
        }
        Err(Error::votes(
            "the votes have no annotators: they were read as votes of which nobody knows who cast \
             them (annotator = NULL), so nothing can be said of a person; name the column of \
             annotators to learn of them",
        ))
    }

    /// Whether a time on the path was chosen. If not (`folds = 0` and no `t`), only
    /// the result sets that need no chosen time can be read.
    pub fn has_chosen_time(&self) -> bool {
        self.chosen.is_some()
    }

    /// The model at the chosen time; the error says how to choose one.
    pub(crate) fn chosen(&self) -> Result<&ChosenModel> {
        self.chosen.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::Option,
                "with folds = 0 nothing chooses where to stop: set t, or ask for the path only",
            )
        })
    }

    /// What was minimised, which says in which unit scores are.
    pub fn loss(&self) -> Loss {
        self.totals.loss
    }

    /// What a difference of scores says of votes.
    pub(crate) fn vote_model(&self) -> VoteModel {
        VoteModel::new(self.totals.loss, self.totals.strength)
    }

    /// How far the fit went.
    pub(crate) fn extent(&self) -> FitExtent {
        let points = self.path.grid.len();
        let curve = self.validation.as_ref();
        let is_tested = self.evidence.untied.len() == self.annotators.len();
        if self.path.theta.len() < points * self.items.len() || !is_tested {
            FitExtent::ChosenTime
        } else if curve.is_some_and(|curve| curve.error.len() < points) {
            FitExtent::WholePath
        } else {
            FitExtent::WholeCurve
        }
    }

    /// An error if the fit went no further than the chosen time. No caller of this library gets such a
    /// fit, except for tables that need no more of it.
    pub(crate) fn require_whole_path(&self) -> Result<()> {
        match self.extent() {
            FitExtent::ChosenTime => Err(Error::new(
                ErrorKind::Internal,
                "the path was not run to its end",
            )),
            _ => Ok(()),
        }
    }

    /// θ at a grid time.
    pub(crate) fn theta(&self, grid_index: usize) -> &[f64] {
        let items = self.items.len();
        &self.path.theta[grid_index * items..][..items]
    }
}
