//! Refits: the scores as they would be if some annotators counted more than others.
//!
//! Effects enter and leave, and where they end up depends on the whole path. So how the
//! scores of a model with effects respond to an annotator is found by running the path
//! again. The annotators are dealt into groups, and in each refit one group counts
//! twice: its votes are there once more, as those of further annotators. In a small
//! crowd each annotator is a group, and one who counts twice would matter too much;
//! there all others count twice, which is as if the one counted half. Nobody is left
//! out, since that could separate items from each other.
//!
//! A refit ends where an effect is shrunk as much as in the fit: t and the step size
//! are scaled with the weight of all votes. Its steps are longer than those of the fit by
//! half, since refits are compared with each other only.

use std::borrow::Cow;
use std::sync::Arc;

use super::fitted::Fitted;
use super::hessian::LANES;
use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::model::flow::Flow;
use crate::model::hodgerank::{LaplacianSolver, SolveFrequency};
use crate::model::lbi::Snapshot;
use crate::model::path::{Path, PathVotes};
use crate::model::settings::Settings;
use crate::options::{Loss, PairModel, ThetaUpdate};
use crate::random::Random;
use crate::votes::Comparisons;

/// With so many groups the variances have enough degrees of freedom. A lane for each.
const MAX_GROUPS: usize = LANES;

/// With so many the intervals are a tenth wider than with infinitely many.
const MIN_GROUPS: usize = 12;

/// There are fewer than [`MAX_GROUPS`] groups if these would take more than so many
/// multiplications, about a tenth of a second.
const MAX_WORK: f64 = 2e8;

/// Several refits run at once if they take less memory than this together, by a generous
/// estimate.
const MAX_BYTES: usize = 640 << 20;

/// What a refit takes for each pair: its votes, an edge of two graphs, and their copies while
/// these are made.
const BYTES_PER_PAIR: usize = 100;

/// Where θ is found by iteration, this is far less than refits differ by.
const REFIT_TOLERANCE: f64 = 1e-6;

/// The scores of all refits.
pub(super) struct Refits {
    /// By annotator of the table, the group.
    pub group: Vec<usize>,
    /// By group.
    pub theta: Vec<Vec<f64>>,
}

impl Refits {
    /// None if nobody has an effect.
    pub fn new(
        votes: &Comparisons,
        fitted: &Fitted<'_>,
        threads: usize,
        stop: &Stop,
    ) -> Result<Option<Self>> {
        let Some((snapshot, settings)) = fitted.effects else {
            return Ok(None);
        };
        let partition = votes.partition();
        let has_effects = (0..votes.annotators()).any(|u| fitted.has_effect(u));
        if partition.max([f64::from(u8::from(has_effects))])? == [0.0] {
            return Ok(None);
        }
        let annotators = partition.annotators();
        let groups = (MAX_WORK / work(votes, fitted, snapshot, &settings)?) as usize;
        let groups = groups.clamp(MIN_GROUPS, MAX_GROUPS).min(annotators.total);
        let is_complete = groups == annotators.total;
        let group = deal(annotators.total, groups);
        let group_of = |u: usize| group[annotators.before + u];
        let refitted = RefittedVotes::new(votes, snapshot, settings, fitted.pairs, stop)?;
        // On several machines all make the same exchanges in the same order.
        let fit_in_memory = MAX_BYTES / refitted.bytes_of_one().max(1);
        let at_once = match partition.is_complete() {
            true => fit_in_memory.min(threads).max(1),
            false => 1,
        };
        let theta = in_parallel(groups, at_once, |chosen| {
            let is_repeated = |u: usize| (group_of(u) == chosen) != is_complete;
            refitted.scores(is_repeated, stop)
        })?;
        Ok(Some(Self { group, theta }))
    }

    pub fn groups(&self) -> usize {
        self.theta.len()
    }

    /// Whether each annotator of the table is a group.
    pub fn is_complete(&self) -> bool {
        self.groups() == self.group.len()
    }
}

/// By annotator, its group. The groups are equally large, and drawn at random: the order
/// of ids may have a meaning.
fn deal(annotators: usize, groups: usize) -> Vec<usize> {
    let mut group: Vec<usize> = (0..annotators).map(|u| u % groups).collect();
    Random(0).shuffle(&mut group);
    group
}

/// About how many multiplications a refit takes: in each step, products with the
/// Laplacian of each annotator who has an effect.
fn work(
    votes: &Comparisons,
    fitted: &Fitted<'_>,
    snapshot: &Snapshot,
    settings: &Settings,
) -> Result<f64> {
    let product = |u: usize| {
        let items = snapshot.items(u).len() as f64;
        f64::min(items * items / 2.0, 2.0 * votes.rows(u).len() as f64)
    };
    let partition = votes.partition();
    let products = partition.sum(1, 1, |annotators, sum| {
        sum[0] = annotators
            .filter(|&u| fitted.has_effect(u))
            .map(product)
            .sum();
        Ok(())
    })?;
    let steps = snapshot.t() / settings.alpha;
    Ok(partition.rows().total as f64 + steps * products[0])
}

/// What all refits have in common.
struct RefittedVotes<'a> {
    votes: &'a Comparisons,
    snapshot: &'a Snapshot,
    settings: Settings,
    /// The votes by pair, with the squared loss.
    pairs: Option<Cow<'a, Flow>>,
}

impl<'a> RefittedVotes<'a> {
    fn new(
        votes: &'a Comparisons,
        snapshot: &'a Snapshot,
        settings: Settings,
        known: Option<&'a Flow>,
        stop: &Stop,
    ) -> Result<Self> {
        let pairs = match (settings.loss, known) {
            (Loss::Squared, Some(pairs)) => Some(Cow::Borrowed(pairs)),
            (Loss::Squared, None) => {
                let pairs = Flow::new(votes, PairModel::Uniform, stop)?;
                Some(Cow::Owned(pairs))
            }
            _ => None,
        };
        Ok(Self {
            votes,
            snapshot,
            settings,
            pairs,
        })
    }

    /// About how many bytes a refit takes: z and δ of each annotator, and what is made of the
    /// pairs, or with another loss than the squared one of the votes.
    fn bytes_of_one(&self) -> usize {
        let annotators = 0..self.votes.annotators();
        let seen: usize = annotators.map(|u| self.snapshot.items(u).len()).sum();
        let of_pairs = match &self.pairs {
            Some(pairs) => BYTES_PER_PAIR * pairs.len(),
            None => BYTES_PER_PAIR * self.votes.len(),
        };
        of_pairs + 2 * size_of::<f64>() * seen
    }

    /// The scores at the time of the snapshot if the votes of some annotators are there
    /// once more, as those of further annotators.
    fn scores(&self, is_repeated: impl Fn(usize) -> bool, stop: &Stop) -> Result<Vec<f64>> {
        let path_votes = match &self.pairs {
            Some(pairs) => self.counted_twice(pairs, is_repeated, stop)?,
            None => {
                let repeated = (0..self.votes.annotators()).filter(|&u| is_repeated(u));
                let votes = self.votes.with_repeated(repeated);
                PathVotes::new(&votes, &self.settings, stop)?
            }
        };
        let scale = path_votes.statistics.total() / self.snapshot.statistics().total();
        let settings = Settings {
            alpha: self.settings.alpha * scale,
            score_tolerance: REFIT_TOLERANCE,
            ..self.settings
        };
        let mut path = path_votes.path(settings, stop)?;
        scores_at(&mut path, self.snapshot.t() * scale, settings, stop)
    }

    /// The effects of a repeated annotator are those of the one who is repeated. So nothing
    /// is there twice: their votes count twice.
    fn counted_twice(
        &self,
        pairs: &Flow,
        is_repeated: impl Fn(usize) -> bool,
        stop: &Stop,
    ) -> Result<PathVotes> {
        let repeated = self.votes.of_annotators(&is_repeated);
        let repeated = Flow::new(&repeated, PairModel::Uniform, stop)?;
        let solver = LaplacianSolver::new(&pairs.plus(&repeated), SolveFrequency::Often, stop)?;
        let count = |u: usize| if is_repeated(u) { 2.0 } else { 1.0 };
        let counts = (0..self.votes.annotators()).map(count).collect();
        let statistics = self.snapshot.statistics().with_counts(counts)?;
        Ok(PathVotes::with_solver(
            &Arc::new(statistics),
            &Arc::new(solver),
        ))
    }
}

/// θ at a time, interpolated between the steps before and after it. Solved for, θ is
/// that of the step before; the steps of refits come at different times, and the scores
/// would differ for that alone.
fn scores_at(path: &mut Path, t: f64, settings: Settings, stop: &Stop) -> Result<Vec<f64>> {
    let mut theta = path.advance_to(t, stop)?.theta().to_vec();
    if settings.theta_update == ThetaUpdate::Solve && t > path.first_entry() {
        let part = (t - path.time()) / settings.alpha;
        let within_next = path.time() + 1.5 * settings.alpha;
        let next = path.advance_to(within_next, stop)?.theta();
        for (score, next) in theta.iter_mut().zip(next) {
            *score += part * (next - *score);
        }
    }
    Ok(theta)
}
