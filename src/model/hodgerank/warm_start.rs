//! A first approximation of a solution, from earlier solutions.
//!
//! Along a path the right-hand sides of L θ = r change smoothly. The linear
//! combination of the last ones that is closest to the next one is found without
//! a product with L: the differences between consecutive ones are made orthogonal
//! (Gram–Schmidt), and the new right-hand side is projected onto them. The same
//! combination of the solutions is close to the new solution, so conjugate
//! gradients started from it need few iterations.

use crate::linalg::simd::Quad;
use crate::linalg::vector::{add_scaled, scaled_dot};

/// How many solutions are kept.
const KEPT: usize = 6;

/// A difference of which no more than this part is left after it was made
/// orthogonal to the others is nothing but rounding.
const MIN_ORTHOGONAL_PART: f64 = 1e-6;

/// The last right-hand sides and their solutions, the latest first.
#[derive(Debug)]
pub(super) struct WarmStart {
    /// How many of `kept` are solutions.
    known: usize,
    kept: Vec<Solved>,
    /// Orthonormal combinations of differences between them.
    basis: Vec<Solved>,
    /// What the basis does not explain of the new right-hand side.
    residual: Vec<Quad>,
}

/// A right-hand side and its solution.
#[derive(Clone, Debug)]
struct Solved {
    rhs: Vec<Quad>,
    theta: Vec<Quad>,
}

impl WarmStart {
    pub fn new(quads: usize) -> Self {
        let solved = Solved {
            rhs: vec![[0.0; 4]; quads],
            theta: vec![[0.0; 4]; quads],
        };
        Self {
            known: 0,
            kept: vec![solved.clone(); KEPT],
            basis: vec![solved; KEPT - 1],
            residual: vec![[0.0; 4]; quads],
        }
    }

    /// Keeps a solution in place of the oldest one.
    pub fn push(&mut self, rhs: &[Quad], theta: &[Quad]) {
        self.kept.rotate_right(1);
        self.kept[0].rhs.copy_from_slice(rhs);
        self.kept[0].theta.copy_from_slice(theta);
        self.known = KEPT.min(self.known + 1);
    }

    /// Sets `theta` to the approximation for a right-hand side. Inner products are
    /// weighted by `scale`, one over the degrees.
    pub fn guess(&mut self, rhs: &[Quad], scale: &[Quad], theta: &mut [Quad]) {
        let Self {
            known,
            kept,
            basis,
            residual,
        } = self;
        theta.copy_from_slice(&kept[0].theta);
        residual.copy_from_slice(rhs);
        add_scaled(-1.0, &kept[0].rhs, residual);
        let mut used = 0;
        for pair in kept[..*known].windows(2) {
            let (earlier, others) = basis.split_at_mut(used);
            let next = &mut others[0];
            next.set_to_difference(&pair[0], &pair[1]);
            if !next.orthonormalise(earlier, scale) {
                continue;
            }
            let part = scaled_dot(residual, &next.rhs, scale);
            add_scaled(-part, &next.rhs, residual);
            add_scaled(part, &next.theta, theta);
            used += 1;
        }
    }
}

impl Solved {
    fn set_to_difference(&mut self, later: &Self, earlier: &Self) {
        self.rhs.copy_from_slice(&later.rhs);
        add_scaled(-1.0, &earlier.rhs, &mut self.rhs);
        self.theta.copy_from_slice(&later.theta);
        add_scaled(-1.0, &earlier.theta, &mut self.theta);
    }

    /// Makes the right-hand side orthogonal to those of a basis and scales it to
    /// length 1. False if nothing but rounding is left of it.
    fn orthonormalise(&mut self, basis: &[Self], scale: &[Quad]) -> bool {
        let square_before = scaled_dot(&self.rhs, &self.rhs, scale);
        for known in basis {
            let part = scaled_dot(&self.rhs, &known.rhs, scale);
            add_scaled(-part, &known.rhs, &mut self.rhs);
            add_scaled(-part, &known.theta, &mut self.theta);
        }
        let square = scaled_dot(&self.rhs, &self.rhs, scale);
        if square <= MIN_ORTHOGONAL_PART * MIN_ORTHOGONAL_PART * square_before {
            return false;
        }
        let factor = 1.0 / square.sqrt();
        let numbers = self.rhs.iter_mut().chain(&mut self.theta);
        numbers.for_each(|quad| *quad = quad.map(|x| factor * x));
        true
    }
}
