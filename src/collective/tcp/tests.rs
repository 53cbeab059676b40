//! Ranks in threads, connected by TCP on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;
use crate::collective::{BlockSum, Collective};
use crate::error::Error;

const TOKEN: u64 = 71;

fn connect(coordinator: &Coordinator, rank: usize, ranks: usize) -> TcpRank {
    TcpRank::connect(coordinator.address(), rank, ranks, TOKEN).unwrap()
}

/// A program whose state is a number: each round adds something that depends on it.
fn program(rank: &TcpRank, rounds: usize, before_round: impl Fn(usize)) -> Vec<f64> {
    let own = rank.rank();
    let mut state = vec![1.0; 3];
    for round in 0..rounds {
        before_round(round);
        let values = state.iter().map(|x| x / (2.0 + own as f64) + 0.1).collect();
        let part = BlockSum {
            blocks: own..own + 1,
            values,
        };
        state = rank.all_reduce(vec![part]).unwrap();
        let parts = rank.all_gather(vec![own as u8; round % 3]).unwrap();
        let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
        assert_eq!(lengths, vec![round % 3; rank.ranks()]);
        assert!(
            parts
                .iter()
                .enumerate()
                .all(|(k, part)| part.iter().all(|&b| b == k as u8))
        );
    }
    state
}

#[test]
fn a_lost_rank_is_replaced_and_arrives_at_the_same_state() {
    let (ranks, rounds, lost_at) = (4, 40, 25);
    let run = |lost: Option<usize>| {
        let coordinator = Coordinator::new("127.0.0.1:0", ranks, TOKEN).unwrap();
        let begun = AtomicUsize::new(0);
        let states: Vec<Vec<f64>> = thread::scope(|scope| {
            let start = |rank: usize| {
                let (coordinator, begun) = (&coordinator, &begun);
                scope.spawn(move || {
                    if lost == Some(rank) {
                        // Runs for a while, and is gone without a word.
                        let first = connect(coordinator, rank, ranks);
                        program(&first, lost_at, |_| ());
                        drop(first);
                    }
                    let connection = connect(coordinator, rank, ranks);
                    program(&connection, rounds, |_| {
                        begun.fetch_add(1, Ordering::Relaxed);
                    })
                })
            };
            let started: Vec<_> = (0..ranks).map(start).collect();
            started
                .into_iter()
                .map(|rank| rank.join().unwrap())
                .collect()
        });
        // One answer for each exchange, however often it was asked for.
        assert_eq!(coordinator.exchanges().0, 2 * rounds as u64);
        states
    };
    let undisturbed = run(None);
    assert!(undisturbed.iter().all(|state| *state == undisturbed[0]));
    for lost in 0..ranks {
        assert_eq!(run(Some(lost)), undisturbed);
    }
}

#[test]
fn a_rank_that_fails_ends_all() {
    let coordinator = Coordinator::new("127.0.0.1:0", 2, TOKEN).unwrap();
    let waiting = connect(&coordinator, 0, 2);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| waiting.all_gather(vec![1]).unwrap_err().to_string());
        connect(&coordinator, 1, 2).fail(&Error::votes("no such column"));
        assert_eq!(waiting.join().unwrap(), "no such column");
    });
}

#[test]
fn a_coordinator_that_is_closed_ends_all() {
    let coordinator = Arc::new(Coordinator::new("127.0.0.1:0", 2, TOKEN).unwrap());
    let rank = connect(&coordinator, 0, 2);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| rank.all_gather(vec![1]).unwrap_err().to_string());
        coordinator.close("stopped");
        assert_eq!(waiting.join().unwrap(), "stopped");
    });
}

#[test]
fn strangers_and_disagreement_are_refused() {
    let coordinator = Coordinator::new("127.0.0.1:0", 2, TOKEN).unwrap();
    let address = coordinator.address();
    for (rank, ranks, token) in [(0, 2, TOKEN + 1), (2, 2, TOKEN), (0, 3, TOKEN)] {
        let error = TcpRank::connect(address, rank, ranks, token).unwrap_err();
        assert!(
            error.to_string().contains("connection to the coordinator"),
            "{error}"
        );
    }
    let [first, second] = [0, 1].map(|rank| connect(&coordinator, rank, 2));
    thread::scope(|scope| {
        let other = scope.spawn(|| second.all_reduce(Vec::new()).unwrap_err().to_string());
        let error = first.all_gather(Vec::new()).unwrap_err().to_string();
        assert!(error.contains("different things"), "{error}");
        assert_eq!(other.join().unwrap(), error);
    });
}

#[test]
fn a_missing_block_is_an_error() {
    let coordinator = Coordinator::new("127.0.0.1:0", 1, TOKEN).unwrap();
    let part = BlockSum {
        blocks: 1..2,
        values: vec![1.0],
    };
    let second = BlockSum {
        blocks: 3..4,
        values: vec![1.0],
    };
    let error = connect(&coordinator, 0, 1)
        .all_reduce(vec![part, second])
        .unwrap_err();
    assert!(error.to_string().contains("all blocks"), "{error}");
}
