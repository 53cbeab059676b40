//! The inverse of a positive definite matrix, in place.
//!
//! Sweeping a block of rows and columns k replaces
//!
//! ```text
//! M_kk by −P,   M_ik by M_ik P,   M_ij by M_ij − M_ik P M_kj,    P = M_kk⁻¹
//! ```
//!
//! which keeps the matrix symmetric. Once all blocks are swept, the matrix has
//! become −M⁻¹. The blocks are four wide, as the tiles are.

use std::array::from_fn;
use std::cmp::Ordering;
use std::slice;

use super::tile::{Tile, tiles};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{Kernel, Lanes, vectorised};

/// Replaces a matrix with so many rows by its inverse. Returns false, and leaves
/// the matrix in no useful state, if it is not positive definite or if rounding
/// makes it appear so.
pub(crate) fn invert(matrix: &mut [Tile], rows: usize, stop: &Stop) -> Result<bool> {
    let quads = rows.div_ceil(4);
    // Rows that fill up the last tile are replaced by those of the identity.
    let beyond = rows..4 * quads;
    let diagonal = |row: usize| (tiles(row / 4) + row / 4, row % 4);
    for (tile, lane) in beyond.clone().map(diagonal) {
        matrix[tile].0[lane][lane] = 1.0;
    }
    let mut off_diagonal = vec![Tile::default(); quads];
    let mut minus_solved = vec![Tile::default(); quads];
    for pivot in 0..quads {
        stop.check()?;
        let sweep = Sweep {
            matrix,
            pivot,
            off_diagonal: &mut off_diagonal,
            minus_solved: &mut minus_solved,
        };
        if !vectorised(sweep) {
            return Ok(false);
        }
    }
    for number in matrix.iter_mut().flat_map(|tile| tile.0.as_flattened_mut()) {
        *number = -*number;
    }
    for (tile, lane) in beyond.map(diagonal) {
        matrix[tile].0[lane][lane] = 0.0;
    }
    Ok(true)
}

/// Sweeps one block. False if it is not positive definite.
struct Sweep<'a> {
    matrix: &'a mut [Tile],
    pivot: usize,
    /// Scratch for M_ik, off the diagonal.
    off_diagonal: &'a mut [Tile],
    /// Scratch for −M_ik P.
    minus_solved: &'a mut [Tile],
}

impl Kernel for Sweep<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> bool {
        let (matrix, pivot) = (self.matrix, self.pivot);
        let on_diagonal = tiles(pivot) + pivot;
        let Some(minus_inverse) = minus_inverse(&matrix[on_diagonal]) else {
            return false;
        };
        let columns = self.off_diagonal.iter_mut().zip(&mut *self.minus_solved);
        for (i, (off_diagonal, minus_solved)) in columns.enumerate() {
            *off_diagonal = match i.cmp(&pivot) {
                Ordering::Less => matrix[tiles(pivot) + i],
                Ordering::Equal => Tile::default(),
                Ordering::Greater => transposed(&matrix[tiles(i) + pivot]),
            };
            *minus_solved = Tile::default();
            // P is symmetric, so A Pᵀ = A P.
            let (off_diagonal, minus_solved) =
                (slice::from_ref(off_diagonal), slice::from_mut(minus_solved));
            add_products(lanes, off_diagonal, &minus_inverse, minus_solved);
        }
        let mut rest = &mut *matrix;
        for (j, off_diagonal) in self.off_diagonal.iter().enumerate() {
            let (column, later) = rest.split_at_mut(j + 1);
            rest = later;
            add_products(lanes, &self.minus_solved[..=j], off_diagonal, column);
        }
        for (i, minus_solved) in self.minus_solved.iter().enumerate() {
            let solved = Tile(minus_solved.0.map(|column| column.map(|x| -x)));
            match i.cmp(&pivot) {
                Ordering::Less => matrix[tiles(pivot) + i] = solved,
                Ordering::Equal => matrix[on_diagonal] = minus_inverse,
                Ordering::Greater => matrix[tiles(i) + pivot] = transposed(&solved),
            }
        }
        true
    }
}

/// Adds A Bᵀ to each of some tiles, for an A each and the same B.
#[inline(always)]
fn add_products<L: Lanes>(lanes: L, a: &[Tile], b: &Tile, out: &mut [Tile]) {
    // Two columns at a time, so that the factors fit into the registers.
    for first in [0, 2] {
        let factors: [[L::Register; 4]; 2] =
            from_fn(|column| from_fn(|k| lanes.splat(b.0[k][first + column])));
        for (a, out) in a.iter().zip(&mut *out) {
            let a = a.0.each_ref().map(|column| lanes.load(column));
            for (column, factors) in factors.iter().enumerate() {
                let out = &mut out.0[first + column];
                let mut sum = lanes.load(out);
                for (a, &factor) in a.into_iter().zip(factors) {
                    sum = lanes.add_product(sum, a, factor);
                }
                lanes.store(sum, out);
            }
        }
    }
}

fn transposed(tile: &Tile) -> Tile {
    Tile(from_fn(|column| from_fn(|row| tile.0[row][column])))
}

/// −M⁻¹ of a symmetric tile, swept row by row; None if the tile is not positive
/// definite.
fn minus_inverse(tile: &Tile) -> Option<Tile> {
    let mut m = tile.0;
    for k in 0..4 {
        let pivot = m[k][k];
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        let off_diagonal = m[k];
        for (i, row) in m.iter_mut().enumerate() {
            let solved = off_diagonal[i] / pivot;
            for (j, slot) in row.iter_mut().enumerate() {
                match (i == k, j == k) {
                    (true, true) => *slot = -1.0 / pivot,
                    (true, false) => *slot = off_diagonal[j] / pivot,
                    (false, true) => *slot = solved,
                    (false, false) => *slot -= solved * off_diagonal[j],
                }
            }
        }
    }
    Some(Tile(m))
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::super::tile::{add, get};
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::random::Random;

    fn inverse(full: &DMatrix<f64>) -> Option<Vec<Tile>> {
        let rows = full.nrows();
        let mut matrix = vec![Tile::default(); tiles(rows.div_ceil(4))];
        for (index, &value) in full.iter().enumerate() {
            add(&mut matrix, index / rows, index % rows, value);
        }
        let found = invert(&mut matrix, rows, &Stop::default()).unwrap();
        found.then_some(matrix)
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let mut random = Random(7);
        for rows in [1usize, 2, 3, 4, 5, 8, 11, 30, 65] {
            let factor = DMatrix::from_fn(rows, rows, |_, _| random.uniform() - 0.5);
            let full = &factor * factor.transpose() + DMatrix::identity(rows, rows) * 0.1;
            let found = with_any_vectors(|| inverse(&full)).unwrap();
            let unpacked = DMatrix::from_fn(rows, rows, |i, j| get(&found, i, j));
            let off = &full * unpacked - DMatrix::identity(rows, rows);
            assert!(off.amax() <= 1e-12 * full.norm(), "{rows}: {}", off.amax());
            let beyond = (rows..rows.next_multiple_of(4)).map(|row| get(&found, row, row));
            assert!(beyond.into_iter().all(|x| x == 0.0));
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_none() {
        let full = DMatrix::from_fn(9, 9, |i, j| if i == j { [1.0, -1.0][i / 8] } else { 0.0 });
        assert!(inverse(&full).is_none());
        let laplacian = DMatrix::from_row_slice(2, 2, &[1.0, -1.0, -1.0, 1.0]);
        assert!(inverse(&laplacian).is_none());
        assert!(inverse(&DMatrix::from_element(1, 1, f64::NAN)).is_none());
    }
}
