//! The arithmetic of a single effect: its gradient, its norm, its shrinkage.
//!
//! While δ^u = 0, the gradients of m times the negative loss are
//!
//! ```text
//! of δ^u: b_u − L_u θ − a_u γ^u        of γ^u: s_u − a_uᵀθ − N_u γ^u
//! ```
//!
//! They are linear in θ and γ^u. So the same functions give the gradient at a
//! time (from θ and γ^u, with t = 1) and its integral from 0 to t, which is m·z
//! (from Θ = ∫θ dt and Γ_u = ∫γ^u dt).

use std::array::from_fn;

use crate::linalg::gather::GatheredValues;
use crate::linalg::simd::{Kernel, Lanes, Quad, Sink, StoredQuad, add_product, sum, vectorised};
use crate::model::statistics::{Adjacency, AnnotatorQuads, BlockStatistics, SideSumsOf};

/// An effect enters when its norm exceeds 1 by more than rounding: at t0 the
/// norm of the first one is 1, up to rounding.
const THRESHOLD: f64 = 1.0 + 1e-12;

/// Vectors over one annotator's items, as long as the longest needs.
pub(super) struct StepScratch {
    pub x: Vec<Quad>,
    pub image: Vec<Quad>,
    pub z: Vec<Quad>,
}

impl StepScratch {
    pub fn new(statistics: &BlockStatistics) -> Self {
        let lengths = (0..statistics.annotators()).map(|u| statistics.quad_range(u).len());
        let zeros = vec![[0.0; 4]; lengths.max().unwrap_or(0)];
        Self {
            x: zeros.clone(),
            image: zeros.clone(),
            z: zeros,
        }
    }
}

/// The factor of κ·shrink for a vector of this norm: 0 up to the threshold.
#[inline(always)]
pub(in crate::model) fn shrink(norm: f64, kappa: f64) -> f64 {
    if norm > THRESHOLD {
        kappa * (1.0 - 1.0 / norm)
    } else {
        0.0
    }
}

/// κ·shrink of a single number.
#[inline(always)]
pub(in crate::model) fn shrunk(z: f64, kappa: f64) -> f64 {
    shrink(z.abs(), kappa) * z
}

/// The Euclidean norm.
pub(in crate::model) fn norm_of(values: &[Quad]) -> f64 {
    let mut squares = [0.0; 4];
    for &quad in values {
        squares = add_product(squares, quad, quad);
    }
    sum(squares).sqrt()
}

/// t·s_u − a_uᵀΘ.
#[inline(always)]
pub(super) fn bias_gradient(annotator: &AnnotatorQuads<'_>, t: f64, integral: &[f64]) -> f64 {
    let integral = annotator.items.of(integral);
    let along = match annotator.side_sums {
        SideSumsOf::Integers(sums) => product(sums.imbalance, integral),
        SideSumsOf::Numbers(sums) => product(sums.imbalance, integral),
    };
    t * annotator.net_left - along
}

/// The inner product.
#[inline(always)]
fn product<Q: StoredQuad>(stored: &[Q], values: GatheredValues<'_, '_>) -> f64 {
    let mut products = [0.0; 4];
    for (stored, values) in stored.iter().zip(values.iter()) {
        products = add_product(products, stored.values(), values);
    }
    sum(products)
}

/// Writes t·b_u − L_u Θ − a_u Γ_u to `scratch.image` and returns its norm.
pub(super) fn deviation_gradient(
    statistics: &BlockStatistics,
    u: usize,
    t: f64,
    integral: &[f64],
    bias_integral: f64,
    scratch: &mut StepScratch,
) -> f64 {
    let annotator = statistics.quads(u);
    let n = annotator.side_sums.quads();
    let (x, image) = (&mut scratch.x[..n], &mut scratch.image[..n]);
    for (slot, integral) in x.iter_mut().zip(annotator.items.of(integral).iter()) {
        *slot = integral;
    }
    vectorised(AnnotatorProduct {
        graph: statistics.graph(u),
        x,
        image,
    });
    for (slot, [a, b]) in image.iter_mut().zip(annotator.side_sums.iter()) {
        *slot = from_fn(|lane| t * b[lane] - slot[lane] - a[lane] * bias_integral);
    }
    norm_of(image)
}

/// image = L_u x.
struct AnnotatorProduct<'a> {
    graph: Adjacency<'a>,
    x: &'a [Quad],
    image: &'a mut [Quad],
}

impl Kernel for AnnotatorProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        self.graph
            .product(lanes, self.x, &mut ProductSink(self.image));
    }
}

struct ProductSink<'a>(&'a mut [Quad]);

impl<L: Lanes> Sink<L> for ProductSink<'_> {
    #[inline(always)]
    fn take(&mut self, lanes: L, index: usize, value: L::Register) {
        lanes.store(value, &mut self.0[index]);
    }
}
