//! How a long computation is watched: one calling thread that polls, workers
//! that look at a flag.
//!
//! A host's poll may touch the host (SQLite steps a statement on the caller's
//! connection), so only the calling thread ever calls it. The work itself goes
//! to other threads, which check a [`Stop`] flag between small pieces.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};
use crate::model::CvExtent;

/// How long the calling thread waits between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Says whether to go on; called every few milliseconds from the calling thread.
pub type Poll<'a> = dyn FnMut() -> ControlFlow<()> + 'a;

/// The circumstances of one run: how many threads, who may stop it, and when.
pub struct Execution<'a> {
    threads: usize,
    deadline: Option<(Instant, f64)>,
    poll: Option<&'a mut Poll<'a>>,
    cv_extent: CvExtent,
}

impl Default for Execution<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Execution<'a> {
    /// A run on all cores that nobody stops.
    pub fn new() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads,
            deadline: None,
            poll: None,
            cv_extent: CvExtent::FullGrid,
        }
    }

    /// At most so many worker threads. The answer does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Calls `poll` every few milliseconds; the run stops when it says so.
    pub fn poll(mut self, poll: &'a mut Poll<'a>) -> Self {
        self.poll = Some(poll);
        self
    }

    /// Gives up once `seconds` have passed from now.
    pub fn max_seconds(mut self, seconds: Option<f64>) -> Self {
        self.deadline = deadline(seconds);
        self
    }

    /// Cross-validation is only to choose a time: it ends when its error has
    /// clearly turned. The choice is the same, the [`Cv`](crate::ResultSet::Cv)
    /// set is shorter, and so is the run.
    pub fn early_stopping(&mut self) {
        self.cv_extent = CvExtent::UntilStopped;
    }

    pub(crate) fn cv_extent(&self) -> CvExtent {
        self.cv_extent
    }

    /// Sets a deadline unless there is one.
    pub(crate) fn limit(&mut self, seconds: Option<f64>) {
        if self.deadline.is_none() {
            self.deadline = deadline(seconds);
        }
    }

    pub(crate) fn worker_threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` on another thread and watches it from this one.
    pub(crate) fn watch<T: Send>(
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
                    let _done = done; // dropped on every way out, a panic too
                    work(stop)
                })
                .map_err(|error| internal(format!("could not start a thread: {error}")))?;
            let mut reason = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(POLL_INTERVAL) {
                if reason.is_none() {
                    reason = self.reason_to_stop();
                    if reason.is_some() {
                        stop.0.store(true, Ordering::Relaxed);
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
        if let Some((deadline, seconds)) = self.deadline
            && Instant::now() >= deadline
        {
            return Some(Error::new(
                ErrorKind::TimedOut,
                format!(
                    "stopped after max_seconds = {seconds}: allow more time, or make the fit \
                     cheaper with a smaller kappa, grid_span or number of folds"
                ),
            ));
        }
        let poll = self.poll.as_mut()?;
        poll().is_break().then(interrupted)
    }
}

/// A time too far away to be represented is no limit.
fn deadline(seconds: Option<f64>) -> Option<(Instant, f64)> {
    let seconds = seconds?;
    let wait = Duration::try_from_secs_f64(seconds).ok()?;
    Some((Instant::now().checked_add(wait)?, seconds))
}

/// The flag that workers look at.
#[derive(Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// An error once the run was told to stop.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            Err(interrupted())
        } else {
            Ok(())
        }
    }
}

/// Waits for a thread; its panic becomes an error.
pub(crate) fn join<T>(handle: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    handle.join().unwrap_or_else(|panic| {
        let text = panic_text(panic.as_ref());
        Err(internal(format!("a worker thread panicked: {text}")))
    })
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
        let error = Execution::new().poll(&mut poll).watch(forever).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        assert_eq!(calls, 3);
    }

    #[test]
    fn time_runs_out() {
        let error = Execution::new()
            .max_seconds(Some(0.01))
            .watch(forever)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(
            error
                .to_string()
                .starts_with("stopped after max_seconds = 0.01:")
        );
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let error = Execution::new()
            .watch::<()>(|_| panic!("oh no"))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.to_string().contains("oh no"));
    }
}
