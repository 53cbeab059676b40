//! Votes of our own simulator with the numbers that the naive implementation made of
//! them, in `simulated.json`. They are part of the project: every clone compares
//! with a reference.
//!
//! `ME_HODGERANK_WRITE_GOLDEN=1` writes the file anew from the naive implementation.

use std::path::Path;
use std::{env, fs};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::internals::{Problem, Stop, cross_validate};
use me_hodgerank::{Fit, IdRef, Options, Simulation};
use serde_json::{Value, json};

use super::naive::case::{Case, Vote, table};
use super::naive::compare::{
    Choice, SOLVE, assert_close, assert_relative, assert_same_models, fast_path,
};
use super::naive::{self, Estimates, NaiveModel, Table};
use super::{number, numbers};

const SIMULATION: &str =
    r#"{"annotators": 12, "items": 5, "votes_each": 25, "ties": 0.1, "seed": 2016}"#;
const CHOICE: Choice = SOLVE;
const FOLDS: i64 = 4;

/// Times as multiples of the first entry. No step ends at one of them.
const TIMES: [f64; 5] = [0.512_347, 1.712_345, 3.123_456, 7.234_561, 15.345_612];

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/simulated.json")
}

/// The simulated votes. Each is in the fold of its row.
fn case() -> Case {
    let mut votes = Vec::new();
    for batch in Simulation::from_json(SIMULATION).unwrap().run().unwrap() {
        let batch = batch.unwrap();
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let id = |name: &str| column(name).as_primitive::<Int64Type>().values().to_vec();
        let (annotator, left, right) = (id("annotator"), id("left"), id("right"));
        let choice = column("choice").as_primitive::<Float64Type>().values();
        for row in 0..batch.num_rows() {
            votes.push(Vote {
                annotator: annotator[row],
                left: left[row],
                right: right[row],
                choice: choice[row],
                weight: 1.0,
                fold: votes.len() as i64 % FOLDS,
            });
        }
    }
    Case {
        with_folds: true,
        ..table(votes)
    }
}

/// The step size must suit the votes without a fold as well.
fn alpha(case: &Case, design_norm: f64) -> f64 {
    0.7 * case.total() / (CHOICE.kappa * design_norm)
}

/// What the naive implementation makes of the votes.
fn reference(case: &Case) -> Value {
    let table = Table::new(case);
    let norm = NaiveModel::new(&table, &CHOICE.setup(1.0)).design_norm();
    let setup = CHOICE.setup(alpha(case, norm));
    let naive = NaiveModel::new(&table, &setup);
    let times = TIMES.map(|factor| factor * naive.first_entry());
    let model = |model: &Estimates| json!({"theta": model.theta, "position_bias": model.bias, "deviation": model.deviation});
    let models: Vec<Value> = naive.path(&setup, &times).iter().map(model).collect();
    let folds = naive::cross_validate(&table, &setup, &times);
    let errors: Vec<Vec<f64>> = folds
        .iter()
        .map(|scores| scores.iter().map(|score| score.error).collect())
        .collect();
    json!({
        "simulation": serde_json::from_str::<Value>(SIMULATION).unwrap(),
        "kappa": CHOICE.kappa,
        "alpha": setup.alpha,
        "design_norm": norm,
        "first_entry": naive.first_entry(),
        "hodgerank": naive.hodgerank().as_slice(),
        "times": times,
        "models": models,
        "fold_errors": errors,
    })
}

fn estimates(model: &Value) -> Estimates {
    let deviation = model["deviation"].as_array().unwrap().iter();
    Estimates {
        theta: numbers(&model["theta"]),
        bias: numbers(&model["position_bias"]),
        deviation: deviation.map(numbers).collect(),
    }
}

#[test]
fn simulated_votes_have_the_numbers_of_the_reference() {
    let case = case();
    if env::var_os("ME_HODGERANK_WRITE_GOLDEN").is_some() {
        let text = serde_json::to_string(&reference(&case)).unwrap();
        fs::write(path(), text + "\n").unwrap();
    }
    let stored: Value = serde_json::from_str(&fs::read_to_string(path()).unwrap()).unwrap();
    assert_eq!(
        stored["simulation"],
        serde_json::from_str::<Value>(SIMULATION).unwrap()
    );
    let options = Options {
        alpha: Some(number(&stored["alpha"])),
        ..CHOICE.options(&case)
    };
    let (votes, stop) = (case.votes(), Stop::default());
    let problem = Problem::new(votes.comparisons(), &options, &stop).unwrap();
    assert_relative("norm", problem.norm, number(&stored["design_norm"]));
    assert_relative("t0", problem.first_entry, number(&stored["first_entry"]));
    let hodgerank = problem.path(&stop).unwrap().consensus().to_vec();
    assert_close("HodgeRank", &hodgerank, &numbers(&stored["hodgerank"]));

    let times = numbers(&stored["times"]);
    let models: Vec<_> = stored["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(estimates)
        .collect();
    assert_same_models(&times, &fast_path(&problem, &times), &models);

    let folds = votes.folds().unwrap();
    let settings = problem.settings;
    let found = cross_validate(votes.comparisons(), folds, settings, &times, 1, &stop).unwrap();
    let expected: Vec<_> = stored["fold_errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    assert_eq!(found.errors.len(), expected.len());
    for (fold, (found, expected)) in found.errors.iter().zip(&expected).enumerate() {
        assert_close(&format!("errors of fold {fold}"), found, expected);
    }

    // The same as a user sees it: the scores of a fit that stops at each time.
    for (t, model) in times.iter().zip(&models).skip(1) {
        let options = Options {
            t: Some(*t),
            ..options.clone()
        };
        let fit = Fit::new(&votes, &options).unwrap();
        let mut scores: Vec<(IdRef<'_>, f64)> = fit
            .ranking()
            .unwrap()
            .iter()
            .map(|item| (item.item, item.score))
            .collect();
        scores.sort_unstable_by_key(|(item, _)| match item {
            IdRef::Int(number) => *number,
            IdRef::Text(text) => panic!("{text}"),
        });
        let scores: Vec<f64> = scores.into_iter().map(|(_, score)| score).collect();
        assert_close(&format!("scores at {t}"), &scores, &model.theta);
    }
}
