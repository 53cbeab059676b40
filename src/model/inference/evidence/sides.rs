//! Whether the sides were assigned at random.
//!
//! With a_i how often item i stood left less how often right, and d_i how often it was
//! seen, random sides make
//!
//! ```text
//! A = Σ_i a_i²/d_i = Σ_{v,w} ε_v ε_w h_vw
//! ```
//!
//! a quadratic form in random signs, with mean n (the number of items) and variance
//! 2(tr B² − Σ_v h_vv²), B the normalised Laplacian. It does not look at choices, so no
//! habit of an annotator can move it; it is large if good items stand on one side more
//! often, or if one item always stands left. Rows count, whatever their weight.

use crate::error::Result;
use crate::execution::in_parallel;
use crate::model::distributions::gamma_tail;
use crate::model::flow::Flow;
use crate::votes::Comparisons;

/// With a smaller p-value the sides were not assigned at random.
const MAX_P_VALUE: f64 = 1e-3;

/// A thread counts at least so many votes.
const MIN_ROWS_PER_PART: usize = 1 << 17;

/// How the sides of the votes were assigned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideAssignment {
    /// The p-value of the hypothesis that they were assigned at random.
    pub p_value: f64,
    /// The share of votes in which the item with the higher score stood left.
    pub better_left: f64,
}

impl Default for SideAssignment {
    /// Of votes whose sides say nothing.
    fn default() -> Self {
        Self {
            p_value: 1.0,
            better_left: 0.5,
        }
    }
}

impl SideAssignment {
    /// Looks at the votes, given their pairs and the scores of the items.
    pub(super) fn new(
        votes: &Comparisons,
        flow: &Flow,
        theta: &[f64],
        threads: usize,
    ) -> Result<Self> {
        let items = votes.items();
        let counts = item_counts(votes, theta, threads)?;
        let counts = votes.partition().total_counts(counts)?;
        let (by_item, decisions) = counts.split_at(2 * items);
        let (imbalance, seen) = by_item.split_at(items);
        let (decided, better_left) = (decisions[0], decisions[1]);
        let rows_of_pair = match votes.is_weighted() {
            true => &votes.partition().total_counts(rows_of_pairs(votes, flow))?,
            false => &flow.weight,
        };
        let terms = imbalance.iter().zip(seen).filter(|(_, seen)| **seen > 0.0);
        let mean = terms.clone().count() as f64;
        let value: f64 = terms.map(|(a, d)| a * a / d).sum();
        let mut square = mean;
        for (k, rows) in rows_of_pair.iter().enumerate() {
            let (a, b) = (seen[flow.a[k] as usize], seen[flow.b[k] as usize]);
            square += 2.0 * rows * rows / (a * b) - rows * (1.0 / a + 1.0 / b).powi(2);
        }
        let variance = 2.0 * square;
        // That of a multiple of χ² with this mean and variance.
        let third_moment = 2.0 * variance * variance / mean;
        let p_value = if variance > 1e-9 * mean {
            gamma_tail(value - mean, variance, third_moment)
        } else {
            1.0 // no two votes have an item in common
        };
        Ok(Self {
            p_value,
            better_left: if decided > 0.0 {
                better_left / decided
            } else {
                0.5
            },
        })
    }

    /// Whether the sides may have been assigned at random.
    pub fn is_random(&self) -> bool {
        self.p_value > MAX_P_VALUE
    }
}

/// By item how often it stood left minus how often right, by item how often it was seen; how
/// many votes are on items with different scores, and how often the better one stood left.
/// These are integers, exact in any order.
fn item_counts(votes: &Comparisons, theta: &[f64], threads: usize) -> Result<Vec<f64>> {
    let (rows, items) = (votes.len(), votes.items());
    let parts = (rows / MIN_ROWS_PER_PART).clamp(1, threads.max(1));
    let counts = in_parallel(parts, threads, |part| {
        let bound = |part: usize| (rows as u128 * part as u128 / parts as u128) as usize;
        let mut counts = vec![0.0; 2 * items + 2];
        for row in bound(part)..bound(part + 1) {
            let [left, right] = votes.pair(row).map(|item| item as usize);
            counts[left] += 1.0;
            counts[right] -= 1.0;
            counts[items + left] += 1.0;
            counts[items + right] += 1.0;
            counts[2 * items] += f64::from(u8::from(theta[left] != theta[right]));
            counts[2 * items + 1] += f64::from(u8::from(theta[left] > theta[right]));
        }
        Ok(counts)
    })?;
    let mut counts = counts.into_iter();
    let mut total = counts.next().expect("at least one part");
    for part in counts {
        total.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    }
    Ok(total)
}

/// By pair: the number of votes that are here, whatever their weight.
fn rows_of_pairs(votes: &Comparisons, flow: &Flow) -> Vec<f64> {
    let mut rows = vec![0.0; flow.len()];
    for row in 0..votes.len() {
        let [left, right] = votes.pair(row).map(|item| item as usize);
        rows[flow.pair(left.min(right), left.max(right))] += 1.0;
    }
    rows
}
