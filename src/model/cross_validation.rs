//! When to stop: the grid time at which held-out votes are predicted best.
//!
//! The votes of each fold are predicted along a path that was run without them,
//! with the step size and the grid of all votes; with shorter steps where so
//! many votes are held out that the path would oscillate.
//!
//! The last grid times cost the most. A time is chosen among those before a
//! fold's error has clearly turned, so who only wants to know which one need not
//! run the rest.

mod turn;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::consensus::{Consensus, Solves};
use super::flow::Flow;
use super::norm::{step_norm, step_norm_at_most};
use super::path::{Path, Settings, Snapshot};
use super::statistics::Statistics;
use crate::error::Result;
use crate::options::PairModel;
use crate::run::{Stop, join};
use crate::votes::{Comparisons, Folds};

use turn::{SquaredErrors, Turn};

/// How far the folds' paths are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Curve {
    /// Over the whole grid.
    Whole,
    /// Until the error has clearly turned.
    UntilTurned,
}

/// The errors of every fold at every grid time, or at those until one turned.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidation {
    /// Mean squared error, by fold and grid time.
    pub errors: Vec<Vec<f64>>,
    /// Share of votes for the other side than predicted (ties count half), by fold and grid time.
    pub mismatches: Vec<Vec<f64>>,
    /// Mean squared error of plain HodgeRank, by fold.
    pub hodgerank_errors: Vec<f64>,
    /// The number of grid times before any fold's error has clearly turned, that
    /// at which it has included.
    pub until_turned: usize,
}

impl CrossValidation {
    /// The number of grid times that all folds were run to.
    pub(crate) fn points(&self) -> usize {
        self.errors.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// The mean over folds at a grid time.
    pub fn error(&self, index: usize) -> f64 {
        mean(self.errors.iter().map(|fold| fold[index]))
    }

    /// The standard deviation over folds at a grid time; None for a single fold.
    pub fn error_std(&self, index: usize) -> Option<f64> {
        let centre = self.error(index);
        let squares = self
            .errors
            .iter()
            .map(|fold| (fold[index] - centre).powi(2));
        let folds = self.errors.len();
        (folds > 1).then(|| (squares.sum::<f64>() / (folds - 1) as f64).sqrt())
    }

    /// The mean mismatch over folds at a grid time.
    pub fn mismatch(&self, index: usize) -> f64 {
        mean(self.mismatches.iter().map(|fold| fold[index]))
    }

    /// The mean over folds of plain HodgeRank's error.
    pub fn hodgerank_error(&self) -> f64 {
        mean(self.hodgerank_errors.iter().copied())
    }

    /// The grid time with the smallest error before it has clearly turned; the
    /// first of equals.
    pub fn best(&self) -> usize {
        let better = |best, index| {
            if self.error(index) < self.error(best) {
                index
            } else {
                best
            }
        };
        (1..self.until_turned).fold(0, better)
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Runs a path for each fold, several at a time, and scores the votes that were held out.
pub fn cross_validate(
    votes: &Comparisons,
    folds: &Folds,
    settings: Settings,
    grid: &[f64],
    threads: usize,
    stop: &Stop,
) -> Result<CrossValidation> {
    let held_out = HeldOut {
        votes,
        folds,
        settings,
        grid,
        curve: Curve::Whole,
    };
    Ok(held_out.validate_beside(threads, stop, || Ok(()))?.0)
}

/// What a cross-validation is made from.
#[derive(Clone, Copy)]
pub(crate) struct HeldOut<'a> {
    pub votes: &'a Comparisons,
    pub folds: &'a Folds,
    pub settings: Settings,
    pub grid: &'a [f64],
    pub curve: Curve,
}

impl HeldOut<'_> {
    /// Runs the folds' paths, with other work taken up first by one of the threads.
    pub(crate) fn validate_beside<T: Send>(
        &self,
        threads: usize,
        stop: &Stop,
        other: impl FnOnce() -> Result<T> + Send,
    ) -> Result<(CrossValidation, T)> {
        let next = AtomicUsize::new(0);
        let turned = AtomicUsize::new(self.grid.len());
        let work = || -> Result<Vec<(usize, Fold)>> {
            let mut done = Vec::new();
            loop {
                let fold = next.fetch_add(1, Ordering::Relaxed);
                if fold >= self.folds.count() {
                    return Ok(done);
                }
                done.push((fold, self.run_fold(fold, &turned, stop)?));
            }
        };
        let (results, other) = thread::scope(|scope| {
            let workers = threads.clamp(1, self.folds.count() + 1) - 1;
            let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let other = other();
            let mut results = work();
            for handle in handles {
                let more = join(handle);
                results = results.and_then(|mut all| {
                    all.extend(more?);
                    Ok(all)
                });
            }
            (results, other)
        });
        let (mut results, other) = (results?, other?);
        results.sort_unstable_by_key(|(fold, _)| *fold);
        let mut all = CrossValidation {
            errors: Vec::new(),
            mismatches: Vec::new(),
            hodgerank_errors: Vec::new(),
            until_turned: self.grid.len(),
        };
        for (_, fold) in results {
            all.errors.push(fold.errors);
            all.mismatches.push(fold.mismatches);
            all.hodgerank_errors.push(fold.hodgerank_error);
            all.until_turned = all.until_turned.min(fold.until_turned);
        }
        Ok((all, other))
    }

    /// `turned`: the number of grid times until the first of the folds has turned,
    /// of those that are known. No other one is needed beyond.
    fn run_fold(&self, fold: usize, turned: &AtomicUsize, stop: &Stop) -> Result<Fold> {
        let Self { votes, folds, .. } = *self;
        let training = votes.select(|row| folds.of(row) != fold);
        let held_out = votes.select(|row| folds.of(row) == fold);
        let statistics = Statistics::new(&training, stop)?;
        let pairs = Flow::new(&training, PairModel::Uniform, stop)?;
        drop(training);
        let consensus = Consensus::new(&pairs, Solves::Often, stop)?;
        drop(pairs);
        let settings = calmed(self.settings, &statistics, &consensus, stop)?;
        let mut path = Path::new(&statistics, &consensus, settings, stop)?;
        let mut scorer = Scorer::new(&held_out);
        let (hodgerank_error, _) = scorer.score(&statistics, path.advance_to(0.0, stop)?);
        let mut turn = Turn::new();
        let mut found = Fold {
            errors: Vec::new(),
            mismatches: Vec::new(),
            hodgerank_error,
            until_turned: self.grid.len(),
        };
        for (index, &t) in self.grid.iter().enumerate() {
            let snapshot = path.advance_to(t, stop)?;
            let (error, mismatch) = scorer.score(&statistics, snapshot);
            found.errors.push(error);
            found.mismatches.push(mismatch);
            if !turn.is_clear() && turn.look(error, scorer.by_annotator()) {
                found.until_turned = index + 1;
                turned.fetch_min(index + 1, Ordering::Relaxed);
            }
            let needed = turned.load(Ordering::Relaxed);
            if self.curve == Curve::UntilTurned && index + 1 >= needed {
                break;
            }
        }
        Ok(found)
    }
}

struct Fold {
    errors: Vec<f64>,
    mismatches: Vec<f64>,
    hodgerank_error: f64,
    until_turned: usize,
}

/// Steps short enough for what is left of the votes. A bound on the norm mostly
/// shows that they are.
fn calmed(
    settings: Settings,
    statistics: &Statistics,
    consensus: &Consensus,
    stop: &Stop,
) -> Result<Settings> {
    let total = statistics.total();
    let most = step_norm_at_most(statistics, consensus, &settings, stop)?;
    if !settings.oscillates(most, total) {
        return Ok(settings);
    }
    let norm = step_norm(statistics, consensus, &settings, stop)?;
    let alpha = if settings.oscillates(norm, total) {
        total / (settings.kappa * norm)
    } else {
        settings.alpha
    };
    Ok(Settings { alpha, ..settings })
}

/// Compares a model with votes.
pub struct Scorer<'a> {
    votes: &'a Comparisons,
    /// An annotator's own scores.
    scores: Vec<f64>,
    by_annotator: Vec<SquaredErrors>,
}

impl<'a> Scorer<'a> {
    /// Will score these votes.
    pub fn new(votes: &'a Comparisons) -> Self {
        Self {
            votes,
            scores: vec![0.0; votes.items()],
            by_annotator: Vec::with_capacity(votes.annotators()),
        }
    }

    /// What the last error was made of.
    pub(super) fn by_annotator(&self) -> &[SquaredErrors] {
        &self.by_annotator
    }

    /// Mean squared error and mismatch of the model at a time. What the model
    /// knows of an annotator, `statistics`, may come from other votes: an
    /// annotator or item unseen there has no effect, and its own component.
    pub fn score(&mut self, statistics: &Statistics, snapshot: &Snapshot) -> (f64, f64) {
        let theta = snapshot.theta();
        self.scores.copy_from_slice(theta);
        self.by_annotator.clear();
        let mut mismatch = 0.0;
        for u in 0..self.votes.annotators() {
            let mut errors = SquaredErrors::default();
            let personal = snapshot.deviation_norm()[u] != 0.0;
            let items = statistics.annotator(u).items;
            if personal {
                for (&item, delta) in items.iter().zip(snapshot.deviation(statistics, u)) {
                    self.scores[item as usize] += delta;
                }
            }
            let bias = snapshot.position_bias()[u];
            for vote in self.votes.of(u) {
                let predicted = self.scores[vote.left] - self.scores[vote.right] + bias;
                let residual = vote.choice - predicted;
                errors.sum += vote.weight * (residual * residual);
                errors.weight += vote.weight;
                mismatch += vote.weight * (1.0 - sign(vote.choice * predicted)) / 2.0;
            }
            self.by_annotator.push(errors);
            if personal {
                for &item in items {
                    self.scores[item as usize] = theta[item as usize];
                }
            }
        }
        let sum: f64 = self.by_annotator.iter().map(|errors| errors.sum).sum();
        let total: f64 = self.by_annotator.iter().map(|errors| errors.weight).sum();
        (sum / total, mismatch / total)
    }
}

/// -1, 0 or 1.
fn sign(value: f64) -> f64 {
    f64::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}
