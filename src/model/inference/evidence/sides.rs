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
use crate::model::distributions::gamma_tail;
use crate::model::flow::Flow;
use crate::votes::Comparisons;

/// With a smaller p-value the sides were not assigned at random.
const MAX_P_VALUE: f64 = 1e-3;

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
    pub(super) fn new(votes: &Comparisons, flow: &Flow, theta: &[f64]) -> Result<Self> {
        let items = votes.items();
        // All of these are integers. The last two: votes on items with different scores, and
        // how often the better one stood left.
        let mut counts = vec![0.0; 2 * items + flow.len() + 2];
        let (by_item, others) = counts.split_at_mut(2 * items);
        let (imbalance, seen) = by_item.split_at_mut(items);
        let (rows_of_pair, decisions) = others.split_at_mut(flow.len());
        for row in 0..votes.len() {
            let [left, right] = votes.pair(row).map(|item| item as usize);
            imbalance[left] += 1.0;
            imbalance[right] -= 1.0;
            seen[left] += 1.0;
            seen[right] += 1.0;
            rows_of_pair[flow.pair(left.min(right), left.max(right))] += 1.0;
            if theta[left] != theta[right] {
                decisions[0] += 1.0;
                decisions[1] += f64::from(u8::from(theta[left] > theta[right]));
            }
        }
        let counts = votes.partition().total_counts(counts)?;
        let (by_item, others) = counts.split_at(2 * items);
        let (imbalance, seen) = by_item.split_at(items);
        let (rows_of_pair, decisions) = others.split_at(flow.len());
        let (decided, better_left) = (decisions[0], decisions[1]);
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
