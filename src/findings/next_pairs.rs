//! Whom to ask next: the pairs of items that would tell most about the scores.

use crate::error::{Error, Result};
use crate::execution::{Execution, Stop};
use crate::fit::Fit;
use crate::model::{ActiveSampling, AskedPair};
use crate::random::Random;
use crate::votes::{CandidatePairs, IdRef, IdType};

/// A pair worth asking.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NextPair<'a> {
    /// The item to be shown on the left.
    pub left: IdRef<'a>,
    /// The item to be shown on the right.
    pub right: IdRef<'a>,
    /// The expected information gain of a vote on it, after those before it. None if
    /// nothing connects the two items so far: such pairs come first.
    pub gain: Option<f64>,
    /// The votes on the two so far, by weight.
    pub votes: f64,
}

/// How many pairs, and how sides are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextOptions {
    /// How many pairs: 1 to 10,000.
    pub n: usize,
    /// Draws who stands left where that is open; None for the seed of the fit.
    pub seed: Option<u64>,
}

impl Default for NextOptions {
    fn default() -> Self {
        Self { n: 20, seed: None }
    }
}

/// The most pairs that are asked for at once.
const MAX_PAIRS: usize = 10_000;

impl NextOptions {
    /// So many pairs.
    pub fn n(n: usize) -> Self {
        Self {
            n,
            ..Self::default()
        }
    }

    pub(crate) fn check(self) -> Result<()> {
        if (1..=MAX_PAIRS).contains(&self.n) {
            return Ok(());
        }
        Err(Error::option(format!(
            "n must be from 1 to {MAX_PAIRS}, not {}",
            self.n
        )))
    }
}

impl Fit {
    /// The type of the items among the next pairs: that of the votes, or one that holds
    /// items of the candidates too.
    pub(crate) fn asked_item_type(&self, candidates: Option<&CandidatePairs>) -> IdType {
        let fitted = self.items.id_type();
        match candidates {
            Some(candidates)
                if candidates
                    .ids
                    .iter()
                    .any(|id| self.items.position(id).is_none()) =>
            {
                fitted.unify(candidates.ids.id_type())
            }
            _ => fitted,
        }
    }

    /// The pairs worth asking next, the most informative first; those of the candidates if
    /// there are any. A pair may come more than once. Sides are balanced: no item stands
    /// left much more often than right. A time must have been chosen.
    ///
    /// ```
    /// use me_hodgerank::{Fit, NextOptions, Options, Simulation, VoteBuilder};
    ///
    /// let options = Options::default();
    /// let mut votes = VoteBuilder::new(&options);
    /// for batch in Simulation::default().run()? {
    ///     votes.push_batch(&batch?)?;
    /// }
    /// let fit = Fit::new(&votes.finish()?, &options)?;
    ///
    /// let pairs = fit.next_pairs(NextOptions::n(5), None)?;
    /// assert_eq!(pairs.len(), 5);
    /// for pair in &pairs {
    ///     println!("{} or {}? so far {} votes", pair.left, pair.right, pair.votes);
    /// }
    /// # Ok::<(), me_hodgerank::Error>(())
    /// ```
    pub fn next_pairs<'a>(
        &'a self,
        options: NextOptions,
        candidates: Option<&'a CandidatePairs>,
    ) -> Result<Vec<NextPair<'a>>> {
        self.next_pairs_within(options, candidates, &mut Execution::new())
    }

    /// The same, under a time limit or a poll.
    pub fn next_pairs_within<'a>(
        &'a self,
        options: NextOptions,
        candidates: Option<&'a CandidatePairs>,
        execution: &mut Execution<'_>,
    ) -> Result<Vec<NextPair<'a>>> {
        options.check()?;
        let known = AskableItems::new(self, candidates)?;
        let asked =
            execution.run_sized(self.flow.len(), |_, stop| known.choose(options.n, stop))?;
        let seed = options.seed.unwrap_or(self.totals.seed);
        Ok(known.with_sides(&asked, seed))
    }
}

/// The items of the votes, those of the candidates that have no votes behind them, and the
/// candidates in these numbers.
struct AskableItems<'a> {
    fit: &'a Fit,
    candidates: Option<&'a CandidatePairs>,
    /// The positions among the candidates' ids of those without votes.
    new_items: Vec<usize>,
    /// a < b, in order.
    pairs: Option<Vec<[u32; 2]>>,
}

impl<'a> AskableItems<'a> {
    fn new(fit: &'a Fit, candidates: Option<&'a CandidatePairs>) -> Result<Self> {
        let mut known = Self {
            fit,
            candidates,
            new_items: Vec::new(),
            pairs: None,
        };
        if let Some(candidates) = candidates {
            check_types(fit.items.id_type(), candidates.ids.id_type())?;
            let mut numbers = Vec::with_capacity(candidates.ids.len());
            for (position, id) in candidates.ids.iter().enumerate() {
                let number = fit.items.position(id).unwrap_or_else(|| {
                    known.new_items.push(position);
                    fit.items.len() + known.new_items.len() - 1
                });
                numbers.push(number as u32);
            }
            let in_numbers = |pair: &[u32; 2]| {
                let [a, b] = pair.map(|id| numbers[id as usize]);
                [a.min(b), a.max(b)]
            };
            let mut pairs: Vec<_> = candidates.pairs.iter().map(in_numbers).collect();
            pairs.sort_unstable();
            known.pairs = Some(pairs);
        }
        Ok(known)
    }

    fn choose(&self, count: usize, stop: &Stop) -> Result<Vec<AskedPair>> {
        let fit = self.fit;
        let scores = fit.theta(fit.chosen()?.grid_index);
        let model = fit.vote_model();
        let sampling = ActiveSampling {
            hessian: &model.hessian(&fit.flow, scores),
            components: &fit.tally.components(),
            scores,
            model,
            vote_weight: fit.totals.votes / fit.row_checks.rows as f64,
            new_items: self.new_items.len(),
        };
        sampling.choose(self.pairs.as_deref(), count, stop)
    }

    fn id(&self, item: usize) -> IdRef<'a> {
        match (item.checked_sub(self.fit.items.len()), self.candidates) {
            (Some(new), Some(candidates)) => candidates.ids.get(self.new_items[new]),
            _ => self.fit.items.get(item),
        }
    }

    /// Whoever stood left less often so far stands left; a coin decides where that is even.
    fn with_sides(&self, asked: &[AskedPair], seed: u64) -> Vec<NextPair<'a>> {
        let items = self.fit.items.len();
        let mut net_left = vec![0i32; items + self.new_items.len()];
        let mut random = Random(seed);
        let pair = |pair: &AskedPair| {
            let coin = random.sign() > 0.0; // drawn for each pair, so that none depends on others
            let (left, right) = match net_left[pair.a].cmp(&net_left[pair.b]) {
                std::cmp::Ordering::Less => (pair.a, pair.b),
                std::cmp::Ordering::Greater => (pair.b, pair.a),
                std::cmp::Ordering::Equal if coin => (pair.a, pair.b),
                std::cmp::Ordering::Equal => (pair.b, pair.a),
            };
            net_left[left] += 1;
            net_left[right] -= 1;
            let known = (left < items && right < items)
                .then(|| self.fit.flow.find(left, right))
                .flatten();
            NextPair {
                left: self.id(left),
                right: self.id(right),
                gain: pair.gain,
                votes: known.map_or(0.0, |known| self.fit.flow.weight[known]),
            }
        };
        asked.iter().map(pair).collect()
    }
}

/// If the ones are text and the others integers, every candidate would be an item without
/// votes.
fn check_types(fitted: IdType, given: IdType) -> Result<()> {
    let is_text = |id_type: IdType| id_type == IdType::Text;
    let is_mixed = [fitted, given].contains(&IdType::Mixed);
    if is_mixed || is_text(fitted) == is_text(given) {
        return Ok(());
    }
    let kind = |id_type| if is_text(id_type) { "text" } else { "integers" };
    Err(Error::votes(format!(
        "the items of the candidate pairs are {} and those of the votes are {}: cast one of them, \
         so that the same id is the same in both",
        kind(given),
        kind(fitted)
    )))
}
