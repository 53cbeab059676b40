//! Ranks that are threads of one process, for tests.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use super::{BlockSum, Collective, add_up};
use crate::error::Result;

/// What the ranks passed in the exchange that is under way, or in the latest one.
#[derive(Debug, Default)]
struct Meeting {
    /// How many exchanges have been completed.
    round: usize,
    passed: Vec<Option<Passed>>,
    complete: Arc<Vec<Passed>>,
    /// Whether a rank has panicked: nobody waits for it.
    is_broken: bool,
}

#[derive(Clone, Debug)]
enum Passed {
    Parts(Vec<BlockSum>),
    Bytes(Vec<u8>),
}

#[derive(Debug)]
struct ThreadRank {
    rank: usize,
    ranks: usize,
    meeting: Arc<(Mutex<Meeting>, Condvar)>,
}

impl ThreadRank {
    /// What all ranks passed.
    fn exchange(&self, own: Passed) -> Arc<Vec<Passed>> {
        let (meeting, completed) = &*self.meeting;
        let mut meeting = meeting.lock().unwrap_or_else(PoisonError::into_inner);
        let round = meeting.round;
        meeting.passed[self.rank] = Some(own);
        if meeting.passed.iter().all(Option::is_some) {
            let all = meeting
                .passed
                .iter_mut()
                .map(|passed| passed.take().unwrap());
            meeting.complete = Arc::new(all.collect());
            meeting.round += 1;
            completed.notify_all();
        }
        while meeting.round == round {
            assert!(!meeting.is_broken, "another rank has panicked");
            meeting = completed
                .wait(meeting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Arc::clone(&meeting.complete)
    }
}

impl Drop for ThreadRank {
    fn drop(&mut self) {
        if thread::panicking() {
            let (meeting, completed) = &*self.meeting;
            meeting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_broken = true;
            completed.notify_all();
        }
    }
}

impl Collective for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn all_reduce(&self, parts: Vec<BlockSum>) -> Result<Vec<f64>> {
        let all = self.exchange(Passed::Parts(parts));
        let parts = all.iter().flat_map(|passed| match passed {
            Passed::Parts(parts) => parts.clone(),
            Passed::Bytes(_) => panic!("ranks make different calls"),
        });
        let mut parts: Vec<BlockSum> = parts.collect();
        assert_eq!(add_up(&mut parts), [0], "a block is missing");
        Ok(parts.swap_remove(0).values)
    }

    fn all_gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let all = self.exchange(Passed::Bytes(bytes));
        let bytes = all.iter().map(|passed| match passed {
            Passed::Bytes(bytes) => bytes.clone(),
            Passed::Parts(_) => panic!("ranks make different calls"),
        });
        Ok(bytes.collect())
    }
}

/// Runs a program on so many ranks, each a thread, and returns what they return.
pub(crate) fn run_ranks<T: Send>(
    ranks: usize,
    program: impl Fn(Arc<dyn Collective>) -> T + Sync,
) -> Vec<T> {
    let meeting = Meeting {
        passed: vec![None; ranks],
        ..Meeting::default()
    };
    let meeting = Arc::new((Mutex::new(meeting), Condvar::new()));
    thread::scope(|scope| {
        let program = &program;
        let start = |rank| {
            let meeting = Arc::clone(&meeting);
            scope.spawn(move || {
                program(Arc::new(ThreadRank {
                    rank,
                    ranks,
                    meeting,
                }))
            })
        };
        let started: Vec<_> = (0..ranks).map(start).collect();
        started
            .into_iter()
            .map(|rank| rank.join().unwrap())
            .collect()
    })
}
