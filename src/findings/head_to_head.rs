//! Head to head: is an item really better than another one?

use super::ranks::Ranks;
use crate::error::{Error, Result};
use crate::execution::{Execution, Stop};
use crate::fit::Fit;
use crate::model::{ResistanceSolver, q_values};
use crate::votes::IdRef;

/// Two items of the ranking, a the better one, and how sure that is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HeadToHead<'a> {
    /// The item with the higher score.
    pub item_a: IdRef<'a>,
    /// The other one.
    pub item_b: IdRef<'a>,
    /// The score of a less that of b.
    pub difference: f64,
    /// The lower end of the 95 % interval of the difference.
    pub low: f64,
    /// The upper end of it.
    pub high: f64,
    /// How often chance alone gives a difference as large, either way, if both are equally
    /// good.
    pub p_value: f64,
    /// If this pair and all with smaller p-values are called different, the expected share
    /// of false ones among them is at most this.
    pub q_value: f64,
    /// The share of votes for a that the scores predict, ties counted half.
    pub predicted_share: f64,
    /// The votes on the two, by weight.
    pub direct_votes: f64,
    /// Those of them for a.
    pub direct_wins: f64,
    /// The ties among them.
    pub direct_ties: f64,
}

impl HeadToHead<'_> {
    /// The share of the direct votes that are for a, ties counted half; None without such
    /// votes.
    pub fn observed_share(&self) -> Option<f64> {
        let wins = self.direct_wins + 0.5 * self.direct_ties;
        (self.direct_votes > 0.0).then(|| wins / self.direct_votes)
    }
}

/// Which items are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompareOptions {
    /// So many of the best items of each component: 2 to 1000.
    pub top: usize,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { top: 50 }
    }
}

/// The most items that are compared.
const MAX_TOP: usize = 1000;

impl CompareOptions {
    /// The best items of each component, so many.
    pub fn top(top: usize) -> Self {
        Self { top }
    }

    pub(crate) fn check(self) -> Result<()> {
        if (2..=MAX_TOP).contains(&self.top) {
            return Ok(());
        }
        Err(Error::option(format!(
            "top must be from 2 to {MAX_TOP}, not {}",
            self.top
        )))
    }
}

impl Fit {
    /// Each pair of the best items of each component, by the rank of the first and then of
    /// the second. A time must have been chosen.
    ///
    /// ```
    /// use me_hodgerank::{CompareOptions, Fit, Options, Simulation, VoteBuilder};
    ///
    /// let options = Options::default();
    /// let mut votes = VoteBuilder::new(&options);
    /// for batch in Simulation::default().run()? {
    ///     votes.push_batch(&batch?)?;
    /// }
    /// let fit = Fit::new(&votes.finish()?, &options)?;
    ///
    /// let pairs = fit.compare(CompareOptions::top(3))?;
    /// assert_eq!(pairs.len(), 3);
    /// for pair in &pairs {
    ///     println!("{} over {}: q = {:.3}", pair.item_a, pair.item_b, pair.q_value);
    ///     assert!(pair.low <= pair.difference && pair.difference <= pair.high);
    /// }
    /// # Ok::<(), me_hodgerank::Error>(())
    /// ```
    pub fn compare(&self, options: CompareOptions) -> Result<Vec<HeadToHead<'_>>> {
        self.compare_within(options, &mut Execution::new())
    }

    /// The same, under a time limit or a poll.
    pub fn compare_within(
        &self,
        options: CompareOptions,
        execution: &mut Execution<'_>,
    ) -> Result<Vec<HeadToHead<'_>>> {
        options.check()?;
        execution.run_sized(self.flow.len(), |_, stop| {
            head_to_head(self, options.top, stop)
        })
    }
}

/// Each pair of the best items of each component.
pub(crate) fn head_to_head<'a>(
    fit: &'a Fit,
    top: usize,
    stop: &Stop,
) -> Result<Vec<HeadToHead<'a>>> {
    let chosen = fit.chosen()?;
    let scores = fit.theta(chosen.grid_index);
    let ranks = Ranks::new(scores, &fit.tally.component);
    let component = |item: u32| fit.tally.component[item as usize];
    let components = ranks.order.chunk_by(|&a, &b| component(a) == component(b));
    let best: Vec<Vec<u32>> = components
        .map(|items| items[..items.len().min(top)].to_vec())
        .collect();
    let hessian = fit.vote_model().hessian(&fit.flow, scores);
    let components = fit.tally.components();
    let solver = ResistanceSolver::new(&hessian, &components, stop)?;
    let inverses = solver.among(&best, stop)?;
    let mut pairs = Vec::new();
    for (items, inverse) in best.iter().zip(&inverses) {
        stop.check()?;
        for (k, &a) in items.iter().enumerate() {
            for (m, &b) in items.iter().enumerate().skip(k + 1) {
                let resistance = inverse.resistance(k, m);
                pairs.push(pair(fit, scores, [a, b], resistance)?);
            }
        }
    }
    let p_values: Vec<f64> = pairs.iter().map(|pair| pair.p_value).collect();
    for (pair, q_value) in pairs.iter_mut().zip(q_values(&p_values)) {
        pair.q_value = q_value;
    }
    Ok(pairs)
}

/// Two items, without the q-value.
fn pair<'a>(
    fit: &'a Fit,
    scores: &[f64],
    [a, b]: [u32; 2],
    resistance: f64,
) -> Result<HeadToHead<'a>> {
    let [a, b] = [a, b].map(|item| item as usize);
    let covariance = &fit.chosen()?.standard_errors.covariance;
    let variance = covariance.of_difference(a, b, resistance);
    let difference = scores[a] - scores[b];
    let direct = fit.flow.find(a, b);
    let of_pair = |column: &[f64]| direct.map_or(0.0, |pair| column[pair]);
    let ties = of_pair(&fit.flow.ties);
    let wins = of_pair(&fit.flow.wins);
    let votes = of_pair(&fit.flow.weight);
    Ok(HeadToHead {
        item_a: fit.items.get(a),
        item_b: fit.items.get(b),
        difference,
        low: difference - variance.half_width(),
        high: difference + variance.half_width(),
        p_value: variance.p_value(difference),
        q_value: 1.0,
        predicted_share: fit.vote_model().share_of_wins(difference),
        direct_votes: votes,
        // The flow counts the wins of the item that comes first by id.
        direct_wins: if a < b {
            wins
        } else {
            f64::max(votes - ties - wins, 0.0)
        },
        direct_ties: ties,
    })
}
