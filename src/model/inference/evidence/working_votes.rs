//! The votes of one annotator with what the tests need of each.

use super::outcomes::Link;
use super::pooled_scores::{OthersScores, PooledScores};
use crate::votes::Comparisons;

/// A vote in a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WorkingVote {
    pub left: usize,
    pub right: usize,
    pub choice: f64,
    /// The weight relative to the mean weight of the annotator's votes.
    pub weight: f64,
    /// The difference of the pooled scores, left minus right.
    pub pooled_difference: f64,
    /// The same from the scores that the other annotators give; 0 if unknown.
    pub others_difference: f64,
}

impl WorkingVote {
    /// The agreement with the others, as a product: positive if the choice is for the
    /// item that they score higher.
    pub fn alignment(&self) -> f64 {
        self.weight * self.choice * self.others_difference
    }
}

/// Prepares the votes of one annotator after the other.
pub(super) struct WorkingVotes<'a> {
    votes: &'a Comparisons,
    pooled: &'a PooledScores,
    others: OthersScores<'a>,
    differences: Vec<f64>,
    rows: Vec<WorkingVote>,
}

impl<'a> WorkingVotes<'a> {
    pub fn new(votes: &'a Comparisons, pooled: &'a PooledScores, link: Link) -> Self {
        Self {
            votes,
            pooled,
            others: OthersScores::new(pooled, link),
            differences: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The votes of an annotator.
    pub fn of(&mut self, annotator: usize) -> &[WorkingVote] {
        let (votes, theta) = (self.votes, &self.pooled.theta);
        self.others
            .differences(votes, annotator, &mut self.differences);
        let count = votes.rows(annotator).len() as f64;
        let total: f64 = votes.of(annotator).map(|vote| vote.weight).sum();
        self.rows.clear();
        let differences = self.differences.iter();
        self.rows.extend(
            votes
                .of(annotator)
                .zip(differences)
                .map(|(vote, &others)| WorkingVote {
                    left: vote.left,
                    right: vote.right,
                    choice: vote.choice,
                    weight: vote.weight * count / total,
                    pooled_difference: theta[vote.left] - theta[vote.right],
                    others_difference: others,
                }),
        );
        &self.rows
    }
}
