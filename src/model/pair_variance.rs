//! How far the flow of each pair is known: its variance over annotators.
//!
//! Votes of one annotator on a pair count together, so that somebody who repeats a
//! vote, or a row that stands in the table twice, does not pass for agreement. (If nobody
//! knows who voted, every vote counts as one of another annotator.) With
//! Y_u = Σ ω y and ω_u = Σ ω over the votes of annotator u on a pair, and
//! W = Σ ω_u, the flow is f = Σ Y_u / W, and
//!
//! ```text
//! variance   Σ (Y_u − f ω_u)² / W²      about f: too small by 1 − 1/G
//! annotators G = W² / Σ ω_u²            as many annotators of equal weight
//! ```
//!
//! Where each annotator votes once on a pair, by ±1 and w in all, that is (1 − f²)/w
//! and w. With a pair model other than `uniform` the flow is a function of the mean
//! side, and its variance follows from that of the mean by the derivative.

use std::ops::Range;

use super::distributions::normal_quantile;
use super::flow::Flow;
use super::pair_sums::{MIN_ROWS_PER_PAIR, MIN_ROWS_PER_TABLE, are_few_pairs};
use crate::collective::SlotSums;
use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::options::PairModel;
use crate::votes::Comparisons;

/// By pair, in the order of the flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairVariance {
    /// Of the flow, about its own mean.
    pub variance: Vec<f64>,
    /// The effective number of annotators.
    pub annotators: Vec<f64>,
}

/// Sums over the annotators of a pair.
#[derive(Clone, Copy)]
struct PairMoments {
    /// Σ Y_u.
    choices: f64,
    /// Σ Y_u².
    choices_squared: f64,
    /// Σ Y_u ω_u.
    choices_by_weight: f64,
    /// Σ ω_u².
    weights_squared: f64,
}

impl PairVariance {
    /// Of the flow of these votes.
    pub fn new(
        votes: &Comparisons,
        flow: &Flow,
        model: PairModel,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let moments = Moments {
            votes,
            flow,
            model,
            stop,
        };
        let sums = moments.sum(threads)?;
        let sums: Vec<PairMoments> = sums.as_chunks().0.iter().map(PairMoments::new).collect();
        let each = || sums.iter().zip(&flow.weight);
        Ok(Self {
            variance: each()
                .map(|(sums, &weight)| sums.variance(weight, model))
                .collect(),
            annotators: each()
                .map(|(sums, &weight)| weight * weight / sums.weights_squared)
                .collect(),
        })
    }

    /// Σ W var f: the expected Σ ω f² of votes that differ by chance alone.
    ///
    /// A pair with a single annotator has no variance of its own and takes that of an
    /// annotator's vote on other pairs. None if there is no other pair.
    pub fn expected_square(&self, flow: &Flow) -> Option<f64> {
        let pairs = || self.variance.iter().zip(&self.annotators);
        // The variance of an annotator's vote, pooled by degrees of freedom.
        let (mut squares, mut freedom) = (0.0, 0.0);
        for (variance, annotators) in pairs().filter(|(_, annotators)| is_several(**annotators)) {
            squares += variance * annotators * annotators;
            freedom += annotators - 1.0;
        }
        let pooled = (freedom > 0.0).then(|| squares / freedom)?;
        let own = self.unbiased().zip(&self.annotators);
        let variance = own.map(|(own, annotators)| own.unwrap_or(pooled / annotators));
        Some(variance.zip(&flow.weight).map(|(v, w)| v * w).sum())
    }

    /// The variances without the factor 1 − 1/G; None for a single annotator.
    pub fn unbiased(&self) -> impl Iterator<Item = Option<f64>> {
        let pairs = self.variance.iter().zip(&self.annotators);
        pairs.map(|(variance, &annotators)| {
            is_several(annotators).then(|| variance * annotators / (annotators - 1.0))
        })
    }
}

/// Whether that is more than one annotator, but for rounding.
fn is_several(annotators: f64) -> bool {
    annotators > 1.0 + 1e-9
}

/// What the moments of pairs are added up from.
struct Moments<'a> {
    votes: &'a Comparisons,
    flow: &'a Flow,
    model: PairModel,
    stop: &'a Stop,
}

impl Moments<'_> {
    /// The sums of [`moments`] over all annotators of the table, pair after pair.
    fn sum(&self, threads: usize) -> Result<Vec<f64>> {
        let (votes, pairs) = (self.votes, self.flow.len());
        let partition = votes.partition();
        if let Some(sides) = votes.sides() {
            let mut sums = partition.total_counts(self.repeats(sides, threads)?)?;
            self.add_single_votes(&mut sums);
            return Ok(sums);
        }
        if are_few_pairs(votes, pairs) {
            return partition.sum(4 * pairs, threads, |annotators, sums| {
                self.add_to_table(annotators, sums)
            });
        }
        let mut sums = SlotSums::<4>::new(pairs, partition.blocks());
        let mut own = vec![[0.0; 2]; pairs];
        for (block, in_table) in partition.blocks().enumerate() {
            let annotators = partition.annotators_of(block);
            self.for_each(annotators, &mut own, |pair, moments| {
                sums.add(pair, in_table, moments);
            })?;
        }
        partition.reduce(&mut sums.into_block_sums())
    }

    /// Adds the [`moments`] of all votes of the table, each as if it were the only one of its
    /// annotator on the pair. All are sides that weigh 1.
    fn add_single_votes(&self, sums: &mut [f64]) {
        let flow = self.flow;
        for (pair, sums) in sums.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let (votes, ties) = (flow.weight[pair], flow.ties[pair]);
            let choices = 2.0 * flow.wins[pair] + ties - votes;
            let moments = [choices, votes - ties, choices, votes];
            sums.iter_mut().zip(moments).for_each(|(sum, x)| *sum += x);
        }
    }

    /// By pair: what the [`moments`] of those who voted on it several times are more than
    /// those of their single votes. Most vote once. These are integers, exact in any order.
    fn repeats(&self, sides: &[i8], threads: usize) -> Result<Vec<f64>> {
        let (annotators, pairs) = (self.votes.annotators(), self.flow.len());
        if !self.votes.has_annotators() {
            return Ok(vec![0.0; 4 * pairs]);
        }
        let rows_per_table = MIN_ROWS_PER_TABLE.max(MIN_ROWS_PER_PAIR * pairs);
        let tables = (sides.len() / rows_per_table).clamp(1, threads.max(1));
        let bound = |k: usize| {
            let row = (sides.len() as u128 * k as u128 / tables as u128) as usize;
            self.votes.offsets[..annotators].partition_point(|&start| start < row)
        };
        let mut tables = in_parallel(tables, threads, |k| {
            let end = match k + 1 == tables {
                true => annotators,
                false => bound(k + 1),
            };
            self.repeats_of(bound(k)..end, sides)
        })?
        .into_iter();
        let mut sums = tables.next().expect("at least one table");
        for table in tables {
            sums.iter_mut().zip(table).for_each(|(sum, x)| *sum += x);
        }
        Ok(sums)
    }

    fn repeats_of(&self, annotators: Range<usize>, sides: &[i8]) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; 4 * self.flow.len()];
        let (table, _) = sums.as_chunks_mut::<4>();
        // The pair of a vote, and the choice as seen from its first item.
        let mut own: Vec<([u32; 2], i8)> = Vec::new();
        for u in annotators {
            self.stop.check()?;
            own.clear();
            own.extend(self.votes.rows(u).map(|row| {
                let [left, right] = self.votes.pair(row);
                match left < right {
                    true => ([left, right], sides[row]),
                    false => ([right, left], -sides[row]),
                }
            }));
            own.sort_unstable_by_key(|(pair, _)| *pair);
            let groups = own.chunk_by(|one, next| one.0 == next.0);
            for votes in groups.filter(|votes| votes.len() > 1) {
                let [a, b] = votes[0].0.map(|item| item as usize);
                let choices = votes.iter().map(|(_, side)| f64::from(*side));
                let together = moments([choices.clone().sum(), votes.len() as f64]);
                let sums = &mut table[self.flow.pair(a, b)];
                sums.iter_mut().zip(together).for_each(|(sum, x)| *sum += x);
                for single in choices.map(|choice| moments([choice, 1.0])) {
                    sums.iter_mut().zip(single).for_each(|(sum, x)| *sum -= x);
                }
            }
        }
        Ok(sums)
    }

    fn add_to_table(&self, annotators: Range<usize>, sums: &mut [f64]) -> Result<()> {
        let (sums, _) = sums.as_chunks_mut::<4>();
        let mut own = vec![[0.0; 2]; sums.len()];
        self.for_each(annotators, &mut own, |pair, moments| {
            let sums = sums[pair].iter_mut();
            sums.zip(moments).for_each(|(sum, moment)| *sum += moment);
        })
    }

    /// Calls `add` with each pair of each of these annotators and its [`moments`]. `own` has
    /// Y_u and ω_u of one annotator, by pair; zeros between annotators.
    fn for_each(
        &self,
        annotators: Range<usize>,
        own: &mut [[f64; 2]],
        mut add: impl FnMut(usize, [f64; 4]),
    ) -> Result<()> {
        let mut met: Vec<usize> = Vec::new();
        for u in self.votes.clusters_of(annotators) {
            self.stop.check()?;
            for vote in self.votes.cluster(u).map(|row| self.votes.get(row)) {
                let (a, b) = (vote.left.min(vote.right), vote.left.max(vote.right));
                let pair = self.flow.pair(a, b);
                let choice = match self.model {
                    PairModel::Uniform => vote.choice,
                    _ if vote.choice == 0.0 => 0.0,
                    _ => vote.choice.signum(),
                };
                let [choices, weight] = &mut own[pair];
                if *weight == 0.0 {
                    met.push(pair);
                }
                *choices += vote.weight * if a == vote.left { choice } else { -choice };
                *weight += vote.weight;
            }
            for pair in met.drain(..) {
                add(pair, moments(std::mem::take(&mut own[pair])));
            }
        }
        Ok(())
    }
}

/// Y_u, Y_u², Y_u ω_u and ω_u², given Y_u and ω_u.
fn moments([choices, weight]: [f64; 2]) -> [f64; 4] {
    [
        choices,
        choices * choices,
        choices * weight,
        weight * weight,
    ]
}

impl PairMoments {
    /// From sums of [`moments`].
    fn new(sums: &[f64; 4]) -> Self {
        let [choices, choices_squared, choices_by_weight, weights_squared] = *sums;
        Self {
            choices,
            choices_squared,
            choices_by_weight,
            weights_squared,
        }
    }

    /// Of the flow of a pair with this weight of votes.
    fn variance(self, weight: f64, model: PairModel) -> f64 {
        let mean = self.choices / weight;
        let squares = self.choices_squared - 2.0 * mean * self.choices_by_weight
            + mean * mean * self.weights_squared;
        let of_mean = f64::max(squares, 0.0) / (weight * weight);
        // The flow of Bradley–Terry and Thurstone is that of this share.
        let smoothed = (0.5 * (weight + self.choices) + 0.5) / (weight + 1.0);
        let by_share = 0.5 * weight / (weight + 1.0);
        let slope = match model {
            PairModel::Uniform => 1.0,
            PairModel::BradleyTerry => by_share / (smoothed * (1.0 - smoothed)),
            PairModel::Thurstone => {
                let x = normal_quantile(smoothed);
                by_share * (2.0 * std::f64::consts::PI).sqrt() * (0.5 * x * x).exp()
            }
            // All for one side: the slope has no bound, and the variance is 0.
            PairModel::Angular => 1.0 / f64::max(1.0 - mean * mean, f64::EPSILON).sqrt(),
        };
        slope * slope * of_mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::random::Random;
    use crate::votes::rank_tables::{assert_same_on_ranks, tables};

    type Vote = (usize, usize, f64, f64);

    #[test]
    fn ranks_have_the_same_variances() {
        let stop = Stop::default();
        for (_, votes) in tables() {
            let model = PairModel::Uniform;
            let found = assert_same_on_ranks(&votes, |votes, threads| {
                let flow = Flow::new(votes, model, &stop).unwrap();
                PairVariance::new(votes, &flow, model, threads, &stop).unwrap()
            });
            assert!(found.annotators.iter().any(|&annotators| annotators > 2.0));
        }
    }

    fn pairs(
        annotators: &[&[Vote]],
        items: usize,
        weighted: bool,
        model: PairModel,
    ) -> (Flow, PairVariance) {
        let mut votes = Comparisons::with_capacity(items, 0, true, weighted);
        for own in annotators {
            votes.push_annotator(own.iter().copied());
        }
        let flow = Flow::new(&votes, model, &Stop::default()).unwrap();
        let variance = PairVariance::new(&votes, &flow, model, 1, &Stop::default()).unwrap();
        (flow, variance)
    }

    /// Five annotators, four of them for item 0, some of them shown on the right.
    const FIVE: [&[Vote]; 5] = [
        &[(0, 1, 1.0, 1.0)],
        &[(1, 0, -1.0, 1.0)],
        &[(0, 1, 1.0, 1.0)],
        &[(1, 0, 1.0, 1.0)],
        &[(0, 1, 1.0, 1.0)],
    ];

    #[test]
    fn single_votes_have_the_variance_of_a_share() {
        let (flow, pairs) = pairs(&FIVE, 2, false, PairModel::Uniform);
        assert!((flow.value[0] - 0.6).abs() < 1e-15);
        assert!((pairs.variance[0] - 0.64 / 5.0).abs() < 1e-15);
        assert_eq!(pairs.annotators, [5.0]);
        // Σ (1 − f²) w/(w − 1).
        let expected = pairs.expected_square(&flow).unwrap();
        assert!((expected - 0.64 * 5.0 / 4.0).abs() < 1e-12);
    }

    /// Every vote twice, or every vote with weight 3: nothing more is known.
    #[test]
    fn repeated_votes_and_weights_add_no_certainty() {
        let (_, once) = pairs(&FIVE, 2, false, PairModel::Uniform);
        let twice = FIVE.map(|votes| votes.repeat(2));
        let twice: Vec<&[Vote]> = twice.iter().map(Vec::as_slice).collect();
        let heavy = FIVE.map(|votes| [(votes[0].0, votes[0].1, votes[0].2, 3.0)]);
        let heavy: Vec<&[Vote]> = heavy.iter().map(<[Vote; 1]>::as_slice).collect();
        for (votes, weighted) in [(twice, false), (heavy, true)] {
            let (_, pairs) = pairs(&votes, 2, weighted, PairModel::Uniform);
            assert!((pairs.variance[0] - once.variance[0]).abs() < 1e-15);
            assert!((pairs.annotators[0] - 5.0).abs() < 1e-12);
        }
    }

    /// Sides are counted on several threads; strengths that happen to be sides are added up.
    #[test]
    fn sides_have_the_variances_of_strengths() {
        let mut random = Random(9);
        let rows: Vec<Vec<Vote>> = (0..600)
            .map(|_| {
                let vote = |_| {
                    let left = random.below(12);
                    let right = (left + 1 + random.below(11)) % 12;
                    (left, right, random.below(3) as f64 - 1.0, 1.0)
                };
                (0..1000).map(vote).collect()
            })
            .collect();
        let [strengths, sides] = [true, false].map(|is_graded| {
            let mut votes = Comparisons::with_capacity(12, 0, is_graded, false);
            for own in &rows {
                votes.push_annotator(own.iter().copied());
            }
            let (model, stop) = (PairModel::Uniform, Stop::default());
            let flow = Flow::new(&votes, model, &stop).unwrap();
            [1, 2, 8].map(|k| PairVariance::new(&votes, &flow, model, k, &stop).unwrap())
        });
        assert!(
            sides[0]
                .annotators
                .iter()
                .all(|&annotators| annotators < 600.0)
        );
        assert_eq!(sides, strengths);
    }

    #[test]
    fn a_pair_of_one_annotator_takes_the_variance_of_others() {
        let mut votes = FIVE.to_vec();
        votes.push(&[(0, 2, 1.0, 1.0)]);
        let (flow, with_one) = pairs(&votes, 3, false, PairModel::Uniform);
        let expected = with_one.expected_square(&flow).unwrap();
        assert!((expected - 0.8 - 0.8).abs() < 1e-12); // 0.64 · 5/4 for either pair
        let (flow, alone) = pairs(&[&[(0, 1, 1.0, 1.0)]], 2, false, PairModel::Uniform);
        assert_eq!(alone.expected_square(&flow), None);
    }

    /// The variance of a function of the mean, by a finite difference.
    #[test]
    fn other_pair_models_go_by_the_slope() {
        for model in [
            PairModel::BradleyTerry,
            PairModel::Thurstone,
            PairModel::Angular,
        ] {
            let value = |for_left: usize| {
                let left = std::iter::repeat_n((0, 1, 1.0, 1.0), for_left);
                let right = std::iter::repeat_n((0, 1, -1.0, 1.0), 10_000 - for_left);
                let votes: Vec<Vote> = left.chain(right).collect();
                let votes: Vec<&[Vote]> = votes.chunks(1).collect();
                let (flow, pairs) = pairs(&votes, 2, false, model);
                (flow.value[0], pairs.variance[0])
            };
            let (above, below) = (value(8_001).0, value(7_999).0);
            let slope = (above - below) / (4.0 / 10_000.0);
            let expected = slope * slope * (1.0 - 0.6f64.powi(2)) / 10_000.0;
            let (_, variance) = value(8_000);
            assert!(
                (variance / expected - 1.0).abs() < 1e-3,
                "{model:?} {variance} {expected}"
            );
        }
    }
}
