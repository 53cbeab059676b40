//! Products with the annotators' Laplacians: dense where an annotator's graph
//! is dense, over its edges otherwise.

use super::dense::symmetric_times;
use super::statistics::{AnnotatorStatistics, Statistics};

/// Dense Laplacians of the annotators whose graph is dense, filled in when needed.
pub(super) struct Blocks {
    pub(super) start: Vec<Option<usize>>,
    pub(super) values: Vec<f64>,
}

impl Blocks {
    /// A dense product is about this many times cheaper an element than a sparse one.
    const GAIN: usize = 4;
    const LARGEST: usize = 256;

    pub(super) fn new(statistics: &Statistics) -> Self {
        let mut length = 0;
        let start = (0..statistics.annotators())
            .map(|u| {
                let annotator = statistics.annotator(u);
                let n = annotator.items.len();
                (n <= Self::LARGEST && n * n <= Self::GAIN * annotator.edges()).then(|| {
                    length += n * n;
                    length - n * n
                })
            })
            .collect();
        // Zeroed memory takes no room before it is written to.
        let values = vec![0.0; length];
        Self { start, values }
    }

    pub(super) fn fill(&mut self, u: usize, annotator: &AnnotatorStatistics<'_>) {
        let Some(start) = self.start[u] else { return };
        let n = annotator.items.len();
        let block = &mut self.values[start..start + n * n];
        for place in 0..n {
            block[place * n + place] = annotator.degree[place];
            for (other, weight) in annotator.neighbours(place) {
                block[place * n + other] = -weight;
            }
        }
    }

    /// out = L_u x.
    pub(super) fn times(
        &self,
        u: usize,
        annotator: &AnnotatorStatistics<'_>,
        x: &[f64],
        out: &mut [f64],
    ) {
        match self.start[u] {
            Some(start) => {
                let n = annotator.items.len();
                symmetric_times(&self.values[start..start + n * n], x, out);
            }
            None => annotator.laplacian_times(x, out),
        }
    }
}
