//! The two ways to find the variances, compared.

use super::fitted::Fitted;
use super::hessian::{Hessian, LANES, RhsLanes};
use super::score_contributions::ScoreContributions;
use super::{exact, sketch};
use crate::execution::Stop;
use crate::model::{Flow, LaplacianSolver, SolveFrequency};
use crate::options::PairModel;
use crate::random::Random;
use crate::votes::{Comparison, Comparisons};

/// Votes on pairs at most `reach` apart.
fn votes(items: usize, annotators: usize, each: usize, reach: usize) -> Comparisons {
    let mut random = Random(items as u64);
    let mut votes = Comparisons::with_capacity(items, 0, true, true);
    for _ in 0..annotators {
        let taste = random.normal();
        for _ in 0..each {
            let left = random.below(items);
            votes.push(Comparison {
                left,
                right: (left + 1 + random.below(reach)) % items,
                choice: random.normal() + taste * (left as f64 / items as f64 - 0.5),
                weight: 0.5 + random.uniform(),
            });
        }
        votes.end_annotator();
    }
    votes
}

fn with_hessian<T>(
    votes: &Comparisons,
    test: impl FnOnce(&Hessian<'_>, &ScoreContributions<'_>) -> T,
) -> T {
    let stop = Stop::default();
    let flow = Flow::new(votes, PairModel::Uniform, &stop).unwrap();
    let consensus = LaplacianSolver::new(&flow, SolveFrequency::Once, &stop).unwrap();
    let theta = vec![0.0; votes.items()];
    let fitted = Fitted {
        theta: &theta,
        effects: None,
    };
    let contributions = ScoreContributions::new(votes, fitted);
    let components = consensus.components().collect();
    let hessian = Hessian::new(&contributions, &flow, components, &stop).unwrap();
    test(&hessian, &contributions)
}

/// The mean size of the relative errors of a sketch.
fn error(found: &[f64], exact: &[f64]) -> f64 {
    let errors = found.iter().zip(exact).map(|(f, e)| (f / e - 1.0).abs());
    errors.sum::<f64>() / exact.len() as f64
}

#[test]
fn sketches_come_close_to_the_exact_variances() {
    let stop = Stop::default();
    for (reach, max_error) in [(59, 0.05), (2, 0.15)] {
        with_hessian(&votes(60, 300, 40, reach), |hessian, contributions| {
            let inverse = hessian.inverse(&stop).unwrap().unwrap();
            let exact = exact::variances(hessian, contributions, &inverse, 2, &stop).unwrap();
            let found = sketch::variances(hessian, contributions, 2, &stop).unwrap();
            assert!(error(&found.clustered, &exact.clustered) < max_error);
            assert!(error(&found.independent, &exact.independent) < max_error);
        });
    }
}

#[test]
fn few_annotators_have_a_lane_each() {
    let stop = Stop::default();
    with_hessian(&votes(20, LANES, 30, 19), |hessian, contributions| {
        let inverse = hessian.inverse(&stop).unwrap().unwrap();
        let exact = exact::variances(hessian, contributions, &inverse, 1, &stop).unwrap();
        let found = sketch::variances(hessian, contributions, 1, &stop).unwrap();
        assert!(error(&found.clustered, &exact.clustered) < 1e-7);
    });
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let stop = Stop::default();
    with_hessian(&votes(40, 90, 25, 9), |hessian, contributions| {
        let inverse = hessian.inverse(&stop).unwrap().unwrap();
        let run = |threads| {
            let exact = exact::variances(hessian, contributions, &inverse, threads, &stop).unwrap();
            let sketch = sketch::variances(hessian, contributions, threads, &stop).unwrap();
            [exact, sketch].map(|v| {
                let sums = (v.sums.residual_variance(), v.sums.effective_annotators());
                (sums, v.clustered, v.independent)
            })
        };
        assert!(run(1) == run(3));
    });
}

/// A long ring takes the most steps; a constant is in no right-hand side.
#[test]
fn solutions_give_back_the_right_hand_sides() {
    for reach in [1, 50] {
        with_hessian(&votes(400, 100, 60, reach), |hessian, _| {
            let mut random = Random(1);
            let mut rhs = vec![RhsLanes::default(); 400];
            for (item, lanes) in rhs.iter_mut().enumerate().skip(1) {
                for lane in lanes.as_flattened_mut() {
                    *lane = random.normal() * (item % 3) as f64;
                }
            }
            let solution = hessian.solve(rhs.clone(), &Stop::default()).unwrap();
            let image = hessian.times(&solution);
            for lane in 0..LANES {
                let sum: f64 = rhs.iter().map(|lanes| lanes.as_flattened()[lane]).sum();
                for (image, rhs) in image.iter().zip(&rhs) {
                    let rhs = rhs.as_flattened()[lane] - sum / 400.0;
                    assert!((image.as_flattened()[lane] - rhs).abs() < 1e-5, "{reach}");
                }
            }
        });
    }
}
