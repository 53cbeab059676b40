//! The model against the results of an independent implementation, and against
//! the tables of the paper.
//!
//! The golden files of the paper's votes are not part of the project. Without them
//! these tests say that they were skipped, and pass. Those of simulated votes are
//! part of it, see `simulated.rs`.

#[path = "../common/mod.rs"]
mod common;
// Not all of it is used here.
mod glm;
#[allow(dead_code, unused_imports)]
#[path = "../naive/mod.rs"]
mod naive;
mod simulated;
mod tables;
mod walk;

use std::fs;

use me_hodgerank::internals::{
    EffectEntry, Path, Problem, Scorer, Settings, Snapshot, Statistics, Stop, cross_validate,
};
use me_hodgerank::votes::{Comparisons, IdRef, Ids, Votes};
use me_hodgerank::{Loss, Options, ThetaUpdate};
use serde_json::Value;
use tables::{Tables, check_tables};
use walk::Walk;

/// The largest difference, relative to the largest number of the same vector.
const TOLERANCE: f64 = 1e-8;

/// Choices are about 1 in size. A vector of smaller numbers than this (at t0, for
/// example) is rounding error; its differences are relative to this.
const SMALLEST: f64 = 1e-3;

/// The number of times, and the iterations, that each golden run was recorded at.
const TIMES: usize = 11;
const ITERATIONS: [usize; 5] = [1, 2, 5, 50, 500];

/// A data set and what the reference made of it.
struct Golden {
    name: &'static str,
    votes: Votes,
    reference: Value,
}

impl Golden {
    /// None if the files are not there.
    fn load(name: &'static str) -> Option<Self> {
        let reference = common::shared("golden", &format!("{name}.json"))?;
        let data = common::shared("data", &format!("{name}.csv"))?;
        let reference: Value =
            serde_json::from_str(&fs::read_to_string(reference).unwrap()).unwrap();
        let folds = reference["cv"]["folds"].as_array();
        let folds: Option<Vec<i64>> =
            folds.map(|folds| folds.iter().map(|fold| fold.as_i64().unwrap()).collect());
        let votes = common::read_votes(&data, folds.as_deref());
        assert_eq!(votes.comparisons().len() as f64, number(&reference["m"]));
        assert_eq!(
            ids(votes.annotators()),
            numbers(&reference["annotator_ids"])
        );
        assert_eq!(ids(votes.items()), numbers(&reference["item_ids"]));
        Some(Self {
            name,
            votes,
            reference,
        })
    }

    /// The runs of a scheme, one for each of `kappas`.
    fn runs(&self, scheme: Scheme, kappas: &[f64]) -> Vec<&Value> {
        let runs = self.reference["runs"].as_array().unwrap().iter();
        let runs: Vec<_> = runs.filter(|run| run["scheme"] == scheme.name()).collect();
        let found: Vec<_> = runs.iter().map(|run| number(&run["kappa"])).collect();
        assert_eq!(found, kappas, "{}", self.name);
        runs
    }

    fn problem(&self, scheme: Scheme, kappa: f64) -> Problem {
        let options = Options {
            kappa,
            theta_update: scheme.theta_update(),
            ..common::options()
        };
        Problem::new(self.votes.comparisons(), &options, &Stop::default()).unwrap()
    }
}

#[derive(Clone, Copy)]
enum Scheme {
    Solve,
    Lagged,
}

impl Scheme {
    /// What the golden files call it.
    fn name(self) -> &'static str {
        match self {
            Self::Solve => "matlab",
            Self::Lagged => "alg1",
        }
    }

    fn theta_update(self) -> ThetaUpdate {
        match self {
            Self::Solve => ThetaUpdate::Solve,
            Self::Lagged => ThetaUpdate::Lagged,
        }
    }
}

fn ids(ids: &Ids) -> Vec<f64> {
    ids.iter().map(integer).map(|id| id as f64).collect()
}

fn integer(id: IdRef<'_>) -> i128 {
    match id {
        IdRef::Int(id) => id,
        IdRef::Text(_) => panic!("the ids in the files are integers"),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

/// Fails unless every number agrees to [`TOLERANCE`] of the largest expected one.
fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(SMALLEST, |max, x| max.max(x.abs()));
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        let deviation = (a - b).abs() / largest;
        // NaN fails too.
        assert!(
            deviation <= TOLERANCE,
            "{what}[{index}]: {a} is not {b} (off by {deviation:.1e})"
        );
    }
}

fn assert_number(found: f64, expected: &Value, what: &str) {
    assert_close(&[found], &[number(expected)], what);
}

fn check_hodgerank(name: &'static str, kappas: &[f64]) {
    let Some(golden) = Golden::load(name) else {
        return;
    };
    let reference = &golden.reference;
    let stop = Stop::default();
    for scheme in [Scheme::Solve, Scheme::Lagged] {
        for run in golden.runs(scheme, kappas) {
            let problem = golden.problem(scheme, number(&run["kappa"]));
            assert_number(problem.norm, &reference["xtx_norm2"], "norm");
            assert_number(problem.settings.alpha, &run["alpha"], "alpha");
            assert_number(problem.first_entry, &run["t0_exact"], "t0");

            let mut path = problem.path(&stop).unwrap();
            assert_number(path.first_entry(), &run["t0_exact"], "t0");
            assert_close(path.consensus(), &numbers(&reference["theta0"]), "theta0");
            let mut scorer = Scorer::new(golden.votes.comparisons(), Loss::Squared, 2);
            let snapshot = path.advance_to(0.0, &stop).unwrap();
            let (error, _) = scorer.score(snapshot).unwrap();
            assert_number(error, &reference["hodge_train_mse"], "error of HodgeRank");
        }
    }
}

/// Checks the model at the recorded times, and when each effect entered.
fn check_path(name: &'static str, kappas: &[f64], scheme: Scheme) {
    let Some(golden) = Golden::load(name) else {
        return;
    };
    let stop = Stop::default();
    for run in golden.runs(scheme, kappas) {
        let problem = golden.problem(scheme, number(&run["kappa"]));
        let mut path = problem.path(&stop).unwrap();
        let mut scorer = Scorer::new(golden.votes.comparisons(), Loss::Squared, 2);
        let times = run["snapshots_t"].as_array().unwrap();
        assert_eq!(times.len(), TIMES);
        for expected in times {
            let what = format!("kappa {} at {} t0", run["kappa"], expected["t_over_t0"]);
            let snapshot = path.advance_to(number(&expected["t"]), &stop).unwrap();
            check_effects(snapshot, expected, &what);
            check_theta(snapshot.theta(), expected, &what);
            let (error, _) = scorer.score(snapshot).unwrap();
            assert_number(error, &expected["train_mse"], &format!("{what}: error"));
            if name == "sim_small" {
                check_deviations(&problem.statistics, snapshot, expected, &what);
            }
        }
        let last = run["iters"].as_u64().unwrap() as usize;
        while path.iteration() < last {
            path.step(&stop).unwrap();
        }
        check_entries(&path.bias_entries(), run, "gamma", last);
        check_entries(&path.deviation_entries(), run, "delta", last);
    }
}

fn check_theta(theta: &[f64], expected: &Value, what: &str) {
    assert_close(
        theta,
        &numbers(&expected["theta"]),
        &format!("{what}: theta"),
    );
}

fn check_effects(snapshot: &Snapshot, expected: &Value, what: &str) {
    let (gamma, norm) = (
        numbers(&expected["gamma"]),
        numbers(&expected["delta_norm"]),
    );
    assert_close(snapshot.position_bias(), &gamma, &format!("{what}: gamma"));
    assert_close(
        snapshot.deviation_norm(),
        &norm,
        &format!("{what}: delta_norm"),
    );
}

/// The golden δ has a column for every item; it is 0 for those an annotator never saw.
fn check_deviations(statistics: &Statistics, snapshot: &Snapshot, expected: &Value, what: &str) {
    let expected = rows(&expected["delta"]);
    assert_eq!(expected.len(), statistics.annotators());
    for (u, expected) in expected.iter().enumerate() {
        let mut found = vec![0.0; snapshot.theta().len()];
        let items = statistics.annotator(u).items;
        for (&item, delta) in items.iter().zip(snapshot.deviation(u)) {
            found[item as usize] = *delta;
        }
        assert_close(&found, expected, &format!("{what}: delta of {u}"));
    }
}

/// Entries may differ by one iteration; so an effect that never entered in one run
/// may have entered in the last iteration of the other.
fn check_entries(found: &[Option<EffectEntry>], run: &Value, effect: &str, last: usize) {
    let iterations = numbers(&run[format!("{effect}_entry_iter")]);
    let times = run[format!("{effect}_entry_t")].as_array().unwrap();
    assert_eq!(found.len(), iterations.len());
    for (u, entry) in found.iter().enumerate() {
        let what = format!("kappa {}, {effect} of {u}", run["kappa"]);
        let never = last as f64 + 1.0;
        let ours = entry.map_or(never, |entry| entry.iteration as f64);
        let theirs = Some(iterations[u]).filter(|&k| k >= 0.0).unwrap_or(never);
        assert!((ours - theirs).abs() <= 1.0, "{what}: {ours} not {theirs}");
        if let (Some(entry), true) = (entry, ours == theirs) {
            assert_number(entry.time, &times[u], &what);
        }
    }
    assert!(found.iter().any(Option::is_some), "no {effect} entered");
}

/// Checks the model and z after the recorded iterations.
fn check_iterations(name: &'static str, kappas: &[f64], scheme: Scheme) {
    let Some(golden) = Golden::load(name) else {
        return;
    };
    for run in golden.runs(scheme, kappas) {
        let problem = golden.problem(scheme, number(&run["kappa"]));
        let mut walk = Walk::new(&problem);
        let snapshots = run["snapshots_iter"].as_array().unwrap();
        assert_eq!(snapshots.len(), ITERATIONS.len());
        for (expected, iteration) in snapshots.iter().zip(ITERATIONS) {
            assert_eq!(expected["iter"], iteration);
            let what = format!("kappa {} after {iteration}", run["kappa"]);
            let early = walk.go_to(iteration, number(&expected["t"]));
            check_theta(&walk.theta, expected, &what);
            check_effects(walk.snapshot(), expected, &what);
            let (z_gamma, z_delta) = walk.z.norms(early);
            let expected_z = |field: &str| numbers(&expected[field]);
            assert_close(
                &z_gamma,
                &expected_z("z_gamma"),
                &format!("{what}: z_gamma"),
            );
            assert_close(
                &z_delta,
                &expected_z("z_delta_norm"),
                &format!("{what}: z_delta"),
            );
        }
    }
}

fn check_cross_validation(name: &'static str, scheme: Scheme) {
    let Some(golden) = Golden::load(name) else {
        return;
    };
    let reference = &golden.reference["cv"];
    let expected = &reference["schemes"][scheme.name()];
    let problem = golden.problem(scheme, number(&reference["kappa"]));
    assert_number(problem.settings.alpha, &reference["alpha"], "alpha");
    let settings = Settings {
        alpha: number(&reference["alpha"]),
        ..problem.settings
    };
    let grid = numbers(&reference["tlist"]);
    let own_grid = problem.grid(&common::options()).unwrap();
    assert_close(&own_grid, &grid, "grid");

    let (votes, folds) = (golden.votes.comparisons(), golden.votes.folds().unwrap());
    assert_eq!(folds.count() as f64, number(&reference["K"]));
    let stop = Stop::default();
    let found = cross_validate(votes, folds, settings, &grid, 2, &stop).unwrap();

    let errors = rows(&expected["mse_fold"]);
    assert_eq!(found.errors.len(), errors.len());
    for (fold, (found, expected)) in found.errors.iter().zip(&errors).enumerate() {
        for (k, (&found, &expected)) in found.iter().zip(expected).enumerate() {
            assert_close(
                &[found],
                &[expected],
                &format!("fold {fold}, time {k}: error"),
            );
        }
        assert_eq!(found.len(), grid.len());
        assert_eq!(expected.len(), grid.len());
    }
    for k in 0..grid.len() {
        let (error, mismatch) = (&expected["mse"][k], &expected["mismatch"][k]);
        assert_number(found.error(k), error, &format!("time {k}: error"));
        assert_number(found.mismatch(k), mismatch, &format!("time {k}: mismatch"));
    }
    assert_eq!(found.best() as f64, number(&expected["best_index"]));
    assert_number(grid[found.best()], &expected["t_cv"], "t_cv");
}

/// The tests of one data set and the κ of its golden runs.
macro_rules! golden {
    ($name:ident, $kappas:expr) => {
        #[test]
        fn hodgerank() {
            check_hodgerank(stringify!($name), &$kappas);
        }

        #[test]
        fn path_solve() {
            check_path(stringify!($name), &$kappas, Scheme::Solve);
        }

        #[test]
        fn path_lagged() {
            check_path(stringify!($name), &$kappas, Scheme::Lagged);
        }

        #[test]
        fn iterations_solve() {
            check_iterations(stringify!($name), &$kappas, Scheme::Solve);
        }

        #[test]
        fn iterations_lagged() {
            check_iterations(stringify!($name), &$kappas, Scheme::Lagged);
        }
    };
}

/// Its cross-validation.
macro_rules! cross_validation {
    ($name:ident) => {
        #[test]
        fn cross_validation_solve() {
            check_cross_validation(stringify!($name), Scheme::Solve);
        }

        #[test]
        fn cross_validation_lagged() {
            check_cross_validation(stringify!($name), Scheme::Lagged);
        }
    };
}

mod sim_small {
    use super::*;

    golden!(sim_small, [10.0, 100.0]);
    cross_validation!(sim_small);
}

mod iqa_ref1 {
    use super::*;

    golden!(iqa_ref1, [10.0, 20.0, 100.0]);
    cross_validation!(iqa_ref1);

    #[test]
    fn tables() {
        let tables = Tables {
            biased: [
                (259, 96, 0),
                (334, 90, 0),
                (177, 77, 0),
                (103, 74, 4),
                (29, 58, 0),
                (2, 55, 0),
                (260, 49, 2),
                (23, 42, 0),
                (207, 46, 2),
                (287, 34, 0),
            ],
            deviating: &[334, 259, 103, 177, 29, 133, 2, 23, 207, 260],
        };
        check_tables("iqa_ref1", &tables);
    }
}

mod age {
    use super::*;

    golden!(age, [10.0, 20.0, 100.0]);
    cross_validation!(age);

    #[test]
    fn tables() {
        let tables = Tables {
            biased: [
                (12, 90, 270),
                (70, 191, 9),
                (59, 213, 66),
                (38, 110, 15),
                (43, 79, 1),
                (91, 79, 5),
                (51, 63, 0),
                (50, 60, 3),
                (18, 74, 25),
                (40, 40, 0),
            ],
            deviating: &[5, 47, 59, 14, 22, 12, 52, 53, 55, 56],
        };
        check_tables("age", &tables);
    }
}

mod college {
    use super::*;

    golden!(college, [10.0, 100.0]);

    #[test]
    fn tables() {
        let tables = Tables {
            biased: [
                (268, 148, 0),
                (209, 127, 0),
                (156, 189, 67),
                (320, 253, 324),
                (87, 11, 62),
                (270, 20, 70),
                (267, 45, 0),
                (276, 16, 54),
                (166, 35, 0),
                (115, 34, 0),
            ],
            deviating: &[320, 106, 52, 53, 114, 4, 156],
        };
        check_tables("college", &tables);
    }
}
