//! How a long computation runs: on how many threads, until when, and who may
//! stop it.
//!
//! Work that nobody polls for runs on the calling thread. Where there is a poll,
//! long work goes to a worker thread and the calling thread waits for it; every few
//! milliseconds it looks at the clock and calls the poll. To stop the work it sets a
//! flag, [`Stop`], which the workers check between small pieces of work. Only the
//! calling thread ever calls the poll, because a poll may touch the host: that of
//! SQLite steps a statement on the caller's connection.
//!
//! Work that can be shared gets [`helpers`].

mod helpers;
mod panics;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use helpers::{COMPUTING, cores};
pub(crate) use helpers::{in_parallel, with_helpers};
pub(crate) use panics::guarded;
use panics::join;
#[cfg(any(feature = "duckdb", feature = "sqlite"))]
pub(crate) use panics::panic_text;

use crate::error::{Error, ErrorKind, Result};
use crate::progress::{ProgressReport, Steps};

/// How long the calling thread waits between two polls.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Work on so many votes or pairs at most, where there is a poll, is tried on the calling
/// thread alone first.
const MAX_SMALL: usize = 256;

/// For so long, about the time that it takes to start a few threads. A fit of three
/// votes of one annotator takes 0.04 ms alone and took 0.3 ms with threads.
const SMALL_PATIENCE: Duration = Duration::from_micros(250);

/// A sort of so many rows takes less than a millisecond.
const MAX_SMALL_SORT: usize = 4096;

/// What a debugger calls the thread of a fit.
const THREAD_NAME: &str = "me_hodgerank";

/// How far cross-validation runs the paths of its folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CvExtent {
    /// Over the whole grid of times.
    FullGrid,
    /// Until early stopping: the error has clearly passed its minimum.
    UntilStopped,
}

/// How far a fit goes. Each extent has all that those before it have, with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FitExtent {
    /// The folds until early stopping, the path of all votes to the chosen time. Of a table
    /// of many votes the times after that take as long as all the rest.
    ChosenTime,
    /// The path of all votes over the whole grid, which says when each effect enters, and the
    /// tests of each annotator.
    WholePath,
    /// The folds over the whole grid too.
    WholeCurve,
}

impl FitExtent {
    /// How far the folds are run.
    pub fn of_folds(self) -> CvExtent {
        match self {
            Self::ChosenTime | Self::WholePath => CvExtent::UntilStopped,
            Self::WholeCurve => CvExtent::FullGrid,
        }
    }
}

/// How a computation runs: number of threads, deadline, interruption.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::time::Duration;
/// use me_hodgerank::{Execution, Fit, Options, Simulation, VoteBuilder};
///
/// let options = Options::default();
/// let mut votes = VoteBuilder::new(&options);
/// for batch in Simulation::default().run()? {
///     votes.push_batch(&batch?)?;
/// }
/// let votes = votes.finish()?;
///
/// let cancelled = AtomicBool::new(false); // set from another thread
/// let mut execution = Execution::new()
///     .threads(2)
///     .deadline(Duration::from_secs(60))
///     .poll(|| match cancelled.load(Ordering::Relaxed) {
///         true => ControlFlow::Break(()),
///         false => ControlFlow::Continue(()),
///     });
/// let fit = Fit::new_within(&votes, &options, &mut execution)?;
/// # assert!(fit.has_chosen_time());
/// # Ok::<(), me_hodgerank::Error>(())
/// ```
#[must_use]
pub struct Execution<'a> {
    threads: usize,
    deadline: Option<Deadline>,
    poll: Option<Box<dyn FnMut() -> ControlFlow<()> + 'a>>,
    progress: ProgressReport<'a>,
    extent: FitExtent,
}

/// When to stop, and the limit in the words of the one who set it.
#[derive(Debug)]
struct Deadline {
    at: Instant,
    limit: String,
}

impl Default for Execution<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Execution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execution")
            .field("threads", &self.threads)
            .field("deadline", &self.deadline)
            .field("extent", &self.extent)
            .finish_non_exhaustive()
    }
}

impl<'a> Execution<'a> {
    /// An execution on all cores without a deadline.
    pub fn new() -> Self {
        Self {
            threads: cores(),
            deadline: None,
            poll: None,
            progress: ProgressReport::default(),
            extent: FitExtent::WholeCurve,
        }
    }

    /// Uses at most this many threads, fewer if others of this process compute at the
    /// same time. The results do not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Stops with an error of the kind [`TimedOut`](ErrorKind::TimedOut) once this
    /// much time has passed from now. Of several deadlines the earliest counts.
    pub fn deadline(mut self, after: Duration) -> Self {
        self.set_deadline(after, format!("the deadline of {after:?}"));
        self
    }

    /// Calls `poll` every few milliseconds, from the calling thread only, and stops
    /// with an error of the kind [`Interrupted`](ErrorKind::Interrupted) when it
    /// returns [`ControlFlow::Break`].
    pub fn poll(mut self, poll: impl FnMut() -> ControlFlow<()> + 'a) -> Self {
        self.poll = Some(Box::new(poll));
        self
    }

    /// Calls `progress` with the share of a fit that is done, from the calling thread only:
    /// numbers from 0 to 1 that never go down, with 1 at the end of a fit that succeeded.
    pub fn progress(mut self, progress: impl FnMut(f64) + 'a) -> Self {
        self.progress = ProgressReport::new(progress);
        self
    }

    /// Ends cross-validation once its error has clearly passed the minimum. The
    /// fit is faster and chooses the same time; the [`Cv`](crate::ResultSet::Cv)
    /// set ends where cross-validation did.
    pub fn early_stopping(mut self) -> Self {
        self.set_extent(FitExtent::WholePath);
        self
    }

    /// Runs fits no further than somebody needs them.
    pub(crate) fn set_extent(&mut self, extent: FitExtent) {
        self.extent = extent;
    }

    /// Applies the option `threads`: it lowers the limit, or keeps it.
    pub(crate) fn limit_threads(&mut self, threads: Option<usize>) {
        self.threads = self.threads.min(threads.unwrap_or(usize::MAX)).max(1);
    }

    /// Applies the option `max_seconds`, from now on.
    pub(crate) fn limit(&mut self, max_seconds: Option<f64>) {
        if let Some(seconds) = max_seconds
            && let Ok(after) = Duration::try_from_secs_f64(seconds)
        {
            self.set_deadline(after, format!("max_seconds = {seconds}"));
        }
    }

    /// Sets a deadline unless there is an earlier one. A time too far away to be
    /// represented is no deadline.
    fn set_deadline(&mut self, after: Duration, limit: String) {
        let is_earlier = |at: &Instant| self.deadline.as_ref().is_none_or(|old| *at < old.at);
        if let Some(at) = Instant::now().checked_add(after).filter(is_earlier) {
            self.deadline = Some(Deadline { at, limit });
        }
    }

    /// How many threads it uses at most.
    #[cfg_attr(not(feature = "python"), allow(dead_code))]
    pub(crate) fn thread_limit(&self) -> usize {
        self.threads
    }

    pub(crate) fn extent(&self) -> FitExtent {
        self.extent
    }

    /// An error once the time is over or the poll asks to stop, for a caller that
    /// waits for something else than its own work.
    pub(crate) fn check(&mut self) -> Result<()> {
        self.reason_to_stop().map_or(Ok(()), Err)
    }

    /// Runs `work` on so many votes or pairs, which is told on how many threads.
    ///
    /// Small work that somebody polls for is tried on this thread alone. If it takes longer
    /// than to start threads, it starts again with them. Without a poll it is on this
    /// thread anyway, and starts helpers where they are worth it: to try first would
    /// lengthen a fit of three votes of three annotators from 0.8 to 1.05 ms.
    pub(crate) fn run_sized<T: Send>(
        &mut self,
        size: usize,
        work: impl Fn(usize, &Stop) -> Result<T> + Sync,
    ) -> Result<T> {
        let threads = self.threads;
        if size <= MAX_SMALL && self.poll.is_some() {
            let stop = Stop::at(Instant::now().checked_add(SMALL_PATIENCE));
            match on_this_thread(&stop, |stop| work(1, stop)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                outcome => return outcome.inspect(|_| self.progress.finish(&stop.steps)),
            }
        }
        self.run(|stop| work(threads, stop))
    }

    /// Runs a sort of so many rows, which is told on how many threads: a small one on
    /// this thread, since its time is bounded.
    pub(crate) fn run_sort<T: Send>(
        &mut self,
        rows: usize,
        work: impl FnOnce(usize, &Stop) -> Result<T> + Send,
    ) -> Result<T> {
        if rows <= MAX_SMALL_SORT {
            return on_this_thread(&Stop::default(), |stop| work(1, stop));
        }
        let threads = self.threads;
        self.run(|stop| work(threads, stop))
    }

    /// Runs `work`. If there is a poll or somebody to tell of the progress, it runs on another
    /// thread and this one polls; if no thread can be had, on this one until the deadline.
    pub(crate) fn run<T: Send>(
        &mut self,
        work: impl FnOnce(&Stop) -> Result<T> + Send,
    ) -> Result<T> {
        let stop = Stop::at(self.deadline.as_ref().map(|deadline| deadline.at));
        let work = if self.poll.is_some() || self.progress.is_wanted() {
            match self.run_on_worker(&stop, work) {
                Ok(outcome) => return outcome,
                Err(work) => work,
            }
        } else {
            work
        };
        match on_this_thread(&stop, work) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                Err(self.reason_to_stop().unwrap_or(error))
            }
            outcome => outcome.inspect(|_| self.progress.finish(&stop.steps)),
        }
    }

    /// Runs `work` on another thread while this one polls. Gives the work back if no
    /// thread can be had.
    fn run_on_worker<T: Send, W: FnOnce(&Stop) -> Result<T> + Send>(
        &mut self,
        stop: &Stop,
        work: W,
    ) -> Result<Result<T>, W> {
        let slot = Mutex::new(Some(work));
        let take = || {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            slot.take().expect("taken once")
        };
        thread::scope(|scope| {
            let (done, finished) = channel::<()>();
            let take = &take;
            let worker = named_thread().spawn_scoped(scope, move || {
                let _done = done; // dropped on return and on panic
                let _seat = COMPUTING.enter();
                take()(stop)
            });
            let Ok(worker) = worker else {
                return Err(take());
            };
            let mut reason = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(POLL_INTERVAL) {
                self.progress.report(&stop.steps);
                if reason.is_none() {
                    reason = self.reason_to_stop();
                    if reason.is_some() {
                        stop.ask();
                    }
                }
            }
            Ok(match join(worker) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    Err(reason.or_else(|| self.reason_to_stop()).unwrap_or(error))
                }
                outcome => outcome.inspect(|_| self.progress.finish(&stop.steps)),
            })
        })
    }

    fn reason_to_stop(&mut self) -> Option<Error> {
        if let Some(Deadline { at, limit }) = &self.deadline
            && Instant::now() >= *at
        {
            return Some(Error::new(
                ErrorKind::TimedOut,
                format!(
                    "stopped after {limit}: allow more time, or make the fit cheaper with a \
                     smaller kappa, grid_span or number of folds"
                ),
            ));
        }
        let poll = self.poll.as_mut()?;
        poll().is_break().then(interrupted)
    }
}

/// Tells work to stop: a flag that the calling thread sets, or a time. The work tells how
/// far it is.
#[derive(Debug, Default)]
pub struct Stop {
    asked: AtomicBool,
    at: Option<Instant>,
    pub(crate) steps: Steps,
}

impl Stop {
    /// Asks to stop at a time.
    fn at(at: Option<Instant>) -> Self {
        let (asked, steps) = Default::default();
        Self { asked, at, steps }
    }

    fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// An error once the work was told to stop.
    ///
    /// A step of the path asks for each annotator, so without a deadline nothing is called.
    #[inline(always)]
    pub fn check(&self) -> Result<()> {
        match self.asked.load(Ordering::Relaxed) || self.at.is_some() {
            true => self.check_time(),
            false => Ok(()),
        }
    }

    #[cold]
    fn check_time(&self) -> Result<()> {
        let is_over = |at: Instant| Instant::now() >= at;
        if self.asked.load(Ordering::Relaxed) || self.at.is_some_and(is_over) {
            Err(interrupted())
        } else {
            Ok(())
        }
    }
}

fn named_thread() -> thread::Builder {
    thread::Builder::new().name(THREAD_NAME.into())
}

/// Runs work on this thread. Its panic becomes an error.
fn on_this_thread<T>(stop: &Stop, work: impl FnOnce(&Stop) -> Result<T>) -> Result<T> {
    let _seat = COMPUTING.enter();
    guarded(|| work(stop))
}

fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "interrupted")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn forever(stop: &Stop) -> Result<()> {
        loop {
            stop.check()?;
            thread::yield_now();
        }
    }

    #[test]
    fn a_poll_stops_the_work() {
        let mut calls = 0;
        let mut poll = || {
            calls += 1;
            if calls == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let error = Execution::new().poll(&mut poll).run(forever).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        assert_eq!(calls, 3);
    }

    #[test]
    fn a_closure_can_be_the_poll() {
        let error = Execution::new()
            .poll(|| ControlFlow::Break(()))
            .run(forever)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
    }

    #[test]
    fn time_runs_out() {
        let mut execution = Execution::new();
        execution.limit(Some(0.01));
        let error = execution.run(forever).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(
            error
                .to_string()
                .starts_with("stopped after max_seconds = 0.01:")
        );
    }

    #[test]
    fn the_earliest_deadline_counts() {
        let mut execution = Execution::new()
            .deadline(Duration::from_millis(10))
            .deadline(Duration::MAX)
            .deadline(Duration::from_secs(1000));
        execution.limit(Some(1e300));
        execution.limit(Some(1000.0));
        let error = execution.run(forever).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(
            error
                .to_string()
                .starts_with("stopped after the deadline of 10ms: allow more time,"),
            "{error}"
        );
    }

    #[test]
    fn small_work_that_takes_long_is_polled() {
        let this = thread::current().id();
        let elsewhere = AtomicBool::new(false);
        let mut execution = Execution::new().poll(|| match elsewhere.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        let error = execution.run_sized(1, |_, stop| {
            elsewhere.store(thread::current().id() != this, Ordering::Relaxed);
            forever(stop)
        });
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Interrupted);
    }

    #[test]
    fn small_work_that_takes_long_starts_again_only_if_it_is_polled() {
        for (poll, expected) in [(false, 1), (true, 2)] {
            let mut execution = Execution::new();
            if poll {
                execution = execution.poll(|| ControlFlow::Continue(()));
            }
            let calls = AtomicUsize::new(0);
            let outcome = execution.run_sized(1, |_, stop| {
                calls.fetch_add(1, Ordering::Relaxed);
                thread::sleep(4 * SMALL_PATIENCE);
                stop.check()
            });
            assert_eq!((outcome, calls.into_inner()), (Ok(()), expected));
        }
    }

    #[test]
    fn small_work_stays_on_its_thread() {
        let this = thread::current().id();
        let mut execution = Execution::new().poll(|| ControlFlow::Continue(()));
        let there = execution.run_sized(1, |threads, _| Ok((threads, thread::current().id())));
        assert_eq!(there, Ok((1, this)));
        let there = execution.run_sized(1 << 20, |_, _| Ok(thread::current().id()));
        assert_ne!(there, Ok(this));
        // Nobody polls: there is nothing to do meanwhile.
        let there = Execution::new().run(|_| Ok(thread::current().id()));
        assert_eq!(there, Ok(this));
    }

    #[test]
    fn a_panic_becomes_an_error() {
        for mut execution in [
            Execution::new(),
            Execution::new().poll(|| ControlFlow::Continue(())),
        ] {
            let error = execution.run::<()>(|_| panic!("oh no")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Internal);
            assert!(error.to_string().contains("oh no"));
        }
    }
}
