//! The clustered covariance and both diagonals from the inverse of the Hessian, where that
//! is cheap.
//!
//! With H the inverse and M = Σ_u g_u g_uᵀ, the covariance is V = H M H. M has entries where
//! somebody saw both items, so that many annotators with few votes each cost little.

use nalgebra::DMatrix;

use super::contribution::ScoreContribution;
use super::covariance::{ClusteredCovariance, packed_len};
use super::hessian::Hessian;
use super::score_contributions::ScoreContributions;
use super::variances::Variances;
use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::linalg::simd::{Kernel, Lanes, vectorised};

/// The annotators of a block are added up in so many groups, which threads can share …
const GROUPS: usize = 16;

/// … and in fewer with more items than this, as each group has a matrix of its own.
const MAX_ITEMS_FOR_GROUPS: usize = 200;
const FEW_GROUPS: usize = 4;

/// So many columns of a product are computed together: each column of a matrix is read once
/// for all of them.
const COLUMNS: usize = 4;

/// The variances, given [`Hessian::inverse`], which equals L⁺ up to constants on each
/// component. They make no difference: score contributions sum to zero there, and
/// L⁺ takes differences within a component.
pub(super) fn variances(
    hessian: &Hessian<'_>,
    contributions: &ScoreContributions<'_>,
    inverse: &DMatrix<f64>,
    threads: usize,
    stop: &Stop,
) -> Result<Variances> {
    let items = hessian.items();
    let groups = match items <= MAX_ITEMS_FOR_GROUPS {
        true => GROUPS,
        false => FEW_GROUPS,
    };
    let add = |moment: &mut [f64], contribution: &ScoreContribution| {
        add_products(moment, items, contribution);
    };
    let (sums, mut moment) = contributions.sum(groups, items * items, threads, stop, add)?;
    let covariance = sandwich(inverse.as_slice(), &mut moment, items, threads, stop)?;
    let mut independent = Vec::with_capacity(items);
    for column in inverse.column_iter() {
        stop.check()?;
        let gradient = hessian.flow.gradient(column.as_slice());
        independent.push(hessian.flow.inner(&gradient, &gradient));
    }
    Ok(Variances {
        sums,
        clustered: (0..items).map(|item| covariance.variance(item)).collect(),
        covariance,
        independent,
    })
}

/// Adds g_i g_j, for i ≥ j.
fn add_products(moment: &mut [f64], items: usize, contribution: &ScoreContribution) {
    let value = |item: u32| contribution.by_item[item as usize].value;
    for (k, &i) in contribution.seen.iter().enumerate() {
        for &j in &contribution.seen[..=k] {
            let (low, high) = (i.min(j) as usize, i.max(j) as usize);
            moment[low * items + high] += value(i) * value(j);
        }
    }
}

/// H M H, with M given on and below the diagonal, column by column.
fn sandwich(
    inverse: &[f64],
    moment: &mut [f64],
    items: usize,
    threads: usize,
    stop: &Stop,
) -> Result<ClusteredCovariance> {
    for column in 0..items {
        for row in 0..column {
            moment[column * items + row] = moment[row * items + column];
        }
    }
    let moment = &*moment;
    let blocks = in_parallel(items.div_ceil(COLUMNS), threads, |block| {
        stop.check()?;
        let first = COLUMNS * block;
        let own: [&[f64]; COLUMNS] = std::array::from_fn(|k| {
            // A column that fills up the last block is computed and not used.
            let column = (first + k).min(items - 1);
            &inverse[column * items..][..items]
        });
        let product = combined(moment, own, items, 0);
        let product = product.each_ref().map(|column| &column[..]);
        Ok(combined(inverse, product, items, first))
    })?;
    // Lower triangle by columns to lower triangle by rows.
    let mut packed = vec![0.0; packed_len(items)];
    for (block, columns) in blocks.iter().enumerate() {
        for (k, column) in columns.iter().enumerate() {
            let j = COLUMNS * block + k;
            for i in j..items {
                packed[packed_len(i) + j] = column[i - COLUMNS * block];
            }
        }
    }
    Ok(ClusteredCovariance {
        exact: packed,
        ..ClusteredCovariance::default()
    })
}

/// A symmetric matrix times each of some columns, from a row on.
fn combined(
    matrix: &[f64],
    columns: [&[f64]; COLUMNS],
    items: usize,
    from: usize,
) -> [Vec<f64>; COLUMNS] {
    let mut out = columns.map(|_| vec![0.0; items - from]);
    vectorised(AddColumns {
        matrix,
        columns,
        from,
        out: &mut out,
    });
    out
}

/// out_k += A x_k for some columns x_k.
struct AddColumns<'a> {
    matrix: &'a [f64],
    columns: [&'a [f64]; COLUMNS],
    /// The first row that is wanted.
    from: usize,
    out: &'a mut [Vec<f64>; COLUMNS],
}

impl Kernel for AddColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Lanes>(self, _: R) {
        let [a, b, c, d] = self.out;
        let items = self.columns[0].len();
        for (row, column) in self.matrix.chunks_exact(items).enumerate() {
            let [x, y, z, w] = self.columns.map(|column| column[row]);
            let out = a.iter_mut().zip(&mut *b).zip(&mut *c).zip(&mut *d);
            for ((((a, b), c), d), &entry) in out.zip(&column[self.from..]) {
                *a += x * entry;
                *b += y * entry;
                *c += z * entry;
                *d += w * entry;
            }
        }
    }
}
