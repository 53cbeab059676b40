//! Whether three flows fit any ranking, or go round beyond chance.
//!
//! A curl that is not 0 is no cycle yet. Where nearly everybody prefers a to b and b to
//! c, nearly everybody prefers a to c, and not twice as many: the curl of f_ab = f_bc =
//! f_ac = 1 is 1. Scores explain such votes; only the flow is not their difference. What
//! scores imply, however votes follow from them, is strong transitivity: if a is
//! preferred to b and b to c, then a is preferred to c by at least as much as by the
//! larger of the two. Going round the other way, one of the three flows is then at most
//! the negative of either other one, so that with curl = f_1 + f_2 + f_3
//!
//! ```text
//! curl + f_k ≤ 0   for at least one k
//! ```
//!
//! The test rejects that for each k (an intersection–union test): z is the smallest of
//! the three z_k = (curl + f_k)/σ_k, and p = P(N > z). The variance σ_k² is that of the
//! votes about the nearest flows with curl + f_k = 0, not about the flows themselves:
//! five votes of five for one side do not show that there is no other. With variances
//! v and numbers of annotators 1/g, those flows are at a distance
//! d_i = (curl + f_k) a_i g_i / Σ a² g, where a_k = 2 and otherwise 1, and
//! σ_k² = Σ a_i² (v_i + g_i d_i²).
//!
//! The three flows count as independent of each other. An annotator with a ranking of
//! their own moves them in ways that cancel around the triangle, so that σ is rather
//! too large then. Where a pair has votes of fewer than three annotators, little is
//! known of their spread, and z is 0.

use super::distributions::normal_tail;

/// A pair with fewer annotators than this says nothing about chance.
const MIN_ANNOTATORS: f64 = 3.0;

/// The smallest z of three flows that go round, for a curl that is not negative; 0 if
/// it is not above 0. `spread`: 1/annotators of each flow.
pub(super) fn z_score(flow: [f64; 3], variance: [f64; 3], spread: [f64; 3]) -> f64 {
    let curl = sum(flow);
    let least = flow[0].min(flow[1]).min(flow[2]);
    let is_known = spread.iter().all(|g| g * MIN_ANNOTATORS < 1.0 + 1e-9);
    if curl + least <= 0.0 || !is_known {
        return 0.0;
    }
    let (total_variance, total_spread) = (sum(variance), sum(spread));
    let cubes = spread.map(|g| g * g * g);
    let total_cubes = sum(cubes);
    let squares = [0, 1, 2].map(|k| {
        let excess = curl + flow[k];
        // Σ a² v, Σ a² g and Σ a⁴ g³: a² is 4 and a⁴ is 16 for k.
        let own = total_variance + 3.0 * variance[k];
        let distance = excess / (total_spread + 3.0 * spread[k]);
        let moved = distance * distance * (total_cubes + 15.0 * cubes[k]);
        excess * excess / (own + moved)
    });
    squares[0].min(squares[1]).min(squares[2]).sqrt()
}

fn sum([x, y, z]: [f64; 3]) -> f64 {
    x + y + z
}

/// Bins in a unit of z. Within a bin p changes by a factor of at most exp(z/1024):
/// by 0.4 % for z = 4.
const BINS_PER_UNIT: f64 = 1024.0;

/// Above it, p is 0 in floating-point numbers.
const MAX_Z: f64 = 38.5;

/// How many triangles have which z: what q-values need to know of all of them.
pub(super) struct ZHistogram {
    /// For z above 0, up to the largest so far: most tables are small, and all bins up to
    /// the largest z there can be took a millisecond.
    bins: Vec<u64>,
    total: u64,
}

impl ZHistogram {
    pub fn new() -> Self {
        Self {
            bins: Vec::new(),
            total: 0,
        }
    }

    pub fn add(&mut self, z: f64) {
        self.total += 1;
        if z > 0.0 {
            let bin = bin(z);
            if bin >= self.bins.len() {
                self.bins.resize(bin + 1, 0);
            }
            self.bins[bin] += 1;
        }
    }

    /// The q-values, after Benjamini and Hochberg: with N_b triangles from bin b on,
    /// whose p is at most p_b, that of a triangle is the smallest p_b · total / N_b
    /// over the bins b up to its own. The bins make it too large by less than 1 %
    /// where it matters, never too small.
    ///
    /// A bin without triangles has the N_b of the next one with some, and a larger p_b: it
    /// is left out.
    pub fn q_values(&self) -> QValues {
        let mut count: u64 = self.bins.iter().sum();
        let mut smallest = 1.0;
        let bins = self.bins.iter().enumerate().map(|(index, &own)| {
            if own > 0 {
                let p = normal_tail(index as f64 / BINS_PER_UNIT);
                smallest = f64::min(smallest, p * self.total as f64 / count as f64);
                count -= own;
            }
            smallest
        });
        QValues(bins.collect())
    }
}

/// By bin of z.
pub(super) struct QValues(Vec<f64>);

impl QValues {
    /// Of one of the triangles in the histogram.
    pub fn of(&self, z: f64) -> f64 {
        if z > 0.0 { self.0[bin(z)] } else { 1.0 }
    }
}

fn bin(z: f64) -> usize {
    (z.min(MAX_Z) * BINS_PER_UNIT) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::q_values;
    use crate::random::Random;

    /// P(N > z) for three flows of ±1 votes with these expectations.
    fn p_value(random: &mut Random, mean: [f64; 3], votes: usize) -> f64 {
        let size = votes as f64;
        let mut flow = mean.map(|mean| {
            let left = (0..votes).filter(|_| random.uniform() < 0.5 + 0.5 * mean);
            2.0 * left.count() as f64 / size - 1.0
        });
        if sum(flow) < 0.0 {
            flow = flow.map(|f| -f);
        }
        let variance = flow.map(|f| (1.0 - f * f) / (size - 1.0).max(1.0));
        normal_tail(z_score(flow, variance, [1.0 / size; 3]))
    }

    /// How often p is at most each level, in so many draws.
    fn rates(mean: [f64; 3], votes: usize, levels: [f64; 3]) -> [f64; 3] {
        let mut random = Random(31);
        let draws = 20_000;
        let p: Vec<f64> = (0..draws)
            .map(|_| p_value(&mut random, mean, votes))
            .collect();
        levels.map(|level| p.iter().filter(|&&p| p <= level).count() as f64 / draws as f64)
    }

    /// Rankings of every kind: none, equal steps, sure votes, Bradley–Terry.
    #[test]
    fn rankings_are_rejected_no_more_often_than_stated() {
        let levels = [0.1, 0.05, 0.008];
        for mean in [
            [0.0, 0.0, 0.0],
            [0.2, 0.2, -0.4],
            [0.5, 0.5, -0.5],
            [0.3, 0.0, -0.3],
            [0.9, 0.9, -0.9],
            [0.5, 0.5, -0.8],
        ] {
            for votes in [1, 2, 3, 5, 20] {
                for (rate, level) in rates(mean, votes, levels).into_iter().zip(levels) {
                    let error = (level * (1.0 - level) / 20_000.0f64).sqrt();
                    assert!(
                        rate <= level + 3.0 * error,
                        "{mean:?}, {votes} votes: {rate} at {level}"
                    );
                }
            }
        }
    }

    /// As far from a ranking as strong transitivity allows.
    #[test]
    fn p_values_are_uniform_at_the_edge_of_what_a_ranking_allows() {
        let levels = [0.3, 0.1, 0.05];
        for (rate, level) in rates([0.5, 0.5, -0.5], 100, levels).into_iter().zip(levels) {
            assert!((0.85..1.1).contains(&(rate / level)), "{rate} at {level}");
        }
    }

    #[test]
    fn a_clear_cycle_is_beyond_chance() {
        assert!(rates([0.6, 0.6, 0.6], 20, [0.001; 3])[0] > 0.8);
        // All of 5 votes on each pair. The likeliest ranking gives that, at best, with
        // a probability of (2/3)¹⁰ (1/3)⁵ = 7·10⁻⁵.
        let p = normal_tail(z_score([1.0; 3], [0.0; 3], [0.2; 3]));
        assert!((7e-5..1e-3).contains(&p), "{p}");
    }

    #[test]
    fn sure_votes_that_a_ranking_explains_are_no_cycle() {
        assert_eq!(z_score([1.0, 1.0, -1.0], [0.0; 3], [0.1; 3]), 0.0);
        assert_eq!(z_score([0.5, 0.5, -0.8], [0.01; 3], [0.1; 3]), 0.0);
    }

    #[test]
    fn q_values_are_those_of_all_p_values() {
        let mut random = Random(5);
        let z: Vec<f64> = (0..3_000)
            .map(|k| 4.0 * random.uniform() - 1.0 + f64::from(k % 50 == 0) * 3.0)
            .collect();
        let mut histogram = ZHistogram::new();
        z.iter().for_each(|&z| histogram.add(z));
        let p: Vec<f64> = z.iter().map(|&z| normal_tail(z)).collect();
        let q = histogram.q_values();
        for (z, exact) in z.iter().zip(q_values(&p)) {
            let binned = q.of(*z);
            assert!(exact <= binned * (1.0 + 1e-12), "{z}: {binned} {exact}");
            assert!(*z <= 0.0 || binned < 1.01 * exact, "{z}: {binned} {exact}");
        }
        let mut one = ZHistogram::new();
        one.add(40.0);
        assert!(one.q_values().of(40.0) < 1e-300);
    }

    /// Of every bin, those without triangles too, to the bit.
    #[test]
    fn q_values_need_no_empty_bins() {
        let mut random = Random(8);
        for triangles in [0, 1, 2, 30, 5_000] {
            let z = |_| [0.0, random.uniform(), 6.0 * random.uniform(), 50.0][random.below(4)];
            let z: Vec<f64> = (0..triangles).map(z).collect();
            let mut histogram = ZHistogram::new();
            z.iter().for_each(|&z| histogram.add(z));
            let q = histogram.q_values();
            let all_bins = 0..=bin(MAX_Z);
            let smallest = all_bins.scan(1.0, |smallest, index| {
                let count = z.iter().filter(|&&z| z > 0.0 && bin(z) >= index).count();
                let p = normal_tail(index as f64 / BINS_PER_UNIT);
                *smallest = f64::min(*smallest, p * triangles as f64 / count as f64);
                Some(*smallest)
            });
            let smallest: Vec<f64> = smallest.collect();
            for &z in &z {
                let expected = if z > 0.0 { smallest[bin(z)] } else { 1.0 };
                assert_eq!(q.of(z).to_bits(), expected.to_bits(), "{z}");
            }
        }
    }
}
