//! HodgeRank: the scores that least squares gives when everybody is alike.
//!
//! ```text
//! (Σ_u L_u) θ = r,   mean zero in each connected component
//! ```
//!
//! Each component of the comparison graph is solved on its own: a small one
//! with the inverse of (L + w·11ᵀ/n), which is L⁺ on vectors that sum to zero;
//! a large one with conjugate gradients, preconditioned by the diagonal and
//! started from a guess that the steps before lead to. Large comparison graphs
//! are nearly random ones, on which a few iterations suffice and on which a
//! factorisation would fill up.

mod component;
mod conjugate_gradient;
mod graph;
mod warm_start;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::Quad;
use crate::model::flow::Flow;

use component::Component;
use graph::Graph;
use warm_start::WarmStart;

/// The pooled comparison graph, ready to be solved for scores.
#[derive(Debug)]
pub struct LaplacianSolver {
    /// On an item.
    most_votes: f64,
    /// Largest first.
    components: Vec<Component>,
}

/// How often scores are solved for: what helps each time may take time itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveFrequency {
    /// Once or twice.
    Once,
    /// In every step of a path.
    Often,
}

/// Scratch memory of a solve, so that none is allocated while a path runs.
#[derive(Debug)]
pub struct SolverScratch {
    room: Room,
    /// By component; None before the first, and where an inverse does without.
    past: Vec<Option<WarmStart>>,
}

/// Vectors over a component's items, filled up to whole quads with zeros.
#[derive(Debug)]
struct Room {
    right: Vec<Quad>,
    theta: Vec<Quad>,
    residual: Vec<Quad>,
    direction: Vec<Quad>,
    image: Vec<Quad>,
}

impl LaplacianSolver {
    /// Finds the components of the pairs that were compared, and prepares each.
    pub fn new(pairs: &Flow, solves: SolveFrequency, stop: &Stop) -> Result<Self> {
        let graph = Graph::new(pairs);
        // Each item is in one component: there is room for the places of all.
        let mut places = vec![0; pairs.items()];
        let components = graph.components().into_iter();
        let components =
            components.map(|items| Component::new(&graph, items, solves, &mut places, stop));
        Ok(Self {
            components: components.collect::<Result<_>>()?,
            most_votes: graph.degrees().fold(0.0, f64::max),
        })
    }

    /// The items of each component; the largest component first, ties by the first item.
    pub fn components(&self) -> impl Iterator<Item = &[u32]> {
        self.components.iter().map(|component| &component.items[..])
    }

    /// Scratch memory for [`solve`](Self::solve).
    pub fn scratch(&self) -> SolverScratch {
        let largest = self.components.first().map_or(0, |c| c.items.len());
        let quads = || vec![[0.0; 4]; largest.div_ceil(4)];
        SolverScratch {
            room: Room {
                right: quads(),
                theta: quads(),
                residual: quads(),
                direction: quads(),
                image: quads(),
            },
            past: self.components.iter().map(|_| None).collect(),
        }
    }

    /// SolveFrequency for scores. A workspace remembers the solutions before, from
    /// which the next one is guessed: it is for right-hand sides that follow
    /// each other on a path.
    pub fn solve(
        &self,
        right: &[f64],
        theta: &mut [f64],
        work: &mut SolverScratch,
        stop: &Stop,
    ) -> Result<()> {
        for (component, past) in self.components.iter().zip(&mut work.past) {
            component.gather(right, &mut work.room.right);
            component.solve(&mut work.room, past, stop)?;
            component.scatter(&work.room.theta, theta);
        }
        Ok(())
    }

    /// A bound on the largest eigenvalue of Σ_u L_u.
    pub(super) fn norm_bound(&self) -> f64 {
        2.0 * self.most_votes
    }

    /// out = (Σ_u L_u) x.
    pub fn laplacian_times(&self, x: &[f64], out: &mut [f64], work: &mut SolverScratch) {
        let Room { right, image, .. } = &mut work.room;
        for component in &self.components {
            component.gather(x, right);
            component.times(right, image);
            component.scatter(image, out);
        }
    }
}
