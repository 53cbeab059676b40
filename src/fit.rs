//! From votes to a fitted model: what the result sets are made of.

use std::sync::Arc;

use crate::cache;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Consensus, CrossValidation, Curve, Evidence, Fitted, Flow, HeldOut, Path, Problem, Snapshot,
    Uncertainty, knockoff_selection, knockoff_statistics,
};
use crate::options::{BiasTest, Options, PairModel};
use crate::run::{Run, Stop};
use crate::votes::{Comparisons, Folds, Ids, Votes};

/// A fitted model. [`table`](Self::table) gives its result sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    pub(crate) items: Ids,
    pub(crate) annotators: Ids,
    pub(crate) totals: Totals,
    /// By item.
    pub(crate) tally: ItemTally,
    /// By annotator.
    pub(crate) clicks: Clicks,
    /// By annotator.
    pub(crate) evidence: Evidence,
    /// By annotator: whom the knockoff filter calls biased, if it was asked.
    pub(crate) knockoff: Option<Vec<bool>>,
    /// By pair of items.
    pub(crate) flow: Flow,
    pub(crate) path: PathRecord,
    pub(crate) validation: Option<Validation>,
    pub(crate) chosen: Option<Chosen>,
}

/// Numbers about the whole fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    pub votes: f64,
    pub skipped: u64,
    pub kappa: f64,
    /// None if no effect ever enters.
    pub alpha: Option<f64>,
    /// None if no effect ever enters.
    pub first_entry: Option<f64>,
    pub iterations: u64,
    /// The rate of false discoveries that decides who is biased and who deviates.
    pub fdr: Option<f64>,
}

/// What happened to each item, before any model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemTally {
    pub wins: Vec<f64>,
    pub losses: Vec<f64>,
    pub ties: Vec<f64>,
    /// From 1, the largest first.
    pub component: Vec<u32>,
    pub hodgerank: Vec<f64>,
}

/// What each annotator did, before any model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Clicks {
    pub left: Vec<f64>,
    pub right: Vec<f64>,
    pub ties: Vec<f64>,
}

/// The path at its grid times.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathRecord {
    pub grid: Vec<f64>,
    /// θ, grid time after grid time.
    pub theta: Vec<f64>,
    pub bias: Effects,
    pub deviation: Effects,
}

/// The values of an effect where it is not zero, by grid time and annotator.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    pub grid_index: Vec<u32>,
    pub annotator: Vec<u32>,
    pub value: Vec<f64>,
}

/// The cross-validation curve over the grid, or its part until it has turned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Validation {
    pub error: Vec<f64>,
    /// NaN where there is a single fold.
    pub error_std: Vec<f64>,
    pub mismatch: Vec<f64>,
    pub hodgerank_error: f64,
}

/// The model at the time that was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chosen {
    pub grid_index: usize,
    /// By annotator; NaN for one who only saw ties.
    pub agreement: Vec<f64>,
    pub personal: Personal,
    /// By item.
    pub uncertainty: Uncertainty,
    /// None if nothing goes round in circles, or if the flow is not in votes.
    pub circles: Option<Circles>,
}

/// What the circles in the flow are made of: shares of Σ ω r², where r is what
/// HodgeRank leaves over. The rest is noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Circles {
    pub personal: f64,
    pub position_bias: f64,
}

/// The annotators with scores of their own, each with the items they saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Personal {
    pub annotator: Vec<u32>,
    pub adversarial: Vec<bool>,
    /// Where each one's items, ascending, begin; one more entry at the end.
    pub starts: Vec<usize>,
    pub item: Vec<u32>,
    pub deviation: Vec<f64>,
    pub votes: Vec<f64>,
}

impl Fit {
    /// Fits the model.
    pub fn new(votes: &Votes, options: &Options, run: &mut Run<'_>) -> Result<Self> {
        options.check()?;
        refuse_one_sided(&votes.comparisons, options)?;
        run.limit(options.max_seconds);
        let (threads, curve) = (run.worker_threads(), run.curve());
        run.watch(|stop| compute(votes, options, (threads, curve), stop))
    }

    /// The same, kept for the next call with the same votes and options: the
    /// last few fits of this process are remembered.
    pub fn cached(votes: &Votes, options: &Options, run: &mut Run<'_>) -> Result<Arc<Self>> {
        let key = cache::key(votes, options);
        if let Some(fit) = cache::get(key)
            && (fit.has_whole_curve() || run.curve() == Curve::UntilTurned)
        {
            return Ok(fit);
        }
        let fit = Arc::new(Self::new(votes, options, run)?);
        cache::put(key, &fit);
        Ok(fit)
    }

    /// Who voted.
    pub fn annotators(&self) -> &Ids {
        &self.annotators
    }

    /// What was voted on.
    pub fn items(&self) -> &Ids {
        &self.items
    }

    /// Whether a time was chosen: otherwise there is only the path.
    pub fn has_chosen_time(&self) -> bool {
        self.chosen.is_some()
    }

    /// Whether cross-validation went over the whole grid, if there was one.
    fn has_whole_curve(&self) -> bool {
        let points = self.path.grid.len();
        let whole = |curve: &Validation| curve.error.len() == points;
        self.validation.as_ref().is_none_or(whole)
    }

    /// The model at the chosen time, or the error that says how to choose one.
    pub(crate) fn chosen(&self) -> Result<&Chosen> {
        self.chosen.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::Option,
                "with folds = 0 nothing chooses where to stop: set t, or ask for the path only",
            )
        })
    }

    /// θ at a grid time.
    pub(crate) fn theta(&self, grid_index: usize) -> &[f64] {
        let items = self.items.len();
        &self.path.theta[grid_index * items..][..items]
    }
}

/// A table of winners and losers, taken for left and right, would make everybody click left.
fn refuse_one_sided(votes: &Comparisons, options: &Options) -> Result<()> {
    let all = |side: f64| (0..votes.len()).all(|row| votes.get(row).choice * side > 0.0);
    if !options.position_bias || votes.len() < 2 {
        return Ok(());
    }
    let (chosen, other) = match (all(1.0), all(-1.0)) {
        (true, _) => ("left", "right"),
        (_, true) => ("right", "left"),
        _ => return Ok(()),
    };
    Err(Error::votes(format!(
        "every one of the {} votes is for the {chosen} item: this looks like a table of winners \
         ({chosen}) and losers ({other}), which does not say who stood on which side; set \
         position_bias to false for such a table",
        votes.len()
    )))
}

fn compute(
    votes: &Votes,
    options: &Options,
    (threads, curve): (usize, Curve),
    stop: &Stop,
) -> Result<Fit> {
    let comparisons = &votes.comparisons;
    let problem = Problem::new(comparisons, options, stop)?;
    let grid = problem.grid(options)?;
    let known = match options.t {
        Some(_) => Some(grid.len() - 1),
        None => (!problem.has_path()).then_some(0),
    };
    let flow = Flow::new(comparisons, options.pair_model, stop)?;
    let ground = Ground {
        votes: comparisons,
        problem: &problem,
        flow: &flow,
        in_votes: options.pair_model == PairModel::Uniform,
        threads,
    };
    let follow = |chosen| Followed::new(&ground, &grid, chosen, stop);
    let mut validation = None;
    let followed = match folds(votes, options) {
        None => follow(known)?,
        Some(folds) => {
            // The path is run beside those of the folds, before it is known where
            // to stop; up to there it is run again.
            let held_out = HeldOut {
                votes: comparisons,
                folds: &folds,
                settings: problem.settings,
                grid: &grid,
                curve,
            };
            let path = || follow(None);
            let (found, mut followed) = held_out.validate_beside(threads, stop, path)?;
            let index = found.best();
            let mut path = problem.path(stop)?;
            let snapshot = path.advance_to(grid[index], stop)?;
            let chosen = ground.chosen(snapshot, index, &followed.hodgerank, stop)?;
            followed.chosen = Some(chosen);
            validation = Some(Validation::new(&found));
            followed
        }
    };
    let totals = Totals {
        votes: problem.statistics.total(),
        skipped: votes.skipped,
        kappa: options.kappa,
        alpha: problem.has_path().then_some(problem.settings.alpha),
        first_entry: problem.has_path().then_some(problem.first_entry),
        iterations: followed.iterations,
        fdr: options.fdr,
    };
    let hodgerank = followed.hodgerank;
    let mut evidence = Evidence::new(comparisons, &problem.statistics, &hodgerank, stop)?;
    if !options.position_bias {
        // Left and right may be winner and loser: nobody is accused of that.
        evidence.bias_p.fill(1.0);
    }
    let knockoff = knockoff(votes, options, &problem, &hodgerank, stop)?;
    let hodgerank = match options.pair_model {
        PairModel::Uniform => hodgerank,
        _ => scores_of(&flow, &problem.consensus, stop)?,
    };
    let tally = ItemTally {
        hodgerank,
        ..ItemTally::new(comparisons, &problem.consensus)
    };
    Ok(Fit {
        items: votes.items.clone(),
        annotators: votes.annotators.clone(),
        totals,
        tally,
        clicks: Clicks::new(comparisons),
        evidence,
        knockoff,
        path: followed.record,
        validation,
        chosen: followed.chosen,
        flow,
    })
}

/// None if nothing is to be held out: a time is given, no folds are wanted, or
/// there is a single vote.
fn folds(votes: &Votes, options: &Options) -> Option<Folds> {
    let drawn = || Folds::draw(votes.comparisons.len(), options.folds, options.seed);
    let given = votes.folds.clone();
    let wanted = options.t.is_none() && (options.folds > 0 || given.is_some());
    wanted
        .then(|| given.unwrap_or_else(drawn))
        .filter(|folds| folds.count() >= 2)
}

/// What a model at any time is seen against.
struct Ground<'a> {
    votes: &'a Comparisons,
    problem: &'a Problem,
    flow: &'a Flow,
    /// Whether the flow is the mean of votes.
    in_votes: bool,
    threads: usize,
}

impl Ground<'_> {
    fn chosen(
        &self,
        snapshot: &Snapshot,
        grid_index: usize,
        hodgerank: &[f64],
        stop: &Stop,
    ) -> Result<Chosen> {
        let Self {
            votes,
            problem,
            flow,
            in_votes,
            ..
        } = *self;
        let circles = || Circles::new(votes, problem, flow, hodgerank, snapshot);
        Ok(Chosen {
            grid_index,
            agreement: agreements(votes, snapshot.theta()),
            personal: Personal::new(problem, snapshot),
            uncertainty: self.uncertainty(snapshot, stop)?,
            circles: in_votes.then(circles).flatten(),
        })
    }

    fn uncertainty(&self, snapshot: &Snapshot, stop: &Stop) -> Result<Uncertainty> {
        let fitted = Fitted {
            theta: snapshot.theta(),
            effects: Some((&self.problem.statistics, snapshot)),
        };
        let components = self.problem.consensus.components();
        Uncertainty::new(
            self.votes,
            self.flow,
            components,
            fitted,
            self.threads,
            stop,
        )
    }
}

/// What is kept of a path.
struct Followed {
    record: PathRecord,
    hodgerank: Vec<f64>,
    iterations: u64,
    chosen: Option<Chosen>,
}

impl Followed {
    /// Follows the path over the grid; the model at one of its times if that is known.
    fn new(
        ground: &Ground<'_>,
        grid: &[f64],
        chosen_index: Option<usize>,
        stop: &Stop,
    ) -> Result<Self> {
        let mut path = ground.problem.path(stop)?;
        let hodgerank = path.hodgerank().to_vec();
        let mut record = PathRecord::default();
        let mut chosen = None;
        for (index, &t) in grid.iter().enumerate() {
            let snapshot = path.advance_to(t, stop)?;
            record.push(snapshot);
            if chosen_index == Some(index) {
                chosen = Some(ground.chosen(snapshot, index, &hodgerank, stop)?);
            }
        }
        Ok(Self {
            record,
            hodgerank,
            iterations: iterations(&path, grid[grid.len() - 1]),
            chosen,
        })
    }
}

/// Steps up to a time, the one that it lies in included.
fn iterations(path: &Path<'_>, t: f64) -> u64 {
    let within = path.first_entry().is_finite() && path.time() < t;
    path.iteration() as u64 + u64::from(within)
}

impl PathRecord {
    fn push(&mut self, snapshot: &Snapshot) {
        let index = self.grid.len() as u32;
        self.grid.push(snapshot.t());
        self.theta.extend(snapshot.theta());
        self.bias.push(index, snapshot.position_bias());
        self.deviation.push(index, snapshot.deviation_norm());
    }
}

impl Effects {
    fn push(&mut self, grid_index: u32, values: &[f64]) {
        for (annotator, &value) in values.iter().enumerate() {
            if value != 0.0 {
                self.grid_index.push(grid_index);
                self.annotator.push(annotator as u32);
                self.value.push(value);
            }
        }
    }

    /// The values at a grid time, by annotator.
    pub fn at(&self, grid_index: usize, annotators: usize) -> Vec<f64> {
        let mut values = vec![0.0; annotators];
        for k in self.rows(grid_index) {
            values[self.annotator[k] as usize] = self.value[k];
        }
        values
    }

    /// The places of a grid time's values.
    pub fn rows(&self, grid_index: usize) -> std::ops::Range<usize> {
        let first = |index: usize| self.grid_index.partition_point(|&g| (g as usize) < index);
        first(grid_index)..first(grid_index + 1)
    }

    /// The first grid time with a value, by annotator.
    pub fn first(&self, annotators: usize) -> Vec<Option<u32>> {
        let mut first = vec![None; annotators];
        for (&annotator, &grid_index) in self.annotator.iter().zip(&self.grid_index) {
            first[annotator as usize].get_or_insert(grid_index);
        }
        first
    }
}

impl Validation {
    fn new(cv: &CrossValidation) -> Self {
        let each = || 0..cv.points();
        Self {
            error: each().map(|index| cv.error(index)).collect(),
            error_std: each()
                .map(|index| cv.error_std(index).unwrap_or(f64::NAN))
                .collect(),
            mismatch: each().map(|index| cv.mismatch(index)).collect(),
            hodgerank_error: cv.hodgerank_error(),
        }
    }
}

impl ItemTally {
    /// All but the scores.
    pub(crate) fn new(votes: &Comparisons, consensus: &Consensus) -> Self {
        // Losses, ties and wins, side by side.
        let mut counts = vec![[0.0; 3]; votes.items()];
        for vote in (0..votes.len()).map(|row| votes.get(row)) {
            let (left, right) = (vote.choice > 0.0, vote.choice < 0.0);
            let outcome = 1 + usize::from(left) - usize::from(right);
            counts[vote.left][outcome] += vote.weight;
            counts[vote.right][2 - outcome] += vote.weight;
        }
        let mut component = vec![0; votes.items()];
        for (index, items) in consensus.components().enumerate() {
            for &item in items {
                component[item as usize] = index as u32 + 1;
            }
        }
        let column = |outcome: usize| counts.iter().map(|counts| counts[outcome]).collect();
        Self {
            losses: column(0),
            ties: column(1),
            wins: column(2),
            component,
            hodgerank: Vec::new(),
        }
    }
}

impl Clicks {
    fn new(votes: &Comparisons) -> Self {
        let zeros = || vec![0.0; votes.annotators()];
        let (mut left, mut right, mut ties) = (zeros(), zeros(), zeros());
        for u in 0..votes.annotators() {
            for vote in votes.of(u) {
                let count = match vote.choice {
                    choice if choice > 0.0 => &mut left,
                    choice if choice < 0.0 => &mut right,
                    _ => &mut ties,
                };
                count[u] += vote.weight;
            }
        }
        Self { left, right, ties }
    }
}

fn knockoff(
    votes: &Votes,
    options: &Options,
    problem: &Problem,
    hodgerank: &[f64],
    stop: &Stop,
) -> Result<Option<Vec<bool>>> {
    let wanted = options.position_bias && options.bias_test != BiasTest::PValue;
    let (Some(rate), true) = (options.fdr, wanted) else {
        return Ok(None);
    };
    let statistic = knockoff_statistics(&votes.comparisons, problem, hodgerank, stop)?;
    let plus = options.bias_test == BiasTest::KnockoffPlus;
    Ok(Some(knockoff_selection(&statistic, rate, plus)))
}

/// The scores that explain a flow best.
pub(crate) fn scores_of(flow: &Flow, consensus: &Consensus, stop: &Stop) -> Result<Vec<f64>> {
    let right = flow.divergence(&flow.value);
    let mut theta = vec![0.0; flow.items()];
    let mut work = consensus.workspace();
    consensus.solve(&right, &mut theta, &mut work, stop)?;
    Ok(theta)
}

impl Circles {
    fn new(
        votes: &Comparisons,
        problem: &Problem,
        flow: &Flow,
        hodgerank: &[f64],
        snapshot: &Snapshot,
    ) -> Option<Self> {
        let explained = flow.gradient(hodgerank);
        let left_over = flow.value.iter().zip(&explained).map(|(f, g)| f - g);
        let left_over: Vec<f64> = left_over.collect();
        let size = flow.inner(&left_over, &left_over);
        if size <= 1e-20 * flow.inner(&flow.value, &flow.value) {
            return None;
        }
        let statistics = &problem.statistics;
        let mut own = vec![0.0; flow.items()];
        let mut circles = Self::default();
        for u in 0..votes.annotators() {
            let bias = snapshot.position_bias()[u];
            if bias == 0.0 && snapshot.deviation_norm()[u] == 0.0 {
                continue;
            }
            let seen = statistics.annotator(u).items;
            for (&item, value) in seen.iter().zip(snapshot.deviation(statistics, u)) {
                own[item as usize] = *value;
            }
            for vote in votes.of(u) {
                let (a, b) = (vote.left.min(vote.right), vote.left.max(vote.right));
                let side = if a == vote.left { 1.0 } else { -1.0 };
                let round = vote.weight * side * left_over[flow.pair(a, b)];
                circles.personal += round * (own[vote.left] - own[vote.right]);
                circles.position_bias += round * bias;
            }
        }
        circles.personal /= size;
        circles.position_bias /= size;
        Some(circles)
    }
}

fn agreements(votes: &Comparisons, theta: &[f64]) -> Vec<f64> {
    let each = 0..votes.annotators();
    each.map(|u| agreement(votes, u, theta)).collect()
}

/// The share of an annotator's untied votes that the consensus predicts.
fn agreement(votes: &Comparisons, annotator: usize, theta: &[f64]) -> f64 {
    let (mut agreed, mut untied) = (0.0, 0.0);
    for vote in votes.of(annotator).filter(|vote| vote.choice != 0.0) {
        untied += vote.weight;
        if vote.choice * (theta[vote.left] - theta[vote.right]) > 0.0 {
            agreed += vote.weight;
        }
    }
    agreed / untied
}

impl Personal {
    fn new(problem: &Problem, snapshot: &Snapshot) -> Self {
        let mut component = vec![0; snapshot.theta().len()];
        for (index, items) in problem.consensus.components().enumerate() {
            for &item in items {
                component[item as usize] = index;
            }
        }
        let mut personal = Self {
            starts: vec![0],
            ..Self::default()
        };
        let norms = snapshot.deviation_norm();
        for u in (0..norms.len()).filter(|&u| norms[u] != 0.0) {
            let annotator = problem.statistics.annotator(u);
            let deviation = snapshot.deviation(&problem.statistics, u);
            personal.annotator.push(u as u32);
            personal
                .adversarial
                .push(covariance(annotator.items, deviation, snapshot.theta(), &component) < 0.0);
            let votes = annotator.graph.degrees();
            let seen = annotator.items.iter().zip(deviation).zip(votes);
            let mut seen: Vec<_> = seen.collect();
            seen.sort_unstable_by_key(|((item, _), _)| **item);
            for ((&item, &deviation), votes) in seen {
                personal.item.push(item);
                personal.deviation.push(deviation);
                personal.votes.push(votes);
            }
            personal.starts.push(personal.item.len());
        }
        personal
    }
}

/// How an annotator's own scores go with the consensus over the items that the
/// annotator saw; scores of different components do not compare.
fn covariance(items: &[u32], deviation: &[f64], theta: &[f64], component: &[usize]) -> f64 {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&place| component[items[place] as usize]);
    let same =
        |&a: &usize, &b: &usize| component[items[a] as usize] == component[items[b] as usize];
    let mut sum = 0.0;
    for group in order.chunk_by(same) {
        let consensus = |&place: &usize| theta[items[place] as usize];
        let mean = group.iter().map(consensus).sum::<f64>() / group.len() as f64;
        for place in group {
            let own = consensus(place) + deviation[*place];
            sum += (consensus(place) - mean) * own;
        }
    }
    sum
}
