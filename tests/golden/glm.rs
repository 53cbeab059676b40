//! The logistic and probit path against an independent implementation.

use super::*;

/// θ is an inner minimisation, so these files agree to fewer digits.
const GLM_TOLERANCE: f64 = 1e-6;

const INDICES: [usize; 7] = [0, 5, 10, 20, 30, 40, 49];

/// A data set, with choices divided as the reference's were.
struct GlmGolden {
    votes: Votes,
    reference: Value,
}

impl GlmGolden {
    /// None if the files are not there.
    fn load(name: &str) -> Option<Self> {
        let reference = common::shared("golden", &format!("{name}_glm.json"))?;
        let data = common::shared("data", &format!("{name}.csv"))?;
        let reference: Value =
            serde_json::from_str(&fs::read_to_string(reference).unwrap()).unwrap();
        let folds = reference["cv"]["folds"].as_array();
        let folds: Option<Vec<i64>> =
            folds.map(|folds| folds.iter().map(|fold| fold.as_i64().unwrap()).collect());
        let divisor = number(&reference["choice_divided_by"]);
        let votes = common::read_divided_votes(&data, folds.as_deref(), divisor);
        assert_eq!(votes.comparisons().len() as f64, number(&reference["m"]));
        assert_eq!(
            ids(votes.annotators()),
            numbers(&reference["annotator_ids"])
        );
        assert_eq!(ids(votes.items()), numbers(&reference["item_ids"]));
        Some(Self { votes, reference })
    }

    fn options(run: &Value) -> Options {
        let text = |field: &str| run[field].as_str().unwrap();
        Options {
            kappa: number(&run["kappa"]),
            loss: text("link").parse().unwrap(),
            theta_update: text("scheme").parse().unwrap(),
            ..common::options()
        }
    }

    fn problem(&self, options: &Options) -> Problem {
        assert_eq!(options.ridge, None);
        assert_eq!(0.01, number(&self.reference["ridge"]));
        Problem::new(self.votes.comparisons(), options, &Stop::default()).unwrap()
    }
}

/// Fails unless every number agrees to [`GLM_TOLERANCE`] of the largest expected one.
fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(SMALLEST, |max, x| max.max(x.abs()));
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        let deviation = (a - b).abs() / largest;
        assert!(
            deviation <= GLM_TOLERANCE,
            "{what}[{index}]: {a} is not {b} (off by {deviation:.1e})"
        );
    }
}

fn check_runs(name: &str, link: &str, scheme: &str) {
    let Some(golden) = GlmGolden::load(name) else {
        return;
    };
    let runs = golden.reference["runs"].as_array().unwrap().iter();
    let run = runs
        .filter(|run| run["link"] == link && run["scheme"] == scheme)
        .collect::<Vec<_>>();
    assert_eq!(run.len(), 1);
    let run = run[0];
    let (options, stop) = (GlmGolden::options(run), Stop::default());
    let problem = golden.problem(&options);
    let what = format!("{name} {link} {scheme}");
    let one = |field: &str| numbers(&Value::from(vec![run[field].clone()]));
    assert_near(&[problem.settings.alpha], &one("alpha"), &what);
    assert_near(&[problem.first_entry], &one("t0"), &what);
    let mut path = problem.path(&stop).unwrap();
    if scheme == "solve" {
        assert_near(path.consensus(), &numbers(&run["theta0"]), &what);
    }
    let mut scorer = Scorer::new(golden.votes.comparisons(), options.loss, 2);
    let grid = problem.grid(&options).unwrap();
    let snapshots = run["snapshots"].as_array().unwrap();
    assert_eq!(snapshots.len(), INDICES.len());
    for (expected, index) in snapshots.iter().zip(INDICES) {
        let what = format!("{what} at {index}");
        assert_eq!(number(&expected["index"]), index as f64);
        assert_near(&[grid[index]], &[number(&expected["t"])], &what);
        let t = number(&expected["t"]);
        let snapshot = path.advance_to(t, &stop).unwrap();
        let near = |found: &[f64], field: &str| {
            assert_near(
                found,
                &numbers(&expected[field]),
                &format!("{what}: {field}"),
            );
        };
        near(snapshot.theta(), "theta");
        near(snapshot.position_bias(), "gamma");
        near(snapshot.deviation_norm(), "delta_norm");
        let (loss, mismatch) = scorer.score(snapshot).unwrap();
        assert_near(&[loss], &[number(&expected["loss"])], &what);
        assert_near(&[mismatch], &[number(&expected["mismatch"])], &what);
    }
    let last = snapshots.last().map_or(0.0, |last| number(&last["t"]));
    check_entry_times(&path.bias_entries(), &run["gamma_entry_t"], last, &what);
    check_entry_times(
        &path.deviation_entries(),
        &run["delta_entry_t"],
        last,
        &what,
    );
    // The last time may be the end of a step, up to rounding.
    let steps = (last - path.first_entry()) / problem.settings.alpha;
    assert_eq!((steps - 1e-6).ceil(), number(&run["iters"]), "{what}");
    assert!((path.iteration() as f64 - steps).abs() <= 1.0, "{what}");
}

/// The last step of the reference may end after the last time.
fn check_entry_times(found: &[Option<EffectEntry>], expected: &Value, last: f64, what: &str) {
    let expected = expected.as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (u, (found, expected)) in found.iter().zip(expected).enumerate() {
        let expected = expected.as_f64().filter(|t| *t <= last);
        let found = found.map(|entry| entry.time).filter(|t| *t <= last);
        match (found, expected) {
            (Some(found), Some(expected)) => assert_near(&[found], &[expected], what),
            _ => assert_eq!(found, expected, "{what}: effect of {u}"),
        }
    }
}

fn check_cv(name: &str) {
    let Some(golden) = GlmGolden::load(name) else {
        return;
    };
    let expected = &golden.reference["cv"];
    let options = GlmGolden::options(expected);
    let problem = golden.problem(&options);
    let grid = problem.grid(&options).unwrap();
    assert_near(&grid, &numbers(&expected["tlist"]), "grid");
    let (votes, folds) = (golden.votes.comparisons(), golden.votes.folds().unwrap());
    let stop = Stop::default();
    let found = cross_validate(votes, folds, problem.settings, &grid, 2, &stop).unwrap();
    let by_fold = rows(&expected["loss_by_fold"]);
    assert_eq!(found.errors.len(), by_fold.len());
    for (fold, (found, expected)) in found.errors.iter().zip(&by_fold).enumerate() {
        for (k, (&found, &expected)) in found.iter().zip(expected).enumerate() {
            assert_near(&[found], &[expected], &format!("fold {fold}, time {k}"));
        }
        assert_eq!(found.len(), expected.len());
    }
    let each = || 0..grid.len();
    let losses: Vec<f64> = each().map(|k| found.error(k)).collect();
    let mismatches: Vec<f64> = each().map(|k| found.mismatch(k)).collect();
    assert_near(&losses, &numbers(&expected["loss"]), "loss");
    assert_near(&mismatches, &numbers(&expected["mismatch"]), "mismatch");
    assert_eq!(found.best() as f64, number(&expected["best"]));
}

macro_rules! glm_golden {
    ($($test:ident: $name:ident $link:ident $scheme:ident;)*) => {$(
        #[test]
        fn $test() {
            check_runs(stringify!($name), stringify!($link), stringify!($scheme));
        }
    )*};
}
glm_golden! {
    simulated_logistic: sim_small logistic solve;
    simulated_logistic_gradient: sim_small logistic gradient;
    simulated_probit: sim_small probit solve;
    simulated_probit_gradient: sim_small probit gradient;
    iqa_logistic: iqa_ref1 logistic solve;
    iqa_logistic_gradient: iqa_ref1 logistic gradient;
    iqa_probit: iqa_ref1 probit solve;
    iqa_probit_gradient: iqa_ref1 probit gradient;
    age_logistic: age logistic solve;
    age_probit: age probit solve;
}

#[test]
fn cross_validation_simulated() {
    check_cv("sim_small");
}

#[test]
fn cross_validation_iqa() {
    check_cv("iqa_ref1");
}
