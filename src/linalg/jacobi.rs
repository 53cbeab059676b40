//! Conjugate gradients for one right-hand side, preconditioned by the diagonal
//! (Jacobi's preconditioner). Vectors are in quads, filled up with zeros.
//!
//! Loops that go over the same vectors are fused: at tens of thousands of rows
//! an iteration takes as long as its reading from memory.

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::{Limits, LinearSystem, conjugate_gradient};
use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};
use crate::linalg::vector::scaled_dot;

/// A symmetric, positive semidefinite matrix.
pub(crate) trait LinearOperator {
    /// out = A x. Returns xᵀA x.
    fn apply(&self, x: &[Quad], out: &mut [Quad]) -> f64;
}

/// Reusable vectors of a solve, as long as the system or longer.
#[derive(Debug)]
pub(crate) struct JacobiScratch {
    residual: Vec<Quad>,
    direction: Vec<Quad>,
    image: Vec<Quad>,
}

impl JacobiScratch {
    pub fn new(quads: usize) -> Self {
        let zeros = || vec![[0.0; 4]; quads];
        Self {
            residual: zeros(),
            direction: zeros(),
            image: zeros(),
        }
    }
}

/// Solves A x = rhs from the solution that is there. `inverse_diagonal` has one
/// over each diagonal element of A. Returns the part of the right-hand side that
/// the residual is, measured by the square roots of their energies.
pub(crate) fn solve(
    operator: &impl LinearOperator,
    inverse_diagonal: &[Quad],
    rhs: &[Quad],
    solution: &mut [Quad],
    scratch: &mut JacobiScratch,
    limits: Limits,
    stop: &Stop,
) -> Result<f64> {
    let quads = inverse_diagonal.len();
    let mut system = JacobiSystem {
        operator,
        inverse_diagonal,
        solution,
        residual: &mut scratch.residual[..quads],
        direction: &mut scratch.direction[..quads],
        image: &mut scratch.image[..quads],
    };
    operator.apply(system.solution, system.image);
    system.residual.copy_from_slice(rhs);
    system.direction.fill([0.0; 4]);
    // r = b − A x is a step of length 1 along a direction of zeros, with A x as its image.
    let start = system.advance(&[1.0])?;
    let reference = scaled_dot(rhs, rhs, inverse_diagonal);
    let [energy] = conjugate_gradient(&mut system, start, [reference], limits, stop)?;
    Ok(if energy > 0.0 {
        (energy / reference).sqrt()
    } else {
        0.0
    })
}

struct JacobiSystem<'a, A> {
    operator: &'a A,
    inverse_diagonal: &'a [Quad],
    solution: &'a mut [Quad],
    residual: &'a mut [Quad],
    direction: &'a mut [Quad],
    /// A p.
    image: &'a mut [Quad],
}

impl<A: LinearOperator> LinearSystem<1> for JacobiSystem<'_, A> {
    #[inline(always)]
    fn update_direction(&mut self, &[ratio]: &[f64; 1]) {
        vectorised(UpdateDirection {
            ratio,
            inverse_diagonal: self.inverse_diagonal,
            residual: self.residual,
            direction: self.direction,
        });
    }

    #[inline(always)]
    fn curvature(&mut self) -> [f64; 1] {
        [self.operator.apply(self.direction, self.image)]
    }

    #[inline(always)]
    fn advance(&mut self, &[step]: &[f64; 1]) -> Result<[f64; 1]> {
        let energy = vectorised(AdvanceSolution {
            step,
            inverse_diagonal: self.inverse_diagonal,
            direction: self.direction,
            image: self.image,
            solution: self.solution,
            residual: self.residual,
        });
        Ok([energy])
    }
}

/// solution += step·direction, residual −= step·image. Returns Σ residual²/diagonal.
struct AdvanceSolution<'a> {
    step: f64,
    inverse_diagonal: &'a [Quad],
    direction: &'a [Quad],
    image: &'a [Quad],
    solution: &'a mut [Quad],
    residual: &'a mut [Quad],
}

impl Kernel for AdvanceSolution<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let step = lanes.splat(self.step);
        let mut energy = lanes.splat(0.0);
        let moved = self.solution.iter_mut().zip(self.direction);
        let residuals = self.residual.iter_mut().zip(self.image);
        let residuals = residuals.zip(self.inverse_diagonal);
        for ((solution, direction), ((residual, image), scale)) in moved.zip(residuals) {
            let sum = lanes.add_product(lanes.load(solution), step, lanes.load(direction));
            lanes.store(sum, solution);
            let explained = lanes.multiply(step, lanes.load(image));
            let rest = lanes.subtract(lanes.load(residual), explained);
            lanes.store(rest, residual);
            let scaled = lanes.multiply(rest, lanes.load(scale));
            energy = lanes.add_product(energy, rest, scaled);
        }
        sum(lanes.quad(energy))
    }
}

/// direction = residual/diagonal + ratio·direction.
struct UpdateDirection<'a> {
    ratio: f64,
    inverse_diagonal: &'a [Quad],
    residual: &'a [Quad],
    direction: &'a mut [Quad],
}

impl Kernel for UpdateDirection<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let ratio = lanes.splat(self.ratio);
        let scaled = self.residual.iter().zip(self.inverse_diagonal);
        for (direction, (residual, scale)) in self.direction.iter_mut().zip(scaled) {
            let scaled = lanes.multiply(lanes.load(residual), lanes.load(scale));
            let updated = lanes.add_product(scaled, ratio, lanes.load(direction));
            lanes.store(updated, direction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dense::{DenseProduct, Tile, add};
    use crate::linalg::simd::tests::with_any_vectors;

    /// A matrix of 6 × 6 in two quads of rows.
    struct DenseOperator([Tile; 3]);

    impl LinearOperator for DenseOperator {
        fn apply(&self, x: &[Quad], out: &mut [Quad]) -> f64 {
            vectorised(DenseProduct {
                matrix: &self.0,
                x,
                out: &mut *out,
            });
            scaled_dot(x, out, &[[1.0; 4]; 2])
        }
    }

    #[test]
    fn a_solution_is_found_from_any_start_with_any_vectors() {
        let mut matrix = [Tile::default(); 3];
        for row in 0..6 {
            add(&mut matrix, row, row, 3.0 + row as f64);
            for column in (0..6).filter(|&column| column != row) {
                add(&mut matrix, row, column, -0.5);
            }
        }
        let operator = DenseOperator(matrix);
        let expected = [[1.0, -2.0, 0.5, 4.0], [0.25, -3.0, 0.0, 0.0]];
        let mut rhs = [[0.0; 4]; 2];
        operator.apply(&expected, &mut rhs);
        let mut inverse_diagonal = [[1.0; 4]; 2];
        for (row, slot) in inverse_diagonal.as_flattened_mut()[..6]
            .iter_mut()
            .enumerate()
        {
            *slot = 1.0 / (3.0 + row as f64);
        }
        let limits = Limits {
            tolerance: 1e-14,
            max_iterations: 20,
        };
        for start in [[[0.0; 4]; 2], expected] {
            let found = with_any_vectors(|| {
                let (mut x, mut scratch) = (start, JacobiScratch::new(3));
                let stop = Stop::default();
                let residual = solve(
                    &operator,
                    &inverse_diagonal,
                    &rhs,
                    &mut x,
                    &mut scratch,
                    limits,
                    &stop,
                );
                assert!(residual.unwrap() <= limits.tolerance);
                x
            });
            let both = found.as_flattened().iter().zip(expected.as_flattened());
            assert!(both.into_iter().all(|(x, e)| (x - e).abs() < 1e-12));
        }
    }
}
