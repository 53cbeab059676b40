//! What a ranking explains of the votes on each pair of items, and what is cyclic.

use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::fit::Fit;
use crate::model::{Cycles, Triangles};
use crate::options::Loss;
use crate::votes::IdRef;

/// A pair of items that were compared, and the parts of its flow:
/// `flow = consensus + local_cycle + global_cycle`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairFlow<'a> {
    /// The first item of the pair.
    pub item_a: IdRef<'a>,
    /// The second.
    pub item_b: IdRef<'a>,
    /// The votes on the pair, by weight.
    pub votes: f64,
    /// By how much a is preferred to b.
    pub flow: f64,
    /// The part that the HodgeRank scores explain.
    pub consensus: f64,
    /// The part that cycles of three items explain; None if there are too many triangles.
    pub local_cycle: Option<f64>,
    /// The part that only longer cycles explain; None if there are too many triangles.
    pub global_cycle: Option<f64>,
}

impl Fit {
    /// The compared pairs and the parts of their flow, by item a, then item b.
    pub fn cycles(&self) -> Result<Vec<PairFlow<'_>>> {
        self.cycles_within(&mut Execution::new())
    }

    /// The same, under a time limit or a poll: the cycles of many items take long.
    pub fn cycles_within(&self, execution: &mut Execution<'_>) -> Result<Vec<PairFlow<'_>>> {
        let parts = execution.run_sized(self.flow.len(), |_, stop| FlowParts::new(self, stop))?;
        let cycles = parts.cycles.as_ref();
        let flow = &self.flow;
        let pair = |k: usize| PairFlow {
            item_a: self.items.get(flow.a[k] as usize),
            item_b: self.items.get(flow.b[k] as usize),
            votes: flow.weight[k],
            flow: flow.value[k],
            consensus: parts.consensus[k],
            local_cycle: cycles.map(|cycles| cycles.local[k]),
            global_cycle: cycles.map(|cycles| cycles.global[k]),
        };
        Ok((0..flow.len()).map(pair).collect())
    }
}

/// The flow of a fit in its parts, by pair.
pub(super) struct FlowParts {
    /// What the HodgeRank scores explain.
    pub consensus: Vec<f64>,
    /// What they do not explain.
    pub residual: Vec<f64>,
    /// The parts of the residual; None if there are too many triangles.
    pub cycles: Option<Cycles>,
}

impl FlowParts {
    pub fn new(fit: &Fit, stop: &Stop) -> Result<Self> {
        let flow = &fit.flow;
        let consensus = flow.gradient(&fit.tally.hodgerank);
        let residual = flow.value.iter().zip(&consensus).map(|(f, c)| f - c);
        let residual: Vec<f64> = residual.collect();
        let cycles = Triangles(flow).split(&residual, stop)?;
        Ok(Self {
            consensus,
            residual,
            cycles,
        })
    }
}

/// Whether the flow of a pair says which share of its votes each item has.
///
/// That is not so with pair models other than `uniform` (then the sources of cycles
/// are not known), nor if votes have strengths (then the flows of an item do not add
/// up to its wins less its losses).
pub(crate) fn flow_is_share_of_votes(fit: &Fit) -> Result<bool> {
    let chosen = fit.chosen()?;
    let (flow, tally) = (&fit.flow, &fit.tally);
    let near = |x: f64, y: f64, size: f64| (x - y).abs() <= 1e-9 * (1.0 + size);
    let is_integer = |x: f64| near(x, x.round(), x.abs());
    let mut pairs = flow.weight.iter().zip(&flow.value);
    let mut items = flow.divergence(&flow.value).into_iter().enumerate();
    let is_known = chosen.cycle_sources.is_some() || fit.loss() != Loss::Squared;
    Ok(is_known
        && pairs.all(|(&votes, &value)| {
            value.abs() <= 1.0 && (is_integer(votes * value) || !is_integer(votes))
        })
        && items.all(|(item, sum)| {
            let (won, lost) = (tally.wins[item], tally.losses[item]);
            near(sum, won - lost, won + lost)
        }))
}
