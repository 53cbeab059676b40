//! Threads that help with work that can be shared.
//!
//! There are helpers as long as fewer threads of this process compute than there are cores. A
//! host that fits groups on all cores at once thus does not start more threads on each of
//! them. No answer depends on how many helpers there were: it may be none.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{hint, thread};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use super::panics::guarded;
use crate::error::Result;

/// What a debugger calls the threads that help. They stay.
const HELPER_NAME: &str = "hodgerank-pool";

/// So many threads can be asked for at least, on a machine with fewer cores too.
const MIN_THREADS: usize = 8;

/// How long a thread that is done looks whether its helpers are done too, before it sleeps. To
/// be woken takes about as long: a fit of 150,000 votes, whose steps take 0.03 ms on two
/// threads, takes a tenth longer without.
const PATIENCE: Duration = Duration::from_micros(50);

/// How many cores this process may use.
pub(super) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// How many threads of this process compute.
pub(super) static COMPUTING: Seats = Seats(AtomicUsize::new(0));

pub(super) struct Seats(AtomicUsize);

/// A thread that computes, until it is dropped.
pub(super) struct Seat<'a>(&'a Seats);

impl Seats {
    /// For a thread that has to compute, whatever others do.
    pub fn enter(&self) -> Seat<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Seat(self)
    }

    /// For a helper: None if as many threads as `limit` compute already.
    fn try_enter(&self, limit: usize) -> Option<Seat<'_>> {
        let one_more = |count: usize| (count < limit).then_some(count + 1);
        let update = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        update.ok().map(|_| Seat(self))
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The threads that help, of all fits of this process. They are started with the first
/// work that is shared, and sleep when there is none.
struct Helpers {
    pool: ThreadPool,
    process: u32,
}

/// None if the system has no thread for them, or in a process that was forked off the one that
/// started them.
///
/// There are no more of them than other cores, since rayon wakes another one for each job: of
/// eight on two cores some looked for work on the core of the thread that they helped, and a
/// fit of 5 million votes took 1.15 times as long. Who asks for more threads than cores gets
/// others.
fn helpers(threads: usize) -> Option<&'static ThreadPool> {
    static HELPERS: [OnceLock<Option<Helpers>>; 2] = [const { OnceLock::new() }; 2];
    let is_within_cores = threads <= cores();
    let count = match is_within_cores {
        true => cores() - 1,
        false => MIN_THREADS.max(cores()) - 1,
    };
    let start = || {
        let builder = ThreadPoolBuilder::new().num_threads(count.max(1));
        let pool = builder.thread_name(|_| HELPER_NAME.into()).build().ok()?;
        let process = std::process::id();
        Some(Helpers { pool, process })
    };
    let helpers = HELPERS[usize::from(is_within_cores)].get_or_init(start);
    let helpers = helpers.as_ref()?;
    (helpers.process == std::process::id()).then_some(&helpers.pool)
}

/// Runs `own` on this thread, and `work` on up to `threads - 1` helpers at the same
/// time. There are fewer helpers, or none, if other threads compute already or if
/// the system has no thread left: `own` must not rely on them.
pub(crate) fn with_helpers<T>(
    threads: usize,
    work: impl Fn() -> Result<()> + Sync,
    own: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let limit = threads.clamp(cores(), MIN_THREADS.max(cores()));
    let enter = |_| COMPUTING.try_enter(limit);
    let mut seats: Vec<Seat<'_>> = (1..threads).map_while(enter).collect();
    let pool = match seats.is_empty() {
        true => None,
        false => helpers(threads),
    };
    let Some(pool) = pool else {
        drop(seats);
        return own();
    };
    let ended = Mutex::new(Ok(()));
    let running = AtomicUsize::new(seats.len());
    let own = pool.in_place_scope(|scope| {
        for seat in seats.drain(..) {
            let (work, ended, running) = (&work, &ended, &running);
            scope.spawn(move |_| {
                let outcome = guarded(work);
                drop(seat);
                if outcome.is_err() {
                    *ended.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
                }
                running.fetch_sub(1, Ordering::Relaxed);
            });
        }
        let own = own();
        let begin = Instant::now();
        while running.load(Ordering::Relaxed) > 0 && begin.elapsed() < PATIENCE {
            hint::spin_loop();
        }
        own
    });
    ended.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    own
}

/// Computes the parts 0, 1, … in any order, and returns them in order. So the number of
/// threads does not change any bit.
pub(crate) fn in_parallel<T: Send>(
    parts: usize,
    threads: usize,
    compute: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(parts));
    let work = || -> Result<()> {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return Ok(());
            }
            let result = compute(part)?;
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((part, result));
        }
    };
    with_helpers(threads.min(parts), work, work)?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(part, _)| *part);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};

    #[test]
    fn helpers_share_the_cores() {
        let seats = Seats(AtomicUsize::new(0));
        let first = seats.enter();
        let helper = seats.try_enter(2);
        assert!(helper.is_some());
        assert!(seats.try_enter(2).is_none());
        // One that has to compute does so.
        let second = seats.enter();
        drop(helper);
        assert!(seats.try_enter(2).is_none());
        drop(first);
        assert!(seats.try_enter(2).is_some());
        drop(second);
        assert_eq!(seats.0.into_inner(), 0);
    }

    #[test]
    fn the_error_of_a_helper_is_the_error() {
        let helped = AtomicUsize::new(0);
        let fail = || {
            helped.fetch_add(1, Ordering::Relaxed);
            Err(Error::new(ErrorKind::Interrupted, "interrupted"))
        };
        let outcome = with_helpers(50, fail, || Ok(()));
        assert_eq!(outcome.is_err(), helped.into_inner() > 0);
    }
}
