//! The last few fits of this process, so that several calls on the same votes
//! fit them once, also when they come at the same time.
//!
//! The key is a hash of the votes and of the options. The name of a table or a
//! change counter would not do: after a ROLLBACK the same table holds other votes.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use super::types::Fit;
use crate::error::Result;
use crate::execution::{Execution, FitExtent, POLL_INTERVAL};
use crate::options::Options;
use crate::votes::{Choices, Ids, Votes};

/// The fits in the cache take at most this many bytes together.
const MAX_BYTES: usize = 64 << 20;

/// 128 bits of BLAKE3.
type FitKey = [u8; 16];

static FITS: LazyLock<FitCache> = LazyLock::new(|| FitCache::new(MAX_BYTES));

thread_local! {
    /// Whether this thread is computing a fit that others may wait for.
    static IS_COMPUTING: Cell<bool> = const { Cell::new(false) };
}

/// The fit of these votes with these options: from the cache, or computed and kept.
pub fn fit(votes: &Votes, options: &Options, execution: &mut Execution<'_>) -> Result<Arc<Fit>> {
    let options = &options.for_votes(votes)?;
    let compute = |known: Option<Arc<Fit>>, execution: &mut Execution<'_>| match known {
        Some(fit) => fit.with_whole_path(votes, options, execution),
        None => Fit::new_within(votes, options, execution),
    };
    let fit = FITS.fit(key(votes, options), execution, compute)?;
    // Other columns with the same votes in them are no reason to fit again.
    let columns = votes.columns_read();
    Ok(match fit.columns == columns {
        true => fit,
        false => Arc::new(Fit {
            columns,
            ..Fit::clone(&fit)
        }),
    })
}

/// How many fits of this process the cache did not have, and nothing to make them of.
#[cfg(feature = "internals")]
pub fn computed_fits() -> u64 {
    FITS.computed.load(Ordering::Relaxed)
}

/// Fits that are kept, and fits that are being computed.
struct FitCache {
    state: Mutex<CacheState>,
    /// Notified whenever a computation ends.
    ended: Condvar,
    computed: AtomicU64,
}

struct CacheState {
    kept: KeptFits,
    running: HashMap<(FitKey, FitExtent), Arc<Computation>>,
}

/// A fit that is being computed: set when that ends, to None if it failed.
type Computation = OnceLock<Option<Arc<Fit>>>;

impl FitCache {
    fn new(max_bytes: usize) -> Self {
        Self {
            state: Mutex::new(CacheState {
                kept: KeptFits::new(max_bytes),
                running: HashMap::new(),
            }),
            ended: Condvar::new(),
            computed: AtomicU64::new(0),
        }
    }

    /// `compute` gets the same fit up to the chosen time, if the curve is not asked for.
    fn fit(
        &self,
        key: FitKey,
        execution: &mut Execution<'_>,
        compute: impl FnOnce(Option<Arc<Fit>>, &mut Execution<'_>) -> Result<Fit>,
    ) -> Result<Arc<Fit>> {
        let extent = execution.extent();
        let mut state = self.lock();
        let (turn, known) = loop {
            let known = state.kept.get(key);
            if let Some(fit) = known.as_ref().filter(|fit| fit.extent() >= extent) {
                return Ok(fit.clone());
            }
            let Some(other) = state.computation(key, extent) else {
                break (Turn::new(self, &mut state, (key, extent)), known);
            };
            state = self.wait(state, &other, execution)?;
            if let Some(Some(fit)) = other.get() {
                return Ok(fit.clone());
            }
        };
        drop(state);
        let known = known.filter(|_| extent == FitExtent::WholePath);
        self.computed
            .fetch_add(u64::from(known.is_none()), Ordering::Relaxed);
        let fit = Arc::new(compute(known, execution)?);
        turn.succeed(&fit);
        Ok(fit)
    }

    /// Waits for a computation of another thread, as long as the caller wants to.
    fn wait<'a>(
        &'a self,
        mut state: MutexGuard<'a, CacheState>,
        other: &Computation,
        execution: &mut Execution<'_>,
    ) -> Result<MutexGuard<'a, CacheState>> {
        while other.get().is_none() {
            let waited = self.ended.wait_timeout(state, POLL_INTERVAL);
            let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = guard;
            if timeout.timed_out() {
                // The poll may call this cache again.
                drop(state);
                execution.check()?;
                state = self.lock();
            }
        }
        Ok(state)
    }

    fn lock(&self) -> MutexGuard<'_, CacheState> {
        // No call leaves the state half changed, so a panic elsewhere does no harm to it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheState {
    /// A computation of another thread that gives what is asked for.
    ///
    /// A thread that computes a fit itself never waits for another one: the poll of
    /// its computation may have led here, and two such threads could wait for each
    /// other.
    fn computation(&self, key: FitKey, extent: FitExtent) -> Option<Arc<Computation>> {
        use FitExtent::{ChosenTime, WholeCurve, WholePath};
        if IS_COMPUTING.get() {
            return None;
        }
        let as_far = [WholeCurve, WholePath, ChosenTime].into_iter();
        let mut as_far = as_far.filter(|&running| running >= extent);
        as_far
            .find_map(|running| self.running.get(&(key, running)))
            .cloned()
    }
}

/// The turn of this thread to compute a fit. Those who wait are told when it ends,
/// in whatever way it does.
struct Turn<'a> {
    cache: &'a FitCache,
    key: (FitKey, FitExtent),
    computation: Arc<Computation>,
    /// Whether this thread was computing already.
    is_nested: bool,
}

impl<'a> Turn<'a> {
    fn new(cache: &'a FitCache, state: &mut CacheState, key: (FitKey, FitExtent)) -> Self {
        let computation = Arc::<Computation>::default();
        let is_nested = IS_COMPUTING.replace(true);
        if !is_nested {
            state.running.insert(key, computation.clone());
        }
        Self {
            cache,
            key,
            computation,
            is_nested,
        }
    }

    fn succeed(self, fit: &Arc<Fit>) {
        let evicted = self.cache.lock().kept.put(self.key.0, fit);
        drop(evicted); // may take a while, and nobody should wait for it
        let _ = self.computation.set(Some(fit.clone()));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        IS_COMPUTING.set(self.is_nested);
        if !self.is_nested {
            let _ = self.computation.set(None); // unless it has succeeded
            self.cache.lock().running.remove(&self.key);
            self.cache.ended.notify_all();
        }
    }
}

/// Fits that are kept: those that were used last, up to a number of bytes.
struct KeptFits {
    max_bytes: usize,
    /// The sum over all fits.
    bytes: usize,
    /// How often a fit was asked for, which dates its last use.
    uses: u64,
    fits: HashMap<FitKey, KeptFit>,
    by_last_use: BTreeMap<u64, FitKey>,
}

struct KeptFit {
    fit: Arc<Fit>,
    bytes: usize,
    last_use: u64,
}

impl KeptFits {
    fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            bytes: 0,
            uses: 0,
            fits: HashMap::new(),
            by_last_use: BTreeMap::new(),
        }
    }

    fn get(&mut self, key: FitKey) -> Option<Arc<Fit>> {
        let kept = self.fits.get_mut(&key)?;
        self.uses += 1;
        self.by_last_use.remove(&kept.last_use);
        self.by_last_use.insert(self.uses, key);
        kept.last_use = self.uses;
        Some(kept.fit.clone())
    }

    /// Keeps a fit, and returns those that it replaces. One that is too large to be
    /// kept replaces none, nor does one whose paths end before those of the fit that is kept.
    fn put(&mut self, key: FitKey, fit: &Arc<Fit>) -> Vec<Arc<Fit>> {
        let bytes = fit.approximate_size();
        let kept = self.fits.get(&key);
        if bytes > self.max_bytes || kept.is_some_and(|kept| kept.fit.extent() > fit.extent()) {
            return Vec::new();
        }
        let mut evicted: Vec<_> = self.remove(key).into_iter().collect();
        while self.bytes + bytes > self.max_bytes
            && let Some((_, &oldest)) = self.by_last_use.first_key_value()
        {
            evicted.extend(self.remove(oldest));
        }
        self.uses += 1;
        self.bytes += bytes;
        self.by_last_use.insert(self.uses, key);
        let kept = KeptFit {
            fit: fit.clone(),
            bytes,
            last_use: self.uses,
        };
        self.fits.insert(key, kept);
        evicted
    }

    fn remove(&mut self, key: FitKey) -> Option<Arc<Fit>> {
        let kept = self.fits.remove(&key)?;
        self.by_last_use.remove(&kept.last_use);
        self.bytes -= kept.bytes;
        Some(kept.fit)
    }
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
            (options.loss, options.ridge),
            options.theta_update,
            options.pair_model,
            options.fdr,
            options.bias_test,
        ),
        votes.skipped,
        votes.has_annotators(),
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
    let mut buffer = Vec::with_capacity(N * values.len().min(4096));
    for chunk in values.chunks(4096) {
        buffer.clear();
        buffer.extend(chunk.iter().flat_map(|&value| bytes(value)));
        hasher.update(&buffer);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    use super::*;
    use crate::error::{Error, ErrorKind};
    use crate::{Loss, ResultSet, Row, Simulation, ThetaUpdate, VoteBuilder};
    use arrow_array::RecordBatch;

    fn tiny_fit() -> Fit {
        let options = Options::default();
        let mut votes = VoteBuilder::new(&options);
        for (left, right) in [("a", "b"), ("b", "c"), ("c", "a")] {
            votes.push(Row::new("ann", left, right, "left")).unwrap();
            votes.push(Row::new("bob", left, right, "right")).unwrap();
        }
        Fit::new(&votes.finish().unwrap(), &options).unwrap()
    }

    fn key_of(number: u64) -> FitKey {
        let mut key = FitKey::default();
        key[..8].copy_from_slice(&number.to_le_bytes());
        key
    }

    /// Sums and orders as a second look over all fits finds them.
    fn assert_consistent(kept: &KeptFits) {
        assert_eq!(kept.fits.len(), kept.by_last_use.len());
        let bytes: usize = kept.fits.values().map(|kept| kept.bytes).sum();
        assert_eq!(kept.bytes, bytes);
        assert!(bytes <= kept.max_bytes);
        for (last_use, key) in &kept.by_last_use {
            assert_eq!(kept.fits[key].last_use, *last_use);
        }
    }

    #[test]
    fn the_least_recently_used_fit_goes_first() {
        let fit = Arc::new(tiny_fit());
        let mut kept = KeptFits::new(3 * fit.approximate_size());
        for number in 0..3 {
            assert!(kept.put(key_of(number), &fit).is_empty());
        }
        assert!(kept.get(key_of(0)).is_some());
        assert_eq!(kept.put(key_of(3), &fit).len(), 1);
        assert_eq!(kept.put(key_of(3), &fit).len(), 1); // the same again
        assert_consistent(&kept);
        let known = (0..4).map(|number| kept.get(key_of(number)).is_some());
        assert_eq!(known.collect::<Vec<_>>(), [true, false, true, true]);
    }

    #[test]
    fn a_fit_that_is_too_large_evicts_nothing() {
        let fit = Arc::new(tiny_fit());
        let mut kept = KeptFits::new(fit.approximate_size() - 1);
        assert!(kept.put(key_of(0), &fit).is_empty());
        assert!(kept.fits.is_empty());
        kept.max_bytes += 1;
        kept.put(key_of(1), &fit);
        kept.max_bytes -= 1;
        assert!(kept.put(key_of(0), &fit).is_empty());
        assert!(kept.get(key_of(1)).is_some());
    }

    /// A ranking needs the path up to the chosen time and no tests of annotators; who asks for
    /// the annotators next gets the rest, and no new fit.
    #[test]
    fn a_fit_up_to_the_chosen_time_is_completed() {
        let simulation = Simulation {
            annotators: 60,
            items: 12,
            ..Simulation::default()
        };
        let squared = || Options {
            grid_points: 20,
            ..Options::default()
        };
        let cases = [
            squared(),
            Options {
                theta_update: ThetaUpdate::Lagged,
                ..squared()
            },
            Options {
                loss: Loss::Logistic,
                ..squared()
            },
            Options {
                folds: 0,
                t: Some(1.5),
                ..squared()
            },
        ];
        for options in cases {
            let mut votes = VoteBuilder::new(&options);
            for batch in simulation.clone().run().unwrap() {
                votes.push_batch(&batch.unwrap()).unwrap();
            }
            let votes = votes.finish().unwrap();
            let run = |extent: FitExtent| {
                let mut execution = Execution::new();
                execution.set_extent(extent);
                fit(&votes, &options, &mut execution).unwrap()
            };
            let whole = Fit::new(&votes, &options).unwrap();
            let short = run(FitExtent::ChosenTime);
            assert_eq!(short.extent(), FitExtent::ChosenTime);
            let points = short.path.theta.len() / short.items.len();
            assert_eq!(points, 1 + short.chosen.as_ref().unwrap().grid_index);
            let tables = |fit: &Fit, extent: FitExtent| -> Vec<RecordBatch> {
                let sets = ResultSet::ALL.into_iter();
                let sets = sets.filter(|set| set.extent() <= extent);
                sets.map(|set| fit.table(set).unwrap()).collect()
            };
            for extent in [FitExtent::ChosenTime, FitExtent::WholePath] {
                let fit = run(extent);
                assert!(fit.extent() >= extent);
                assert_eq!(tables(&fit, extent), tables(&whole, extent));
            }
            for set in [ResultSet::Annotators, ResultSet::Path, ResultSet::Summary] {
                assert_eq!(short.table(set).unwrap_err().kind(), ErrorKind::Internal);
            }
            let whole_path = run(FitExtent::WholePath);
            assert!(Arc::ptr_eq(&whole_path, &run(FitExtent::ChosenTime)));
            assert_eq!(*run(FitExtent::WholeCurve), whole);
        }
    }

    #[test]
    fn many_small_fits_are_kept_in_order() {
        let fit = Arc::new(tiny_fit());
        let mut kept = KeptFits::new(1000 * fit.approximate_size());
        for number in 0..100_000 {
            kept.put(key_of(number), &fit);
        }
        assert_consistent(&kept);
        assert_eq!(kept.fits.len(), 1000);
        assert!(kept.get(key_of(99_000)).is_some());
        assert!(kept.get(key_of(98_999)).is_none());
    }

    /// Waits until so many threads wait for a computation: each holds it.
    fn until_waiting(cache: &FitCache, waiting: usize) {
        let holders = || -> usize {
            let state = cache.lock();
            state.running.values().map(Arc::strong_count).sum()
        };
        while holders() < 2 + waiting {
            thread::yield_now();
        }
    }

    #[test]
    fn callers_at_the_same_time_fit_once() {
        // Also one that is too large to be kept.
        for max_bytes in [0, MAX_BYTES] {
            let cache = FitCache::new(max_bytes);
            let call = || {
                let compute = |_: Option<Arc<Fit>>, _: &mut Execution<'_>| {
                    until_waiting(&cache, 3);
                    Ok(tiny_fit())
                };
                let fit = cache.fit(key_of(1), &mut Execution::new(), compute);
                Arc::as_ptr(&fit.unwrap()) as usize
            };
            thread::scope(|scope| {
                let calls: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
                for call in calls {
                    call.join().unwrap();
                }
            });
            assert_eq!(cache.computed.load(Ordering::Relaxed), 1);
            assert!(cache.lock().running.is_empty());
        }
    }

    #[test]
    fn a_failure_is_not_shared() {
        let cache = FitCache::new(MAX_BYTES);
        let calls = AtomicUsize::new(0);
        let call = || {
            let compute = |_: Option<Arc<Fit>>, _: &mut Execution<'_>| {
                if calls.fetch_add(1, Ordering::Relaxed) > 0 {
                    return Ok(tiny_fit());
                }
                until_waiting(&cache, 1);
                Err(Error::new(
                    ErrorKind::Interrupted,
                    "stopped by its own caller",
                ))
            };
            cache.fit(key_of(1), &mut Execution::new(), compute).is_ok()
        };
        let outcomes = thread::scope(|scope| {
            let (first, second) = (scope.spawn(call), scope.spawn(call));
            [first.join().unwrap(), second.join().unwrap()]
        });
        assert_eq!(outcomes.iter().filter(|&&ok| ok).count(), 1);
    }

    #[test]
    fn one_that_waits_can_be_stopped() {
        let cache = FitCache::new(MAX_BYTES);
        let stopped = std::sync::Barrier::new(2);
        thread::scope(|scope| {
            scope.spawn(|| {
                let compute = |_: Option<Arc<Fit>>, _: &mut Execution<'_>| {
                    stopped.wait();
                    Ok(tiny_fit())
                };
                cache
                    .fit(key_of(1), &mut Execution::new(), compute)
                    .unwrap();
            });
            while cache.lock().running.is_empty() {
                thread::yield_now();
            }
            let mut execution = Execution::new().poll(|| ControlFlow::Break(()));
            let outcome = cache.fit(key_of(1), &mut execution, |_, _| {
                unreachable!("the other does")
            });
            stopped.wait();
            assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Interrupted);
        });
    }

    #[test]
    fn a_poll_that_fits_the_same_does_not_wait_for_itself() {
        let cache = FitCache::new(MAX_BYTES);
        let fit = cache.fit(key_of(1), &mut Execution::new(), |_, execution| {
            cache.fit(key_of(1), execution, |_, _| Ok(tiny_fit()))?;
            Ok(tiny_fit())
        });
        assert!(fit.is_ok());
        assert_eq!(cache.computed.load(Ordering::Relaxed), 2);
        assert!(!IS_COMPUTING.get());
    }
}
