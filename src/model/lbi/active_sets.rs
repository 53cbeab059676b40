//! The active sets of all blocks of annotators.
//!
//! In a step each block moves its effects and adds up what they contribute to the right-hand
//! side of the next θ. That is work for several threads, and for several machines. The
//! blocks' sums are added in a fixed order, so no bit depends on who computed them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::active_set::{ActiveSet, EffectEntry};
use super::screening::{MeanScores, ScoreIntegral};
use super::snapshot::Snapshot;
use crate::collective::BlockSum;
use crate::error::Result;
use crate::execution::{Stop, in_parallel};
use crate::model::settings::Settings;
use crate::model::statistics::{BlockStatistics, Statistics};
use crate::votes::Partition;

/// A step is shared among threads if so many votes take part in it: about 0.1 ms. To wake
/// another thread takes about 0.01 ms.
const MIN_SHARED_VOTES: f64 = 20_000.0;

/// The active sets of the blocks that are here.
pub(super) struct ActiveSets {
    partition: Arc<Partition>,
    threads: usize,
    items: usize,
    blocks: Vec<Mutex<ActiveBlock>>,
    /// Whether an effect has entered, of any annotator of the table.
    is_empty: bool,
}

struct ActiveBlock {
    set: ActiveSet,
    /// −Σ_u (L_u δ^u + a_u γ^u) over the block's annotators; empty if no effect has entered.
    rhs: Vec<f64>,
}

impl ActiveSets {
    /// Every effect zero.
    pub fn new(statistics: &Arc<Statistics>, settings: Settings) -> Self {
        let partition = Arc::clone(&statistics.partition);
        let block = |k: usize| {
            let statistics = BlockStatistics::new(statistics, partition.annotators_of(k));
            Mutex::new(ActiveBlock {
                set: ActiveSet::new(statistics, settings),
                rhs: Vec::new(),
            })
        };
        Self {
            threads: settings.threads,
            items: statistics.items.next_multiple_of(4),
            blocks: (0..partition.len()).map(block).collect(),
            is_empty: true,
            partition,
        }
    }

    /// Whether no effect has entered, of any annotator of the table.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// When each γ first was not zero.
    pub fn bias_entries(&self) -> Vec<Option<EffectEntry>> {
        self.entries(|set| set.bias_entries())
    }

    /// When each δ first was not zero.
    pub fn deviation_entries(&self) -> Vec<Option<EffectEntry>> {
        self.entries(|set| set.deviation_entries())
    }

    fn entries(
        &self,
        of: impl Fn(&ActiveSet) -> &[Option<EffectEntry>],
    ) -> Vec<Option<EffectEntry>> {
        let blocks = self.blocks.iter();
        blocks
            .flat_map(|block| of(&lock(block).set).to_vec())
            .collect()
    }

    /// The largest norm of an effect's gradient at θ⁰, of all annotators of the table. Sets the
    /// first bounds.
    pub fn screen_all(&mut self, theta: &[f64], stop: &Stop) -> Result<f64> {
        let largest = self.for_each(self.threads, |_, block| block.set.screen_all(theta, stop))?;
        let [largest] = self
            .partition
            .max([largest.into_iter().fold(0.0, f64::max)])?;
        Ok(largest)
    }

    /// Moves every z along its gradient, shrinks, and subtracts the new effects
    /// Σ_u (L_u δ^u + a_u γ^u) of all annotators of the table from `rhs`. Effects that are zero
    /// enter when they have to. `scores` has the integral of θ up to the end of this step.
    pub fn step(
        &mut self,
        theta: &[f64],
        scores: &MeanScores,
        now: EffectEntry,
        rhs: &mut [f64],
        stop: &Stop,
    ) -> Result<()> {
        let items = self.items;
        let step = |block: &mut ActiveBlock| block.step(items, theta, scores, now, stop);
        if let [block] = &mut self.blocks[..]
            && self.partition.is_complete()
        {
            let block = block.get_mut().unwrap_or_else(PoisonError::into_inner);
            step(block)?;
            self.is_empty = block.rhs.is_empty();
            add_to(rhs, &block.rhs);
            return Ok(());
        }
        let threads = match self.active_votes() >= MIN_SHARED_VOTES {
            true => self.threads,
            false => 1,
        };
        self.for_each(threads, |_, block| step(block))?;
        let take = |block: &mut Mutex<ActiveBlock>| {
            let block = block.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut block.rhs)
        };
        let sums = self.blocks.iter_mut().map(take).collect();
        let mut sums: Vec<BlockSum> = self.partition.block_sums(sums);
        let total = self.partition.reduce(&mut sums)?;
        self.is_empty = total.is_empty();
        add_to(rhs, &total);
        // The next step uses the memory again.
        for (block, sum) in self.blocks.iter_mut().zip(sums) {
            block.get_mut().unwrap_or_else(PoisonError::into_inner).rhs = sum.values;
        }
        Ok(())
    }

    /// Writes the effects at the time of `scores`, which is `elapsed` after the
    /// latest step: z moves linearly within a step.
    pub fn write_effects(
        &mut self,
        theta: &[f64],
        scores: &ScoreIntegral<'_>,
        elapsed: f64,
        snapshot: &mut Snapshot,
    ) -> Result<()> {
        let effects: Vec<_> = snapshot.blocks().into_iter().map(Mutex::new).collect();
        self.for_each(self.threads, |k, block| {
            let mut effects = effects[k].lock().unwrap_or_else(PoisonError::into_inner);
            block
                .set
                .write_effects(theta, scores, elapsed, &mut effects);
            Ok(())
        })?;
        Ok(())
    }

    /// How many votes of annotators with effects are here.
    fn active_votes(&mut self) -> f64 {
        let blocks = self.blocks.iter_mut();
        blocks
            .map(|block| {
                let block = block.get_mut().unwrap_or_else(PoisonError::into_inner);
                block.set.active_votes()
            })
            .sum()
    }

    /// Does something with each block, on several threads.
    fn for_each<T: Send>(
        &self,
        threads: usize,
        work: impl Fn(usize, &mut ActiveBlock) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        in_parallel(self.blocks.len(), threads, |k| {
            work(k, &mut lock(&self.blocks[k]))
        })
    }
}

impl ActiveBlock {
    /// Moves the effects and adds up what they contribute to the right-hand side.
    fn step(
        &mut self,
        items: usize,
        theta: &[f64],
        scores: &MeanScores,
        now: EffectEntry,
        stop: &Stop,
    ) -> Result<()> {
        self.rhs.clear();
        self.rhs.resize(items, 0.0);
        self.set.step(theta, scores, now, &mut self.rhs, stop)?;
        if self.set.is_empty() {
            self.rhs.clear();
        }
        Ok(())
    }
}

fn lock(block: &Mutex<ActiveBlock>) -> MutexGuard<'_, ActiveBlock> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}

/// sum += values, unless there are none.
fn add_to(sum: &mut [f64], values: &[f64]) {
    for (slot, value) in sum.iter_mut().zip(values) {
        *slot += value;
    }
}

#[cfg(test)]
mod tests {
    use crate::collective::in_process::run_ranks;
    use crate::execution::CvExtent;
    use crate::execution::Stop;
    use crate::model::{CvInput, Problem, cross_validate_with};
    use crate::options::{Options, ThetaUpdate};
    use crate::random::Random;
    use crate::votes::{Comparison, Comparisons, Folds, Partition};
    use std::sync::Arc;

    /// Annotators who agree but for chance, every fifth of whom clicks left, and some with a
    /// single vote; in blocks.
    fn votes(blocks: usize, weighted: bool) -> Comparisons {
        let mut random = Random(31);
        let items = 14;
        let mut votes = Comparisons::with_capacity(items, 0, weighted, weighted);
        for u in 0..90 {
            for _ in 0..if u % 6 == 0 { 1 } else { 15 + u % 9 } {
                let left = random.below(items);
                let right = (left + 1 + random.below(items - 1)) % items;
                let better = right as f64 - left as f64 + 8.0 * random.normal();
                votes.push(Comparison {
                    left,
                    right,
                    choice: if better > 0.0 || u % 5 == 0 {
                        1.0
                    } else {
                        -1.0
                    },
                    weight: if weighted {
                        0.3 + random.uniform()
                    } else {
                        1.0
                    },
                });
            }
            votes.end_annotator();
        }
        let partition = Partition::with_blocks(&votes.offsets, blocks);
        votes.in_blocks(Arc::new(partition))
    }

    /// Scores, effects and entries at the end of the path, and the errors of all folds.
    fn numbers(votes: &Comparisons, options: &Options, threads: usize) -> Vec<u64> {
        let stop = Stop::default();
        let problem = Problem::on_threads(votes, options, threads, &stop).unwrap();
        let grid = problem.grid(options).unwrap();
        let mut path = problem.path(&stop).unwrap();
        let mut numbers = vec![problem.norm, problem.first_entry];
        for &t in &grid {
            let snapshot = path.advance_to(t, &stop).unwrap();
            numbers.extend(snapshot.theta());
        }
        let share = votes.partition().rows();
        let folds = Folds::draw_share(share, votes.len(), 3, 5);
        for extent in [CvExtent::FullGrid, CvExtent::UntilStopped] {
            let input = CvInput {
                votes,
                folds: &folds,
                settings: problem.settings,
                norm: problem.norm,
                grid: &grid,
                extent,
            };
            let (found, ()) = cross_validate_with(&input, threads, &stop, || Ok(())).unwrap();
            numbers.push(found.points_to_stop as f64);
            numbers.extend(found.errors.iter().chain(&found.mismatches).flatten());
            numbers.extend(&found.hodgerank_errors);
        }
        let snapshot = path.advance_to(*grid.last().unwrap(), &stop).unwrap();
        let effects = (0..votes.annotators()).flat_map(|u| {
            let deviation = snapshot.deviation(u).iter().sum::<f64>();
            [snapshot.position_bias()[u], deviation]
        });
        let effects: Vec<f64> = effects.collect();
        let entries = path
            .bias_entries()
            .into_iter()
            .chain(path.deviation_entries());
        let entries: Vec<f64> = entries
            .map(|entry| entry.map_or(-1.0, |e| e.time))
            .collect();
        let partition = votes.partition();
        numbers.extend(partition.gather(&effects).unwrap());
        let (bias, deviation) = entries.split_at(votes.annotators());
        numbers.extend(partition.gather(bias).unwrap());
        numbers.extend(partition.gather(deviation).unwrap());
        numbers.into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn threads_and_ranks_do_not_change_a_bit() {
        let cases = [
            (false, ThetaUpdate::Solve),
            (true, ThetaUpdate::Solve),
            (true, ThetaUpdate::Lagged),
            (false, ThetaUpdate::Gradient),
        ];
        for (weighted, theta_update) in cases {
            let options = Options {
                theta_update,
                grid_points: 20,
                ..Options::default()
            };
            let votes = votes(8, weighted);
            let alone = numbers(&votes, &options, 1);
            assert_eq!(alone, numbers(&votes, &options, 3), "{theta_update}");
            for ranks in [1, 2, 3, 5] {
                let found = run_ranks(ranks, |collective| {
                    numbers(&votes.of_rank(collective), &options, 2)
                });
                for rank in found {
                    assert_eq!(rank, alone, "{theta_update}, {ranks} ranks");
                }
            }
        }
    }

    /// Blocks change the order of sums, which is rounding.
    #[test]
    fn blocks_change_hardly_anything() {
        let options = Options::default();
        let [one, many] = [1, 8].map(|blocks| {
            let stop = Stop::default();
            let problem = Problem::new(&votes(blocks, true), &options, &stop).unwrap();
            let t = 8.0 * problem.first_entry;
            let mut path = problem.path(&stop).unwrap();
            path.advance_to(t, &stop).unwrap().theta().to_vec()
        });
        for (one, many) in one.iter().zip(many) {
            assert!((one - many).abs() < 1e-10, "{one} {many}");
        }
    }
}
