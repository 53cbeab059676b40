//! The test for a deviation from the consensus: the statistic U.
//!
//! Under the null hypothesis the annotator votes as the others do, y_v = s·(θ_i − θ_j)
//! plus noise, where s is the median slope of the annotators. e_v is the residual of a
//! vote v on (left i, right j) less the mean residual, because a position bias is no
//! deviation. With g_i the sum of ±e_v over the votes on item i (+ where i is left)
//! and d_i their number,
//!
//! ```text
//! U = Σ_i g_i²/d_i − Σ_v e_v² h_vv = Σ_{v≠w} e_v e_w h_vw,   h_vw = x_vᵀ D⁻¹ x_w
//! ```
//!
//! where x_v has 1 at i and −1 at j, D = diag(d), and h_vv = 1/d_i + 1/d_j. If the
//! residuals are independent U has mean zero, whatever their variances, and it is large
//! where the residuals of votes on the same items agree. If their signs are random,
//!
//! ```text
//! E U² = 2 tr M²,   E U³ = 8 tr M³,   M_vw = e_v e_w h_vw for v ≠ w, M_vv = 0
//! ```
//!
//! and a gamma distribution with these moments gives the p-value. The traces need no
//! matrix over the votes. With M + diag(m) = E X D⁻¹ Xᵀ E, m_v = e_v² h_vv,
//! E = diag(e), and S = Xᵀ E² X, the Laplacian of the graph with weights e_v²,
//!
//! ```text
//! tr M² = tr B² − Σ_v m_v²,                    B = D^-½ S D^-½
//! tr M³ = tr B³ − 3 Σ_v m_v k_v + 2 Σ_v m_v³,   k_v = e_v² x_vᵀ D⁻¹ S D⁻¹ x_v
//! ```
//!
//! A vote of weight ω counts as ω votes.

use crate::model::distributions::gamma_tail;
use crate::model::statistics::AnnotatorStatistics;
use crate::votes::Comparisons;

/// Scratch memory of the test, for one annotator at a time. A slot is the position
/// of an item among those that the annotator saw.
pub(super) struct DeviationScratch {
    /// By item of the whole table: its slot.
    slot: Vec<u32>,
    residuals: Vec<VoteResidual>,
    /// By slot: g.
    item_sum: Vec<f64>,
    /// By slot: the diagonal of S.
    item_squares: Vec<f64>,
    /// The entries of −S off the diagonal, sorted by [`pair_key`].
    pair_squares: Vec<(u64, f64)>,
}

/// e_v of one vote. `left` and `right` are items at first, then slots.
struct VoteResidual {
    left: usize,
    right: usize,
    value: f64,
    weight: f64,
}

impl DeviationScratch {
    pub fn new(items: usize) -> Self {
        Self {
            slot: vec![0; items],
            residuals: Vec::new(),
            item_sum: Vec::new(),
            item_squares: Vec::new(),
            pair_squares: Vec::new(),
        }
    }

    /// Computes e for the votes of an annotator.
    pub fn set_residuals(
        &mut self,
        votes: &Comparisons,
        annotator: usize,
        theta: &[f64],
        slope: f64,
    ) {
        self.residuals.clear();
        let (mut total, mut weight) = (0.0, 0.0);
        for vote in votes.of(annotator) {
            let value = vote.choice - slope * (theta[vote.left] - theta[vote.right]);
            total += vote.weight * value;
            weight += vote.weight;
            self.residuals.push(VoteResidual {
                left: vote.left,
                right: vote.right,
                value,
                weight: vote.weight,
            });
        }
        for vote in &mut self.residuals {
            vote.value -= total / weight;
        }
    }

    /// The probability of a U at least as large under the null hypothesis.
    pub fn p_value(&mut self, annotator: AnnotatorStatistics<'_>) -> f64 {
        for (slot, &item) in annotator.items.iter().enumerate() {
            self.slot[item as usize] = slot as u32;
        }
        self.add_up(annotator.items.len());
        let degree: Vec<f64> = annotator.graph.degrees().collect();
        self.tail(&degree)
    }

    /// Fills g and S from the residuals.
    fn add_up(&mut self, items: usize) {
        for column in [&mut self.item_sum, &mut self.item_squares] {
            column.clear();
            column.resize(items, 0.0);
        }
        self.pair_squares.clear();
        for vote in &mut self.residuals {
            vote.left = self.slot[vote.left] as usize;
            vote.right = self.slot[vote.right] as usize;
            let (value, square) = (vote.weight * vote.value, vote.weight * vote.value.powi(2));
            self.item_sum[vote.left] += value;
            self.item_sum[vote.right] -= value;
            self.item_squares[vote.left] += square;
            self.item_squares[vote.right] += square;
            let key = pair_key(vote.left, vote.right);
            self.pair_squares.push((key, square));
        }
        self.pair_squares.sort_by_key(|(key, _)| *key);
        self.pair_squares.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
    }

    /// The tail of the gamma distribution at U.
    fn tail(&self, degree: &[f64]) -> f64 {
        let squares = self.item_sum.iter().zip(degree).map(|(g, d)| g * g / d);
        let mut u: f64 = squares.sum();
        let (mut square, mut cube) = self.traces(degree);
        let rounding = 1e-9 * square;
        for vote in &self.residuals {
            let (i, j) = (vote.left, vote.right);
            let squared = vote.value * vote.value;
            let m = squared * (1.0 / degree[i] + 1.0 / degree[j]);
            let diagonal =
                self.item_squares[i] / degree[i].powi(2) + self.item_squares[j] / degree[j].powi(2);
            let off_diagonal = 2.0 * self.pair_square(i, j) / (degree[i] * degree[j]);
            u -= vote.weight * m;
            square -= vote.weight * m * m;
            cube -= vote.weight * (3.0 * squared * (diagonal + off_diagonal) * m - 2.0 * m.powi(3));
        }
        if square <= rounding {
            return 1.0; // no two votes have an item in common: U is always 0
        }
        gamma_tail(u, 2.0 * square, 8.0 * cube)
    }

    /// −S_ij for two slots with a vote on them.
    fn pair_square(&self, i: usize, j: usize) -> f64 {
        let key = pair_key(i, j);
        let index = self.pair_squares.partition_point(|(known, _)| *known < key);
        self.pair_squares[index].1
    }

    /// tr B² and tr B³.
    fn traces(&self, degree: &[f64]) -> (f64, f64) {
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); degree.len()];
        for &(key, square) in &self.pair_squares {
            let (a, b) = ((key >> 32) as usize, key as u32 as usize);
            let value = -square / (degree[a] * degree[b]).sqrt();
            rows[a].push((b, value));
            rows[b].push((a, value));
        }
        let (mut square, mut cube) = (0.0, 0.0);
        let mut dense_row = vec![0.0; degree.len()];
        for a in 0..degree.len() {
            let diagonal = self.item_squares[a] / degree[a];
            for &(b, value) in &rows[a] {
                dense_row[b] = value;
            }
            let off_diagonal: f64 = rows[a].iter().map(|(_, value)| value * value).sum();
            square += diagonal * diagonal + off_diagonal;
            cube += diagonal.powi(3) + 3.0 * diagonal * off_diagonal;
            for &(b, value) in &rows[a] {
                let products = rows[b].iter().map(|&(c, other)| other * dense_row[c]);
                cube += value * products.sum::<f64>();
            }
            for &(b, _) in &rows[a] {
                dense_row[b] = 0.0;
            }
        }
        (square, cube)
    }
}

/// Two slots as one number, the smaller first.
fn pair_key(i: usize, j: usize) -> u64 {
    (i.min(j) as u64) << 32 | i.max(j) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::Stop;
    use crate::model::statistics::Statistics;

    /// The moments over all 2ⁿ signs, by brute force.
    #[test]
    fn cumulants_are_those_of_random_signs() {
        let values = [0.7, -1.2, 0.4, 0.9, -0.3, 1.1, -0.8];
        let pairs = [(0, 1), (1, 2), (2, 0), (0, 1), (3, 2), (3, 1), (1, 2)];
        let mut votes = Comparisons::with_capacity(4, 0, true, true);
        let rows = pairs.iter().zip(values);
        votes.push_annotator(rows.map(|(&(left, right), choice)| (left, right, choice, 1.0)));
        let statistics = Statistics::new(&votes, &Stop::default()).unwrap();
        let mut degree = [0.0; 4];
        for (i, j) in pairs {
            degree[i] += 1.0;
            degree[j] += 1.0;
        }
        let form = |signs: u32| {
            let mut g = [0.0; 4];
            let mut own = 0.0;
            for (k, &(i, j)) in pairs.iter().enumerate() {
                let sign = if signs >> k & 1 == 1 { -1.0 } else { 1.0 };
                g[i] += sign * values[k];
                g[j] -= sign * values[k];
                own += values[k] * values[k] * (1.0 / degree[i] + 1.0 / degree[j]);
            }
            g.iter().zip(&degree).map(|(g, d)| g * g / d).sum::<f64>() - own
        };
        let mean = |power: i32| (0..128).map(|s| form(s).powi(power)).sum::<f64>() / 128.0;
        assert!(mean(1).abs() < 1e-12);

        let mut scratch = DeviationScratch::new(4);
        scratch.set_residuals(&votes, 0, &[0.0; 4], 1.0);
        // As above: without the mean taken out.
        for (vote, value) in scratch.residuals.iter_mut().zip(values) {
            vote.value = value;
        }
        let p = scratch.p_value(statistics.annotator(0));
        let expected = gamma_tail(form(0), mean(2), mean(3));
        assert!((p - expected).abs() < 1e-12, "{p} {expected}");
    }
}
