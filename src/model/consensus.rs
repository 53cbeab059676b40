//! HodgeRank: the scores that least squares gives when everybody is alike.
//!
//! ```text
//! (Σ_u L_u) θ = r,   mean zero in each connected component
//! ```
//!
//! Each component of the comparison graph is solved on its own: a small one
//! with the inverse of (L + w·11ᵀ/n), which is L⁺ on vectors that sum to zero;
//! a large one with conjugate gradients, preconditioned by the diagonal and
//! started from the scores of the step before. Large comparison graphs are
//! nearly random ones, on which a few iterations suffice and on which a
//! factorisation would fill up.

use nalgebra::{Cholesky, DMatrix};

use super::statistics::Statistics;
use crate::error::Result;
use crate::run::Stop;

/// Components of up to this many items are solved with a dense inverse.
const DENSE_ITEMS: usize = 600;

/// An inverse is found so many columns at a time, to be interruptible in between.
const COLUMNS_AT_ONCE: usize = 32;

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
    /// Column by column; None for a component solved by conjugate gradients.
    inverse: Option<Vec<f64>>,
}

/// Scratch memory of a solve, so that none is allocated while a path runs.
#[derive(Debug)]
pub struct Workspace {
    right: Vec<f64>,
    scores: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Consensus {
    /// Pools the annotators' graphs, finds the components and prepares each.
    pub fn new(statistics: &Statistics, stop: &Stop) -> Result<Self> {
        let graph = Graph::pool(statistics, stop)?;
        let mut components = Vec::new();
        for items in graph.components() {
            stop.check()?;
            let dense = items.len() <= DENSE_ITEMS;
            let inverse = dense.then(|| graph.inverse(&items, stop)).transpose()?;
            components.push(Component { items, inverse });
        }
        Ok(Self { graph, components })
    }

    /// The items of each component; the largest component first, ties by the first item.
    pub fn components(&self) -> impl Iterator<Item = &[u32]> {
        self.components.iter().map(|component| &component.items[..])
    }

    /// Scratch memory for [`solve`](Self::solve).
    pub fn workspace(&self) -> Workspace {
        let items = self.graph.degree.len();
        let zeros = || vec![0.0; items];
        Workspace {
            right: zeros(),
            scores: zeros(),
            residual: zeros(),
            direction: zeros(),
            image: zeros(),
        }
    }

    /// Solves for scores. `theta` comes in with a guess and goes out with the solution.
    pub fn solve(
        &self,
        right: &[f64],
        theta: &mut [f64],
        work: &mut Workspace,
        stop: &Stop,
    ) -> Result<()> {
        for component in &self.components {
            match &component.inverse {
                Some(inverse) => dense_solve(&component.items, inverse, right, theta, work),
                None => self.conjugate_gradients(&component.items, right, theta, work, stop)?,
            }
        }
        Ok(())
    }

    /// out = (Σ_u L_u) x.
    pub fn laplacian_times(&self, x: &[f64], out: &mut [f64]) {
        for (item, slot) in out.iter_mut().enumerate() {
            *slot = self.graph.row_times(item, x);
        }
    }

    fn conjugate_gradients(
        &self,
        items: &[u32],
        right: &[f64],
        theta: &mut [f64],
        work: &mut Workspace,
        stop: &Stop,
    ) -> Result<()> {
        let graph = &self.graph;
        let Workspace {
            residual,
            direction,
            image,
            ..
        } = work;
        let each = || items.iter().map(|&item| item as usize);
        let mut size = 0.0;
        let mut energy = 0.0;
        for i in each() {
            residual[i] = right[i] - graph.row_times(i, theta);
            let scaled = residual[i] / graph.degree[i];
            direction[i] = scaled;
            energy += residual[i] * scaled;
            size += right[i] * right[i] / graph.degree[i];
        }
        let goal = TOLERANCE * TOLERANCE * size;
        // Rounding sets the limit on long thin graphs: more steps than items gain nothing.
        for _ in 0..2 * items.len() + 50 {
            if energy <= goal {
                break;
            }
            stop.check()?;
            let mut curvature = 0.0;
            for i in each() {
                image[i] = graph.row_times(i, direction);
                curvature += direction[i] * image[i];
            }
            if curvature <= 0.0 {
                break;
            }
            let step = energy / curvature;
            let mut next = 0.0;
            for i in each() {
                theta[i] += step * direction[i];
                residual[i] -= step * image[i];
                next += residual[i] * residual[i] / graph.degree[i];
            }
            let ratio = next / energy;
            for i in each() {
                direction[i] = residual[i] / graph.degree[i] + ratio * direction[i];
            }
            energy = next;
        }
        centre(items, theta);
        Ok(())
    }
}

fn dense_solve(
    items: &[u32],
    inverse: &[f64],
    right: &[f64],
    theta: &mut [f64],
    work: &mut Workspace,
) {
    let n = items.len();
    let gathered = &mut work.right[..n];
    for (slot, &item) in gathered.iter_mut().zip(items) {
        *slot = right[item as usize];
    }
    let scores = &mut work.scores[..n];
    super::dense::symmetric_times(inverse, gathered, scores);
    for (&score, &item) in scores.iter().zip(items) {
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

/// The pooled graph, row by row.
#[derive(Debug)]
struct Graph {
    degree: Vec<f64>,
    starts: Vec<usize>,
    neighbour: Vec<u32>,
    weight: Vec<f64>,
}

impl Graph {
    /// Adds up all annotators' edges, in the order of annotators.
    fn pool(statistics: &Statistics, stop: &Stop) -> Result<Self> {
        let items = statistics.items;
        // Edges (i, j) with i < j, brought into rows by a counting sort.
        let mut starts = vec![0usize; items + 1];
        for_each_edge(statistics, |i, _, _| starts[i + 1] += 1);
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut next = starts.clone();
        let mut edges = vec![(0u32, 0.0f64); starts[items]];
        stop.check()?;
        for_each_edge(statistics, |i, j, weight| {
            edges[next[i]] = (j as u32, weight);
            next[i] += 1;
        });
        stop.check()?;

        let mut sums = vec![0.0; items];
        let mut upper: Vec<(u32, u32, f64)> = Vec::new();
        let mut touched = Vec::new();
        for i in 0..items {
            for &(j, weight) in &edges[starts[i]..starts[i + 1]] {
                if sums[j as usize] == 0.0 {
                    touched.push(j);
                }
                sums[j as usize] += weight;
            }
            touched.sort_unstable();
            for j in touched.drain(..) {
                upper.push((i as u32, j, std::mem::take(&mut sums[j as usize])));
            }
        }
        drop(edges);
        stop.check()?;
        Ok(Self::mirror(items, &upper))
    }

    /// Rows of a symmetric matrix from its upper triangle, sorted by row and column.
    fn mirror(items: usize, upper: &[(u32, u32, f64)]) -> Self {
        let mut starts = vec![0usize; items + 1];
        for &(i, j, _) in upper {
            starts[i as usize + 1] += 1;
            starts[j as usize + 1] += 1;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut next = starts.clone();
        let mut neighbour = vec![0; starts[items]];
        let mut weight = vec![0.0; starts[items]];
        let mut degree = vec![0.0; items];
        // Row i first gets its columns below i, from the rows above, then those beyond.
        for &(i, j, w) in upper {
            for (row, column) in [(j, i), (i, j)] {
                let slot = &mut next[row as usize];
                neighbour[*slot] = column;
                weight[*slot] = w;
                *slot += 1;
                degree[row as usize] += w;
            }
        }
        Self {
            degree,
            starts,
            neighbour,
            weight,
        }
    }

    fn row(&self, item: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let row = self.starts[item]..self.starts[item + 1];
        let weights = self.weight[row.clone()].iter();
        self.neighbour[row]
            .iter()
            .zip(weights)
            .map(|(j, w)| (*j as usize, *w))
    }

    fn row_times(&self, item: usize, x: &[f64]) -> f64 {
        let mut sum = self.degree[item] * x[item];
        for (neighbour, weight) in self.row(item) {
            sum -= weight * x[neighbour];
        }
        sum
    }

    fn components(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.degree.len()];
        let mut components = Vec::new();
        for first in 0..seen.len() {
            if seen[first] {
                continue;
            }
            seen[first] = true;
            let mut items = vec![first as u32];
            let mut visited = 0;
            while visited < items.len() {
                let item = items[visited] as usize;
                visited += 1;
                for (neighbour, _) in self.row(item) {
                    if !std::mem::replace(&mut seen[neighbour], true) {
                        items.push(neighbour as u32);
                    }
                }
            }
            items.sort_unstable();
            components.push(items);
        }
        // Stable: among equals the one with the first item stays first.
        components.sort_by_key(|items| std::cmp::Reverse(items.len()));
        components
    }

    /// (L + w·11ᵀ/n)⁻¹ of a component, w its mean degree.
    fn inverse(&self, items: &[u32], stop: &Stop) -> Result<Vec<f64>> {
        let n = items.len();
        if n == 1 {
            return Ok(vec![0.0]);
        }
        let place = |item: usize| items.partition_point(|&known| (known as usize) < item);
        let mean_degree = items.iter().map(|&i| self.degree[i as usize]).sum::<f64>() / n as f64;
        let mut matrix = DMatrix::from_element(n, n, mean_degree / n as f64);
        for (row, &item) in items.iter().enumerate() {
            matrix[(row, row)] += self.degree[item as usize];
            for (neighbour, weight) in self.row(item as usize) {
                matrix[(row, place(neighbour))] -= weight;
            }
        }
        let factor = Cholesky::new(matrix)
            .expect("a connected Laplacian plus a constant is positive definite");
        let mut inverse = DMatrix::identity(n, n);
        for first in (0..n).step_by(COLUMNS_AT_ONCE) {
            stop.check()?;
            let columns = COLUMNS_AT_ONCE.min(n - first);
            factor.solve_mut(&mut inverse.columns_mut(first, columns));
        }
        // Symmetric to the last bit, so that rows and columns are the same thing.
        inverse.fill_lower_triangle_with_upper_triangle();
        Ok(inverse.data.into())
    }
}

/// Calls `visit` with every edge of every annotator once, smaller item first.
fn for_each_edge(statistics: &Statistics, mut visit: impl FnMut(usize, usize, f64)) {
    for annotator in 0..statistics.annotators() {
        let annotator = statistics.annotator(annotator);
        for (place, &item) in annotator.items.iter().enumerate() {
            for (other, weight) in annotator.neighbours(place) {
                if other > place {
                    visit(item as usize, annotator.items[other] as usize, weight);
                }
            }
        }
    }
}
