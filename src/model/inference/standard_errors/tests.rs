//! The ways to find the variances, compared with each other and with leaving annotators
//! out.

use std::sync::Arc;

use super::estimate::curvatures;
use super::fitted::Fitted;
use super::hessian::{Hessian, LANES, RhsLanes};
use super::jackknife::RefitContributions;
use super::refits::Refits;
use super::score_contributions::ScoreContributions;
use super::{StandardErrors, exact, sketch};
use crate::execution::Stop;
use crate::model::path::PathVotes;
use crate::model::{Flow, LaplacianSolver, Problem, Settings, SolveFrequency, consensus_scores};
use crate::options::{Loss, Options, PairModel};
use crate::random::Random;
use crate::votes::rank_tables::{assert_same_on_ranks, tables};
use crate::votes::{Comparison, Comparisons, Partition};

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
        loss: Loss::Squared,
        ridge: 0.0,
        effects: None,
        pairs: None,
    };
    let contributions = ScoreContributions::new(votes, fitted);
    let components = consensus.components().collect();
    let hessian = Hessian::new(&flow, components, 0.0);
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
                let sums = (v.sums.unit_variance(), v.sums.effective_annotators());
                (sums, v.clustered, v.independent)
            })
        };
        assert!(run(1) == run(3));
    });
}

/// Of scores and of their differences, by the book: Σ_u (L⁺g_u)(L⁺g_u)ᵀ.
#[test]
fn the_covariance_is_the_sum_over_annotators() {
    let stop = Stop::default();
    with_hessian(&votes(23, 50, 12, 22), |hessian, contributions| {
        let inverse = hessian.inverse(&stop).unwrap().unwrap();
        let found = exact::variances(hessian, contributions, &inverse, 2, &stop).unwrap();
        let mut expected = nalgebra::DMatrix::<f64>::zeros(23, 23);
        let each = 0..contributions.votes.clusters();
        let add = |_, contribution: &super::contribution::ScoreContribution| {
            let own = contribution.by_item.iter().map(|item| item.value);
            let influence = &inverse * nalgebra::DVector::from_iterator(23, own);
            expected += &influence * influence.transpose();
        };
        contributions.for_each(each, &stop, add).unwrap();
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
        for a in 0..23 {
            assert!(close(found.covariance.variance(a), expected[(a, a)]));
            for b in (0..23).filter(|&b| b != a) {
                let difference = expected[(a, a)] + expected[(b, b)] - 2.0 * expected[(a, b)];
                assert!(close(
                    found.covariance.variance_of_difference(a, b),
                    difference
                ));
            }
        }
    });
}

#[test]
fn sketches_come_close_to_the_variances_of_differences() {
    let stop = Stop::default();
    with_hessian(&votes(60, 300, 40, 59), |hessian, contributions| {
        let inverse = hessian.inverse(&stop).unwrap().unwrap();
        let exact = exact::variances(hessian, contributions, &inverse, 2, &stop).unwrap();
        let found = sketch::variances(hessian, contributions, 2, &stop).unwrap();
        let pairs = || (0..60).flat_map(|a| (0..a).map(move |b| (a, b)));
        let [found, exact] = [found, exact].map(|variances| {
            let of = |(a, b)| variances.covariance.variance_of_difference(a, b);
            pairs().map(of).collect::<Vec<f64>>()
        });
        let error = error(&found, &exact);
        assert!(error < 0.2, "{error}");
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

/// Votes of annotators of whom every other one has a strong taste of their own.
fn votes_with_tastes(annotators: usize, scale: f64) -> Comparisons {
    let items = 6;
    let mut random = Random(annotators as u64);
    let mut votes = Comparisons::with_capacity(items, 0, true, true);
    for u in 0..annotators {
        let spread = if u % 2 == 0 { 1.0 } else { 0.1 };
        let own: Vec<f64> = (0..items)
            .map(|i| i as f64 / 3.0 + spread * random.normal())
            .collect();
        for _ in 0..40 {
            let left = random.below(items);
            let right = (left + 1 + random.below(items - 1)) % items;
            let weight = scale * (0.5 + random.uniform());
            let choice = own[left] - own[right] + 0.3 * random.normal();
            votes.push(Comparison {
                left,
                right,
                choice,
                weight,
            });
        }
        votes.end_annotator();
    }
    votes
}

/// The model at a fixed multiple of t0.
fn with_effects<T>(votes: &Comparisons, test: impl FnOnce(&Problem, Fitted<'_>) -> T) -> T {
    let stop = Stop::default();
    let problem = Problem::new(votes, &Options::default(), &stop).unwrap();
    let mut path = problem.path(&stop).unwrap();
    let t = 8.0 * problem.first_entry;
    let snapshot = path.advance_to(t, &stop).unwrap();
    let norms = snapshot.deviation_norm();
    assert!(norms.iter().any(|&norm| norm > 0.0) && norms.contains(&0.0));
    let fitted = Fitted {
        theta: snapshot.theta(),
        loss: problem.settings.loss,
        ridge: 0.0,
        effects: Some((snapshot, problem.settings)),
        pairs: None,
    };
    test(&problem, fitted)
}

fn standard_errors(votes: &Comparisons, threads: usize) -> StandardErrors {
    let stop = Stop::default();
    with_effects(votes, |problem, fitted| {
        let components = problem.consensus.components();
        StandardErrors::new(votes, &problem.flow, components, fitted, threads, &stop).unwrap()
    })
}

/// By item, (n − 1)/n Σ_u (θ without u − θ)², the jackknife by the book.
fn leave_one_out(votes: &Comparisons, problem: &Problem, fitted: Fitted<'_>) -> Vec<f64> {
    let stop = Stop::default();
    let (snapshot, settings) = fitted.effects.unwrap();
    let mut squares = vec![0.0; votes.items()];
    for left_out in 0..votes.annotators() {
        let [others, _] = votes.split(|row| votes.rows(left_out).contains(&row));
        let without = Problem::new(&others, &Options::default(), &stop).unwrap();
        let scale = without.statistics.total() / problem.statistics.total();
        let settings = Settings {
            alpha: settings.alpha * scale,
            ..settings
        };
        let path_votes = PathVotes::new(&others, &settings, &stop).unwrap();
        let mut path = path_votes.path(settings, &stop).unwrap();
        let refitted = path.advance_to(snapshot.t() * scale, &stop).unwrap();
        for (i, slot) in squares.iter_mut().enumerate() {
            *slot += (refitted.theta()[i] - fitted.theta[i]).powi(2);
        }
    }
    let n = votes.annotators() as f64;
    squares.iter().map(|sum| sum * (n - 1.0) / n).collect()
}

/// With each annotator in turn, and with groups of them.
#[test]
fn refits_give_the_variance_of_leaving_annotators_out() {
    let stop = Stop::default();
    for annotators in [24, 90] {
        let votes = votes_with_tastes(annotators, 1.0);
        with_effects(&votes, |problem, fitted| {
            let contributions = ScoreContributions::new(&votes, fitted);
            let hessian =
                Hessian::new(&problem.flow, problem.consensus.components().collect(), 0.0);
            let inverse = hessian.inverse(&stop).unwrap().unwrap();
            let sandwich = exact::variances(&hessian, &contributions, &inverse, 1, &stop).unwrap();
            let sandwich = sandwich.sandwich();
            let refits = Refits::new(&votes, &fitted, 2, &stop).unwrap().unwrap();
            assert_eq!(refits.is_complete(), annotators == 24);
            let found =
                RefitContributions::new(&refits, &hessian, &contributions, 2, &stop).unwrap();
            let each = sandwich.iter().enumerate();
            let found: Vec<_> = each.map(|(i, &own)| found.of_item(i, own)).collect();
            let expected = leave_one_out(&votes, problem, fitted);
            for (found, expected) in found.iter().zip(&expected) {
                let ratio = (found.value / expected).sqrt();
                assert!((0.75..1.33).contains(&ratio), "{annotators}: {ratio}");
                assert!(found.freedom > 8.0 && found.freedom < annotators as f64);
            }
        });
    }
}

#[test]
fn without_effects_nothing_is_refitted() {
    let votes = votes_with_tastes(24, 1.0);
    let theta = vec![0.0; votes.items()];
    let fitted = Fitted {
        theta: &theta,
        loss: Loss::Squared,
        ridge: 0.0,
        effects: None,
        pairs: None,
    };
    let refits = Refits::new(&votes, &fitted, 2, &Stop::default()).unwrap();
    assert!(refits.is_none());
}

/// Also where the scale is no power of two, and rounding differs.
#[test]
fn the_scale_of_weights_does_not_matter() {
    for annotators in [3, 24, 90] {
        let one = standard_errors(&votes_with_tastes(annotators, 1.0), 1);
        let three = standard_errors(&votes_with_tastes(annotators, 3.0), 1);
        assert!(error(&three.std_error, &one.std_error) < 1e-7);
        assert!(error(&three.half_width, &one.half_width) < 1e-7);
    }
}

#[test]
fn the_number_of_threads_does_not_change_refits() {
    for annotators in [24, 90] {
        let votes = votes_with_tastes(annotators, 1.0);
        assert!(standard_errors(&votes, 1) == standard_errors(&votes, 3));
    }
}

/// Votes for a side, of annotators who are sure in different degrees.
fn side_votes(annotators: usize) -> Comparisons {
    let items = 9;
    let mut random = Random(2);
    let mut votes = Comparisons::with_capacity(items, 0, false, false);
    for _ in 0..annotators {
        let noise = 1.0 + 3.0 * random.uniform();
        for _ in 0..20 {
            let left = random.below(items);
            let right = (left + 1 + random.below(items - 1)) % items;
            let better = right as f64 - left as f64 + noise * random.normal();
            votes.push(Comparison {
                left,
                right,
                choice: if better > 0.0 { 1.0 } else { -1.0 },
                weight: 1.0,
            });
        }
        votes.end_annotator();
    }
    votes
}

/// The sandwich with the Hessian of each loss, and the jackknife by the book.
#[test]
fn the_hessian_of_each_loss_gives_the_variance_of_leaving_annotators_out() {
    let stop = Stop::default();
    let (votes, ridge) = (side_votes(60), 0.01);
    for loss in [Loss::Logistic, Loss::Probit] {
        let scores = |votes: &Comparisons| {
            let flow = Flow::new(votes, PairModel::Uniform, &stop).unwrap();
            consensus_scores(&flow.into(), loss, ridge, &stop).unwrap()
        };
        let theta = scores(&votes);
        let fitted = Fitted {
            theta: &theta,
            loss,
            ridge,
            effects: None,
            pairs: None,
        };
        let flow = Flow::new(&votes, PairModel::Uniform, &stop).unwrap();
        let all: Vec<u32> = (0..votes.items() as u32).collect();
        let weighted = curvatures(&votes, &flow, &fitted).unwrap().unwrap();
        let hessian = Hessian::new(&weighted, vec![&all], ridge);
        let inverse = hessian.inverse(&stop).unwrap().unwrap();
        let contributions = ScoreContributions::new(&votes, fitted);
        let found = exact::variances(&hessian, &contributions, &inverse, 1, &stop).unwrap();
        // Votes are about as variable as the model says.
        let unit = found.sums.unit_variance();
        assert!((0.7..1.4).contains(&unit), "{loss}: {unit}");
        let mut expected = vec![0.0; votes.items()];
        let n = votes.annotators() as f64;
        for left_out in 0..votes.annotators() {
            let [others, _] = votes.split(|row| votes.rows(left_out).contains(&row));
            for (slot, (x, y)) in expected.iter_mut().zip(scores(&others).iter().zip(&theta)) {
                *slot += (x - y).powi(2) * (n - 1.0) / n;
            }
        }
        for (found, expected) in found.clustered.iter().zip(&expected) {
            let ratio = (found / expected).sqrt();
            assert!((0.85..1.1).contains(&ratio), "{loss}: {ratio}");
        }
    }
}

/// The weights of the Hessian with effects are those of every vote's own prediction.
#[test]
fn the_hessian_has_the_effects_in_it() {
    let stop = Stop::default();
    let votes = side_votes(40);
    let options = Options {
        loss: Loss::Probit,
        ..Options::default()
    };
    let problem = Problem::new(&votes, &options, &stop).unwrap();
    let mut path = problem.path(&stop).unwrap();
    let snapshot = path.advance_to(8.0 * problem.first_entry, &stop).unwrap();
    let fitted = Fitted {
        theta: snapshot.theta(),
        loss: Loss::Probit,
        ridge: 0.01,
        effects: Some((snapshot, problem.settings)),
        pairs: None,
    };
    assert!(snapshot.deviation_norm().iter().any(|&norm| norm > 0.0));
    let found = curvatures(&votes, &problem.flow, &fitted).unwrap().unwrap();
    let mut expected = vec![0.0; found.len()];
    for u in 0..votes.annotators() {
        let mut own = fitted.theta.to_vec();
        fitted.set_own_scores(u, &mut own);
        for vote in votes.of(u) {
            let predicted = own[vote.left] - own[vote.right] + fitted.position_bias(u);
            let pair = found.pair(vote.left.min(vote.right), vote.left.max(vote.right));
            expected[pair] += Loss::Probit.derivatives(vote.choice, predicted).1;
        }
    }
    assert!(error(&found.weight, &expected) < 1e-12);
}

/// A model without effects, on ranks: both ways to find the variances, with each loss.
#[test]
fn ranks_have_the_same_standard_errors() {
    let stop = Stop::default();
    for (_, votes) in tables() {
        for loss in [Loss::Squared, Loss::Logistic] {
            assert_same_on_ranks(&votes, |votes, threads| {
                let flow = Flow::new(votes, PairModel::Uniform, &stop).unwrap();
                let consensus = LaplacianSolver::new(&flow, SolveFrequency::Once, &stop).unwrap();
                let theta: Vec<f64> = (0..votes.items()).map(|i| (i % 5) as f64 / 5.0).collect();
                let fitted = Fitted {
                    theta: &theta,
                    loss,
                    ridge: 0.1,
                    effects: None,
                    pairs: None,
                };
                let components = || consensus.components();
                let all = StandardErrors::new(votes, &flow, components(), fitted, threads, &stop);
                let contributions = ScoreContributions::new(votes, fitted);
                let hessian = Hessian::new(&flow, components().collect(), 0.0);
                let sketch = sketch::variances(&hessian, &contributions, threads, &stop).unwrap();
                let sums = (
                    sketch.sums.unit_variance(),
                    sketch.sums.effective_annotators(),
                );
                (all.unwrap(), sums, sketch.clustered, sketch.covariance)
            });
        }
    }
}

/// Groups of annotators are dealt over the table, whoever has their votes.
#[test]
fn ranks_have_the_same_jackknife() {
    let stop = Stop::default();
    for (_, votes) in tables() {
        let mut random = Random(3);
        let groups = 20;
        let group = (0..votes.annotators()).map(|_| random.below(groups));
        let group = group.collect();
        let mut scores = |_| (0..votes.items()).map(|_| random.normal()).collect();
        let theta = (0..groups).map(&mut scores).collect();
        let refits = Refits { group, theta };
        assert_same_on_ranks(&votes, |votes, threads| {
            with_hessian(votes, |hessian, contributions| {
                let found =
                    RefitContributions::new(&refits, hessian, contributions, threads, &stop);
                found.unwrap()
            })
        });
    }
}

/// Wherever the blocks begin, up to [`LANES`] annotators have a lane each.
#[test]
fn in_blocks_too_few_annotators_are_exact() {
    let stop = Stop::default();
    let votes = votes(20, LANES, 10, 19);
    let partition = Partition::with_blocks(&votes.offsets, 8);
    let votes = votes.in_blocks(Arc::new(partition));
    with_hessian(&votes, |hessian, contributions| {
        let inverse = hessian.inverse(&stop).unwrap().unwrap();
        let exact = exact::variances(hessian, contributions, &inverse, 1, &stop).unwrap();
        let found = sketch::variances(hessian, contributions, 1, &stop).unwrap();
        assert!(error(&found.clustered, &exact.clustered) < 1e-7);
    });
}
