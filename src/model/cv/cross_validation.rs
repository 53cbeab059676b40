//! The errors of all folds over the grid, and the time that they choose.

use std::sync::atomic::{AtomicBool, Ordering};

use super::fold::Fold;
use super::input::CvInput;
use super::scheduler::{Advance, ScheduleResult, Scheduler};
use crate::error::Result;
use crate::execution::CvExtent;
use crate::execution::{Stop, with_helpers};
use crate::model::settings::Settings;
use crate::votes::{Comparisons, Folds};

/// All folds are in memory at once if they take less than this, by a generous
/// estimate. The votes, their statistics and the path of all votes come on top.
const MAX_FOLD_BYTES: usize = 320 << 20;

/// Paths of so few votes stay on one thread, if their steps times votes are so few in
/// all: they take less than a millisecond. Another thread takes 0.05 ms to start; with one,
/// a fit of six votes took 0.22 ms instead of 0.17, and three votes of three annotators
/// 0.79 instead of 0.73.
const MAX_VOTES_ALONE: usize = 256;
const MAX_VOTE_STEPS_ALONE: f64 = 30_000.0;

/// The errors of every fold at every grid time, or at those up to the early stop.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidation {
    /// The mean loss, by fold and grid time.
    pub errors: Vec<Vec<f64>>,
    /// Share of votes for the other side than predicted (ties count half), by fold and grid time.
    pub mismatches: Vec<Vec<f64>>,
    /// That of the model without effects, by fold.
    pub hodgerank_errors: Vec<f64>,
    /// The number of grid times up to the early stop, the one where it stopped
    /// included; all if there is no early stop.
    pub points_to_stop: usize,
}

impl CrossValidation {
    /// The folds may have been evaluated further than to the early stop: the
    /// errors beyond are left out.
    fn new(result: ScheduleResult, input: &CvInput<'_>) -> Self {
        let points = match input.extent {
            CvExtent::FullGrid => input.grid.len(),
            CvExtent::UntilStopped => result.points_to_stop,
        };
        let mut all = Self {
            errors: Vec::new(),
            mismatches: Vec::new(),
            hodgerank_errors: Vec::new(),
            points_to_stop: result.points_to_stop,
        };
        for mut fold in result.folds {
            fold.errors.truncate(points);
            fold.mismatches.truncate(points);
            all.errors.push(fold.errors);
            all.mismatches.push(fold.mismatches);
            all.hodgerank_errors.push(fold.hodgerank_error);
        }
        all
    }

    /// The number of grid times that there are errors of.
    pub(crate) fn points(&self) -> usize {
        self.errors[0].len()
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

    /// The mean over folds of the error without effects.
    pub fn hodgerank_error(&self) -> f64 {
        mean(self.hodgerank_errors.iter().copied())
    }

    /// The grid time with the smallest error up to the early stop; the first of
    /// equals.
    pub fn best(&self) -> usize {
        let better = |best, index| {
            if self.error(index) < self.error(best) {
                index
            } else {
                best
            }
        };
        (1..self.points_to_stop).fold(0, better)
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Runs a path for each fold on several threads, and scores the votes that were held out.
pub fn cross_validate(
    votes: &Comparisons,
    folds: &Folds,
    settings: Settings,
    grid: &[f64],
    threads: usize,
    stop: &Stop,
) -> Result<CrossValidation> {
    let input = CvInput {
        votes,
        folds,
        settings,
        norm: f64::INFINITY,
        grid,
        extent: CvExtent::FullGrid,
    };
    Ok(cross_validate_with(&input, threads, stop, || Ok(()))?.0)
}

/// Cross-validates, with other work that one of the threads does first.
pub(crate) fn cross_validate_with<T: Send>(
    input: &CvInput<'_>,
    threads: usize,
    stop: &Stop,
    other: impl FnOnce() -> Result<T> + Send,
) -> Result<(CrossValidation, T)> {
    let bytes = Fold::max_bytes(input.votes, input.settings.loss) as f64;
    let [bytes] = input.votes.partition().max([bytes])?;
    // Each thread works on a fold of its own at least, whatever that takes.
    let fit_in_memory = MAX_FOLD_BYTES / (bytes as usize).max(1);
    run_folds(input, fit_in_memory.max(threads), threads, stop, other)
}

/// The same, with a limit on how many folds are in memory at once.
fn run_folds<T: Send>(
    input: &CvInput<'_>,
    max_in_memory: usize,
    threads: usize,
    stop: &Stop,
    other: impl FnOnce() -> Result<T> + Send,
) -> Result<(CrossValidation, T)> {
    let scheduler = Scheduler::new(input, max_in_memory);
    let workers = workers(input, threads);
    // Who helps goes on while this thread has something to do. Then all are asked again: this
    // thread takes a fold, and who finds none helps with its steps.
    let is_idle = AtomicBool::new(false);
    let help = || scheduler.work(|_| is_idle.load(Ordering::Relaxed), stop);
    let work = || {
        let outcome = scheduler.work(|advance| advance == Advance::ScoutEnded, stop);
        is_idle.store(true, Ordering::Relaxed);
        outcome
    };
    let other = with_helpers(workers, help, || {
        let other = other();
        work()?;
        other
    })?;
    while scheduler.has_work() {
        is_idle.store(false, Ordering::Relaxed);
        with_helpers(workers, help, work)?;
    }
    let result = scheduler.finish();
    Ok((CrossValidation::new(result, input), other))
}

/// On how many of these threads the folds are run.
fn workers(input: &CvInput<'_>, threads: usize) -> usize {
    // On several machines all make the same exchanges in the same order.
    if !input.votes.partition().is_complete() {
        return 1;
    }
    let folds = input.folds.count();
    let time: f64 = input.grid[input.grid.len() - 1] - input.grid[0];
    let steps = folds as f64 * time / input.settings.alpha;
    // Without a path there are no steps, or not a number of them.
    let votes = input.votes.len();
    let has_many_steps = steps * votes as f64 > MAX_VOTE_STEPS_ALONE;
    match has_many_steps || votes > MAX_VOTES_ALONE {
        true => threads.min(folds + 1),
        false => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Problem;
    use crate::options::Options;
    use crate::random::Random;
    use crate::votes::Comparison;

    /// Annotators who agree but for chance, and some who click left.
    fn votes(annotators: usize, items: usize) -> Comparisons {
        let mut random = Random(5);
        let mut votes = Comparisons::with_capacity(items, 0, false, false);
        for annotator in 0..annotators {
            for _ in 0..20 + annotator % 7 {
                let left = random.below(items);
                let right = (left + 1 + random.below(items - 1)) % items;
                let better = right as f64 - left as f64 + items as f64 * random.normal();
                votes.push(Comparison {
                    left,
                    right,
                    choice: if better > 0.0 || annotator % 5 == 0 {
                        1.0
                    } else {
                        -1.0
                    },
                    weight: 1.0,
                });
            }
            votes.end_annotator();
        }
        votes
    }

    #[test]
    fn few_votes_and_few_steps_need_no_other_thread() {
        let stop = Stop::default();
        let workers_of = |annotators: usize, kappa: f64| {
            let votes = votes(annotators, 6);
            let options = Options {
                kappa,
                grid_span: 2.0,
                ..Options::default()
            };
            let folds = Folds::draw(votes.len(), 5, 1);
            let problem = Problem::new(&votes, &options, &stop).unwrap();
            let input = CvInput {
                votes: &votes,
                folds: &folds,
                settings: problem.settings,
                norm: problem.norm,
                grid: &problem.grid(&options).unwrap(),
                extent: CvExtent::FullGrid,
            };
            workers(&input, 4)
        };
        assert_eq!(workers_of(5, 1.0), 1); // few votes, few steps
        assert_eq!(workers_of(5, 1000.0), 4); // many steps
        assert_eq!(workers_of(50, 1.0), 4); // many votes
    }

    /// The same errors and the same stop, whatever the number of threads and of
    /// folds in memory.
    #[test]
    fn scheduling_does_not_change_the_errors_or_the_stop() {
        let (stop, options) = (Stop::default(), Options::default());
        let votes = votes(60, 12);
        let folds = Folds::draw(votes.len(), 4, 1);
        let problem = Problem::new(&votes, &options, &stop).unwrap();
        let grid = problem.grid(&options).unwrap();
        let run = |extent, threads, max_in_memory| {
            let input = CvInput {
                votes: &votes,
                folds: &folds,
                settings: problem.settings,
                norm: problem.norm,
                grid: &grid,
                extent,
            };
            let found = run_folds(&input, max_in_memory, threads, &stop, || Ok(()));
            found.unwrap().0
        };
        let full = run(CvExtent::FullGrid, 1, 4);
        let points = full.points_to_stop;
        assert_eq!(full.points(), grid.len());
        assert!(points < grid.len());
        let mut stopped = full.clone();
        for curve in stopped.errors.iter_mut().chain(&mut stopped.mismatches) {
            curve.truncate(points);
        }
        assert_eq!(full.best(), stopped.best());
        for threads in [1, 3] {
            for max_in_memory in [1, 2, 4] {
                let case = format!("{threads} threads, {max_in_memory} folds in memory");
                let found = run(CvExtent::FullGrid, threads, max_in_memory);
                assert_eq!(found, full, "{case}");
                let found = run(CvExtent::UntilStopped, threads, max_in_memory);
                assert_eq!(found, stopped, "{case}");
            }
        }
    }
}
