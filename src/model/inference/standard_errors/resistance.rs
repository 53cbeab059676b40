//! L⁺ between items, and with it their effective resistances
//!
//! ```text
//! R_ab = (L⁺)_aa + (L⁺)_bb − 2 (L⁺)_ab
//! ```
//!
//! the variance of the difference of two scores if votes are independent with variance 1.
//! A small L is inverted; else a system is solved for each item that is asked for, a few at
//! a time, or for all items at once with random signs: the resistance of a pair is then the
//! square of the distance of two short rows, on average.

use nalgebra::DMatrix;

use super::hessian::{Hessian, LANES, RhsLanes};
use super::sketch;
use crate::error::Result;
use crate::execution::Stop;
use crate::model::flow::Flow;
use crate::random::Random;

/// Up to so many items L is inverted.
const MAX_INVERTED_ITEMS: usize = 800;

/// So many rounds of random signs, each with [`LANES`] lanes: a resistance is then known to
/// 18 %.
const SKETCH_ROUNDS: usize = 2;

/// Finds resistances on one graph.
pub struct ResistanceSolver<'a> {
    hessian: Hessian<'a>,
    /// L⁺ up to a constant on each component; None if L is large or hard to invert.
    inverse: Option<DMatrix<f64>>,
}

/// L⁺ between some items of one component, up to a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemInverse {
    size: usize,
    /// Row by row.
    matrix: Vec<f64>,
}

/// The resistance between any two items of a component.
pub struct Resistances {
    /// By item, numbers whose distance is the resistance; none if there is an inverse.
    rows: Vec<Vec<f32>>,
    inverse: Option<DMatrix<f64>>,
}

impl<'a> ResistanceSolver<'a> {
    /// For the Laplacian of a flow with these components.
    pub fn new(flow: &'a Flow, components: &'a [Vec<u32>], stop: &Stop) -> Result<Self> {
        let components = components.iter().map(|items| &items[..]).collect();
        let mut hessian = Hessian::new(flow, components, 0.0);
        let inverse = match hessian.items() <= MAX_INVERTED_ITEMS {
            true => hessian.inverse(stop)?,
            false => None,
        };
        if inverse.is_none() {
            hessian.eliminate(stop)?;
        }
        Ok(Self { hessian, inverse })
    }

    /// L⁺ between some items of each component.
    pub fn among(&self, groups: &[Vec<u32>], stop: &Stop) -> Result<Vec<ItemInverse>> {
        if let Some(inverse) = &self.inverse {
            let entry = |&i: &u32, &j: &u32| inverse[(i as usize, j as usize)];
            return Ok(groups
                .iter()
                .map(|items| ItemInverse::new(items, entry))
                .collect());
        }
        let empty = |items: &Vec<u32>| ItemInverse::new(items, |_, _| 0.0);
        let mut found: Vec<ItemInverse> = groups.iter().map(empty).collect();
        let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
        for first in (0..largest).step_by(LANES) {
            // One item of each component in a lane: components do not know of each other.
            let mut rhs = vec![RhsLanes::default(); self.hessian.items()];
            for items in groups {
                for (lane, &item) in items.iter().skip(first).take(LANES).enumerate() {
                    rhs[item as usize].as_flattened_mut()[lane] = 1.0;
                }
            }
            let solution = self.hessian.solve(rhs, stop)?;
            for (items, found) in groups.iter().zip(&mut found) {
                let columns = first..items.len().min(first + LANES);
                for (row, &item) in items.iter().enumerate() {
                    let lanes = solution[item as usize].as_flattened();
                    for (column, &entry) in columns.clone().zip(lanes) {
                        found.matrix[row * found.size + column] = entry;
                    }
                }
            }
        }
        Ok(found)
    }

    /// The resistances of all pairs: exact if there is an inverse, and else a sketch.
    pub fn all(self, stop: &Stop) -> Result<Resistances> {
        if self.inverse.is_some() {
            return Ok(Resistances {
                rows: Vec::new(),
                inverse: self.inverse,
            });
        }
        let items = self.hessian.items();
        let mut rows = vec![Vec::with_capacity(SKETCH_ROUNDS * LANES); items];
        let mut random = Random(0);
        for _ in 0..SKETCH_ROUNDS {
            let rhs = sketch::signed_pairs(self.hessian.flow, &mut random);
            let solution = self.hessian.solve(rhs, stop)?;
            for (row, lanes) in rows.iter_mut().zip(&solution) {
                row.extend(lanes.as_flattened().iter().map(|&x| x as f32));
            }
        }
        let scale = 1.0 / (SKETCH_ROUNDS as f32).sqrt();
        rows.iter_mut().flatten().for_each(|x| *x *= scale);
        Ok(Resistances {
            rows,
            inverse: None,
        })
    }

    /// The diagonal of L⁺: exact, or known to 5 % on average.
    pub fn diagonal(&self, stop: &Stop) -> Result<Vec<f64>> {
        match &self.inverse {
            Some(inverse) => Ok((0..inverse.nrows()).map(|i| inverse[(i, i)]).collect()),
            None => sketch::independent(&self.hessian, stop),
        }
    }

    /// Whether all items can be asked for at once.
    pub fn is_small(&self) -> bool {
        self.hessian.items() <= MAX_INVERTED_ITEMS
    }
}

impl ItemInverse {
    fn new(items: &[u32], entry: impl Fn(&u32, &u32) -> f64) -> Self {
        let rows = items.iter();
        Self {
            size: items.len(),
            matrix: rows
                .flat_map(|i| items.iter().map(|j| entry(i, j)).collect::<Vec<_>>())
                .collect(),
        }
    }

    /// The entry of the items at two positions.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        self.matrix[a * self.size + b]
    }

    /// The resistance between the items at two positions.
    pub fn resistance(&self, a: usize, b: usize) -> f64 {
        f64::max(self.get(a, a) + self.get(b, b) - 2.0 * self.get(a, b), 0.0)
    }
}

impl Resistances {
    /// The resistance between two items of a component.
    pub fn between(&self, a: usize, b: usize) -> f64 {
        match &self.inverse {
            Some(inverse) => {
                let both = inverse[(a, a)] + inverse[(b, b)];
                f64::max(both - 2.0 * inverse[(a, b)], 0.0)
            }
            None => {
                let both = self.rows[a].iter().zip(&self.rows[b]);
                let distances = both.map(|(&x, &y)| f64::from(x) - f64::from(y));
                distances.map(|distance| distance * distance).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of n votes: between items k apart the resistance is k (n − k)/n. Beside it a
    /// single vote on two other items.
    fn ring(n: u32) -> (Flow, Vec<Vec<u32>>) {
        let mut pairs: Vec<(u32, u32)> = (1..n).map(|k| (k - 1, k)).collect();
        pairs.extend([(0, n - 1), (n, n + 1)]);
        pairs.sort_unstable();
        let starts = 0..=n + 2;
        let flow = Flow {
            starts: starts
                .map(|item| pairs.partition_point(|pair| pair.0 < item))
                .collect(),
            a: pairs.iter().map(|pair| pair.0).collect(),
            b: pairs.iter().map(|pair| pair.1).collect(),
            weight: vec![1.0; pairs.len()],
            value: vec![0.0; pairs.len()],
            ..Flow::default()
        };
        (flow, vec![(0..n).collect(), vec![n, n + 1]])
    }

    #[test]
    fn a_ring_has_known_resistances() {
        let stop = Stop::default();
        for n in [40, 1500] {
            let (flow, components) = ring(n);
            let solver = ResistanceSolver::new(&flow, &components, &stop).unwrap();
            assert_eq!(solver.is_small(), n == 40);
            let asked: Vec<u32> = (0..n).step_by(n as usize / 40).collect();
            let groups = [asked.clone(), vec![n, n + 1]];
            let found = solver.among(&groups, &stop).unwrap();
            let n = f64::from(n);
            let expected = |a: u32, b: u32| {
                let apart = f64::from(a.abs_diff(b));
                apart * (n - apart) / n
            };
            for (a, &first) in asked.iter().enumerate() {
                for (b, &second) in asked.iter().enumerate() {
                    let error = found[0].resistance(a, b) - expected(first, second);
                    assert!(error.abs() < 1e-6 * n, "{first} {second}: {error}");
                }
            }
            assert!((found[1].resistance(0, 1) - 1.0).abs() < 1e-9);
            let all = solver.all(&stop).unwrap();
            let ratios = asked[1..].iter();
            let ratios = ratios.map(|&b| all.between(0, b as usize) / expected(0, b));
            let mean = ratios.sum::<f64>() / (asked.len() - 1) as f64;
            assert!(
                (mean - 1.0).abs() < if n < 100.0 { 1e-9 } else { 0.3 },
                "{mean}"
            );
        }
    }
}
