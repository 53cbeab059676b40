//! Guessing a solution from those before.
//!
//! Along a path the right-hand sides of L θ = r follow each other smoothly. The
//! combination of the last ones that comes closest to the next is known without
//! a product with L, and the same combination of their solutions is a guess from
//! which conjugate gradients have little left to do.

use super::conjugate_gradient::product;
use crate::linalg::simd::{Kernel, Lanes, Quad, vectorised};

/// How many solutions are remembered.
const KEPT: usize = 6;

/// A difference that is this small a part of itself once what others explain is
/// taken out of it says nothing.
const NOTHING_NEW: f64 = 1e-6;

/// The last right-hand sides and their solutions, the latest first.
#[derive(Debug)]
pub(super) struct WarmStart {
    known: usize,
    kept: Vec<Solved>,
    /// Orthogonal combinations of differences between them.
    basis: Vec<Solved>,
    rest: Vec<Quad>,
}

#[derive(Clone, Debug)]
struct Solved {
    right: Vec<Quad>,
    theta: Vec<Quad>,
}

impl WarmStart {
    pub fn new(quads: usize) -> Self {
        let solved = Solved {
            right: vec![[0.0; 4]; quads],
            theta: vec![[0.0; 4]; quads],
        };
        Self {
            known: 0,
            kept: vec![solved.clone(); KEPT],
            basis: vec![solved; KEPT - 1],
            rest: vec![[0.0; 4]; quads],
        }
    }

    /// Remembers a solution, for the oldest one.
    pub fn push(&mut self, right: &[Quad], theta: &[Quad]) {
        self.kept.rotate_right(1);
        self.kept[0].right.copy_from_slice(right);
        self.kept[0].theta.copy_from_slice(theta);
        self.known = KEPT.min(self.known + 1);
    }

    /// The guess; distances are measured with the inverse of the degrees.
    pub fn guess(&mut self, right: &[Quad], scale: &[Quad], theta: &mut [Quad]) {
        theta.copy_from_slice(&self.kept[0].theta);
        let Self {
            kept, basis, rest, ..
        } = self;
        rest.copy_from_slice(right);
        add(-1.0, &kept[0].right, rest);
        let mut used = 0;
        for pair in kept[..self.known].windows(2) {
            let (earlier, others) = basis.split_at_mut(used);
            let next = &mut others[0];
            next.set_to_difference(&pair[0], &pair[1]);
            let whole = product(&next.right, &next.right, scale);
            for known in earlier {
                let part = product(&next.right, &known.right, scale);
                add(-part, &known.right, &mut next.right);
                add(-part, &known.theta, &mut next.theta);
            }
            let square = product(&next.right, &next.right, scale);
            if square <= NOTHING_NEW * NOTHING_NEW * whole {
                continue;
            }
            let factor = 1.0 / square.sqrt();
            let numbers = next.right.iter_mut().chain(&mut next.theta);
            numbers.for_each(|quad| *quad = quad.map(|x| factor * x));
            let part = product(rest, &next.right, scale);
            add(-part, &next.right, rest);
            add(part, &next.theta, theta);
            used += 1;
        }
    }
}

impl Solved {
    fn set_to_difference(&mut self, later: &Self, earlier: &Self) {
        self.right.copy_from_slice(&later.right);
        add(-1.0, &earlier.right, &mut self.right);
        self.theta.copy_from_slice(&later.theta);
        add(-1.0, &earlier.theta, &mut self.theta);
    }
}

/// sum += factor·x.
fn add(factor: f64, x: &[Quad], sum: &mut [Quad]) {
    vectorised(Add { factor, x, sum });
}

struct Add<'a> {
    factor: f64,
    x: &'a [Quad],
    sum: &'a mut [Quad],
}

impl Kernel for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let factor = lanes.splat(self.factor);
        for (slot, x) in self.sum.iter_mut().zip(self.x) {
            lanes.store(
                lanes.add_product(lanes.load(slot), factor, lanes.load(x)),
                slot,
            );
        }
    }
}
