//! How sure is it that an annotator clicks one side, or has a taste of their own?
//!
//! Both tests look at what plain HodgeRank leaves over, and at nothing else of
//! the model: e_v = y_v − (θ_i − θ_j) for a vote v of annotator u.
//!
//! **Position bias.** Had the two items of a vote been shown the other way
//! round, an annotator without a pull to one side would have chosen the same
//! item: y_v and e_v would only have changed their signs, and θ not at all. So
//! where the sides are drawn by lot, the signs of e_v are fair coins given
//! everything else, whatever the annotator's taste, and
//!
//! ```text
//! z = (|Σ e_v| − min |e_v|) / √Σ e_v²
//! ```
//!
//! is compared with a normal; what is taken off is half of the smallest jump.
//!
//! **Deviation.** Under the null the annotator votes as the others do. What the
//! others do is s·(θ_i − θ_j), where s is the median of the annotators' own
//! slopes: those who click at random make all scores smaller, and that is not
//! the fault of those who do not. With the mean of e taken out (a pull to one
//! side is no taste), D the diagonal of L_u and g_i the sum of e over the votes
//! on item i,
//!
//! ```text
//! U = gᵀD⁻¹g − Σ_v e_v² (1/d_i + 1/d_j) = Σ_{v≠w} e_v e_w h_vw
//! ```
//!
//! has mean zero whatever the variances of the votes. Its second and third
//! cumulant under random signs are sums over votes and pairs, and a gamma with
//! these moments gives its tail.

use crate::error::Result;
use crate::execution::Stop;
use crate::model::statistics::Statistics;
use crate::votes::Comparisons;

/// For each annotator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The pull to the left, or below zero to the right: the mean of what the
    /// scores leave over.
    pub pull: Vec<f64>,
    /// The chance of so much pull to one side without any.
    pub bias_p: Vec<f64>,
    /// The chance of so much deviation without any.
    pub deviation_p: Vec<f64>,
    /// How the annotator's votes grow with the consensus: 1 as those of the
    /// others do, 0 not at all or nothing tells, below 0 against it.
    pub slope: Vec<f64>,
}

/// Slopes from fewer votes say too little to count in the median.
const LEAST_VOTES: f64 = 5.0;

impl Evidence {
    /// Tests every annotator, given the scores of plain HodgeRank.
    pub fn new(
        votes: &Comparisons,
        statistics: &Statistics,
        hodgerank: &[f64],
        stop: &Stop,
    ) -> Result<Self> {
        let annotators = 0..votes.annotators();
        let slopes = annotators.clone().map(|u| slope(votes, u, hodgerank));
        let slopes: Vec<f64> = slopes.collect();
        let common = common_slope(statistics, &slopes);
        let mut work = Work::new(votes.items());
        let mut evidence = Self::default();
        for u in annotators {
            stop.check()?;
            let (pull, bias_p) = pull(votes, u, hodgerank);
            evidence.pull.push(pull);
            evidence.bias_p.push(bias_p);
            work.residuals(votes, u, hodgerank, common);
            evidence.deviation_p.push(work.deviation_p(statistics, u));
            let known = !slopes[u].is_nan();
            evidence
                .slope
                .push(if known { slopes[u] / common } else { 0.0 });
        }
        Ok(evidence)
    }
}

/// The least-squares slope of an annotator's choices over the consensus, beside
/// a pull to one side.
fn slope(votes: &Comparisons, annotator: usize, theta: &[f64]) -> f64 {
    let (mut weight, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for vote in votes.of(annotator) {
        let predicted = theta[vote.left] - theta[vote.right];
        weight += vote.weight;
        x += vote.weight * predicted;
        y += vote.weight * vote.choice;
        xx += vote.weight * predicted * predicted;
        xy += vote.weight * predicted * vote.choice;
    }
    let spread = xx - x * x / weight;
    if spread > 1e-9 * xx {
        (xy - x * y / weight) / spread
    } else {
        f64::NAN
    }
}

fn common_slope(statistics: &Statistics, slopes: &[f64]) -> f64 {
    let tells = |u: &usize| !slopes[*u].is_nan() && statistics.annotator(*u).votes >= LEAST_VOTES;
    let known = (0..slopes.len()).filter(tells).map(|u| slopes[u]);
    let mut known: Vec<f64> = known.collect();
    if known.is_empty() {
        return 1.0;
    }
    known.sort_unstable_by(f64::total_cmp);
    let middle = known.len() / 2;
    let median = (known[middle] + known[(known.len() - 1) / 2]) / 2.0;
    if median > 0.0 { median } else { 1.0 }
}

/// The pull to a side, and the chance of so much without any.
fn pull(votes: &Comparisons, annotator: usize, theta: &[f64]) -> (f64, f64) {
    let (mut sum, mut squares, mut least) = (0.0, 0.0, f64::INFINITY);
    let mut weight = 0.0;
    for vote in votes.of(annotator) {
        let left_over = vote.choice - (theta[vote.left] - theta[vote.right]);
        weight += vote.weight;
        sum += vote.weight * left_over;
        squares += vote.weight * left_over * left_over;
        least = f64::min(least, left_over.abs());
    }
    let z = (sum.abs() - least) / squares.sqrt();
    let p = if z > 0.0 { 2.0 * normal_tail(z) } else { 1.0 };
    (sum / weight, p)
}

/// Scratch memory of the test for a deviation.
struct Work {
    /// An item's place among those that the annotator saw.
    place: Vec<u32>,
    /// By vote: the two places, what is left over, the weight.
    left_over: Vec<LeftOver>,
    /// By place.
    sum: Vec<f64>,
    diagonal: Vec<f64>,
    /// The pairs of places, smaller first, with Σ ω e².
    pairs: Vec<(u64, f64)>,
}

struct LeftOver {
    left: usize,
    right: usize,
    value: f64,
    weight: f64,
}

impl Work {
    fn new(items: usize) -> Self {
        Self {
            place: vec![0; items],
            left_over: Vec::new(),
            sum: Vec::new(),
            diagonal: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// What the votes of an annotator leave over, its mean taken out.
    fn residuals(&mut self, votes: &Comparisons, annotator: usize, theta: &[f64], slope: f64) {
        self.left_over.clear();
        let (mut total, mut weight) = (0.0, 0.0);
        for vote in votes.of(annotator) {
            let value = vote.choice - slope * (theta[vote.left] - theta[vote.right]);
            total += vote.weight * value;
            weight += vote.weight;
            self.left_over.push(LeftOver {
                left: vote.left,
                right: vote.right,
                value,
                weight: vote.weight,
            });
        }
        for vote in &mut self.left_over {
            vote.value -= total / weight;
        }
    }

    fn deviation_p(&mut self, statistics: &Statistics, annotator: usize) -> f64 {
        let seen = statistics.annotator(annotator);
        for (place, &item) in seen.items.iter().enumerate() {
            self.place[item as usize] = place as u32;
        }
        for column in [&mut self.sum, &mut self.diagonal] {
            column.clear();
            column.resize(seen.items.len(), 0.0);
        }
        self.pairs.clear();
        for vote in &mut self.left_over {
            vote.left = self.place[vote.left] as usize;
            vote.right = self.place[vote.right] as usize;
            let (value, square) = (vote.weight * vote.value, vote.weight * vote.value.powi(2));
            self.sum[vote.left] += value;
            self.sum[vote.right] -= value;
            self.diagonal[vote.left] += square;
            self.diagonal[vote.right] += square;
            self.pairs.push((pair(vote.left, vote.right), square));
        }
        self.pairs.sort_by_key(|(pair, _)| *pair);
        self.pairs.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let degree: Vec<f64> = seen.graph.degrees().collect();
        self.tail(&degree)
    }

    /// The chance of a U as large as this one.
    fn tail(&self, degree: &[f64]) -> f64 {
        let form = self.sum.iter().zip(degree).map(|(g, d)| g * g / d);
        let mut u: f64 = form.sum();
        // ‖B‖² and tr B³ with B = D^-½ S D^-½, S the Laplacian of the squares.
        let (mut square, mut cube) = self.traces(degree);
        let rounding = 1e-9 * square;
        for vote in &self.left_over {
            let (i, j) = (vote.left, vote.right);
            let squared = vote.value * vote.value;
            let own = squared * (1.0 / degree[i] + 1.0 / degree[j]);
            let pair = pair(i, j);
            let at = self.pairs.partition_point(|(known, _)| *known < pair);
            let between = 2.0 * self.pairs[at].1 / (degree[i] * degree[j]);
            let spread =
                self.diagonal[i] / degree[i].powi(2) + self.diagonal[j] / degree[j].powi(2);
            u -= vote.weight * own;
            square -= vote.weight * own * own;
            cube -= vote.weight * (3.0 * squared * (spread + between) * own - 2.0 * own.powi(3));
        }
        if square <= rounding {
            return 1.0; // no two votes have an item in common: nothing to tell from
        }
        gamma_tail(u, 2.0 * square, 8.0 * cube)
    }

    /// tr B² and tr B³.
    fn traces(&self, degree: &[f64]) -> (f64, f64) {
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); degree.len()];
        for &(pair, square) in &self.pairs {
            let (a, b) = ((pair >> 32) as usize, pair as u32 as usize);
            let value = -square / (degree[a] * degree[b]).sqrt();
            rows[a].push((b, value));
            rows[b].push((a, value));
        }
        let (mut square, mut cube) = (0.0, 0.0);
        let mut row_of = vec![0.0; degree.len()];
        for a in 0..degree.len() {
            let own = self.diagonal[a] / degree[a];
            for &(b, value) in &rows[a] {
                row_of[b] = value;
            }
            let off: f64 = rows[a].iter().map(|(_, value)| value * value).sum();
            square += own * own + off;
            cube += own.powi(3) + 3.0 * own * off;
            for &(b, value) in &rows[a] {
                let through = rows[b].iter().map(|&(c, other)| other * row_of[c]);
                cube += value * through.sum::<f64>();
            }
            for &(b, _) in &rows[a] {
                row_of[b] = 0.0;
            }
        }
        (square, cube)
    }
}

/// Two places as one number, the smaller first.
fn pair(i: usize, j: usize) -> u64 {
    (i.min(j) as u64) << 32 | i.max(j) as u64
}

/// P(N > z) for a standard normal N.
pub fn normal_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// The upper tail at `x` of a gamma with mean 0 and these cumulants, after
/// Wilson and Hilferty.
fn gamma_tail(x: f64, variance: f64, third: f64) -> f64 {
    if variance.is_nan() || variance <= 0.0 {
        return 1.0; // nothing to tell from
    }
    let x = x / variance.sqrt();
    let skewness = f64::max(third / variance.powf(1.5), 1e-3);
    let freedom = 8.0 / (skewness * skewness);
    let chi = 1.0 + x * (2.0 / freedom).sqrt();
    if chi <= 0.0 {
        return 1.0;
    }
    let spread = 2.0 / (9.0 * freedom);
    normal_tail((chi.cbrt() - (1.0 - spread)) / spread.sqrt())
}

/// Benjamini and Hochberg's q-values: calling all with a q of at most f makes a
/// share of at most f of the calls false, on average.
pub fn q_values(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut q = vec![1.0; p.len()];
    let mut least = 1.0;
    for (place, &index) in order.iter().enumerate().rev() {
        least = f64::min(least, p[index] * p.len() as f64 / (place + 1) as f64);
        q[index] = least;
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::votes::Comparison;

    fn votes(rows: &[(usize, usize, f64, f64)], items: usize) -> Comparisons {
        let mut votes = Comparisons::with_capacity(items, 0, true, true);
        for &(left, right, choice, weight) in rows {
            votes.push(Comparison {
                left,
                right,
                choice,
                weight,
            });
        }
        votes.end_annotator();
        votes
    }

    #[test]
    fn tails_are_those_of_the_tables() {
        assert!((normal_tail(1.959963984540054) - 0.025).abs() < 1e-12);
        assert!((normal_tail(-1.0) - 0.8413447460685429).abs() < 1e-12);
        // Chi-square with 10 degrees of freedom: P(X > 18.307) = 0.05, P(X > 29.588) = 0.001.
        for (x, p) in [(18.307, 0.05), (29.588, 0.001)] {
            let tail = gamma_tail(x - 10.0, 20.0, 80.0);
            assert!((0.995..1.1).contains(&(tail / p)), "{tail}");
        }
    }

    #[test]
    fn q_values_are_the_least_rate_that_calls_each() {
        assert_eq!(q_values(&[0.03, 0.01, 0.5, 0.02]), [0.04, 0.04, 0.5, 0.04]);
        assert_eq!(q_values(&[]), [0.0; 0]);
    }

    /// The moments over all 2ⁿ signs, by brute force.
    #[test]
    fn cumulants_are_those_of_random_signs() {
        let values = [0.7, -1.2, 0.4, 0.9, -0.3, 1.1, -0.8];
        let pairs = [(0, 1), (1, 2), (2, 0), (0, 1), (3, 2), (3, 1), (1, 2)];
        let rows: Vec<_> = (0..7)
            .map(|k| (pairs[k].0, pairs[k].1, values[k], 1.0))
            .collect();
        let votes = votes(&rows, 4);
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

        let mut work = Work::new(4);
        work.residuals(&votes, 0, &[0.0; 4], 1.0);
        // As above: without the mean taken out.
        for (vote, value) in work.left_over.iter_mut().zip(sorted(&rows)) {
            vote.value = value;
        }
        let p = work.deviation_p(&statistics, 0);
        let expected = gamma_tail(form(0), mean(2), mean(3));
        assert!((p - expected).abs() < 1e-12, "{p} {expected}");
    }

    /// The choices in the order that they were pushed in.
    fn sorted(rows: &[(usize, usize, f64, f64)]) -> Vec<f64> {
        rows.iter().map(|row| row.2).collect()
    }

    #[test]
    fn votes_without_a_common_item_tell_no_taste() {
        for pairs in 1..12 {
            let rows: Vec<_> = (0..pairs)
                .map(|k| (2 * k, 2 * k + 1, if k % 3 == 0 { -1.0 } else { 1.0 }, 1.0))
                .collect();
            let votes = votes(&rows, 24);
            let theta: Vec<f64> = (0..24).map(|item| (f64::from(item) * 0.7).sin()).collect();
            let statistics = Statistics::new(&votes, &Stop::default()).unwrap();
            let evidence = Evidence::new(&votes, &statistics, &theta, &Stop::default()).unwrap();
            assert_eq!(evidence.deviation_p, [1.0], "{pairs} pairs");
        }
    }

    #[test]
    fn a_weight_is_a_number_of_votes() {
        let once = [
            (0, 1, 1.0, 3.0),
            (1, 2, -1.0, 2.0),
            (2, 0, 1.0, 2.0),
            (0, 2, 1.0, 1.0),
        ];
        let many = once
            .iter()
            .flat_map(|&(l, r, y, w)| vec![(l, r, y, 1.0); w as usize]);
        let many: Vec<_> = many.collect();
        let theta = [0.3, -0.1, -0.2];
        let test = |rows: &[(usize, usize, f64, f64)]| {
            let votes = votes(rows, 3);
            let statistics = Statistics::new(&votes, &Stop::default()).unwrap();
            let evidence = Evidence::new(&votes, &statistics, &theta, &Stop::default()).unwrap();
            (evidence.bias_p[0], evidence.deviation_p[0])
        };
        let (a, b) = (test(&once), test(&many));
        assert!(
            (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12,
            "{a:?} {b:?}"
        );
    }
}
