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

mod graph;
mod past;

use super::dense::{Product, Tile};
use super::simd::{Quad, vectorised};
use super::statistics::Statistics;
use crate::error::Result;
use crate::run::Stop;

use graph::Graph;
use past::Past;

/// Components of up to this many items are solved with a dense inverse.
const DENSE_ITEMS: usize = 600;

/// Conjugate gradients stop when the residual has shrunk to this part of the right-hand side.
const TOLERANCE: f64 = 1e-13;

/// The pooled comparison graph, ready to be solved for scores.
#[derive(Debug)]
pub struct Consensus {
    graph: Graph,
    /// Largest first.
    components: Vec<Component>,
}

#[derive(Debug)]
struct Component {
    items: Vec<u32>,
    /// None for a component solved by conjugate gradients.
    inverse: Option<Vec<Tile>>,
}

/// Scratch memory of a solve, so that none is allocated while a path runs.
#[derive(Debug)]
pub struct Workspace {
    right: Vec<Quad>,
    scores: Vec<Quad>,
    residual: Vec<f64>,
    direction: Vec<Quad>,
    image: Vec<Quad>,
    past: Past,
}

impl Consensus {
    /// Pools the annotators' graphs, finds the components and prepares each.
    pub fn new(statistics: &Statistics, stop: &Stop) -> Result<Self> {
        let mut graph = Graph::pool(statistics, stop)?;
        let mut components = Vec::new();
        for items in graph.components() {
            stop.check()?;
            let dense = items.len() <= DENSE_ITEMS;
            let inverse = dense.then(|| graph.inverse(&items, stop)).transpose()?;
            components.push(Component { items, inverse });
        }
        graph.settle();
        Ok(Self { graph, components })
    }

    /// The items of each component; the largest component first, ties by the first item.
    pub fn components(&self) -> impl Iterator<Item = &[u32]> {
        self.components.iter().map(|component| &component.items[..])
    }

    /// Scratch memory for [`solve`](Self::solve).
    pub fn workspace(&self) -> Workspace {
        let items = self.graph.degree.len();
        let quads = || vec![[0.0; 4]; items.div_ceil(4)];
        Workspace {
            right: quads(),
            scores: quads(),
            residual: vec![0.0; items],
            direction: quads(),
            image: quads(),
            past: Past::new(items),
        }
    }

    /// Solves for scores. A workspace remembers the solutions before, from
    /// which the next one is guessed: it is for right-hand sides that follow
    /// each other on a path.
    pub fn solve(
        &self,
        right: &[f64],
        theta: &mut [f64],
        work: &mut Workspace,
        stop: &Stop,
    ) -> Result<()> {
        let all_dense = self
            .components
            .iter()
            .all(|component| component.inverse.is_some());
        if !all_dense {
            work.past.guess(right, &self.graph.degree, theta);
        }
        for component in &self.components {
            match &component.inverse {
                Some(inverse) => dense_solve(&component.items, inverse, right, theta, work),
                None => self.conjugate_gradients(&component.items, right, theta, work, stop)?,
            }
        }
        if !all_dense {
            work.past.push(right, theta);
        }
        Ok(())
    }

    /// A bound on the largest eigenvalue of Σ_u L_u.
    pub(super) fn norm_at_most(&self) -> f64 {
        2.0 * self.graph.degree.iter().copied().fold(0.0, f64::max)
    }

    /// out = (Σ_u L_u) x.
    pub fn laplacian_times(&self, x: &[f64], out: &mut [f64], work: &mut Workspace) {
        let (right, image) = (&mut work.right, &mut work.image);
        right.as_flattened_mut()[..x.len()].copy_from_slice(x);
        self.graph.times(0..x.len(), right, image);
        out.copy_from_slice(&image.as_flattened()[..x.len()]);
    }

    fn conjugate_gradients(
        &self,
        items: &[u32],
        right: &[f64],
        theta: &mut [f64],
        work: &mut Workspace,
        stop: &Stop,
    ) -> Result<()> {
        let degree = &self.graph.degree;
        let Workspace {
            residual,
            direction,
            image,
            ..
        } = work;
        let each = || items.iter().map(|&item| item as usize);
        direction.as_flattened_mut()[..theta.len()].copy_from_slice(theta);
        self.graph.times(each(), direction, image);
        let mut size = 0.0;
        let mut energy = 0.0;
        direction.fill([0.0; 4]);
        for i in each() {
            residual[i] = right[i] - image.as_flattened()[i];
            let scaled = residual[i] / degree[i];
            direction.as_flattened_mut()[i] = scaled;
            energy += residual[i] * scaled;
            size += right[i] * right[i] / degree[i];
        }
        let goal = TOLERANCE * TOLERANCE * size;
        // Rounding sets the limit on long thin graphs: more steps than items gain nothing.
        for _ in 0..2 * items.len() + 50 {
            if energy <= goal {
                break;
            }
            stop.check()?;
            self.graph.times(each(), direction, image);
            let (direction, image) = (direction.as_flattened_mut(), image.as_flattened());
            let curvature: f64 = each().map(|i| direction[i] * image[i]).sum();
            if curvature <= 0.0 {
                break;
            }
            let step = energy / curvature;
            let mut next = 0.0;
            for i in each() {
                theta[i] += step * direction[i];
                residual[i] -= step * image[i];
                next += residual[i] * residual[i] / degree[i];
            }
            let ratio = next / energy;
            for i in each() {
                direction[i] = residual[i] / degree[i] + ratio * direction[i];
            }
            energy = next;
        }
        centre(items, theta);
        Ok(())
    }
}

fn dense_solve(
    items: &[u32],
    inverse: &[Tile],
    right: &[f64],
    theta: &mut [f64],
    work: &mut Workspace,
) {
    let quads = items.len().div_ceil(4);
    let (gathered, scores) = (&mut work.right[..quads], &mut work.scores[..quads]);
    gathered[quads - 1] = [0.0; 4];
    for (slot, &item) in gathered.as_flattened_mut().iter_mut().zip(items) {
        *slot = right[item as usize];
    }
    vectorised(Product {
        matrix: inverse,
        x: gathered,
        out: scores,
    });
    for (&score, &item) in scores.as_flattened().iter().zip(items) {
        theta[item as usize] = score;
    }
    centre(items, theta);
}

/// Shifts the scores of a component to mean zero.
fn centre(items: &[u32], theta: &mut [f64]) {
    let sum: f64 = items.iter().map(|&item| theta[item as usize]).sum();
    let mean = sum / items.len() as f64;
    for &item in items {
        theta[item as usize] -= mean;
    }
}
