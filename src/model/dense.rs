//! Products with small dense symmetric matrices.

/// out = M x for a symmetric M stored column by column.
///
/// Columns are added up four at a time. Each element of `out` is its own chain
/// of additions, so the compiler may use vectors of any width and the bits stay
/// the same.
pub(crate) fn symmetric_times(matrix: &[f64], x: &[f64], out: &mut [f64]) {
    let n = out.len();
    out.fill(0.0);
    let mut columns = matrix.chunks_exact(4 * n);
    let mut values = x.chunks_exact(4);
    for (block, v) in (&mut columns).zip(&mut values) {
        let (first, rest) = block.split_at(n);
        let (second, rest) = rest.split_at(n);
        let (third, fourth) = rest.split_at(n);
        for (i, slot) in out.iter_mut().enumerate() {
            *slot += (first[i] * v[0] + second[i] * v[1]) + (third[i] * v[2] + fourth[i] * v[3]);
        }
    }
    for (column, v) in columns.remainder().chunks_exact(n).zip(values.remainder()) {
        for (slot, m) in out.iter_mut().zip(column) {
            *slot += m * v;
        }
    }
}
