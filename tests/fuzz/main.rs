//! Random input: whatever it is, the answer is a result or an error that says what is
//! wrong, and never a defect, a panic or a changed database.
//!
//! `make test` runs the same few cases every time. `make fuzz FUZZ_SECONDS=3600`
//! runs others for that long and prints the seed of each target first;
//! `ME_HODGERANK_FUZZ_SEED` repeats them.

mod dice;
mod models;
mod options;
mod rows;
mod sql;
mod states;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, process, thread};

use dice::Dice;

/// How many targets share the time.
const TARGETS: u32 = 5;

/// A case takes seconds at most: one that takes longer than this does not end.
const ENDLESS: Duration = Duration::from_secs(120);

/// Runs cases: so many, or as many as there is time for. A case is repeated by the
/// seed that is printed when it fails.
fn run(target: &str, cases: u64, case: impl Fn(&mut Dice)) {
    let number = |name: &str| {
        env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().expect(name))
    };
    let seconds = number("ME_HODGERANK_FUZZ_SECONDS");
    let clock = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |now| now.as_secs())
    };
    let first = number("ME_HODGERANK_FUZZ_SEED").unwrap_or(seconds.map_or(20160, |_| clock()));
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds) / TARGETS);
    println!("{target}: from seed {first} on");
    let (started, starts) = channel::<u64>();
    let name = target.to_string();
    let watch = thread::spawn(move || {
        let mut running = first;
        loop {
            match starts.recv_timeout(ENDLESS) {
                Ok(seed) => running = seed,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    eprintln!("{name} does not end with ME_HODGERANK_FUZZ_SEED={running}");
                    process::abort();
                }
            }
        }
    });
    let mut seed = first;
    while end.map_or(seed < first + cases, |end| Instant::now() < end) {
        started.send(seed).expect("it watches");
        let failing = FailingSeed(target, seed);
        case(&mut Dice::new(seed));
        std::mem::forget(failing);
        seed += 1;
    }
    drop(started);
    watch.join().expect("it watches");
    println!("{target}: {} cases", seed - first);
}

/// Says which case failed when a panic drops it.
struct FailingSeed<'a>(&'a str, u64);

impl Drop for FailingSeed<'_> {
    fn drop(&mut self) {
        let Self(target, seed) = self;
        println!("{target} fails with ME_HODGERANK_FUZZ_SEED={seed}");
    }
}

#[test]
fn random_rows() {
    run("rows", 60, rows::case);
}

#[test]
fn random_options() {
    run("options", 20_000, options::case);
}

#[test]
fn random_models() {
    let model = models::sound();
    run("models", 300, |dice| models::case(&model, dice));
}

#[test]
fn random_states() {
    let states = states::sound();
    run("states", 2_000, |dice| states::case(&states, dice));
}

#[test]
fn random_sql() {
    run("sql", 200, sql::case);
}
