//! Work that is split into numbered parts, on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::execution::with_helpers;

/// Computes the parts 0, 1, … in any order, and returns them in order. So the number of
/// threads does not change any bit.
pub(super) fn in_parallel<T: Send>(
    parts: usize,
    threads: usize,
    compute: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(parts));
    let work = || -> Result<()> {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return Ok(());
            }
            let result = compute(part)?;
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((part, result));
        }
    };
    with_helpers(threads.min(parts), work, work)?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(part, _)| *part);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
