//! When to stop: the grid time at which held-out votes are predicted best.
//!
//! The votes of each fold are predicted along a path that was run without them,
//! with the step size and the grid of all votes; with shorter steps where so
//! many votes are held out that the path would oscillate.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::consensus::Consensus;
use super::norm::{step_norm, step_norm_at_most};
use super::path::{Path, Settings, Snapshot};
use super::statistics::Statistics;
use crate::error::Result;
use crate::run::{Stop, join};
use crate::votes::{Comparisons, Folds};

/// The errors of every fold at every grid time.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidation {
    /// Mean squared error, by fold and grid time.
    pub errors: Vec<Vec<f64>>,
    /// Share of votes for the other side than predicted (ties count half), by fold and grid time.
    pub mismatches: Vec<Vec<f64>>,
    /// Mean squared error of plain HodgeRank, by fold.
    pub hodgerank_errors: Vec<f64>,
}

impl CrossValidation {
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

    /// The grid time with the smallest error; the first of equals.
    pub fn best(&self) -> usize {
        let points = self.errors.first().map_or(0, Vec::len);
        let better = |best, index| {
            if self.error(index) < self.error(best) {
                index
            } else {
                best
            }
        };
        (1..points).fold(0, better)
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
    let nothing = || Ok(());
    Ok(cross_validate_beside(votes, folds, settings, grid, threads, stop, nothing)?.0)
}

/// The same, with other work taken up first by one of the threads.
pub(crate) fn cross_validate_beside<T: Send>(
    votes: &Comparisons,
    folds: &Folds,
    settings: Settings,
    grid: &[f64],
    threads: usize,
    stop: &Stop,
    other: impl FnOnce() -> Result<T> + Send,
) -> Result<(CrossValidation, T)> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, Fold)>> {
        let mut done = Vec::new();
        loop {
            let fold = next.fetch_add(1, Ordering::Relaxed);
            if fold >= folds.count() {
                return Ok(done);
            }
            done.push((fold, run_fold(votes, folds, fold, settings, grid, stop)?));
        }
    };
    let (results, other) = thread::scope(|scope| {
        let workers = threads.clamp(1, folds.count() + 1) - 1;
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
    };
    for (_, fold) in results {
        all.errors.push(fold.errors);
        all.mismatches.push(fold.mismatches);
        all.hodgerank_errors.push(fold.hodgerank_error);
    }
    Ok((all, other))
}

struct Fold {
    errors: Vec<f64>,
    mismatches: Vec<f64>,
    hodgerank_error: f64,
}

fn run_fold(
    votes: &Comparisons,
    folds: &Folds,
    fold: usize,
    settings: Settings,
    grid: &[f64],
    stop: &Stop,
) -> Result<Fold> {
    let training = votes.select(|row| folds.of(row) != fold);
    let held_out = votes.select(|row| folds.of(row) == fold);
    let statistics = Statistics::new(&training, stop)?;
    drop(training);
    let consensus = Consensus::new(&statistics, stop)?;
    let settings = calmed(settings, &statistics, &consensus, stop)?;
    let mut path = Path::new(&statistics, &consensus, settings, stop)?;
    let mut scorer = Scorer::new(&held_out);
    let (hodgerank_error, _) = scorer.score(&statistics, path.advance_to(0.0, stop)?);
    let (mut errors, mut mismatches) = (Vec::new(), Vec::new());
    for &t in grid {
        let snapshot = path.advance_to(t, stop)?;
        let (error, mismatch) = scorer.score(&statistics, snapshot);
        errors.push(error);
        mismatches.push(mismatch);
    }
    Ok(Fold {
        errors,
        mismatches,
        hodgerank_error,
    })
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
}

impl<'a> Scorer<'a> {
    /// Will score these votes.
    pub fn new(votes: &'a Comparisons) -> Self {
        Self {
            votes,
            scores: vec![0.0; votes.items()],
        }
    }

    /// Mean squared error and mismatch of the model at a time. What the model
    /// knows of an annotator, `statistics`, may come from other votes: an
    /// annotator or item unseen there has no effect, and its own component.
    pub fn score(&mut self, statistics: &Statistics, snapshot: &Snapshot) -> (f64, f64) {
        let theta = snapshot.theta();
        self.scores.copy_from_slice(theta);
        let (mut error, mut mismatch, mut total) = (0.0, 0.0, 0.0);
        for u in 0..self.votes.annotators() {
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
                error += vote.weight * (residual * residual);
                mismatch += vote.weight * (1.0 - sign(vote.choice * predicted)) / 2.0;
                total += vote.weight;
            }
            if personal {
                for &item in items {
                    self.scores[item as usize] = theta[item as usize];
                }
            }
        }
        (error / total, mismatch / total)
    }
}

/// -1, 0 or 1.
fn sign(value: f64) -> f64 {
    f64::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}
