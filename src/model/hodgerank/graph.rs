//! The pooled comparison graph of all annotators, row by row.

use crate::model::flow::Flow;

/// Each item's neighbours, in order, and how many votes there are on the pair.
pub(super) struct Graph {
    starts: Vec<usize>,
    neighbour: Vec<u32>,
    weight: Vec<f64>,
}

impl Graph {
    pub fn new(pairs: &Flow) -> Self {
        let items = pairs.items();
        let mut starts = vec![0usize; items + 1];
        for (&a, &b) in pairs.a.iter().zip(&pairs.b) {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut next = starts.clone();
        let mut neighbour = vec![0; starts[items]];
        let mut weight = vec![0.0; starts[items]];
        // A row first gets its neighbours before it, from their rows, then those beyond.
        for (k, &w) in pairs.weight.iter().enumerate() {
            let (a, b) = (pairs.a[k], pairs.b[k]);
            for (row, column) in [(b, a), (a, b)] {
                let slot = &mut next[row as usize];
                neighbour[*slot] = column;
                weight[*slot] = w;
                *slot += 1;
            }
        }
        Self {
            starts,
            neighbour,
            weight,
        }
    }

    /// An item's neighbours and the votes on the pair.
    pub fn row(&self, item: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let row = self.starts[item as usize]..self.starts[item as usize + 1];
        let neighbours = self.neighbour[row.clone()].iter().copied();
        neighbours.zip(self.weight[row].iter().copied())
    }

    /// The votes on an item.
    pub fn degree(&self, item: u32) -> f64 {
        self.row(item).map(|(_, weight)| weight).sum()
    }

    pub fn degrees(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.items()).map(|item| self.degree(item))
    }

    fn items(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The items of each component in order; the largest component first, ties
    /// by the first item.
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.items() as usize];
        let mut components = Vec::new();
        for first in 0..self.items() {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            let mut items = vec![first];
            let mut visited = 0;
            while visited < items.len() {
                let item = items[visited];
                visited += 1;
                for (neighbour, _) in self.row(item) {
                    if !std::mem::replace(&mut seen[neighbour as usize], true) {
                        items.push(neighbour);
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
}
