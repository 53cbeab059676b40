//! A fit on one of several machines.
//!
//! Each rank has a complete fit, but for what is large and belongs to its annotators: their
//! effects along the path, and their personal scores. These are gathered here.

use super::compute::compute;
use super::constructors::check_votes;
use super::types::{EffectPath, Fit, PersonalScores};
use crate::error::{Error, Result};
use crate::execution::Execution;
use crate::options::{Loss, Options};
use crate::votes::{Partition, Votes};

impl Fit {
    /// Fits the votes of which this rank has a part. All ranks call this, with the same options.
    /// With `gather` the fit is complete on every rank; without, it has the personal scores
    /// of the rank's own annotators only.
    pub(crate) fn on_rank(
        votes: &Votes,
        options: &Options,
        gather: bool,
        execution: &mut Execution<'_>,
    ) -> Result<Self> {
        let options = &options.for_votes(votes)?;
        if options.loss != Loss::Squared && options.has_effects() {
            return Err(Error::option(format!(
                "loss = '{}' with effects of annotators is fitted in one process: on several \
                 machines loss must be 'squared', or position_bias and personal false",
                options.loss
            )));
        }
        check_votes(votes, options)?;
        execution.limit(options.max_seconds);
        execution.limit_threads(options.threads);
        let extent = execution.extent();
        let threads = execution.thread_limit();
        let partition = votes.comparisons.partition();
        execution.run(|stop| {
            let mut fit = compute(votes, options, (threads, extent), stop)?;
            fit.path.bias.gather(&partition)?;
            fit.path.deviation.gather(&partition)?;
            if let Some(chosen) = &mut fit.chosen {
                let before = partition.annotators().before as u32;
                let annotators = chosen.personal.annotator.iter_mut();
                annotators.for_each(|annotator| *annotator += before);
                if gather {
                    chosen.personal.gather(&partition)?;
                }
            }
            Ok(fit)
        })
    }
}

impl EffectPath {
    /// Adds the effects of the annotators of all other ranks. On each rank annotators are
    /// counted from its first one before, and from that of the table after.
    fn gather(&mut self, partition: &Partition) -> Result<()> {
        let before = partition.annotators().before as u32;
        let numbers = |values: &[u32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
        let annotators = self.annotator.iter().map(|annotator| before + annotator);
        let annotators = numbers(&annotators.collect::<Vec<u32>>());
        let grid_index = partition.gather(&numbers(&self.grid_index))?;
        let annotators = partition.gather(&annotators)?;
        let values = partition.gather(&self.value)?;
        // By grid time; annotators are in the order of ranks already.
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&k| grid_index[k] as u32);
        self.grid_index = order.iter().map(|&k| grid_index[k] as u32).collect();
        self.annotator = order.iter().map(|&k| annotators[k] as u32).collect();
        self.value = order.iter().map(|&k| values[k]).collect();
        Ok(())
    }
}

impl PersonalScores {
    /// Adds the scores of the annotators of all other ranks.
    fn gather(&mut self, partition: &Partition) -> Result<()> {
        let lengths = self
            .starts
            .windows(2)
            .map(|range| (range[1] - range[0]) as f64);
        let lengths = partition.gather(&lengths.collect::<Vec<_>>())?;
        let annotators = self.annotator.iter().map(|&annotator| f64::from(annotator));
        let annotators = partition.gather(&annotators.collect::<Vec<_>>())?;
        let items = self.item.iter().map(|&item| f64::from(item));
        let items = partition.gather(&items.collect::<Vec<_>>())?;
        self.deviation = partition.gather(&self.deviation)?;
        self.votes = partition.gather(&self.votes)?;
        self.annotator = annotators
            .into_iter()
            .map(|annotator| annotator as u32)
            .collect();
        self.item = items.into_iter().map(|item| item as u32).collect();
        self.starts = vec![0];
        for length in lengths {
            let start = self.starts[self.starts.len() - 1];
            self.starts.push(start + length as usize);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::collective::in_process::run_ranks;
    use crate::options::PairModel;
    use crate::simulate::Simulation;
    use crate::votes::VoteBuilder;

    /// Votes in several blocks.
    fn votes(simulation: &Simulation, options: &Options) -> Votes {
        let mut builder = VoteBuilder::new(options);
        for batch in simulation.clone().run().unwrap() {
            builder.push_batch(&batch.unwrap()).unwrap();
        }
        let mut votes = builder.finish().unwrap();
        let partition = Partition::with_blocks(&votes.comparisons.offsets, 8);
        votes.comparisons = votes.comparisons.in_blocks(Arc::new(partition));
        votes
    }

    fn bytes(votes: &Votes, options: &Options, threads: usize) -> Vec<u8> {
        let mut execution = Execution::new().threads(threads);
        Fit::on_rank(votes, options, true, &mut execution)
            .unwrap()
            .to_bytes()
    }

    #[test]
    fn a_fit_has_the_same_bytes_on_any_number_of_ranks() {
        let simulation = Simulation {
            annotators: 70,
            items: 9,
            votes_each: 40,
            ..Simulation::default()
        };
        let graded = Simulation {
            graded: true,
            ..simulation.clone()
        };
        let options = Options::default();
        let uniform = Options {
            t: Some(3.0),
            ..options.clone()
        };
        let thurstone = Options {
            pair_model: PairModel::Thurstone,
            fdr: Some(0.05),
            ..options.clone()
        };
        let hodgerank = Options {
            position_bias: Some(false),
            personal: Some(false),
            ..options.clone()
        };
        let cases = [
            (&simulation, &options),
            (&graded, &options),
            (&simulation, &uniform),
            (&simulation, &thurstone),
            (&graded, &hodgerank),
        ];
        for (case, (simulation, options)) in cases.into_iter().enumerate() {
            let votes = votes(simulation, options);
            let mut execution = Execution::new().threads(1);
            let alone = Fit::new_within(&votes, options, &mut execution).unwrap();
            let alone = alone.to_bytes();
            assert!(alone == bytes(&votes, options, 3), "case {case}");
            for ranks in [1, 2, 3, 5] {
                let found = run_ranks(ranks, |collective| {
                    let votes = Votes {
                        comparisons: votes.comparisons.of_rank(collective),
                        ..votes.clone()
                    };
                    bytes(&votes, options, 2)
                });
                for (rank, found) in found.iter().enumerate() {
                    assert!(*found == alone, "case {case}, rank {rank} of {ranks}");
                }
            }
        }
    }

    #[test]
    fn what_one_process_has_to_do_is_refused() {
        let options = Options {
            loss: Loss::Logistic,
            ..Options::default()
        };
        let votes = votes(&Simulation::default(), &options);
        let error = Fit::on_rank(&votes, &options, true, &mut Execution::new()).unwrap_err();
        assert!(
            error.to_string().contains("loss must be 'squared'"),
            "{error}"
        );
    }
}
