//! Runs the path and cross-validation, and puts a fit together.

use super::parts::{agreements, mean_strength};
use super::{
    ChosenModel, ClickCounts, CvCurve, CycleSources, Fit, FitTotals, ItemTally, PathRecord,
    PersonalScores, RowChecks, SelfConsistency,
};
use crate::error::Result;
use crate::execution::{FitExtent, Stop};
use crate::model::{
    CvInput, Evidence, Fitted, PairVariance, Problem, Snapshot, StandardErrors,
    cross_validate_with, knockoff_selection, knockoff_statistics,
};
use crate::options::{BiasTest, Loss, Options, PairModel};
use crate::votes::{Folds, Votes};

/// Fits the model.
pub(super) fn compute(
    votes: &Votes,
    options: &Options,
    (threads, extent): (usize, FitExtent),
    stop: &Stop,
) -> Result<Fit> {
    let comparisons = &votes.comparisons;
    let problem = Problem::on_threads(comparisons, options, threads, stop)?;
    let mut tally = ItemTally::new(comparisons, &problem.consensus, threads)?;
    let run = PathRunner::new(votes, options, &problem, threads)?;
    let folds = folds(votes, options);
    let paths = 1 + folds.as_ref().map_or(0, Folds::count);
    stop.steps.expect(paths * run.grid.len());
    let (path, validation) = match folds {
        None => (run.whole_path(run.known_index(), stop)?, None),
        Some(folds) => run.cross_validated_path(&folds, extent, stop)?,
    };
    let totals = FitTotals {
        votes: problem.statistics.total(),
        skipped: votes.skipped,
        kappa: options.kappa,
        loss: options.loss,
        alpha: problem.has_path().then_some(problem.settings.alpha),
        first_entry: problem.has_path().then_some(problem.first_entry),
        iterations: path.iterations,
        fdr: options.fdr,
        sides: ClickCounts::of_all(comparisons, threads)?,
        strength: mean_strength(comparisons, threads)?,
        seed: options.seed,
    };
    let evidence = match extent {
        FitExtent::ChosenTime => Evidence::default(),
        _ => evidence(votes, options, &problem, threads, stop)?,
    };
    let orders = if options.has_position_bias() { 2 } else { 1 };
    let pair_variance = PairVariance::new(
        comparisons,
        &problem.flow,
        options.pair_model,
        threads,
        stop,
    )?;
    let knockoff = knockoff(votes, options, &problem, &path.hodgerank, stop)?;
    tally.consensus = path.consensus;
    tally.hodgerank = match options.pair_model {
        PairModel::Uniform => path.hodgerank,
        _ => problem.consensus.scores_of(&problem.flow, stop)?,
    };
    let fit = Fit {
        columns: votes.columns_read(),
        items: votes.items.clone(),
        annotators: votes.annotators.clone(),
        totals,
        tally,
        clicks: ClickCounts::new(comparisons, threads)?,
        self_consistency: SelfConsistency::new(comparisons, threads, stop)?,
        evidence,
        knockoff,
        path: path.record,
        validation,
        chosen: path.chosen,
        row_checks: RowChecks::new(comparisons, orders * problem.flow.len(), threads)?,
        pair_variance,
        flow: problem.flow,
    };
    fit.refuse_overflow()
}

/// What a fit that ended at the chosen time lacks: the path over the whole grid, and the tests
/// of each annotator.
pub(super) fn whole_path(
    votes: &Votes,
    options: &Options,
    threads: usize,
    stop: &Stop,
) -> Result<(PathRecord, Evidence)> {
    let problem = Problem::on_threads(&votes.comparisons, options, threads, stop)?;
    let run = PathRunner::new(votes, options, &problem, threads)?;
    stop.steps.expect(run.grid.len());
    let record = run.whole_path(None, stop)?.record;
    Ok((record, evidence(votes, options, &problem, threads, stop)?))
}

/// The folds of the cross-validation. None if a time is given, no folds are
/// wanted, or there is a single vote.
fn folds(votes: &Votes, options: &Options) -> Option<Folds> {
    let comparisons = &votes.comparisons;
    let rows = comparisons.partition().rows();
    let drawn = || Folds::draw_share(rows, comparisons.len(), options.folds, options.seed);
    let given = votes.folds.clone();
    let wanted = options.t.is_none() && (options.folds > 0 || given.is_some());
    wanted
        .then(|| given.unwrap_or_else(drawn))
        .filter(|folds| folds.count() >= 2)
}

/// Runs the path of all votes, and describes the model at a time on it.
struct PathRunner<'a> {
    votes: &'a Votes,
    options: &'a Options,
    problem: &'a Problem,
    grid: Vec<f64>,
    threads: usize,
}

/// What is kept of the path of all votes.
struct PathRun {
    record: PathRecord,
    hodgerank: Vec<f64>,
    /// The scores without effects where they are not HodgeRank's; else empty.
    consensus: Vec<f64>,
    iterations: u64,
    chosen: Option<ChosenModel>,
}

impl<'a> PathRunner<'a> {
    fn new(
        votes: &'a Votes,
        options: &'a Options,
        problem: &'a Problem,
        threads: usize,
    ) -> Result<Self> {
        Ok(Self {
            votes,
            options,
            problem,
            grid: problem.grid(options)?,
            threads,
        })
    }

    /// The grid index of the chosen time, where that does not need cross-validation. A
    /// single vote cannot be held out; it says nothing about effects.
    fn known_index(&self) -> Option<usize> {
        let is_single = self.votes.comparisons.len() == 1 && self.options.folds > 0;
        match self.options.t {
            Some(_) => Some(self.grid.len() - 1),
            None => (is_single || !self.problem.has_path()).then_some(0),
        }
    }

    /// Runs the path over the grid, and describes the model at one of its times
    /// if that is known already.
    fn whole_path(&self, chosen_index: Option<usize>, stop: &Stop) -> Result<PathRun> {
        self.path(self.grid.len(), chosen_index, stop)
    }

    /// The same up to so many grid times.
    fn path(&self, points: usize, chosen_index: Option<usize>, stop: &Stop) -> Result<PathRun> {
        let mut path = self.problem.path(stop)?;
        let (hodgerank, consensus) = match self.options.loss {
            Loss::Squared => (path.consensus().to_vec(), Vec::new()),
            _ => (self.problem.hodgerank(stop)?, path.consensus().to_vec()),
        };
        let mut record = PathRecord::new(&self.grid);
        let mut chosen = None;
        for (index, &t) in self.grid[..points].iter().enumerate() {
            let snapshot = path.advance_to(t, stop)?;
            record.push(index, snapshot);
            stop.steps.count();
            if chosen_index == Some(index) {
                chosen = Some(self.chosen_model(snapshot, index, &hodgerank, stop)?);
            }
        }
        Ok(PathRun {
            record,
            hodgerank,
            consensus,
            iterations: path.iterations_to(self.grid[self.grid.len() - 1]) as u64,
            chosen,
        })
    }

    /// Runs the path and those of the folds, which choose a time.
    fn cross_validated_path(
        &self,
        folds: &Folds,
        extent: FitExtent,
        stop: &Stop,
    ) -> Result<(PathRun, Option<CvCurve>)> {
        let input = CvInput {
            votes: &self.votes.comparisons,
            folds,
            settings: self.problem.settings,
            norm: self.problem.norm,
            grid: &self.grid,
            extent: extent.of_folds(),
        };
        if extent == FitExtent::ChosenTime {
            let (validation, ()) = cross_validate_with(&input, self.threads, stop, || Ok(()))?;
            let index = validation.best();
            let run = self.path(index + 1, Some(index), stop)?;
            return Ok((run, Some(CvCurve::new(&validation))));
        }
        let path = || self.whole_path(None, stop);
        let (validation, mut run) = cross_validate_with(&input, self.threads, stop, path)?;
        // The path has passed the chosen time, and is run once more up to there. This takes
        // from 1 to 4 % of a fit, as few effects have entered by then; to keep the models at
        // all grid times instead would take memory for up to 50 deviations of each annotator.
        let index = validation.best();
        let mut path = self.problem.path(stop)?;
        let snapshot = path.advance_to(self.grid[index], stop)?;
        run.chosen = Some(self.chosen_model(snapshot, index, &run.hodgerank, stop)?);
        Ok((run, Some(CvCurve::new(&validation))))
    }

    fn chosen_model(
        &self,
        snapshot: &Snapshot,
        grid_index: usize,
        hodgerank: &[f64],
        stop: &Stop,
    ) -> Result<ChosenModel> {
        let votes = &self.votes.comparisons;
        let flow = &self.problem.flow;
        let flow_is_in_votes =
            self.options.pair_model == PairModel::Uniform && self.options.loss == Loss::Squared;
        let cycle_sources = || CycleSources::new(votes, flow, hodgerank, snapshot, self.threads);
        Ok(ChosenModel {
            grid_index,
            agreement: agreements(votes, snapshot.theta(), self.threads)?,
            personal: PersonalScores::new(snapshot),
            standard_errors: self.standard_errors(snapshot, stop)?,
            cycle_sources: flow_is_in_votes.then(cycle_sources).transpose()?.flatten(),
        })
    }

    fn standard_errors(&self, snapshot: &Snapshot, stop: &Stop) -> Result<StandardErrors> {
        let has_effects = self.options.has_effects();
        let is_uniform = self.options.pair_model == PairModel::Uniform;
        let fitted = Fitted {
            theta: snapshot.theta(),
            loss: self.options.loss,
            ridge: self.options.hessian_ridge(),
            effects: has_effects.then(|| (snapshot, self.problem.settings_of_long_steps())),
            pairs: is_uniform.then_some(&self.problem.flow),
        };
        StandardErrors::new(
            &self.votes.comparisons,
            self.problem.pairs(),
            self.problem.consensus.components(),
            fitted,
            self.threads,
            stop,
        )
    }
}

/// The tests of each annotator; none if nobody knows who voted. Without position bias in
/// the model, left and right may stand for winner and loser, and nobody is tested for it.
fn evidence(
    votes: &Votes,
    options: &Options,
    problem: &Problem,
    threads: usize,
    stop: &Stop,
) -> Result<Evidence> {
    if !votes.has_annotators() {
        return Ok(Evidence::default());
    }
    let is_uniform = options.pair_model == PairModel::Uniform;
    let flow = is_uniform.then_some(&problem.flow);
    Evidence::new(
        &votes.comparisons,
        &problem.statistics,
        flow,
        options.has_position_bias(),
        threads,
        stop,
    )
}

/// By annotator: whether the knockoff filter calls them biased, if it is asked for.
fn knockoff(
    votes: &Votes,
    options: &Options,
    problem: &Problem,
    hodgerank: &[f64],
    stop: &Stop,
) -> Result<Option<Vec<bool>>> {
    let wanted = options.has_position_bias() && options.bias_test != BiasTest::PValue;
    let (Some(rate), true) = (options.fdr, wanted) else {
        return Ok(None);
    };
    let statistic = knockoff_statistics(&votes.comparisons, problem, hodgerank, stop)?;
    let plus = options.bias_test == BiasTest::KnockoffPlus;
    Ok(Some(knockoff_selection(&statistic, rate, plus)))
}
