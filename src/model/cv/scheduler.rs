//! Runs the folds on several threads, with a limit on how many are in memory.
//!
//! Where to stop is decided by the errors of all folds together, so all folds
//! have to be evaluated up to there.
//!
//! Of a large table the first fold is the [`super::scout`]: it runs ahead, and says how far
//! the others have to run.
//!
//! **All folds fit in memory**: they are interleaved. A worker takes the fold
//! that lags behind and advances it by one grid time. So the folds stay together,
//! the stop is known as soon as it is reached, and none goes far beyond.
//!
//! **They do not**: the folds are sequential. Each worker runs one as far as it
//! is needed before it begins the next. The stop is known only when the last fold
//! is run. Until then a guess says how far to run: the *horizon* is where the own
//! error of the first fold has risen by a little more than the pooled error must.
//! A fold that has come to the horizon leaves memory, and only its errors are
//! kept. If the pooled errors up to the horizon do not stop, the guess was wrong:
//! the folds begin their paths again and go on to the end of the grid. A wrong
//! guess costs time, but the errors and the stop are the same.
//!
//! Folds of many votes cannot all be in memory: of 5 million votes of 5,000
//! annotators on 1,000 items, each takes up to about 140 MB. Nine tenths of that
//! are vectors over the items that each annotator saw, which every step needs.

use std::sync::{Mutex, MutexGuard};

use super::early_stopping::{EarlyStopping, is_beyond_stop};
use super::fold::{Evaluation, Fold};
use super::input::CvInput;
use crate::error::Result;
use crate::execution::CvExtent;
use crate::execution::Stop;

/// The folds, and what is known of them.
pub(super) struct Scheduler<'a> {
    input: &'a CvInput<'a>,
    progress: Mutex<FoldProgress<Fold>>,
}

/// What came of advancing a fold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Advance {
    Done,
    /// The scout has come to its end, and others have more to do than before.
    ScoutEnded,
}

/// The errors of one fold, by grid time.
#[derive(Default)]
pub(super) struct FoldErrors {
    /// Mean losses.
    pub errors: Vec<f64>,
    pub mismatches: Vec<f64>,
    /// That of the model without effects.
    pub hodgerank_error: f64,
}

/// What came out of all folds.
pub(super) struct ScheduleResult {
    pub folds: Vec<FoldErrors>,
    /// The number of grid times up to the early stop; all if there is none.
    pub points_to_stop: usize,
}

/// Which folds are where, and what is known of their errors. `F` is a fold.
struct FoldProgress<F> {
    extent: CvExtent,
    grid_points: usize,
    max_in_memory: usize,
    folds: Vec<FoldState<F>>,
    errors: Vec<FoldErrors>,
    early_stopping: EarlyStopping,
    /// The number of grid times that folds are run to before the stop is known.
    horizon: usize,
    horizon_is_set: bool,
}

enum FoldState<F> {
    /// Not begun, or evaluated as far as needed.
    NotInMemory,
    /// In memory, and no worker has it.
    Idle(Box<F>),
    /// A worker has it.
    Running,
}

/// The next piece of work: a fold at a grid time.
struct FoldTask<F> {
    index: usize,
    point: usize,
    fold: Option<Box<F>>,
}

impl<'a> Scheduler<'a> {
    pub fn new(input: &'a CvInput<'a>, max_in_memory: usize) -> Self {
        let (folds, points) = (input.folds.count(), input.grid.len());
        let partition = input.votes.partition();
        let has_scout = partition.is_large();
        let early_stopping = EarlyStopping::new(folds, points, has_scout, partition);
        let progress = FoldProgress::new(points, input.extent, max_in_memory, early_stopping);
        Self {
            input,
            progress: Mutex::new(progress),
        }
    }

    /// Advances folds until there is none that this thread could advance, or until what came of
    /// one says that it leaves.
    pub fn work(&self, leaves: impl Fn(Advance) -> bool, stop: &Stop) -> Result<()> {
        while let Some(advance) = self.advance(stop)?
            && !leaves(advance)
        {}
        Ok(())
    }

    /// Advances a fold by one grid time. None if there is no fold that this thread could advance.
    fn advance(&self, stop: &Stop) -> Result<Option<Advance>> {
        let Some(FoldTask { index, point, fold }) = self.next_task() else {
            return Ok(None);
        };
        let mut hodgerank_error = None;
        let mut fold = match fold {
            Some(fold) => fold,
            None => {
                let mut fold = Box::new(Fold::new(self.input, index, stop)?);
                hodgerank_error = Some(fold.hodgerank_error()?);
                fold
            }
        };
        let evaluation = fold.evaluate(self.input.grid[point], stop)?;
        stop.steps.count();
        let mut progress = self.lock();
        if let Some(error) = hodgerank_error {
            progress.errors[index].hodgerank_error = error;
        }
        let was_waiting = progress.early_stopping.is_waiting();
        let finished = progress.record(index, fold, &evaluation)?;
        let has_ended = was_waiting && !progress.early_stopping.is_waiting();
        drop(progress);
        drop(finished);
        match has_ended {
            true => Ok(Some(Advance::ScoutEnded)),
            false => Ok(Some(Advance::Done)),
        }
    }

    /// Whether there is a fold to advance. Nobody must be working.
    pub fn has_work(&self) -> bool {
        self.lock().next_fold().is_some()
    }

    fn next_task(&self) -> Option<FoldTask<Fold>> {
        self.lock().next_task()
    }

    fn lock(&self) -> MutexGuard<'_, FoldProgress<Fold>> {
        self.progress.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The errors, after all workers have ended without an error.
    pub fn finish(self) -> ScheduleResult {
        let progress = self.progress.into_inner();
        let progress = progress.unwrap_or_else(|e| e.into_inner());
        ScheduleResult {
            points_to_stop: progress
                .early_stopping
                .stop()
                .unwrap_or(progress.grid_points),
            folds: progress.errors,
        }
    }
}

impl<F> FoldProgress<F> {
    fn new(
        grid_points: usize,
        extent: CvExtent,
        max_in_memory: usize,
        early_stopping: EarlyStopping,
    ) -> Self {
        let folds = early_stopping.folds();
        Self {
            extent,
            grid_points,
            max_in_memory,
            folds: (0..folds).map(|_| FoldState::NotInMemory).collect(),
            errors: (0..folds).map(|_| FoldErrors::default()).collect(),
            early_stopping,
            horizon: grid_points,
            horizon_is_set: false,
        }
    }

    fn is_interleaved(&self) -> bool {
        self.max_in_memory >= self.folds.len()
    }

    /// The number of grid times that a fold has to be evaluated at, as far as
    /// is known.
    fn needed_points(&self, index: usize) -> usize {
        match self.extent {
            CvExtent::FullGrid => self.grid_points,
            CvExtent::UntilStopped => {
                let needed = self.early_stopping.needed_points(index);
                needed.min(self.horizon)
            }
        }
    }

    /// The fold to be advanced next, and the point that it comes to. Sequential folds are
    /// begun only if none in memory is idle; otherwise it is the one with the fewest points.
    fn next_fold(&self) -> Option<(usize, usize)> {
        let not_in_memory = |state: &&FoldState<F>| matches!(state, FoldState::NotInMemory);
        let in_memory = self.folds.len() - self.folds.iter().filter(not_in_memory).count();
        let order = |(index, state): (usize, &FoldState<F>)| {
            let begins_later = match state {
                FoldState::Running => return None,
                FoldState::NotInMemory if in_memory >= self.max_in_memory => return None,
                FoldState::NotInMemory => !self.is_interleaved(),
                FoldState::Idle(_) => false,
            };
            let point = self.errors[index].errors.len();
            (point < self.needed_points(index)).then_some((begins_later, point, index))
        };
        let (_, point, index) = self.folds.iter().enumerate().filter_map(order).min()?;
        Some((index, point))
    }

    /// Takes that fold.
    fn next_task(&mut self) -> Option<FoldTask<F>> {
        let (index, point) = self.next_fold()?;
        let fold = match std::mem::replace(&mut self.folds[index], FoldState::Running) {
            FoldState::Idle(fold) => Some(fold),
            FoldState::NotInMemory | FoldState::Running => None,
        };
        Some(FoldTask { index, point, fold })
    }

    /// Takes a fold back with its errors at the next grid time. Returns the folds
    /// that need not be in memory any longer.
    fn record(
        &mut self,
        index: usize,
        fold: Box<F>,
        evaluation: &Evaluation,
    ) -> Result<Vec<FoldState<F>>> {
        self.folds[index] = FoldState::Idle(fold);
        let errors = &mut self.errors[index];
        errors.errors.push(evaluation.error);
        errors.mismatches.push(evaluation.mismatch);
        let points = errors.errors.len();
        self.early_stopping
            .record(index, points - 1, &evaluation.by_annotator)?;
        if !self.is_interleaved() {
            self.update_horizon(index);
        }
        Ok(self.take_finished())
    }

    /// The first fold that is expected to be beyond the stop sets the horizon.
    /// When all folds have come to it and there is no stop, it is given up.
    fn update_horizon(&mut self, index: usize) {
        let errors = &self.errors[index].errors;
        if !self.horizon_is_set && is_beyond_stop(errors) {
            self.horizon = errors.len();
            self.horizon_is_set = true;
        }
        let mut points = self.errors.iter().map(|fold| fold.errors.len());
        if points.all(|points| points >= self.horizon) {
            self.horizon = self.grid_points;
        }
    }

    /// Takes the folds out of memory that have been evaluated as far as needed.
    fn take_finished(&mut self) -> Vec<FoldState<F>> {
        if self.early_stopping.is_waiting() && self.extent == CvExtent::UntilStopped {
            return Vec::new();
        }
        let is_finished = |&index: &usize| {
            let points = self.errors[index].errors.len();
            matches!(self.folds[index], FoldState::Idle(_)) && points >= self.needed_points(index)
        };
        let finished: Vec<usize> = (0..self.folds.len()).filter(is_finished).collect();
        let take = |index: usize| std::mem::replace(&mut self.folds[index], FoldState::NotInMemory);
        finished.into_iter().map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::score::LossSum;
    use super::*;
    use crate::votes::Partition;

    /// Runs folds with given errors on one thread.
    struct FoldRun {
        /// The points that each fold was evaluated at.
        points: Vec<usize>,
        stop: Option<usize>,
        /// How often a fold began.
        begun: usize,
    }

    fn run(curves: &[[f64; 6]], max_in_memory: usize, has_scout: bool) -> FoldRun {
        let partition = Arc::new(Partition::single(10, 10));
        let early_stopping = EarlyStopping::new(curves.len(), 6, has_scout, partition);
        let extent = CvExtent::UntilStopped;
        let mut progress = FoldProgress::<()>::new(6, extent, max_in_memory, early_stopping);
        let mut begun = 0;
        while let Some(FoldTask { index, point, fold }) = progress.next_task() {
            begun += usize::from(fold.is_none());
            let error = curves[index][point];
            let errors = LossSum {
                sum: error,
                weight: 1.0,
            };
            let evaluation = Evaluation {
                error,
                mismatch: 0.0,
                by_annotator: vec![errors; 10],
            };
            progress.record(index, Box::new(()), &evaluation).unwrap();
        }
        for (fold, curve) in progress.errors.iter().zip(curves) {
            assert_eq!(fold.errors, curve[..fold.errors.len()]);
        }
        let points = progress.errors.iter().map(|fold| fold.errors.len());
        FoldRun {
            points: points.collect(),
            stop: progress.early_stopping.stop(),
            begun,
        }
    }

    #[test]
    fn interleaved_folds_stay_together() {
        let curve = [0.5, 0.4, 0.409, 0.42, 0.43, 0.44];
        let run = run(&[curve; 3], 3, false);
        assert_eq!((run.stop, run.begun), (Some(3), 3));
        assert_eq!(run.points, [3; 3]);
    }

    #[test]
    fn sequential_folds_run_to_the_horizon_that_the_first_one_sets() {
        let curve = [0.5, 0.4, 0.409, 0.42, 0.43, 0.44];
        for limit in [1, 2] {
            let run = run(&[curve; 3], limit, false);
            assert_eq!((run.stop, run.begun), (Some(3), 3));
            assert_eq!(run.points, [4, 4, 3]);
        }
    }

    #[test]
    fn a_wrong_horizon_does_not_change_the_stop() {
        let misleading = [0.5, 0.4, 0.42, 0.3, 0.2, 0.3];
        let others = [0.5, 0.4, 0.3, 0.2, 0.1, 0.2];
        let curves = [misleading, others, others];
        for (limit, begun) in [(3, 3), (2, 5), (1, 5)] {
            let run = run(&curves, limit, false);
            assert_eq!((run.stop, run.begun), (Some(6), begun));
            assert_eq!(run.points, [6; 3]);
        }
    }

    #[test]
    fn a_scout_says_how_far_the_others_run() {
        let curve = [0.5, 0.4, 0.401, 0.405, 0.42, 0.44];
        for limit in [3, 2, 1] {
            let run = run(&[curve; 3], limit, true);
            assert_eq!((run.stop, run.begun), (Some(3), 3));
            assert_eq!(run.points, [5, 3, 3]);
        }
    }

    #[test]
    fn a_scout_that_never_rises_by_much_runs_to_the_end() {
        let curve = [0.5, 0.4, 0.401, 0.402, 0.402, 0.403];
        let run = run(&[curve; 3], 3, true);
        assert_eq!((run.stop, run.points), (Some(3), vec![6, 3, 3]));
    }

    #[test]
    fn where_the_pooled_error_rises_first_the_scout_decides_nothing() {
        let scout = [0.5, 0.4, 0.39, 0.38, 0.37, 0.36];
        let others = [0.5, 0.4, 0.45, 0.46, 0.47, 0.48];
        let run = run(&[scout, others, others], 3, true);
        assert_eq!(run.stop, Some(3));
    }

    #[test]
    fn a_wrong_scout_does_not_change_the_stop() {
        let scout = [0.5, 0.4, 0.401, 0.402, 0.42, 0.43];
        let others = [0.5, 0.4, 0.3, 0.2, 0.1, 0.2];
        for limit in [3, 2, 1] {
            let run = run(&[scout, others, others], limit, true);
            assert_eq!(run.stop, Some(6));
            assert_eq!(run.points, [6; 3]);
        }
    }
}
