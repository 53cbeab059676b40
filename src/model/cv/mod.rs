//! When to stop: the grid time at which held-out votes are predicted best.
//!
//! The votes of each fold are predicted along a path that was run without them,
//! with the step size and the grid of all votes; with shorter steps where so
//! many votes are held out that the path would oscillate.
//!
//! The last grid times cost the most. A time is chosen among those before the
//! error has clearly turned, so who only wants to know which one need not run the
//! rest.

mod early_stopping;
mod fold;
mod interleaved;
mod score;
mod sequential;

use std::sync::OnceLock;
use std::thread;

use crate::error::Result;
use crate::execution::{CvExtent, Stop, join};
use crate::model::settings::Settings;
use crate::votes::{Comparisons, Folds};

use fold::Training;
use interleaved::Interleaved;
use sequential::Sequential;

pub use score::Scorer;

/// The errors of every fold at every grid time, or at those until they turned.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidation {
    /// Mean squared error, by fold and grid time.
    pub errors: Vec<Vec<f64>>,
    /// Share of votes for the other side than predicted (ties count half), by fold and grid time.
    pub mismatches: Vec<Vec<f64>>,
    /// Mean squared error of plain HodgeRank, by fold.
    pub hodgerank_errors: Vec<f64>,
    /// The number of grid times until the error has clearly turned, that at which
    /// it has included.
    pub until_turned: usize,
}

impl CrossValidation {
    /// The number of grid times that the folds were run to.
    pub(crate) fn points(&self) -> usize {
        self.errors[0].len()
    }

    /// The mean over folds at a grid time.
    pub fn error(&self, index: usize) -> f64 {
        mean(self.errors.iter().map(|fold| fold[index]))
    }

    /// The standard deviation over folds at a grid time; None for a single fold.
    pub fn error_std(&self, index: usize) -> Option<f64> {
        let centre = self.error(index);
        let squares = self
            .errors
            .iter()
            .map(|fold| (fold[index] - centre).powi(2));
        let folds = self.errors.len();
        (folds > 1).then(|| (squares.sum::<f64>() / (folds - 1) as f64).sqrt())
    }

    /// The mean mismatch over folds at a grid time.
    pub fn mismatch(&self, index: usize) -> f64 {
        mean(self.mismatches.iter().map(|fold| fold[index]))
    }

    /// The mean over folds of plain HodgeRank's error.
    pub fn hodgerank_error(&self) -> f64 {
        mean(self.hodgerank_errors.iter().copied())
    }

    /// The grid time with the smallest error before it has clearly turned; the
    /// first of equals.
    pub fn best(&self) -> usize {
        let better = |best, index| {
            if self.error(index) < self.error(best) {
                index
            } else {
                best
            }
        };
        (1..self.until_turned).fold(0, better)
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Runs a path for each fold, several at a time, and scores the votes that were held out.
pub fn cross_validate(
    votes: &Comparisons,
    folds: &Folds,
    settings: Settings,
    grid: &[f64],
    threads: usize,
    stop: &Stop,
) -> Result<CrossValidation> {
    let held_out = HeldOut {
        votes,
        folds,
        settings,
        grid,
        curve: CvExtent::FullGrid,
    };
    Ok(held_out.validate_beside(threads, stop, || Ok(()))?.0)
}

/// What a cross-validation is made from.
#[derive(Clone, Copy)]
pub(crate) struct HeldOut<'a> {
    pub votes: &'a Comparisons,
    pub folds: &'a Folds,
    pub settings: Settings,
    pub grid: &'a [f64],
    pub curve: CvExtent,
}

/// Up to so many votes all folds are in memory at once.
const VOTES_TOGETHER: usize = 250_000;

impl HeldOut<'_> {
    /// Runs the folds' paths, with other work taken up first by one of the threads.
    pub(crate) fn validate_beside<T: Send>(
        &self,
        threads: usize,
        stop: &Stop,
        other: impl FnOnce() -> Result<T> + Send,
    ) -> Result<(CrossValidation, T)> {
        let folds = self.folds.count();
        let (Until { found, turned }, other) = if self.votes.len() <= VOTES_TOGETHER {
            let training: Vec<OnceLock<Training>> = (0..folds).map(|_| OnceLock::new()).collect();
            let together = Interleaved::new(self, &training);
            let other = on_threads(threads.min(folds + 1), || together.work(stop), other)?;
            (together.finish(), other)
        } else {
            let apart = Sequential::new(self);
            let other = on_threads(threads.min(folds + 1), || apart.work(stop), other)?;
            (apart.finish(), other)
        };
        // Some may have gone further than others before it was known.
        let points = match self.curve {
            CvExtent::FullGrid => self.grid.len(),
            CvExtent::UntilStopped => turned,
        };
        let mut all = CrossValidation {
            errors: Vec::new(),
            mismatches: Vec::new(),
            hodgerank_errors: Vec::new(),
            until_turned: turned,
        };
        for mut fold in found {
            fold.squared.truncate(points);
            fold.mismatches.truncate(points);
            all.errors.push(fold.squared);
            all.mismatches.push(fold.mismatches);
            all.hodgerank_errors.push(fold.hodgerank);
        }
        Ok((all, other))
    }
}

/// Something, and how many grid times there are until the error has clearly
/// turned, that at which it has included.
struct Until<T> {
    found: T,
    turned: usize,
}

/// Does work on several threads, and before that other work on one of them.
fn on_threads<T>(
    threads: usize,
    work: impl Fn() -> Result<()> + Sync,
    other: impl FnOnce() -> Result<T>,
) -> Result<T> {
    thread::scope(|scope| {
        let handles: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let other = other();
        let own = work();
        let ended = handles.into_iter().map(join).chain([own]);
        ended.collect::<Result<()>>()?;
        other
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Problem;
    use crate::options::Options;
    use crate::random::Random;
    use crate::votes::Comparison;

    /// Annotators who agree but for chance, and some who click left.
    fn votes(annotators: usize, items: usize) -> Comparisons {
        let mut random = Random(5);
        let mut votes = Comparisons::with_capacity(items, 0, false, false);
        for annotator in 0..annotators {
            for _ in 0..20 + annotator % 7 {
                let left = random.below(items);
                let right = (left + 1 + random.below(items - 1)) % items;
                let better = right as f64 - left as f64 + items as f64 * random.normal();
                votes.push(Comparison {
                    left,
                    right,
                    choice: if better > 0.0 || annotator % 5 == 0 {
                        1.0
                    } else {
                        -1.0
                    },
                    weight: 1.0,
                });
            }
            votes.end_annotator();
        }
        votes
    }

    #[test]
    fn folds_have_the_same_errors_together_and_apart() {
        let (stop, options) = (Stop::default(), Options::default());
        let votes = votes(60, 12);
        let folds = Folds::draw(votes.len(), 4, 1);
        let problem = Problem::new(&votes, &options, &stop).unwrap();
        let grid = problem.grid(&options).unwrap();
        let held_out = |curve| HeldOut {
            votes: &votes,
            folds: &folds,
            settings: problem.settings,
            grid: &grid,
            curve,
        };
        let together = |curve, threads: usize| {
            let training: Vec<OnceLock<Training>> = (0..4).map(|_| OnceLock::new()).collect();
            let held_out = held_out(curve);
            let together = Interleaved::new(&held_out, &training);
            on_threads(threads, || together.work(&stop), || Ok(())).unwrap();
            together.finish()
        };
        let apart = |curve, threads: usize| {
            let held_out = held_out(curve);
            let apart = Sequential::new(&held_out);
            on_threads(threads, || apart.work(&stop), || Ok(())).unwrap();
            apart.finish()
        };
        let whole = together(CvExtent::FullGrid, 1);
        let all = apart(CvExtent::FullGrid, 3);
        assert!(whole.turned < grid.len() && all.turned < grid.len());
        for (a, b) in whole.found.iter().zip(&all.found) {
            assert_eq!(a.squared.len(), grid.len());
            assert_eq!((&a.squared, a.hodgerank), (&b.squared, b.hodgerank));
            assert_eq!(a.mismatches, b.mismatches);
        }
        for (found, turned) in [
            (together(CvExtent::UntilStopped, 1), whole.turned),
            (together(CvExtent::UntilStopped, 3), whole.turned),
            (apart(CvExtent::UntilStopped, 1), all.turned),
            (apart(CvExtent::UntilStopped, 3), all.turned),
        ] {
            assert_eq!(found.turned, turned);
            for (cut, whole) in found.found.iter().zip(&whole.found) {
                assert!((turned..grid.len()).contains(&cut.squared.len()));
                assert_eq!(cut.squared[..turned], whole.squared[..turned]);
            }
        }
    }
}
