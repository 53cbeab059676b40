//! The annotators: who is position-biased and who deviates, one entry each.

use super::entry_order::{EntryOrder, by_first_entry};
use super::verdict::{Verdict, Verdicts};
use crate::error::Result;
use crate::fit::{ClickCounts, Fit};
use crate::votes::IdRef;

/// What is known of an annotator.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnnotatorFinding<'a> {
    /// The number in the canonical order of ids.
    pub(crate) index: usize,
    /// Who.
    pub annotator: IdRef<'a>,
    /// The votes cast, by weight: `left_clicks + right_clicks + ties`.
    pub votes: f64,
    /// The votes for the left item, by weight.
    pub left_clicks: f64,
    /// The votes for the right item, by weight.
    pub right_clicks: f64,
    /// The ties, by weight.
    pub ties: f64,
    /// The share of the untied votes that the consensus predicts; None without such votes.
    pub agreement: Option<f64>,
    /// How many pairs of items they judged more than once.
    pub repeated_pairs: u64,
    /// The share of these with the same answer each time: the same item, or a tie. None
    /// without such pairs.
    pub same_choice_share: Option<f64>,
    /// How many pairs they saw both ways round.
    pub swapped_pairs: u64,
    /// The share of these in which they chose the same side each time, and with it the
    /// other item. None without such pairs.
    pub same_side_share: Option<f64>,
    /// The position bias at the chosen time: positive to the left, negative to the right.
    pub position_bias: f64,
    /// The position, from 1, among those whose position bias enters the path.
    pub position_bias_order: Option<u64>,
    /// The first grid time with a position bias.
    pub position_bias_time: Option<f64>,
    /// The size ‖δ‖ of the deviation from the consensus at the chosen time.
    pub deviation: f64,
    /// The position, from 1, among those whose deviation enters the path.
    pub deviation_order: Option<u64>,
    /// The first grid time with a deviation.
    pub deviation_time: Option<f64>,
    /// Whether the verdict is about a favourite side.
    pub is_position_biased: bool,
    /// Whether the verdict is an own taste.
    pub is_personalized: bool,
    /// Whether the verdict is against the consensus.
    pub is_adversarial: bool,
    /// The p-value of the position bias.
    pub position_bias_p_value: f64,
    /// Its q-value: the p-value adjusted for testing all annotators.
    pub position_bias_q_value: f64,
    /// The p-value of the deviation.
    pub deviation_p_value: f64,
    /// Its q-value.
    pub deviation_q_value: f64,
    /// The p-value of votes against the consensus.
    pub against_p_value: f64,
    /// Its q-value.
    pub against_q_value: f64,
    /// The p-value of votes that do not follow the items; 1 for annotators of whom that is
    /// not likely.
    pub no_signal_p_value: f64,
    /// Its q-value.
    pub no_signal_q_value: f64,
    /// In a split crowd the annotator's camp: 1 for the larger one, 2 for the smaller.
    pub camp: Option<u64>,
    /// What the tests say.
    pub verdict: Verdict,
    /// The p-value of what the verdict is about.
    pub verdict_p_value: f64,
    /// The counts behind the verdict, in a sentence.
    pub evidence: String,
}

impl Fit {
    /// The annotators, in the order in which they entered the path; those who never
    /// did come last, by id. A time must have been chosen, and somebody must know who
    /// voted.
    ///
    /// ```
    /// use me_hodgerank::{Fit, Options, Simulation, Verdict, VoteBuilder};
    ///
    /// let options = Options::default();
    /// let mut votes = VoteBuilder::new(&options);
    /// for batch in Simulation::default().run()? {
    ///     votes.push_batch(&batch?)?;
    /// }
    /// let fit = Fit::new(&votes.finish()?, &options)?;
    ///
    /// let annotators = fit.annotators()?;
    /// let clicks_a_side = |verdict| matches!(verdict, Verdict::ClicksLeft | Verdict::ClicksRight);
    /// let careless = annotators.iter().filter(|one| clicks_a_side(one.verdict));
    /// for one in careless.clone() {
    ///     println!("{} {}: {}", one.annotator, one.verdict, one.evidence);
    /// }
    /// assert!(careless.count() > 0);
    /// # Ok::<(), me_hodgerank::Error>(())
    /// ```
    pub fn annotators(&self) -> Result<Vec<AnnotatorFinding<'_>>> {
        self.require_annotators()?;
        let chosen = self.chosen()?;
        let annotators = self.annotators.len();
        let [bias_entry, deviation_entry] =
            [&self.path.bias, &self.path.deviation].map(|path| EntryOrder::new(path, annotators));
        let bias = self.path.bias.at(chosen.grid_index, annotators);
        let deviation = self.path.deviation.at(chosen.grid_index, annotators);
        let verdicts = Verdicts::new(self, chosen);
        let (evidence, consistency) = (&self.evidence, &self.self_consistency);
        let share = |part: u32, all: u32| (all > 0).then(|| f64::from(part) / f64::from(all));
        let time = |entry: &EntryOrder, u: usize| {
            let first = entry.first[u];
            first.map(|index| self.path.grid[index as usize])
        };
        let finding = |index: usize| {
            let u = index;
            let verdict = verdicts.verdict(u);
            AnnotatorFinding {
                index,
                annotator: self.annotators.get(u),
                votes: votes_cast(&self.clicks, u),
                left_clicks: self.clicks.left[u],
                right_clicks: self.clicks.right[u],
                ties: self.clicks.ties[u],
                agreement: Some(chosen.agreement[u]).filter(|share| !share.is_nan()),
                repeated_pairs: consistency.repeated[u].into(),
                same_choice_share: share(consistency.same_choice[u], consistency.repeated[u]),
                swapped_pairs: consistency.swapped[u].into(),
                same_side_share: share(consistency.same_side[u], consistency.swapped[u]),
                position_bias: bias[u],
                position_bias_order: bias_entry.order[u],
                position_bias_time: time(&bias_entry, u),
                deviation: deviation[u],
                deviation_order: deviation_entry.order[u],
                deviation_time: time(&deviation_entry, u),
                is_position_biased: verdict.is_about_sides(),
                is_personalized: verdict == Verdict::OwnTaste,
                is_adversarial: verdict == Verdict::AgainstConsensus,
                position_bias_p_value: evidence.bias.p[u],
                position_bias_q_value: evidence.bias.q[u],
                deviation_p_value: evidence.deviation.p[u],
                deviation_q_value: evidence.deviation.q[u],
                against_p_value: evidence.against.p[u],
                against_q_value: evidence.against.q[u],
                no_signal_p_value: evidence.no_signal.p[u],
                no_signal_q_value: evidence.no_signal.q[u],
                camp: evidence.split.as_ref().map(|split| split.camp[u].into()),
                verdict,
                verdict_p_value: verdicts.p_value(u, verdict),
                evidence: verdicts.evidence(u, verdict),
            }
        };
        let order = by_first_entry(&bias_entry, &deviation_entry);
        Ok(order.into_iter().map(finding).collect())
    }
}

/// The votes of an annotator, by weight.
pub(super) fn votes_cast(clicks: &ClickCounts, annotator: usize) -> f64 {
    clicks.left[annotator] + clicks.right[annotator] + clicks.ties[annotator]
}
