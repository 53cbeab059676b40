//! Guessing a solution from those before.
//!
//! Along a path the right-hand sides of L θ = r follow each other smoothly. The
//! combination of the last ones that comes closest to the next is known without
//! a product with L, and the same combination of their solutions is a guess from
//! which conjugate gradients have little left to do.

/// How many solutions are remembered.
const KEPT: usize = 6;

/// A difference that is this small a part of itself once what others explain is
/// taken out of it says nothing.
const NOTHING_NEW: f64 = 1e-6;

/// The last right-hand sides and their solutions, the latest first.
#[derive(Debug)]
pub(super) struct Past {
    known: usize,
    kept: Vec<Solved>,
    /// Orthogonal combinations of differences between them.
    basis: Vec<Solved>,
    rest: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Solved {
    right: Vec<f64>,
    theta: Vec<f64>,
}

impl Past {
    pub fn new(items: usize) -> Self {
        let solved = Solved {
            right: vec![0.0; items],
            theta: vec![0.0; items],
        };
        Self {
            known: 0,
            kept: vec![solved.clone(); KEPT],
            basis: vec![solved; KEPT - 1],
            rest: vec![0.0; items],
        }
    }

    /// Remembers a solution, for the oldest one.
    pub fn push(&mut self, right: &[f64], theta: &[f64]) {
        self.kept.rotate_right(1);
        self.kept[0].right.copy_from_slice(right);
        self.kept[0].theta.copy_from_slice(theta);
        self.known = KEPT.min(self.known + 1);
    }

    /// The guess; distances are measured with the inverse of the degrees.
    pub fn guess(&mut self, right: &[f64], degree: &[f64], theta: &mut [f64]) {
        if self.known == 0 {
            return;
        }
        let Self {
            kept, basis, rest, ..
        } = self;
        theta.copy_from_slice(&kept[0].theta);
        for (i, slot) in rest.iter_mut().enumerate() {
            *slot = right[i] - kept[0].right[i];
        }
        let mut used = 0;
        for pair in kept[..self.known].windows(2) {
            let (earlier, rest_of_basis) = basis.split_at_mut(used);
            let next = &mut rest_of_basis[0];
            difference(&pair[0].right, &pair[1].right, &mut next.right);
            difference(&pair[0].theta, &pair[1].theta, &mut next.theta);
            let whole = product(&next.right, &next.right, degree);
            for known in earlier {
                let part = product(&next.right, &known.right, degree);
                subtract(part, &known.right, &mut next.right);
                subtract(part, &known.theta, &mut next.theta);
            }
            let square = product(&next.right, &next.right, degree);
            if square <= NOTHING_NEW * NOTHING_NEW * whole {
                continue;
            }
            let scale = 1.0 / square.sqrt();
            next.right.iter_mut().for_each(|slot| *slot *= scale);
            next.theta.iter_mut().for_each(|slot| *slot *= scale);
            let part = product(rest, &next.right, degree);
            subtract(part, &next.right, rest);
            subtract(-part, &next.theta, theta);
            used += 1;
        }
    }
}

fn difference(a: &[f64], b: &[f64], out: &mut [f64]) {
    for ((slot, a), b) in out.iter_mut().zip(a).zip(b) {
        *slot = a - b;
    }
}

fn subtract(factor: f64, x: &[f64], from: &mut [f64]) {
    for (slot, x) in from.iter_mut().zip(x) {
        *slot -= factor * x;
    }
}

/// Σ a_i b_i / degree_i, in four sums.
fn product(a: &[f64], b: &[f64], degree: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for ((a, b), degree) in a.chunks(4).zip(b.chunks(4)).zip(degree.chunks(4)) {
        for (lane, slot) in sums.iter_mut().enumerate().take(a.len()) {
            *slot += a[lane] * b[lane] / degree[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
