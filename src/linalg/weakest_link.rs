//! How well the right-hand sides of a Laplacian can say what lies between two
//! heavy parts of a graph that light edges join.
//!
//! Across such a link the solution is the sum of the right-hand side over one part,
//! divided by the weight of the link. What the edges within the part contribute
//! cancels in the sum, up to rounding, which is a fraction ε of their weight. So the
//! solution is off by about ε·(weight within the lighter part) / (weight of the link).
//!
//! Parts grow as in Kruskal's algorithm for a spanning tree: edges join them, the
//! heaviest edges first, so the edge that joins two parts is the heaviest between them.

use crate::linalg::csr::WeightedGraph;

/// The link whose weight is smallest beside the lighter of the two parts it joins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeakestLink {
    /// The weight of the heaviest edge between the parts.
    pub weight: f64,
    /// The weight of the edges within the lighter part.
    pub within: f64,
}

impl WeakestLink {
    /// How far off differences across the link are, relative to those of single edges.
    pub fn error(&self) -> f64 {
        f64::EPSILON * self.within / self.weight
    }

    /// Of the component with these nodes. None where no edge is lighter than the
    /// whole component by more than `max_ratio`, as then no link is either.
    pub fn of(graph: &WeightedGraph, nodes: &[u32], max_ratio: f64) -> Option<Self> {
        let each = || nodes.iter().flat_map(|&node| graph.row(node));
        let total: f64 = each().map(|(_, weight)| weight).sum();
        let lightest = each()
            .map(|(_, weight)| weight)
            .fold(f64::INFINITY, f64::min);
        if total <= max_ratio * lightest {
            return None;
        }
        let mut edges: Vec<(f64, u32, u32)> = Vec::new();
        for &a in nodes {
            let row = graph.row(a).filter(|&(b, _)| b > a);
            edges.extend(row.map(|(b, weight)| (weight, a, b)));
        }
        edges.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        // By position among the component's nodes, which are in order.
        let position = |node| nodes.partition_point(|&other| other < node) as u32;
        let mut parts = Parts::new(nodes.len());
        let mut weakest = Self {
            weight: 1.0,
            within: 0.0,
        };
        for (weight, a, b) in edges {
            if let Some(within) = parts.join(position(a), position(b), weight) {
                let link = Self { weight, within };
                if link.error() > weakest.error() {
                    weakest = link;
                }
            }
        }
        Some(weakest)
    }
}

/// Disjoint sets of nodes, each with the weight of the edges within.
struct Parts {
    parent: Vec<u32>,
    within: Vec<f64>,
}

impl Parts {
    fn new(nodes: usize) -> Self {
        Self {
            parent: (0..nodes as u32).collect(),
            within: vec![0.0; nodes],
        }
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let next = self.parent[node as usize];
            self.parent[node as usize] = self.parent[next as usize];
            node = next;
        }
        node
    }

    /// Adds an edge. If it joins two parts, returns the weight within the lighter one.
    fn join(&mut self, a: u32, b: u32, weight: f64) -> Option<f64> {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            self.within[a as usize] += weight;
            return None;
        }
        let [first, second] = [a, b].map(|part| self.within[part as usize]);
        let (lighter, heavier) = if first < second { (a, b) } else { (b, a) };
        self.parent[lighter as usize] = heavier;
        self.within[heavier as usize] = first + second + weight;
        Some(first.min(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(edges: &[(u32, u32, f64)]) -> Option<WeakestLink> {
        let column = |of: fn(&(u32, u32, f64)) -> u32| edges.iter().map(of).collect::<Vec<_>>();
        let weights: Vec<f64> = edges.iter().map(|edge| edge.2).collect();
        let graph = WeightedGraph::new(6, &column(|e| e.0), &column(|e| e.1), &weights);
        WeakestLink::of(&graph, &[0, 1, 2, 3, 4, 5], 1000.0)
    }

    #[test]
    fn a_light_bridge_is_weak_and_a_light_leaf_is_not() {
        let pairs = [(0, 1, 20.0), (1, 2, 20.0), (3, 4, 10.0), (4, 5, 10.0)];
        let with = |edge| {
            let mut edges = [pairs.to_vec(), vec![edge]].concat();
            edges.sort_by_key(|edge| (edge.0, edge.1));
            link(&edges)
        };
        assert_eq!(with((2, 3, 1.0)), None);
        let bridge = WeakestLink {
            weight: 1e-6,
            within: 20.0,
        };
        assert_eq!(with((2, 3, 1e-6)), Some(bridge));
        let chain = [(0, 1, 20.0), (1, 2, 20.0), (2, 3, 20.0), (3, 4, 20.0)];
        let leaf = [chain.to_vec(), vec![(4, 5, 1e-6)]].concat();
        assert_eq!(link(&leaf).unwrap().error(), 0.0);
    }
}
