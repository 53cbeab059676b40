//! What to know about the votes before relying on what a fit says of them.

use std::fmt;

use crate::error::Result;
use crate::fit::Fit;
use crate::votes::IdRef;

/// Something about the votes that weakens what is concluded from them. Its
/// `Display` is a sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Caveat<'a> {
    /// One vote is so strong that the others hardly count beside it.
    DominantVote {
        /// Who cast it.
        annotator: IdRef<'a>,
        /// The item shown on the left.
        left: IdRef<'a>,
        /// The item shown on the right.
        right: IdRef<'a>,
        /// Positive for left, negative for right.
        choice: f64,
        /// Its share of Σ ω y² over all votes, which the fit has to explain.
        share: f64,
        /// The median of |y| over the votes that are not ties.
        median: f64,
    },
    /// Many rows repeat another one: the same annotator, items and choice.
    RepeatedRows {
        /// How many, beyond the first of each.
        repeated: u64,
        /// Of how many rows.
        rows: u64,
    },
}

impl fmt::Display for Caveat<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DominantVote {
                annotator,
                left,
                right,
                choice,
                share,
                median,
            } => write!(
                f,
                "One vote outweighs the others: annotator {annotator}, left {left}, right {right}, \
                 choice {choice}; half of all votes that are not ties are no stronger than {median}, \
                 and this one makes up {:.0} % of the sum of squares that the model has to explain. \
                 If it is a typing error, correct it and fit again.",
                (100.0 * share).floor()
            ),
            Self::RepeatedRows { repeated, rows } => write!(
                f,
                "Of {rows} rows, {repeated} repeat another one: the same annotator, items and choice. \
                 Each counts as a vote of its own, so that verdicts are too sure if a join or a second \
                 import made them; SELECT DISTINCT leaves them out."
            ),
        }
    }
}

/// With a larger share of repeated rows than this, and with more than
/// [`MIN_TIMES_EXPECTED`] times as many as annotators who draw pairs by lot would
/// produce, they are worth a caveat: where there are few pairs, annotators must meet
/// the same one again.
const MIN_REPEATED_SHARE: f64 = 0.1;
const MIN_TIMES_EXPECTED: f64 = 1.2;

impl Fit {
    /// What to know about the votes, the weightiest first; empty if there is nothing.
    pub fn caveats(&self) -> Result<Vec<Caveat<'_>>> {
        let caveats = [self.dominant_vote(), self.repeated_rows()];
        Ok(caveats.into_iter().flatten().collect())
    }

    /// The caveats as one text; None if there are none.
    pub(super) fn caveat_text(&self) -> Result<Option<String>> {
        let sentences: Vec<String> = self.caveats()?.iter().map(Caveat::to_string).collect();
        Ok((!sentences.is_empty()).then(|| sentences.join(" ")))
    }

    fn dominant_vote(&self) -> Option<Caveat<'_>> {
        let vote = self.row_checks.dominant?;
        Some(Caveat::DominantVote {
            annotator: self.annotators.get(vote.annotator as usize),
            left: self.items.get(vote.left as usize),
            right: self.items.get(vote.right as usize),
            choice: vote.choice,
            share: vote.share,
            median: vote.median,
        })
    }

    fn repeated_rows(&self) -> Option<Caveat<'_>> {
        let checks = &self.row_checks;
        let (repeated, rows) = (checks.repeated, checks.rows);
        let is_many = repeated as f64 > MIN_REPEATED_SHARE * rows as f64
            && repeated as f64 > MIN_TIMES_EXPECTED * checks.expected_repeats;
        is_many.then_some(Caveat::RepeatedRows { repeated, rows })
    }
}
