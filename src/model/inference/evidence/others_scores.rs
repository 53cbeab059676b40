//! The differences of scores on the votes of one annotator at a time, from the scores
//! that the other annotators give.
//!
//! Taking u's votes out of the equation of each item, with the other scores as they
//! are (one step of Jacobi's method), gives
//!
//! ```text
//! θ_i − g_i/(H_ii − H_ii^u + ρ)
//! ```
//!
//! where g is the part of the gradient from u's votes, and H^u their part of the
//! Hessian. Otherwise the votes of somebody who clicks at random would agree with
//! scores that they helped to make.

use super::outcomes::Link;
use super::own_fit::OwnFit;
use super::pooled_scores::PooledScores;
use super::working_votes::WorkingVotes;
use crate::linalg::simd::Quad;
use crate::model::statistics::Statistics;
use crate::votes::Comparisons;

/// Finds them for one annotator after the other.
pub(super) struct OthersScores<'a> {
    pooled: &'a PooledScores,
    link: Link,
    range: (f64, f64),
    /// By item: g_i and H_ii^u. Zero between annotators.
    own: Vec<[f64; 2]>,
    /// By item: the others' score; NaN if nobody else saw it. Of the last annotator.
    score: Vec<f64>,
    /// By vote: the expected choice. Of the last annotator.
    mean: Vec<Quad>,
}

impl<'a> OthersScores<'a> {
    pub fn new(pooled: &'a PooledScores, link: Link) -> Self {
        let theta = || pooled.theta.iter().copied();
        Self {
            pooled,
            link,
            range: (
                theta().fold(f64::INFINITY, f64::min),
                theta().fold(f64::NEG_INFINITY, f64::max),
            ),
            own: vec![[0.0; 2]; pooled.theta.len()],
            score: vec![0.0; pooled.theta.len()],
            mean: Vec::new(),
        }
    }

    /// The pooled scores, by item.
    pub fn theta(&self) -> &'a [f64] {
        &self.pooled.theta
    }

    /// Sets the differences of the others' scores on an annotator's votes, to 0 where nobody
    /// else saw one of the items. `items` are those on which the annotator voted, and
    /// `weights` those of the votes as the pooled scores have them; None if all are 1.
    pub fn set_differences(
        &mut self,
        annotator: usize,
        items: &[u32],
        weights: Option<&[f64]>,
        votes: &mut WorkingVotes,
    ) {
        if self.pooled.has(annotator) {
            self.add_votes(votes, weights);
        }
        for &item in items {
            let item = item as usize;
            self.score[item] = self.score(item);
            self.own[item] = [0.0; 2];
        }
        let pairs = votes.left.iter().zip(&votes.right);
        let differences = votes.others_difference.as_flattened_mut().iter_mut();
        for (difference, (&left, &right)) in differences.zip(pairs) {
            let known = self.score[left as usize] - self.score[right as usize];
            *difference = if known.is_nan() { 0.0 } else { known };
        }
    }

    /// Adds the votes to g and H^u.
    fn add_votes(&mut self, votes: &WorkingVotes, weights: Option<&[f64]>) {
        let consensus = OwnFit {
            sharpness: 1.0,
            pull: 0.0,
        };
        consensus.means(votes, self.link, &mut self.mean);
        let means = self.mean.as_flattened().iter();
        let choices = votes.choice.as_flattened().iter();
        let pairs = votes.left.iter().zip(&votes.right);
        for (k, ((&mean, &choice), (&left, &right))) in means.zip(choices).zip(pairs).enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[k]);
            let pull = weight * (choice - mean);
            let curvature = weight * self.link.slope(mean);
            let [gradient, information] = &mut self.own[left as usize];
            *gradient += pull;
            *information += curvature;
            let [gradient, information] = &mut self.own[right as usize];
            *gradient -= pull;
            *information += curvature;
        }
    }

    /// The others' score of an item; NaN if nobody else saw it.
    fn score(&self, item: usize) -> f64 {
        let [gradient, information] = self.own[item];
        let all = self.pooled.information[item];
        let rest = all - information;
        if rest <= 1e-9 * all {
            return f64::NAN;
        }
        let (low, high) = self.range;
        let own = gradient / (rest + self.pooled.ridge);
        (self.pooled.theta[item] - own).clamp(low, high)
    }
}

/// Prepares the votes of one annotator after the other.
pub(super) struct VotePreparation<'a> {
    votes: &'a Comparisons,
    statistics: &'a Statistics,
    others: OthersScores<'a>,
    working: WorkingVotes,
}

impl<'a> VotePreparation<'a> {
    pub fn new(
        votes: &'a Comparisons,
        statistics: &'a Statistics,
        pooled: &'a PooledScores,
        link: Link,
    ) -> Self {
        Self {
            votes,
            statistics,
            others: OthersScores::new(pooled, link),
            working: WorkingVotes::default(),
        }
    }

    /// The votes of an annotator.
    pub fn of(&mut self, annotator: usize) -> &WorkingVotes {
        let working = &mut self.working;
        working.take(self.votes, annotator);
        working.set_pooled_differences(self.others.theta());
        let weights = self.votes.weight.as_deref();
        let weights = weights.map(|weights| &weights[self.votes.rows(annotator)]);
        let items = self.statistics.annotator(annotator).items;
        self.others
            .set_differences(annotator, items, weights, working);
        working
    }
}

#[cfg(test)]
mod tests {
    use super::super::pooled_scores::tests::{crowd, pooled};
    use super::*;

    #[test]
    fn others_scores_are_near_a_fit_without_the_annotator() {
        let (votes, rest) = (crowd(12, 15, false), crowd(12, 15, true));
        for link in [Link::Logistic, Link::Linear] {
            let (all, rest) = (pooled(&votes, link), pooled(&rest, link));
            let mut working = WorkingVotes::default();
            working.take(&votes, 0);
            working.set_pooled_differences(&all.theta);
            let items: Vec<u32> = (0..15).collect();
            OthersScores::new(&all, link).set_differences(0, &items, None, &mut working);
            let found = working.iter().map(|vote| vote.others_difference);
            let error = |x: f64, vote: usize, theta: &[f64]| {
                let vote = votes.get(vote);
                (x - (theta[vote.left] - theta[vote.right])).powi(2)
            };
            let (mut near, mut with) = (0.0, 0.0);
            for (vote, x) in found.enumerate() {
                let row = votes.get(vote);
                near += error(x, vote, &rest.theta);
                with += error(
                    all.theta[row.left] - all.theta[row.right],
                    vote,
                    &rest.theta,
                );
            }
            assert!(near < 0.1 * with, "{link:?}: {near} {with}");
        }
    }
}
