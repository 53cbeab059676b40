//! The own rankings of the annotators who deviate.
//!
//! An annotator's own score of an item is θ + δ; for an item that the annotator
//! never saw, δ = 0 and the own score is that of the consensus.

use super::entry_order::EntryOrder;
use super::ranks::Ranks;
use crate::error::Result;
use crate::fit::{Fit, PersonalScores};
use crate::votes::IdRef;

/// An item in the own ranking of an annotator who deviates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PersonalRank<'a> {
    /// Whose ranking.
    pub annotator: IdRef<'a>,
    /// Which item.
    pub item: IdRef<'a>,
    /// Its rank in its component by `score`.
    pub rank: u64,
    /// Its own score: `consensus_score + deviation`.
    pub score: f64,
    /// By how much the own score exceeds that of the consensus.
    pub deviation: f64,
    /// Its rank in the consensus.
    pub consensus_rank: u64,
    /// Its score in the consensus.
    pub consensus_score: f64,
    /// The annotator's votes on it, by weight; 0 if the annotator never saw it.
    pub votes: f64,
}

impl Fit {
    /// The own rankings: the annotators who deviate in the order of their entry, for
    /// each the items by own rank. An iterator, since annotators × items can be many.
    /// A time must have been chosen, and somebody must know who voted.
    pub fn personal(&self) -> Result<impl Iterator<Item = PersonalRank<'_>>> {
        self.require_annotators()?;
        let rankings = OwnRankings::new(self)?;
        Ok((0..rankings.len()).flat_map(move |position| rankings.get(position).rows(&rankings)))
    }
}

/// The own rankings of all annotators who deviate, each computed when it is asked for.
pub(crate) struct OwnRankings<'a> {
    fit: &'a Fit,
    personal: &'a PersonalScores,
    consensus_scores: &'a [f64],
    /// The ranks of the consensus.
    pub consensus: Ranks,
    /// Indices into `personal` in the order of entry.
    by_entry: Vec<usize>,
}

/// The own ranking of one annotator, by item.
pub(crate) struct OwnRanking<'a> {
    pub annotator: IdRef<'a>,
    /// The number in the canonical order of ids.
    pub index: usize,
    pub ranks: Ranks,
    deviation: Vec<f64>,
    /// The votes on each item, by weight; 0 for one that the annotator never saw.
    pub votes: Vec<f64>,
}

impl<'a> OwnRankings<'a> {
    pub fn new(fit: &'a Fit) -> Result<Self> {
        let chosen = fit.chosen()?;
        let personal = &chosen.personal;
        let consensus_scores = fit.theta(chosen.grid_index);
        let entry = EntryOrder::new(&fit.path.deviation, fit.annotators.len());
        let mut by_entry: Vec<usize> = (0..personal.annotator.len()).collect();
        by_entry.sort_by_key(|&index| entry.order[personal.annotator[index] as usize]);
        Ok(Self {
            fit,
            personal,
            consensus_scores,
            consensus: Ranks::new(consensus_scores, &fit.tally.component),
            by_entry,
        })
    }

    /// How many annotators deviate.
    pub fn len(&self) -> usize {
        self.by_entry.len()
    }

    /// The number of the annotator at a position in the order of entry.
    pub fn annotator(&self, position: usize) -> usize {
        self.personal.annotator[self.by_entry[position]] as usize
    }

    /// The own ranking at a position in the order of entry.
    pub fn get(&self, position: usize) -> OwnRanking<'a> {
        self.at(self.by_entry[position])
    }

    /// The item seen by an annotator whose own rank differs most from that of the
    /// consensus, the first by id among several. None if no rank differs.
    pub fn largest_difference(&self, annotator: usize) -> Option<PersonalRank<'a>> {
        let annotators = &self.personal.annotator;
        let index = annotators.binary_search(&(annotator as u32)).ok()?;
        let own = self.at(index);
        let difference = |&item: &usize| own.ranks.rank[item].abs_diff(self.consensus.rank[item]);
        let seen = self.personal.item[self.seen(index)].iter();
        // `max_by_key` takes the last of equal ones.
        let largest = seen.rev().map(|&item| item as usize);
        let item = largest.max_by_key(difference)?;
        (difference(&item) > 0).then(|| own.row(self, item))
    }

    /// Where the items that an annotator saw are in `personal`.
    fn seen(&self, index: usize) -> std::ops::Range<usize> {
        self.personal.starts[index]..self.personal.starts[index + 1]
    }

    fn at(&self, index: usize) -> OwnRanking<'a> {
        let items = self.consensus_scores.len();
        let (mut deviation, mut votes) = (vec![0.0; items], vec![0.0; items]);
        for k in self.seen(index) {
            let item = self.personal.item[k] as usize;
            deviation[item] = self.personal.deviation[k];
            votes[item] = self.personal.votes[k];
        }
        let scores = self.consensus_scores.iter().zip(&deviation);
        let scores: Vec<f64> = scores.map(|(theta, delta)| theta + delta).collect();
        let annotator = self.personal.annotator[index] as usize;
        OwnRanking {
            annotator: self.fit.annotators.get(annotator),
            index: annotator,
            ranks: Ranks::new(&scores, &self.fit.tally.component),
            deviation,
            votes,
        }
    }
}

impl<'a> OwnRanking<'a> {
    /// All items by own rank.
    fn rows(&self, rankings: &OwnRankings<'a>) -> Vec<PersonalRank<'a>> {
        let items = self.ranks.order.iter();
        items
            .map(|&item| self.row(rankings, item as usize))
            .collect()
    }

    fn row(&self, rankings: &OwnRankings<'a>, item: usize) -> PersonalRank<'a> {
        let (consensus_score, deviation) = (rankings.consensus_scores[item], self.deviation[item]);
        PersonalRank {
            annotator: self.annotator,
            item: rankings.fit.items.get(item),
            rank: self.ranks.rank[item],
            score: consensus_score + deviation,
            deviation,
            consensus_rank: rankings.consensus.rank[item],
            consensus_score,
            votes: self.votes[item],
        }
    }
}
