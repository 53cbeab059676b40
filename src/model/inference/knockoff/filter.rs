//! The statistics W of the annotators, and the selection by a threshold on them.
//!
//! W_u = ± the larger of 1/t for the times t at which the own column of annotator u and
//! its knockoff enter the path: positive if the own column enters first, negative if the
//! knockoff does. For annotators without a position bias the sign is a fair coin. So
//! #{W ≤ −w} estimates how many of #{W ≥ w} have none, and the threshold is
//!
//! ```text
//! min { w > 0 : (c + #{u : W_u ≤ −w}) / max(1, #{u : W_u ≥ w}) ≤ rate }
//! ```
//!
//! with c = 0 for the knockoff filter and c = 1 for the stricter knockoff+, for which
//! the false discovery rate is proved to be at most `rate`.

use super::design::KnockoffDesign;
use crate::error::{Error, Result};
use crate::execution::Stop;
use crate::model::problem::Problem;
use crate::votes::Comparisons;

/// More annotators than this would take minutes.
const MAX_ANNOTATORS: usize = 2000;

/// W, by annotator; 0 for those whose votes say nothing of a position bias.
pub fn knockoff_statistics(
    votes: &Comparisons,
    problem: &Problem,
    hodgerank: &[f64],
    stop: &Stop,
) -> Result<Vec<f64>> {
    if !votes.partition().is_complete() {
        return Err(Error::option(
            "bias_test = 'knockoff' needs all votes in one process: leave bias_test out for the \
             test by p-values",
        ));
    }
    let annotators = problem.statistics.annotators();
    if annotators > MAX_ANNOTATORS {
        return Err(Error::option(format!(
            "the knockoff filter takes at most {MAX_ANNOTATORS} annotators, not {annotators}: \
             leave bias_test out for the test by p-values"
        )));
    }
    let design = KnockoffDesign::new(votes, problem, hodgerank, stop)?;
    let speed = design.entry_speeds(stop)?;
    let (own, knockoff) = speed.split_at(design.annotators.len());
    let mut statistic = vec![0.0; annotators];
    for (column, &u) in design.annotators.iter().enumerate() {
        let (own, knockoff) = (own[column], knockoff[column]);
        statistic[u] = if own > knockoff {
            own
        } else if own < knockoff {
            -knockoff
        } else {
            0.0
        };
    }
    Ok(statistic)
}

/// The annotators whose W reaches the threshold. `plus` is for knockoff+.
pub fn knockoff_selection(statistic: &[f64], rate: f64, plus: bool) -> Vec<bool> {
    let sizes = statistic.iter().map(|w| w.abs());
    let mut sizes: Vec<f64> = sizes.filter(|w| *w > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    let keeps_to_rate = |threshold: f64| {
        let called = statistic.iter().filter(|&&w| w >= threshold).count();
        let by_chance = statistic.iter().filter(|&&w| w <= -threshold).count();
        (by_chance + usize::from(plus)) as f64 <= rate * called.max(1) as f64
    };
    let threshold = sizes.into_iter().find(|&size| keeps_to_rate(size));
    let threshold = threshold.unwrap_or(f64::INFINITY);
    statistic.iter().map(|&w| w >= threshold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_keeps_to_the_rate() {
        let statistic = [9.0, 8.0, 7.0, -6.0, 5.0, 4.0, -3.0, 0.0, 2.0, -1.0];
        let called = |rate, plus| {
            let selected = knockoff_selection(&statistic, rate, plus);
            selected.iter().filter(|&&is| is).count()
        };
        assert_eq!(called(0.1, false), 3); // down to 7: none the other way
        assert_eq!(called(0.2, false), 5); // down to 4: one against five
        assert_eq!(called(0.2, true), 0); // plus: one of five at most
        assert_eq!(called(0.4, true), 5);
        assert!(knockoff_selection(&[], 0.1, false).is_empty());
    }
}
