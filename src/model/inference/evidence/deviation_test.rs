//! The test for a deviation from the consensus: the statistic U.
//!
//! Under the null hypothesis the annotator shares the scores of the crowd, perhaps with
//! another sharpness and a pull to a side, E y_v = m(s·x_v + γ) with both fitted to the
//! annotator's own votes. e_v is the residual of a vote v on (left i, right j). With g_i
//! the sum of ±e_v over the votes on item i (+ where i is left) and d_i their number,
//!
//! ```text
//! U = Σ_i g_i²/d_i − Σ_v e_v² h_vv = Σ_{v≠w} e_v e_w h_vw,   h_vw = x_vᵀ D⁻¹ x_w
//! ```
//!
//! where x_v has 1 at i and −1 at j, D = diag(d), and h_vv = 1/d_i + 1/d_j. If the
//! residuals are independent with mean zero, U has mean zero, whatever their variances,
//! and it is large where the residuals of votes on the same items agree. With variances
//! c_v and symmetric residuals,
//!
//! ```text
//! E U² = 2 tr M²,   E U³ = 8 tr M³,   M_vw = √c_v √c_w h_vw for v ≠ w, M_vv = 0
//! ```
//!
//! and a gamma distribution with these moments gives a p-value. The traces need no
//! matrix over the votes. With M + diag(m) = C X D⁻¹ Xᵀ C, m_v = c_v h_vv,
//! C = diag(√c), and S = Xᵀ C² X, the Laplacian of the graph with weights c_v,
//!
//! ```text
//! tr M² = tr B² − Σ_v m_v²,                    B = D^-½ S D^-½
//! tr M³ = tr B³ − 3 Σ_v m_v k_v + 2 Σ_v m_v³,   k_v = c_v x_vᵀ D⁻¹ S D⁻¹ x_v
//! ```
//!
//! The variances are taken once from the residuals, c_v = e_v² (random signs), and once
//! from the model, 1 − m² for sides, the mean square of the residuals for strengths. The
//! p-value is the larger one. The first holds where the model's variances are wrong. The
//! second holds where nearly all votes are foreseeable, so that the few surprises all
//! have the same sign: there random signs would call every second annotator.
//!
//! A weight ω_v multiplies e_v, and d_i is a sum of weights.

use super::outcomes::Link;
use super::own_fit::OwnFit;
use super::working_votes::WorkingVote;
use crate::model::distributions::gamma_tail;
use crate::model::statistics::AnnotatorStatistics;

/// Scratch memory of the test, for one annotator at a time. A slot is the position
/// of an item among those that the annotator saw.
pub(super) struct ItemForm {
    /// By item of the whole table: its slot.
    slot: Vec<u32>,
    terms: Vec<Term>,
    /// By slot: d.
    degree: Vec<f64>,
    /// By slot: g.
    item_sum: Vec<f64>,
    /// By slot: the diagonal of S.
    item_variance: Vec<f64>,
    /// The entries of −S off the diagonal, sorted by [`pair_key`].
    pair_variance: Vec<(u64, f64)>,
}

/// A vote's part of U. `left` and `right` are slots.
#[derive(Clone, Copy)]
struct Term {
    left: usize,
    right: usize,
    /// ω_v e_v.
    residual: f64,
    /// ω_v² c_v.
    variance: f64,
}

/// U and its moments under the null hypothesis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FormMoments {
    pub value: f64,
    /// E U².
    pub variance: f64,
    /// E U³.
    pub third_moment: f64,
}

/// What a test for a deviation found.
pub(super) struct Deviation {
    /// U, with the variances of the model.
    pub form: FormMoments,
    /// U on average if own scores alone made the choices.
    pub expected: f64,
}

impl FormMoments {
    fn p_value(self) -> f64 {
        gamma_tail(self.value, self.variance, self.third_moment)
    }
}

impl ItemForm {
    pub fn new(items: usize) -> Self {
        Self {
            slot: vec![0; items],
            terms: Vec::new(),
            degree: Vec::new(),
            item_sum: Vec::new(),
            item_variance: Vec::new(),
            pair_variance: Vec::new(),
        }
    }

    /// The p-value of an annotator's deviation, and the form behind it; None if no two
    /// votes have an item in common.
    pub fn test(
        &mut self,
        votes: &[WorkingVote],
        annotator: AnnotatorStatistics<'_>,
        link: Link,
        has_sides: bool,
    ) -> (f64, Option<Deviation>) {
        let fit = OwnFit::new(votes, link, has_sides);
        let residuals: Vec<(f64, f64)> = votes
            .iter()
            .map(|vote| {
                let mean = fit.mean(vote, link);
                (vote.choice - mean, 1.0 - mean * mean)
            })
            .collect();
        let count = votes.len() as f64;
        let mean_square = residuals.iter().map(|(e, _)| e * e).sum::<f64>() / count;
        let by_signs = self.moments(votes, annotator, |v| {
            (residuals[v].0, residuals[v].0.powi(2))
        });
        let by_model = self.moments(votes, annotator, |v| match link {
            Link::Logistic => residuals[v],
            Link::Linear => (residuals[v].0, mean_square),
        });
        let (Some(signs), Some(model)) = (by_signs, by_model) else {
            return (1.0, None);
        };
        let squares = votes.iter().map(|vote| vote.choice * vote.choice);
        let deviation = Deviation {
            form: model,
            expected: self.expected_with_own_scores(votes, squares.sum::<f64>() / count),
        };
        (signs.p_value().max(model.p_value()), Some(deviation))
    }

    /// U of an annotator's votes, given the residual and the variance of each. None if
    /// no two votes have an item in common, since then U is always 0.
    fn moments(
        &mut self,
        votes: &[WorkingVote],
        annotator: AnnotatorStatistics<'_>,
        residual: impl Fn(usize) -> (f64, f64),
    ) -> Option<FormMoments> {
        for (slot, &item) in annotator.items.iter().enumerate() {
            self.slot[item as usize] = slot as u32;
        }
        self.terms.clear();
        self.terms.extend(votes.iter().enumerate().map(|(v, vote)| {
            let (residual, variance) = residual(v);
            Term {
                left: self.slot[vote.left] as usize,
                right: self.slot[vote.right] as usize,
                residual: vote.weight * residual,
                variance: vote.weight.powi(2) * variance,
            }
        }));
        self.add_up(annotator.items.len(), votes);
        self.form()
    }

    /// What U would be on average if own scores alone made choices of this variance, for
    /// the votes of the last call of [`moments`](Self::moments):
    /// variance/2 · Σ_{v≠w} ω_v ω_w (x_vᵀ x_w) h_vw.
    fn expected_with_own_scores(&self, votes: &[WorkingVote], variance: f64) -> f64 {
        let mut pairs: Vec<(u64, f64)> = self
            .terms
            .iter()
            .zip(votes)
            .map(|(term, vote)| (pair_key(term.left, term.right), vote.weight))
            .collect();
        add_up_by_key(&mut pairs);
        let mut sum: f64 = self.degree.iter().sum();
        for &(key, weight) in &pairs {
            let (a, b) = slots(key);
            sum += weight * weight * (1.0 / self.degree[a] + 1.0 / self.degree[b]);
        }
        for (term, vote) in self.terms.iter().zip(votes) {
            let own = 1.0 / self.degree[term.left] + 1.0 / self.degree[term.right];
            sum -= 2.0 * vote.weight * vote.weight * own;
        }
        0.5 * variance * sum
    }

    /// Fills d, g and S.
    fn add_up(&mut self, items: usize, votes: &[WorkingVote]) {
        for column in [
            &mut self.degree,
            &mut self.item_sum,
            &mut self.item_variance,
        ] {
            column.clear();
            column.resize(items, 0.0);
        }
        self.pair_variance.clear();
        for (term, vote) in self.terms.iter().zip(votes) {
            let (i, j) = (term.left, term.right);
            self.degree[i] += vote.weight;
            self.degree[j] += vote.weight;
            self.item_sum[i] += term.residual;
            self.item_sum[j] -= term.residual;
            self.item_variance[i] += term.variance;
            self.item_variance[j] += term.variance;
            self.pair_variance.push((pair_key(i, j), term.variance));
        }
        add_up_by_key(&mut self.pair_variance);
    }

    fn form(&self) -> Option<FormMoments> {
        let degree = &self.degree;
        let squares = self.item_sum.iter().zip(degree).map(|(g, d)| g * g / d);
        let mut value: f64 = squares.sum();
        let (mut square, mut cube) = self.traces();
        let rounding = 1e-9 * square;
        for term in &self.terms {
            let (i, j) = (term.left, term.right);
            let own = 1.0 / degree[i] + 1.0 / degree[j];
            let m = term.variance * own;
            let diagonal = self.item_variance[i] / degree[i].powi(2)
                + self.item_variance[j] / degree[j].powi(2);
            let off_diagonal = 2.0 * self.pair_variance(i, j) / (degree[i] * degree[j]);
            value -= term.residual.powi(2) * own;
            square -= m * m;
            cube -= 3.0 * term.variance * (diagonal + off_diagonal) * m - 2.0 * m.powi(3);
        }
        (square > rounding).then_some(FormMoments {
            value,
            variance: 2.0 * square,
            third_moment: 8.0 * cube,
        })
    }

    /// −S_ij for two slots with a vote on them.
    fn pair_variance(&self, i: usize, j: usize) -> f64 {
        let key = pair_key(i, j);
        let index = self
            .pair_variance
            .partition_point(|(known, _)| *known < key);
        self.pair_variance[index].1
    }

    /// tr B² and tr B³.
    fn traces(&self) -> (f64, f64) {
        let degree = &self.degree;
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); degree.len()];
        for &(key, variance) in &self.pair_variance {
            let (a, b) = slots(key);
            let value = -variance / (degree[a] * degree[b]).sqrt();
            rows[a].push((b, value));
            rows[b].push((a, value));
        }
        let (mut square, mut cube) = (0.0, 0.0);
        let mut dense_row = vec![0.0; degree.len()];
        for a in 0..degree.len() {
            let diagonal = self.item_variance[a] / degree[a];
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

/// The two slots of a key.
fn slots(key: u64) -> (usize, usize) {
    ((key >> 32) as usize, key as u32 as usize)
}

/// Sorts by key and adds up the values of equal keys.
fn add_up_by_key(entries: &mut Vec<(u64, f64)>) {
    entries.sort_by_key(|(key, _)| *key);
    entries.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::Stop;
    use crate::model::statistics::Statistics;
    use crate::votes::Comparisons;

    const PAIRS: [(usize, usize); 7] = [(0, 1), (1, 2), (2, 0), (0, 1), (3, 2), (3, 1), (1, 2)];
    const VALUES: [f64; 7] = [0.7, -1.2, 0.4, 0.9, -0.3, 1.1, -0.8];
    const WEIGHTS: [f64; 7] = [1.0, 0.5, 2.0, 1.0, 1.0, 0.8, 0.7];

    fn votes() -> (Vec<WorkingVote>, Statistics) {
        let mut votes = Comparisons::with_capacity(4, 0, true, true);
        let rows = PAIRS.iter().zip(VALUES).zip(WEIGHTS);
        votes.push_annotator(rows.map(|((&(left, right), y), w)| (left, right, y, w)));
        let statistics = Statistics::new(&votes, &Stop::default()).unwrap();
        let working = votes.of(0).map(|vote| WorkingVote {
            left: vote.left,
            right: vote.right,
            choice: vote.choice,
            weight: vote.weight,
            pooled_difference: 0.0,
            others_difference: 0.0,
        });
        (working.collect(), statistics)
    }

    /// The moments over all 2ⁿ signs, by brute force.
    #[test]
    fn moments_are_those_of_random_signs() {
        let (votes, statistics) = votes();
        let mut degree = [0.0; 4];
        for vote in &votes {
            degree[vote.left] += vote.weight;
            degree[vote.right] += vote.weight;
        }
        let form = |signs: u32| {
            let mut g = [0.0; 4];
            let mut own = 0.0;
            for (k, vote) in votes.iter().enumerate() {
                let sign = if signs >> k & 1 == 1 { -1.0 } else { 1.0 };
                let value = vote.weight * vote.choice;
                g[vote.left] += sign * value;
                g[vote.right] -= sign * value;
                own += value * value * (1.0 / degree[vote.left] + 1.0 / degree[vote.right]);
            }
            g.iter().zip(&degree).map(|(g, d)| g * g / d).sum::<f64>() - own
        };
        let mean = |power: i32| (0..128).map(|s| form(s).powi(power)).sum::<f64>() / 128.0;
        assert!(mean(1).abs() < 1e-12);

        let mut scratch = ItemForm::new(4);
        let residual = |v: usize| (votes[v].choice, votes[v].choice.powi(2));
        let found = scratch
            .moments(&votes, statistics.annotator(0), residual)
            .unwrap();
        assert!((found.value - form(0)).abs() < 1e-12);
        assert!((found.variance - mean(2)).abs() < 1e-12);
        assert!((found.third_moment - mean(3)).abs() < 1e-12);
    }

    #[test]
    fn own_scores_make_the_expected_form() {
        let (votes, statistics) = votes();
        let mut scratch = ItemForm::new(4);
        scratch.moments(&votes, statistics.annotator(0), |_| (1.0, 1.0));
        let incidence = |vote: &WorkingVote, item: usize| {
            f64::from(u8::from(vote.left == item)) - f64::from(u8::from(vote.right == item))
        };
        let degree = |item: usize| -> f64 {
            let seen = votes.iter().filter(|v| v.left == item || v.right == item);
            seen.map(|vote| vote.weight).sum()
        };
        let mut expected = 0.0;
        for (k, v) in votes.iter().enumerate() {
            for (_, w) in votes.iter().enumerate().filter(|(l, _)| *l != k) {
                let both = |item| incidence(v, item) * incidence(w, item);
                let plain: f64 = (0..4).map(both).sum();
                let scaled: f64 = (0..4).map(|item| both(item) / degree(item)).sum();
                expected += 0.3 / 2.0 * v.weight * w.weight * plain * scaled;
            }
        }
        let found = scratch.expected_with_own_scores(&votes, 0.3);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}
