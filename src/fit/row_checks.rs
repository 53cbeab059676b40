//! What the rows of a votes table look like as rows: repeats, and a vote that
//! outweighs all others.

use super::{DominantRow, RowChecks};
use crate::error::Result;
use crate::model::median_of_table;
use crate::votes::Comparisons;

/// A vote dominates if it makes up more than this share of Σ ω y² …
const MIN_SHARE: f64 = 0.1;

/// … and is more than so many times as large as half of the others: strengths that
/// merely vary, or a large weight, do not make a vote suspect.
const MIN_TIMES_MEDIAN: f64 = 20.0;

impl RowChecks {
    /// `shown`: in how many ways a pair could be shown. That is twice the number of pairs,
    /// or once where the winner is always written down as the left item.
    pub(super) fn new(votes: &Comparisons, shown: usize, threads: usize) -> Result<Self> {
        let counts = [votes.len() as u64, votes.repeated_rows()];
        let [rows, repeated] = votes.partition().total(counts)?;
        Ok(Self {
            rows,
            repeated,
            expected_repeats: expected_repeats(votes, shown, threads)?,
            dominant: DominantRow::new(votes, threads)?,
        })
    }
}

/// How many rows would repeat another one if annotators drew from all pairs and both
/// orders by lot, and always chose as before: n votes on k of them show
/// k (1 − (1 − 1/k)ⁿ) different ones.
fn expected_repeats(votes: &Comparisons, shown: usize, threads: usize) -> Result<f64> {
    let k = shown as f64;
    let sum = votes.partition().sum(1, threads, |annotators, sum| {
        for cluster in votes.clusters_of(annotators) {
            let n = votes.cluster(cluster).len() as f64;
            sum[0] += n - k * (1.0 - (1.0 - 1.0 / k).powf(n));
        }
        Ok(())
    })?;
    Ok(f64::max(sum[0], 0.0)) // rounding
}

/// A vote, and ω y² of it.
#[derive(Clone, Copy, Default)]
struct LargestVote {
    square: f64,
    annotator: usize,
    vote: [f64; 3],
}

impl LargestVote {
    /// The first one of the largest votes of the table.
    fn new(votes: &Comparisons) -> Result<Self> {
        let mut largest = Self::default();
        for u in 0..votes.annotators() {
            for vote in votes.of(u) {
                let square = vote.weight * vote.choice * vote.choice;
                if square > largest.square {
                    largest = Self {
                        square,
                        annotator: u,
                        vote: [vote.left as f64, vote.right as f64, vote.choice],
                    };
                }
            }
        }
        let partition = votes.partition();
        let annotator = (partition.annotators().before + largest.annotator) as f64;
        let [left, right, choice] = largest.vote;
        let here = [largest.square, annotator, left, right, choice];
        let mut largest = Self::default();
        for &[square, annotator, left, right, choice] in partition.gather(&here)?.as_chunks().0 {
            if square > largest.square {
                largest = Self {
                    square,
                    annotator: annotator as usize,
                    vote: [left, right, choice],
                };
            }
        }
        Ok(largest)
    }
}

impl DominantRow {
    fn new(votes: &Comparisons, threads: usize) -> Result<Option<Self>> {
        if !votes.is_graded() {
            return Ok(None);
        }
        let partition = votes.partition();
        let sum = partition.sum(1, threads, |annotators, sum| {
            for vote in annotators.flat_map(|u| votes.of(u)) {
                sum[0] += vote.weight * vote.choice * vote.choice;
            }
            Ok(())
        })?;
        let largest = LargestVote::new(votes)?;
        let share = largest.square / sum[0];
        if share.is_nan() || share <= MIN_SHARE {
            return Ok(None);
        }
        let sizes = || (0..votes.len()).map(|row| votes.get(row).choice.abs());
        let median = median_of_table(&partition, || sizes().filter(|&size| size > 0.0))?;
        let [left, right, choice] = largest.vote;
        Ok((choice.abs() > MIN_TIMES_MEDIAN * median).then_some(Self {
            annotator: votes.has_annotators().then_some(largest.annotator as u32),
            left: left as u32,
            right: right as u32,
            choice,
            share,
            median,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn votes(choices: &[f64], weight: impl Fn(usize) -> f64) -> Comparisons {
        let mut votes = Comparisons::with_capacity(3, 0, true, true);
        let own = choices.iter().enumerate();
        votes.push_annotator(own.map(|(k, &choice)| (0, 1 + k % 2, choice, weight(k))));
        votes
    }

    #[test]
    fn one_vote_of_a_thousand_dominates() {
        let mut choices = vec![1.5; 200];
        choices[7] = -1000.0;
        let found = DominantRow::new(&votes(&choices, |_| 1.0), 1)
            .unwrap()
            .unwrap();
        assert_eq!((found.left, found.right), (0, 2));
        assert_eq!((found.choice, found.median), (-1000.0, 1.5));
        assert!(found.share > 0.999);
    }

    #[test]
    fn strengths_that_vary_and_weights_do_not_dominate() {
        let dominant = |votes: &Comparisons| DominantRow::new(votes, 1).unwrap();
        let varied: Vec<f64> = (1..200).map(|k| f64::from(k) / 10.0).collect();
        assert_eq!(dominant(&votes(&varied, |_| 1.0)), None);
        let heavy = |k| if k == 7 { 1e6 } else { 1.0 };
        assert_eq!(dominant(&votes(&[1.5; 200], heavy)), None);
        assert_eq!(dominant(&votes(&[0.0; 3], |_| 1.0)), None);
    }

    #[test]
    fn few_pairs_must_repeat() {
        // 2 pairs in 2 orders: of 3 votes on 4 an expected 3 − 4 (1 − (3/4)³).
        let expected = expected_repeats(&votes(&[1.0, -1.0, 0.5], |_| 1.0), 4, 1).unwrap();
        assert!((expected - 0.6875).abs() < 1e-12);
    }
}
