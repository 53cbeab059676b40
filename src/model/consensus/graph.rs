//! The pooled comparison graph of all annotators.

use crate::error::Result;
use crate::model::dense::{Product, Tile, add, invert, tiles};
use crate::model::simd::{Quad, add_product, sum, vectorised};
use crate::model::statistics::Statistics;
use crate::run::Stop;

/// The pooled graph, row by row.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) degree: Vec<f64>,
    starts: Vec<usize>,
    neighbour: Vec<u32>,
    weight: Vec<f64>,
    /// The Laplacian as a whole, instead of rows.
    tiles: Option<Vec<Tile>>,
}

impl Graph {
    /// Adds up all annotators' edges, in the order of annotators.
    pub(super) fn pool(statistics: &Statistics, stop: &Stop) -> Result<Self> {
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
            tiles: None,
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

    /// A row of L x, its products added up in four sums.
    #[inline(always)]
    fn row_times(&self, item: usize, x: &[f64]) -> f64 {
        let row = self.starts[item]..self.starts[item + 1];
        let (neighbours, last) = self.neighbour[row.clone()].as_chunks::<4>();
        let (weights, last_weights) = self.weight[row].as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (neighbours, &weights) in neighbours.iter().zip(weights) {
            sums = add_product(sums, weights, neighbours.map(|other| x[other as usize]));
        }
        for (&other, weight) in last.iter().zip(last_weights) {
            sums[0] += weight * x[other as usize];
        }
        self.degree[item] * x[item] - sum(sums)
    }

    /// out = L x, at the items at least.
    pub(super) fn times(&self, items: impl Iterator<Item = usize>, x: &[Quad], out: &mut [Quad]) {
        match &self.tiles {
            Some(matrix) => vectorised(Product { matrix, x, out }),
            None => {
                let (x, out) = (x.as_flattened(), out.as_flattened_mut());
                for item in items {
                    out[item] = self.row_times(item, x);
                }
            }
        }
    }

    /// Keeps the whole matrix instead of rows if that takes less memory.
    pub(super) fn settle(&mut self) {
        let tiles = tiles(self.degree.len().div_ceil(4));
        let entry = size_of::<u32>() + size_of::<f64>();
        if tiles * size_of::<Tile>() > self.neighbour.len() * entry {
            return;
        }
        let mut matrix = vec![Tile::default(); tiles];
        for item in 0..self.degree.len() {
            add(&mut matrix, item, item, self.degree[item]);
            for (neighbour, weight) in self.row(item) {
                add(&mut matrix, item, neighbour, -weight);
            }
        }
        self.tiles = Some(matrix);
        (self.neighbour, self.weight) = (Vec::new(), Vec::new());
    }

    pub(super) fn components(&self) -> Vec<Vec<u32>> {
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
    pub(super) fn inverse(&self, items: &[u32], stop: &Stop) -> Result<Vec<Tile>> {
        let n = items.len();
        let mut matrix = vec![Tile::default(); tiles(n.div_ceil(4))];
        if n == 1 {
            return Ok(matrix);
        }
        let place = |item: usize| items.partition_point(|&known| (known as usize) < item);
        let mean_degree = items.iter().map(|&i| self.degree[i as usize]).sum::<f64>() / n as f64;
        for (row, &item) in items.iter().enumerate() {
            for column in 0..n {
                add(&mut matrix, row, column, mean_degree / n as f64);
            }
            add(&mut matrix, row, row, self.degree[item as usize]);
            for (neighbour, weight) in self.row(item as usize) {
                add(&mut matrix, row, place(neighbour), -weight);
            }
        }
        let found = invert(&mut matrix, n, stop)?;
        assert!(
            found,
            "a connected Laplacian plus a constant is positive definite"
        );
        Ok(matrix)
    }
}

/// Calls `visit` with every vote of every annotator, smaller item first.
fn for_each_edge(statistics: &Statistics, mut visit: impl FnMut(usize, usize, f64)) {
    for annotator in 0..statistics.annotators() {
        let annotator = statistics.annotator(annotator);
        for (row, &item) in annotator.graph.rows().zip(annotator.items) {
            for (other, weight) in row {
                let other = annotator.items[other];
                if other > item {
                    visit(item as usize, other as usize, weight);
                }
            }
        }
    }
}
