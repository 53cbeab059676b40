//! Counted votes as bytes: for each annotator how many different votes follow, then each of
//! them as the difference to the one before.
//!
//! ```text
//! key   = left · items + right                              graded votes
//!       = (left · items + right) · 3 + 0, 1 or 2            votes that are right, tie or left
//! vote  = 2 · (key - key before) + (1 if cast repeatedly)
//!         | level of the choice, if graded | level of the weight | level of the fold
//!         | times cast - 2, if repeatedly
//! ```
//!
//! A level is the position among all different choices, weights or folds of the state. A vote
//! on some twenty items takes about a byte.

use super::bytes::{StateReader, damaged, write_number};
use crate::error::Result;

/// A vote: all numbers are positions in canonical order, so that the order of these is the
/// canonical one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VoteKey {
    pub annotator: u32,
    pub left: u32,
    pub right: u32,
    /// The position among the choices; of votes that are just sides 0, 1 or 2.
    pub choice: u32,
    pub weight: u32,
    pub fold: u32,
}

/// How votes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFormat {
    pub items: usize,
    /// How many annotators there are; 1 if nobody knows who voted.
    pub annotators: usize,
    /// Whether some annotator may have no votes.
    pub allows_no_votes: bool,
    /// How many different choices, if they are not just sides.
    pub choices: Option<usize>,
    pub weights: Option<usize>,
    pub folds: Option<usize>,
}

/// Right, tie and left.
const SIDES: u64 = 3;

impl RowFormat {
    fn sides(&self) -> u64 {
        if self.choices.is_some() { 1 } else { SIDES }
    }

    /// The number of keys. It fits, as there are less than 2³¹ ids.
    fn keys(&self) -> u64 {
        let items = self.items as u64;
        items * items * self.sides()
    }

    fn key(&self, vote: &VoteKey) -> u64 {
        let pair = u64::from(vote.left) * self.items as u64 + u64::from(vote.right);
        match self.choices {
            Some(_) => pair,
            None => pair * SIDES + u64::from(vote.choice),
        }
    }
}

/// Writes votes that come in canonical order.
pub struct RowWriter {
    format: RowFormat,
    out: Vec<u8>,
    /// The annotator whose votes are being written, and these.
    annotator: u32,
    own: Vec<u8>,
    own_votes: u64,
    last_key: u64,
}

impl RowWriter {
    pub fn new(format: RowFormat) -> Self {
        Self {
            format,
            out: Vec::new(),
            annotator: 0,
            own: Vec::new(),
            own_votes: 0,
            last_key: 0,
        }
    }

    /// Writes a vote that was cast so many times.
    pub fn push(&mut self, vote: &VoteKey, times: u64) {
        while self.annotator < vote.annotator {
            self.end_annotator();
        }
        let key = self.format.key(vote);
        let is_repeated = times > 1;
        let step = u128::from(key - self.last_key);
        write_number(&mut self.own, 2 * step + u128::from(is_repeated));
        let levels = [
            (self.format.choices, vote.choice),
            (self.format.weights, vote.weight),
            (self.format.folds, vote.fold),
        ];
        for (_, level) in levels.into_iter().filter(|(levels, _)| levels.is_some()) {
            write_number(&mut self.own, level.into());
        }
        if is_repeated {
            write_number(&mut self.own, (times - 2).into());
        }
        self.own_votes += 1;
        self.last_key = key;
    }

    fn end_annotator(&mut self) {
        write_number(&mut self.out, self.own_votes.into());
        self.out.append(&mut self.own);
        (self.own_votes, self.last_key) = (0, 0);
        self.annotator += 1;
    }

    /// The bytes of all votes.
    pub fn finish(mut self) -> Vec<u8> {
        while (self.annotator as usize) < self.format.annotators {
            self.end_annotator();
        }
        self.out
    }
}

/// Reads votes; anything that [`RowWriter`] does not write is an error.
pub struct RowReader<'a> {
    format: RowFormat,
    keys: u64,
    from: StateReader<'a>,
    /// How many annotators were begun.
    annotators: usize,
    /// How many votes of the last one remain.
    own_votes: u64,
    last_key: u64,
    last: Option<VoteKey>,
}

impl<'a> RowReader<'a> {
    pub fn new(format: RowFormat, bytes: &'a [u8]) -> Self {
        Self {
            format,
            keys: format.keys(),
            from: StateReader(bytes),
            annotators: 0,
            own_votes: 0,
            last_key: 0,
            last: None,
        }
    }

    /// The next vote and how often it was cast; None at the end of the bytes.
    pub fn next(&mut self) -> Result<Option<(VoteKey, u64)>> {
        while self.own_votes == 0 {
            if self.annotators == self.format.annotators {
                let is_end = self.from.0.is_empty();
                return if is_end { Ok(None) } else { Err(damaged()) };
            }
            self.own_votes = self.from.small_number()?;
            if self.own_votes == 0 && !self.format.allows_no_votes {
                return Err(damaged());
            }
            self.annotators += 1;
            self.last_key = 0;
        }
        self.own_votes -= 1;
        let (vote, is_repeated) = self.vote()?;
        if self.last.is_some_and(|last| last >= vote) || vote.left == vote.right {
            return Err(damaged());
        }
        self.last = Some(vote);
        let times = match is_repeated {
            true => self.from.small_number()?.checked_add(2),
            false => Some(1),
        };
        Ok(Some((vote, times.ok_or_else(damaged)?)))
    }

    fn vote(&mut self) -> Result<(VoteKey, bool)> {
        let number = self.from.number()?;
        let step = u64::try_from(number >> 1).map_err(|_| damaged())?;
        let key = self.last_key.checked_add(step);
        let key = key.filter(|key| *key < self.keys).ok_or_else(damaged)?;
        self.last_key = key;
        let (sides, items) = (self.format.sides(), self.format.items as u64);
        let pair = key / sides;
        let choice = match self.format.choices {
            Some(_) => self.level(self.format.choices)?,
            None => (key % sides) as u32,
        };
        let vote = VoteKey {
            annotator: self.annotators as u32 - 1,
            left: (pair / items) as u32,
            right: (pair % items) as u32,
            choice,
            weight: self.level(self.format.weights)?,
            fold: self.level(self.format.folds)?,
        };
        Ok((vote, number & 1 == 1))
    }

    /// A position among so many levels; 0 if there are none.
    fn level(&mut self, levels: Option<usize>) -> Result<u32> {
        let Some(levels) = levels else {
            return Ok(0);
        };
        let level = self.from.number()?;
        match level < levels as u128 {
            true => Ok(level as u32),
            false => Err(damaged()),
        }
    }
}
