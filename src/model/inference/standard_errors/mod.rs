//! How far the consensus scores could have come out elsewhere, with other
//! annotators from where these came from.
//!
//! The scores balance the annotators' pulls: Σ_u g_u = 0 with
//! g_u = b_u − L_u(θ + δ^u) − a_u γ^u. Votes of one annotator depend on each
//! other, annotators do not, so the variance is the sandwich
//!
//! ```text
//! V = J⁺ (Σ_u g_u g_uᵀ) J⁺,   J = Σ_u (1 − r_u) L_u
//! ```
//!
//! where r_u is the share of u's pull that u's own effects take up: an annotator
//! with own scores does not hold the consensus where it is.
//!
//! An item that few annotators saw has too few pulls to tell from. Its variance
//! leans on σ²(J⁺LJ⁺)_ii, what independent votes would give, times how much
//! larger the variances of well-known items are than that; and its interval
//! uses Student's distribution.
//!
//! Both diagonals are exact where that is cheap. In larger problems they come
//! from sketches; see [`sketch`].

mod hessian;
mod score_contributions;
mod sketch;

use crate::error::Result;
use crate::execution::Stop;
use crate::model::flow::Flow;
use crate::model::lbi::Snapshot;
use crate::model::statistics::Statistics;
use crate::votes::Comparisons;

use hessian::Hessian;
use score_contributions::ScoreContributions;

/// Standard errors and intervals, by item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StandardErrors {
    /// Standard errors.
    pub std_error: Vec<f64>,
    /// Half the width of the 95 % intervals.
    pub half_width: Vec<f64>,
}

/// The model whose scores are in question.
#[derive(Clone, Copy)]
pub struct Fitted<'a> {
    /// θ.
    pub theta: &'a [f64],
    /// The annotators' own effects; None if nobody has any.
    pub effects: Option<(&'a Statistics, &'a Snapshot)>,
}

/// What well-known items say of the variance counts as so many annotators.
const PRIOR_ANNOTATORS: f64 = 4.0;

/// So many votes that nothing explains count in with the others.
const PRIOR_VOTES: f64 = 2.0;

/// So many multiplications, about a third of a second, may both diagonals cost
/// to be exact.
const EXACT_WORK: f64 = 5e8;

impl StandardErrors {
    /// Of the scores of a model. `components` are those of the comparison graph.
    pub fn new<'a>(
        votes: &Comparisons,
        flow: &Flow,
        components: impl Iterator<Item = &'a [u32]>,
        fitted: Fitted<'_>,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let items = fitted.theta.len();
        let pulls = ScoreContributions::new(votes, fitted);
        let bread = Hessian::new(&pulls, flow, components.collect(), stop)?;
        let exact = if exact_work(votes) <= EXACT_WORK {
            bread.inverse(stop)?
        } else {
            None
        };
        let (sums, variances) = match exact {
            Some(inverse) => bread.exact(&pulls, &inverse, threads, stop)?,
            None => sketch::variances(&bread, &pulls, threads, stop)?,
        };
        let sigma = sums.residual_variance(items);
        let seen_by = sums.effective_annotators();
        let Variances {
            clusters,
            independent,
        } = variances;
        let model = |i: usize| sigma * independent[i];
        let inflation = inflation(&clusters, &seen_by, model);
        let mut uncertainty = Self::default();
        for i in 0..items {
            let known = seen_by[i] - 1.0;
            let own = if known > 0.0 {
                clusters[i] * seen_by[i] / known
            } else {
                0.0
            };
            let freedom = known + PRIOR_ANNOTATORS;
            let variance = (known * own + PRIOR_ANNOTATORS * inflation * model(i)) / freedom;
            uncertainty.std_error.push(variance.sqrt());
            uncertainty
                .half_width
                .push(student_975(freedom) * variance.sqrt());
        }
        Ok(uncertainty)
    }
}

/// By item.
struct Variances {
    /// The diagonal of J⁺(Σ g gᵀ)J⁺.
    clusters: Vec<f64>,
    /// The diagonal of J⁺LJ⁺.
    independent: Vec<f64>,
}

/// About how many multiplications the exact diagonals take.
fn exact_work(votes: &Comparisons) -> f64 {
    let items = votes.items();
    let seen = |u: usize| (2 * votes.rows(u).len()).min(items) as f64;
    let all_seen: f64 = (0..votes.annotators()).map(seen).sum();
    let items = items as f64;
    items * all_seen + items.powi(3)
}

/// How much larger the variances are than if votes were independent, judged by
/// the items that most annotators saw.
fn inflation(clusters: &[f64], seen_by: &[f64], model: impl Fn(usize) -> f64) -> f64 {
    let most = seen_by.iter().copied().fold(0.0, f64::max);
    let (mut found, mut expected) = (0.0, 0.0);
    for i in (0..clusters.len()).filter(|&i| seen_by[i] > 1.0 && seen_by[i] >= 0.5 * most) {
        found += clusters[i] * seen_by[i] / (seen_by[i] - 1.0);
        expected += model(i);
    }
    if expected > 0.0 {
        f64::max(1.0, found / expected)
    } else {
        1.0
    }
}

/// The 97.5 % point of Student's distribution, after Cornish and Fisher.
fn student_975(freedom: f64) -> f64 {
    let z = 1.959_963_984_540_054_f64;
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    let first = (z3 + z) / 4.0;
    let second = (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0;
    let third = (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0;
    z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_is_that_of_the_tables() {
        for (freedom, expected) in [(4.0, 2.776), (10.0, 2.228), (100.0, 1.984)] {
            let point = student_975(freedom);
            assert!((point / expected - 1.0).abs() < 0.01, "{freedom}: {point}");
        }
    }

    use crate::model::{LaplacianSolver, SolveFrequency};
    use crate::options::PairModel;
    use crate::random::Random;
    use crate::votes::Comparison;
    use hessian::LANES;

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

    fn with_bread<T>(
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
        let pulls = ScoreContributions::new(votes, fitted);
        let components = consensus.components().collect();
        let bread = Hessian::new(&pulls, &flow, components, &stop).unwrap();
        test(&bread, &pulls)
    }

    /// The mean size of the relative errors of a sketch.
    fn error(found: &[f64], exact: &[f64]) -> f64 {
        let errors = found.iter().zip(exact).map(|(f, e)| (f / e - 1.0).abs());
        errors.sum::<f64>() / exact.len() as f64
    }

    #[test]
    fn sketches_come_close_to_the_exact_variances() {
        let stop = Stop::default();
        for (reach, most) in [(59, 0.05), (2, 0.15)] {
            with_bread(&votes(60, 300, 40, reach), |bread, pulls| {
                let inverse = bread.inverse(&stop).unwrap().unwrap();
                let (_, exact) = bread.exact(pulls, &inverse, 2, &stop).unwrap();
                let (_, found) = sketch::variances(bread, pulls, 2, &stop).unwrap();
                assert!(error(&found.clusters, &exact.clusters) < most);
                assert!(error(&found.independent, &exact.independent) < most);
            });
        }
    }

    #[test]
    fn few_annotators_have_a_lane_each() {
        let stop = Stop::default();
        with_bread(&votes(20, LANES, 30, 19), |bread, pulls| {
            let inverse = bread.inverse(&stop).unwrap().unwrap();
            let (_, exact) = bread.exact(pulls, &inverse, 1, &stop).unwrap();
            let (_, found) = sketch::variances(bread, pulls, 1, &stop).unwrap();
            assert!(error(&found.clusters, &exact.clusters) < 1e-7);
        });
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let stop = Stop::default();
        with_bread(&votes(40, 90, 25, 9), |bread, pulls| {
            let inverse = bread.inverse(&stop).unwrap().unwrap();
            let run = |threads| {
                let exact = bread.exact(pulls, &inverse, threads, &stop).unwrap();
                let sketch = sketch::variances(bread, pulls, threads, &stop).unwrap();
                [exact, sketch].map(|(sums, v)| {
                    let variance = sums.residual_variance(40);
                    (
                        variance,
                        sums.effective_annotators(),
                        v.clusters,
                        v.independent,
                    )
                })
            };
            assert!(run(1) == run(3));
        });
    }

    /// A long ring takes the most steps; a constant is in no right-hand side.
    #[test]
    fn solutions_give_back_the_right_hand_sides() {
        for reach in [1, 50] {
            with_bread(&votes(400, 100, 60, reach), |bread, _| {
                let mut random = Random(1);
                let mut right = vec![hessian::RhsLanes::default(); 400];
                for (item, lanes) in right.iter_mut().enumerate().skip(1) {
                    for lane in lanes.as_flattened_mut() {
                        *lane = random.normal() * (item % 3) as f64;
                    }
                }
                let solution = bread.solve(right.clone(), &Stop::default()).unwrap();
                let image = bread.times(&solution);
                for lane in 0..LANES {
                    let sum: f64 = right.iter().map(|lanes| lanes.as_flattened()[lane]).sum();
                    for (image, right) in image.iter().zip(&right) {
                        let right = right.as_flattened()[lane] - sum / 400.0;
                        assert!((image.as_flattened()[lane] - right).abs() < 1e-5, "{reach}");
                    }
                }
            });
        }
    }
}
