//! The path and the cross-validation, beside a straightforward loop over votes
//! in the same run.
//!
//! `cargo bench` prints a table of times and ratios, then criterion's figures.
//! The paper's votes are used where `../shared/data` (or `ME_HODGERANK_DATA`)
//! has them; votes simulated after the paper's study always.

mod vote_loop;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use criterion::Criterion;
use me_hodgerank::model::{Problem, cross_validate};
use me_hodgerank::votes::Folds;
use me_hodgerank::{ChoiceRef, IdRef, IdType};
use me_hodgerank::{Options, Row, Run, Simulation, Stop, VoteBuilder, Votes};
use vote_loop::VoteLoop;

fn main() {
    let sets = data_sets();
    ratios(&sets);
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    for (name, votes) in &sets {
        let options = Options::default();
        let problem = Problem::new(votes.comparisons(), &options, &Stop::default()).unwrap();
        criterion.bench_function(&format!("path/{name}"), |b| {
            b.iter(|| whole_path(&problem, &options))
        });
        criterion.bench_function(&format!("cross_validation/{name}"), |b| {
            b.iter(|| validation(votes, &problem, &options))
        });
    }
    criterion.final_summary();
}

fn ratios(sets: &[(String, Votes)]) {
    println!(
        "{:<12} {:>6} {:>8} {:>12} {:>12} {:>7} {:>12}",
        "votes", "steps", "rows", "µs/step", "loop µs/step", "ratio", "5-fold CV ms"
    );
    for (name, votes) in sets {
        let options = Options::default();
        let problem = Problem::new(votes.comparisons(), &options, &Stop::default()).unwrap();
        let steps = whole_path(&problem, &options);
        let fast = best_of(5, || whole_path(&problem, &options)) / steps as f64;
        let loops = 200;
        let plain = best_of(3, || {
            VoteLoop::new(votes.comparisons(), &problem).run(loops)
        }) / loops as f64;
        let cv = best_of(3, || validation(votes, &problem, &options));
        println!(
            "{name:<12} {steps:>6} {:>8} {:>12.2} {:>12.2} {:>7.1} {:>12.1}",
            votes.comparisons().len(),
            fast * 1e6,
            plain * 1e6,
            plain / fast,
            cv * 1e3
        );
    }
}

/// Runs the whole path; the number of its steps.
fn whole_path(problem: &Problem, options: &Options) -> usize {
    let stop = Stop::default();
    let mut path = problem.path(&stop).unwrap();
    for t in problem.grid(options).unwrap() {
        black_box(path.advance_to(t, &stop).unwrap());
    }
    path.iteration() + 1
}

fn validation(votes: &Votes, problem: &Problem, options: &Options) {
    let grid = problem.grid(options).unwrap();
    let folds = Folds::draw(votes.comparisons().len(), options.folds, options.seed);
    let stop = Stop::default();
    let cv = cross_validate(
        votes.comparisons(),
        &folds,
        problem.settings,
        &grid,
        2,
        &stop,
    );
    black_box(cv.unwrap());
}

/// The fastest of some runs, in seconds: the one that the machine disturbed least.
fn best_of<T>(runs: usize, work: impl Fn() -> T) -> f64 {
    let time = || {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(|_| time()).fold(f64::INFINITY, f64::min)
}

fn data_sets() -> Vec<(String, Votes)> {
    let folder = std::env::var_os("ME_HODGERANK_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")),
        PathBuf::from,
    );
    let mut sets = Vec::new();
    for name in ["iqa_ref1", "age", "college"] {
        match std::fs::read_to_string(folder.join(format!("{name}.csv"))) {
            Ok(text) => sets.push((name.to_string(), from_csv(&text))),
            Err(_) => println!("SKIPPED: {name}.csv is not there"),
        }
    }
    sets.push(("simulated".into(), simulated()));
    sets
}

fn from_csv(text: &str) -> Votes {
    let mut builder = VoteBuilder::new(&Options::default());
    builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let id = |k: usize| Some(IdRef::Int(fields[k].parse().unwrap()));
        let row = Row {
            annotator: id(0),
            left: id(1),
            right: id(2),
            choice: Some(ChoiceRef::Number(fields[3].parse().unwrap())),
            weight: None,
            fold: None,
        };
        builder.push(row).unwrap();
    }
    builder.finish(&mut Run::new()).unwrap()
}

/// The size of the paper's simulated study.
fn simulated() -> Votes {
    let simulation = Simulation {
        annotators: 500,
        items: 30,
        votes_each: 300,
        graded: true,
        ..Simulation::default()
    };
    let mut builder = VoteBuilder::new(&Options::default());
    for batch in simulation.run().unwrap() {
        builder.push_batch(&batch.unwrap()).unwrap();
    }
    builder.finish(&mut Run::new()).unwrap()
}
