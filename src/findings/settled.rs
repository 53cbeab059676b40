//! When to stop: the share of pairs of items whose order is settled.

use crate::error::Result;
use crate::execution::Stop;
use crate::fit::Fit;
use crate::model::{ResistanceSolver, Resistances, q_values};
use crate::random::Random;

/// The order of a pair is settled if its q-value is at most this.
pub(crate) const SETTLED_Q_VALUE: f64 = 0.05;

/// Of more pairs than this, so many are drawn by lot: the share is then known to 0.1 %.
const MAX_PAIRS: u64 = 500_000;

/// So many pairs are looked at between two checks whether to stop.
const PAIRS_PER_CHECK: usize = 4096;

/// The share of all pairs of items whose order is settled: q ≤ 0.05, over the pairs within
/// components. The order of items of different components is not.
pub(super) fn settled_share(fit: &Fit, stop: &Stop) -> Result<f64> {
    let chosen = fit.chosen()?;
    let scores = fit.theta(chosen.grid_index);
    let hessian = fit.vote_model().hessian(&fit.flow, scores);
    let components = fit.tally.components();
    let resistances = ResistanceSolver::new(&hessian, &components, stop)?.all(stop)?;
    let pairs = Pairs::new(&components);
    let p_values = match pairs.count() <= MAX_PAIRS {
        true => p_values(fit, scores, &resistances, pairs.all(), stop)?,
        false => p_values(fit, scores, &resistances, pairs.sample(), stop)?,
    };
    let q_values = q_values(&p_values);
    let settled = q_values.iter().filter(|&&q| q <= SETTLED_Q_VALUE).count();
    let among_these = settled as f64 / p_values.len().max(1) as f64;
    let items = fit.items.len() as f64;
    Ok(among_these * pairs.count() as f64 / (items * (items - 1.0) / 2.0))
}

fn p_values(
    fit: &Fit,
    scores: &[f64],
    resistances: &Resistances,
    pairs: impl Iterator<Item = [u32; 2]>,
    stop: &Stop,
) -> Result<Vec<f64>> {
    let covariance = &fit.chosen()?.standard_errors.covariance;
    let mut p_values = Vec::new();
    for pair in pairs {
        if p_values.len().is_multiple_of(PAIRS_PER_CHECK) {
            stop.check()?;
        }
        let [a, b] = pair.map(|item| item as usize);
        let variance = covariance.of_difference(a, b, resistances.between(a, b));
        p_values.push(variance.p_value(scores[a] - scores[b]));
    }
    Ok(p_values)
}

/// The pairs of items within components.
struct Pairs<'a> {
    components: &'a [Vec<u32>],
    /// How many pairs there are up to and with each component.
    counts: Vec<u64>,
}

impl<'a> Pairs<'a> {
    fn new(components: &'a [Vec<u32>]) -> Self {
        let mut sum = 0;
        let counts = components.iter().map(|items| {
            let size = items.len() as u64;
            sum += size * size.saturating_sub(1) / 2;
            sum
        });
        Self {
            counts: counts.collect(),
            components,
        }
    }

    fn count(&self) -> u64 {
        self.counts.last().copied().unwrap_or(0)
    }

    fn all(&self) -> impl Iterator<Item = [u32; 2]> {
        let of = |items: &'a Vec<u32>| {
            let second = move |k: usize| items[..k].iter().map(move |&b| [items[k], b]);
            (0..items.len()).flat_map(second)
        };
        self.components.iter().flat_map(of)
    }

    /// Pairs that were drawn by lot, the same ones every time.
    fn sample(&self) -> impl Iterator<Item = [u32; 2]> {
        let mut random = Random(0);
        (0..MAX_PAIRS).map(move |_| {
            let pair = random.below(self.count() as usize) as u64;
            let items = &self.components[self.counts.partition_point(|&count| count <= pair)];
            let a = random.below(items.len());
            let b = (a + 1 + random.below(items.len() - 1)) % items.len();
            [items[a], items[b]]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_within_components() {
        let components = [vec![0, 2, 4], vec![1, 3], vec![5]];
        let pairs = Pairs::new(&components);
        assert_eq!(pairs.count(), 4);
        let all: Vec<_> = pairs.all().collect();
        assert_eq!(all, [[2, 0], [4, 0], [4, 2], [3, 1]]);
        let mut drawn: Vec<_> = pairs.sample().take(4000).collect();
        drawn.iter_mut().for_each(|pair| pair.sort_unstable());
        for pair in &all {
            let [b, a] = *pair;
            let times = drawn.iter().filter(|drawn| **drawn == [a, b]).count();
            assert!((850..1150).contains(&times), "{pair:?}: {times}");
        }
    }
}
