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
//! with own scores does not hold the consensus where it is. With many
//! items, V's diagonal is taken from random combinations of annotators.
//!
//! An item that few annotators saw has too few pulls to tell from. Its variance
//! leans on σ²(J⁺LJ⁺)_ii, what independent votes would give, times how much
//! larger the variances of well-known items are than that; and its interval
//! uses Student's distribution.

use super::consensus::Consensus;
use super::flow::Flow;
use super::path::Snapshot;
use super::problem::Problem;
use super::statistics::Statistics;
use crate::error::Result;
use crate::random::Random;
use crate::run::Stop;
use crate::votes::Comparisons;

/// Standard errors and intervals, by item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uncertainty {
    /// Standard errors.
    pub std_error: Vec<f64>,
    /// Half the width of the 95 % intervals.
    pub half_width: Vec<f64>,
}

/// With more items than this, random combinations stand for all annotators and votes.
const EXACT_ITEMS: usize = 256;

/// So many of them: standard errors come out to 6 %.
const COMBINATIONS: usize = 128;

/// What well-known items say of the variance counts as so many annotators.
const PRIOR_ANNOTATORS: f64 = 4.0;

/// So many votes that nothing explains count in with the others.
const PRIOR_VOTES: f64 = 2.0;

/// Never is all of a pull taken up: an item that only such annotators saw would
/// be held by nothing.
const MOST_TAKEN_UP: f64 = 0.95;

/// Far below what the variances are known to.
const TOLERANCE: f64 = 1e-5;

/// Large graphs are nearly random ones, on which conjugate gradients take a few steps.
const MOST_STEPS: usize = 30;

impl Uncertainty {
    /// Of the scores at one time of the path.
    pub fn new(
        votes: &Comparisons,
        problem: &Problem,
        flow: &Flow,
        snapshot: &Snapshot,
        stop: &Stop,
    ) -> Result<Self> {
        let statistics = &problem.statistics;
        let items = snapshot.theta().len();
        let pulls = Pulls::new(statistics, snapshot, stop)?;
        let mut bread = Bread::new(problem, flow, &pulls);
        let Variances {
            clusters,
            independent,
        } = if items <= EXACT_ITEMS {
            bread.exact(statistics, &pulls, stop)?
        } else {
            bread.sampled(statistics, &pulls, stop)?
        };
        let sigma = residual_variance(votes, statistics, snapshot);
        let seen_by = effective_annotators(statistics, items);
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

/// As how many annotators with equally many votes on an item those count who
/// voted on it.
fn effective_annotators(statistics: &Statistics, items: usize) -> Vec<f64> {
    let (mut sum, mut squares) = (vec![0.0; items], vec![0.0; items]);
    for u in 0..statistics.annotators() {
        let annotator = statistics.annotator(u);
        for (&item, degree) in annotator.items.iter().zip(annotator.graph.degrees()) {
            sum[item as usize] += degree;
            squares[item as usize] += degree * degree;
        }
    }
    sum.iter()
        .zip(&squares)
        .map(|(sum, squares)| sum * sum / squares)
        .collect()
}

/// The variance of a vote around the model. A few votes can be explained
/// altogether; so [`PRIOR_VOTES`] more count in that nothing explains.
fn residual_variance(votes: &Comparisons, statistics: &Statistics, snapshot: &Snapshot) -> f64 {
    let theta = snapshot.theta();
    let mut own = theta.to_vec();
    let (mut squares, mut whole) = (0.0, 0.0);
    for u in 0..votes.annotators() {
        let seen = statistics.annotator(u).items;
        let deviation = snapshot.deviation(statistics, u);
        for (&item, change) in seen.iter().zip(deviation) {
            own[item as usize] += change;
        }
        let bias = snapshot.position_bias()[u];
        for vote in votes.of(u) {
            let left_over = vote.choice - (own[vote.left] - own[vote.right] + bias);
            squares += vote.weight * left_over * left_over;
            whole += vote.weight * vote.choice * vote.choice;
        }
        for &item in seen {
            own[item as usize] = theta[item as usize];
        }
    }
    let total = statistics.total();
    let free = f64::max(total - theta.len() as f64 + 1.0, 0.0);
    (squares + PRIOR_VOTES * whole / total) / (free + PRIOR_VOTES)
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

/// The annotators' pulls on the scores, over the items that each saw.
struct Pulls {
    /// g_u, one after the other.
    values: Vec<f64>,
    /// r_u.
    taken_up: Vec<f64>,
}

impl Pulls {
    fn new(statistics: &Statistics, snapshot: &Snapshot, stop: &Stop) -> Result<Self> {
        let mut pulls = Self {
            values: Vec::new(),
            taken_up: Vec::new(),
        };
        for u in 0..statistics.annotators() {
            stop.check()?;
            let annotator = statistics.annotator(u);
            let deviation = snapshot.deviation(statistics, u);
            let bias = snapshot.position_bias()[u];
            let theta = annotator
                .items
                .iter()
                .map(|&item| snapshot.theta()[item as usize]);
            let theta: Vec<f64> = theta.collect();
            let mut plain = vec![0.0; theta.len()];
            annotator.laplacian_times(&theta, &mut plain);
            for (slot, wins) in plain.iter_mut().zip(annotator.net_wins) {
                *slot = wins - *slot;
            }
            let mut pull = vec![0.0; theta.len()];
            annotator.laplacian_times(deviation, &mut pull);
            for (k, slot) in pull.iter_mut().enumerate() {
                *slot = plain[k] - *slot - annotator.imbalance[k] * bias;
            }
            let has_effects = bias != 0.0 || snapshot.deviation_norm()[u] != 0.0;
            let taken_up = 1.0 - dot(&plain, &pull) / dot(&plain, &plain);
            pulls.taken_up.push(if has_effects && taken_up > 0.0 {
                taken_up.min(MOST_TAKEN_UP)
            } else {
                0.0
            });
            pulls.values.extend(pull);
        }
        Ok(pulls)
    }

    /// Calls `visit` with each annotator's items and pulls.
    fn for_each(&self, statistics: &Statistics, mut visit: impl FnMut(&[u32], &[f64])) {
        let mut first = 0;
        for u in 0..statistics.annotators() {
            let items = statistics.annotator(u).items;
            visit(items, &self.values[first..first + items.len()]);
            first += items.len();
        }
    }
}

/// By item.
struct Variances {
    /// The diagonal of J⁺(Σ g gᵀ)J⁺.
    clusters: Vec<f64>,
    /// The diagonal of J⁺LJ⁺.
    independent: Vec<f64>,
}

/// J, and memory to solve with it by conjugate gradients.
struct Bread<'a> {
    consensus: &'a Consensus,
    flow: &'a Flow,
    /// By pair.
    weight: Vec<f64>,
    diagonal: Vec<f64>,
    solution: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl<'a> Bread<'a> {
    fn new(problem: &'a Problem, flow: &'a Flow, pulls: &Pulls) -> Self {
        let statistics = &problem.statistics;
        let items = statistics.items;
        let mut weight = flow.weight.clone();
        for (u, &taken_up) in pulls
            .taken_up
            .iter()
            .enumerate()
            .filter(|(_, share)| **share > 0.0)
        {
            let annotator = statistics.annotator(u);
            for (&a, row) in annotator.items.iter().zip(annotator.graph.rows()) {
                for (place, votes) in row {
                    let b = annotator.items[place];
                    if a < b {
                        weight[flow.pair(a as usize, b as usize)] -= taken_up * votes;
                    }
                }
            }
        }
        let mut diagonal = vec![0.0; items];
        for (k, weight) in weight.iter().enumerate() {
            diagonal[flow.a[k] as usize] += weight;
            diagonal[flow.b[k] as usize] += weight;
        }
        let zeros = || vec![0.0; items];
        Self {
            consensus: &problem.consensus,
            flow,
            weight,
            diagonal,
            solution: zeros(),
            residual: zeros(),
            direction: zeros(),
            image: zeros(),
        }
    }

    fn items(&self) -> usize {
        self.diagonal.len()
    }

    /// J⁺ column by column, and both diagonals from it.
    fn exact(&mut self, statistics: &Statistics, pulls: &Pulls, stop: &Stop) -> Result<Variances> {
        let items = self.items();
        let mut variances = Variances {
            clusters: vec![0.0; items],
            independent: vec![0.0; items],
        };
        for i in 0..items {
            let mut right = vec![0.0; items];
            right[i] = 1.0;
            self.centre(&mut right);
            self.solve(&right, stop)?;
            let column = &self.solution;
            let gradient = self.flow.gradient(column);
            variances.independent[i] = self.flow.inner(&gradient, &gradient);
            pulls.for_each(statistics, |seen, pull| {
                let moved = seen
                    .iter()
                    .zip(pull)
                    .map(|(&item, g)| column[item as usize] * g);
                variances.clusters[i] += moved.sum::<f64>().powi(2);
            });
        }
        Ok(variances)
    }

    /// Both diagonals from random combinations of annotators, and of votes.
    fn sampled(
        &mut self,
        statistics: &Statistics,
        pulls: &Pulls,
        stop: &Stop,
    ) -> Result<Variances> {
        let items = self.items();
        let mut variances = Variances {
            clusters: vec![0.0; items],
            independent: vec![0.0; items],
        };
        let mut random = Random(0);
        let mut sign = move || if random.next() >> 63 == 0 { 1.0 } else { -1.0 };
        let mut right = vec![0.0; items];
        for _ in 0..COMBINATIONS {
            right.fill(0.0);
            pulls.for_each(statistics, |seen, pull| {
                let sign = sign();
                for (&item, g) in seen.iter().zip(pull) {
                    right[item as usize] += sign * g;
                }
            });
            self.solve(&right, stop)?;
            self.add_squares(&mut variances.clusters);
            right.fill(0.0);
            for (k, weight) in self.flow.weight.iter().enumerate() {
                let value = sign() * weight.sqrt();
                right[self.flow.a[k] as usize] += value;
                right[self.flow.b[k] as usize] -= value;
            }
            self.solve(&right, stop)?;
            self.add_squares(&mut variances.independent);
        }
        Ok(variances)
    }

    fn add_squares(&self, sum: &mut [f64]) {
        for (slot, x) in sum.iter_mut().zip(&self.solution) {
            *slot += x * x / COMBINATIONS as f64;
        }
    }

    /// Solves J x = right by conjugate gradients, x with mean zero in each component.
    fn solve(&mut self, right: &[f64], stop: &Stop) -> Result<()> {
        self.solution.fill(0.0);
        self.residual.copy_from_slice(right);
        let scaled = |residual: &[f64], diagonal: &[f64]| -> f64 {
            residual.iter().zip(diagonal).map(|(r, d)| r * r / d).sum()
        };
        let mut size = scaled(&self.residual, &self.diagonal);
        let enough = TOLERANCE * TOLERANCE * size;
        for (slot, (r, d)) in self
            .direction
            .iter_mut()
            .zip(right.iter().zip(&self.diagonal))
        {
            *slot = r / d;
        }
        let exact = self.items() <= EXACT_ITEMS;
        let steps = if exact { 10 * self.items() } else { MOST_STEPS };
        for _ in 0..steps {
            if size <= enough {
                break;
            }
            stop.check()?;
            self.product();
            let step = size / dot(&self.direction, &self.image);
            for i in 0..self.solution.len() {
                self.solution[i] += step * self.direction[i];
                self.residual[i] -= step * self.image[i];
            }
            let next = scaled(&self.residual, &self.diagonal);
            for i in 0..self.solution.len() {
                self.direction[i] =
                    self.residual[i] / self.diagonal[i] + next / size * self.direction[i];
            }
            size = next;
        }
        let mut solution = std::mem::take(&mut self.solution);
        self.centre(&mut solution);
        self.solution = solution;
        Ok(())
    }

    /// image = J direction.
    fn product(&mut self) {
        self.image.fill(0.0);
        for (k, weight) in self.weight.iter().enumerate() {
            let (a, b) = (self.flow.a[k] as usize, self.flow.b[k] as usize);
            let value = weight * (self.direction[a] - self.direction[b]);
            self.image[a] += value;
            self.image[b] -= value;
        }
    }

    /// Takes the mean of each component out.
    fn centre(&self, values: &mut [f64]) {
        for component in self.consensus.components() {
            let sum: f64 = component.iter().map(|&item| values[item as usize]).sum();
            let mean = sum / component.len() as f64;
            for &item in component {
                values[item as usize] -= mean;
            }
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
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
}
