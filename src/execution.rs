//! How a long computation runs: on how many threads, until when, and who may
//! stop it.
//!
//! The work goes to worker threads. The calling thread waits for it; every few
//! milliseconds it looks at the clock and calls the poll of the caller. To stop
//! the work it sets a flag, [`Stop`], which the workers check between small
//! pieces of work. Only the calling thread ever calls the poll, because a poll
//! may touch the host: that of SQLite steps a statement on the caller's connection.
//!
//! Work that may take less time than threads take to start is tried on the calling
//! thread first. If it is not done when the first poll is due, it starts again on a
//! worker.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};

/// How long the calling thread waits between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Votes, or pairs of items, up to which work is tried on the calling thread first.
const MAX_SMALL_SIZE: usize = 300;

/// Work on the calling thread looks at the clock in one of so many checks.
const CHECKS_PER_CLOCK: u32 = 32;

/// How far cross-validation runs the paths of its folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CvExtent {
    /// Over the whole grid of times.
    FullGrid,
    /// Until early stopping: the error has clearly passed its minimum.
    UntilStopped,
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
    cv_extent: CvExtent,
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
            .field("cv_extent", &self.cv_extent)
            .finish_non_exhaustive()
    }
}

impl<'a> Execution<'a> {
    /// An execution on all cores without a deadline.
    pub fn new() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads,
            deadline: None,
            poll: None,
            cv_extent: CvExtent::FullGrid,
        }
    }

    /// Uses at most this many worker threads. The results do not depend on it.
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

    /// Ends cross-validation once its error has clearly passed the minimum. The
    /// fit is faster and chooses the same time; the [`Cv`](crate::ResultSet::Cv)
    /// set ends where cross-validation did.
    pub fn early_stopping(mut self) -> Self {
        self.stop_early();
        self
    }

    /// The same for an execution that is already in use.
    pub(crate) fn stop_early(&mut self) {
        self.cv_extent = CvExtent::UntilStopped;
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

    pub(crate) fn cv_extent(&self) -> CvExtent {
        self.cv_extent
    }

    pub(crate) fn worker_threads(&self) -> usize {
        self.threads
    }

    /// Whether work of so many votes or pairs is tried on the calling thread first.
    pub(crate) fn is_small(size: usize) -> bool {
        size <= MAX_SMALL_SIZE
    }

    /// Runs `work` of some size, given the number of threads that it may use: on the
    /// calling thread if it is small and soon done, otherwise on other threads.
    pub(crate) fn run_sized<T: Send>(
        &mut self,
        size: usize,
        work: impl Fn(&Stop, usize) -> Result<T> + Send + Sync,
    ) -> Result<T> {
        if Self::is_small(size) {
            let stop = Stop::at(Instant::now() + POLL_INTERVAL);
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&stop, 1)));
            if !stop.was_set() {
                return outcome.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
            }
        }
        let threads = self.threads;
        self.run(|stop| work(stop, threads))
    }

    /// Runs `work` on another thread. This one polls until it is done.
    pub(crate) fn run<T: Send>(
        &mut self,
        work: impl FnOnce(&Stop) -> Result<T> + Send,
    ) -> Result<T> {
        let stop = Stop::default();
        thread::scope(|scope| {
            let (done, finished) = channel::<()>();
            let stop = &stop;
            let worker = thread::Builder::new()
                .name("me_hodgerank".into())
                .spawn_scoped(scope, move || {
                    let _done = done; // dropped on return and on panic
                    work(stop)
                })
                .map_err(|error| internal(format!("could not start a thread: {error}")))?;
            let mut reason = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(POLL_INTERVAL) {
                if reason.is_none() {
                    reason = self.reason_to_stop();
                    if reason.is_some() {
                        stop.set();
                    }
                }
            }
            match join(worker) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    Err(reason.unwrap_or(error))
                }
                outcome => outcome,
            }
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

/// The flag by which the calling thread stops its workers.
#[derive(Debug, Default)]
pub struct Stop {
    is_set: AtomicBool,
    /// On the calling thread, which cannot set the flag while it works.
    timer: Option<Timer>,
}

/// Sets a flag at a time.
#[derive(Debug)]
struct Timer {
    at: Instant,
    /// How many checks there were.
    checks: AtomicU32,
}

impl Stop {
    /// A flag that is set at a time, by the thread that checks it.
    fn at(at: Instant) -> Self {
        let checks = AtomicU32::new(0);
        Self {
            is_set: AtomicBool::new(false),
            timer: Some(Timer { at, checks }),
        }
    }

    fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
    }

    fn was_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// An error once the work was told to stop.
    pub fn check(&self) -> Result<()> {
        if let Some(Timer { at, checks }) = &self.timer {
            let count = checks.fetch_add(1, Ordering::Relaxed);
            if count.is_multiple_of(CHECKS_PER_CLOCK) && Instant::now() >= *at {
                self.set();
            }
        }
        if self.was_set() {
            Err(interrupted())
        } else {
            Ok(())
        }
    }
}

/// Waits for a thread. Its panic becomes an error.
pub(crate) fn join<T>(handle: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    handle
        .join()
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic_text(panic);
    internal(format!("a worker thread panicked: {text}"))
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown")
}

fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "interrupted")
}

fn internal(message: String) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("{message} (this is a defect of me_hodgerank: please report it)"),
    )
}

#[cfg(test)]
mod tests {
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
    fn a_panic_becomes_an_error() {
        let here = Execution::new().run_sized::<()>(0, |_, _| panic!("oh no"));
        for outcome in [Execution::new().run(|_| panic!("oh no")), here] {
            let error = outcome.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Internal);
            assert!(error.to_string().contains("oh no"));
        }
    }

    #[test]
    fn small_work_is_done_by_the_calling_thread() {
        let caller = thread::current().id();
        let is_here = |size| {
            let mut execution = Execution::new().threads(2);
            execution.run_sized(size, |stop, threads| {
                stop.check()?;
                Ok((thread::current().id() == caller, threads))
            })
        };
        assert_eq!(is_here(MAX_SMALL_SIZE).unwrap(), (true, 1));
        assert_eq!(is_here(MAX_SMALL_SIZE + 1).unwrap(), (false, 2));
    }

    /// What looks small and is not goes to a worker, where it can be stopped.
    #[test]
    fn work_that_does_not_end_soon_starts_again_on_a_worker() {
        let mut execution = Execution::new();
        execution.limit(Some(0.01));
        let error = execution.run_sized(1, |stop, _| forever(stop)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
