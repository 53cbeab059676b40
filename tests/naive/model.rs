//! The model with one matrix row per vote, dense matrices, and every effect in
//! every step.
//!
//! ```text
//! y = dθ + Xβ + noise,   X = [D, A],   β = (δ, γ)
//! ```
//!
//! The row of a vote of weight ω is multiplied by √ω, so that plain sums of
//! squares are the weighted ones. An effect that is left out of the model is a
//! block of zero columns.

use std::collections::BTreeSet;
use std::ops::Range;

use me_hodgerank::ThetaUpdate;
use nalgebra::{DMatrix, DVector};

use super::case::{self, Case};

/// Which effects are in the model, and how its path is run.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub position_bias: bool,
    pub personal: bool,
    pub update: ThetaUpdate,
    pub kappa: f64,
    pub alpha: f64,
}

/// A vote with its ids as indices into the sorted lists of ids.
#[derive(Clone, Copy, Debug)]
pub struct IndexedVote {
    pub annotator: usize,
    pub left: usize,
    pub right: usize,
    pub choice: f64,
    pub weight: f64,
    pub fold: i64,
}

/// A table of votes.
#[derive(Clone, Debug)]
pub struct Table {
    pub annotators: usize,
    pub items: usize,
    pub rows: Vec<IndexedVote>,
}

impl Table {
    pub fn new(case: &Case) -> Self {
        let annotators: BTreeSet<i64> = case.votes.iter().map(|vote| vote.annotator).collect();
        let sides = case.votes.iter().flat_map(|vote| [vote.left, vote.right]);
        let items: BTreeSet<i64> = sides.collect();
        let index = |ids: &BTreeSet<i64>, id: i64| ids.range(..id).count();
        let row = |vote: &case::Vote| IndexedVote {
            annotator: index(&annotators, vote.annotator),
            left: index(&items, vote.left),
            right: index(&items, vote.right),
            choice: vote.choice,
            weight: vote.weight,
            fold: vote.fold,
        };
        Self {
            annotators: annotators.len(),
            items: items.len(),
            rows: case.votes.iter().map(row).collect(),
        }
    }

    /// The rows that `keep` holds for; all annotators and items stay.
    fn filter(&self, keep: impl Fn(&IndexedVote) -> bool) -> Self {
        let rows = self.rows.iter().filter(|row| keep(row)).copied().collect();
        Self {
            rows,
            ..self.clone()
        }
    }
}

/// The model at one time: θ, δ of every annotator over all items, and γ.
#[derive(Clone, Debug)]
pub struct Estimates {
    pub theta: Vec<f64>,
    pub deviation: Vec<Vec<f64>>,
    pub bias: Vec<f64>,
}

impl Estimates {
    pub fn predict(&self, row: &IndexedVote) -> f64 {
        let score = |item: usize| self.theta[item] + self.deviation[row.annotator][item];
        score(row.left) - score(row.right) + self.bias[row.annotator]
    }
}

/// The design matrices d and X of a table of votes, and y.
pub struct NaiveModel {
    annotators: usize,
    items: usize,
    d: DMatrix<f64>,
    x: DMatrix<f64>,
    y: DVector<f64>,
    /// Σω.
    total: f64,
    /// (dᵀd + cᵀc)⁻¹: the votes do not determine the mean score of a component, so
    /// for each there is one more equation, cθ = 0, which makes the mean zero.
    inverse: DMatrix<f64>,
}

impl NaiveModel {
    pub fn new(table: &Table, setup: &Setup) -> Self {
        let (votes, items) = (table.rows.len(), table.items);
        let effects = table.annotators * (items + 1);
        let mut d = DMatrix::zeros(votes, items);
        let mut x = DMatrix::zeros(votes, effects);
        let mut y = DVector::zeros(votes);
        for (k, row) in table.rows.iter().enumerate() {
            let root = row.weight.sqrt();
            d[(k, row.left)] = root;
            d[(k, row.right)] = -root;
            y[k] = root * row.choice;
            if setup.personal {
                x[(k, row.annotator * items + row.left)] = root;
                x[(k, row.annotator * items + row.right)] = -root;
            }
            if setup.position_bias {
                x[(k, table.annotators * items + row.annotator)] = root;
            }
        }
        let c = component_rows(table);
        let inverse = (d.tr_mul(&d) + c.tr_mul(&c)).try_inverse();
        Self {
            annotators: table.annotators,
            items,
            inverse: inverse.expect("each component has its equation"),
            d,
            x,
            y,
            total: table.rows.iter().map(|row| row.weight).sum(),
        }
    }

    /// The columns of each effect: δ^u for every annotator, then γ^u for every annotator.
    fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let (annotators, items) = (self.annotators, self.items);
        let deviations = (0..annotators).map(move |u| u * items..(u + 1) * items);
        let bias = annotators * items;
        deviations.chain((0..annotators).map(move |u| bias + u..bias + u + 1))
    }

    fn no_effects(&self) -> DVector<f64> {
        DVector::zeros(self.x.ncols())
    }

    /// argmin_θ ‖y − dθ − Xβ‖, mean zero in each component.
    fn solve(&self, beta: &DVector<f64>) -> DVector<f64> {
        &self.inverse * self.d.tr_mul(&(&self.y - &self.x * beta))
    }

    fn residual(&self, theta: &DVector<f64>, beta: &DVector<f64>) -> DVector<f64> {
        &self.y - &self.d * theta - &self.x * beta
    }

    /// HodgeRank's scores.
    pub fn hodgerank(&self) -> DVector<f64> {
        self.solve(&self.no_effects())
    }

    /// ‖XᵀX‖₂.
    pub fn design_norm(&self) -> f64 {
        squared_norm(&self.x)
    }

    /// ‖dᵀd‖₂.
    pub fn graph_norm(&self) -> f64 {
        squared_norm(&self.d)
    }

    /// Xᵀ(y − dθ⁰).
    fn first_gradient(&self) -> DVector<f64> {
        let residual = self.residual(&self.hodgerank(), &self.no_effects());
        self.x.tr_mul(&residual)
    }

    /// t0 = m / max_g ‖X_gᵀ(y − dθ⁰)‖; infinite if HodgeRank explains all votes.
    pub fn first_entry(&self) -> f64 {
        let gradient = self.first_gradient();
        let norms = self.groups().map(|group| group_norm(&gradient, &group));
        let largest = norms.fold(0.0, f64::max);
        if largest <= 1e-10 * self.y.norm() {
            return f64::INFINITY;
        }
        self.total / largest
    }

    /// κ · shrink(z).
    fn shrink(&self, z: &DVector<f64>, kappa: f64) -> DVector<f64> {
        let mut beta = z.clone();
        for group in self.groups() {
            let factor = kappa * (1.0 - 1.0 / group_norm(z, &group)).max(0.0);
            beta.rows_range_mut(group).scale_mut(factor);
        }
        beta
    }

    fn model(&self, theta: &DVector<f64>, beta: &DVector<f64>) -> Estimates {
        let effects: Vec<Vec<f64>> = self
            .groups()
            .map(|group| beta.rows_range(group).iter().copied().collect())
            .collect();
        let (deviation, bias) = effects.split_at(self.annotators);
        Estimates {
            theta: theta.iter().copied().collect(),
            deviation: deviation.to_vec(),
            bias: bias.concat(),
        }
    }

    /// The path at ascending times.
    pub fn path(&self, setup: &Setup, times: &[f64]) -> Vec<Estimates> {
        let t0 = self.first_entry();
        let mut step = Step::first(self, setup, t0);
        let mut models = Vec::new();
        for &t in times {
            if t <= t0 {
                models.push(self.model(&self.hodgerank(), &self.no_effects()));
                continue;
            }
            while step.end() < t {
                step = step.next(self, setup);
            }
            let part = (t - step.begin()) / setup.alpha;
            let theta = step.theta.lerp(&step.theta_after, part);
            let z = step.z.lerp(&step.z_after, part);
            models.push(self.model(&theta, &self.shrink(&z, setup.kappa)));
        }
        models
    }

    /// For each δ^u, then each γ^u, the first steps of the path up to `t` that
    /// end with ‖z‖ beyond 1 − 10⁻⁹ and 1 + 10⁻⁹: it enters between the two.
    pub fn entries(&self, setup: &Setup, t: f64) -> Vec<[Option<usize>; 2]> {
        let mut entries = vec![[None; 2]; 2 * self.annotators];
        let mut step = Step::first(self, setup, self.first_entry());
        while step.end() < t {
            step = step.next(self, setup);
            for (entry, group) in entries.iter_mut().zip(self.groups()) {
                let norm = group_norm(&step.z, &group);
                for (slot, threshold) in entry.iter_mut().zip([1.0 - 1e-9, 1.0 + 1e-9]) {
                    if norm > threshold {
                        slot.get_or_insert(step.number);
                    }
                }
            }
        }
        entries
    }
}

/// One step of the iteration, from (θ^k, z^k) to (θ^{k+1}, z^{k+1}).
struct Step {
    start: f64,
    alpha: f64,
    number: usize,
    theta: DVector<f64>,
    theta_after: DVector<f64>,
    z: DVector<f64>,
    z_after: DVector<f64>,
}

impl Step {
    /// Algorithm 1 to the letter begins at time 0. The others jump to t0: until then
    /// z grows in proportion to time.
    fn first(naive: &NaiveModel, setup: &Setup, t0: f64) -> Self {
        let start = match setup.update {
            ThetaUpdate::Lagged => 0.0,
            _ => t0,
        };
        // If no effect ever enters, t0 is infinite and no step is made.
        let z = if start.is_finite() {
            naive.first_gradient() * (start / naive.total)
        } else {
            naive.no_effects()
        };
        Self::new(naive, setup, (start, 0), naive.hodgerank(), z)
    }

    fn next(self, naive: &NaiveModel, setup: &Setup) -> Self {
        let clock = (self.start, self.number + 1);
        Self::new(naive, setup, clock, self.theta_after, self.z_after)
    }

    fn new(
        naive: &NaiveModel,
        setup: &Setup,
        (start, number): (f64, usize),
        mut theta: DVector<f64>,
        z: DVector<f64>,
    ) -> Self {
        let Setup { kappa, alpha, .. } = *setup;
        let beta = naive.shrink(&z, kappa);
        let size = alpha / naive.total;
        let theta_after = match setup.update {
            ThetaUpdate::Solve => {
                theta = naive.solve(&beta);
                theta.clone()
            }
            ThetaUpdate::Lagged => naive.solve(&beta),
            ThetaUpdate::Gradient => {
                &theta + naive.d.tr_mul(&naive.residual(&theta, &beta)) * (kappa * size)
            }
            other => panic!("the naive model knows no theta_update = {other}"),
        };
        let z_after = &z + naive.x.tr_mul(&naive.residual(&theta, &beta)) * size;
        Self {
            start,
            alpha,
            number,
            theta,
            theta_after,
            z,
            z_after,
        }
    }

    fn begin(&self) -> f64 {
        self.start + self.number as f64 * self.alpha
    }

    fn end(&self) -> f64 {
        self.begin() + self.alpha
    }
}

/// How well a fold was predicted at one time. A prediction of zero has no sign,
/// and rounding may give it one: the mismatch lies between the two.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    pub error: f64,
    pub mismatch: [f64; 2],
}

/// The error of the predictions for votes.
pub fn score(model: &Estimates, votes: &Table) -> Score {
    let (mut error, mut mismatch, mut total) = (0.0, [0.0; 2], 0.0);
    for row in &votes.rows {
        let predicted = model.predict(row);
        error += row.weight * (row.choice - predicted).powi(2);
        let range = match row.choice * predicted {
            _ if row.choice == 0.0 => [0.5, 0.5],
            _ if predicted.abs() < 1e-9 => [0.0, 1.0],
            agreement if agreement > 0.0 => [0.0, 0.0],
            _ => [1.0, 1.0],
        };
        mismatch[0] += row.weight * range[0];
        mismatch[1] += row.weight * range[1];
        total += row.weight;
    }
    Score {
        error: error / total,
        mismatch: mismatch.map(|sum| sum / total),
    }
}

/// The scores of each fold at each time, by a path without the fold.
pub fn cross_validate(table: &Table, setup: &Setup, times: &[f64]) -> Vec<Vec<Score>> {
    let folds: BTreeSet<i64> = table.rows.iter().map(|row| row.fold).collect();
    let one_fold = |fold| {
        let held_out = table.filter(|row| row.fold == fold);
        let training = NaiveModel::new(&table.filter(|row| row.fold != fold), setup);
        let models = training.path(setup, times);
        models.iter().map(|model| score(model, &held_out)).collect()
    };
    folds.into_iter().map(one_fold).collect()
}

fn group_norm(vector: &DVector<f64>, group: &Range<usize>) -> f64 {
    vector.rows_range(group.clone()).norm()
}

/// ‖MᵀM‖₂, which is ‖MMᵀ‖₂ too.
fn squared_norm(m: &DMatrix<f64>) -> f64 {
    let square = if m.nrows() < m.ncols() {
        m * m.transpose()
    } else {
        m.transpose() * m
    };
    largest_eigenvalue(square)
}

/// By Jacobi rotations: each makes one off-diagonal pair of entries zero.
/// nalgebra's routine is not used here because it returns NaN for some matrices
/// that have many zero eigenvalues, as these have.
fn largest_eigenvalue(mut m: DMatrix<f64>) -> f64 {
    let size = m.norm();
    while (&m - DMatrix::from_diagonal(&m.diagonal())).norm() > 1e-14 * size {
        for p in 0..m.nrows() {
            for q in p + 1..m.nrows() {
                if m[(p, q)] != 0.0 {
                    rotate(&mut m, p, q);
                }
            }
        }
    }
    m.diagonal().max()
}

fn rotate(m: &mut DMatrix<f64>, p: usize, q: usize) {
    let angle = 0.5 * (2.0 * m[(p, q)]).atan2(m[(q, q)] - m[(p, p)]);
    let (sin, cos) = angle.sin_cos();
    for k in 0..m.nrows() {
        let (a, b) = (m[(k, p)], m[(k, q)]);
        m[(k, p)] = cos * a - sin * b;
        m[(k, q)] = sin * a + cos * b;
    }
    for k in 0..m.nrows() {
        let (a, b) = (m[(p, k)], m[(q, k)]);
        m[(p, k)] = cos * a - sin * b;
        m[(q, k)] = sin * a + cos * b;
    }
}

/// One row for each connected component, with a 1 for each of its items.
fn component_rows(table: &Table) -> DMatrix<f64> {
    let mut label: Vec<usize> = (0..table.items).collect();
    // Both items of a vote get the smaller label, until nothing changes.
    loop {
        let before = label.clone();
        for row in &table.rows {
            let smaller = label[row.left].min(label[row.right]);
            label[row.left] = smaller;
            label[row.right] = smaller;
        }
        if label == before {
            break;
        }
    }
    DMatrix::from_fn(table.items, table.items, |component, item| {
        f64::from(u8::from(label[item] == component))
    })
}
