//! The knockoff filter for position bias (Xu, Xiong, Cao, Yao, ICML 2016).
//!
//! With the scores projected out, X = (I − H)A for H = d(dᵀd)⁺dᵀ, its columns
//! scaled to length 1, the position biases are a linear model y = Xγ + noise.
//! Every annotator gets a knockoff, a column that looks the same to all others
//! and has nothing to do with y:
//!
//! ```text
//! X̃ = X(I − sΣ⁻¹) + UC,   Σ = XᵀX,  s = min(2λ_min(Σ), 1),  CᵀC = 2sI − s²Σ⁻¹
//! ```
//!
//! with U orthonormal and orthogonal to d and A. Columns race on one path: whose
//! own column enters first, and how early, says how much there is to it; the
//! number of knockoffs that come in first says how many of the others do so by
//! chance.
//!
//! No matrix with a row for each vote is ever formed. U comes from random signs
//! on each annotator's votes, G, made orthogonal to d and A; all that is needed
//! of it are products such as GᵀG (a diagonal) and dᵀG (an item by annotator
//! matrix).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::error::{Error, Result};
use crate::execution::Stop;
use crate::model::problem::Problem;
use crate::random::Random;
use crate::votes::Comparisons;

/// More annotators than this would take minutes.
const MAX_ANNOTATORS: usize = 2000;

/// The path is that of Linearized Bregman Iteration with this κ, up to
/// [`SPAN`] times the first entry.
const KAPPA: f64 = 20.0;
const SPAN: f64 = 100.0;

/// A column shorter than this part of the number of votes is no column.
const NO_COLUMN: f64 = 1e-9;

/// The statistics W of the filter, by annotator: positive where the own column
/// came in first, by one over the time.
pub fn knockoff_statistics(
    votes: &Comparisons,
    problem: &Problem,
    hodgerank: &[f64],
    stop: &Stop,
) -> Result<Vec<f64>> {
    let statistics = &problem.statistics;
    let annotators = statistics.annotators();
    if annotators > MAX_ANNOTATORS {
        return Err(Error::option(format!(
            "the knockoff filter takes at most {MAX_ANNOTATORS} annotators, not {annotators}: \
             leave bias_test out for the test by p-values"
        )));
    }
    let design = Design::new(votes, problem, hodgerank, stop)?;
    let race = design.race(stop)?;
    let mut statistic = vec![0.0; annotators];
    for (place, &u) in design.columns.iter().enumerate() {
        let (own, knockoff) = (race[place], race[place + design.columns.len()]);
        statistic[u] = if own > knockoff { own } else { -knockoff };
        if own == knockoff {
            statistic[u] = 0.0;
        }
    }
    Ok(statistic)
}

/// Those whose W reaches the threshold that keeps to a rate of false
/// discoveries. `plus` is the stricter knockoff+, which keeps to it exactly.
pub fn knockoff_selection(statistic: &[f64], rate: f64, plus: bool) -> Vec<bool> {
    let mut sizes: Vec<f64> = statistic
        .iter()
        .map(|w| w.abs())
        .filter(|w| *w > 0.0)
        .collect();
    sizes.sort_by(f64::total_cmp);
    let keeps = |threshold: f64| {
        let called = statistic.iter().filter(|&&w| w >= threshold).count();
        let chance = statistic.iter().filter(|&&w| w <= -threshold).count();
        (chance + usize::from(plus)) as f64 <= rate * called.max(1) as f64
    };
    let threshold = sizes
        .into_iter()
        .find(|&size| keeps(size))
        .unwrap_or(f64::INFINITY);
    statistic.iter().map(|&w| w >= threshold).collect()
}

/// The linear model of position biases and its knockoffs.
struct Design {
    /// The annotators that have a column.
    columns: Vec<usize>,
    /// Σ.
    gram: DMatrix<f64>,
    s: f64,
    /// Xᵀy, then X̃ᵀy.
    products: DVector<f64>,
}

impl Design {
    fn new(votes: &Comparisons, problem: &Problem, hodgerank: &[f64], stop: &Stop) -> Result<Self> {
        let statistics = &problem.statistics;
        let signs = Signs::new(votes);
        let lengths: Vec<f64> = (0..statistics.annotators())
            .map(|u| {
                let u = statistics.annotator(u);
                u.votes
            })
            .collect();
        let pooled = |vectors: &Vectors| vectors.solved(problem, stop);
        let net_left = Vectors::imbalance(problem);
        let solved = pooled(&net_left)?;
        let raw = |u: usize, v: usize| {
            -net_left.dot(u, &solved[v]) + if u == v { lengths[u] } else { 0.0 }
        };
        let columns: Vec<usize> = (0..lengths.len())
            .filter(|&u| lengths[u] > 0.0 && raw(u, u) > NO_COLUMN * lengths[u])
            .collect();
        let scale: Vec<f64> = columns.iter().map(|&u| 1.0 / raw(u, u).sqrt()).collect();
        let count = columns.len();
        let gram = DMatrix::from_fn(count, count, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            scale[i] * scale[j] * raw(columns[i], columns[j])
        });
        let own = DVector::from_fn(count, |i, _| {
            let u = columns[i];
            scale[i] * (statistics.annotator(u).net_left - net_left.dot(u, hodgerank))
        });
        stop.check()?;
        let factor = positive(gram.clone())?;
        let inverse = factor.inverse();
        stop.check()?;
        let s = f64::min(2.0 / largest_eigenvalue(&inverse), 1.0);

        // G made orthogonal to d and X, in products only.
        let noise_solved = pooled(&signs.vectors)?;
        let cross = DMatrix::from_fn(count, count, |i, j| {
            let (u, v) = (columns[i], columns[j]);
            let same = if u == v { signs.sum[u] } else { 0.0 };
            scale[i] * (same - net_left.dot(u, &noise_solved[v]))
        });
        let noise_gram = DMatrix::from_fn(count, count, |i, j| {
            let (u, v) = (columns[i.min(j)], columns[i.max(j)]);
            let same = if u == v { lengths[u] } else { 0.0 };
            same - signs.vectors.dot(u, &noise_solved[v])
        });
        stop.check()?;
        let explained = cross.transpose() * factor.solve(&cross);
        let noise_gram = noise_gram - (&explained + explained.transpose()) * 0.5;
        let noise = DVector::from_fn(count, |i, _| {
            let u = columns[i];
            signs.choices[u] - signs.vectors.dot(u, hodgerank)
        });
        let noise = noise - cross.transpose() * factor.solve(&own);
        stop.check()?;
        let noise_factor = positive(noise_gram)?;
        let mut uy = noise;
        noise_factor.l_dirty().solve_lower_triangular_mut(&mut uy);

        // C from CᵀC = 2sI − s²Σ⁻¹, a little inside so that it has a factor.
        let s = 0.999 * s;
        let mut square = -s * s * &inverse;
        for i in 0..count {
            square[(i, i)] += 2.0 * s;
        }
        stop.check()?;
        let c = positive(square)?; // L with LLᵀ: C = Lᵀ
        let knockoff = &own - s * factor.solve(&own) + c.l() * uy;
        let mut products = DVector::zeros(2 * count);
        products.rows_mut(0, count).copy_from(&own);
        products.rows_mut(count, count).copy_from(&knockoff);
        Ok(Self {
            columns,
            gram,
            s,
            products,
        })
    }

    /// One over the time at which each column enters, own ones first; 0 for never.
    fn race(&self, stop: &Stop) -> Result<Vec<f64>> {
        let count = self.columns.len();
        let mut speed = vec![0.0; 2 * count];
        let largest = self.products.amax();
        if largest == 0.0 {
            return Ok(speed);
        }
        let first = 1.0 / largest;
        // [Σ, Σ−s; Σ−s, Σ] has the eigenvalues of 2Σ − s and of s.
        let norm = f64::max(2.0 * largest_eigenvalue(&self.gram) - self.s, self.s);
        let step = 1.0 / (KAPPA * norm);
        let mut z = &self.products * first;
        let mut effect = DVector::zeros(2 * count);
        let mut time = first;
        while time < SPAN * first && speed.contains(&0.0) {
            stop.check()?;
            for (index, z) in z.iter().enumerate() {
                let over = z.abs() - 1.0;
                effect[index] = if over > 0.0 {
                    KAPPA * over * z.signum()
                } else {
                    0.0
                };
                if speed[index] == 0.0 && over >= -1e-12 {
                    speed[index] = 1.0 / time;
                }
            }
            let (own, knockoff) = (effect.rows(0, count), effect.rows(count, count));
            let both = &self.gram * (own + knockoff);
            for index in 0..count {
                z[index] += step * (self.products[index] - both[index] + self.s * knockoff[index]);
                z[index + count] +=
                    step * (self.products[index + count] - both[index] + self.s * own[index]);
            }
            time += step;
        }
        Ok(speed)
    }
}

fn positive(matrix: DMatrix<f64>) -> Result<Cholesky<f64, Dyn>> {
    Cholesky::new(matrix).ok_or_else(|| {
        Error::votes(
            "there are too few votes for the knockoff filter: it needs about twice as many \
             as there are items and annotators; leave bias_test out for the test by p-values",
        )
    })
}

/// By power iteration, which is enough for a positive matrix.
fn largest_eigenvalue(matrix: &DMatrix<f64>) -> f64 {
    let count = matrix.nrows();
    let mut vector = DVector::from_fn(count, |i, _| 1.0 + (i % 7) as f64 / 10.0);
    let mut value = 0.0;
    for _ in 0..300 {
        let next = matrix * &vector;
        let norm = next.norm();
        let done = (norm - value).abs() <= 1e-10 * norm;
        value = norm;
        vector = next / norm;
        if done {
            break;
        }
    }
    value * (1.0 + 1e-6)
}

/// One sparse vector over the items for each annotator.
struct Vectors {
    items: usize,
    starts: Vec<usize>,
    item: Vec<u32>,
    value: Vec<f64>,
}

impl Vectors {
    /// a_u = dᵀA_u.
    fn imbalance(problem: &Problem) -> Self {
        let statistics = &problem.statistics;
        let mut vectors = Self::new(statistics.items);
        for u in 0..statistics.annotators() {
            let annotator = statistics.annotator(u);
            vectors.item.extend(annotator.items);
            vectors.value.extend(annotator.imbalance);
            vectors.starts.push(vectors.item.len());
        }
        vectors
    }

    fn new(items: usize) -> Self {
        Self {
            items,
            starts: vec![0],
            item: Vec::new(),
            value: Vec::new(),
        }
    }

    fn of(&self, u: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[u]..self.starts[u + 1];
        let items = self.item[range.clone()].iter().map(|&item| item as usize);
        items.zip(self.value[range].iter().copied())
    }

    fn dot(&self, u: usize, dense: &[f64]) -> f64 {
        self.of(u).map(|(item, value)| value * dense[item]).sum()
    }

    /// L⁺ times each.
    fn solved(&self, problem: &Problem, stop: &Stop) -> Result<Vec<Vec<f64>>> {
        let mut solutions = Vec::with_capacity(self.starts.len() - 1);
        for u in 0..self.starts.len() - 1 {
            let mut right = vec![0.0; self.items];
            for (item, value) in self.of(u) {
                right[item] += value;
            }
            let mut solution = vec![0.0; self.items];
            let mut work = problem.consensus.scratch();
            problem
                .consensus
                .solve(&right, &mut solution, &mut work, stop)?;
            solutions.push(solution);
        }
        Ok(solutions)
    }
}

/// G: a random sign for each vote, in its annotator's column.
struct Signs {
    /// dᵀG.
    vectors: Vectors,
    /// The diagonal of AᵀG.
    sum: Vec<f64>,
    /// Gᵀy.
    choices: Vec<f64>,
}

impl Signs {
    fn new(votes: &Comparisons) -> Self {
        let mut random = Random(0);
        let mut signs = Self {
            vectors: Vectors::new(votes.items()),
            sum: Vec::new(),
            choices: Vec::new(),
        };
        for u in 0..votes.annotators() {
            let (mut sum, mut choices) = (0.0, 0.0);
            for vote in votes.of(u) {
                let sign = if random.next() >> 63 == 0 { 1.0 } else { -1.0 };
                let weight = sign * vote.weight;
                sum += weight;
                choices += weight * vote.choice;
                signs
                    .vectors
                    .item
                    .extend([vote.left as u32, vote.right as u32]);
                signs.vectors.value.extend([weight, -weight]);
            }
            signs.sum.push(sum);
            signs.choices.push(choices);
            signs.vectors.starts.push(signs.vectors.item.len());
        }
        signs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_keeps_to_the_rate() {
        let statistic = [9.0, 8.0, 7.0, -6.0, 5.0, 4.0, -3.0, 0.0, 2.0, -1.0];
        let called = |rate, plus| {
            let selected = knockoff_selection(&statistic, rate, plus);
            selected.iter().filter(|&&is| is).count()
        };
        assert_eq!(called(0.1, false), 3); // down to 7: none the other way
        assert_eq!(called(0.2, false), 5); // down to 4: one against five
        assert_eq!(called(0.2, true), 0); // plus: one of five at most
        assert_eq!(called(0.4, true), 5);
        assert!(knockoff_selection(&[], 0.1, false).is_empty());
    }
}
