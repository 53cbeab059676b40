//! The columns X, their knockoffs X̃, and the products of both.
//!
//! ```text
//! X̃ = X(I − sΣ⁻¹) + UC,   Σ = XᵀX,   s = min(2λ_min(Σ), 1),   CᵀC = 2sI − s²Σ⁻¹
//! ```
//!
//! with U orthonormal and orthogonal to d and A. Then X̃ᵀX̃ = Σ and XᵀX̃ = Σ − sI.
//!
//! No matrix with a row for each vote is formed. U = ER⁻¹ comes from random signs on each
//! annotator's votes, G, projected to E, which is orthogonal to d and A, and from the
//! Cholesky factor R of EᵀE = RᵀR. With L = dᵀd and the scores θ = L⁺dᵀy of HodgeRank, all
//! that is needed are products with a row for each annotator:
//!
//! ```text
//! XᵀX = AᵀA − (dᵀA)ᵀL⁺(dᵀA)         Xᵀy = Aᵀy − (dᵀA)ᵀθ
//! XᵀG = AᵀG − (dᵀA)ᵀL⁺(dᵀG)         EᵀE = GᵀG − (dᵀG)ᵀL⁺(dᵀG) − (XᵀG)ᵀΣ⁻¹(XᵀG)
//!                                   Eᵀy = Gᵀy − (dᵀG)ᵀθ − (XᵀG)ᵀΣ⁻¹Xᵀy
//! ```
//!
//! where the columns of X are scaled to length 1. AᵀA, AᵀG and GᵀG are diagonal.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::path;
use super::sparse::{AnnotatorVectors, RandomSigns};
use crate::error::{Error, Result};
use crate::execution::Stop;
use crate::linalg::lanczos::largest_eigenvalue;
use crate::linalg::vector::dot;
use crate::model::problem::Problem;
use crate::votes::Comparisons;

/// An annotator whose column has a squared length of at most this part of the number
/// of votes has none: the scores explain it.
const MIN_LENGTH: f64 = 1e-9;

/// s is this much smaller than it could be, so that CᵀC is positive definite.
const S_MARGIN: f64 = 0.999;

/// The linear model of position biases with its knockoffs.
pub(super) struct KnockoffDesign {
    /// The annotators that have a column.
    pub annotators: Vec<usize>,
    /// Σ.
    gram: DMatrix<f64>,
    s: f64,
    /// Xᵀy, then X̃ᵀy.
    products: DVector<f64>,
}

impl KnockoffDesign {
    pub fn new(
        votes: &Comparisons,
        problem: &Problem,
        hodgerank: &[f64],
        stop: &Stop,
    ) -> Result<Self> {
        let columns = OwnColumns::new(problem, hodgerank, stop)?;
        let factor = cholesky(columns.gram.clone())?;
        let inverse = factor.inverse();
        stop.check()?;
        let s = S_MARGIN * f64::min(2.0 / norm(&inverse, stop)?, 1.0);
        let noise = columns.noise_products(votes, problem, hodgerank, &factor, stop)?;
        let mut c_square = -s * s * inverse;
        for i in 0..c_square.nrows() {
            c_square[(i, i)] += 2.0 * s;
        }
        stop.check()?;
        let c_transposed = cholesky(c_square)?.unpack();
        let OwnColumns {
            annotators,
            gram,
            products: own,
            ..
        } = columns;
        let knockoff = &own - s * factor.solve(&own) + c_transposed * noise;
        let count = annotators.len();
        let mut products = DVector::zeros(2 * count);
        products.rows_mut(0, count).copy_from(&own);
        products.rows_mut(count, count).copy_from(&knockoff);
        Ok(Self {
            annotators,
            gram,
            s,
            products,
        })
    }

    /// 1/t for the time t at which each column enters the path, own ones first.
    pub fn entry_speeds(&self, stop: &Stop) -> Result<Vec<f64>> {
        // The Gram matrix [Σ, Σ−s; Σ−s, Σ] has the eigenvalues of 2Σ − s, and s.
        let norm = f64::max(2.0 * norm(&self.gram, stop)? - self.s, self.s);
        let gram_times = |effect: &DVector<f64>| self.gram_times(effect);
        path::entry_speeds(&self.products, gram_times, norm, stop)
    }

    /// The Gram matrix of [X, X̃] times a vector.
    fn gram_times(&self, effect: &DVector<f64>) -> DVector<f64> {
        let count = self.annotators.len();
        let (own, knockoff) = (effect.rows(0, count), effect.rows(count, count));
        let both = &self.gram * (own + knockoff);
        DVector::from_fn(2 * count, |i, _| {
            let twin = if i < count { i + count } else { i - count };
            both[i % count] - self.s * effect[twin]
        })
    }
}

/// X and its products.
struct OwnColumns {
    /// The annotators that have a column.
    annotators: Vec<usize>,
    /// What each column is multiplied with to have length 1.
    scale: Vec<f64>,
    /// dᵀA, of all annotators.
    imbalance: AnnotatorVectors,
    /// Σ.
    gram: DMatrix<f64>,
    /// Xᵀy.
    products: DVector<f64>,
}

impl OwnColumns {
    fn new(problem: &Problem, hodgerank: &[f64], stop: &Stop) -> Result<Self> {
        let statistics = &problem.statistics;
        let imbalance = AnnotatorVectors::imbalance(problem);
        let solved = imbalance.solve(problem, stop)?;
        let votes = |u: usize| statistics.annotator(u).votes;
        let unscaled = |u: usize, v: usize| {
            let same = if u == v { votes(u) } else { 0.0 };
            same - imbalance.dot(u, &solved[v])
        };
        let has_column = |&u: &usize| votes(u) > 0.0 && unscaled(u, u) > MIN_LENGTH * votes(u);
        let annotators = (0..statistics.annotators()).filter(has_column);
        let annotators: Vec<usize> = annotators.collect();
        let scale = annotators.iter().map(|&u| 1.0 / unscaled(u, u).sqrt());
        let scale: Vec<f64> = scale.collect();
        let count = annotators.len();
        let gram = DMatrix::from_fn(count, count, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            scale[i] * scale[j] * unscaled(annotators[i], annotators[j])
        });
        let products = DVector::from_fn(count, |i, _| {
            let u = annotators[i];
            scale[i] * (statistics.annotator(u).net_left - imbalance.dot(u, hodgerank))
        });
        stop.check()?;
        Ok(Self {
            annotators,
            scale,
            imbalance,
            gram,
            products,
        })
    }

    /// Uᵀy = R⁻ᵀEᵀy, given the factor of Σ.
    fn noise_products(
        &self,
        votes: &Comparisons,
        problem: &Problem,
        hodgerank: &[f64],
        factor: &Cholesky<f64, Dyn>,
        stop: &Stop,
    ) -> Result<DVector<f64>> {
        let signs = RandomSigns::new(votes);
        let solved = signs.vectors.solve(problem, stop)?;
        let count = self.annotators.len();
        let x_g = DMatrix::from_fn(count, count, |i, j| {
            let (u, v) = (self.annotators[i], self.annotators[j]);
            let same = if u == v { signs.sum[u] } else { 0.0 };
            self.scale[i] * (same - self.imbalance.dot(u, &solved[v]))
        });
        let g_g = DMatrix::from_fn(count, count, |i, j| {
            let (u, v) = (self.annotators[i.min(j)], self.annotators[i.max(j)]);
            let votes = problem.statistics.annotator(u).votes;
            let same = if u == v { votes } else { 0.0 };
            same - signs.vectors.dot(u, &solved[v])
        });
        stop.check()?;
        let explained = x_g.transpose() * factor.solve(&x_g);
        let e_e = g_g - (&explained + explained.transpose()) * 0.5;
        let g_y = DVector::from_fn(count, |i, _| {
            let u = self.annotators[i];
            signs.choices[u] - signs.vectors.dot(u, hodgerank)
        });
        let mut e_y = g_y - x_g.transpose() * factor.solve(&self.products);
        stop.check()?;
        cholesky(e_e)?
            .l_dirty()
            .solve_lower_triangular_mut(&mut e_y);
        Ok(e_y)
    }
}

fn cholesky(matrix: DMatrix<f64>) -> Result<Cholesky<f64, Dyn>> {
    Cholesky::new(matrix).ok_or_else(|| {
        Error::votes(
            "there are too few votes for the knockoff filter: it needs about twice as many \
             as there are items and annotators; leave bias_test out for the test by p-values",
        )
    })
}

/// The largest eigenvalue of a positive definite matrix.
fn norm(matrix: &DMatrix<f64>, stop: &Stop) -> Result<f64> {
    // The matrix is symmetric: its columns are its rows.
    let times = |x: &[f64], out: &mut [f64]| {
        for (slot, column) in out.iter_mut().zip(matrix.column_iter()) {
            *slot = dot(column.as_slice(), x);
        }
    };
    largest_eigenvalue(matrix.nrows(), times, stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [Σ, Σ−s; Σ−s, Σ], entry by entry.
    #[test]
    fn the_gram_matrix_is_that_of_columns_and_knockoffs() {
        let gram = DMatrix::from_row_slice(2, 2, &[1.0, 0.3, 0.3, 1.0]);
        let design = KnockoffDesign {
            annotators: vec![0, 1],
            gram: gram.clone(),
            s: 0.25,
            products: DVector::zeros(4),
        };
        for k in 0..4 {
            let unit = DVector::from_fn(4, |i, _| f64::from(i == k));
            let column = design.gram_times(&unit);
            for i in 0..4 {
                let twin = if i != k && i % 2 == k % 2 { 0.25 } else { 0.0 };
                assert!((column[i] - (gram[(i % 2, k % 2)] - twin)).abs() < 1e-15);
            }
        }
    }
}
