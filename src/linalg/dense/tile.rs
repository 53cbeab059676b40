//! Tiles, and the product of a symmetric matrix in tiles with a vector.

use crate::linalg::simd::{Kernel, Lanes, Quad};

/// Four columns of four numbers. It fills two cache lines and starts at the
/// beginning of one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Tile(pub(super) [Quad; 4]);

/// How many tiles a matrix with so many quads of rows has.
pub(crate) const fn tiles(quads: usize) -> usize {
    quads * (quads + 1) / 2
}

/// Adds to the element at a row and a column. Elements in tiles below the diagonal
/// are ignored: their mirror images above it stand for both.
pub(crate) fn add(matrix: &mut [Tile], row: usize, column: usize, value: f64) {
    let (above, below) = (row / 4, column / 4);
    if above <= below {
        matrix[tiles(below) + above].0[column % 4][row % 4] += value;
    }
}

/// The element at a row and a column.
pub(crate) fn get(matrix: &[Tile], row: usize, column: usize) -> f64 {
    let (row, column) = (row.min(column), row.max(column));
    matrix[tiles(column / 4) + row / 4].0[column % 4][row % 4]
}

/// out = M x.
#[inline(always)]
pub(crate) fn times<L: Lanes>(lanes: L, matrix: &[Tile], x: &[Quad], out: &mut [Quad]) {
    let mut rest = matrix;
    for column in 0..out.len() {
        let (above, others) = rest.split_at(column);
        let (diagonal, others) = others.split_first().expect("a tile on the diagonal");
        rest = others;
        let at = lanes.spread(&x[column]);
        let zero = lanes.load_twice(&[0.0; 4]);
        let mut mirrored = [zero; 2];
        for ((tile, x), slot) in above.iter().zip(x).zip(&mut *out) {
            let x = lanes.load_twice(x);
            let columns = pairs_of(lanes, tile);
            for (sum, columns) in mirrored.iter_mut().zip(columns) {
                *sum = lanes.add_product_of_pairs(*sum, columns, x);
            }
            let sum = lanes.add(lanes.load(slot), combined(lanes, columns, at));
            lanes.store(sum, slot);
        }
        let own = combined(lanes, pairs_of(lanes, diagonal), at);
        let own = match column {
            0 => own,
            _ => lanes.add(mirrored_sums(lanes, mirrored), own),
        };
        lanes.store(own, &mut out[column]);
    }
}

/// A tile in registers, two columns each.
#[inline(always)]
pub(super) fn pairs_of<L: Lanes>(lanes: L, Tile([a, b, c, d]): &Tile) -> [L::Pair; 2] {
    [lanes.load_pair(&[*a, *b]), lanes.load_pair(&[*c, *d])]
}

/// The sum of a tile's columns, each times a number.
#[inline(always)]
fn combined<L: Lanes>(lanes: L, [a, b]: [L::Pair; 2], at: [L::Pair; 2]) -> L::Register {
    let sum = lanes.add_product_of_pairs(lanes.multiply_pairs(a, at[0]), b, at[1]);
    let [first, second] = lanes.halves(sum);
    lanes.add(first, second)
}

/// The sum of the lanes of each column.
#[inline(always)]
fn mirrored_sums<L: Lanes>(lanes: L, [first, second]: [L::Pair; 2]) -> L::Register {
    let ([a, b], [c, d]) = (lanes.halves(first), lanes.halves(second));
    lanes.sums([a, b, c, d])
}

/// out = M x as a kernel.
pub(crate) struct DenseProduct<'a> {
    pub matrix: &'a [Tile],
    pub x: &'a [Quad],
    pub out: &'a mut [Quad],
}

impl Kernel for DenseProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        times(lanes, self.matrix, self.x, self.out);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::linalg::simd::vectorised;
    use crate::random::Random;

    #[test]
    fn a_product_is_the_sum_over_columns_with_any_vectors() {
        let mut random = Random(3);
        for n in [1usize, 2, 3, 4, 5, 8, 11, 30] {
            let quads = n.div_ceil(4);
            let mut matrix = vec![Tile::default(); tiles(quads)];
            let mut full = DMatrix::from_fn(n, n, |_, _| random.uniform() - 0.5);
            full.fill_lower_triangle_with_upper_triangle();
            for (index, &value) in full.iter().enumerate() {
                add(&mut matrix, index / n, index % n, value);
            }
            let mut x = vec![[0.0; 4]; quads];
            let numbers = x.as_flattened_mut()[..n].iter_mut();
            numbers.for_each(|slot| *slot = random.uniform());
            let product = with_any_vectors(|| {
                let mut out = vec![[1.0; 4]; quads];
                vectorised(DenseProduct {
                    matrix: &matrix,
                    x: &x,
                    out: &mut out,
                });
                out
            });
            for (i, row) in full.row_iter().enumerate() {
                let products = row.iter().zip(x.as_flattened()).map(|(m, x)| m * x);
                let expected: f64 = products.sum();
                assert!((product.as_flattened()[i] - expected).abs() <= 1e-14);
            }
        }
    }
}
