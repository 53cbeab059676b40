//! Inner products and sums of vectors.

use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};

/// Σ x·y, added up from the first to the last.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Σ x·y·scale.
pub(crate) fn scaled_dot(x: &[Quad], y: &[Quad], scale: &[Quad]) -> f64 {
    vectorised(ScaledDot { x, y, scale })
}

/// sum += factor·x.
pub(crate) fn add_scaled(factor: f64, x: &[Quad], sum: &mut [Quad]) {
    vectorised(AddScaled { factor, x, sum });
}

struct ScaledDot<'a> {
    x: &'a [Quad],
    y: &'a [Quad],
    scale: &'a [Quad],
}

impl Kernel for ScaledDot<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let mut total = lanes.splat(0.0);
        for ((x, y), scale) in self.x.iter().zip(self.y).zip(self.scale) {
            let scaled = lanes.multiply(lanes.load(y), lanes.load(scale));
            total = lanes.add_product(total, lanes.load(x), scaled);
        }
        sum(lanes.quad(total))
    }
}

struct AddScaled<'a> {
    factor: f64,
    x: &'a [Quad],
    sum: &'a mut [Quad],
}

impl Kernel for AddScaled<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let factor = lanes.splat(self.factor);
        for (slot, x) in self.sum.iter_mut().zip(self.x) {
            let sum = lanes.add_product(lanes.load(slot), factor, lanes.load(x));
            lanes.store(sum, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_multiplied_and_added_by_entry() {
        assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
        let x = [[1.0, 2.0, 3.0, 4.0], [5.0, 0.0, 0.0, 0.0]];
        let mut y = [[1.0; 4]; 2];
        assert_eq!(scaled_dot(&x, &y, &[[2.0; 4]; 2]), 30.0);
        add_scaled(-1.0, &x, &mut y);
        assert_eq!(y, [[0.0, -1.0, -2.0, -3.0], [-4.0, 1.0, 1.0, 1.0]]);
    }
}
