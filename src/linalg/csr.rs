//! Entries grouped by row: compressed sparse rows.
//!
//! `starts[row]..starts[row + 1]` are the slots of a row's entries. They are
//! found by a counting sort: entries are counted by row, the counts added up,
//! and each entry is put into the next free slot of its row. So within a row
//! entries stay in the order in which they come.

use std::ops::Range;

/// Where the entries of each row begin, and after them the number of all entries;
/// from the row of each entry.
pub(crate) fn row_starts(rows: usize, row_of_entry: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut starts = vec![0; rows + 1];
    for row in row_of_entry {
        starts[row as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    starts
}

/// Calls `store` with each entry and its slot. The rows of the entries are those
/// that the starts were made from.
#[inline(always)]
pub(crate) fn for_each_slot<T>(
    starts: &[usize],
    entries: impl Iterator<Item = (u32, T)>,
    mut store: impl FnMut(usize, T),
) {
    let mut next = starts.to_vec();
    for (row, entry) in entries {
        let slot = &mut next[row as usize];
        store(*slot, entry);
        *slot += 1;
    }
}

/// An undirected graph with weighted edges, by rows: each node's neighbours and
/// the weights of the edges to them.
pub(crate) struct WeightedGraph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    weights: Vec<f64>,
}

impl WeightedGraph {
    /// From edges (a, b) with a < b, ordered by a and then by b. Then a row has
    /// its neighbours in order too.
    pub fn new(nodes: usize, a: &[u32], b: &[u32], weights: &[f64]) -> Self {
        let edges = || a.iter().zip(b).map(|(&a, &b)| (a, b));
        let starts = row_starts(nodes, edges().flat_map(|(a, b)| [a, b]));
        let entries = edges().zip(weights);
        let entries = entries.flat_map(|((a, b), &weight)| [(b, (a, weight)), (a, (b, weight))]);
        let mut graph = Self {
            neighbours: vec![0; starts[nodes]],
            weights: vec![0.0; starts[nodes]],
            starts,
        };
        for_each_slot(&graph.starts, entries, |slot, (neighbour, weight)| {
            graph.neighbours[slot] = neighbour;
            graph.weights[slot] = weight;
        });
        graph
    }

    pub fn nodes(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The number of entries of all rows: twice the number of edges.
    pub fn entries(&self) -> usize {
        self.neighbours.len()
    }

    /// A node's neighbours, each with the weight of the edge.
    #[inline(always)]
    pub fn row(&self, node: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let row = self.slots(node);
        let neighbours = self.neighbours[row.clone()].iter().copied();
        neighbours.zip(self.weights[row].iter().copied())
    }

    #[inline(always)]
    fn slots(&self, node: u32) -> Range<usize> {
        self.starts[node as usize]..self.starts[node as usize + 1]
    }

    /// The weight of a node's edges.
    pub fn degree(&self, node: u32) -> f64 {
        self.weights[self.slots(node)].iter().sum()
    }

    pub fn degrees(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.nodes()).map(|node| self.degree(node))
    }

    /// The nodes of each connected component in order; the largest component
    /// first, among equally large ones that with the first node.
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.nodes() as usize];
        let mut components = Vec::new();
        for first in 0..self.nodes() {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            let mut nodes = vec![first];
            let mut visited = 0;
            while visited < nodes.len() {
                let node = nodes[visited];
                visited += 1;
                for &neighbour in &self.neighbours[self.slots(node)] {
                    if !std::mem::replace(&mut seen[neighbour as usize], true) {
                        nodes.push(neighbour);
                    }
                }
            }
            nodes.sort_unstable();
            components.push(nodes);
        }
        // The sort is stable: equally large ones stay in the order of their first nodes.
        components.sort_by_key(|nodes| std::cmp::Reverse(nodes.len()));
        components
    }

    /// How many edges lie between two nodes of a component that are far apart: from the
    /// first node to the one that is farthest, and from there again. It is at least half of
    /// the largest distance.
    pub fn span(&self, component: &[u32]) -> usize {
        let Some(&first) = component.first() else {
            return 0;
        };
        let mut distance = vec![u32::MAX; self.nodes() as usize];
        let (farthest, _) = self.farthest_from(first, &mut distance);
        distance.fill(u32::MAX);
        self.farthest_from(farthest, &mut distance).1
    }

    /// The node that takes the most edges to reach, and how many. Nobody has a distance yet.
    fn farthest_from(&self, start: u32, distance: &mut [u32]) -> (u32, usize) {
        distance[start as usize] = 0;
        let mut reached = vec![start];
        let mut visited = 0;
        while visited < reached.len() {
            let node = reached[visited];
            visited += 1;
            for &neighbour in &self.neighbours[self.slots(node)] {
                if distance[neighbour as usize] == u32::MAX {
                    distance[neighbour as usize] = distance[node as usize] + 1;
                    reached.push(neighbour);
                }
            }
        }
        let last = reached[visited - 1];
        (last, distance[last as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_grouped_by_row_in_their_order() {
        let entries = [(2, 'a'), (0, 'b'), (2, 'c'), (0, 'd')];
        let starts = row_starts(3, entries.iter().map(|entry| entry.0));
        assert_eq!(starts, [0, 2, 2, 4]);
        let mut grouped = ['-'; 4];
        for_each_slot(&starts, entries.into_iter(), |slot, value| {
            grouped[slot] = value;
        });
        assert_eq!(grouped, ['b', 'd', 'a', 'c']);
    }

    #[test]
    fn a_graph_has_rows_in_order_and_components_by_size() {
        let graph = WeightedGraph::new(6, &[0, 1, 2, 2], &[5, 4, 3, 4], &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(graph.row(4).collect::<Vec<_>>(), [(1, 2.0), (2, 4.0)]);
        assert_eq!(graph.row(2).collect::<Vec<_>>(), [(3, 3.0), (4, 4.0)]);
        assert_eq!(
            graph.degrees().collect::<Vec<_>>(),
            [1.0, 2.0, 7.0, 3.0, 6.0, 1.0]
        );
        assert_eq!((graph.nodes(), graph.entries()), (6, 8));
        assert_eq!(graph.components(), [vec![1, 2, 3, 4], vec![0, 5]]);
    }

    #[test]
    fn the_span_is_the_length_of_a_chain() {
        let graph = WeightedGraph::new(7, &[0, 1, 2, 2, 5], &[1, 2, 3, 4, 6], &[1.0; 5]);
        assert_eq!(graph.span(&[0, 1, 2, 3, 4]), 3);
        // From the middle too.
        assert_eq!(graph.span(&[2, 1, 0, 3, 4]), 3);
        assert_eq!((graph.span(&[5, 6]), graph.span(&[])), (1, 0));
    }
}
