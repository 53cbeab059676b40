//! Early stopping: where the error on held-out votes has clearly risen above its
//! minimum, so that it will hardly fall below it again.
//!
//! The rule looks at the errors of all folds together, at one grid time after
//! the other. It stops at the first time where the pooled error exceeds its
//! minimum so far by 2 % and by three standard errors of that rise. Votes of one
//! annotator depend on each other, so the standard error is clustered: with s_u
//! the rise of annotator u's sum of losses, w_u the weight of u's votes
//! and r = Σ s_u / Σ w_u,
//!
//! ```text
//! standard error of r = √ Σ_u (s_u − r·w_u)² / Σ_u w_u
//! ```
//!
//! An annotator counts once in each fold: there the path has learnt about the
//! annotator from votes in the other folds.
//!
//! The last times up to the stop take the longest. Of many votes the first fold, the
//! [`Scout`], says which of them the others need not look at.

use std::array::from_fn;
use std::ops::Range;
use std::sync::Arc;

use super::score::LossSum;
use super::scout::{MARGIN_OF_ONE, Scout};
use crate::error::Result;
use crate::votes::Partition;

/// The rise must exceed this part of the minimum.
const MARGIN: f64 = 0.02;

/// And so many of its standard errors.
const STANDARD_ERRORS: f64 = 3.0;

/// A standard error is not known from fewer annotators than this in a fold.
const MIN_ANNOTATORS: usize = 10;

/// Decides where to stop, from the errors of all folds in whichever order they
/// are recorded.
pub(super) struct EarlyStopping {
    /// How the annotators are divided into blocks, whose sums are added.
    partition: Arc<Partition>,
    grid_points: usize,
    /// By fold: the weight of each annotator's votes in it.
    weights: Vec<Vec<f64>>,
    /// By grid time and fold: the same annotators' sums of losses.
    /// A grid time is emptied when the rule has looked at it.
    sums: Vec<Vec<Option<Vec<f64>>>>,
    /// The pooled errors that the rule has looked at.
    errors: Vec<f64>,
    minimum: f64,
    sums_at_minimum: Vec<Vec<f64>>,
    /// Whether the latest of them is where all folds together stop.
    has_risen: bool,
    scout: Option<Scout>,
    stop: Option<usize>,
}

impl EarlyStopping {
    /// Of so many folds and grid times; with a scout, or without.
    pub fn new(
        folds: usize,
        grid_points: usize,
        has_scout: bool,
        partition: Arc<Partition>,
    ) -> Self {
        Self {
            partition,
            grid_points,
            scout: has_scout.then(Scout::default),
            weights: vec![Vec::new(); folds],
            sums: Vec::new(),
            errors: Vec::new(),
            minimum: f64::INFINITY,
            sums_at_minimum: Vec::new(),
            has_risen: false,
            stop: None,
        }
    }

    /// How many folds there are.
    pub fn folds(&self) -> usize {
        self.weights.len()
    }

    /// The number of grid times up to the stop, the one where it stopped
    /// included; None while it is not known.
    pub fn stop(&self) -> Option<usize> {
        self.stop
    }

    /// The number of grid times that a fold has to be evaluated at, as far as is known.
    pub fn needed_points(&self, fold: usize) -> usize {
        let of_scout = self.scout.as_ref().filter(|_| !self.is_scout_wrong());
        match (self.stop, of_scout) {
            (Some(stop), _) => stop,
            (None, None) => self.grid_points,
            (None, Some(scout)) => match scout.points_of_others() {
                // It runs ahead.
                _ if fold == 0 && !scout.has_ended() => self.grid_points,
                points => points.unwrap_or(self.grid_points),
            },
        }
    }

    /// Whether folds wait for the scout.
    pub fn is_waiting(&self) -> bool {
        let scout = self.scout.as_ref();
        self.stop.is_none() && scout.is_some_and(|scout| !scout.has_ended())
    }

    /// Takes in the errors of a fold at a grid time, by annotator that is here.
    pub fn record(&mut self, fold: usize, point: usize, by_annotator: &[LossSum]) -> Result<()> {
        if self.stop.is_some() {
            return Ok(());
        }
        if self.weights[fold].is_empty() {
            self.weights[fold] = by_annotator.iter().map(|errors| errors.weight).collect();
        }
        let sums: Vec<f64> = by_annotator.iter().map(|errors| errors.sum).collect();
        if fold == 0 {
            self.advance_scout(point, &sums)?;
        }
        if self.sums.len() <= point {
            let folds = self.weights.len();
            self.sums.resize_with(point + 1, || vec![None; folds]);
        }
        self.sums[point][fold] = Some(sums);
        while let Some(sums) = self.next_point() {
            self.apply_rule(sums)?;
        }
        self.stop = self.find_stop();
        Ok(())
    }

    fn advance_scout(&mut self, point: usize, sums: &[f64]) -> Result<()> {
        let Some(mut scout) = self.scout.take() else {
            return Ok(());
        };
        let is_last = point + 1 == self.grid_points;
        let sums = [sums.to_vec()];
        let [sum, weight] = self.sum_over_voters(0..1, |_, u| [sums[0][u], self.weights[0][u]])?;
        let error_of = |rise: f64, before: &[f64]| {
            let before = [before.to_vec()];
            self.standard_error(0..1, rise, &sums, &before)
        };
        scout.advance((point, sum / weight), &sums[0], is_last, error_of)?;
        self.scout = Some(scout);
        Ok(())
    }

    /// The errors of all folds at the next grid time, once they are complete.
    fn next_point(&mut self) -> Option<Vec<Vec<f64>>> {
        let sums = self.sums.get_mut(self.errors.len())?;
        if self.has_risen || sums.iter().any(Option::is_none) {
            return None;
        }
        Some(std::mem::take(sums).into_iter().flatten().collect())
    }

    fn apply_rule(&mut self, sums: Vec<Vec<f64>>) -> Result<()> {
        let folds = 0..self.folds();
        let [sum, weight] = self.sum_over_voters(folds.clone(), |fold, u| {
            [sums[fold][u], self.weights[fold][u]]
        })?;
        let error = sum / weight;
        self.errors.push(error);
        if error < self.minimum {
            self.minimum = error;
            self.sums_at_minimum = sums;
            return Ok(());
        }
        let rise = error - self.minimum;
        self.has_risen = rise > MARGIN * self.minimum
            && rise
                > STANDARD_ERRORS
                    * self.standard_error(folds, rise, &sums, &self.sums_at_minimum)?;
        Ok(())
    }

    /// Where to stop, once that is known: where the pooled error has risen, or before that
    /// where the scout says so.
    fn find_stop(&self) -> Option<usize> {
        let points = self.errors.len();
        let risen = self.has_risen.then_some(points);
        let Some(scout) = &self.scout else {
            return risen;
        };
        // The others run at least as far as this.
        if risen.is_some_and(|points| points <= scout.points_to_minimum()) {
            return risen;
        }
        if !scout.has_ended() {
            return None;
        }
        match scout.points_of_others() {
            Some(limit) if points < limit => risen,
            Some(limit) if !self.is_scout_wrong() => Some(limit),
            _ => risen,
        }
    }

    /// Whether the pooled error falls up to the time where the scout has the others stop.
    fn is_scout_wrong(&self) -> bool {
        let limit = self.scout.as_ref().filter(|scout| scout.has_ended());
        let limit = limit.and_then(Scout::points_of_others);
        let errors = limit.and_then(|limit| self.errors.get(..limit));
        errors
            .and_then(|errors| errors.split_last())
            .is_some_and(|(last, before)| before.iter().all(|error| last < error))
    }

    /// The standard error of the rise of the error of some folds, given the sums of each now
    /// and before.
    fn standard_error(
        &self,
        folds: Range<usize>,
        rise: f64,
        now: &[Vec<f64>],
        before: &[Vec<f64>],
    ) -> Result<f64> {
        let count = folds.len();
        let [squares, total, clusters] = self.sum_over_voters(folds, |fold, u| {
            let weight = self.weights[fold][u];
            let residual = now[fold][u] - before[fold][u] - weight * rise;
            [residual * residual, weight, 1.0]
        })?;
        if clusters < (MIN_ANNOTATORS * count) as f64 {
            return Ok(f64::INFINITY);
        }
        Ok(squares.sqrt() / total)
    }

    /// A sum over all annotators of the table, and for each over those of the folds that they
    /// have votes in.
    fn sum_over_voters<const N: usize>(
        &self,
        folds: Range<usize>,
        term: impl Fn(usize, usize) -> [f64; N] + Sync,
    ) -> Result<[f64; N]> {
        let sum = self.partition.sum(N, 1, |annotators, sum| {
            for u in annotators {
                let has_voted = |fold: &usize| self.weights[*fold][u] > 0.0;
                for fold in folds.clone().filter(has_voted) {
                    for (slot, value) in sum.iter_mut().zip(term(fold, u)) {
                        *slot += value;
                    }
                }
            }
            Ok(())
        })?;
        Ok(from_fn(|k| sum[k]))
    }
}

/// Whether a single fold with these errors is expected to be beyond the stop of
/// all folds. This is a guess that saves time; it decides nothing.
pub(super) fn is_beyond_stop(errors: &[f64]) -> bool {
    let minimum = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let latest = errors.last();
    latest.is_some_and(|latest| latest - minimum > MARGIN_OF_ONE * minimum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(annotators: usize) -> Arc<Partition> {
        Arc::new(Partition::single(annotators, annotators))
    }

    /// After how many grid times a single fold stops. Each annotator has one vote.
    fn stop(curve: &[Vec<f64>]) -> Option<usize> {
        let mut early_stopping = EarlyStopping::new(1, curve.len(), false, single(curve[0].len()));
        for (point, each) in curve.iter().enumerate() {
            let errors = each.iter().map(|&sum| LossSum { sum, weight: 1.0 });
            let errors: Vec<LossSum> = errors.collect();
            early_stopping.record(0, point, &errors).unwrap();
            if early_stopping.stop().is_some() {
                assert_eq!(early_stopping.stop(), Some(point + 1));
            }
        }
        early_stopping.stop()
    }

    #[test]
    fn a_rise_that_all_share_is_clear_and_a_small_one_is_not() {
        let at = |error: f64| vec![error; 20];
        let curve = [1.0, 0.5, 0.4, 0.407, 0.405, 0.409].map(at);
        assert_eq!(stop(&curve), Some(6));
        assert_eq!(stop(&curve[..5]), None);
    }

    #[test]
    fn a_rise_of_one_annotator_is_not_clear() {
        let mut one = vec![0.4; 20];
        one[3] = 2.0;
        assert_eq!(stop(&[vec![0.4; 20], one]), None);
    }

    #[test]
    fn few_annotators_never_stop() {
        assert_eq!(stop(&[vec![0.4; 9], vec![4.0; 9]]), None);
    }

    #[test]
    fn annotators_without_votes_do_not_count() {
        let none = LossSum::default();
        let mut early_stopping = EarlyStopping::new(1, 2, false, single(10));
        for (point, sum) in [0.4, 4.0].into_iter().enumerate() {
            let mut errors = vec![LossSum { sum, weight: 1.0 }; 9];
            errors.push(none);
            early_stopping.record(0, point, &errors).unwrap();
        }
        assert_eq!(early_stopping.stop(), None);
    }

    #[test]
    fn all_folds_together_decide_in_whichever_order_they_come() {
        // The first fold alone would stop at the third time.
        let curves = [[0.5, 0.3, 0.5, 0.5, 0.5], [0.5, 0.3, 0.15, 0.28, 0.3]];
        let each = |sum: f64| vec![LossSum { sum, weight: 1.0 }; 10];
        for order in ["0101010101", "0000011111", "1110000011"] {
            let mut early_stopping = EarlyStopping::new(2, 5, false, single(10));
            let mut points = [0; 2];
            for fold in order.bytes().map(|digit| usize::from(digit - b'0')) {
                let point = points[fold];
                let errors = each(curves[fold][point]);
                early_stopping.record(fold, point, &errors).unwrap();
                points[fold] += 1;
                let known = points.iter().all(|&points| points >= 4);
                assert_eq!(early_stopping.stop(), known.then_some(4));
            }
        }
    }

    #[test]
    fn the_guess_for_one_fold_needs_a_rise_to_the_latest_error() {
        assert!(is_beyond_stop(&[1.0, 0.5, 0.52]));
        assert!(!is_beyond_stop(&[1.0, 0.5, 0.51]));
        assert!(!is_beyond_stop(&[1.0, 0.5, 0.4]));
        assert!(!is_beyond_stop(&[]));
    }

    #[test]
    fn a_scout_with_a_rise_of_one_annotator_cannot_tell() {
        let mut early_stopping = EarlyStopping::new(2, 9, true, single(20));
        let mut last = vec![0.4; 20];
        last[3] = 2.0;
        for (point, each) in [vec![0.5; 20], vec![0.4; 20], last].iter().enumerate() {
            assert_eq!(early_stopping.needed_points(0), 9);
            assert_eq!(early_stopping.needed_points(1), point.max(1));
            assert!(early_stopping.is_waiting());
            let errors = each.iter().map(|&sum| LossSum { sum, weight: 1.0 });
            let errors: Vec<LossSum> = errors.collect();
            early_stopping.record(0, point, &errors).unwrap();
        }
        assert!(!early_stopping.is_waiting());
        assert_eq!(
            [0, 1].map(|fold| early_stopping.needed_points(fold)),
            [9, 9]
        );
    }
}
