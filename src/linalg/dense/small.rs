//! Small matrices, for a product without loops.
//!
//! All tiles are stored, column by column. To add up the lanes of a tile for its mirror image
//! below the diagonal, as the product of a larger matrix does, would take longer than to read
//! that tile too.

use super::tile::{Tile, pairs_of};
use crate::linalg::simd::{Lanes, Quad, Sink};

/// A small matrix has at most so many quads of rows.
pub(crate) const MAX_SMALL_QUADS: usize = 4;

/// Adds to the element at a row and a column.
pub(crate) fn add_to_small(
    matrix: &mut [Tile],
    quads: usize,
    row: usize,
    column: usize,
    value: f64,
) {
    matrix[column / 4 * quads + row / 4].0[column % 4][row % 4] += value;
}

/// A matrix of N quads of rows, at most [`MAX_SMALL_QUADS`].
#[derive(Clone, Copy)]
pub(crate) struct SmallMatrix<'a, const N: usize>(&'a [Tile]);

impl<'a, const N: usize> SmallMatrix<'a, N> {
    #[inline(always)]
    pub fn new(matrix: &'a [Tile]) -> Self {
        Self(&matrix[..N * N])
    }

    /// Hands M x to a sink, quad by quad. The sums stay in registers.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // as in `add_column`
    pub fn product<L: Lanes>(self, lanes: L, x: &[Quad], sink: &mut impl Sink<L>) {
        let (matrix, x) = (&self.0[..N * N], &x[..N]);
        let mut sums = [lanes.load_twice(&[0.0; 4]); N];
        // Written out: the compiler does not unroll a loop with another one in it.
        add_column::<L, 0>(lanes, matrix, x, &mut sums);
        add_column::<L, 1>(lanes, matrix, x, &mut sums);
        add_column::<L, 2>(lanes, matrix, x, &mut sums);
        add_column::<L, 3>(lanes, matrix, x, &mut sums);
        for index in 0..N {
            let [first, second] = lanes.halves(sums[index]);
            sink.take(lanes, index, lanes.add(first, second));
        }
    }
}

/// Adds the products of one column's tiles, if there is such a column.
#[inline(always)]
// In a function as large as a step of the path the compiler stops to inline what arrays and
// iterators have: `map` made a step three times as slow.
#[allow(clippy::needless_range_loop)]
fn add_column<L: Lanes, const COLUMN: usize>(
    lanes: L,
    matrix: &[Tile],
    x: &[Quad],
    sums: &mut [L::Pair],
) {
    let rows = sums.len();
    if COLUMN >= rows {
        return;
    }
    let at = lanes.spread(&x[COLUMN]);
    for row in 0..rows {
        let [a, b] = pairs_of(lanes, &matrix[COLUMN * rows + row]);
        let first = match COLUMN {
            0 => lanes.multiply_pairs(a, at[0]),
            _ => lanes.add_product_of_pairs(sums[row], a, at[0]),
        };
        sums[row] = lanes.add_product_of_pairs(first, b, at[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::linalg::simd::{Kernel, vectorised};
    use crate::random::Random;

    struct Product<'a, const N: usize> {
        matrix: &'a [Tile],
        x: &'a [Quad],
    }

    struct Collect(Vec<Quad>);

    impl<L: Lanes> Sink<L> for Collect {
        #[inline(always)]
        fn take(&mut self, lanes: L, index: usize, value: L::Register) {
            assert_eq!(index, self.0.len());
            self.0.push(lanes.quad(value));
        }
    }

    impl<const N: usize> Kernel for Product<'_, N> {
        type Output = Vec<Quad>;

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> Vec<Quad> {
            let mut sink = Collect(Vec::new());
            SmallMatrix::<N>::new(self.matrix).product(lanes, self.x, &mut sink);
            sink.0
        }
    }

    fn check<const N: usize>() {
        let mut random = Random(5);
        let rows = 4 * N;
        let full: Vec<f64> = (0..rows * rows).map(|_| random.uniform() - 0.5).collect();
        let mut matrix = vec![Tile::default(); N * N];
        for (index, &value) in full.iter().enumerate() {
            add_to_small(&mut matrix, N, index / rows, index % rows, value);
        }
        let x: Vec<Quad> = (0..N)
            .map(|_| std::array::from_fn(|_| random.uniform()))
            .collect();
        let matrix = &matrix[..];
        let found = with_any_vectors(|| vectorised(Product::<N> { matrix, x: &x }));
        for (row, found) in full.chunks(rows).zip(found.as_flattened()) {
            let products = row.iter().zip(x.as_flattened()).map(|(m, x)| m * x);
            assert!((products.sum::<f64>() - found).abs() <= 1e-14);
        }
    }

    #[test]
    fn a_product_is_the_sum_over_columns_with_any_vectors() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
    }
}
