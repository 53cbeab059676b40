//! Votes pooled by pair: the flow on the comparison graph.
//!
//! The flow of a pair is by how much a is preferred to b. It is the mean of the
//! choices, which is between −1 and 1 where votes have no strength, or a transform
//! of a's share π of the wins, with half a win to each side for a tie:
//!
//! ```text
//! uniform 2π − 1    bradley-terry ln(π/(1−π))    thurstone Φ⁻¹(π)    angular asin(2π − 1)
//! ```
//!
//! Bradley–Terry and Thurstone have no finite flow for π = 0 or 1, so there
//! π = (wins + ½)/(votes + 1).

use std::ops::Range;

use super::distributions::normal_quantile;
use super::pair_sums::{PairNode, PairSums, Pooling, merge_pairs};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::csr::row_starts;
use crate::options::PairModel;
use crate::votes::Comparisons;

/// The compared pairs of items a < b, ordered by a and then by b.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// The first item of each pair.
    pub a: Vec<u32>,
    /// The second.
    pub b: Vec<u32>,
    /// The weight of the votes on each pair.
    pub weight: Vec<f64>,
    /// By how much a is preferred.
    pub value: Vec<f64>,
    /// The weight of the votes for a.
    pub wins: Vec<f64>,
    /// The weight of the ties.
    pub ties: Vec<f64>,
    /// Where the pairs with each first item begin, and after them the number of pairs.
    pub starts: Vec<usize>,
}

impl Flow {
    /// Pools votes on one thread.
    pub fn new(votes: &Comparisons, model: PairModel, stop: &Stop) -> Result<Self> {
        Self::with_threads(votes, model, 1, stop)
    }

    /// Pools votes. All ranks have the complete flow.
    pub fn with_threads(
        votes: &Comparisons,
        model: PairModel,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let partition = votes.partition();
        let pooling = Pooling {
            votes,
            blocks: partition.blocks(),
            threads,
            stop,
        };
        let mut flow = Self::default();
        if pooling.pool_tables(|pair, sums| flow.push(pair, sums, model))? {
            // All pairs are there.
        } else if partition.is_complete() {
            let push = |flow: &mut Self, pair, _, sums| flow.push(pair, sums, model);
            for mut part in pooling.pool(push)? {
                flow.append(&mut part);
            }
        } else {
            let parts = pooling.pool(PairNode::write)?;
            let ranks = partition.gather_bytes(parts.concat())?;
            merge_pairs(&ranks, |pair, sums| flow.push(pair, sums, model));
        }
        flow.starts = row_starts(votes.items(), flow.a.iter().copied());
        Ok(flow)
    }

    /// Adds a pair.
    fn push(&mut self, [a, b]: [u32; 2], sums: PairSums, model: PairModel) {
        self.a.push(a);
        self.b.push(b);
        self.weight.push(sums.weight);
        self.value.push(sums.flow(model));
        self.wins.push(sums.wins);
        self.ties.push(sums.ties);
    }

    /// Adds the pairs of another flow, which come after those of this one.
    fn append(&mut self, other: &mut Self) {
        if self.is_empty() {
            return std::mem::swap(self, other);
        }
        self.a.append(&mut other.a);
        self.b.append(&mut other.b);
        self.weight.append(&mut other.weight);
        self.value.append(&mut other.value);
        self.wins.append(&mut other.wins);
        self.ties.append(&mut other.ties);
    }

    /// The flow of the votes of two tables together, whose flows have mean choices.
    pub fn plus(&self, other: &Self) -> Self {
        // Often the other table has no pairs of its own.
        let mut sum = Self {
            a: Vec::with_capacity(self.len()),
            b: Vec::with_capacity(self.len()),
            weight: Vec::with_capacity(self.len()),
            value: Vec::with_capacity(self.len()),
            wins: Vec::with_capacity(self.len()),
            ties: Vec::with_capacity(self.len()),
            starts: vec![0],
        };
        let sums = |flow: &Self, pair: usize| PairSums {
            weight: flow.weight[pair],
            choices: flow.weight[pair] * flow.value[pair],
            wins: flow.wins[pair],
            ties: flow.ties[pair],
        };
        for a in 0..self.items() {
            let (mut own, mut others) = (self.pairs_of(a).peekable(), other.pairs_of(a).peekable());
            loop {
                let b = |flow: &Self, pair: Option<&usize>| pair.map(|&pair| flow.b[pair]);
                let (mine, theirs) = (b(self, own.peek()), b(other, others.peek()));
                let Some(next) = mine.into_iter().chain(theirs).min() else {
                    break;
                };
                let mine = own.next_if(|&pair| self.b[pair] == next);
                let theirs = others.next_if(|&pair| other.b[pair] == next);
                let mut both = mine.map_or_else(PairSums::default, |pair| sums(self, pair));
                if let Some(pair) = theirs {
                    both.add(sums(other, pair));
                }
                sum.push([a as u32, next], both, PairModel::Uniform);
            }
            sum.starts.push(sum.a.len());
        }
        sum
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.a.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.starts.len() - 1
    }

    /// The pairs with a first item.
    #[inline(always)]
    pub(crate) fn pairs_of(&self, a: usize) -> Range<usize> {
        self.starts[a]..self.starts[a + 1]
    }

    /// The index of the pair of two items, in either order; None if they were not compared.
    pub fn find(&self, a: usize, b: usize) -> Option<usize> {
        let (a, b) = (a.min(b), a.max(b));
        let pair = self.pair(a, b);
        let is_found = self.pairs_of(a).contains(&pair) && self.b[pair] as usize == b;
        is_found.then_some(pair)
    }

    /// The index of the pair of two items a < b that were compared.
    pub fn pair(&self, a: usize, b: usize) -> usize {
        let range = self.pairs_of(a);
        range.start + self.b[range].partition_point(|&met| (met as usize) < b)
    }

    /// The divergence by item, Σ ω f over its pairs: the right-hand side of HodgeRank.
    pub fn divergence(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.items()];
        for (k, value) in values.iter().enumerate() {
            sums[self.a[k] as usize] += self.weight[k] * value;
            sums[self.b[k] as usize] -= self.weight[k] * value;
        }
        sums
    }

    /// The flow that scores give: θ_a − θ_b for each pair.
    pub fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        let pairs = self.a.iter().zip(&self.b);
        pairs
            .map(|(&a, &b)| theta[a as usize] - theta[b as usize])
            .collect()
    }

    /// Σ ω f g.
    pub fn inner(&self, f: &[f64], g: &[f64]) -> f64 {
        let products = f.iter().zip(g).zip(&self.weight);
        products.map(|((f, g), weight)| weight * f * g).sum()
    }
}

impl PairSums {
    fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.choices += other.choices;
        self.wins += other.wins;
        self.ties += other.ties;
    }

    fn flow(self, model: PairModel) -> f64 {
        // Rounding must not make one larger than the other.
        let wins = (self.wins + 0.5 * self.ties).min(self.weight);
        let losses = self.weight - wins;
        match model {
            PairModel::Uniform => self.choices / self.weight,
            PairModel::BradleyTerry => ((wins + 0.5) / (losses + 0.5)).ln(),
            // From the smaller share, which has a distance from 0 however heavy the pair is.
            PairModel::Thurstone if losses < wins => {
                -normal_quantile(smoothed(losses, self.weight))
            }
            PairModel::Thurstone => normal_quantile(smoothed(wins, self.weight)),
            PairModel::Angular => (2.0 * (wins / self.weight) - 1.0).asin(),
        }
    }
}

/// A share of wins that is neither 0 nor 1.
fn smoothed(wins: f64, weight: f64) -> f64 {
    (wins + 0.5) / (weight + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::votes::Comparison;
    use crate::votes::rank_tables::{assert_same_on_ranks, tables};

    #[test]
    fn ranks_have_the_same_flow() {
        for (name, votes) in tables() {
            for model in [PairModel::Uniform, PairModel::BradleyTerry] {
                let flow = assert_same_on_ranks(&votes, |votes, threads| {
                    Flow::with_threads(votes, model, threads, &Stop::default()).unwrap()
                });
                let total: f64 = (0..votes.len()).map(|row| votes.get(row).weight).sum();
                let found: f64 = flow.weight.iter().sum();
                assert!((found / total - 1.0).abs() < 1e-12, "{name}");
            }
        }
    }

    /// Heavier than the integers that a number can tell apart.
    #[test]
    fn a_pair_of_any_weight_has_a_finite_flow() {
        for weight in [1e-100, 1.0, 1e16, 1e30, 1e100] {
            let mut votes = Comparisons::with_capacity(2, 0, false, true);
            votes.push_annotator([(0, 1, 1.0, weight)]);
            let flow = |model| {
                let flow = Flow::new(&votes, model, &Stop::default()).unwrap();
                flow.value[0]
            };
            let odds = (weight + 0.5).ln() - 0.5f64.ln();
            assert!((flow(PairModel::BradleyTerry) - odds).abs() < 1e-12 * odds.max(1.0));
            let normal = flow(PairModel::Thurstone);
            assert!(normal.is_finite() && normal >= 0.0, "{weight}: {normal}");
            // The tail beyond x is about exp(−x²/2).
            assert!(weight < 1e15 || (normal * normal / 2.0 / odds - 1.0).abs() < 0.2);
        }
    }

    #[test]
    fn pairs_pool_the_votes_of_both_sides() {
        let mut votes = Comparisons::with_capacity(3, 0, false, true);
        votes.push_annotator([(2, 0, 1.0, 1.0), (0, 2, 1.0, 2.0), (1, 2, 0.0, 1.0)]);
        let flow = |model| Flow::new(&votes, model, &Stop::default()).unwrap();
        let uniform = flow(PairModel::Uniform);
        assert_eq!((&uniform.a[..], &uniform.b[..]), (&[0, 1][..], &[2, 2][..]));
        assert_eq!(uniform.weight, [3.0, 1.0]);
        assert_eq!(uniform.value, [1.0 / 3.0, 0.0]);
        assert_eq!(
            (&uniform.wins[..], &uniform.ties[..]),
            (&[2.0, 0.0][..], &[0.0, 1.0][..])
        );
        let close = |model, expected: f64| (flow(model).value[0] - expected).abs() < 1e-12;
        assert!(close(PairModel::BradleyTerry, (2.5f64 / 1.5).ln()));
        assert!(close(PairModel::Angular, (1.0f64 / 3.0).asin()));
        assert!(close(PairModel::Thurstone, 0.3186393639643752));
    }

    /// With more votes than pairs, with fewer, and with weights, though all are 1.
    #[test]
    fn all_ways_to_pool_say_the_same() {
        let votes = |items: usize, weighted: bool| {
            let mut random = crate::random::Random(4);
            let mut votes = Comparisons::with_capacity(items, 0, false, weighted);
            for _ in 0..60 {
                let left = random.below(items);
                votes.push(Comparison {
                    left,
                    right: (left + 1 + random.below(items - 2)) % items,
                    choice: random.below(3) as f64 - 1.0,
                    weight: 1.0,
                });
            }
            votes.end_annotator();
            votes
        };
        for (items, model) in [
            (7, PairModel::Uniform),
            (7, PairModel::Thurstone),
            (7, PairModel::Angular),
            (20, PairModel::Uniform),
            (20, PairModel::BradleyTerry),
        ] {
            let flow = |weighted| Flow::new(&votes(items, weighted), model, &Stop::default());
            let plain = flow(false).unwrap();
            assert!(plain.len() > 10);
            assert_eq!(plain, flow(true).unwrap());
        }
    }
}
