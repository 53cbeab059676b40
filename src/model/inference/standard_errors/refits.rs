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
//! are scaled with the weight of all votes.

use super::fitted::Fitted;
use super::hessian::LANES;
use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::model::lbi::Snapshot;
use crate::model::path::{Path, PathVotes};
use crate::model::settings::Settings;
use crate::options::ThetaUpdate;
use crate::random::Random;
use crate::votes::Comparisons;

/// With so many groups the variances have enough degrees of freedom. A lane for each.
const MAX_GROUPS: usize = LANES;

/// With so many the intervals are a tenth wider than with infinitely many.
const MIN_GROUPS: usize = 12;

/// There are fewer than [`MAX_GROUPS`] groups if these would take more than so many
/// multiplications, about a tenth of a second.
const MAX_WORK: f64 = 2e8;

/// Where θ is found by iteration, this is far less than refits differ by.
const REFIT_TOLERANCE: f64 = 1e-6;

/// The scores of all refits.
pub(super) struct Refits {
    /// By annotator, the group.
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
        let annotators = votes.annotators();
        let Some((snapshot, settings)) = fitted.effects else {
            return Ok(None);
        };
        if !(0..annotators).any(|u| fitted.has_effect(u)) {
            return Ok(None);
        }
        let groups = (MAX_WORK / work(votes, fitted, snapshot, &settings)) as usize;
        let groups = groups.clamp(MIN_GROUPS, MAX_GROUPS).min(annotators);
        let is_complete = groups == annotators;
        let group = deal(annotators, groups);
        let theta = in_parallel(groups, threads, |chosen| {
            let is_repeated = |&u: &usize| (group[u] == chosen) != is_complete;
            let repeated = (0..annotators).filter(is_repeated);
            refit(&votes.with_repeated(repeated), snapshot, settings, stop)
        })?;
        Ok(Some(Self { group, theta }))
    }

    pub fn groups(&self) -> usize {
        self.theta.len()
    }

    /// Whether each annotator is a group.
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
fn work(votes: &Comparisons, fitted: &Fitted<'_>, snapshot: &Snapshot, settings: &Settings) -> f64 {
    let product = |u: usize| {
        let items = snapshot.items(u).len() as f64;
        f64::min(items * items / 2.0, 2.0 * votes.rows(u).len() as f64)
    };
    let with_effects = (0..votes.annotators()).filter(|&u| fitted.has_effect(u));
    let steps = snapshot.t() / settings.alpha;
    votes.len() as f64 + steps * with_effects.map(product).sum::<f64>()
}

/// The scores from these votes at the time of the snapshot.
fn refit(
    votes: &Comparisons,
    snapshot: &Snapshot,
    settings: Settings,
    stop: &Stop,
) -> Result<Vec<f64>> {
    let path_votes = PathVotes::new(votes, &settings, stop)?;
    let scale = path_votes.statistics.total() / snapshot.statistics().total();
    let settings = Settings {
        alpha: settings.alpha * scale,
        score_tolerance: REFIT_TOLERANCE,
        ..settings
    };
    let mut path = path_votes.path(settings, stop)?;
    scores_at(&mut path, snapshot.t() * scale, settings, stop)
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
