//! Control of the false discovery rate, after Benjamini and Hochberg (1995).
//!
//! With the p-values sorted, p_(1) ≤ … ≤ p_(n), the q-value of the k-th is
//!
//! ```text
//! q_(k) = min over j ≥ k of min(1, p_(j) · n / j)
//! ```
//!
//! Among all with q ≤ f, the expected share of false discoveries is at most f.

/// The q-value of each p-value.
pub fn q_values(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut q = vec![1.0; p.len()];
    let mut smallest = 1.0;
    for (rank, &index) in order.iter().enumerate().rev() {
        smallest = f64::min(smallest, p[index] * p.len() as f64 / (rank + 1) as f64);
        q[index] = smallest;
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q_values_are_the_least_rate_that_calls_each() {
        assert_eq!(q_values(&[0.03, 0.01, 0.5, 0.02]), [0.04, 0.04, 0.5, 0.04]);
        assert_eq!(q_values(&[]), [0.0; 0]);
    }
}
