//! The tests of all annotators.
//!
//! | test | null hypothesis |
//! |---|---|
//! | [`bias_test`] | the annotator has no favourite side, whatever their taste |
//! | [`deviation_test`] | the annotator shares the scores of the crowd, with an own sharpness and pull |
//! | [`consensus_test`] against | the annotator does not vote against the others |
//! | [`consensus_test`] no signal | the annotator follows the others as sharply as annotators do here, goes against them, or has own scores |
//!
//! Weights say how much a vote matters, not how often it was cast: they do not make
//! evidence, and multiplying all of them by a number changes no p-value.

mod bias_test;
mod camps;
mod consensus_test;
mod deviation_test;
mod explained_share;
mod kind_likelihood;
mod kinds;
mod others_scores;
mod outcomes;
mod own_fit;
mod pair_parts;
mod pooled_scores;
mod random_sign_tail;
mod sides;
mod slot_pairs;
mod test_results;
mod working_votes;

pub use sides::SideAssignment;
pub use test_results::TestResults;

use std::borrow::Cow;

use bias_test::SideTest;
use camps::CampSearch;
use consensus_test::{ConsensusReading, ConsensusTest};
use deviation_test::ItemForm;
use others_scores::VotePreparation;
use outcomes::{Link, outcomes};
use pooled_scores::PooledScores;

use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::model::flow::Flow;
use crate::model::statistics::Statistics;
use crate::options::PairModel;
use crate::votes::{Comparisons, Partition};

/// What the tests say, by annotator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The mean residual of the votes: positive if the annotator prefers the left
    /// side, negative if the right.
    pub mean_residual: Vec<f64>,
    /// Position bias.
    pub bias: TestResults,
    /// A deviation from the consensus.
    pub deviation: TestResults,
    /// Votes against the consensus.
    pub against: TestResults,
    /// Votes that do not follow the items. The p-value is that of the hypothesis that they
    /// follow the others' scores; the q-value also allows for own scores and for votes
    /// against the others.
    pub no_signal: TestResults,
    /// The number of votes that are no ties, whatever their weight.
    pub untied: Vec<u64>,
    /// The share of those that a usual annotator would give to the item that the
    /// others prefer.
    pub expected_agreement: Vec<f64>,
    /// How the sides were assigned.
    pub sides: SideAssignment,
    /// The two camps, if the crowd is split. Then everybody was tested against the scores
    /// of their own camp, and nobody is against the consensus.
    pub split: Option<SplitCrowd>,
}

/// A crowd of two camps, each with scores of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SplitCrowd {
    /// By annotator: 1 for the larger camp, 2 for the smaller one.
    pub camp: Vec<u8>,
    /// By annotator: the share of votes, ties left out, that the scores of their camp
    /// predict; NaN without such votes.
    pub agreement: Vec<f64>,
    /// By camp and item.
    pub scores: Vec<Vec<f64>>,
}

impl SplitCrowd {
    /// Given the camps of all annotators of the table.
    fn new(votes: &Comparisons, camps: &[bool], scores: [PooledScores; 2]) -> Result<Self> {
        let mut scores = scores.map(|pooled| pooled.theta);
        let second = camps.iter().filter(|&&second| second).count();
        let is_swapped = 2 * second > camps.len();
        if is_swapped {
            scores.swap(0, 1);
        }
        let camp: Vec<u8> = camps
            .iter()
            .map(|&second| 1 + u8::from(second != is_swapped))
            .collect();
        let partition = votes.partition();
        let own = partition.here(&camp).iter().enumerate();
        let agreement = own.map(|(u, &camp)| agreement(votes, u, &scores[usize::from(camp) - 1]));
        Ok(Self {
            agreement: partition.gather(&agreement.collect::<Vec<_>>())?,
            camp,
            scores: scores.into(),
        })
    }
}

impl Evidence {
    /// Tests every annotator of the table, each where the votes are. `flow` has the mean
    /// choices by pair, if they are known. Without `has_sides`, left and right may stand for
    /// winner and loser: nobody has a pull to a side then.
    pub fn new(
        votes: &Comparisons,
        statistics: &Statistics,
        flow: Option<&Flow>,
        has_sides: bool,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let (outcomes, link) = outcomes(votes)?;
        let is_unchanged = matches!(outcomes, Cow::Borrowed(_));
        let pooled_flow;
        let flow = match flow.filter(|_| is_unchanged) {
            Some(flow) => flow,
            None => {
                pooled_flow = Flow::with_threads(&outcomes, PairModel::Uniform, threads, stop)?;
                &pooled_flow
            }
        };
        let partition = &*votes.partition();
        let mut crowd = Crowd {
            votes: &outcomes,
            partition,
            statistics,
            link,
            mean_weight: mean_weight(votes, statistics)?,
            has_sides,
            are_sides_random: true,
            threads,
            stop,
        };
        let mut pooled = PooledScores::new(flow, link, crowd.mean_weight, threads, stop)?;
        let sides = match has_sides {
            true => SideAssignment::new(votes, flow, &pooled.theta, threads)?,
            false => SideAssignment::default(),
        };
        crowd.are_sides_random = sides.is_random();
        let bias = crowd.bias(&pooled)?;
        let mut evidence = crowd.test(std::slice::from_ref(&pooled), |_| 0, &bias)?;
        let mut members = vec![true; partition.annotators().total];
        for _ in 0..MAX_TRIMS {
            let Some(usual) = usual_annotators(&evidence, &members) else {
                break;
            };
            members = usual;
            pooled = crowd.scores_of(partition.here(&members).to_vec())?;
            evidence = crowd.test(std::slice::from_ref(&pooled), |_| 0, &bias)?;
        }
        if let Some(camps) = crowd.camps(&evidence)? {
            let own = partition.here(&camps);
            let scores = crowd.camp_search().scores_of_camps(&outcomes, own)?;
            let within = crowd.test(&scores, |u| usize::from(own[u]), &bias)?;
            if camps::explain_deviations(&evidence.deviation.p, &within.deviation.p) {
                evidence = within;
                evidence.against = TestResults::none(camps.len());
                evidence.split = Some(SplitCrowd::new(&outcomes, &camps, scores)?);
            }
        }
        evidence.sides = sides;
        Ok(evidence)
    }
}

/// The mean weight of the votes of the table.
fn mean_weight(votes: &Comparisons, statistics: &Statistics) -> Result<f64> {
    let partition = votes.partition();
    let total = partition.sum(1, 1, |annotators, sum| {
        annotators.for_each(|u| sum[0] += statistics.annotator(u).votes);
        Ok(())
    })?;
    let [rows] = partition.total([votes.len() as u64])?;
    Ok(total[0] / rows as f64)
}

/// Scores are computed anew, without annotators who stand out, at most so often.
const MAX_TRIMS: usize = 3;

/// Annotators are tested in at most so many groups, of at least so many annotators, on all
/// threads.
const MAX_GROUPS: usize = 64;
const MIN_GROUP: usize = 8;

/// An annotator with a smaller q-value stands out.
const MAX_TRIMMED_Q: f64 = 0.1;

/// Fewer than one annotator in so many changes no scores.
const MIN_CHANGE: usize = 200;

/// Those who do not stand out: scores that the others spoil would make the usual
/// annotators deviate. None if they are the members of the scores already, but for a few,
/// or fewer than half of the crowd.
fn usual_annotators(evidence: &Evidence, of_scores: &[bool]) -> Option<Vec<bool>> {
    let tests = [&evidence.deviation, &evidence.against, &evidence.no_signal];
    let is_usual = |u: usize| tests.iter().all(|test| test.q[u] > MAX_TRIMMED_Q);
    let members: Vec<bool> = (0..evidence.untied.len()).map(is_usual).collect();
    let count = members.iter().filter(|&&member| member).count();
    let changes = members.iter().zip(of_scores);
    let changes = changes.filter(|(now, before)| now != before).count();
    let is_new = changes * MIN_CHANGE > members.len();
    (is_new && 2 * count >= members.len()).then_some(members)
}

/// All annotators, as the tests need them.
struct Crowd<'a> {
    votes: &'a Comparisons,
    partition: &'a Partition,
    statistics: &'a Statistics,
    link: Link,
    mean_weight: f64,
    has_sides: bool,
    are_sides_random: bool,
    threads: usize,
    stop: &'a Stop,
}

/// The test for a favourite side.
struct BiasResults {
    /// By annotator of the table.
    mean_residual: Vec<f64>,
    /// By annotator of the table; None if nobody was tested.
    p: Option<Vec<f64>>,
}

impl Crowd<'_> {
    /// The scores of some of those who are here, and of such elsewhere.
    fn scores_of(&self, members: Vec<bool>) -> Result<PooledScores> {
        let (votes, link) = (self.votes, self.link);
        PooledScores::of_members(
            votes,
            members,
            link,
            self.mean_weight,
            self.threads,
            self.stop,
        )
    }

    /// How two camps would be looked for.
    fn camp_search(&self) -> CampSearch<'_> {
        CampSearch {
            link: self.link,
            has_sides: self.has_sides,
            mean_weight: self.mean_weight,
            threads: self.threads,
            stop: self.stop,
        }
    }

    /// Prepares votes for tests against scores.
    fn preparation<'a>(&'a self, scores: &'a PooledScores) -> VotePreparation<'a> {
        VotePreparation::new(self.votes, self.statistics, scores, self.link)
    }

    /// Tests each annotator for a favourite side.
    fn bias(&self, scores: &PooledScores) -> Result<BiasResults> {
        if !self.has_sides {
            return Ok(BiasResults {
                mean_residual: vec![0.0; self.partition.annotators().total],
                p: None,
            });
        }
        let results = self.for_each(|annotators| {
            let mut working = self.preparation(scores);
            let mut test = SideTest::new(self.link, self.are_sides_random, self.votes.items());
            let one = |u| {
                self.stop.check()?;
                Ok(test.test(working.of(u)))
            };
            annotators.map(one).collect()
        })?;
        let (mean_residual, p): (Vec<f64>, Vec<f64>) = results.into_iter().unzip();
        Ok(BiasResults {
            mean_residual: self.partition.gather(&mean_residual)?,
            p: Some(self.partition.gather(&p)?),
        })
    }

    /// Tests each annotator against one of the scores.
    fn test(
        &self,
        scores: &[PooledScores],
        scores_of: impl Fn(usize) -> usize + Sync,
        bias: &BiasResults,
    ) -> Result<Evidence> {
        let bias_p = bias.p.as_ref().map(|p| self.partition.here(p));
        let all_working = || -> Vec<VotePreparation<'_>> {
            scores
                .iter()
                .map(|scores| self.preparation(scores))
                .collect()
        };
        let readings = self.for_each(|annotators| {
            let (mut working, mut form) = (all_working(), ItemForm::new(self.votes.items()));
            let one = |u: usize| {
                self.stop.check()?;
                let (votes, annotator) =
                    (working[scores_of(u)].of(u), self.statistics.annotator(u));
                let (p, deviation) = form.test(votes, annotator, self.link, self.has_sides);
                let [untied] = votes.sums(|vote| [f64::from(u8::from(vote.choice != 0.0))]);
                let bias_p = bias_p.map(|p| p[u]);
                let items = annotator.items.len();
                let consensus =
                    ConsensusReading::new(votes, items, deviation.as_ref(), self.link, bias_p);
                Ok(([p, untied], consensus))
            };
            annotators.map(one).collect()
        })?;
        let (tests, readings): (Vec<[f64; 2]>, Vec<_>) = readings.into_iter().unzip();
        let tests = self.partition.gather(tests.as_flattened())?;
        let tests = tests.as_chunks::<2>().0.iter();
        let (deviation_p, untied) = tests.map(|&[p, untied]| (p, untied as u64)).unzip();
        let theta = &scores[0].theta;
        let consensus =
            ConsensusTest::new(self.link, &readings, theta, self.partition, self.threads)?;
        let outcomes = self.for_each(|annotators| {
            let mut working = all_working();
            let one = |u: usize| {
                self.stop.check()?;
                Ok(consensus.test(u, working[scores_of(u)].of(u)))
            };
            annotators.map(one).collect()
        })?;
        let consensus = consensus.results(&outcomes, self.partition)?;
        let no_bias = || vec![1.0; self.partition.annotators().total];
        Ok(Evidence {
            mean_residual: bias.mean_residual.clone(),
            bias: TestResults::benjamini_hochberg(bias.p.clone().unwrap_or_else(no_bias)),
            deviation: TestResults::benjamini_hochberg(deviation_p),
            against: consensus.against,
            no_signal: consensus.no_signal,
            untied,
            expected_agreement: consensus.expected_agreement,
            ..Evidence::default()
        })
    }

    /// Computes something for each annotator who is here, some of them at a time, on all
    /// threads.
    fn for_each<T: Send>(
        &self,
        group: impl Fn(std::ops::Range<usize>) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let annotators = self.votes.annotators();
        let length = annotators.div_ceil(MAX_GROUPS).max(MIN_GROUP);
        let groups = in_parallel(annotators.div_ceil(length), self.threads, |k| {
            group(k * length..annotators.min((k + 1) * length))
        })?;
        Ok(groups.into_iter().flatten().collect())
    }

    /// The camps of a crowd that may be split, by annotator of the table.
    fn camps(&self, evidence: &Evidence) -> Result<Option<Vec<bool>>> {
        // Two camps that contradict each other: the smaller one goes against the scores
        // of both together, and does not deviate otherwise.
        let against: Vec<bool> = evidence.against.q.iter().map(|q| *q <= 0.1).collect();
        if camps::is_even(&against) {
            return Ok(Some(against));
        }
        if !camps::may_be_split(&evidence.deviation.p) {
            return Ok(None);
        }
        self.camp_search().camps(self.votes)
    }
}

/// The share of an annotator's votes, ties left out, that scores predict; NaN without
/// such votes.
pub fn agreement(votes: &Comparisons, annotator: usize, theta: &[f64]) -> f64 {
    let (mut agreed, mut untied) = (0.0, 0.0);
    for vote in votes.of(annotator).filter(|vote| vote.choice != 0.0) {
        untied += vote.weight;
        if vote.choice * (theta[vote.left] - theta[vote.right]) > 0.0 {
            agreed += vote.weight;
        }
    }
    agreed / untied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::votes::rank_tables::{assert_same_on_ranks, tables};

    #[test]
    fn ranks_say_the_same_of_everybody() {
        let stop = Stop::default();
        for (name, votes) in tables() {
            for has_sides in [true, false] {
                let evidence = |votes: &Comparisons, threads| {
                    let statistics = Statistics::new(votes, &stop).unwrap();
                    Evidence::new(votes, &statistics, None, has_sides, threads, &stop).unwrap()
                };
                // Who has no votes has NaN, which is not equal to itself.
                let found = assert_same_on_ranks(&votes, |votes, threads| {
                    format!("{:?}", evidence(votes, threads))
                });
                let alone = with_any_vectors(|| evidence(&votes, 1));
                assert_eq!(found, format!("{alone:?}"), "{name}");
                assert_eq!(alone.deviation.q.len(), votes.annotators());
                assert_eq!(alone.split.is_some(), name.contains("split"), "{name}");
                let is_found = |test: &TestResults| test.q.iter().any(|&q| q < 0.1);
                if alone.split.is_none() {
                    assert!(is_found(&alone.against), "{name}");
                    assert_eq!(is_found(&alone.bias), has_sides, "{name}");
                }
            }
        }
    }
}
