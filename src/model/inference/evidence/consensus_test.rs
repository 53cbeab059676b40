//! Whether an annotator's votes follow the others' scores, go against them, or neither.
//!
//! With x_v the difference of the scores that the other annotators give, the alignment
//! T = Σ ω_v y_v x_v is positive for somebody who follows them. Without a signal the
//! signs of its terms are fair coins.
//!
//! **Against**: T is negative for random signs, and also with the mean choice and the
//! mean difference taken out (then somebody who clicks left where good items stand
//! right is not against anybody). One degree of freedom finds an adversary whose few
//! votes are spread over many items.
//!
//! **No signal**: T is smaller than that of annotators who follow the others with a
//! sharpness drawn from those of this crowd.
//!
//! Both must also be likely by the shares of [`Kinds`] in the crowd: with the
//! probability ℓ_u that u is of another kind than is said, the expected share of false
//! ones among those with a smaller ℓ is their mean. The q-value is the largest of what
//! the tests and this say.

use super::deviation_test::Deviation;
use super::explained_share::ExplainedShare;
use super::kind_likelihood::{KindLikelihood, POINTS, sharpness_grid};
use super::kinds::{KindSample, Kinds};
use super::outcomes::Link;
use super::random_sign_tail::{Signs, fair_tail, tail};
use super::test_results::TestResults;
use super::working_votes::WorkingVotes;
use crate::error::Result;
use crate::linalg::simd::{Kernel, Lanes, sum, vectorised};
use crate::linalg::special::{abs, tanh};
use crate::model::distributions::{median, normal_tail};
use crate::model::inference::fdr::q_values;
use crate::votes::Partition;

/// Nobody with a smaller probability is tested for having no signal.
const MIN_PROBABILITY: f64 = 0.2;

/// With a smaller p-value of a favourite side, that is what the votes follow, and nothing
/// else is said of their signal.
const MAX_BIAS_P: f64 = 0.05;

/// Annotators with fewer votes say nothing of the crowd. Many small groups have no others,
/// and are not kept waiting.
const MIN_VOTES: f64 = 5.0;

/// Sharpness that so few annotators have is left out of sums.
const MIN_SHARE: f64 = 1e-4;

/// With more votes the normal approximation serves for the tail of T.
const MAX_SADDLEPOINT_VOTES: usize = 400;

/// What one annotator's votes say, before anything is known of the crowd.
pub(super) struct ConsensusReading {
    kind: KindLikelihood,
    has_side: bool,
    against_p: f64,
    /// The mean square of the choices.
    mean_square: f64,
    votes: f64,
    /// The variance of strengths around the annotator's best sharpness.
    variance: f64,
}

impl ConsensusReading {
    pub fn new(
        votes: &WorkingVotes,
        items: usize,
        deviation: Option<&Deviation>,
        link: Link,
        bias_p: Option<f64>,
    ) -> Self {
        let count = votes.count();
        let [squares] = votes.sums(|vote| [vote.choice * vote.choice]);
        Self {
            kind: KindLikelihood::new(votes, items, deviation, link),
            has_side: bias_p.is_some_and(|p| p <= MAX_BIAS_P),
            against_p: against_p_value(votes, bias_p.is_some()),
            mean_square: squares / count,
            votes: count,
            variance: strength_variance(votes),
        }
    }
}

/// The crowd, as far as the tests need to know it.
pub(super) struct ConsensusTest<'a> {
    link: Link,
    readings: &'a [ConsensusReading],
    kinds: Kinds,
    sharpness_weights: [f64; POINTS],
    usual_variance: f64,
}

/// What the tests say of one annotator.
pub(super) struct ConsensusOutcome {
    /// The probabilities that somebody of whom it is said is not against the others, and
    /// that they have a signal.
    not_against: f64,
    has_signal: f64,
    no_signal_p: f64,
    expected_agreement: f64,
}

impl<'a> ConsensusTest<'a> {
    /// Describes the crowd, given what those who are here say and the scores of items.
    pub fn new(
        link: Link,
        readings: &'a [ConsensusReading],
        theta: &[f64],
        partition: &Partition,
        threads: usize,
    ) -> Result<Self> {
        let sums = partition.sum(2, threads, |annotators, sum| {
            for one in &readings[annotators] {
                sum[0] += one.votes * one.mean_square;
                sum[1] += one.votes;
            }
            Ok(())
        })?;
        let explained_share = ExplainedShare::new(theta, link, sums[0] / sums[1]);
        let telling = |one: &'a ConsensusReading| {
            let is_telling = !one.has_side && one.votes >= MIN_VOTES;
            is_telling.then_some(&one.kind)
        };
        let sample = KindSample {
            annotators: readings.iter().map(telling).collect(),
            partition,
            threads,
        };
        let kinds = Kinds::new(&sample, |s| explained_share.at(s))?;
        let variances: Vec<f64> = readings.iter().map(|one| one.variance).collect();
        Ok(Self {
            link,
            readings,
            sharpness_weights: kinds.sharpness_weights(),
            kinds,
            usual_variance: median(partition.gather(&variances)?.into_iter()),
        })
    }

    /// Tests an annotator.
    pub fn test(&self, annotator: usize, votes: &WorkingVotes) -> ConsensusOutcome {
        let reading = &self.readings[annotator];
        let weights = &self.sharpness_weights;
        let probabilities = self.kinds.probabilities(&reading.kind, weights);
        let no_consensus = probabilities.no_signal + probabilities.own_scores;
        let is_candidate = !reading.has_side && no_consensus >= MIN_PROBABILITY;
        let usual = self.kinds.usual_sharpness();
        ConsensusOutcome {
            not_against: 1.0 - probabilities.against,
            has_signal: match reading.has_side {
                true => 1.0,
                false => 1.0 - probabilities.no_signal,
            },
            no_signal_p: match is_candidate {
                true => follower_p_value(votes, self.link, reading.variance, weights),
                false => 1.0,
            },
            expected_agreement: expected_agreement(votes, self.link, usual, self.usual_variance),
        }
    }

    /// The results by annotator of the table, given what the tests say of those who are here.
    pub fn results(
        &self,
        outcomes: &[ConsensusOutcome],
        partition: &Partition,
    ) -> Result<ConsensusResults> {
        let column = |value: fn(&ConsensusOutcome) -> f64| {
            partition.gather(&outcomes.iter().map(value).collect::<Vec<_>>())
        };
        let by_kinds = mean_of_smaller(&column(|one| one.not_against)?);
        let against_p: Vec<f64> = self.readings.iter().map(|one| one.against_p).collect();
        let against_p = partition.gather(&against_p)?;
        let against = TestResults {
            // An individual must be significant, too: at half of the rate.
            q: largest(&by_kinds, against_p.iter().map(|p| 2.0 * p)),
            p: against_p,
        };
        let by_kinds = mean_of_smaller(&column(|one| one.has_signal)?);
        let no_signal_p = column(|one| one.no_signal_p)?;
        let no_signal = TestResults {
            q: largest(&by_kinds, q_values(&no_signal_p).into_iter()),
            p: no_signal_p,
        };
        Ok(ConsensusResults {
            against,
            no_signal,
            expected_agreement: column(|one| one.expected_agreement)?,
        })
    }
}

/// What the tests say of all annotators of the table.
pub(super) struct ConsensusResults {
    pub against: TestResults,
    pub no_signal: TestResults,
    pub expected_agreement: Vec<f64>,
}

/// The larger of two, at most 1.
fn largest(a: &[f64], b: impl Iterator<Item = f64>) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a.max(b).min(1.0)).collect()
}

/// By element: the mean of all elements that are not larger.
fn mean_of_smaller(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut means = vec![0.0; values.len()];
    let mut sum = 0.0;
    let mut rank = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        rank += group.len();
        sum += group.iter().map(|&index| values[index]).sum::<f64>();
        for &index in group {
            means[index] = sum / rank as f64;
        }
    }
    means
}

/// The p-value of votes against the others.
fn against_p_value(votes: &WorkingVotes, has_sides: bool) -> f64 {
    let alignments: Vec<f64> = votes.iter().map(|vote| vote.alignment()).collect();
    let sizes: Vec<f64> = alignments.iter().map(|alignment| alignment.abs()).collect();
    let sum: f64 = alignments.iter().sum();
    let by_signs = fair_tail(&sizes, -sum);
    if has_sides {
        by_signs.max(centred_p_value(votes))
    } else {
        by_signs
    }
}

/// The same with the mean choice and the mean difference taken out.
fn centred_p_value(votes: &WorkingVotes) -> f64 {
    let count = votes.count();
    let means = votes.sums(|vote| [vote.others_difference, vote.choice].map(|x| vote.weight * x));
    let [x_mean, y_mean] = means.map(|sum| sum / count);
    let [sum, xx, yy] = votes.sums(|vote| {
        let (x, y) = (vote.others_difference - x_mean, vote.choice - y_mean);
        let weighted = vote.weight * x;
        [weighted * y, weighted * weighted, vote.weight * y * y]
    });
    let variance = xx * yy / (count - 1.0);
    if variance > 0.0 {
        normal_tail(-sum / variance.sqrt())
    } else {
        1.0 // the same choice on every vote
    }
}

/// P(T* ≤ T) for somebody who follows the others with a sharpness of this crowd.
fn follower_p_value(votes: &WorkingVotes, link: Link, variance: f64, weights: &[f64]) -> f64 {
    let sum: f64 = votes.iter().map(|vote| vote.alignment()).sum();
    let known: WorkingVotes = votes
        .iter()
        .filter(|vote| vote.others_difference != 0.0 && vote.choice != 0.0)
        .collect();
    let likely = sharpness_grid()
        .iter()
        .zip(weights)
        .filter(|(_, share)| **share >= MIN_SHARE);
    let p_value = |s: f64| {
        if link == Link::Logistic && known.len() <= MAX_SADDLEPOINT_VOTES {
            // The lower tail of T is the upper tail of −T.
            let signs = known.iter().map(|vote| {
                let size = vote.others_difference.abs();
                (vote.weight * size, -0.5 * s * size)
            });
            return tail(&Signs::new(signs), -sum);
        }
        let [mean, square, model_square] = vectorised(FollowerSums {
            votes: &known,
            link,
            sharpness: s,
        });
        let square = match link {
            Link::Logistic => model_square,
            Link::Linear => square * variance,
        };
        normal_tail((mean - sum) / square.sqrt())
    };
    likely
        .map(|(&s, share)| share * p_value(s))
        .sum::<f64>()
        .min(1.0)
}

/// Of an annotator who follows the others with a sharpness, with the sizes a of the terms of T
/// and the expected choices m for the item that the others prefer: Σ a m, Σ a² and
/// Σ a² (1 − m²).
struct FollowerSums<'a> {
    votes: &'a WorkingVotes,
    link: Link,
    sharpness: f64,
}

impl Kernel for FollowerSums<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [f64; 3] {
        let columns = self.votes.weight.iter().zip(&self.votes.others_difference);
        let sharpness = lanes.splat(self.sharpness);
        let mut sums = [lanes.splat(0.0); 3];
        for (weight, difference) in columns {
            let size = abs(lanes, lanes.load(difference));
            let mean = self.link.means(lanes, lanes.multiply(sharpness, size));
            let size = lanes.multiply(lanes.load(weight), size);
            let square = lanes.multiply(size, size);
            let variance = lanes.subtract(lanes.splat(1.0), lanes.multiply(mean, mean));
            sums[0] = lanes.add_product(sums[0], size, mean);
            sums[1] = lanes.add(sums[1], square);
            sums[2] = lanes.add_product(sums[2], square, variance);
        }
        sums.map(|register| sum(lanes.quad(register)))
    }
}

/// The share of untied votes for the item that the others prefer, expected of a usual
/// annotator; one half where the others prefer none.
fn expected_agreement(votes: &WorkingVotes, link: Link, s: f64, variance: f64) -> f64 {
    let [count] = votes.sums(|vote| [f64::from(u8::from(vote.choice != 0.0))]);
    if count == 0.0 {
        return 0.5;
    }
    match link {
        Link::Logistic => {
            let sharpness = s;
            0.5 + 0.5 * vectorised(UntiedMeans { votes, sharpness }) / count
        }
        Link::Linear => {
            let untied = votes.iter().filter(|vote| vote.choice != 0.0);
            let predictors = untied.map(|vote| s * vote.others_difference.abs());
            let agreed = predictors.map(|x| 1.0 - normal_tail(x / variance.sqrt()));
            agreed.sum::<f64>() / count
        }
    }
}

/// The sum of the logistic means of the untied votes, as seen from the item that the others
/// prefer.
struct UntiedMeans<'a> {
    votes: &'a WorkingVotes,
    sharpness: f64,
}

impl Kernel for UntiedMeans<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let half = lanes.splat(0.5 * self.sharpness);
        let mut means = lanes.splat(0.0);
        for (choice, difference) in self.votes.choice.iter().zip(&self.votes.others_difference) {
            let size = abs(lanes, lanes.load(difference));
            // Sides are 1, −1 or 0.
            let untied = abs(lanes, lanes.load(choice));
            means = lanes.add_product(means, untied, tanh(lanes, lanes.multiply(half, size)));
        }
        sum(lanes.quad(means))
    }
}

/// The variance of strengths around the best sharpness of an annotator.
fn strength_variance(votes: &WorkingVotes) -> f64 {
    let [xx, xy, yy] = votes.sums(|vote| {
        let (x, y) = (vote.others_difference, vote.choice);
        [x * x, y * x, y * y].map(|product| vote.weight * product)
    });
    let explained = if xx > 0.0 { xy * xy / xx } else { 0.0 };
    let rest = (yy - explained).max(1e-9 * yy.max(1e-9));
    rest / (votes.count() - 1.0).max(1.0)
}
