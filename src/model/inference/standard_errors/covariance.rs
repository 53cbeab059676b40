//! The clustered covariance of the scores, V = L⁺(Σ_u g_u g_uᵀ)L⁺: all of it, or a sketch.

/// V by pair of items: the lower triangle, row by row, or where that is too large a sketch.
///
/// A sketch has a row of a few numbers for each item, such that V_ij is about the product of
/// the rows of i and j. It comes from the same random signs as the variances; each row has
/// been scaled, so that its square is the variance that was found there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusteredCovariance {
    /// The lower triangle; empty if there is a sketch.
    pub exact: Vec<f64>,
    /// The rows of the sketch, one after the other; empty if there is none.
    pub sketch: Vec<f32>,
    /// How many numbers a row of the sketch has; 0 if there is none.
    pub lanes: usize,
}

/// Where row `row` of a lower triangle begins; for as many rows as there are, its length.
pub(super) fn packed_len(row: usize) -> usize {
    row * (row + 1) / 2
}

/// Of the variances of two scores, so much remains of that of their difference: beyond
/// this, all digits cancel. Weights that lie very far apart come here.
const MIN_DIFFERENCE: f64 = 1e-9;

impl ClusteredCovariance {
    /// Whether it is there for so many items.
    pub fn is_consistent(&self, items: usize) -> bool {
        match self.lanes {
            0 => self.exact.len() == packed_len(items) && self.sketch.is_empty(),
            lanes => self.exact.is_empty() && items.checked_mul(lanes) == Some(self.sketch.len()),
        }
    }

    /// A sketch with these rows, each scaled to the variance of its item.
    pub(super) fn sketched(rows: &[Vec<f64>], variances: &[f64]) -> Self {
        let mut sketch = Vec::new();
        for (row, variance) in rows.iter().zip(variances) {
            let square: f64 = row.iter().map(|x| x * x).sum();
            let scale = if square > 0.0 {
                (variance / square).sqrt()
            } else {
                0.0
            };
            sketch.extend(row.iter().map(|x| (x * scale) as f32));
        }
        Self {
            lanes: rows.first().map_or(0, Vec::len),
            sketch,
            exact: Vec::new(),
        }
    }

    /// V_ii.
    pub fn variance(&self, item: usize) -> f64 {
        match self.lanes {
            0 => f64::max(self.exact[packed_len(item) + item], 0.0),
            _ => self.row(item).map(|x| x * x).sum(),
        }
    }

    /// V_aa + V_bb − 2 V_ab.
    pub fn variance_of_difference(&self, a: usize, b: usize) -> f64 {
        if self.lanes > 0 {
            let squares = self.row(a).zip(self.row(b)).map(|(x, y)| (x - y) * (x - y));
            return squares.sum();
        }
        let both = self.variance(a) + self.variance(b);
        let covariance = self.exact[packed_len(a.max(b)) + a.min(b)];
        f64::max(both - 2.0 * covariance, MIN_DIFFERENCE * both)
    }

    fn row(&self, item: usize) -> impl Iterator<Item = f64> {
        let row = &self.sketch[item * self.lanes..][..self.lanes];
        row.iter().map(|&x| f64::from(x))
    }
}
