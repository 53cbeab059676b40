//! ‖XᵀX‖₂, which sets the step size.
//!
//! X is block diagonal by annotator, so the norm is the largest eigenvalue over
//! the blocks
//!
//! ```text
//! [ L_u   a_u ]
//! [ a_uᵀ  N_u ]
//! ```
//!
//! of which a model without position bias keeps L_u alone, and one without
//! personal scores N_u alone. A cheap upper bound rules most annotators out.

use nalgebra::DMatrix;

use super::hodgerank::LaplacianSolver;
use super::settings::Settings;
use super::statistics::{AnnotatorStatistics, Statistics};
use crate::error::Result;
use crate::execution::Stop;
use crate::options::ThetaUpdate;
use crate::random::Random;

/// Blocks of up to this many items are handed to a dense eigenvalue routine.
const DENSE_ITEMS: usize = 48;

/// So many products make a bound.
const BOUND_STEPS: usize = 6;

/// Vectors over one annotator's items and, at the end, the border.
#[derive(Default)]
struct Scratch {
    vector: Vec<f64>,
    image: Vec<f64>,
}

/// The norm that a step must suit: ‖XᵀX‖₂, or where θ takes gradient steps too
/// that of the whole design [d, X]. The sum of the two is at most twice too careful.
pub(crate) fn step_norm(
    statistics: &Statistics,
    consensus: &LaplacianSolver,
    settings: &Settings,
    stop: &Stop,
) -> Result<f64> {
    let (position_bias, personal) = (settings.position_bias, settings.personal);
    let norm = design_norm(statistics, position_bias, personal, stop)?;
    if settings.theta_update != ThetaUpdate::Gradient || norm == 0.0 {
        return Ok(norm);
    }
    let mut work = consensus.scratch();
    let times = |x: &[f64], out: &mut [f64]| consensus.laplacian_times(x, out, &mut work);
    Ok(norm + largest_eigenvalue(statistics.items, times, stop)?)
}

/// A bound on [`step_norm`], from a few products.
pub(crate) fn step_norm_bound(
    statistics: &Statistics,
    consensus: &LaplacianSolver,
    settings: &Settings,
    stop: &Stop,
) -> Result<f64> {
    let bounds = bounds(statistics, settings.position_bias, settings.personal, stop)?;
    let norm = bounds
        .into_iter()
        .map(|(bound, _)| bound)
        .fold(0.0, f64::max);
    Ok(match settings.theta_update {
        ThetaUpdate::Gradient => norm + consensus.norm_bound(),
        ThetaUpdate::Solve | ThetaUpdate::Lagged => norm,
    })
}

/// For each annotator with an effect in the model, a bound on the block's eigenvalues.
fn bounds(
    statistics: &Statistics,
    position_bias: bool,
    personal: bool,
    stop: &Stop,
) -> Result<Vec<(f64, usize)>> {
    let mut scratch = Scratch::default();
    let mut bounds = Vec::with_capacity(statistics.annotators());
    for u in 0..statistics.annotators() {
        stop.check()?;
        let block = statistics.annotator(u);
        let bound = match (personal, position_bias) {
            (true, _) => upper_bound(&block, position_bias, &mut scratch),
            (false, true) => block.votes,
            (false, false) => 0.0,
        };
        bounds.push((bound, u));
    }
    Ok(bounds)
}

/// The largest eigenvalue of XᵀX.
fn design_norm(
    statistics: &Statistics,
    position_bias: bool,
    personal: bool,
    stop: &Stop,
) -> Result<f64> {
    let mut bounds = bounds(statistics, position_bias, personal, stop)?;
    bounds.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    if !personal {
        return Ok(bounds.first().map_or(0.0, |(votes, _)| *votes));
    }
    let mut largest = 0.0;
    for (bound, u) in bounds {
        if bound <= largest {
            break;
        }
        stop.check()?;
        let block = statistics.annotator(u);
        let small = block.items.len() <= DENSE_ITEMS;
        let dense = small.then(|| dense_block(&block, position_bias).symmetric_eigenvalues());
        // The dense routine can underflow to NaN, which `max` would pass over.
        let eigenvalue = if let Some(values) = dense.filter(|v| v.iter().all(|x| x.is_finite())) {
            values.max()
        } else {
            let size = block.items.len() + usize::from(position_bias);
            let times = |x: &[f64], out: &mut [f64]| block_times(&block, position_bias, x, out);
            largest_eigenvalue(size, times, stop)?
        };
        largest = f64::max(largest, eigenvalue);
    }
    Ok(largest)
}

/// A matrix has no eigenvalue beyond the largest ratio (|M| v)_i / v_i, for any
/// positive v. Multiplying v by |M| lowers it, quickly where the border weighs
/// most.
fn upper_bound(block: &AnnotatorStatistics<'_>, position_bias: bool, scratch: &mut Scratch) -> f64 {
    let size = block.items.len() + usize::from(position_bias);
    let Scratch { vector, image } = scratch;
    vector.clear();
    vector.resize(size, 1.0);
    image.resize(size, 0.0);
    let mut bound = f64::INFINITY;
    for _ in 0..BOUND_STEPS {
        absolute_times(block, position_bias, vector, image);
        let ratios = image.iter().zip(&*vector).map(|(y, x)| y / x);
        bound = bound.min(ratios.fold(0.0, f64::max));
        let largest = image.iter().copied().fold(0.0, f64::max);
        for (slot, value) in vector.iter_mut().zip(&*image) {
            // Never so small that its own ratio is lost.
            *slot = f64::max(value / largest, 1e-9);
        }
    }
    bound * (1.0 + 1e-12) // rounding must not rule out the largest
}

/// out = |M| x.
fn absolute_times(
    block: &AnnotatorStatistics<'_>,
    position_bias: bool,
    x: &[f64],
    out: &mut [f64],
) {
    let n = block.items.len();
    for ((slot, own), row) in out.iter_mut().zip(x).zip(block.graph.rows()) {
        *slot = row.map(|(other, weight)| weight * (own + x[other])).sum();
    }
    if position_bias {
        let mut last = block.votes * x[n];
        for (place, a) in block.imbalance.iter().enumerate() {
            out[place] += a.abs() * x[n];
            last += a.abs() * x[place];
        }
        out[n] = last;
    }
}

fn dense_block(block: &AnnotatorStatistics<'_>, position_bias: bool) -> DMatrix<f64> {
    let n = block.items.len();
    let size = n + usize::from(position_bias);
    let mut matrix = DMatrix::zeros(size, size);
    for (place, row) in block.graph.rows().enumerate() {
        for (other, weight) in row {
            matrix[(place, place)] += weight;
            matrix[(place, other)] -= weight;
        }
        if position_bias {
            matrix[(place, n)] = block.imbalance[place];
            matrix[(n, place)] = block.imbalance[place];
        }
    }
    if position_bias {
        matrix[(n, n)] = block.votes;
    }
    matrix
}

fn block_times(block: &AnnotatorStatistics<'_>, position_bias: bool, x: &[f64], out: &mut [f64]) {
    let n = block.items.len();
    block.laplacian_times(&x[..n], &mut out[..n]);
    if position_bias {
        let mut last = block.votes * x[n];
        for (place, &a) in block.imbalance.iter().enumerate() {
            out[place] += a * x[n];
            last += a * x[place];
        }
        out[n] = last;
    }
}

/// Lanczos steps at most. Beyond, an upper bound is as good a step size.
const MAX_STEPS: usize = 200;

/// The largest eigenvalue of a positive semidefinite operator, by the Lanczos
/// method with full reorthogonalisation. A Ritz value is off by the square of
/// its residual over the gap to the next eigenvalue, so it is taken once it no
/// longer moves and its residual is small. Where eigenvalues crowd at the top
/// that takes too long, and the value plus the residual, an upper bound, stands.
fn largest_eigenvalue(
    size: usize,
    mut times: impl FnMut(&[f64], &mut [f64]),
    stop: &Stop,
) -> Result<f64> {
    // A fixed start with a part along every eigenvector that matters.
    let mut random = Random(size as u64);
    let mut vector: Vec<f64> = (0..size).map(|_| random.uniform() - 0.5).collect();
    normalise(&mut vector);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut image = vec![0.0; size];
    let mut before = 0.0;
    loop {
        stop.check()?;
        times(&vector, &mut image);
        diagonal.push(dot(&vector, &image));
        basis.push(std::mem::take(&mut vector));
        for _ in 0..2 {
            for earlier in &basis {
                let part = dot(earlier, &image);
                for (slot, e) in image.iter_mut().zip(earlier) {
                    *slot -= part * e;
                }
            }
        }
        let rest = normalise(&mut image);
        let steps = basis.len();
        let whole = steps == size || rest <= 0.0;
        if whole || steps.is_multiple_of(8) {
            let (value, last) = ritz(&diagonal, &beside);
            let residual = if whole { 0.0 } else { rest * last.abs() };
            let settled = residual <= 1e-8 * value && value - before <= 1e-14 * value;
            if whole || settled || steps >= MAX_STEPS {
                return Ok(if settled { value } else { value + residual });
            }
            before = value;
        }
        beside.push(rest);
        vector = image.clone();
    }
}

/// The largest eigenvalue of a tridiagonal matrix and its eigenvector's last entry.
fn ritz(diagonal: &[f64], beside: &[f64]) -> (f64, f64) {
    let n = diagonal.len();
    let matrix = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => beside[i.min(j)],
        _ => 0.0,
    });
    let eigen = matrix.symmetric_eigen();
    let (index, value) = eigen.eigenvalues.argmax();
    (value, eigen.eigenvectors[(n - 1, index)])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn normalise(x: &mut [f64]) -> f64 {
    let norm = dot(x, x).sqrt();
    if norm > 0.0 {
        x.iter_mut().for_each(|value| *value /= norm);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanczos_finds_what_a_dense_routine_finds() {
        let mut random = Random(5);
        for size in [1, 2, 7, 60, 120] {
            let factor =
                DMatrix::from_fn(size, size, |_, _| random.below(1000) as f64 / 1000.0 - 0.4);
            let matrix = &factor * factor.transpose();
            let times = |x: &[f64], out: &mut [f64]| {
                let product = &matrix * nalgebra::DVector::from_row_slice(x);
                out.copy_from_slice(product.as_slice());
            };
            let found = largest_eigenvalue(size, times, &Stop::default()).unwrap();
            let expected = matrix.symmetric_eigenvalues().max();
            assert!(
                (found - expected).abs() <= 1e-12 * expected,
                "{size}: {found} {expected}"
            );
        }
    }
}
