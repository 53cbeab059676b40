//! Crowds in which many annotators have a taste of their own.
//!
//! The score of each item is drawn from N(0, 1). An annotator with a taste adds
//! deviations N(0, s²) to the scores. Graded votes are the difference of the
//! annotator's scores plus noise N(0, 0.3²); other votes are the sign of it with noise
//! N(0, ½²). Weights, where votes have them, are lognormal and say nothing about a vote.

use crate::crowds::Random;
use me_hodgerank::{Columns, Options, Result, Row, VoteBuilder, Votes};

/// A crowd to draw annotators from.
#[derive(Clone, Copy)]
pub struct TasteCrowd {
    pub items: usize,
    pub annotators: usize,
    pub votes_each: usize,
    /// The share of annotators with a taste.
    pub share: f64,
    /// s, how far tastes differ from the consensus; scores differ from each other by 1.
    pub spread: f64,
    pub graded: bool,
    pub weighted: bool,
}

/// One vote: (left, right, choice, weight).
pub type Vote = (usize, usize, f64, f64);

/// The votes of each annotator.
pub struct TasteVotes(pub Vec<Vec<Vote>>);

impl TasteCrowd {
    /// Scores of the items.
    pub fn scores(&self, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..self.items).map(|_| random.normal()).collect()
    }

    /// The votes of annotators on items with these scores.
    pub fn draw(&self, scores: &[f64], seed: u64) -> TasteVotes {
        let mut random = Random::new(!seed);
        let votes = (0..self.annotators).map(|_| self.annotator(scores, &mut random));
        TasteVotes(votes.collect())
    }

    fn annotator(&self, scores: &[f64], random: &mut Random) -> Vec<Vote> {
        let spread = if random.uniform() < self.share {
            self.spread
        } else {
            0.0
        };
        let own = scores.iter().map(|score| score + spread * random.normal());
        let own: Vec<f64> = own.collect();
        let vote = |_| {
            let left = random.below(self.items);
            let right = (left + 1 + random.below(self.items - 1)) % self.items;
            let difference = own[left] - own[right];
            let choice = if self.graded {
                difference + 0.3 * random.normal()
            } else {
                (difference + 0.5 * random.normal()).signum()
            };
            let weight = if self.weighted {
                random.normal().exp()
            } else {
                1.0
            };
            (left, right, choice, weight)
        };
        (0..self.votes_each).map(vote).collect()
    }

    /// These options, with the column of weights if there is one.
    pub fn options(&self, options: Options) -> Options {
        let columns = Columns {
            weight: self.weighted.then(|| "weight".into()),
            ..options.columns
        };
        Options { columns, ..options }
    }
}

impl TasteVotes {
    /// The votes of the annotators at these indices. One that is named twice is taken
    /// for two annotators.
    pub fn of(
        &self,
        annotators: impl IntoIterator<Item = usize>,
        options: &Options,
    ) -> Result<Votes> {
        let mut builder = VoteBuilder::new(options);
        for (id, u) in annotators.into_iter().enumerate() {
            for &(left, right, choice, weight) in &self.0[u] {
                builder.push(Row::new(id, left, right, choice).weight(weight))?;
            }
        }
        builder.finish()
    }

    /// The votes of all.
    pub fn all(&self, options: &Options) -> Result<Votes> {
        self.of(0..self.0.len(), options)
    }
}
