//! The arithmetic of a single effect: its slope, its norm, its shrinkage.

use std::array::from_fn;

use crate::linalg::simd::{Kernel, Lanes, Quad, Sink, add_product, sum, vectorised};
use crate::model::statistics::{Adjacency, AnnotatorQuads, Statistics};

/// An effect enters when its norm exceeds 1 by more than rounding: at t0 the
/// first one's norm is 1, not beyond.
pub(super) const THRESHOLD: f64 = 1.0 + 1e-12;

/// Vectors over one annotator's items.
pub(super) struct Local {
    pub(super) x: Vec<Quad>,
    pub(super) image: Vec<Quad>,
}

impl Local {
    pub(super) fn new(statistics: &Statistics) -> Self {
        let lengths = statistics
            .offsets
            .windows(2)
            .map(|range| range[1] - range[0]);
        let longest = lengths.max().unwrap_or(0);
        Self {
            x: vec![[0.0; 4]; longest],
            image: vec![[0.0; 4]; longest],
        }
    }
}

/// The factor of κ·shrink: 0 up to the threshold.
#[inline(always)]
pub(in crate::model) fn shrink(norm: f64, kappa: f64) -> f64 {
    if norm > THRESHOLD {
        kappa * (1.0 - 1.0 / norm)
    } else {
        0.0
    }
}

pub(super) fn norm_of(values: &[Quad]) -> f64 {
    let mut squares = [0.0; 4];
    for &quad in values {
        squares = add_product(squares, quad, quad);
    }
    sum(squares).sqrt()
}

/// t·s_u − a_uᵀΘ.
#[inline(always)]
pub(super) fn bias_slope(annotator: &AnnotatorQuads<'_>, t: f64, integral: &[f64]) -> f64 {
    let mut along = [0.0; 4];
    let integral = annotator.items.of(integral).iter();
    for (integral, &a) in integral.zip(annotator.imbalance) {
        along = add_product(along, a, integral);
    }
    t * annotator.net_left - sum(along)
}

/// t·b_u − L_u Θ − a_u Γ_u, left in `local.image`; its norm.
pub(super) fn deviation_slope(
    statistics: &Statistics,
    u: usize,
    t: f64,
    integral: &[f64],
    bias_integral: f64,
    local: &mut Local,
) -> f64 {
    let annotator = statistics.quads(u);
    let n = annotator.imbalance.len();
    let (x, image) = (&mut local.x[..n], &mut local.image[..n]);
    for (slot, integral) in x.iter_mut().zip(annotator.items.of(integral).iter()) {
        *slot = integral;
    }
    vectorised(Product {
        graph: statistics.graph(u),
        x,
        image,
    });
    let columns = annotator.imbalance.iter().zip(annotator.net_wins);
    for (slot, (a, b)) in image.iter_mut().zip(columns) {
        *slot = from_fn(|lane| t * b[lane] - slot[lane] - a[lane] * bias_integral);
    }
    norm_of(image)
}

/// image = L_u x.
struct Product<'a> {
    graph: Adjacency<'a>,
    x: &'a [Quad],
    image: &'a mut [Quad],
}

impl Kernel for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        self.graph.product(lanes, self.x, &mut Keeping(self.image));
    }
}

struct Keeping<'a>(&'a mut [Quad]);

impl<L: Lanes> Sink<L> for Keeping<'_> {
    #[inline(always)]
    fn take(&mut self, lanes: L, place: usize, value: L::Register) {
        lanes.store(value, &mut self.0[place]);
    }
}
