//! Simulated votes, whose truth is known.
//!
//! The score of each item is drawn from N(0, 1). Ungraded votes are ±1 (0 for a
//! tie): an honest annotator picks the item with the higher score after noise
//! N(0, ½²); a personal one adds deviations N(0, 1) to the scores; an adversarial
//! one negates the scores; a careless one clicks a preferred side in nine of ten
//! votes and is honest in the tenth. Graded votes follow the simulated study of the
//! paper: the difference of scores plus deviations N(0, s²) with s from U(0, 0.3),
//! plus a position bias N(0, 0.2²), plus noise N(0, 0.3²).

use std::sync::Arc;

use arrow_array::{Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::error::{Error, ErrorKind, Result};
use crate::options::{JsonField, json_fields, read_fields};
use crate::random::Random;

/// What to simulate. `Simulation::default()` is what SQL users get when they pass nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// How many annotators.
    pub annotators: usize,
    /// How many items.
    pub items: usize,
    /// How many votes each annotator casts. Graded votes vary by two thirds around it.
    pub votes_each: usize,
    /// Share of careless annotators; 0.1, or for graded votes the paper's 0.4.
    pub careless: Option<f64>,
    /// Share of adversarial annotators; 0.05, or for graded votes none.
    pub adversarial: Option<f64>,
    /// Share of annotators with a deviation; 0.1, or for graded votes the paper's 0.4.
    pub personal: Option<f64>,
    /// Share of ties among the votes that are not careless.
    pub ties: f64,
    /// Real-valued choices instead of sides.
    pub graded: bool,
    /// The same seed gives the same votes, on every platform.
    pub seed: u64,
}

impl Default for Simulation {
    fn default() -> Self {
        Self {
            annotators: 100,
            items: 20,
            votes_each: 60,
            careless: None,
            adversarial: None,
            personal: None,
            ties: 0.0,
            graded: false,
            seed: 0,
        }
    }
}

/// Every argument by the name that SQL users write.
const FIELDS: &[JsonField<Simulation>] = json_fields! {
    annotators: annotators,
    items: items,
    votes_each: votes_each,
    careless: careless,
    adversarial: adversarial,
    personal: personal,
    ties: ties,
    graded: graded,
    seed: seed,
};

/// The largest number of votes of a simulation.
const MAX_VOTES: usize = 1_000_000_000;

/// The largest number of annotators, and of items: these take a few hundred megabytes.
const MAX_IDS: usize = 10_000_000;

/// The largest number of votes in a batch: 4 MB.
const MAX_BATCH_VOTES: usize = 1 << 16;

/// How one annotator votes.
#[derive(Clone, Debug)]
struct SimulatedAnnotator {
    kind: &'static str,
    scores: Vec<f64>,
    position_bias: f64,
    /// The side that a careless annotator clicks: 1 for left, -1 for right.
    preferred_side: Option<f64>,
    /// The votes still to come.
    votes: usize,
}

/// An iterator over the votes of a [`Simulation`], annotator by annotator: one batch
/// for each, or several for one with many votes.
#[derive(Clone, Debug)]
pub struct Simulator {
    simulation: Simulation,
    scores: Vec<f64>,
    kinds: Vec<&'static str>,
    random: Random,
    next: usize,
    /// The annotator whose votes are not complete.
    current: Option<SimulatedAnnotator>,
}

impl Simulation {
    /// Reads the arguments from a JSON object. A field that is absent or `null`
    /// keeps its default.
    ///
    /// ```
    /// use me_hodgerank::Simulation;
    ///
    /// let simulation = Simulation::from_json(r#"{"annotators": 50, "seed": 7}"#)?;
    /// assert_eq!((simulation.annotators, simulation.items), (50, 20));
    ///
    /// let error = Simulation::from_json(r#"{"tie": 0.1}"#).unwrap_err();
    /// assert!(error.to_string().contains(r#"did you mean "ties"?"#));
    /// # Ok::<(), me_hodgerank::Error>(())
    /// ```
    pub fn from_json(json: &str) -> Result<Self> {
        let mut simulation = Self::default();
        read_fields(&mut simulation, FIELDS, json, "{\"seed\": 7}")?;
        simulation.check()?;
        Ok(simulation)
    }

    /// The columns: those of a vote, then the truth.
    pub fn schema() -> SchemaRef {
        let field = |name, data_type| Field::new(name, data_type, false);
        Arc::new(Schema::new(vec![
            field("annotator", DataType::Int64),
            field("left", DataType::Int64),
            field("right", DataType::Int64),
            field("choice", DataType::Float64),
            field("annotator_kind", DataType::Utf8),
            field("left_score", DataType::Float64),
            field("right_score", DataType::Float64),
        ]))
    }

    fn shares(&self) -> [f64; 3] {
        let default = if self.graded {
            [0.4, 0.0, 0.4]
        } else {
            [0.1, 0.05, 0.1]
        };
        [
            self.careless.unwrap_or(default[0]),
            self.adversarial.unwrap_or(default[1]),
            self.personal.unwrap_or(default[2]),
        ]
    }

    fn check(&self) -> Result<()> {
        let shares = self.shares();
        let named = ["careless", "adversarial", "personal"].iter().zip(shares);
        for (name, share) in named.chain([(&"ties", self.ties)]) {
            if !(0.0..=1.0).contains(&share) {
                return Err(Error::option(format!(
                    "{name} must be from 0 to 1, not {share}"
                )));
            }
        }
        if !self.graded && shares.iter().sum::<f64>() > 1.0 + 1e-12 {
            return Err(Error::option(
                "careless, adversarial and personal together must be at most 1",
            ));
        }
        if self.items < 2 {
            return Err(Error::option(format!(
                "items must be at least 2, not {}",
                self.items
            )));
        }
        for (name, number) in [("annotators", self.annotators), ("items", self.items)] {
            if number > MAX_IDS {
                return Err(Error::option(format!(
                    "{name} must be at most {MAX_IDS}, not {number}"
                )));
            }
        }
        let votes = self.annotators.checked_mul(self.votes_each);
        if votes.is_none_or(|votes| votes > MAX_VOTES) {
            return Err(Error::option(format!(
                "at most {MAX_VOTES} votes can be simulated at once"
            )));
        }
        Ok(())
    }

    /// The votes, annotator by annotator.
    pub fn run(self) -> Result<Simulator> {
        self.check()?;
        let mut random = Random(self.seed);
        let scores = (0..self.items).map(|_| random.normal()).collect();
        let kinds = self.kinds(&mut random);
        Ok(Simulator {
            simulation: self,
            scores,
            kinds,
            random,
            next: 0,
            current: None,
        })
    }

    /// The kind of each annotator, for ungraded votes: as many of each kind as the
    /// shares say, in random order. For graded votes the kind is drawn with each
    /// annotator, as in the paper.
    fn kinds(&self, random: &mut Random) -> Vec<&'static str> {
        if self.graded {
            return Vec::new();
        }
        let [careless, adversarial, personal] = self
            .shares()
            .map(|share| (share * self.annotators as f64).round() as usize);
        let groups = [
            ("careless", careless),
            ("adversarial", adversarial),
            ("personal", personal),
        ];
        let mut kinds: Vec<&'static str> = groups
            .into_iter()
            .flat_map(|(kind, count)| std::iter::repeat_n(kind, count))
            .chain(std::iter::repeat("honest"))
            .take(self.annotators)
            .collect();
        random.shuffle(&mut kinds);
        kinds
    }
}

impl Simulator {
    fn ungraded_annotator(&mut self) -> SimulatedAnnotator {
        let random = &mut self.random;
        let kind = self.kinds[self.next];
        let mut scores = self.scores.clone();
        match kind {
            "adversarial" => scores.iter_mut().for_each(|score| *score = -*score),
            "personal" => scores
                .iter_mut()
                .for_each(|score| *score += random.normal()),
            _ => {}
        }
        let side = || if random.chance(0.7) { 1.0 } else { -1.0 };
        SimulatedAnnotator {
            kind,
            scores,
            position_bias: 0.0,
            preferred_side: (kind == "careless").then(side),
            votes: self.simulation.votes_each,
        }
    }

    fn graded_annotator(&mut self) -> SimulatedAnnotator {
        let [careless, adversarial, personal] = self.simulation.shares();
        let random = &mut self.random;
        let mut kind = "honest";
        let mut scores = self.scores.clone();
        let mut position_bias = 0.0;
        if random.chance(careless) {
            kind = "careless";
            position_bias = 0.2 * random.normal();
        }
        if random.chance(personal) {
            kind = "personal";
            let spread = 0.3 * random.uniform();
            scores
                .iter_mut()
                .for_each(|score| *score += spread * random.normal());
        }
        if random.chance(adversarial) {
            kind = "adversarial";
            scores.iter_mut().for_each(|score| *score = -*score);
        }
        let min_votes = self.simulation.votes_each / 3;
        let max_votes = self.simulation.votes_each + (self.simulation.votes_each - min_votes);
        SimulatedAnnotator {
            kind,
            scores,
            position_bias,
            preferred_side: None,
            votes: min_votes + random.below(max_votes - min_votes + 1),
        }
    }

    /// None after the last.
    fn next_annotator(&mut self) -> Option<SimulatedAnnotator> {
        if self.next == self.simulation.annotators {
            return None;
        }
        let annotator = if self.simulation.graded {
            self.graded_annotator()
        } else {
            self.ungraded_annotator()
        };
        self.next += 1;
        Some(annotator)
    }

    fn choice(&mut self, annotator: &SimulatedAnnotator, left: usize, right: usize) -> f64 {
        let random = &mut self.random;
        let difference = annotator.scores[left] - annotator.scores[right];
        if self.simulation.graded {
            return difference + annotator.position_bias + 0.3 * random.normal();
        }
        if let Some(side) = annotator.preferred_side
            && random.chance(0.9)
        {
            return side;
        }
        if random.chance(self.simulation.ties) {
            return 0.0;
        }
        if difference + 0.5 * random.normal() > 0.0 {
            1.0
        } else {
            -1.0
        }
    }
}

impl Iterator for Simulator {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut annotator = self.current.take().or_else(|| self.next_annotator())?;
        let items = self.simulation.items;
        let votes = annotator.votes.min(MAX_BATCH_VOTES);
        let (mut left, mut right, mut choice) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..votes {
            let i = self.random.below(items);
            let j = (i + 1 + self.random.below(items - 1)) % items;
            left.push(i);
            right.push(j);
            choice.push(self.choice(&annotator, i, j));
        }
        annotator.votes -= votes;
        let kind = annotator.kind;
        self.current = Some(annotator).filter(|annotator| annotator.votes > 0);
        let ids =
            |items: &[usize]| Int64Array::from_iter_values(items.iter().map(|&i| i as i64 + 1));
        let scores = |items: &[usize]| {
            Float64Array::from_iter_values(items.iter().map(|&item| self.scores[item]))
        };
        let batch = RecordBatch::try_new(
            Simulation::schema(),
            vec![
                Arc::new(Int64Array::from(vec![self.next as i64; votes])),
                Arc::new(ids(&left)),
                Arc::new(ids(&right)),
                Arc::new(Float64Array::from(choice)),
                Arc::new(StringArray::from(vec![kind; votes])),
                Arc::new(scores(&left)),
                Arc::new(scores(&right)),
            ],
        );
        Some(batch.map_err(|error| Error::new(ErrorKind::Internal, error.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(votes_each: usize, graded: bool) -> Vec<RecordBatch> {
        let simulation = Simulation {
            annotators: 3,
            votes_each,
            graded,
            ..Simulation::default()
        };
        simulation.run().unwrap().map(Result::unwrap).collect()
    }

    /// A long row of votes begins with those of a short one, in any number of batches.
    #[test]
    fn batches_are_bounded_and_continue_each_other() {
        let long = batches(2 * MAX_BATCH_VOTES + 5, false);
        let rows: Vec<usize> = long.iter().map(RecordBatch::num_rows).collect();
        let of_one = [MAX_BATCH_VOTES, MAX_BATCH_VOTES, 5];
        assert_eq!(rows, of_one.repeat(3));
        let short = batches(7, false);
        assert_eq!(short[0], long[0].slice(0, 7));
        let annotator = |batch: &RecordBatch| batch.column(0).slice(0, 1);
        let first = [0, 3, 6].map(|index| annotator(&long[index]));
        assert_eq!(first, [0, 1, 2].map(|index| annotator(&short[index])));
        assert_ne!(long[1].slice(0, 7), long[0].slice(0, 7));
    }

    /// Two hundred million votes of one annotator do not have to fit in memory.
    #[test]
    fn the_first_votes_come_before_the_last_are_drawn() {
        let simulation = Simulation {
            annotators: 1,
            votes_each: 200_000_000,
            ..Simulation::default()
        };
        let first = simulation.run().unwrap().next().unwrap().unwrap();
        assert_eq!(first.num_rows(), MAX_BATCH_VOTES);
    }
}
