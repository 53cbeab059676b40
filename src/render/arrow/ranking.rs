//! `ranking`: the consensus, one row an item, best first.
//!
//! Scores compare only within a component; ranks begin at 1 in each.

use arrow_array::ArrayRef;

use super::ids::id_array;
use super::{Column, Kind, counts, integers, numbers};
use crate::findings::rank::Ranks;
use crate::fit::{ChosenModel, Fit, ItemTally};
use crate::model::StandardErrors;
use crate::votes::Ids;

pub(super) const COLUMNS: &[Column] = &[
    Column::new("item", Kind::Item),
    Column::new("rank", Kind::Integer),
    Column::new("score", Kind::Number),
    Column::new("hodgerank_rank", Kind::Integer),
    Column::new("hodgerank_score", Kind::Number),
    Column::new("votes", Kind::Integer),
    Column::new("wins", Kind::Integer),
    Column::new("losses", Kind::Integer),
    Column::new("ties", Kind::Integer),
    Column::new("component", Kind::Integer),
    Column::new("score_std_error", Kind::Number),
    Column::new("score_low", Kind::Number),
    Column::new("score_high", Kind::Number),
    Column::new("rank_low", Kind::Integer),
    Column::new("rank_high", Kind::Integer),
];

/// What the ranking is made of.
pub(crate) struct Ranking<'a> {
    pub items: &'a Ids,
    pub tally: &'a ItemTally,
    pub scores: &'a [f64],
    pub uncertainty: &'a StandardErrors,
}

pub(super) fn arrays(fit: &Fit, chosen: &ChosenModel) -> Vec<ArrayRef> {
    let ranking = Ranking {
        items: &fit.items,
        tally: &fit.tally,
        scores: fit.theta(chosen.grid_index),
        uncertainty: &chosen.uncertainty,
    };
    ranking.arrays()
}

impl Ranking<'_> {
    /// The result set, of votes whose annotators' ids are of this type.
    pub fn table(
        &self,
        annotator: crate::votes::IdType,
    ) -> crate::error::Result<arrow_array::RecordBatch> {
        let set = super::ResultSet::Ranking;
        let schema = set.schema(annotator, self.items.id_type());
        super::batch(set, schema, self.arrays())
    }

    fn arrays(&self) -> Vec<ArrayRef> {
        let Self {
            items,
            tally,
            scores,
            uncertainty,
        } = self;
        let ranks = Ranks::new(scores, &tally.component);
        let hodgerank = Ranks::new(&tally.hodgerank, &tally.component);
        let std_error = &uncertainty.std_error;
        let intervals = Intervals::of(scores, uncertainty, &tally.component);
        let rows = || ranks.order.iter().map(|&item| item as usize);
        vec![
            id_array(items, ranks.order.iter().map(|&item| Some(item))),
            integers(rows().map(|i| ranks.rank[i])),
            numbers(rows().map(|i| scores[i])),
            integers(rows().map(|i| hodgerank.rank[i])),
            numbers(rows().map(|i| tally.hodgerank[i])),
            counts(rows().map(|i| tally.wins[i] + tally.losses[i] + tally.ties[i])),
            counts(rows().map(|i| tally.wins[i])),
            counts(rows().map(|i| tally.losses[i])),
            counts(rows().map(|i| tally.ties[i])),
            integers(rows().map(|i| tally.component[i].into())),
            numbers(rows().map(|i| std_error[i])),
            numbers(rows().map(|i| intervals.score[i].0)),
            numbers(rows().map(|i| intervals.score[i].1)),
            integers(rows().map(|i| intervals.rank[i].0)),
            integers(rows().map(|i| intervals.rank[i].1)),
        ]
    }
}

/// Where the scores and the ranks may well lie, by item: from, to.
pub(crate) struct Intervals {
    pub score: Vec<(f64, f64)>,
    pub rank: Vec<(i64, i64)>,
}

impl Intervals {
    pub fn new(fit: &Fit, chosen: &ChosenModel) -> Self {
        let scores = fit.theta(chosen.grid_index);
        Self::of(scores, &chosen.uncertainty, &fit.tally.component)
    }

    fn of(scores: &[f64], uncertainty: &StandardErrors, component: &[u32]) -> Self {
        let scores = scores.iter().zip(&uncertainty.half_width);
        let score: Vec<(f64, f64)> = scores
            .map(|(score, half)| (score - half, score + half))
            .collect();
        let rank = rank_intervals(&score, component);
        Self { score, rank }
    }
}

/// The best and the worst rank of each item: only those whose whole interval
/// lies above are surely better, only those whose whole interval lies below
/// surely worse.
fn rank_intervals(interval: &[(f64, f64)], component: &[u32]) -> Vec<(i64, i64)> {
    let mut ranks = vec![(0, 0); component.len()];
    let mut order: Vec<usize> = (0..component.len()).collect();
    order.sort_by_key(|&i| component[i]);
    for group in order.chunk_by(|&a, &b| component[a] == component[b]) {
        let mut low: Vec<f64> = group.iter().map(|&i| interval[i].0).collect();
        let mut high: Vec<f64> = group.iter().map(|&i| interval[i].1).collect();
        low.sort_by(f64::total_cmp);
        high.sort_by(f64::total_cmp);
        for &i in group {
            let (own_low, own_high) = interval[i];
            let above = group.len() - low.partition_point(|&other| other <= own_high);
            let below = high.partition_point(|&other| other < own_low);
            ranks[i] = (above as i64 + 1, (group.len() - below) as i64);
        }
    }
    ranks
}
