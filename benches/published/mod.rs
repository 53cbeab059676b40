//! The iteration in the published way: for each annotator a sparse matrix with a
//! row for each vote, and a deviation as long as there are items.
//!
//! ```text
//! θ  = L⁺ dᵀ(y − Xβ)
//! z += (α/m) Xᵀ(y − dθ − Xβ)
//! β  = κ shrink(z)
//! ```
//!
//! In each iteration every annotator's matrix is multiplied twice, Xβ and Xᵀ times
//! the residual, and so is the matrix d of all votes. The solve with L⁺ is the
//! library's own.

use me_hodgerank::internals::{Problem, SolverScratch, Stop};
use me_hodgerank::votes::Comparisons;

/// A sparse matrix in compressed rows.
#[derive(Default)]
struct Sparse {
    starts: Vec<usize>,
    column: Vec<usize>,
    value: Vec<f64>,
}

impl Sparse {
    /// A row with 1 for the left item of each vote and -1 for the right one.
    fn of_votes(pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut matrix = Self::default();
        matrix.starts.push(0);
        for (left, right) in pairs {
            matrix.column.extend([left, right]);
            matrix.value.extend([1.0, -1.0]);
            matrix.starts.push(matrix.column.len());
        }
        matrix
    }

    /// out = M x.
    fn times(&self, x: &[f64], out: &mut [f64]) {
        for (row, slot) in out.iter_mut().enumerate() {
            let entries = self.starts[row]..self.starts[row + 1];
            *slot = entries.map(|k| self.value[k] * x[self.column[k]]).sum();
        }
    }

    /// out = Mᵀ x.
    fn transposed_times(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (row, x) in x.iter().enumerate() {
            for k in self.starts[row]..self.starts[row + 1] {
                out[self.column[k]] += self.value[k] * x;
            }
        }
    }
}

/// An annotator's part of the model.
struct Annotator {
    rows: std::ops::Range<usize>,
    matrix: Sparse,
    z: Vec<f64>,
    delta: Vec<f64>,
    gradient: Vec<f64>,
    z_bias: f64,
    gamma: f64,
}

/// The state of the iteration. Every vote has weight 1.
pub struct Published<'a> {
    problem: &'a Problem,
    annotators: Vec<Annotator>,
    all: Sparse,
    choice: Vec<f64>,
    /// y − Xβ.
    unexplained: Vec<f64>,
    residual: Vec<f64>,
    rhs: Vec<f64>,
    theta: Vec<f64>,
    scratch: SolverScratch,
}

impl<'a> Published<'a> {
    pub fn new(votes: &Comparisons, problem: &'a Problem) -> Self {
        let n = votes.items();
        let pair = |row| (votes.get(row).left, votes.get(row).right);
        let annotator = |u| Annotator {
            rows: votes.rows(u),
            matrix: Sparse::of_votes(votes.rows(u).map(pair)),
            z: vec![0.0; n],
            delta: vec![0.0; n],
            gradient: vec![0.0; n],
            z_bias: 0.0,
            gamma: 0.0,
        };
        Self {
            problem,
            annotators: (0..votes.annotators()).map(annotator).collect(),
            all: Sparse::of_votes((0..votes.len()).map(pair)),
            choice: (0..votes.len()).map(|row| votes.get(row).choice).collect(),
            unexplained: vec![0.0; votes.len()],
            residual: vec![0.0; votes.len()],
            rhs: vec![0.0; n],
            theta: vec![0.0; n],
            scratch: problem.consensus.scratch(),
        }
    }

    /// Makes some steps and returns θ.
    pub fn run(&mut self, steps: usize) -> &[f64] {
        for _ in 0..steps {
            self.solve();
            self.step();
        }
        &self.theta
    }

    fn solve(&mut self) {
        for annotator in &self.annotators {
            let rows = annotator.rows.clone();
            let unexplained = &mut self.unexplained[rows.clone()];
            annotator.matrix.times(&annotator.delta, unexplained);
            for (slot, y) in unexplained.iter_mut().zip(&self.choice[rows]) {
                *slot = y - *slot - annotator.gamma;
            }
        }
        self.all.transposed_times(&self.unexplained, &mut self.rhs);
        let (consensus, stop) = (&self.problem.consensus, Stop::default());
        let solved = consensus.solve(&self.rhs, &mut self.theta, &mut self.scratch, &stop);
        solved.expect("nobody stops it");
    }

    fn step(&mut self) {
        let settings = self.problem.settings;
        let size = settings.alpha / self.problem.statistics.total();
        self.all.times(&self.theta, &mut self.residual);
        for (slot, rest) in self.residual.iter_mut().zip(&self.unexplained) {
            *slot = rest - *slot;
        }
        for annotator in &mut self.annotators {
            let residual = &self.residual[annotator.rows.clone()];
            let gradient = &mut annotator.gradient;
            annotator.matrix.transposed_times(residual, gradient);
            for (z, gradient) in annotator.z.iter_mut().zip(gradient) {
                *z += size * *gradient;
            }
            annotator.z_bias += size * residual.iter().sum::<f64>();
            let norm = annotator.z.iter().map(|z| z * z).sum::<f64>().sqrt();
            let scale = shrink(norm, settings.kappa);
            for (delta, z) in annotator.delta.iter_mut().zip(&annotator.z) {
                *delta = scale * z;
            }
            annotator.gamma = shrink(annotator.z_bias.abs(), settings.kappa) * annotator.z_bias;
        }
    }
}

fn shrink(norm: f64, kappa: f64) -> f64 {
    if norm > 1.0 {
        kappa * (1.0 - 1.0 / norm)
    } else {
        0.0
    }
}
