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
    /// The crowd is split into two camps that rank the items differently.
    SplitCrowd {
        /// How many annotators each camp has, the larger first.
        sizes: [u64; 2],
        /// The items that each camp prefers, the best first; at most three.
        favourites: [Vec<IdRef<'a>>; 2],
        /// The correlation of the scores of both camps over the items.
        correlation: f64,
    },
    /// The sides were not assigned at random.
    SidesNotRandom {
        /// The share of votes in which the item with the higher score stood left.
        better_left: f64,
    },
    /// One vote is so strong that the others hardly count beside it.
    DominantVote {
        /// Who cast it; None if nobody knows who voted.
        annotator: Option<IdRef<'a>>,
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
            Self::SplitCrowd {
                sizes: [first, second],
                favourites,
                correlation,
            } => {
                let [a, b] = favourites.each_ref().map(|items| {
                    let names: Vec<String> = items.iter().map(ToString::to_string).collect();
                    names.join(", ")
                });
                write!(
                    f,
                    "The crowd is split: {first} annotators rank {a} first, {second} rank {b} first, \
                     and the scores of the two camps have a correlation of {correlation:.2}. One \
                     ranking for all describes neither camp; nobody is called against the \
                     consensus, and everybody is compared with their own camp. The column camp \
                     says who belongs to which."
                )
            }
            Self::SidesNotRandom { better_left } => write!(
                f,
                "The sides were not drawn by lot: the better item stood left in {:.0} % of the \
                 votes, or some items stand on one side more often than chance explains. Somebody \
                 who likes what stands there is hard to tell from somebody who clicks there: a \
                 verdict about sides is only given where no taste explains the clicks.",
                100.0 * better_left
            ),
            Self::DominantVote {
                annotator,
                left,
                right,
                choice,
                share,
                median,
            } => {
                write!(f, "One vote outweighs the others: ")?;
                if let Some(annotator) = annotator {
                    write!(f, "annotator {annotator}, ")?;
                }
                write!(
                    f,
                    "left {left}, right {right}, choice {choice}; half of all votes that are not \
                     ties are no stronger than {median}, and this one makes up {:.0} % of the sum \
                     of squares that the model has to explain. If it is a typing error, correct it \
                     and fit again.",
                    (100.0 * share).floor()
                )
            }
            Self::RepeatedRows { repeated, rows } => write!(
                f,
                "Of {rows} rows, {repeated} repeat another one: the same annotator, items and choice. \
                 Each counts as a vote of its own, so that verdicts are too sure if a join or a second \
                 import made them; SELECT DISTINCT leaves them out."
            ),
        }
    }
}

/// So many items of each camp are named.
const MAX_FAVOURITES: usize = 3;

/// With a larger share of repeated rows than this, and with more than
/// [`MIN_TIMES_EXPECTED`] times as many as annotators who draw pairs by lot would
/// produce, they are worth a caveat: where there are few pairs, annotators must meet
/// the same one again.
const MIN_REPEATED_SHARE: f64 = 0.1;
const MIN_TIMES_EXPECTED: f64 = 1.2;

impl Fit {
    /// What to know about the votes, the weightiest first; empty if there is nothing.
    pub fn caveats(&self) -> Result<Vec<Caveat<'_>>> {
        let caveats = [
            self.split_crowd(),
            self.sides_not_random(),
            self.dominant_vote(),
            self.repeated_rows(),
        ];
        Ok(caveats.into_iter().flatten().collect())
    }

    /// The caveats as one text; None if there are none.
    pub(super) fn caveat_text(&self) -> Result<Option<String>> {
        let sentences: Vec<String> = self.caveats()?.iter().map(Caveat::to_string).collect();
        Ok((!sentences.is_empty()).then(|| sentences.join(" ")))
    }

    fn split_crowd(&self) -> Option<Caveat<'_>> {
        let split = self.evidence.split.as_ref()?;
        let size = |camp: u8| split.camp.iter().filter(|&&of| of == camp).count() as u64;
        let favourites = |camp: usize| {
            let scores = &split.scores[camp];
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
            let best = order.into_iter().take(MAX_FAVOURITES);
            best.map(|item| self.items.get(item)).collect()
        };
        Some(Caveat::SplitCrowd {
            sizes: [size(1), size(2)],
            favourites: [favourites(0), favourites(1)],
            correlation: correlation(&split.scores[0], &split.scores[1]),
        })
    }

    fn sides_not_random(&self) -> Option<Caveat<'_>> {
        let sides = &self.evidence.sides;
        (!sides.is_random()).then_some(Caveat::SidesNotRandom {
            better_left: sides.better_left,
        })
    }

    fn dominant_vote(&self) -> Option<Caveat<'_>> {
        let vote = self.row_checks.dominant?;
        Some(Caveat::DominantVote {
            annotator: vote
                .annotator
                .map(|index| self.annotators.get(index as usize)),
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

/// The correlation of two lists of numbers; 0 if one of them is constant.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (a_mean, b_mean) = (mean(a), mean(b));
    let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - a_mean, b - b_mean);
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    if aa * bb > 0.0 {
        ab / (aa * bb).sqrt()
    } else {
        0.0
    }
}
