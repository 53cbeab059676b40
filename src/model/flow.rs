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
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::csr::{for_each_slot, row_starts};
use crate::options::PairModel;
use crate::votes::{Comparison, Comparisons};

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

/// With more items the other item and the choice of a vote do not fit into 32 bits.
const MAX_PACKED_ITEMS: usize = 1 << 30;

/// So many votes are counted between two checks whether to stop.
const ROWS_PER_CHECK: usize = 1 << 16;

/// How many pairs so many items make.
fn pairs(items: usize) -> usize {
    items * items.saturating_sub(1) / 2
}

/// Sums over the votes on a pair.
#[derive(Clone, Copy, Default)]
struct PairSums {
    weight: f64,
    choices: f64,
    wins: f64,
    ties: f64,
}

impl Flow {
    /// Pools votes.
    pub fn new(votes: &Comparisons, model: PairModel, stop: &Stop) -> Result<Self> {
        let sides = votes.sides();
        if let Some(sides) = sides.filter(|_| pairs(votes.items()) <= votes.len()) {
            return Self::count(votes, sides, model, stop);
        }
        if sides.is_some() && votes.items() <= MAX_PACKED_ITEMS {
            let pack = |_, other: u32, choice: f64| other << 2 | (choice as i32 + 1) as u32;
            let unpack = |packed: u32| {
                let choice = f64::from((packed & 3) as i32 - 1);
                (packed >> 2, choice, 1.0)
            };
            return Self::pool(votes, model, pack, unpack, stop);
        }
        let pack = |row: usize, _, _| row as u32;
        let unpack = |row: u32| {
            let vote = votes.get(row as usize);
            let (other, choice) = seen_from_first(vote);
            (other as u32, choice, vote.weight)
        };
        Self::pool(votes, model, pack, unpack, stop)
    }

    /// Counts votes in a table of all pairs of items, compared or not, which is
    /// faster if there are more votes than pairs.
    fn count(votes: &Comparisons, sides: &[i8], model: PairModel, stop: &Stop) -> Result<Self> {
        #[derive(Clone, Copy, Default)]
        struct Count {
            votes: u32,
            ties: u32,
            net_wins: i32,
        }
        let items = votes.items();
        // Where the pairs with each first item begin.
        let start = |a: usize| pairs(items) - pairs(items - a);
        let mut counts = vec![Count::default(); pairs(items)];
        for rows in (0..votes.len()).step_by(ROWS_PER_CHECK) {
            stop.check()?;
            let rows = rows..votes.len().min(rows + ROWS_PER_CHECK);
            let (left, right) = (&votes.left[rows.clone()], &votes.right[rows.clone()]);
            for ((&left, &right), &side) in left.iter().zip(right).zip(&sides[rows]) {
                let (a, b) = (left.min(right) as usize, left.max(right) as usize);
                let count = &mut counts[start(a) + b - a - 1];
                count.votes += 1;
                count.ties += u32::from(side == 0);
                // No branch: which item is on the left cannot be predicted.
                count.net_wins += i32::from(side) * (1 - 2 * i32::from(left > right));
            }
        }
        let mut flow = Self {
            starts: vec![0],
            ..Self::default()
        };
        for a in 0..items {
            let counts = &counts[start(a)..start(a + 1)];
            for (b, count) in (a + 1..).zip(counts).filter(|(_, count)| count.votes > 0) {
                let (weight, choices) = (f64::from(count.votes), f64::from(count.net_wins));
                let ties = f64::from(count.ties);
                let sums = PairSums {
                    weight,
                    choices,
                    wins: 0.5 * (weight - ties + choices),
                    ties,
                };
                flow.push(a, b, sums, model);
            }
            flow.starts.push(flow.a.len());
        }
        Ok(flow)
    }

    /// Adds a pair.
    fn push(&mut self, a: usize, b: usize, sums: PairSums, model: PairModel) {
        self.a.push(a as u32);
        self.b.push(b as u32);
        self.weight.push(sums.weight);
        self.value.push(sums.flow(model));
        self.wins.push(sums.wins);
        self.ties.push(sums.ties);
    }

    /// Groups the votes by the smaller of their items, each packed into 32 bits,
    /// and adds them up item by item.
    fn pool(
        votes: &Comparisons,
        model: PairModel,
        pack: impl Fn(usize, u32, f64) -> u32,
        unpack: impl Fn(u32) -> (u32, f64, f64),
        stop: &Stop,
    ) -> Result<Self> {
        let (starts, packed) = by_first_item(votes, pack, stop)?;
        let mut flow = Self {
            starts: vec![0],
            ..Self::default()
        };
        let mut sums = vec![PairSums::default(); votes.items()];
        let mut met: Vec<u32> = Vec::new();
        for a in 0..votes.items() {
            stop.check()?;
            for &packed in &packed[starts[a]..starts[a + 1]] {
                let (b, choice, weight) = unpack(packed);
                let sums = &mut sums[b as usize];
                if sums.weight == 0.0 {
                    met.push(b);
                }
                sums.weight += weight;
                sums.choices += weight * choice;
                sums.wins += if choice > 0.0 { weight } else { 0.0 };
                sums.ties += if choice == 0.0 { weight } else { 0.0 };
            }
            met.sort_unstable();
            for b in met.drain(..) {
                let sums = std::mem::take(&mut sums[b as usize]);
                flow.push(a, b as usize, sums, model);
            }
            flow.starts.push(flow.a.len());
        }
        Ok(flow)
    }

    /// The flow of the votes of two tables together, whose flows have mean choices.
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = Self {
            starts: vec![0],
            ..Self::default()
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
                sum.push(a, next as usize, both, PairModel::Uniform);
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

/// The larger item of a vote, and the choice as seen from the smaller one.
fn seen_from_first(vote: Comparison) -> (usize, f64) {
    if vote.left < vote.right {
        (vote.right, vote.choice)
    } else {
        (vote.left, -vote.choice)
    }
}

/// The packed votes grouped by the smaller of their items, in order within each
/// group, and where the groups begin.
fn by_first_item(
    votes: &Comparisons,
    pack: impl Fn(usize, u32, f64) -> u32,
    stop: &Stop,
) -> Result<(Vec<usize>, Vec<u32>)> {
    let first_items = (0..votes.len()).map(|row| {
        let [left, right] = votes.pair(row);
        left.min(right)
    });
    let starts = row_starts(votes.items(), first_items);
    stop.check()?;
    let entries = (0..votes.len()).map(|row| {
        let vote = votes.get(row);
        let (other, choice) = seen_from_first(vote);
        let first = vote.left.min(vote.right) as u32;
        (first, pack(row, other as u32, choice))
    });
    let mut packed = vec![0; votes.len()];
    for_each_slot(&starts, entries, |slot, vote| packed[slot] = vote);
    Ok((starts, packed))
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
