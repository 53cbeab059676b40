//! Comparisons of the fast model with the naive one.

use std::collections::BTreeMap;

use me_hodgerank::internals::{Problem, Stop, cross_validate};
use me_hodgerank::votes::Votes;
use me_hodgerank::{Options, ThetaUpdate};
use proptest::prelude::*;

use super::case::Case;
use super::{Estimates, NaiveModel, Setup, Table};

/// The options of a path: every update of θ, both effects or one.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub update: ThetaUpdate,
    pub position_bias: bool,
    pub personal: bool,
    pub kappa: f64,
}

pub const SOLVE: Choice = Choice {
    update: ThetaUpdate::Solve,
    position_bias: true,
    personal: true,
    kappa: 10.0,
};

impl Choice {
    pub fn options(self, case: &Case) -> Options {
        Options {
            kappa: self.kappa,
            theta_update: self.update,
            position_bias: self.position_bias.into(),
            personal: self.personal.into(),
            grid_points: 6,
            // θ jumps between steps, so no time may fall on the end of one.
            grid_span: 20.123_456_789,
            ..case.options()
        }
    }

    pub fn setup(self, alpha: f64) -> Setup {
        Setup {
            position_bias: self.position_bias,
            personal: self.personal,
            update: self.update,
            kappa: self.kappa,
            alpha,
        }
    }
}

pub fn choices() -> impl Strategy<Value = Choice> {
    let updates = [
        ThetaUpdate::Solve,
        ThetaUpdate::Lagged,
        ThetaUpdate::Gradient,
    ];
    let effects = [(true, true), (true, false), (false, true)];
    (
        prop::sample::select(updates.to_vec()),
        prop::sample::select(effects.to_vec()),
        prop::sample::select(vec![2.0, 5.0, 20.0]),
    )
        .prop_map(|(update, (position_bias, personal), kappa)| Choice {
            update,
            position_bias,
            personal,
            kappa,
        })
}

pub fn problem(votes: &Votes, options: &Options) -> Problem {
    Problem::new(votes.comparisons(), options, &Stop::default()).unwrap()
}

/// Times that the naive model needs more steps to reach are left out.
pub const MAX_NAIVE_STEPS: f64 = 3000.0;

/// Times before, at and just after the first entry, and on the grid.
pub fn times(problem: &Problem, options: &Options) -> Vec<f64> {
    let (t0, alpha) = (problem.first_entry, problem.settings.alpha);
    if !t0.is_finite() {
        return vec![0.0, 1.0];
    }
    let soon = (0..25).map(|k| t0 + (0.31 + 1.3717 * f64::from(k)) * alpha);
    let mut times: Vec<f64> = [0.5 * t0, t0].into_iter().chain(soon).collect();
    // A path of too many steps has no grid.
    times.extend(problem.grid(options).unwrap_or_default());
    times.sort_by(f64::total_cmp);
    times.retain(|&t| t <= t0 + MAX_NAIVE_STEPS * alpha);
    times
}

/// Equal to 1e-8 of the vector's norm.
#[track_caller]
pub fn assert_close(what: &str, fast: &[f64], naive: &[f64]) {
    assert_eq!(fast.len(), naive.len(), "{what}");
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let distance = norm(&mut fast.iter().zip(naive).map(|(a, b)| a - b));
    let size = norm(&mut naive.iter().copied());
    // Written so that a NaN fails.
    assert!(
        distance <= 1e-8 * size + 1e-9,
        "{what}: {distance:e} apart\nfast {fast:?}\nslow {naive:?}"
    );
}

#[track_caller]
pub fn assert_relative(what: &str, fast: f64, naive: f64) {
    let same = fast == naive || (fast - naive).abs() <= 1e-10 * naive.abs();
    assert!(same, "{what}: fast {fast:e}, naive {naive:e}");
}

/// The fast path at some times, with δ over all items.
pub fn fast_path(problem: &Problem, times: &[f64]) -> Vec<Estimates> {
    let stop = Stop::default();
    let mut path = problem.path(&stop).unwrap();
    let statistics = &problem.statistics;
    let mut models = Vec::new();
    for &t in times {
        let snapshot = path.advance_to(t, &stop).unwrap();
        let deviation = (0..statistics.annotators())
            .map(|u| {
                let mut all = vec![0.0; snapshot.theta().len()];
                let delta = snapshot.deviation(u);
                for (&item, value) in statistics.annotator(u).items.iter().zip(delta) {
                    all[item as usize] = *value;
                }
                all
            })
            .collect();
        models.push(Estimates {
            theta: snapshot.theta().to_vec(),
            deviation,
            bias: snapshot.position_bias().to_vec(),
        });
    }
    models
}

#[track_caller]
pub fn assert_same_models(times: &[f64], fast: &[Estimates], naive: &[Estimates]) {
    assert_eq!(fast.len(), naive.len());
    for ((t, fast), naive) in times.iter().zip(fast).zip(naive) {
        assert_close(&format!("theta at {t}"), &fast.theta, &naive.theta);
        assert_close(&format!("bias at {t}"), &fast.bias, &naive.bias);
        for (u, (fast, naive)) in fast.deviation.iter().zip(&naive.deviation).enumerate() {
            assert_close(&format!("deviation of {u} at {t}"), fast, naive);
        }
    }
}

/// Compares norm, step size, path and entries of the fast model with the naive ones.
pub fn compare(case: &Case, choice: Choice) {
    let options = choice.options(case);
    let problem = problem(&case.votes(), &options);
    let setup = choice.setup(problem.settings.alpha);
    let naive = NaiveModel::new(&Table::new(case), &setup);
    let mut norm = naive.design_norm();
    if choice.update == ThetaUpdate::Gradient {
        norm += naive.graph_norm();
    }
    assert_relative("norm", problem.norm, norm);
    assert_relative("alpha", setup.alpha, case.total() / (choice.kappa * norm));
    assert_relative("t0", problem.first_entry, naive.first_entry());

    let stop = Stop::default();
    let mut path = problem.path(&stop).unwrap();
    assert_close("theta0", path.consensus(), naive.hodgerank().as_slice());
    let times = times(&problem, &options);
    let too_long = times[0] / setup.alpha > MAX_NAIVE_STEPS;
    if choice.update == ThetaUpdate::Lagged && too_long {
        return; // it does not jump to t0
    }
    let models = naive.path(&setup, &times);
    assert_same_models(&times, &fast_path(&problem, &times), &models);

    if !problem.has_path() {
        return;
    }
    let last = times[times.len() - 1];
    path.advance_to(last, &stop).unwrap();
    let entries = path
        .deviation_entries()
        .into_iter()
        .chain(path.bias_entries());
    for (fast, [early, late]) in entries.zip(naive.entries(&setup, last)) {
        let fast = fast.map_or(usize::MAX, |entry| entry.iteration);
        let (early, late) = (early.unwrap_or(usize::MAX), late.unwrap_or(usize::MAX));
        assert!(early <= fast && fast <= late, "{early} {fast} {late}");
    }
}

/// Compares cross-validation with the naive one, with the folds of the table.
pub fn compare_folds(case: &Case, choice: Choice) {
    let case = Case {
        with_folds: true,
        ..case.clone()
    };
    let (table, votes) = (Table::new(&case), case.votes());
    let folds = votes.folds().unwrap();
    let mut weights = BTreeMap::new();
    for vote in &case.votes {
        *weights.entry(vote.fold).or_insert(0.0) += vote.weight;
    }
    let largest = weights.into_values().fold(0.0, f64::max);

    // A fold has fewer votes but the same α. If most votes are held out, that step
    // is too long: the path oscillates and amplifies rounding errors.
    let mut options = choice.options(&case);
    let safe = (case.total() - largest) / case.total();
    options.alpha = Some(safe * problem(&votes, &options).settings.alpha);
    let problem = problem(&votes, &options);
    let grid = problem.grid(&options).unwrap_or_default();
    let latest = MAX_NAIVE_STEPS * problem.settings.alpha;
    // With such simple votes t0 may fall on the end of a step of a fold.
    let grid = grid.into_iter().map(|t| 1.012_345_678_9 * t);
    let grid: Vec<f64> = grid.filter(|&t| t <= latest).collect();

    let comparisons = votes.comparisons();
    let stop = Stop::default();
    let fast = cross_validate(comparisons, folds, problem.settings, &grid, 1, &stop).unwrap();
    let setup = choice.setup(problem.settings.alpha);
    let naive = super::cross_validate(&table, &setup, &[&[0.0], &grid[..]].concat());
    assert_eq!(fast.errors.len(), naive.len());
    for (fold, scores) in naive.iter().enumerate() {
        let errors: Vec<f64> = scores.iter().map(|score| score.error).collect();
        let found = [&[fast.hodgerank_errors[fold]], &fast.errors[fold][..]].concat();
        assert_close(&format!("errors of fold {fold}"), &found, &errors);
        for (found, score) in fast.mismatches[fold].iter().zip(&scores[1..]) {
            let [low, high] = score.mismatch;
            assert!(low - 1e-12 <= *found && *found <= high + 1e-12);
        }
    }
}
