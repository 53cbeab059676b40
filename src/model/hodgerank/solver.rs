//! The scores of all components.

use super::component::{Component, ComponentScratch, SolveFrequency};
use super::warm_start::WarmStart;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::csr::WeightedGraph;
use crate::model::flow::Flow;

/// Solves (Σ_u L_u) θ = r for scores θ.
#[derive(Debug)]
pub struct LaplacianSolver {
    /// The largest number of votes on an item.
    max_degree: f64,
    /// Largest first.
    components: Vec<Component>,
}

/// Scratch memory of a solve, so that none is allocated while a path runs.
#[derive(Debug)]
pub struct SolverScratch {
    vectors: ComponentScratch,
    /// By component; None before the first solve and where an inverse is used.
    warm_starts: Vec<Option<WarmStart>>,
}

impl LaplacianSolver {
    /// Finds the components of the comparison graph and prepares each of them. The
    /// flow is that of the uniform pair model: the mean choices.
    pub fn new(pairs: &Flow, solves: SolveFrequency, stop: &Stop) -> Result<Self> {
        let graph = WeightedGraph::new(pairs.items(), &pairs.a, &pairs.b, &pairs.weight);
        // Each item is in one component, so one vector holds the rows of all.
        let mut row_of_item = vec![0; pairs.items()];
        let components = graph.components().into_iter();
        let components = components
            .map(|items| Component::new(pairs, &graph, items, solves, &mut row_of_item, stop));
        Ok(Self {
            components: components.collect::<Result<_>>()?,
            max_degree: graph.degrees().fold(0.0, f64::max),
        })
    }

    /// The items of each component; the largest component first, ties by the first item.
    pub fn components(&self) -> impl Iterator<Item = &[u32]> {
        self.components.iter().map(|component| &component.items[..])
    }

    /// Scratch memory for [`solve`](Self::solve).
    pub fn scratch(&self) -> SolverScratch {
        let largest = self.components.first().map_or(0, |c| c.items.len());
        SolverScratch {
            vectors: ComponentScratch::new(largest.div_ceil(4)),
            warm_starts: self.components.iter().map(|_| None).collect(),
        }
    }

    /// HodgeRank's scores: those whose differences are closest to the flow that the
    /// solver was made of. `net_wins` is the divergence of that flow.
    pub fn hodgerank(
        &self,
        net_wins: &[f64],
        theta: &mut [f64],
        scratch: &mut SolverScratch,
        stop: &Stop,
    ) -> Result<()> {
        self.solve(net_wins, theta, scratch, stop)?;
        for component in &self.components {
            if let Some(scores) = &component.flow_scores {
                component.scatter_scores(scores, theta);
            }
        }
        Ok(())
    }

    /// The scores whose differences are closest to another flow on the same pairs.
    pub fn scores_of(&self, flow: &Flow, stop: &Stop) -> Result<Vec<f64>> {
        let rhs = flow.divergence(&flow.value);
        let mut theta = vec![0.0; flow.items()];
        self.solve(&rhs, &mut theta, &mut self.scratch(), stop)?;
        for component in &self.components {
            if component.flow_scores.is_some() {
                component.scatter_scores(&component.fit_flow(flow, stop)?, &mut theta);
            }
        }
        Ok(theta)
    }

    /// Solves for scores. The scratch memory keeps the last solutions, and the next
    /// solve starts from a combination of them. So it is for right-hand sides that
    /// follow each other on a path. Where weights differ so much that a right-hand
    /// side does not tell the scores, they stay as they are: only
    /// [`hodgerank`](Self::hodgerank) and [`scores_of`](Self::scores_of) find them.
    pub fn solve(
        &self,
        rhs: &[f64],
        theta: &mut [f64],
        scratch: &mut SolverScratch,
        stop: &Stop,
    ) -> Result<()> {
        let SolverScratch {
            vectors,
            warm_starts,
        } = scratch;
        let components = self.components.iter().zip(warm_starts);
        for (component, warm_start) in
            components.filter(|(component, _)| component.flow_scores.is_none())
        {
            component.gather(rhs, &mut vectors.rhs);
            component.solve(vectors, warm_start, stop)?;
            component.scatter(&vectors.theta, theta);
        }
        Ok(())
    }

    /// A bound on the largest eigenvalue of Σ_u L_u.
    pub(crate) fn norm_bound(&self) -> f64 {
        2.0 * self.max_degree
    }

    /// out = (Σ_u L_u) x.
    pub fn laplacian_times(&self, x: &[f64], out: &mut [f64], scratch: &mut SolverScratch) {
        let ComponentScratch { rhs, theta, .. } = &mut scratch.vectors;
        for component in &self.components {
            component.gather(x, rhs);
            component.times(rhs, theta);
            component.scatter(theta, out);
        }
    }
}
