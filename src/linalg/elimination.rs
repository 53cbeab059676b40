//! Elimination of the nodes of a weighted graph: the factors L D Lᵀ of its Laplacian.
//!
//! Eliminating a node k joins each pair of its neighbours by an edge more, as in
//! the star–mesh transform of electrical networks:
//!
//! ```text
//! d_k = Σ_j w_kj     s_kj = w_kj / d_k     w_ij ← w_ij + w_ik s_kj
//! ```
//!
//! A pivot d_k is a sum of weights and not a difference, so nothing is ever
//! subtracted. The factors have a small relative error in every entry, whatever
//! the weights are and however far apart they lie.
//!
//! An edge also carries a flow f_kj, which the difference x_k − x_j should have.
//! The new edge of i and j has the flow f_ik + f_kj, and edges between the same
//! nodes have the weighted mean of theirs. Then
//!
//! ```text
//! x_k = Σ_j s_kj (x_j + f_kj)
//! ```
//!
//! solves the least squares problem min Σ w (f − (x_i − x_j))². It needs no
//! right-hand side: a sum of w·f over a node's edges loses the light edges beside
//! the heavy ones, and with them the solution across a bridge of light edges.
//!
//! Nodes are eliminated in order of their number of neighbours (minimum degree),
//! which keeps the graph sparse if it is a tree, a ladder or a grid. Nodes that
//! are lighter than others by many orders of magnitude go first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::csr::WeightedGraph;

/// An edge of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The other end.
    pub node: u32,
    pub weight: f64,
    /// What the difference from this end to the other should be.
    pub flow: f64,
}

/// How far an elimination may go before it is given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EliminationLimits {
    /// Entries of the factor.
    pub entries: usize,
    /// Entries that are looked at while it is made.
    pub work: usize,
}

/// Graphs with more edges to a node than this fill up when nodes are eliminated.
const MAX_SPARSE_EDGES: usize = 8;

/// With up to so many edges to a node a graph is nearly a tree.
const MAX_TREE_EDGES: f64 = 1.25;

impl EliminationLimits {
    /// For graphs that are small.
    pub const NONE: Self = Self {
        entries: usize::MAX,
        work: usize::MAX,
    };

    /// For components, the largest one first, that should stay thin; None if they will not. A
    /// grid of 30 × 30 nodes takes less than 8 entries for each edge.
    ///
    /// Edges that join nodes at random fill up when nodes are eliminated, and then few
    /// steps lead from any node to any other: about log(nodes) / log(edges of a node). For
    /// them conjugate gradients take few iterations. To find out by elimination, until it
    /// is given up, took 1.2 s for 10,000 nodes with 8 edges each, and 11 s for 50,000.
    pub fn thin(graph: &WeightedGraph, components: &[&[u32]]) -> Option<Self> {
        let each = || components.iter().copied().flatten();
        let nodes = each().count();
        let edges = each().map(|&node| graph.row(node).count()).sum::<usize>() / 2;
        let is_nearly_tree = edges as f64 <= MAX_TREE_EDGES * nodes as f64;
        let is_long = || {
            let largest = components.first().map_or(&[][..], |nodes| nodes);
            graph.span(largest) as f64 >= 2.0 * (largest.len() as f64).log2()
        };
        let is_thin = edges <= MAX_SPARSE_EDGES * nodes && (is_nearly_tree || is_long());
        is_thin.then_some(Self {
            entries: 16 * edges,
            work: 2000 * edges,
        })
    }
}

/// The nodes of a graph in the order of their elimination.
#[derive(Debug)]
pub(crate) struct Elimination {
    order: Vec<u32>,
    /// By step: d_k, or 0 where no neighbour is left, as in the last step of a component.
    pivot: Vec<f64>,
    /// By step: Σ_j s_kj f_kj.
    offset: Vec<f64>,
    /// By step, where its entries begin; and after them the number of all entries.
    starts: Vec<usize>,
    /// The neighbours j that are eliminated later.
    later: Vec<u32>,
    /// s_kj.
    share: Vec<f64>,
}

/// A node that is lighter than the heaviest one by so many binary orders of
/// magnitude, or by a multiple of it, goes before those that are not.
const CLASS_BITS: f64 = 24.0;

/// So many nodes are eliminated between two checks whether to stop.
const NODES_PER_CHECK: usize = 256;

impl Elimination {
    /// Eliminates all nodes, given the edges of each. None if that goes beyond the limits.
    pub fn new(
        rows: Vec<Vec<Edge>>,
        limits: EliminationLimits,
        stop: &Stop,
    ) -> Result<Option<Self>> {
        let nodes = rows.len();
        let mut graph = RemainingGraph::new(rows);
        let mut found = Self {
            order: Vec::with_capacity(nodes),
            pivot: Vec::with_capacity(nodes),
            offset: Vec::with_capacity(nodes),
            starts: vec![0],
            later: Vec::new(),
            share: Vec::new(),
        };
        while let Some((node, star)) = graph.take_next() {
            if found.order.len().is_multiple_of(NODES_PER_CHECK) {
                stop.check()?;
            }
            if found.later.len() + star.len() > limits.entries || graph.work > limits.work {
                return Ok(None);
            }
            found.push(node, &star);
            graph.join_neighbours(node, &star);
        }
        Ok(Some(found))
    }

    fn push(&mut self, node: u32, star: &[StarEdge]) {
        self.order.push(node);
        self.pivot.push(star.iter().map(|edge| edge.weight).sum());
        self.offset
            .push(star.iter().map(|edge| edge.share * edge.flow).sum());
        self.later.extend(star.iter().map(|edge| edge.node));
        self.share.extend(star.iter().map(|edge| edge.share));
        self.starts.push(self.later.len());
    }

    /// Solves L x = rhs in place for N right-hand sides. Those of each component sum
    /// to zero; the solution is 0 at one node of each component.
    pub fn solve<const N: usize>(&self, values: &mut [[f64; N]]) {
        for (step, &node) in self.order.iter().enumerate() {
            let own = values[node as usize];
            for (&other, &share) in self.entries(step) {
                let slot = &mut values[other as usize];
                for (slot, own) in slot.iter_mut().zip(own) {
                    *slot += share * own;
                }
            }
        }
        for (step, &node) in self.order.iter().enumerate().rev() {
            let pivot = self.pivot[step];
            let mut own = values[node as usize].map(|x| if pivot > 0.0 { x / pivot } else { 0.0 });
            for (&other, &share) in self.entries(step) {
                for (slot, x) in own.iter_mut().zip(values[other as usize]) {
                    *slot += share * x;
                }
            }
            values[node as usize] = own;
        }
    }

    /// The x whose differences are closest to the flow of the edges.
    pub fn potentials(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.order.len()];
        for (step, &node) in self.order.iter().enumerate().rev() {
            let others = self.entries(step);
            let mean: f64 = others
                .map(|(&other, share)| share * values[other as usize])
                .sum();
            values[node as usize] = self.offset[step] + mean;
        }
        values
    }

    fn entries(&self, step: usize) -> impl Iterator<Item = (&u32, &f64)> {
        let range = self.starts[step]..self.starts[step + 1];
        self.later[range.clone()].iter().zip(&self.share[range])
    }
}

/// An edge of the node that is eliminated.
struct StarEdge {
    node: u32,
    weight: f64,
    share: f64,
    flow: f64,
}

/// What is left of the graph.
struct RemainingGraph {
    /// By node, its edges ordered by their other end. Ends that were eliminated stay
    /// until the row is written anew.
    rows: Vec<Vec<Edge>>,
    /// By node, how many of its edges end at nodes that are left.
    degree: Vec<u32>,
    class: Vec<u32>,
    is_eliminated: Vec<bool>,
    /// Nodes by class and degree. Entries whose degree has changed since are skipped.
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
    merged: Vec<Edge>,
    /// The number of entries that were looked at.
    work: usize,
}

impl RemainingGraph {
    fn new(mut rows: Vec<Vec<Edge>>) -> Self {
        for row in &mut rows {
            row.sort_unstable_by_key(|edge| edge.node);
        }
        let degree: Vec<u32> = rows.iter().map(|row| row.len() as u32).collect();
        let class = classes(&rows);
        let nodes = degree.iter().zip(&class).zip(0..);
        Self {
            queue: nodes
                .map(|((&degree, &class), node)| Reverse((class, degree, node)))
                .collect(),
            is_eliminated: vec![false; rows.len()],
            merged: Vec::new(),
            work: 0,
            rows,
            degree,
            class,
        }
    }

    /// Takes out the node that is next, with its edges.
    fn take_next(&mut self) -> Option<(u32, Vec<StarEdge>)> {
        while let Some(Reverse((_, degree, node))) = self.queue.pop() {
            let index = node as usize;
            if self.is_eliminated[index] || self.degree[index] != degree {
                continue;
            }
            self.is_eliminated[index] = true;
            let mut row = std::mem::take(&mut self.rows[index]);
            row.retain(|edge| !self.is_eliminated[edge.node as usize]);
            self.work += row.len();
            let pivot: f64 = row.iter().map(|edge| edge.weight).sum();
            let star = row.into_iter().map(|Edge { node, weight, flow }| StarEdge {
                node,
                weight,
                share: if pivot > 0.0 { weight / pivot } else { 0.0 },
                flow,
            });
            return Some((node, star.collect()));
        }
        None
    }

    /// Joins the neighbours of an eliminated node with each other.
    fn join_neighbours(&mut self, node: u32, star: &[StarEdge]) {
        for own in star {
            let index = own.node as usize;
            let added = if 8 * star.len() < self.rows[index].len() {
                self.insert(own, star)
            } else {
                self.merge(node, own, star)
            };
            self.degree[index] = self.degree[index] - 1 + added;
            let (class, degree) = (self.class[index], self.degree[index]);
            self.queue.push(Reverse((class, degree, own.node)));
        }
    }

    /// Adds the edges one by one to a row that is long. Returns how many are new.
    fn insert(&mut self, own: &StarEdge, star: &[StarEdge]) -> u32 {
        let row = &mut self.rows[own.node as usize];
        let mut added = 0;
        for other in star.iter().filter(|other| other.node != own.node) {
            self.work += 8;
            let edge = through(own, other);
            match row.binary_search_by_key(&edge.node, |edge| edge.node) {
                Ok(index) => row[index].join(edge),
                Err(index) => {
                    self.work += (row.len() - index) / 8;
                    row.insert(index, edge);
                    added += 1;
                }
            }
        }
        added
    }

    /// Writes a row anew, with the edges and without those that ended at eliminated
    /// nodes. Returns how many are new.
    fn merge(&mut self, node: u32, own: &StarEdge, star: &[StarEdge]) -> u32 {
        let row = std::mem::take(&mut self.rows[own.node as usize]);
        self.work += row.len() + star.len();
        self.merged.clear();
        let mut added = 0;
        let mut others = star
            .iter()
            .filter(|other| other.node != own.node)
            .peekable();
        for mut edge in row.iter().copied() {
            if edge.node == node || self.is_eliminated[edge.node as usize] {
                continue;
            }
            while let Some(other) = others.next_if(|other| other.node < edge.node) {
                self.merged.push(through(own, other));
                added += 1;
            }
            if let Some(other) = others.next_if(|other| other.node == edge.node) {
                edge.join(through(own, other));
            }
            self.merged.push(edge);
        }
        for other in others {
            self.merged.push(through(own, other));
            added += 1;
        }
        // The old row's memory serves the next merge.
        self.rows[own.node as usize] = std::mem::replace(&mut self.merged, row);
        added
    }
}

/// By node: how many times [`CLASS_BITS`] it is lighter than the heaviest; the
/// lightest class is 0.
fn classes(rows: &[Vec<Edge>]) -> Vec<u32> {
    let weight = |row: &Vec<Edge>| row.iter().map(|edge| edge.weight).sum::<f64>();
    let weights: Vec<f64> = rows.iter().map(weight).collect();
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    let lighter = |weight: f64| {
        let orders = (heaviest / weight).log2() / CLASS_BITS;
        orders.clamp(0.0, 1000.0) as u32 // 0 for NaN
    };
    let lighter: Vec<u32> = weights.into_iter().map(lighter).collect();
    let lightest = lighter.iter().copied().max().unwrap_or(0);
    lighter.into_iter().map(|class| lightest - class).collect()
}

/// The edge between two neighbours of an eliminated node, as seen from the first.
fn through(own: &StarEdge, other: &StarEdge) -> Edge {
    Edge {
        node: other.node,
        weight: own.weight * other.share,
        flow: other.flow - own.flow,
    }
}

impl Edge {
    /// Adds an edge between the same nodes.
    fn join(&mut self, other: Self) {
        let weight = self.weight + other.weight;
        if weight > 0.0 {
            let part = other.weight / weight;
            self.flow += part * (other.flow - self.flow);
            self.weight = weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use crate::random::Random;

    /// Edges (a, b, weight, flow) by node.
    fn rows(nodes: usize, edges: &[(usize, usize, f64, f64)]) -> Vec<Vec<Edge>> {
        let mut rows = vec![Vec::new(); nodes];
        for &(a, b, weight, flow) in edges {
            let edge = |node, flow| Edge {
                node: node as u32,
                weight,
                flow,
            };
            rows[a].push(edge(b, flow));
            rows[b].push(edge(a, -flow));
        }
        rows
    }

    fn eliminate(nodes: usize, edges: &[(usize, usize, f64, f64)]) -> Elimination {
        let found = Elimination::new(
            rows(nodes, edges),
            EliminationLimits::NONE,
            &Stop::default(),
        );
        found.unwrap().unwrap()
    }

    /// A tree and some edges more.
    fn random_edges(
        nodes: usize,
        more: usize,
        random: &mut Random,
    ) -> Vec<(usize, usize, f64, f64)> {
        let mut pairs: Vec<(usize, usize)> = (1..nodes).map(|b| (random.below(b), b)).collect();
        for _ in 0..more {
            let a = random.below(nodes);
            let b = (a + 1 + random.below(nodes - 1)) % nodes;
            pairs.push((a.min(b), a.max(b)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let edge = |(a, b)| (a, b, 0.1 + random.uniform(), random.normal());
        pairs.into_iter().map(edge).collect()
    }

    #[test]
    fn solutions_give_back_the_right_hand_sides() {
        let mut random = Random(5);
        for (nodes, more) in [(2, 0), (5, 4), (30, 0), (40, 30), (60, 900)] {
            let edges = random_edges(nodes, more, &mut random);
            let mut laplacian = DMatrix::<f64>::zeros(nodes, nodes);
            let mut divergence = DVector::<f64>::zeros(nodes);
            for &(a, b, weight, flow) in &edges {
                laplacian[(a, a)] += weight;
                laplacian[(b, b)] += weight;
                laplacian[(a, b)] -= weight;
                laplacian[(b, a)] -= weight;
                divergence[a] += weight * flow;
                divergence[b] -= weight * flow;
            }
            let found = eliminate(nodes, &edges);
            let from_flow = DVector::from_vec(found.potentials());
            let rest: DVector<f64> = &laplacian * from_flow - &divergence;
            assert!(rest.amax() < 1e-11);
            let mut other = DVector::from_fn(nodes, |_, _| random.normal());
            other.add_scalar_mut(-other.mean());
            let mut values: Vec<[f64; 2]> = (0..nodes).map(|i| [divergence[i], other[i]]).collect();
            found.solve(&mut values);
            for (lane, rhs) in [&divergence, &other].into_iter().enumerate() {
                let solution = DVector::from_fn(nodes, |i, _| values[i][lane]);
                let rest: DVector<f64> = &laplacian * solution - rhs;
                assert!(rest.amax() < 1e-10, "{nodes}");
            }
        }
    }

    /// Two rings of three with cycles in their flow, and a bridge between them.
    #[test]
    fn a_bridge_of_any_weight_leaves_the_sides_as_they_are() {
        let ring = |first: usize| {
            [
                (first, first + 1, 20.0, 0.4),
                (first, first + 2, 10.0, 0.9),
                (first + 1, first + 2, 30.0, -0.1),
            ]
        };
        let side = eliminate(3, &ring(0)).potentials();
        for bridge in [1.0, 1e-8, 1e-16, 1e-30, 1e-100] {
            let mut edges = [ring(0), ring(3)].concat();
            edges.push((1, 4, bridge, 1.0));
            let found = eliminate(6, &edges).potentials();
            for (first, i) in [(0, 1), (0, 2), (3, 1), (3, 2)] {
                let difference = found[first + i] - found[first];
                let expected = side[i] - side[0];
                assert!((difference - expected).abs() < 1e-14, "{bridge}: {found:?}");
            }
            assert!((found[1] - found[4] - 1.0).abs() < 1e-14, "{bridge}");
        }
    }

    /// A light node at a heavy pair: its right-hand side is all there is to know of it.
    #[test]
    fn light_nodes_are_eliminated_first() {
        let found = eliminate(3, &[(0, 1, 20.0, 0.0), (1, 2, 1e-20, 0.0)]);
        let mut values = [[8.0], [-8.0], [-1e-20]];
        found.solve(&mut values);
        let [[a], [b], [c]] = values;
        assert!((a - b - 0.4).abs() < 1e-15 && (b - c - 1.0).abs() < 1e-15);
    }

    #[test]
    fn thin_graphs_stay_thin_and_others_are_given_up() {
        let chain: Vec<_> = (1..1000).map(|b| (b - 1, b, 1.0, 0.0)).collect();
        assert_eq!(eliminate(1000, &chain).later.len(), 999);
        let star: Vec<_> = (1..1000).map(|b| (0, b, 1.0, 0.0)).collect();
        assert_eq!(eliminate(1000, &star).later.len(), 999);
        let side = 30;
        let cells = (0..side * side).map(|cell| (cell / side, cell % side));
        let grid: Vec<_> = cells
            .flat_map(|(x, y)| {
                let right = (x + 1 < side).then_some((x * side + y, (x + 1) * side + y, 1.0, 0.0));
                let below = (y + 1 < side).then_some((x * side + y, x * side + y + 1, 1.0, 0.0));
                [right, below]
            })
            .flatten()
            .collect();
        let entries = eliminate(side * side, &grid).later.len();
        assert!(entries < 8 * grid.len(), "{entries}");
        let edges = random_edges(200, 3000, &mut Random(1));
        for limits in [
            EliminationLimits {
                entries: 4 * edges.len(),
                ..EliminationLimits::NONE
            },
            EliminationLimits {
                work: 100 * edges.len(),
                ..EliminationLimits::NONE
            },
        ] {
            let found = Elimination::new(rows(200, &edges), limits, &Stop::default());
            assert!(found.unwrap().is_none());
        }
    }

    fn graph(nodes: usize, edges: &[(usize, usize, f64, f64)]) -> WeightedGraph {
        let (a, b): (Vec<u32>, Vec<u32>) = edges.iter().map(|e| (e.0 as u32, e.1 as u32)).unzip();
        WeightedGraph::new(nodes, &a, &b, &vec![1.0; edges.len()])
    }

    /// Whether elimination is tried at all.
    #[test]
    fn graphs_are_thin_that_are_long_or_nearly_trees() {
        let nodes: Vec<u32> = (0..2000).collect();
        let is_thin = |edges: &[(usize, usize, f64, f64)]| {
            EliminationLimits::thin(&graph(2000, edges), &[&nodes]).is_some()
        };
        let within = |width: usize| {
            let pairs =
                (0..2000).flat_map(|a| (a + 1..2000.min(a + 1 + width)).map(move |b| (a, b)));
            pairs.map(|(a, b)| (a, b, 1.0, 0.0)).collect::<Vec<_>>()
        };
        assert!(is_thin(&within(1)) && is_thin(&within(8)) && !is_thin(&within(9)));
        let star: Vec<_> = (1..2000).map(|b| (0, b, 1.0, 0.0)).collect();
        assert!(is_thin(&star));
        let mut random = Random(9);
        let mut at_random = |more| is_thin(&random_edges(2000, more, &mut random));
        assert!(at_random(0) && at_random(400));
        assert!(!at_random(2000) && !at_random(10_000));
    }

    /// The largest component says whether the graph is long, all of them how large it is.
    #[test]
    fn limits_are_of_all_components() {
        let edges: Vec<_> = (1..100).filter(|b| b % 10 != 0).collect();
        let edges: Vec<_> = edges.iter().map(|&b| (b - 1, b, 1.0, 0.0)).collect();
        let graph = graph(100, &edges);
        let components = graph.components();
        let components: Vec<&[u32]> = components.iter().map(|nodes| &nodes[..]).collect();
        let limits = EliminationLimits::thin(&graph, &components).unwrap();
        assert_eq!(limits.entries, 16 * 90);
        assert!(EliminationLimits::thin(&graph, &[]).is_some());
    }
}
