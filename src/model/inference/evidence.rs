//! The tests of all annotators, from the residuals of HodgeRank alone.

use super::bias_test::bias_test;
use super::consensus_slope::{consensus_slope, median_slope};
use super::deviation_test::DeviationScratch;
use crate::error::Result;
use crate::execution::Stop;
use crate::model::statistics::Statistics;
use crate::votes::Comparisons;

/// What the tests say, by annotator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The mean residual of the votes: positive if the annotator prefers the left
    /// side, negative if the right.
    pub mean_residual: Vec<f64>,
    /// The p-value of the test for position bias.
    pub bias_p: Vec<f64>,
    /// The p-value of the test for a deviation from the consensus.
    pub deviation_p: Vec<f64>,
    /// How strongly the votes follow the consensus, relative to the median annotator:
    /// 1 as strongly, below 0 against it, 0 also where the votes do not tell.
    pub slope: Vec<f64>,
}

impl Evidence {
    /// Tests every annotator, given the scores of HodgeRank.
    pub fn new(
        votes: &Comparisons,
        statistics: &Statistics,
        hodgerank: &[f64],
        stop: &Stop,
    ) -> Result<Self> {
        let annotators = 0..votes.annotators();
        let slope = |u| consensus_slope(votes, u, hodgerank);
        let slopes: Vec<f64> = annotators.clone().map(slope).collect();
        let common = median_slope(statistics, &slopes);
        let mut deviation = DeviationScratch::new(votes.items());
        let mut evidence = Self::default();
        for u in annotators {
            stop.check()?;
            let (mean_residual, bias_p) = bias_test(votes, u, hodgerank);
            evidence.mean_residual.push(mean_residual);
            evidence.bias_p.push(bias_p);
            deviation.set_residuals(votes, u, hodgerank, common);
            let deviation_p = deviation.p_value(statistics.annotator(u));
            evidence.deviation_p.push(deviation_p);
            let is_known = !slopes[u].is_nan();
            let slope = if is_known { slopes[u] / common } else { 0.0 };
            evidence.slope.push(slope);
        }
        Ok(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(rows: &[(usize, usize, f64, f64)], theta: &[f64]) -> Evidence {
        let mut votes = Comparisons::with_capacity(theta.len(), 0, true, true);
        votes.push_annotator(rows.iter().copied());
        let statistics = Statistics::new(&votes, &Stop::default()).unwrap();
        Evidence::new(&votes, &statistics, theta, &Stop::default()).unwrap()
    }

    #[test]
    fn votes_without_a_common_item_tell_no_taste() {
        let theta: Vec<f64> = (0..24).map(|item| (f64::from(item) * 0.7).sin()).collect();
        for pairs in 1..12 {
            let rows: Vec<_> = (0..pairs)
                .map(|k| (2 * k, 2 * k + 1, if k % 3 == 0 { -1.0 } else { 1.0 }, 1.0))
                .collect();
            assert_eq!(test(&rows, &theta).deviation_p, [1.0], "{pairs} pairs");
        }
    }

    #[test]
    fn a_weight_is_a_number_of_votes() {
        let once = [
            (0, 1, 1.0, 3.0),
            (1, 2, -1.0, 2.0),
            (2, 0, 1.0, 2.0),
            (0, 2, 1.0, 1.0),
        ];
        let many = once
            .iter()
            .flat_map(|&(l, r, y, w)| vec![(l, r, y, 1.0); w as usize]);
        let many: Vec<_> = many.collect();
        let p_values = |rows: &[(usize, usize, f64, f64)]| {
            let evidence = test(rows, &[0.3, -0.1, -0.2]);
            (evidence.bias_p[0], evidence.deviation_p[0])
        };
        let (a, b) = (p_values(&once), p_values(&many));
        assert!(
            (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12,
            "{a:?} {b:?}"
        );
    }
}
