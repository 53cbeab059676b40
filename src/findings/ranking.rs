//! The ranking: the consensus, one entry per item.

use super::intervals::Intervals;
use super::ranks::Ranks;
use super::tiers::tiers;
use crate::error::Result;
use crate::fit::hodgerank_only::HodgeRankOnly;
use crate::fit::{Fit, ItemTally};
use crate::model::{StandardErrors, VoteModel};
use crate::votes::{IdRef, Ids};

/// An item in the consensus ranking.
///
/// Scores compare only within a component, and have mean zero there; ranks begin
/// at 1 in each component.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankedItem<'a> {
    /// Which item.
    pub item: IdRef<'a>,
    /// Its rank in its component by `score`. Equal scores share a rank.
    pub rank: u64,
    /// Its consensus score in the mixed-effects model, in the unit of the choices; log-odds
    /// with the logistic loss, probits with the probit loss.
    pub score: f64,
    /// Its rank in its component by `hodgerank_score`.
    pub hodgerank_rank: u64,
    /// Its HodgeRank score: that of a model without effects of annotators. With the logistic
    /// or probit loss that model is Bradley and Terry's or Thurstone's.
    pub hodgerank_score: f64,
    /// The votes on it, by weight: `wins + losses + ties`.
    pub votes: f64,
    /// The votes for it, by weight.
    pub wins: f64,
    /// The votes for the other item, by weight.
    pub losses: f64,
    /// The ties, by weight.
    pub ties: f64,
    /// The number of its component, from 1; the largest component comes first.
    pub component: u64,
    /// The standard error of `score`.
    pub score_std_error: f64,
    /// The lower end of the 95 % interval of `score`.
    pub score_low: f64,
    /// The upper end of it.
    pub score_high: f64,
    /// The best rank that the intervals allow.
    pub rank_low: u64,
    /// The worst rank that they allow.
    pub rank_high: u64,
    /// Its tier in its component, from 1. Items share a tier if their intervals reach up to
    /// the lower end of that of the tier's first item.
    pub tier: u64,
    /// The predicted share of wins against an average item of its component.
    pub win_share: f64,
}

impl Fit {
    /// The consensus ranking: component after component, best item first, equal
    /// ones by id. A time must have been chosen.
    ///
    /// ```
    /// use me_hodgerank::{Fit, Options, Simulation, VoteBuilder};
    ///
    /// let options = Options::default();
    /// let mut votes = VoteBuilder::new(&options);
    /// for batch in Simulation::default().run()? {
    ///     votes.push_batch(&batch?)?;
    /// }
    /// let fit = Fit::new(&votes.finish()?, &options)?;
    ///
    /// let ranking = fit.ranking()?;
    /// assert_eq!(ranking[0].rank, 1);
    /// for item in &ranking {
    ///     assert!(item.score_low <= item.score && item.score <= item.score_high);
    ///     println!("{}. {} ({:.2})", item.rank, item.item, item.score);
    /// }
    /// let sure: Vec<_> = ranking.iter().filter(|item| item.rank_high == 1).collect();
    /// assert!(sure.len() <= 1, "one item at most is surely the best");
    /// # Ok::<(), me_hodgerank::Error>(())
    /// ```
    pub fn ranking(&self) -> Result<Vec<RankedItem<'_>>> {
        let chosen = self.chosen()?;
        let scores = self.theta(chosen.grid_index);
        let ranking = ranked_items(
            &self.items,
            &self.tally,
            self.vote_model(),
            scores,
            &chosen.standard_errors,
        );
        Ok(ranking)
    }
}

impl HodgeRankOnly {
    /// The ranking of the items with these ids, as [`Fit::ranking`] gives it.
    pub(crate) fn ranking<'a>(&self, items: &'a Ids) -> Vec<RankedItem<'a>> {
        ranked_items(
            items,
            &self.tally,
            self.vote_model,
            &self.scores,
            &self.standard_errors,
        )
    }
}

fn ranked_items<'a>(
    items: &'a Ids,
    tally: &ItemTally,
    model: VoteModel,
    scores: &[f64],
    standard_errors: &StandardErrors,
) -> Vec<RankedItem<'a>> {
    let ranks = Ranks::new(scores, &tally.component);
    let hodgerank = Ranks::new(tally.without_effects(), &tally.component);
    let intervals = Intervals::new(scores, standard_errors, &tally.component);
    let tiers = tiers(&ranks, &intervals.score, &tally.component);
    let item = |&item: &u32| {
        let i = item as usize;
        let (wins, losses, ties) = (tally.wins[i], tally.losses[i], tally.ties[i]);
        RankedItem {
            item: items.get(i),
            rank: ranks.rank[i],
            score: scores[i],
            hodgerank_rank: hodgerank.rank[i],
            hodgerank_score: tally.without_effects()[i],
            votes: wins + losses + ties,
            wins,
            losses,
            ties,
            component: tally.component[i].into(),
            score_std_error: standard_errors.std_error[i],
            score_low: intervals.score[i].0,
            score_high: intervals.score[i].1,
            rank_low: intervals.rank[i].0,
            rank_high: intervals.rank[i].1,
            tier: tiers[i],
            win_share: model.share_of_wins(scores[i]),
        }
    };
    ranks.order.iter().map(item).collect()
}
