//! Tiles, and the product of a symmetric matrix in tiles with a vector.

use crate::linalg::simd::{Kernel, Lanes, Quad, Sink};

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
        let at = x[column].map(|value| lanes.splat(value));
        let mut mirrored = [lanes.splat(0.0); 4];
        for ((tile, x), slot) in above.iter().zip(x).zip(&mut *out) {
            let x = lanes.load(x);
            let columns = tile.0.each_ref().map(|column| lanes.load(column));
            for (sum, column) in mirrored.iter_mut().zip(columns) {
                *sum = lanes.add_product(*sum, column, x);
            }
            let sum = lanes.add(lanes.load(slot), combined(lanes, columns, at));
            lanes.store(sum, slot);
        }
        let columns = diagonal.0.each_ref().map(|column| lanes.load(column));
        let own = lanes.add(lanes.sums(mirrored), combined(lanes, columns, at));
        lanes.store(own, &mut out[column]);
    }
}

/// A matrix of N quads of rows, at most four, for a product without loops.
#[derive(Clone, Copy)]
pub(crate) struct SmallMatrix<'a, const N: usize>(&'a [Tile]);

impl<'a, const N: usize> SmallMatrix<'a, N> {
    #[inline(always)]
    pub fn new(matrix: &'a [Tile]) -> Self {
        Self(&matrix[..tiles(N)])
    }

    /// Hands M x to a sink, quad by quad. The sums stay in registers.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // as in `add_column`
    pub fn product<L: Lanes>(self, lanes: L, x: &[Quad], sink: &mut impl Sink<L>) {
        let (matrix, x) = (&self.0[..tiles(N)], &x[..N]);
        let mut sums = [lanes.splat(0.0); N];
        // Written out: the compiler does not unroll a loop with another one in it.
        add_column::<L, 0>(lanes, matrix, x, &mut sums);
        add_column::<L, 1>(lanes, matrix, x, &mut sums);
        add_column::<L, 2>(lanes, matrix, x, &mut sums);
        add_column::<L, 3>(lanes, matrix, x, &mut sums);
        for index in 0..N {
            sink.take(lanes, index, sums[index]);
        }
    }
}

/// Adds the products of one column's tiles, and of their mirror images, if there is such a
/// column.
#[inline(always)]
// In a function as large as a step of the path the compiler stops to inline what arrays and
// iterators have: `map` instead of `columns_of` made a step three times as slow.
#[allow(clippy::needless_range_loop)]
fn add_column<L: Lanes, const COLUMN: usize>(
    lanes: L,
    matrix: &[Tile],
    x: &[Quad],
    sums: &mut [L::Register],
) {
    if COLUMN >= sums.len() {
        return;
    }
    let zero = lanes.splat(0.0);
    let [a, b, c, d] = x[COLUMN];
    let at = [
        lanes.splat(a),
        lanes.splat(b),
        lanes.splat(c),
        lanes.splat(d),
    ];
    let mut mirrored = [zero, zero, zero, zero];
    for row in 0..COLUMN {
        let x = lanes.load(&x[row]);
        let columns = columns_of(lanes, &matrix[tiles(COLUMN) + row]);
        for k in 0..4 {
            mirrored[k] = lanes.add_product(mirrored[k], columns[k], x);
        }
        sums[row] = lanes.add(sums[row], combined(lanes, columns, at));
    }
    let columns = columns_of(lanes, &matrix[tiles(COLUMN) + COLUMN]);
    sums[COLUMN] = lanes.add(lanes.sums(mirrored), combined(lanes, columns, at));
}

/// A tile in registers.
#[inline(always)]
fn columns_of<L: Lanes>(lanes: L, Tile([a, b, c, d]): &Tile) -> [L::Register; 4] {
    [lanes.load(a), lanes.load(b), lanes.load(c), lanes.load(d)]
}

/// The sum of a tile's columns, each times a number. The four are added up in
/// pairs, which makes a shorter chain of dependent additions.
#[inline(always)]
fn combined<L: Lanes>(
    lanes: L,
    [a, b, c, d]: [L::Register; 4],
    at: [L::Register; 4],
) -> L::Register {
    let first = lanes.add_product(lanes.multiply(a, at[0]), b, at[1]);
    let second = lanes.add_product(lanes.multiply(c, at[2]), d, at[3]);
    lanes.add(first, second)
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
    use crate::linalg::simd::tests::NARROW;
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
            let product = |is_narrow: bool| {
                NARROW.set(is_narrow);
                let mut out = vec![[1.0; 4]; quads];
                vectorised(DenseProduct {
                    matrix: &matrix,
                    x: &x,
                    out: &mut out,
                });
                out
            };
            let narrow = product(true);
            for (i, row) in full.row_iter().enumerate() {
                let products = row.iter().zip(x.as_flattened()).map(|(m, x)| m * x);
                let expected: f64 = products.sum();
                assert!((narrow.as_flattened()[i] - expected).abs() <= 1e-14);
            }
            assert_eq!(format!("{narrow:?}"), format!("{:?}", product(false)));
        }
    }

    struct SmallProduct<'a, const N: usize> {
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

    impl<const N: usize> Kernel for SmallProduct<'_, N> {
        type Output = Vec<Quad>;

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> Vec<Quad> {
            let mut sink = Collect(Vec::new());
            SmallMatrix::<N>::new(self.matrix).product(lanes, self.x, &mut sink);
            sink.0
        }
    }

    fn check_small<const N: usize>() {
        let mut random = Random(5);
        let mut number = || random.uniform() - 0.5;
        let tile = |_| Tile(std::array::from_fn(|_| std::array::from_fn(|_| number())));
        let matrix: Vec<Tile> = (0..tiles(N)).map(tile).collect();
        let x: Vec<Quad> = (0..N).map(|_| std::array::from_fn(|_| number())).collect();
        for is_narrow in [true, false] {
            NARROW.set(is_narrow);
            let mut expected = vec![[0.0; 4]; N];
            vectorised(DenseProduct {
                matrix: &matrix,
                x: &x,
                out: &mut expected,
            });
            let found = vectorised(SmallProduct::<N> {
                matrix: &matrix,
                x: &x,
            });
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{N}");
        }
    }

    #[test]
    fn a_small_product_has_the_bits_of_any_other() {
        check_small::<1>();
        check_small::<2>();
        check_small::<3>();
        check_small::<4>();
    }
}
