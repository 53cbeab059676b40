//! The votes of one annotator with what the tests need of each.

use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};
use crate::votes::{Choices, Comparisons};

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

/// The votes of one annotator, column by column. The last quads are filled up with zeros: a
/// vote of no weight.
#[derive(Debug, Default)]
pub(super) struct WorkingVotes {
    pub left: Vec<u32>,
    pub right: Vec<u32>,
    pub choice: Vec<Quad>,
    pub weight: Vec<Quad>,
    pub pooled_difference: Vec<Quad>,
    pub others_difference: Vec<Quad>,
}

impl WorkingVotes {
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// The number of votes.
    pub fn count(&self) -> f64 {
        self.len() as f64
    }

    pub fn iter(&self) -> impl Iterator<Item = WorkingVote> + Clone {
        let columns = [
            &self.choice,
            &self.weight,
            &self.pooled_difference,
            &self.others_difference,
        ];
        let columns = columns.map(|column| column.as_flattened());
        let items = self.left.iter().zip(&self.right).enumerate();
        items.map(move |(k, (&left, &right))| {
            let [choice, weight, pooled_difference, others_difference] =
                columns.map(|column| column[k]);
            WorkingVote {
                left: left as usize,
                right: right as usize,
                choice,
                weight,
                pooled_difference,
                others_difference,
            }
        })
    }

    /// Sums over the votes, four votes side by side. The terms of a vote of zeros must be zero.
    pub fn sums<const N: usize>(&self, terms: impl Fn(WorkingTerms) -> [f64; N]) -> [f64; N] {
        vectorised(Sums { votes: self, terms })
    }

    /// Takes the votes of an annotator, all but the differences of scores.
    pub fn take(&mut self, votes: &Comparisons, annotator: usize) {
        let rows = votes.rows(annotator);
        self.resize(rows.len());
        self.left.copy_from_slice(&votes.left[rows.clone()]);
        self.right.copy_from_slice(&votes.right[rows.clone()]);
        let choices = self.choice.as_flattened_mut().iter_mut();
        match &votes.choice {
            Choices::Sides(sides) => {
                let sides = sides[rows.clone()].iter();
                choices
                    .zip(sides)
                    .for_each(|(to, &side)| *to = f64::from(side));
            }
            Choices::Graded(values) => {
                let values = values[rows.clone()].iter();
                choices.zip(values).for_each(|(to, &value)| *to = value);
            }
        }
        let weights = &mut self.weight.as_flattened_mut()[..rows.len()];
        match &votes.weight {
            None => weights.fill(1.0),
            Some(all) => {
                let own = &all[rows.clone()];
                let (count, total) = (rows.len() as f64, own.iter().sum::<f64>());
                let own = own.iter().map(|weight| weight * count / total);
                weights.iter_mut().zip(own).for_each(|(to, own)| *to = own);
            }
        }
    }

    /// Sets the differences of the pooled scores.
    pub fn set_pooled_differences(&mut self, theta: &[f64]) {
        let items = self.left.iter().zip(&self.right);
        let differences = self.pooled_difference.as_flattened_mut().iter_mut();
        for (difference, (&left, &right)) in differences.zip(items) {
            *difference = theta[left as usize] - theta[right as usize];
        }
    }

    /// Makes room for so many votes.
    fn resize(&mut self, count: usize) {
        self.left.resize(count, 0);
        self.right.resize(count, 0);
        for column in [
            &mut self.choice,
            &mut self.weight,
            &mut self.pooled_difference,
            &mut self.others_difference,
        ] {
            column.resize(count.div_ceil(4), [0.0; 4]);
            if let Some(last) = column.last_mut() {
                *last = [0.0; 4];
            }
        }
    }
}

impl FromIterator<WorkingVote> for WorkingVotes {
    fn from_iter<I: IntoIterator<Item = WorkingVote>>(votes: I) -> Self {
        let rows: Vec<WorkingVote> = votes.into_iter().collect();
        let mut columns = Self::default();
        columns.resize(rows.len());
        for (k, vote) in rows.iter().enumerate() {
            columns.left[k] = vote.left as u32;
            columns.right[k] = vote.right as u32;
            columns.choice[k / 4][k % 4] = vote.choice;
            columns.weight[k / 4][k % 4] = vote.weight;
            columns.pooled_difference[k / 4][k % 4] = vote.pooled_difference;
            columns.others_difference[k / 4][k % 4] = vote.others_difference;
        }
        columns
    }
}

/// What sums over votes are made of.
#[derive(Clone, Copy)]
pub(super) struct WorkingTerms {
    pub choice: f64,
    pub weight: f64,
    pub others_difference: f64,
}

struct Sums<'a, F> {
    votes: &'a WorkingVotes,
    terms: F,
}

impl<const N: usize, F: Fn(WorkingTerms) -> [f64; N]> Kernel for Sums<'_, F> {
    type Output = [f64; N];

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> [f64; N] {
        let votes = self.votes;
        let mut sums = [[0.0; 4]; N];
        let columns = votes.choice.iter().zip(&votes.weight);
        for ((choice, weight), others) in columns.zip(&votes.others_difference) {
            for lane in 0..4 {
                let terms = (self.terms)(WorkingTerms {
                    choice: choice[lane],
                    weight: weight[lane],
                    others_difference: others[lane],
                });
                for (sum, term) in sums.iter_mut().zip(terms) {
                    sum[lane] += term;
                }
            }
        }
        sums.map(sum)
    }
}
