//! The largest eigenvalue of a symmetric operator, by the Lanczos method.
//!
//! Step k extends an orthonormal basis of the Krylov space v, A v, A²v, … by one
//! vector. In that basis A is tridiagonal, and the largest eigenvalue of the
//! tridiagonal matrix, a Ritz value, approaches that of A from below. Every new
//! vector is orthogonalised against all earlier ones, twice.
//!
//! A Ritz value is off by about the square of its residual over the gap to the
//! next eigenvalue. So it is accepted once it no longer changes and its residual
//! is small. Where the largest eigenvalues are close together that takes too
//! long; then the answer is the Ritz value plus its residual, an upper bound.

use nalgebra::DMatrix;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::vector::dot;
use crate::random::Random;

/// After so many steps an upper bound is good enough.
const MAX_STEPS: usize = 200;

/// The Ritz value is looked at every so many steps.
const STEPS_BETWEEN_CHECKS: usize = 8;

/// The largest eigenvalue of a positive semidefinite operator, given by its
/// product `times(x, out)` with a vector of this size.
pub(crate) fn largest_eigenvalue(
    size: usize,
    mut times: impl FnMut(&[f64], &mut [f64]),
    stop: &Stop,
) -> Result<f64> {
    // The same start each time, with a component along every eigenvector.
    let mut random = Random(size as u64);
    let mut vector: Vec<f64> = (0..size).map(|_| random.uniform() - 0.5).collect();
    normalise(&mut vector);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut diagonal, mut off_diagonal) = (Vec::new(), Vec::new());
    let mut image = vec![0.0; size];
    let mut previous = 0.0;
    loop {
        stop.check()?;
        times(&vector, &mut image);
        diagonal.push(dot(&vector, &image));
        basis.push(std::mem::take(&mut vector));
        for _ in 0..2 {
            for earlier in &basis {
                let part = dot(earlier, &image);
                for (slot, e) in image.iter_mut().zip(earlier) {
                    *slot -= part * e;
                }
            }
        }
        let rest = normalise(&mut image);
        let steps = basis.len();
        // The basis spans all that the operator makes of the start.
        let complete = steps == size || rest <= 0.0;
        if complete || steps.is_multiple_of(STEPS_BETWEEN_CHECKS) {
            let (value, last) = ritz(&diagonal, &off_diagonal);
            let residual = if complete { 0.0 } else { rest * last.abs() };
            let settled = residual <= 1e-8 * value && value - previous <= 1e-14 * value;
            if complete || settled || steps >= MAX_STEPS {
                return Ok(if settled { value } else { value + residual });
            }
            previous = value;
        }
        off_diagonal.push(rest);
        vector = image.clone();
    }
}

/// The largest eigenvalue of a tridiagonal matrix and its eigenvector's last entry.
fn ritz(diagonal: &[f64], off_diagonal: &[f64]) -> (f64, f64) {
    let n = diagonal.len();
    let matrix = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => off_diagonal[i.min(j)],
        _ => 0.0,
    });
    let eigen = matrix.symmetric_eigen();
    let (index, value) = eigen.eigenvalues.argmax();
    (value, eigen.eigenvectors[(n - 1, index)])
}

/// Scales a vector to length 1. Returns its length before.
fn normalise(x: &mut [f64]) -> f64 {
    let norm = dot(x, x).sqrt();
    if norm > 0.0 {
        x.iter_mut().for_each(|value| *value /= norm);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanczos_finds_what_a_dense_routine_finds() {
        let mut random = Random(5);
        for size in [1, 2, 7, 60, 120] {
            let factor =
                DMatrix::from_fn(size, size, |_, _| random.below(1000) as f64 / 1000.0 - 0.4);
            let matrix = &factor * factor.transpose();
            let times = |x: &[f64], out: &mut [f64]| {
                let product = &matrix * nalgebra::DVector::from_row_slice(x);
                out.copy_from_slice(product.as_slice());
            };
            let found = largest_eigenvalue(size, times, &Stop::default()).unwrap();
            let expected = matrix.symmetric_eigenvalues().max();
            assert!(
                (found - expected).abs() <= 1e-12 * expected,
                "{size}: {found} {expected}"
            );
        }
    }
}
