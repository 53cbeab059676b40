//! The annotators' pulls on the scores, one annotator after the other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Fitted, PRIOR_VOTES};
use crate::error::Result;
use crate::execution::{Stop, join};
use crate::votes::Comparisons;

/// Never is all of a pull taken up: an item that only such annotators saw would
/// be held by nothing.
const MOST_TAKEN_UP: f64 = 0.95;

/// What the votes of all annotators pull.
pub(super) struct ScoreContributions<'a> {
    pub votes: &'a Comparisons,
    fitted: Fitted<'a>,
}

/// The pull of one annotator.
pub(super) struct ScoreContribution {
    /// The items that the annotator saw.
    pub seen: Vec<u32>,
    /// By item; zero where the annotator saw nothing.
    pub at: Vec<At>,
    /// The annotator's own scores, by item.
    own: Vec<f64>,
    /// Σ ω e² and Σ ω y².
    squares: f64,
    whole: f64,
}

/// The pull on one item, and the votes on it.
#[derive(Clone, Copy, Default)]
pub(super) struct At {
    pub value: f64,
    pub votes: f64,
}

impl<'a> ScoreContributions<'a> {
    pub fn new(votes: &'a Comparisons, fitted: Fitted<'a>) -> Self {
        Self { votes, fitted }
    }

    pub fn items(&self) -> usize {
        self.votes.items()
    }

    /// Memory for one pull at a time.
    fn memory(&self) -> ScoreContribution {
        ScoreContribution {
            seen: Vec::new(),
            at: vec![At::default(); self.items()],
            own: self.fitted.theta.to_vec(),
            squares: 0.0,
            whole: 0.0,
        }
    }

    /// Finds an annotator's pull.
    fn find(&self, u: usize, pull: &mut ScoreContribution) {
        let (seen, deviation, bias) = self.effects(u);
        for (&item, change) in seen.iter().zip(deviation) {
            pull.own[item as usize] += change;
        }
        pull.add_up(self.votes, u, bias);
        for &item in seen {
            pull.own[item as usize] = self.fitted.theta[item as usize];
        }
    }

    /// The items with own scores, those less the consensus, and the position bias.
    fn effects(&self, u: usize) -> (&[u32], &[f64], f64) {
        let Some((statistics, snapshot)) = self.fitted.effects else {
            return (&[], &[], 0.0);
        };
        let bias = snapshot.position_bias()[u];
        if snapshot.deviation_norm()[u] == 0.0 {
            return (&[], &[], bias);
        }
        let seen = statistics.annotator(u).items;
        (seen, snapshot.deviation(u), bias)
    }

    /// Calls `visit` with every annotator whose effects take up a share of the pull.
    pub fn for_each_taken_up(&self, stop: &Stop, mut visit: impl FnMut(usize, f64)) -> Result<()> {
        if self.fitted.effects.is_none() {
            return Ok(());
        }
        let (mut own, mut plain) = (self.memory(), self.memory());
        for u in 0..self.votes.annotators() {
            let (_, deviation, bias) = self.effects(u);
            if bias == 0.0 && deviation.is_empty() {
                continue;
            }
            stop.check()?;
            self.find(u, &mut own);
            plain.add_up(self.votes, u, 0.0);
            let product = |x: &ScoreContribution| -> f64 {
                let items = plain.seen.iter().map(|&item| item as usize);
                items.map(|i| plain.at[i].value * x.at[i].value).sum()
            };
            let taken_up = 1.0 - product(&own) / product(&plain);
            if taken_up > 0.0 {
                visit(u, taken_up.min(MOST_TAKEN_UP));
            }
        }
        Ok(())
    }

    /// Deals the annotators out to `shares`, adds up each share with `add`, and
    /// returns them in order: on how many threads does not matter.
    pub fn deal<T: Send>(
        &self,
        shares: usize,
        threads: usize,
        stop: &Stop,
        new: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, usize, &ScoreContribution) + Sync,
    ) -> Result<Vec<(Sums, T)>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, (Sums, T))>> = Mutex::new(Vec::new());
        let work = || -> Result<()> {
            let mut pull = self.memory();
            loop {
                let share = next.fetch_add(1, Ordering::Relaxed);
                if share >= shares {
                    return Ok(());
                }
                let mut sums = Sums::new(self.items());
                let mut own = new();
                for u in (share..self.votes.annotators()).step_by(shares) {
                    stop.check()?;
                    self.find(u, &mut pull);
                    sums.add(&pull);
                    add(&mut own, u, &pull);
                }
                let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
                done.push((share, (sums, own)));
            }
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (1..threads.min(shares))
                .map(|_| scope.spawn(work))
                .collect();
            let own = work();
            workers
                .into_iter()
                .map(join)
                .chain([own])
                .collect::<Result<()>>()
        })?;
        let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
        done.sort_unstable_by_key(|(share, _)| *share);
        Ok(done.into_iter().map(|(_, share)| share).collect())
    }
}

impl ScoreContribution {
    /// Adds up an annotator's votes with the scores in `own`.
    fn add_up(&mut self, votes: &Comparisons, u: usize, bias: f64) {
        for item in self.seen.drain(..) {
            self.at[item as usize] = At::default();
        }
        (self.squares, self.whole) = (0.0, 0.0);
        // Every item is written down; only a new one stays. No branch to guess wrong.
        self.seen.resize(2 * votes.rows(u).len() + 1, 0);
        let mut seen = 0;
        for vote in votes.of(u) {
            let predicted = self.own[vote.left] - self.own[vote.right] + bias;
            let left_over = vote.choice - predicted;
            self.squares += vote.weight * left_over * left_over;
            self.whole += vote.weight * vote.choice * vote.choice;
            let value = vote.weight * left_over;
            for (item, value) in [(vote.left, value), (vote.right, -value)] {
                let at = &mut self.at[item];
                self.seen[seen] = item as u32;
                seen += usize::from(at.votes == 0.0);
                at.value += value;
                at.votes += vote.weight;
            }
        }
        self.seen.truncate(seen);
    }
}

/// What the variances need beside the pulls: sums over annotators.
pub(super) struct Sums {
    /// By item: the votes on it.
    votes: Vec<f64>,
    /// By item: the sum over annotators of their votes on it, squared.
    vote_squares: Vec<f64>,
    /// By item: the sum over annotators of their pulls, squared.
    pub pull_squares: Vec<f64>,
    /// Σ ω e², Σ ω y² and Σ ω.
    squares: f64,
    whole: f64,
}

impl Sums {
    fn new(items: usize) -> Self {
        Self {
            votes: vec![0.0; items],
            vote_squares: vec![0.0; items],
            pull_squares: vec![0.0; items],
            squares: 0.0,
            whole: 0.0,
        }
    }

    fn add(&mut self, pull: &ScoreContribution) {
        self.squares += pull.squares;
        self.whole += pull.whole;
        for item in pull.seen.iter().map(|&item| item as usize) {
            let At { value, votes } = pull.at[item];
            self.votes[item] += votes;
            self.vote_squares[item] += votes * votes;
            self.pull_squares[item] += value * value;
        }
    }

    /// Takes over the sums of another share of the annotators.
    pub fn merge(&mut self, other: &Self) {
        self.squares += other.squares;
        self.whole += other.whole;
        let both = [
            (&mut self.votes, &other.votes),
            (&mut self.vote_squares, &other.vote_squares),
            (&mut self.pull_squares, &other.pull_squares),
        ];
        for (own, other) in both {
            own.iter_mut().zip(other).for_each(|(slot, x)| *slot += x);
        }
    }

    /// As how many annotators with equally many votes on an item those count who
    /// voted on it.
    pub fn effective_annotators(&self) -> Vec<f64> {
        let both = self.votes.iter().zip(&self.vote_squares);
        both.map(|(sum, squares)| sum * sum / squares).collect()
    }

    /// The variance of a vote around the model. A few votes can be explained
    /// altogether; so [`PRIOR_VOTES`] more count in that nothing explains.
    pub fn residual_variance(&self, items: usize) -> f64 {
        let total = self.votes.iter().sum::<f64>() / 2.0;
        let free = f64::max(total - items as f64 + 1.0, 0.0);
        (self.squares + PRIOR_VOTES * self.whole / total) / (free + PRIOR_VOTES)
    }
}
