//! Sums over the pairs of a flow, by item, on several threads.

use std::ops::Range;

use super::outcomes::Link;
use crate::error::Result;
use crate::execution::in_parallel;
use crate::linalg::jacobi::LinearOperator;
use crate::linalg::simd::{Kernel, Lanes, Quad, vectorised};
use crate::model::flow::Flow;

/// There are at most so many parts, …
const MAX_PARTS: usize = 8;

/// … each of at least so many pairs, and of so many for each item: a part has sums of its
/// own for all items.
const MIN_PAIRS: usize = 1 << 16;
const MIN_PAIRS_PER_ITEM: usize = 8;

/// So many quads of pairs are computed with at a time.
const QUADS: usize = 64;

/// The pairs of a flow in parts, which depend on the flow alone: their sums are added in order,
/// so that the bits do not depend on the number of threads.
pub(super) struct PairParts<'a> {
    flow: &'a Flow,
    count: usize,
    threads: usize,
}

impl<'a> PairParts<'a> {
    pub fn new(flow: &'a Flow, threads: usize) -> Self {
        let pairs = MIN_PAIRS.max(MIN_PAIRS_PER_ITEM * flow.items());
        Self {
            flow,
            count: (flow.len() / pairs).clamp(1, MAX_PARTS),
            threads,
        }
    }

    /// The pairs of a part.
    fn pairs(&self, part: usize) -> Range<usize> {
        let bound = |part: usize| self.flow.len() * part / self.count;
        bound(part)..bound(part + 1)
    }

    /// The curvature of the loss by pair; and by item the gradient of the log-likelihood, and
    /// the sum of the curvatures.
    pub fn derivatives(&self, theta: &[f64], link: Link) -> Result<(Vec<f64>, Vec<[f64; 2]>)> {
        let mut parts = in_parallel(self.count, self.threads, |part| {
            Ok(self.derivatives_of(self.pairs(part), theta, link))
        })?
        .into_iter();
        let (mut curvature, mut sums) = parts.next().expect("at least one part");
        for (others, part) in parts {
            curvature.extend(others);
            add(sums.as_flattened_mut(), part.as_flattened());
        }
        Ok((curvature, sums))
    }

    fn derivatives_of(
        &self,
        pairs: Range<usize>,
        theta: &[f64],
        link: Link,
    ) -> (Vec<f64>, Vec<[f64; 2]>) {
        let flow = self.flow;
        let mut curvatures = Vec::with_capacity(pairs.len());
        let mut sums = vec![[0.0; 2]; flow.items()];
        let mut means = [[0.0; 4]; QUADS];
        for first in pairs.clone().step_by(4 * QUADS) {
            let some = first..pairs.end.min(first + 4 * QUADS);
            for (mean, k) in means.as_flattened_mut().iter_mut().zip(some.clone()) {
                *mean = theta[flow.a[k] as usize] - theta[flow.b[k] as usize];
            }
            let quads = &mut means[..some.len().div_ceil(4)];
            vectorised(PairMeans { link, quads });
            for (&mean, k) in means.as_flattened().iter().zip(some) {
                let pull = flow.weight[k] * (flow.value[k] - mean);
                let curvature = flow.weight[k] * link.slope(mean);
                let [gradient, information] = &mut sums[flow.a[k] as usize];
                *gradient += pull;
                *information += curvature;
                let [gradient, information] = &mut sums[flow.b[k] as usize];
                *gradient -= pull;
                *information += curvature;
                curvatures.push(curvature);
            }
        }
        (curvatures, sums)
    }
}

/// The expected choices at linear predictors, in their place.
struct PairMeans<'a> {
    link: Link,
    quads: &'a mut [Quad],
}

impl Kernel for PairMeans<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for quad in self.quads {
            lanes.store(self.link.means(lanes, lanes.load(quad)), quad);
        }
    }
}

/// The Laplacian of the pairs with the curvature of their loss, plus the ridge.
pub(super) struct PairHessian<'a> {
    pub pairs: &'a PairParts<'a>,
    /// By pair.
    pub curvature: Vec<f64>,
    pub ridge: f64,
}

impl PairHessian<'_> {
    /// Adds the product of some pairs. The sum of their first item stays in a register.
    fn add_product(&self, pairs: Range<usize>, x: &[f64], out: &mut [f64]) {
        let flow = self.pairs.flow;
        let mut next = pairs.start;
        while next < pairs.end {
            let a = flow.a[next] as usize;
            let own = next..flow.pairs_of(a).end.min(pairs.end);
            next = own.end;
            let (score, mut sum) = (x[a], out[a]);
            let others = flow.b[own.clone()].iter().zip(&self.curvature[own]);
            for (&b, curvature) in others {
                let product = curvature * (score - x[b as usize]);
                sum += product;
                out[b as usize] -= product;
            }
            out[a] = sum;
        }
    }
}

impl LinearOperator for PairHessian<'_> {
    fn apply(&self, x: &[Quad], out: &mut [Quad]) -> f64 {
        let (x, out) = (x.as_flattened(), out.as_flattened_mut());
        for (out, x) in out.iter_mut().zip(x) {
            *out = self.ridge * x;
        }
        let parts = self.pairs;
        if parts.count == 1 {
            self.add_product(parts.pairs(0), x, out);
        } else {
            let products = in_parallel(parts.count, parts.threads, |part| {
                let mut product = vec![0.0; out.len()];
                self.add_product(parts.pairs(part), x, &mut product);
                Ok(product)
            });
            let products = products.expect("a product does not fail");
            products.iter().for_each(|product| add(out, product));
        }
        x.iter().zip(out.iter()).map(|(x, out)| x * out).sum()
    }
}

/// sum += values.
fn add(sum: &mut [f64], values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::random::Random;

    /// All pairs of so many items.
    fn flow(items: u32, random: &mut Random) -> Flow {
        let mut flow = Flow::default();
        for a in 0..items {
            flow.starts.push(flow.a.len());
            for b in a + 1..items {
                flow.a.push(a);
                flow.b.push(b);
                flow.weight.push(1.0 + random.below(3) as f64);
                flow.value.push(2.0 * random.uniform() - 1.0);
            }
        }
        flow.starts.push(flow.a.len());
        flow
    }

    #[test]
    fn threads_and_vectors_do_not_change_bits() {
        let mut random = Random(4);
        let flow = flow(601, &mut random);
        let theta: Vec<f64> = (0..601).map(|_| random.normal()).collect();
        let run = |threads: usize| {
            let pairs = PairParts::new(&flow, threads);
            assert_eq!(pairs.count, 2);
            let (curvature, sums) = pairs.derivatives(&theta, Link::Logistic).unwrap();
            let hessian = PairHessian {
                pairs: &pairs,
                curvature,
                ridge: 0.1,
            };
            let mut x = vec![[0.0; 4]; 151];
            x.as_flattened_mut()[..601].copy_from_slice(&theta);
            let mut out = vec![[0.0; 4]; 151];
            let energy = hessian.apply(&x, &mut out);
            (hessian.curvature, sums, out, energy)
        };
        let expected = with_any_vectors(|| run(1));
        for threads in [2, 8] {
            assert!(run(threads) == expected);
        }
        // The gradient and the Hessian, pair by pair.
        let (curvature, sums, out, _) = expected;
        let (mut gradient, mut product) = (0.0, 0.1 * theta[0]);
        for k in flow.pairs_of(0) {
            let difference = theta[0] - theta[flow.b[k] as usize];
            gradient += flow.weight[k] * (flow.value[k] - Link::Logistic.mean(difference));
            product += curvature[k] * difference;
        }
        assert!((sums[0][0] - gradient).abs() < 1e-10);
        assert!((out[0][0] - product).abs() < 1e-10);
    }
}
