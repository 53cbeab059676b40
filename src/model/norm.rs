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
//! of which a model without position bias has L_u alone, and one without personal
//! scores N_u alone. Eigenvalues are computed only for annotators whose cheap
//! upper bound exceeds the largest eigenvalue found so far.

use nalgebra::DMatrix;

use super::hodgerank::LaplacianSolver;
use super::settings::Settings;
use super::statistics::{AnnotatorStatistics, Statistics};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::lanczos::largest_eigenvalue;
use crate::options::ThetaUpdate;

/// For blocks of up to this many items a dense routine finds all eigenvalues;
/// for larger ones the Lanczos method finds the largest.
const MAX_DENSE_ITEMS: usize = 48;

/// The bound on a block's eigenvalues is taken after so many products.
const BOUND_STEPS: usize = 6;

/// Vectors over the rows of one block: the annotator's items and, last, the row
/// of the position bias.
#[derive(Default)]
struct BoundScratch {
    vector: Vec<f64>,
    image: Vec<f64>,
}

/// The norm that limits the step size: c‖XᵀX‖₂, where c bounds the second derivative of
/// the loss. If θ takes gradient steps too, it is the squared norm of the complete design
/// [d, X]; with the squared loss a bound on it, the sum of both parts' norms, which is at
/// most twice the norm. `consensus` is for the squared loss.
pub(crate) fn step_norm(
    statistics: &Statistics,
    consensus: Option<&LaplacianSolver>,
    settings: &Settings,
    stop: &Stop,
) -> Result<f64> {
    let norm = design_norm(statistics, settings, stop)?;
    let [norm] = statistics.partition.max([norm])?;
    if settings.theta_update != ThetaUpdate::Gradient || norm == 0.0 {
        return Ok(settings.loss.max_curvature() * norm);
    }
    let Some(consensus) = consensus else {
        return complete_norm(statistics, settings, stop);
    };
    let mut scratch = consensus.scratch();
    let times = |x: &[f64], out: &mut [f64]| consensus.laplacian_times(x, out, &mut scratch);
    Ok(norm + largest_eigenvalue(statistics.items, times, stop)?)
}

/// ‖[d, X]‖₂², the squared norm of the complete design. Vectors are over the items, then
/// for each annotator over the items seen and γ.
fn complete_norm(statistics: &Statistics, settings: &Settings, stop: &Stop) -> Result<f64> {
    let items = statistics.items;
    let annotators = 0..statistics.annotators();
    let sizes = annotators.map(|u| statistics.annotator(u).items.len() + 1);
    let size = items + sizes.sum::<usize>();
    let (mut x, mut image) = (Vec::new(), Vec::new());
    let times = |v: &[f64], out: &mut [f64]| {
        out.fill(0.0);
        let (theta, mut effects) = v.split_at(items);
        let (total, mut images) = out.split_at_mut(items);
        for u in 0..statistics.annotators() {
            let block = statistics.annotator(u);
            let n = block.items.len();
            let own;
            (own, effects) = effects.split_at(n + 1);
            let own_image;
            (own_image, images) = images.split_at_mut(n + 1);
            x.clear();
            let deviation = own[..n].iter().zip(block.items);
            x.extend(deviation.map(|(&delta, &item)| {
                theta[item as usize] + if settings.personal { delta } else { 0.0 }
            }));
            x.push(if settings.position_bias { own[n] } else { 0.0 });
            image.resize(n + 1, 0.0);
            block_times(&block, true, &x, &mut image);
            for (row, &item) in block.items.iter().enumerate() {
                total[item as usize] += image[row];
                own_image[row] = if settings.personal { image[row] } else { 0.0 };
            }
            own_image[n] = if settings.position_bias {
                image[n]
            } else {
                0.0
            };
        }
    };
    largest_eigenvalue(size, times, stop)
}

/// A bound on [`step_norm`], from a few products.
pub(crate) fn step_norm_bound(
    statistics: &Statistics,
    consensus: Option<&LaplacianSolver>,
    settings: &Settings,
    stop: &Stop,
) -> Result<f64> {
    let bounds = bounds(statistics, settings, stop)?;
    let bounds = bounds.into_iter().map(|(bound, _)| bound);
    let [norm] = statistics.partition.max([bounds.fold(0.0, f64::max)])?;
    Ok(match settings.theta_update {
        ThetaUpdate::Gradient => {
            norm + consensus.map_or_else(|| degree_bound(statistics), LaplacianSolver::norm_bound)
        }
        ThetaUpdate::Solve | ThetaUpdate::Lagged => settings.loss.max_curvature() * norm,
    })
}

/// A bound on the largest eigenvalue of Σ_u L_u: twice the largest number of votes on an
/// item.
fn degree_bound(statistics: &Statistics) -> f64 {
    let mut degrees = vec![0.0; statistics.items];
    for u in 0..statistics.annotators() {
        let block = statistics.annotator(u);
        for (&item, degree) in block.items.iter().zip(block.graph.degrees()) {
            degrees[item as usize] += degree;
        }
    }
    2.0 * degrees.into_iter().fold(0.0, f64::max)
}

/// For each annotator, a bound on the eigenvalues of the block; zero if no effect
/// is in the model.
fn bounds(statistics: &Statistics, settings: &Settings, stop: &Stop) -> Result<Vec<(f64, usize)>> {
    let blocks = statistics.partition.map(settings.threads, |annotators| {
        let mut scratch = BoundScratch::default();
        let bound = |u: usize| {
            stop.check()?;
            let block = statistics.annotator(u);
            let bound = match (settings.personal, settings.position_bias) {
                (true, has_bias) => upper_bound(&block, has_bias, &mut scratch),
                (false, true) => block.votes,
                (false, false) => 0.0,
            };
            Ok((bound, u))
        };
        annotators.map(bound).collect::<Result<Vec<_>>>()
    })?;
    Ok(blocks.concat())
}

/// The largest eigenvalue of XᵀX, of the annotators that are here.
fn design_norm(statistics: &Statistics, settings: &Settings, stop: &Stop) -> Result<f64> {
    let (position_bias, personal) = (settings.position_bias, settings.personal);
    let mut bounds = bounds(statistics, settings, stop)?;
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
        let small = block.items.len() <= MAX_DENSE_ITEMS;
        let dense = small.then(|| dense_block(&block, position_bias).symmetric_eigenvalues());
        // The dense routine can underflow to NaN, which `max` would ignore.
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

/// No eigenvalue of a symmetric M exceeds the largest ratio (|M| v)_i / v_i, for any
/// positive v. Multiplying v by |M| lowers that ratio, and quickly where the row of
/// the position bias has the largest entries.
fn upper_bound(
    block: &AnnotatorStatistics<'_>,
    position_bias: bool,
    scratch: &mut BoundScratch,
) -> f64 {
    let size = block.items.len() + usize::from(position_bias);
    let BoundScratch { vector, image } = scratch;
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
            // Kept away from zero, by which the next ratio would be divided.
            *slot = f64::max(value / largest, 1e-9);
        }
    }
    bound * (1.0 + 1e-12) // so that rounding cannot rule out the largest eigenvalue
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
        for (row, a) in block.imbalance().enumerate() {
            out[row] += a.abs() * x[n];
            last += a.abs() * x[row];
        }
        out[n] = last;
    }
}

/// The block as a matrix.
fn dense_block(block: &AnnotatorStatistics<'_>, position_bias: bool) -> DMatrix<f64> {
    let n = block.items.len();
    let size = n + usize::from(position_bias);
    let mut matrix = DMatrix::zeros(size, size);
    for (row, edges) in block.graph.rows().enumerate() {
        for (other, weight) in edges {
            matrix[(row, row)] += weight;
            matrix[(row, other)] -= weight;
        }
    }
    if position_bias {
        for (row, a) in block.imbalance().enumerate() {
            matrix[(row, n)] = a;
            matrix[(n, row)] = a;
        }
        matrix[(n, n)] = block.votes;
    }
    matrix
}

/// out = M x.
fn block_times(block: &AnnotatorStatistics<'_>, position_bias: bool, x: &[f64], out: &mut [f64]) {
    let n = block.items.len();
    block.laplacian_times(&x[..n], &mut out[..n]);
    if position_bias {
        let mut last = block.votes * x[n];
        for (row, a) in block.imbalance().enumerate() {
            out[row] += a * x[n];
            last += a * x[row];
        }
        out[n] = last;
    }
}
