//! Runs the path and cross-validation, and puts a fit together.

use super::parts::agreements;
use super::{
    ChosenModel, ClickCounts, CvCurve, CycleSources, Fit, FitTotals, ItemTally, PathRecord,
    PersonalScores,
};
use crate::error::{Error, Result};
use crate::execution::{CvExtent, Stop};
use crate::model::{
    Evidence, Fitted, Flow, HeldOut, LaplacianSolver, Path, Problem, Snapshot, StandardErrors,
    knockoff_selection, knockoff_statistics,
};
use crate::options::{BiasTest, Options, PairModel};
use crate::votes::{Comparisons, Folds, Votes};

/// A table of winners and losers, taken for left and right, would make everybody click left.
pub(super) fn refuse_one_sided(votes: &Comparisons, options: &Options) -> Result<()> {
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

pub(super) fn compute(
    votes: &Votes,
    options: &Options,
    (threads, curve): (usize, CvExtent),
    stop: &Stop,
) -> Result<Fit> {
    let comparisons = &votes.comparisons;
    let problem = Problem::new(comparisons, options, stop)?;
    let grid = problem.grid(options)?;
    let known = match options.t {
        Some(_) => Some(grid.len() - 1),
        None => (!problem.has_path()).then_some(0),
    };
    let ground = Ground {
        votes: comparisons,
        problem: &problem,
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
            validation = Some(CvCurve::new(&found));
            followed
        }
    };
    let totals = FitTotals {
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
        _ => scores_of(&problem.flow, &problem.consensus, stop)?,
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
        clicks: ClickCounts::new(comparisons),
        evidence,
        knockoff,
        path: followed.record,
        validation,
        chosen: followed.chosen,
        flow: problem.flow,
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
    ) -> Result<ChosenModel> {
        let Self {
            votes,
            problem,
            in_votes,
            ..
        } = *self;
        let circles = || CycleSources::new(votes, problem, hodgerank, snapshot);
        Ok(ChosenModel {
            grid_index,
            agreement: agreements(votes, snapshot.theta()),
            personal: PersonalScores::new(problem, snapshot),
            uncertainty: self.uncertainty(snapshot, stop)?,
            circles: in_votes.then(circles).flatten(),
        })
    }

    fn uncertainty(&self, snapshot: &Snapshot, stop: &Stop) -> Result<StandardErrors> {
        let fitted = Fitted {
            theta: snapshot.theta(),
            effects: Some((&self.problem.statistics, snapshot)),
        };
        let components = self.problem.consensus.components();
        StandardErrors::new(
            self.votes,
            &self.problem.flow,
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
    chosen: Option<ChosenModel>,
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
pub(crate) fn scores_of(flow: &Flow, consensus: &LaplacianSolver, stop: &Stop) -> Result<Vec<f64>> {
    let right = flow.divergence(&flow.value);
    let mut theta = vec![0.0; flow.items()];
    let mut work = consensus.scratch();
    consensus.solve(&right, &mut theta, &mut work, stop)?;
    Ok(theta)
}
