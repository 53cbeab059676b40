//! Fits that run on threads of their own while a query waits for them.
//!
//! DuckDB does not interrupt an aggregate's finalize, but it looks for an interrupt between
//! the rounds of a recursive CTE. So the aggregate of a table function only collects the
//! votes ([`park`]). The recursive CTE of its macro asks for the fit ([`wait`], which
//! returns after a short time): the first time starts it. Meanwhile another thread of DuckDB
//! that has nothing to do may [`rest`]. The last step takes the result ([`take`]). If nobody has asked for some time, the query was interrupted: the fit stops
//! and everything is freed.
//!
//! A query may do other work between collecting and asking, for as long as that takes: the
//! other side of a join, or another fit. Until somebody asks, a job waits.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;

use super::error::{SqlError, guard};
use crate::{CandidatePairs, Execution};

/// So long [`wait`] waits for a fit before DuckDB may look for an interrupt.
const MAX_WAIT: Duration = Duration::from_millis(50);

/// How much later than the thread that rests the one that waits may begin a round.
const MAX_DELAY: Duration = Duration::from_micros(200);

/// A fit that runs stops if nobody has asked for it for so long.
const MAX_IDLE: Duration = Duration::from_secs(2);

/// Votes are kept for so long if nobody ever asks for their fit: the query ended before.
const MAX_PARKED: Duration = Duration::from_secs(3600);

/// Of the time between two looks at the clock so much counts: a process that was
/// suspended did not ask, but nobody interrupted it either.
const MAX_COUNTED: Duration = Duration::from_millis(100);

/// What a table function waits for.
#[derive(Debug)]
pub enum JobResult {
    /// The rows of the one result set that was asked for.
    Rows(RecordBatch),
    /// A fit as bytes.
    Model(Vec<u8>),
}

type Outcome = Result<JobResult, SqlError>;

/// What a job does, with the candidate pairs that come with the first question. It stops
/// when its execution says so.
type Work = Box<dyn FnOnce(&mut Execution<'_>, Option<CandidatePairs>) -> Outcome + Send>;

/// A fit that waits, runs or has ended.
struct Job {
    /// How often somebody asked.
    asked: AtomicU64,
    /// How many threads wait for it. Changes under the lock of the progress.
    waiting: AtomicU64,
    progress: Mutex<Progress>,
    /// Notified whenever the progress or the number of waiting threads changes.
    changed: Condvar,
}

enum Progress {
    Parked(Instant, Work),
    Running,
    Ended(Outcome),
    Taken,
}

/// All jobs by their numbers, which are never 0.
static JOBS: LazyLock<Mutex<HashMap<u64, Arc<Job>>>> = LazyLock::new(Mutex::default);
static LAST_NUMBER: AtomicU64 = AtomicU64::new(0);

/// Keeps the work of a job until somebody asks for it, and returns its number.
pub fn park(
    work: impl FnOnce(&mut Execution<'_>, Option<CandidatePairs>) -> Outcome + Send + 'static,
) -> u64 {
    let number = LAST_NUMBER.fetch_add(1, Ordering::Relaxed) + 1;
    let job = Job {
        asked: AtomicU64::new(0),
        waiting: AtomicU64::new(0),
        progress: Mutex::new(Progress::Parked(Instant::now(), Box::new(work))),
        changed: Condvar::new(),
    };
    let mut jobs = jobs();
    jobs.retain(|_, job| !job.is_forgotten());
    jobs.insert(number, Arc::new(job));
    number
}

/// Runs the work of a job on a thread of its own.
fn start(
    number: u64,
    job: &Arc<Job>,
    work: Work,
    candidates: Option<CandidatePairs>,
) -> Result<(), SqlError> {
    let entry = JobEntry(number);
    let job = job.clone();
    let run = move || {
        let _entry = entry;
        let mut patience = Patience::new();
        let outcome = guard(|| {
            let poll = || match patience.is_over(&job) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            work(&mut Execution::new().poll(poll), candidates)
        });
        *job.progress() = Progress::Ended(outcome);
        job.changed.notify_all();
        job.linger(&mut patience);
    };
    let thread = thread::Builder::new().name("me_hodgerank".into());
    let started = thread.spawn(run);
    let cannot = |error| format!("no thread can be started for the fit: {error}");
    Ok(started.map(drop).map_err(cannot)?)
}

/// Waits for a job, not long; whether it is done. Its error is returned once. The candidate
/// pairs are read when the job starts.
pub fn wait(
    number: u64,
    candidates: impl FnOnce() -> Result<Option<CandidatePairs>, SqlError>,
) -> Result<bool, SqlError> {
    let job = find(number)?;
    job.asked.fetch_add(1, Ordering::Relaxed);
    let parked = job.progress().start();
    if let Some(work) = parked {
        let pairs = candidates().inspect_err(|_| drop(JobEntry(number)))?;
        start(number, &job, work, pairs)?;
    }
    let is_running = |progress: &mut Progress| matches!(progress, Progress::Running);
    let progress = job.progress();
    job.waiting.fetch_add(1, Ordering::Relaxed);
    job.changed.notify_all();
    let waited = job
        .changed
        .wait_timeout_while(progress, MAX_WAIT, is_running);
    let (mut progress, _) = waited.unwrap_or_else(PoisonError::into_inner);
    job.waiting.fetch_sub(1, Ordering::Relaxed);
    job.changed.notify_all();
    match &*progress {
        Progress::Parked(..) | Progress::Running => Ok(false),
        Progress::Ended(Ok(_)) => Ok(true),
        Progress::Ended(Err(_)) | Progress::Taken => {
            let ended = std::mem::replace(&mut *progress, Progress::Taken);
            job.changed.notify_all();
            ended.into_result().map(|_| true)
        }
    }
}

/// Returns when no thread waits for a job any more. One may be about to.
pub fn rest(number: u64) {
    let Ok(job) = find(number) else {
        return; // it has ended
    };
    let is_waited_for = || job.waiting.load(Ordering::Relaxed) > 0;
    let is_open =
        |progress: &mut Progress| matches!(progress, Progress::Parked(..) | Progress::Running);
    let begins = job
        .changed
        .wait_timeout_while(job.progress(), MAX_DELAY, |progress| {
            is_open(progress) && !is_waited_for()
        });
    let (progress, _) = begins.unwrap_or_else(PoisonError::into_inner);
    let ended = job
        .changed
        .wait_timeout_while(progress, MAX_WAIT, |_| is_waited_for());
    drop(ended);
}

/// The result of a job that is done. It can be taken once.
pub fn take(number: u64) -> Result<JobResult, SqlError> {
    let job = find(number)?;
    let ended = std::mem::replace(&mut *job.progress(), Progress::Taken);
    job.changed.notify_all();
    ended.into_result()
}

fn find(number: u64) -> Result<Arc<Job>, SqlError> {
    jobs().get(&number).cloned().ok_or_else(|| {
        let seconds = MAX_IDLE.as_secs();
        format!(
            "this fit was given up, since its query did not ask for it for {seconds} seconds: \
             run the query again, and fetch its rows without a pause"
        )
        .into()
    })
}

fn jobs() -> MutexGuard<'static, HashMap<u64, Arc<Job>>> {
    // No call leaves the map half changed, so a panic elsewhere does no harm to it.
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets a job when it is dropped, also where its thread never ran.
struct JobEntry(u64);

impl Drop for JobEntry {
    fn drop(&mut self) {
        jobs().remove(&self.0);
    }
}

impl Job {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody asked for it in a long time.
    fn is_forgotten(&self) -> bool {
        matches!(&*self.progress(), Progress::Parked(since, _) if since.elapsed() > MAX_PARKED)
    }

    /// Keeps the result until it is taken, or until nobody asks for it any more.
    fn linger(&self, patience: &mut Patience) {
        let mut progress = self.progress();
        while !matches!(*progress, Progress::Taken) && !patience.is_over(self) {
            let waited = self.changed.wait_timeout(progress, MAX_WAIT);
            (progress, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Progress {
    /// The work of a parked job, which runs from now on.
    fn start(&mut self) -> Option<Work> {
        if !matches!(self, Self::Parked(..)) {
            return None;
        }
        match std::mem::replace(self, Self::Running) {
            Self::Parked(_, work) => Some(work),
            _ => None,
        }
    }

    fn into_result(self) -> Outcome {
        match self {
            Self::Ended(outcome) => outcome,
            Self::Parked(..) | Self::Running => Err("this fit is not done yet".into()),
            Self::Taken => Err("the result of this fit was taken already".into()),
        }
    }
}

/// For how long nobody has asked for a job.
struct Patience {
    asked: u64,
    looked: Instant,
    idle: Duration,
}

impl Patience {
    fn new() -> Self {
        Self {
            asked: 0,
            looked: Instant::now(),
            idle: Duration::ZERO,
        }
    }

    fn is_over(&mut self, job: &Job) -> bool {
        let (asked, now) = (job.asked.load(Ordering::Relaxed), Instant::now());
        if asked == self.asked {
            self.idle += now.duration_since(self.looked).min(MAX_COUNTED);
        } else {
            (self.asked, self.idle) = (asked, Duration::ZERO);
        }
        self.looked = now;
        self.idle >= MAX_IDLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn model(byte: u8) -> Outcome {
        Ok(JobResult::Model(vec![byte]))
    }

    fn ask(number: u64) -> Result<bool, SqlError> {
        wait(number, || Ok(None))
    }

    fn wait_until_done(number: u64) -> Result<(), SqlError> {
        while !ask(number)? {}
        Ok(())
    }

    #[test]
    fn a_result_is_waited_for_and_taken_once() {
        let number = park(|_, _| model(7));
        wait_until_done(number).unwrap();
        assert!(matches!(take(number), Ok(JobResult::Model(bytes)) if bytes == [7]));
        assert!(take(number).is_err());
    }

    #[test]
    fn errors_and_panics_reach_the_one_who_waits() {
        let number = park(|_, _| Err("no votes".into()));
        let error = wait_until_done(number).unwrap_err();
        assert_eq!(error.to_string(), "no votes");
        let number = park(|_, _| panic!("oh no"));
        let error = wait_until_done(number).unwrap_err();
        assert!(error.to_string().contains("oh no"), "{error}");
        assert!(ask(0).unwrap_err().to_string().contains("given up"));
    }

    #[test]
    fn a_job_runs_from_when_somebody_asks() {
        let (started, has_started) = channel();
        let number = park(move |_, _| {
            started.send(()).unwrap();
            model(1)
        });
        assert!(has_started.try_recv().is_err());
        wait_until_done(number).unwrap();
        assert_eq!(has_started.try_recv(), Ok(()));
        take(number).unwrap();
    }

    /// To rest starts nothing, takes nothing, and ends when the other thread no longer waits.
    #[test]
    fn a_thread_rests_as_long_as_another_one_waits() {
        let (finish, may_finish) = channel();
        let number = park(move |_, _| {
            may_finish.recv().unwrap();
            model(3)
        });
        rest(number);
        let job = find(number).unwrap();
        assert!(matches!(&*job.progress(), Progress::Parked(..)));
        assert!(!ask(number).unwrap());
        thread::scope(|scope| {
            let other = scope.spawn(|| wait_until_done(number).unwrap());
            while job.waiting.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            finish.send(()).unwrap();
            rest(number);
            other.join().unwrap();
        });
        assert_eq!(job.waiting.load(Ordering::Relaxed), 0);
        rest(number);
        assert!(matches!(take(number), Ok(JobResult::Model(bytes)) if bytes == [3]));
        rest(number);
        rest(0);
    }

    #[test]
    fn a_fit_that_nobody_waits_for_stops() {
        let (ended, has_ended) = channel();
        let number = park(move |execution, _| {
            let outcome = execution.run(|stop| {
                loop {
                    stop.check()?;
                    thread::yield_now();
                }
                #[allow(unreachable_code)]
                Ok(())
            });
            ended.send(outcome.is_err()).unwrap();
            Ok(outcome.map(|()| JobResult::Model(Vec::new()))?)
        });
        assert!(!ask(number).unwrap());
        assert!(has_ended.recv().unwrap());
        // It lingers no longer than it takes to see that nobody asks.
        while jobs().contains_key(&number) {
            thread::yield_now();
        }
        assert!(ask(number).unwrap_err().to_string().contains("given up"));
    }
}
