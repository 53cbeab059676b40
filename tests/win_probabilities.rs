//! The logistic and probit losses: the model against a slow one of our own, its edges,
//! and what does not change it.

// Not all of it is used here.
#[allow(dead_code, unused_imports)]
mod naive;
#[path = "naive/glm.rs"]
mod naive_glm;

use me_hodgerank::internals::{Problem, Stop};
use me_hodgerank::{
    Execution, Fit, IdRef, Loss, Options, Plot, Predictor, ResultSet, Row, Simulation, ThetaUpdate,
    VoteBuilder, Votes,
};
use naive::case::{Case, Vote, cases, table};
use naive::compare::{fast_path, problem};
use naive::{Estimates, Table};
use naive_glm::{NaiveGlm, value};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

const LOSSES: [Loss; 2] = [Loss::Logistic, Loss::Probit];

/// The same cases in every run, unless PROPTEST_RNG_SEED asks for others.
fn config(cases: u32) -> Config {
    let given = Config::default();
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1952),
        seed => seed,
    };
    Config {
        cases,
        rng_seed,
        failure_persistence: None,
        ..given
    }
}

/// Choices from -1 to 1, and weights only where they are read.
fn soft(case: &Case) -> Case {
    case.map(|vote| Vote {
        choice: vote.choice / 2.0,
        weight: if case.weighted { vote.weight } else { 1.0 },
        ..vote
    })
}

fn options(case: &Case, loss: Loss) -> Options {
    Options {
        loss,
        kappa: 5.0,
        grid_points: 6,
        grid_span: 20.123_456_789,
        ..case.options()
    }
}

/// Equal to so much of the larger of 1 and the vector's norm.
#[track_caller]
fn assert_near(what: &str, fast: &[f64], slow: &[f64], tolerance: f64) {
    assert_eq!(fast.len(), slow.len(), "{what}");
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let distance = norm(&mut fast.iter().zip(slow).map(|(a, b)| a - b));
    let size = norm(&mut slow.iter().copied()).max(1.0);
    assert!(
        distance <= tolerance * size,
        "{what}: {distance:e} apart\nfast {fast:?}\nslow {slow:?}"
    );
}

/// The slow path takes a Newton search for each step.
const MAX_STEPS: f64 = 150.0;

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn the_path_is_that_of_a_slow_one(
        case in cases(),
        loss in prop::sample::select(LOSSES.to_vec()),
        effects in prop::sample::select(vec![(true, true), (true, false), (false, true)]),
    ) {
        let case = soft(&case);
        let options = Options {
            position_bias: Some(effects.0),
            personal: Some(effects.1),
            ..options(&case, loss)
        };
        let problem = problem(&case.votes(), &options);
        let slow_table = Table::new(&case);
        let slow = NaiveGlm {
            table: &slow_table,
            loss,
            ridge: options.ridge.unwrap_or(0.01),
            position_bias: effects.0,
            personal: effects.1,
        };
        let (t0, alpha) = (problem.first_entry, problem.settings.alpha);
        if !t0.is_finite() {
            return Ok(());
        }
        let soon = (0..12).map(|k| t0 + (0.31 + 2.3717 * f64::from(k)) * alpha);
        let mut times: Vec<f64> = [0.5 * t0, t0].into_iter().chain(soon).collect();
        times.extend(problem.grid(&options).unwrap_or_default());
        times.sort_by(f64::total_cmp);
        times.retain(|&t| t <= t0 + MAX_STEPS * alpha);
        let expected = slow.path(options.kappa, alpha, &times[1..]);
        let found = fast_path(&problem, &times[1..]);
        for ((t, found), expected) in times[1..].iter().zip(&found).zip(&expected) {
            let near = |what: &str, found: &[f64], expected: &[f64]| {
                assert_near(&format!("{what} at {t}"), found, expected, 1e-6);
            };
            near("theta", &found.theta, &expected.theta);
            near("bias", &found.bias, &expected.bias);
            for (found, expected) in found.deviation.iter().zip(&expected.deviation) {
                near("deviation", found, expected);
            }
        }
    }

    #[test]
    fn swapped_sides_negate_the_bias_alone(
        case in cases(),
        loss in prop::sample::select(LOSSES.to_vec()),
    ) {
        let case = soft(&case);
        let swapped = case.map(|vote| Vote {
            left: vote.right,
            right: vote.left,
            choice: -vote.choice,
            ..vote
        });
        let options = options(&case, loss);
        let problems = [&case, &swapped].map(|case| problem(&case.votes(), &options));
        let t0 = problems[0].first_entry;
        if !t0.is_finite() {
            return Ok(());
        }
        let times = [2.0 * t0, 5.0 * t0];
        let [found, other] = problems.map(|problem| fast_path(&problem, &times));
        for (found, other) in found.iter().zip(&other) {
            let bias: Vec<f64> = other.bias.iter().map(|bias| -bias).collect();
            assert_near("theta", &found.theta, &other.theta, 1e-6);
            assert_near("bias", &found.bias, &bias, 1e-6);
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    /// Without effects, the Bradley–Terry or Thurstone estimate: it is that of a slow
    /// Newton search, and the loss itself, by finite differences, has no slope there.
    #[test]
    fn the_consensus_minimises_the_loss(
        case in cases(),
        loss in prop::sample::select(LOSSES.to_vec()),
        ridge in prop::sample::select(vec![0.01, 1e-4, 3.0]),
    ) {
        let case = soft(&case);
        let options = Options { ridge: Some(ridge), ..options(&case, loss) };
        let problem = problem(&case.votes(), &options);
        let path = problem.path(&Stop::default()).unwrap();
        let slow_table = Table::new(&case);
        let slow = NaiveGlm {
            table: &slow_table,
            loss,
            ridge,
            position_bias: true,
            personal: true,
        };
        let mut expected = slow.zeros();
        slow.solve(&mut expected);
        assert_near("theta", path.consensus(), &expected.theta, 1e-6);
        let at = |item: usize, step: f64| {
            let mut model = Estimates { theta: path.consensus().to_vec(), ..slow.zeros() };
            model.theta[item] += step;
            slow.total_loss(&model)
        };
        for item in 0..slow_table.items {
            let slope = (at(item, 1e-5) - at(item, -1e-5)) / 2e-5;
            assert!(slope.abs() < 1e-5, "{slope}");
        }
    }

    /// The slow model's gradients, to which the path is held, are those of the loss.
    #[test]
    fn gradients_are_finite_differences(
        case in cases(),
        loss in prop::sample::select(LOSSES.to_vec()),
        seed in 0u64..1000,
    ) {
        let case = soft(&case);
        let slow_table = Table::new(&case);
        let slow = NaiveGlm {
            table: &slow_table,
            loss,
            ridge: 0.3,
            position_bias: true,
            personal: true,
        };
        let mut model = slow.zeros();
        let mut state = seed;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
        };
        model.theta.iter_mut().for_each(|x| *x = draw());
        model.bias.iter_mut().for_each(|x| *x = draw());
        model.deviation.iter_mut().flatten().for_each(|x| *x = draw());
        let difference = |change: &dyn Fn(&mut Estimates, f64)| {
            let at = |step: f64| {
                let mut moved = model.clone();
                change(&mut moved, step);
                slow.total_loss(&moved)
            };
            (at(1e-5) - at(-1e-5)) / 2e-5
        };
        let theta = slow.theta_gradient(&model);
        let effects = slow.effect_gradient(&model);
        for (i, expected) in theta.iter().enumerate() {
            let found = difference(&|model, step| model.theta[i] += step);
            assert!((found - expected).abs() < 1e-6);
        }
        for u in 0..slow_table.annotators {
            let found = difference(&|model, step| model.bias[u] += step);
            assert!((found - effects.bias[u]).abs() < 1e-6);
            for i in 0..slow_table.items {
                let found = difference(&|model, step| model.deviation[u][i] += step);
                assert!((found - effects.deviation[u][i]).abs() < 1e-6);
            }
        }
    }
}

fn vote(annotator: i64, left: i64, right: i64, choice: f64) -> Vote {
    Vote {
        annotator,
        left,
        right,
        choice,
        weight: 1.0,
        fold: 0,
    }
}

/// Everything that a fit says, with every number finite.
fn read_all(fit: &Fit) {
    for item in fit.ranking().unwrap() {
        assert!(
            item.score.is_finite() && item.score.abs() < 50.0,
            "{}",
            item.score
        );
        assert!(item.score_low.is_finite() && item.score_high.is_finite());
        assert!((0.0..=1.0).contains(&item.win_share));
    }
    for set in ResultSet::ALL {
        fit.table(set).unwrap();
    }
    for plot in Plot::ALL {
        fit.plot(plot).unwrap();
    }
    fit.report().unwrap();
    let bytes = fit.to_bytes();
    assert_eq!(Fit::from_bytes(&bytes).unwrap().to_bytes(), bytes);
}

/// Fits votes that leave something open with every loss, scheme and set of effects.
fn check_edge(votes: &[Vote]) {
    let votes = table(votes.to_vec()).votes();
    for loss in LOSSES {
        for theta_update in [ThetaUpdate::Solve, ThetaUpdate::Gradient] {
            for effects in [false, true] {
                let options = Options {
                    loss,
                    theta_update,
                    position_bias: Some(effects),
                    personal: Some(effects),
                    grid_points: 5,
                    grid_span: 4.0,
                    ..Options::default()
                };
                read_all(&Fit::new(&votes, &options).unwrap());
            }
        }
    }
}

#[test]
fn an_item_that_never_lost_has_a_finite_score() {
    let mut votes = Vec::new();
    for annotator in 0..6 {
        votes.push(vote(annotator, 0, 1, 1.0));
        votes.push(vote(annotator, 2, 0, -1.0));
        votes.push(vote(
            annotator,
            1,
            2,
            if annotator % 2 == 0 { 1.0 } else { -1.0 },
        ));
    }
    check_edge(&votes);
    // The same with the other side of it.
    for vote in &mut votes {
        vote.choice = -vote.choice;
    }
    check_edge(&votes);
}

#[test]
fn components_are_ranked_on_their_own() {
    let mut votes = Vec::new();
    for annotator in 0..5 {
        let side = if annotator == 3 { -1.0 } else { 1.0 };
        votes.push(vote(annotator, 0, 1, side));
        votes.push(vote(annotator, 1, 0, 1.0));
        votes.push(vote(annotator, 5, 7, -side));
        votes.push(vote(annotator, 7, 6, side));
    }
    check_edge(&votes);
    let votes = table(votes).votes();
    let options = Options {
        loss: Loss::Logistic,
        ..Options::default()
    };
    let fit = Fit::new(&votes, &options).unwrap();
    let ranking = fit.ranking().unwrap();
    for component in [1, 2] {
        let own = ranking.iter().filter(|item| item.component == component);
        let sum: f64 = own.map(|item| item.score).sum();
        assert!(sum.abs() < 1e-8, "{sum}");
    }
}

#[test]
fn a_single_vote_is_enough() {
    check_edge(&[vote(1, 3, 4, -1.0)]);
    check_edge(&[vote(1, 3, 4, 0.0)]);
}

/// Nobody contradicts anybody: every order of wins is a straight line.
#[test]
fn separable_votes_end() {
    let mut votes = Vec::new();
    for annotator in 0..8 {
        for left in 0..6 {
            for right in (0..6).filter(|right| *right != left) {
                let choice = if left < right { 1.0 } else { -1.0 };
                votes.push(vote(annotator, left, right, choice));
            }
        }
    }
    check_edge(&votes);
}

#[test]
fn a_tie_is_half_a_win_for_each_side() {
    let mut ties = Vec::new();
    let mut halves = Vec::new();
    for annotator in 0..4 {
        for (left, right) in [(0, 1), (1, 2), (2, 0)] {
            ties.extend([vote(annotator, left, right, 0.0); 2]);
            let sides = [1.0, -1.0].map(|choice| vote(annotator, left, right, choice));
            halves.extend(sides);
        }
        let others = [vote(annotator, 0, 1, 1.0), vote(annotator, 2, 1, -1.0)];
        ties.extend(others);
        halves.extend(others);
    }
    for loss in LOSSES {
        let [ties, halves] = [&ties, &halves].map(|votes| {
            let case = table(votes.clone());
            let problem = problem(&case.votes(), &options(&case, loss));
            fast_path(&problem, &[0.0, 3.0 * problem.first_entry.min(1e3)])
        });
        for (ties, halves) in ties.iter().zip(&halves) {
            assert_near("theta", &ties.theta, &halves.theta, 1e-12);
            assert_near("bias", &ties.bias, &halves.bias, 1e-12);
        }
    }
}

fn simulated(seed: u64) -> Votes {
    let simulation = Simulation {
        annotators: 40,
        items: 12,
        votes_each: 40,
        ties: 0.1,
        seed,
        ..Simulation::default()
    };
    let mut builder = VoteBuilder::new(&Options::default());
    for batch in simulation.run().unwrap() {
        builder.push_batch(&batch.unwrap()).unwrap();
    }
    builder.finish().unwrap()
}

#[test]
fn threads_do_not_change_a_bit() {
    let votes = simulated(5);
    for loss in LOSSES {
        let options = Options {
            loss,
            ..Options::default()
        };
        let bytes = |threads: usize| {
            let mut execution = Execution::new().threads(threads);
            let fit = Fit::new_within(&votes, &options, &mut execution).unwrap();
            read_all(&fit);
            fit.to_bytes()
        };
        assert!(bytes(1) == bytes(3));
    }
}

#[test]
fn the_order_of_rows_does_not_change_a_bit() {
    let rows: Vec<(i64, i64, i64, f64)> = (0..900i64)
        .map(|k| {
            (
                k % 13,
                k % 7,
                (k % 7 + 1 + k * k % 6) % 7,
                [1.0, -1.0, 0.5, 0.0][(k * k % 11 % 4) as usize],
            )
        })
        .collect();
    for loss in LOSSES {
        let options = Options {
            loss,
            ..Options::default()
        };
        let bytes = |rows: &mut dyn Iterator<Item = (i64, i64, i64, f64)>| {
            let mut builder = VoteBuilder::new(&options);
            for (annotator, left, right, choice) in rows {
                builder
                    .push(Row::new(annotator, left, right, choice))
                    .unwrap();
            }
            Fit::new(&builder.finish().unwrap(), &options)
                .unwrap()
                .to_bytes()
        };
        assert!(bytes(&mut rows.iter().copied()) == bytes(&mut rows.iter().rev().copied()));
    }
}

/// Another loss is another fit, and says so.
#[test]
fn results_are_in_the_unit_of_the_loss() {
    let votes = simulated(2);
    for loss in [Loss::Squared, Loss::Logistic, Loss::Probit] {
        let options = Options {
            loss,
            ..Options::default()
        };
        let fit = Fit::new(&votes, &options).unwrap();
        let summary = fit.summary().unwrap();
        assert_eq!(summary.loss, loss);
        let is_squared = loss == Loss::Squared;
        assert_eq!(summary.shares.consensus.is_some(), is_squared);
        assert_eq!(summary.shares.noise_cycle.is_some(), is_squared);
        assert!(summary.mixed_error < summary.hodgerank_error);
        // A coin has a loss of ln 2.
        let coin = if is_squared { 1.0 } else { 2f64.ln() };
        assert!(summary.hodgerank_error.unwrap() < coin);
        let ranking = fit.ranking().unwrap();
        for item in &ranking {
            let expected = match loss {
                Loss::Logistic => 1.0 / (1.0 + (-item.score).exp()),
                Loss::Probit => me_hodgerank::internals::normal_tail(-item.score),
                _ => (1.0 + item.score) / 2.0,
            };
            assert!((item.win_share - expected).abs() < 1e-12);
            assert!(item.score_std_error > 0.0);
        }
        let (best, last) = (&ranking[0], &ranking[ranking.len() - 1]);
        assert!(best.win_share > 0.5 && last.win_share < 0.5);
        let (best, last) = (best.item, last.item);
        let predictor = Predictor::new(fit.clone().into()).unwrap();
        let nobody = IdRef::Int(-1);
        let forward = predictor.vote(nobody, best, last);
        let [wins, loses] = [forward, predictor.vote(nobody, last, best)]
            .map(|predicted| predictor.win_probability(predicted));
        assert!(wins > 0.5 && (wins + loses - 1.0).abs() < 1e-12);
        assert_eq!(Fit::from_bytes(&fit.to_bytes()).unwrap(), fit);
    }
}

/// The error on held-out votes is the mean loss that the slow model has too.
#[test]
fn the_curve_is_the_mean_loss() {
    let loss = Loss::Logistic;
    let votes = simulated(9);
    let options = Options {
        loss,
        grid_points: 4,
        ..Options::default()
    };
    let problem = Problem::new(votes.comparisons(), &options, &Stop::default()).unwrap();
    let mut path = problem.path(&Stop::default()).unwrap();
    let snapshot = path
        .advance_to(3.0 * problem.first_entry, &Stop::default())
        .unwrap();
    let mut scorer = me_hodgerank::internals::Scorer::new(votes.comparisons(), loss, 2);
    let (found, _) = scorer.score(snapshot).unwrap();
    let (mut sum, mut count) = (0.0, 0.0);
    for u in 0..votes.comparisons().annotators() {
        let mut own = snapshot.theta().to_vec();
        snapshot
            .own_scores(u)
            .for_each(|(item, score)| own[item] = score);
        for vote in votes.comparisons().of(u) {
            let eta = own[vote.left] - own[vote.right] + snapshot.position_bias()[u];
            sum += value(loss, vote.choice, eta);
            count += 1.0;
        }
    }
    assert!((found - sum / count).abs() < 1e-12);
}

#[test]
fn a_choice_beyond_one_is_refused_with_a_remedy() {
    let mut builder = VoteBuilder::new(&Options::default());
    for (annotator, choice) in [(1, 2.5), (2, -0.5), (3, -1.5), (4, 1.0)] {
        builder
            .push(Row::new(annotator, "tea", "milk", choice))
            .unwrap();
    }
    let votes = builder.finish().unwrap();
    let options = Options {
        loss: Loss::Logistic,
        ..Options::default()
    };
    let error = Fit::new(&votes, &options).unwrap_err().to_string();
    assert_eq!(
        error,
        "with loss = 'logistic' a choice is from -1, a win of the right item, to 1, a win of the \
         left item; 2 of 4 choices in column \"choice\" are beyond: divide them by the largest, \
         2.5, or set loss to 'squared', where a choice may have any strength"
    );
}
