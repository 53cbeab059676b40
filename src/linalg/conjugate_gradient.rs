//! The conjugate gradient method for A x = b, with A positive semidefinite and b
//! in its range.
//!
//! With a residual r = b − A x, a preconditioner P ≈ A⁻¹ and a direction p, one
//! iteration is
//!
//! ```text
//! p ← P r + (e / e_before) p     e = rᵀP r, the energy of the residual
//! s = e / pᵀA p                  pᵀA p, the curvature along p
//! x ← x + s p,   r ← r − s A p
//! ```
//!
//! It ends when the energy has fallen to tolerance² times a reference, usually
//! that of b. Several right-hand sides are solved for side by side, each in a
//! lane with numbers of its own; one that has reached its goal takes steps of
//! length zero from then on.
//!
//! What the vectors are, and how loops over them are fused, is up to a
//! [`LinearSystem`].

use std::array::from_fn;

use crate::error::Result;
use crate::execution::Stop;

/// A x = b in N lanes, with the vectors x, r and p of the iteration. Before the
/// first iteration p is zero.
pub(crate) trait LinearSystem<const N: usize> {
    /// p ← P r + ratio·p.
    fn update_direction(&mut self, ratio: &[f64; N]);

    /// Computes A p and returns the curvature pᵀA p.
    fn curvature(&mut self) -> [f64; N];

    /// x ← x + step·p, r ← r − step·A p. Returns the energy rᵀP r.
    fn advance(&mut self, step: &[f64; N]) -> Result<[f64; N]>;
}

/// When to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The part of the reference to which the residual has to fall, both measured
    /// by the square roots of their energies.
    pub tolerance: f64,
    pub max_iterations: usize,
}

/// Solves a system whose residual has the energy `start`. Returns the energy at the
/// end, which is above the goal if the iterations did not suffice.
#[inline(always)]
pub(crate) fn conjugate_gradient<const N: usize>(
    system: &mut impl LinearSystem<N>,
    start: [f64; N],
    reference: [f64; N],
    limits: Limits,
    stop: &Stop,
) -> Result<[f64; N]> {
    let goal = reference.map(|energy| limits.tolerance * limits.tolerance * energy);
    let (mut energy, mut ratio) = (start, [0.0; N]);
    for _ in 0..limits.max_iterations {
        let is_open: [bool; N] = from_fn(|lane| energy[lane] > goal[lane]);
        if !is_open.contains(&true) {
            break;
        }
        stop.check()?;
        system.update_direction(&ratio);
        let curvature = system.curvature();
        let step: [f64; N] = from_fn(|lane| {
            if is_open[lane] {
                ratio_or_zero(energy[lane], curvature[lane])
            } else {
                0.0
            }
        });
        // Rounding has used up every direction.
        if step.iter().all(|&step| step == 0.0) {
            break;
        }
        let next = system.advance(&step)?;
        ratio = from_fn(|lane| ratio_or_zero(next[lane], energy[lane]));
        energy = next;
    }
    Ok(energy)
}

#[inline(always)]
fn ratio_or_zero(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 {
        numerator / denominator
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use crate::random::Random;

    /// Without a preconditioner, a right-hand side in each of two lanes.
    struct DenseSystem<'a> {
        matrix: &'a DMatrix<f64>,
        solution: [DVector<f64>; 2],
        residual: [DVector<f64>; 2],
        direction: [DVector<f64>; 2],
        image: [DVector<f64>; 2],
        iterations: usize,
    }

    impl LinearSystem<2> for DenseSystem<'_> {
        fn update_direction(&mut self, ratio: &[f64; 2]) {
            self.iterations += 1;
            self.direction = from_fn(|k| &self.residual[k] + ratio[k] * &self.direction[k]);
        }

        fn curvature(&mut self) -> [f64; 2] {
            self.image = from_fn(|k| self.matrix * &self.direction[k]);
            from_fn(|k| self.direction[k].dot(&self.image[k]))
        }

        fn advance(&mut self, step: &[f64; 2]) -> Result<[f64; 2]> {
            for (k, step) in step.iter().enumerate() {
                self.solution[k] += *step * &self.direction[k];
                self.residual[k] -= *step * &self.image[k];
            }
            Ok(from_fn(|k| self.residual[k].norm_squared()))
        }
    }

    fn solve(
        matrix: &DMatrix<f64>,
        rhs: [DVector<f64>; 2],
        max_iterations: usize,
    ) -> DenseSystem<'_> {
        let zero = || from_fn(|_| DVector::zeros(matrix.nrows()));
        let energy = from_fn(|k| rhs[k].norm_squared());
        let mut system = DenseSystem {
            matrix,
            solution: zero(),
            residual: rhs,
            direction: zero(),
            image: zero(),
            iterations: 0,
        };
        let limits = Limits {
            tolerance: 1e-10,
            max_iterations,
        };
        let left = conjugate_gradient(&mut system, energy, energy, limits, &Stop::default());
        let expected = from_fn(|k| system.residual[k].norm_squared());
        assert_eq!(left.unwrap(), expected);
        system
    }

    #[test]
    fn solutions_give_back_the_right_hand_sides() {
        let mut random = Random(3);
        for size in [1, 2, 5, 20] {
            let factor = DMatrix::from_fn(size, size, |_, _| random.uniform() - 0.5);
            let matrix = &factor * factor.transpose() + DMatrix::identity(size, size);
            let rhs: [_; 2] = from_fn(|_| DVector::from_fn(size, |_, _| random.normal()));
            let system = solve(&matrix, rhs.clone(), 1000);
            assert!(system.iterations <= size + 5);
            for (solution, rhs) in system.solution.iter().zip(&rhs) {
                assert!((&matrix * solution - rhs).norm() <= 1e-9 * rhs.norm());
            }
        }
    }

    #[test]
    fn a_lane_that_is_done_stands_still() {
        let matrix = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 2.0, 3.0]));
        let one_step = DVector::from_vec(vec![0.0, 4.0, 0.0]);
        let three_steps = DVector::from_vec(vec![1.0, 1.0, 1.0]);
        let system = solve(&matrix, [one_step, three_steps], 1000);
        assert_eq!(system.solution[0].as_slice(), [0.0, 2.0, 0.0]);
        assert!(system.residual[1].norm() < 1e-9);
    }

    #[test]
    fn the_iterations_are_limited_and_nothing_is_done_for_zero() {
        let matrix = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 2.0, 3.0]));
        let ones = || DVector::from_element(3, 1.0);
        assert_eq!(solve(&matrix, [ones(), ones()], 2).iterations, 2);
        let zeros = || DVector::zeros(3);
        assert_eq!(solve(&matrix, [zeros(), zeros()], 2).iterations, 0);
    }
}
