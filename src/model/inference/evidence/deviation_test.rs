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
use super::slot_pairs::SlotPairs;
use super::working_votes::WorkingVotes;
use crate::linalg::simd::Quad;
use crate::model::distributions::gamma_tail;
use crate::model::statistics::AnnotatorStatistics;

/// Scratch memory of the test, for one annotator at a time. A slot is the position
/// of an item among those that the annotator saw. Numbers in pairs are with the variances from
/// the residuals and with those from the model.
pub(super) struct ItemForm {
    /// By item of the whole table: its slot.
    slot: Vec<u32>,
    /// By vote: the expected choice.
    mean: Vec<Quad>,
    terms: Vec<Term>,
    /// By slot.
    items: Vec<ItemTerm>,
    pairs: SlotPairs,
    /// By pair.
    pair_terms: Vec<PairTerm>,
    /// By slot; zero between rows of S.
    row: Vec<[f64; 2]>,
}

/// A vote's part of U.
#[derive(Clone, Copy)]
struct Term {
    /// The slots of left and right.
    slots: [u32; 2],
    /// ω_v.
    weight: f64,
    /// ω_v e_v.
    residual: f64,
    /// ω_v² c_v.
    variance: [f64; 2],
}

/// Sums over the votes on an item.
#[derive(Clone, Copy, Default)]
struct ItemTerm {
    /// 1/d_i; d_i while it is added up.
    inverse: f64,
    /// g_i.
    sum: f64,
    /// S_ii, and S_ii/d_i² after [`ItemForm::traces`].
    variance: [f64; 2],
}

/// Sums over the votes on a pair of items.
#[derive(Clone, Copy, Default)]
struct PairTerm {
    weight: f64,
    /// −S_ij, and −2 S_ij/(d_i d_j) after [`ItemForm::traces`].
    variance: [f64; 2],
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
            mean: Vec::new(),
            terms: Vec::new(),
            items: Vec::new(),
            pairs: SlotPairs::default(),
            pair_terms: Vec::new(),
            row: Vec::new(),
        }
    }

    /// The p-value of an annotator's deviation, and the form behind it; None if no two
    /// votes have an item in common.
    pub fn test(
        &mut self,
        votes: &WorkingVotes,
        annotator: AnnotatorStatistics<'_>,
        link: Link,
        has_sides: bool,
    ) -> (f64, Option<Deviation>) {
        let fit = OwnFit::new(votes, link, has_sides);
        let mut means = std::mem::take(&mut self.mean);
        fit.means(votes, link, &mut means);
        let choices = votes.choice.as_flattened();
        let residual = |v: usize| choices[v] - means.as_flattened()[v];
        let model_variance = |v: usize| 1.0 - means.as_flattened()[v].powi(2);
        let count = votes.count();
        let moments = match link {
            Link::Logistic => self.moments(votes, annotator, residual, model_variance),
            Link::Linear => {
                let squares = (0..votes.len()).map(|v| residual(v).powi(2));
                let mean_square = squares.sum::<f64>() / count;
                self.moments(votes, annotator, residual, |_| mean_square)
            }
        };
        self.mean = means;
        let Some([signs, model]) = moments else {
            return (1.0, None);
        };
        let [squares] = votes.sums(|vote| [vote.choice * vote.choice]);
        let deviation = Deviation {
            form: model,
            expected: self.expected_with_own_scores(squares / count),
        };
        (signs.p_value().max(model.p_value()), Some(deviation))
    }

    /// U of an annotator's votes, given the residual of each and its variance by the model. None
    /// if no two votes have an item in common, since then U is always 0.
    fn moments(
        &mut self,
        votes: &WorkingVotes,
        annotator: AnnotatorStatistics<'_>,
        residual: impl Fn(usize) -> f64,
        model_variance: impl Fn(usize) -> f64,
    ) -> Option<[FormMoments; 2]> {
        for (slot, &item) in annotator.items.iter().enumerate() {
            self.slot[item as usize] = slot as u32;
        }
        self.terms.clear();
        let weights = votes.weight.as_flattened().iter();
        let votes = votes.left.iter().zip(&votes.right).zip(weights);
        let terms = votes.enumerate().map(|(v, ((&left, &right), &weight))| {
            let residual = residual(v);
            let squared_weight = weight * weight;
            Term {
                slots: [left, right].map(|item| self.slot[item as usize]),
                weight,
                residual: weight * residual,
                variance: [residual * residual, model_variance(v)]
                    .map(|variance| squared_weight * variance),
            }
        });
        self.terms.extend(terms);
        self.add_up(annotator.items.len());
        self.form()
    }

    /// What U would be on average if own scores alone made choices of this variance, for
    /// the votes of the last call of [`moments`](Self::moments):
    /// variance/2 · Σ_{v≠w} ω_v ω_w (x_vᵀ x_w) h_vw.
    fn expected_with_own_scores(&self, variance: f64) -> f64 {
        let inverse = |slot: usize| self.items[slot].inverse;
        let mut sum = 0.0;
        for a in 0..self.items.len() {
            for pair in self.pairs.of_larger(a) {
                let own = inverse(a) + inverse(self.pairs.smaller(pair));
                sum += self.pair_terms[pair].weight.powi(2) * own;
            }
        }
        for term in &self.terms {
            let [i, j] = term.slots.map(|slot| slot as usize);
            // Both of its items count it in d.
            sum += 2.0 * term.weight * (1.0 - term.weight * (inverse(i) + inverse(j)));
        }
        0.5 * variance * sum
    }

    /// Fills 1/d, g and S.
    fn add_up(&mut self, items: usize) {
        self.pairs
            .set(items, self.terms.iter().map(|term| term.slots));
        self.items.clear();
        self.items.resize(items, ItemTerm::default());
        self.pair_terms.clear();
        self.pair_terms
            .resize(self.pairs.len(), PairTerm::default());
        for (term, &pair) in self.terms.iter().zip(self.pairs.of_vote()) {
            let [i, j] = term.slots.map(|slot| slot as usize);
            self.items[i].add(term, term.residual);
            self.items[j].add(term, -term.residual);
            let pair = &mut self.pair_terms[pair as usize];
            pair.weight += term.weight;
            for k in 0..2 {
                pair.variance[k] += term.variance[k];
            }
        }
        for item in &mut self.items {
            item.inverse = 1.0 / item.inverse;
        }
    }

    fn form(&mut self) -> Option<[FormMoments; 2]> {
        let squares = self
            .items
            .iter()
            .map(|item| item.sum.powi(2) * item.inverse);
        let mut value: f64 = squares.sum();
        let (mut square, mut cube) = self.traces();
        let rounding = square.map(|square| 1e-9 * square);
        for (term, &pair) in self.terms.iter().zip(self.pairs.of_vote()) {
            let [i, j] = term.slots.map(|slot| &self.items[slot as usize]);
            let pair = &self.pair_terms[pair as usize];
            let own = i.inverse + j.inverse;
            value -= term.residual.powi(2) * own;
            for k in 0..2 {
                let m = term.variance[k] * own;
                let scaled = i.variance[k] + j.variance[k] + pair.variance[k];
                square[k] -= m * m;
                cube[k] -= m * (3.0 * term.variance[k] * scaled - 2.0 * m * m);
            }
        }
        let is_form = (0..2).all(|k| square[k] > rounding[k]);
        is_form.then(|| {
            [0, 1].map(|k| FormMoments {
                value,
                variance: 2.0 * square[k],
                third_moment: 8.0 * cube[k],
            })
        })
    }

    /// tr B² and tr B³. Scales S as the terms of the votes need it.
    fn traces(&mut self) -> ([f64; 2], [f64; 2]) {
        let (mut square, mut cube) = ([0.0; 2], self.triangles().map(|sum| -6.0 * sum));
        for a in 0..self.items.len() {
            let item = self.items[a];
            for pair in self.pairs.of_larger(a) {
                let other = self.items[self.pairs.smaller(pair)];
                let variance = &mut self.pair_terms[pair].variance;
                let inverse = item.inverse * other.inverse;
                for k in 0..2 {
                    let off_diagonal = 2.0 * variance[k] * variance[k] * inverse;
                    let diagonals =
                        item.variance[k] * item.inverse + other.variance[k] * other.inverse;
                    square[k] += off_diagonal;
                    cube[k] += 1.5 * diagonals * off_diagonal;
                    variance[k] *= 2.0 * inverse;
                }
            }
        }
        for item in &mut self.items {
            for k in 0..2 {
                let diagonal = item.variance[k] * item.inverse;
                square[k] += diagonal * diagonal;
                cube[k] += diagonal * diagonal * diagonal;
                item.variance[k] = diagonal * item.inverse;
            }
        }
        (square, cube)
    }

    /// The sum of −S_ab S_bc S_ca/(d_a d_b d_c) over all triangles a > b > c.
    fn triangles(&mut self) -> [f64; 2] {
        let (items, pairs, terms) = (&self.items, &self.pairs, &self.pair_terms);
        let scaled = |pair: usize| {
            let inverse = items[pairs.smaller(pair)].inverse;
            terms[pair].variance.map(|variance| variance * inverse)
        };
        self.row.resize(items.len().max(self.row.len()), [0.0; 2]);
        let mut total = [0.0; 2];
        for (a, item) in items.iter().enumerate() {
            let own = pairs.of_larger(a);
            if own.len() < 2 {
                continue;
            }
            for pair in own.clone() {
                self.row[pairs.smaller(pair)] = scaled(pair);
            }
            for pair in own.clone() {
                let b = pairs.smaller(pair);
                let mut sum = [0.0; 2];
                for other in pairs.of_larger(b) {
                    let row = self.row[pairs.smaller(other)];
                    for k in 0..2 {
                        sum[k] += terms[other].variance[k] * row[k];
                    }
                }
                let scaled = scaled(pair);
                for k in 0..2 {
                    total[k] += item.inverse * scaled[k] * sum[k];
                }
            }
            for pair in own {
                self.row[pairs.smaller(pair)] = [0.0; 2];
            }
        }
        total
    }
}

impl ItemTerm {
    fn add(&mut self, term: &Term, residual: f64) {
        self.inverse += term.weight;
        self.sum += residual;
        for k in 0..2 {
            self.variance[k] += term.variance[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::working_votes::WorkingVote;
    use super::*;
    use crate::execution::Stop;
    use crate::model::statistics::Statistics;
    use crate::votes::Comparisons;

    const PAIRS: [(usize, usize); 7] = [(0, 1), (1, 2), (2, 0), (0, 1), (3, 2), (3, 1), (1, 2)];
    const VALUES: [f64; 7] = [0.7, -1.2, 0.4, 0.9, -0.3, 1.1, -0.8];
    const WEIGHTS: [f64; 7] = [1.0, 0.5, 2.0, 1.0, 1.0, 0.8, 0.7];

    fn votes() -> (WorkingVotes, Statistics) {
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
        for vote in votes.iter() {
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
        let residual = |v: usize| votes.choice.as_flattened()[v];
        let variance = |v: usize| residual(v).powi(2);
        let moments = scratch.moments(&votes, statistics.annotator(0), residual, variance);
        for found in moments.unwrap() {
            assert!((found.value - form(0)).abs() < 1e-12);
            assert!((found.variance - mean(2)).abs() < 1e-12);
            assert!((found.third_moment - mean(3)).abs() < 1e-12);
        }
    }

    #[test]
    fn own_scores_make_the_expected_form() {
        let (votes, statistics) = votes();
        let mut scratch = ItemForm::new(4);
        scratch.moments(&votes, statistics.annotator(0), |_| 1.0, |_| 1.0);
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
                let both = |item| incidence(&v, item) * incidence(&w, item);
                let plain: f64 = (0..4).map(both).sum();
                let scaled: f64 = (0..4).map(|item| both(item) / degree(item)).sum();
                expected += 0.3 / 2.0 * v.weight * w.weight * plain * scaled;
            }
        }
        let found = scratch.expected_with_own_scores(0.3);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}
