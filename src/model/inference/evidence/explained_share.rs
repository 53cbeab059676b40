//! How much of the choices the scores of a usual annotator explain.

use super::outcomes::Link;
use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};

/// The largest number of items of which all pairs are looked at.
const MAX_PAIRED_ITEMS: usize = 200;

/// The share of the variance of choices that scores explain if any two items are shown.
pub(super) struct ExplainedShare {
    link: Link,
    /// The mean square of the choices.
    mean_square: f64,
    /// The differences of the scores of items, filled up with zeros.
    differences: Vec<Quad>,
    pairs: f64,
}

impl ExplainedShare {
    pub fn new(theta: &[f64], link: Link, mean_square: f64) -> Self {
        let step = theta.len().div_ceil(MAX_PAIRED_ITEMS).max(1);
        let sample: Vec<f64> = theta.iter().copied().step_by(step).collect();
        let pairs = (0..sample.len()).flat_map(|k| sample[..k].iter().map(move |b| (k, b)));
        let mut differences: Vec<f64> = pairs.map(|(k, b)| sample[k] - b).collect();
        let pairs = differences.len() as f64;
        differences.resize(differences.len().next_multiple_of(4), 0.0);
        Self {
            link,
            mean_square,
            differences: differences.as_chunks().0.to_vec(),
            pairs,
        }
    }

    /// The share at a sharpness.
    pub fn at(&self, s: f64) -> f64 {
        let squares = vectorised(MeanSquares {
            link: self.link,
            differences: &self.differences,
            sharpness: s,
        });
        let sum = match self.link {
            Link::Logistic => squares,
            Link::Linear => squares / self.mean_square,
        };
        f64::min(sum / f64::max(self.pairs, 1.0), 0.95)
    }
}

/// The sum of the squares of expected choices.
struct MeanSquares<'a> {
    link: Link,
    differences: &'a [Quad],
    sharpness: f64,
}

impl Kernel for MeanSquares<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let sharpness = lanes.splat(self.sharpness);
        let mut squares = lanes.splat(0.0);
        for difference in self.differences {
            let predictor = lanes.multiply(sharpness, lanes.load(difference));
            let mean = self.link.means(lanes, predictor);
            squares = lanes.add_product(squares, mean, mean);
        }
        sum(lanes.quad(squares))
    }
}
