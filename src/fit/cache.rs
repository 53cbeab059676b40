//! The last few fits of this process, so that several calls on the same votes
//! fit them once.
//!
//! The key is a hash of the votes and of the options. The name of a table or a
//! change counter would not do: after a ROLLBACK the same table holds other votes.

use std::sync::{Arc, Mutex};

use super::types::Fit;
use crate::error::Result;
use crate::execution::{CvExtent, Execution};
use crate::options::Options;
use crate::votes::{Choices, Ids, Votes};

/// The fits in the cache take at most this many bytes together.
const MAX_BYTES: usize = 64 << 20;

/// 128 bits of BLAKE3.
type FitKey = [u8; 16];

/// Most recently used last.
static FITS: Mutex<Vec<(FitKey, Arc<Fit>)>> = Mutex::new(Vec::new());

/// The fit of these votes with these options: from the cache, or computed and kept.
pub fn fit(votes: &Votes, options: &Options, execution: &mut Execution<'_>) -> Result<Arc<Fit>> {
    let key = key(votes, options);
    if let Some(fit) = get(key)
        && (has_complete_curve(&fit) || execution.cv_extent() == CvExtent::UntilStopped)
    {
        return Ok(fit);
    }
    let fit = Arc::new(Fit::new_within(votes, options, execution)?);
    put(key, &fit);
    Ok(fit)
}

/// Whether cross-validation, if there was one, went over the whole grid.
fn has_complete_curve(fit: &Fit) -> bool {
    let points = fit.path.grid.len();
    let curve = fit.validation.as_ref();
    curve.is_none_or(|curve| curve.error.len() == points)
}

fn get(key: FitKey) -> Option<Arc<Fit>> {
    let mut fits = lock();
    let index = fits.iter().position(|(known, _)| *known == key)?;
    let found = fits.remove(index);
    let fit = found.1.clone();
    fits.push(found);
    Some(fit)
}

fn put(key: FitKey, fit: &Arc<Fit>) {
    let mut fits = lock();
    fits.retain(|(known, _)| *known != key);
    fits.push((key, fit.clone()));
    let mut bytes: usize = fits.iter().map(|(_, fit)| fit.approximate_size()).sum();
    while bytes > MAX_BYTES {
        bytes -= fits.remove(0).1.approximate_size();
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<(FitKey, Arc<Fit>)>> {
    // No call leaves the list half changed, so a panic elsewhere does no harm to it.
    FITS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A hash of everything that the fit depends on, and of nothing else: the names of
/// columns and the time limit are not in it.
fn key(votes: &Votes, options: &Options) -> FitKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    let model = (
        (
            options.kappa,
            options.alpha,
            options.grid_points,
            options.grid_span,
        ),
        (options.folds, options.seed, options.t),
        (
            options.position_bias,
            options.personal,
            options.theta_update,
            options.pair_model,
            options.fdr,
            options.bias_test,
        ),
        votes.skipped,
    );
    hasher.update(format!("{model:?}").as_bytes());
    for ids in [&votes.annotators, &votes.items] {
        hash_ids(&mut hasher, ids);
    }
    let comparisons = &votes.comparisons;
    feed(&mut hasher, &comparisons.offsets, |x| x.to_le_bytes());
    feed(&mut hasher, &comparisons.left, |x| x.to_le_bytes());
    feed(&mut hasher, &comparisons.right, |x| x.to_le_bytes());
    match &comparisons.choice {
        Choices::Sides(sides) => feed(&mut hasher, sides, |x| x.to_le_bytes()),
        Choices::Graded(values) => feed(&mut hasher, values, |x| x.to_le_bytes()),
    }
    if let Some(weights) = &comparisons.weight {
        feed(&mut hasher, weights, |x| x.to_le_bytes());
    }
    if let Some(folds) = &votes.folds {
        feed(&mut hasher, &folds.of, |x| x.to_le_bytes());
    }
    let mut key = FitKey::default();
    hasher.finalize_xof().fill(&mut key);
    key
}

fn hash_ids(hasher: &mut blake3::Hasher, ids: &Ids) {
    hasher.update(format!("{:?}", ids.id_type).as_bytes());
    feed(hasher, &ids.ints, |x| x.to_le_bytes());
    feed(hasher, &ids.ends, |x| x.to_le_bytes());
    hasher.update(ids.text.as_bytes());
}

/// Hashes the length, then the values.
fn feed<T: Copy, const N: usize>(
    hasher: &mut blake3::Hasher,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) {
    hasher.update(&(values.len() as u64).to_le_bytes());
    let mut buffer = Vec::with_capacity(N * 4096);
    for chunk in values.chunks(4096) {
        buffer.clear();
        buffer.extend(chunk.iter().flat_map(|&value| bytes(value)));
        hasher.update(&buffer);
    }
}
