//! What the rows of a votes table look like as rows: repeats, and a vote that
//! outweighs all others.

use super::{DominantRow, RowChecks};
use crate::model::median;
use crate::votes::Comparisons;

/// A vote dominates if it makes up more than this share of Σ ω y² …
const MIN_SHARE: f64 = 0.1;

/// … and is more than so many times as large as half of the others: strengths that
/// merely vary, or a large weight, do not make a vote suspect.
const MIN_TIMES_MEDIAN: f64 = 20.0;

impl RowChecks {
    /// `shown`: in how many ways a pair could be shown. That is twice the number of pairs,
    /// or once where the winner is always written down as the left item.
    pub(super) fn new(votes: &Comparisons, shown: usize) -> Self {
        Self {
            rows: votes.len() as u64,
            repeated: votes.repeated_rows(),
            expected_repeats: expected_repeats(votes, shown),
            dominant: DominantRow::new(votes),
        }
    }
}

/// How many rows would repeat another one if annotators drew from all pairs and both
/// orders by lot, and always chose as before: n votes on k of them show
/// k (1 − (1 − 1/k)ⁿ) different ones.
fn expected_repeats(votes: &Comparisons, shown: usize) -> f64 {
    let k = shown as f64;
    let repeats = (0..votes.clusters()).map(|annotator| {
        let n = votes.cluster(annotator).len() as f64;
        n - k * (1.0 - (1.0 - 1.0 / k).powf(n))
    });
    f64::max(repeats.sum(), 0.0) // rounding
}

impl DominantRow {
    fn new(votes: &Comparisons) -> Option<Self> {
        if !votes.is_graded() {
            return None;
        }
        let (mut sum, mut largest, mut at) = (0.0, 0.0, (0, 0));
        for annotator in 0..votes.annotators() {
            for row in votes.rows(annotator) {
                let vote = votes.get(row);
                let square = vote.weight * vote.choice * vote.choice;
                sum += square;
                if square > largest {
                    (largest, at) = (square, (annotator, row));
                }
            }
        }
        let share = largest / sum;
        if share.is_nan() || share <= MIN_SHARE {
            return None;
        }
        let sizes = (0..votes.len()).map(|row| votes.get(row).choice.abs());
        let median = median(sizes.filter(|&size| size > 0.0));
        let vote = votes.get(at.1);
        (vote.choice.abs() > MIN_TIMES_MEDIAN * median).then_some(Self {
            annotator: votes.has_annotators().then_some(at.0 as u32),
            left: vote.left as u32,
            right: vote.right as u32,
            choice: vote.choice,
            share,
            median,
        })
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
        let found = DominantRow::new(&votes(&choices, |_| 1.0)).unwrap();
        assert_eq!((found.left, found.right), (0, 2));
        assert_eq!((found.choice, found.median), (-1000.0, 1.5));
        assert!(found.share > 0.999);
    }

    #[test]
    fn strengths_that_vary_and_weights_do_not_dominate() {
        let varied: Vec<f64> = (1..200).map(|k| f64::from(k) / 10.0).collect();
        assert_eq!(DominantRow::new(&votes(&varied, |_| 1.0)), None);
        let heavy = |k| if k == 7 { 1e6 } else { 1.0 };
        assert_eq!(DominantRow::new(&votes(&[1.5; 200], heavy)), None);
        assert_eq!(DominantRow::new(&votes(&[0.0; 3], |_| 1.0)), None);
    }

    #[test]
    fn few_pairs_must_repeat() {
        // 2 pairs in 2 orders: of 3 votes on 4 an expected 3 − 4 (1 − (3/4)³).
        let expected = expected_repeats(&votes(&[1.0, -1.0, 0.5], |_| 1.0), 4);
        assert!((expected - 0.6875).abs() < 1e-12);
    }
}
