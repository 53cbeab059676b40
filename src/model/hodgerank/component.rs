//! A connected component of the comparison graph, in an order of its own.

use super::graph::Graph;
use super::warm_start::WarmStart;
use super::{Room, SolveFrequency, conjugate_gradient};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::dense::{self, Product, Tile, add, invert, tiles};
use crate::linalg::simd::{Kernel, Lanes, Quad, Sink, sum, vectorised};
use crate::model::statistics::AdjacencyLists;

/// Components of up to this many items are solved with a dense inverse.
const FEW_ITEMS: usize = 600;

/// So are those of up to this many of which nearly all pairs were compared, if
/// they are solved often.
const MANY_ITEMS: usize = 2000;

#[derive(Debug)]
pub(super) struct Component {
    /// In the table's order.
    pub items: Vec<u32>,
    /// In the order of rows here.
    order: Vec<u32>,
    /// One over the diagonal of the Laplacian.
    pub scale: Vec<Quad>,
    laplacian: Laplacian,
    /// None for a component solved by conjugate gradients.
    inverse: Option<Vec<Tile>>,
}

#[derive(Debug)]
enum Laplacian {
    Dense(Vec<Tile>),
    /// A single one.
    Sparse(AdjacencyLists),
}

/// What takes the least memory, and with it the least time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Dense,
    /// A neighbour for each pair, and its weight.
    Pairs,
    /// A neighbour for each vote.
    Votes,
}

impl Component {
    /// `places`: room for where each item is among its component's.
    pub fn new(
        graph: &Graph,
        items: Vec<u32>,
        solves: SolveFrequency,
        places: &mut [u32],
        stop: &Stop,
    ) -> Result<Self> {
        stop.check()?;
        let n = items.len();
        let form = Form::of(graph, &items);
        let most = match (form, solves) {
            (Form::Dense, SolveFrequency::Often) => MANY_ITEMS,
            _ => FEW_ITEMS,
        };
        let rows = rows(graph, &items, form);
        let order: Vec<u32> = rows.iter().map(|&(_, item)| item).collect();
        let mut scale = vec![[1.0; 4]; n.div_ceil(4)];
        for (slot, &item) in scale.as_flattened_mut().iter_mut().zip(&order) {
            *slot = 1.0 / graph.degree(item);
        }
        for (&item, place) in order.iter().zip(0..) {
            places[item as usize] = place;
        }
        Ok(Self {
            inverse: (n <= most)
                .then(|| inverse(graph, &order, places, stop))
                .transpose()?,
            laplacian: match form {
                Form::Dense => Laplacian::Dense(matrix(graph, &order, places)),
                Form::Pairs | Form::Votes => {
                    Laplacian::Sparse(neighbours(graph, &rows, places, form))
                }
            },
            items,
            order,
            scale,
        })
    }

    /// Values at the items, in their order here.
    pub fn gather(&self, values: &[f64], out: &mut [Quad]) {
        let out = &mut out[..self.scale.len()];
        if let Some(last) = out.last_mut() {
            *last = [0.0; 4];
        }
        for (slot, &item) in out.as_flattened_mut().iter_mut().zip(&self.order) {
            *slot = values[item as usize];
        }
    }

    /// And back.
    pub fn scatter(&self, own: &[Quad], values: &mut [f64]) {
        for (&value, &item) in own.as_flattened().iter().zip(&self.order) {
            values[item as usize] = value;
        }
    }

    /// θ from the right-hand side in the room.
    pub fn solve(&self, room: &mut Room, past: &mut Option<WarmStart>, stop: &Stop) -> Result<()> {
        let quads = self.scale.len();
        let (right, theta) = (&room.right[..quads], &mut room.theta[..quads]);
        if let Some(matrix) = &self.inverse {
            vectorised(Product {
                matrix,
                x: right,
                out: theta,
            });
            self.centre(theta);
            return Ok(());
        }
        let past = past.get_or_insert_with(|| WarmStart::new(quads));
        past.guess(right, &self.scale, theta);
        conjugate_gradient::gradients(self, room, stop)?;
        let (right, theta) = (&room.right[..quads], &mut room.theta[..quads]);
        self.centre(theta);
        past.push(right, theta);
        Ok(())
    }

    /// out = L x. Returns xᵀLx.
    pub fn times(&self, x: &[Quad], out: &mut [Quad]) -> f64 {
        let quads = self.scale.len();
        let (x, out) = (&x[..quads], &mut out[..quads]);
        vectorised(Times {
            laplacian: &self.laplacian,
            x,
            out,
        })
    }

    /// Shifts scores to mean zero.
    fn centre(&self, theta: &mut [Quad]) {
        let theta = &mut theta.as_flattened_mut()[..self.items.len()];
        let mean = theta.iter().sum::<f64>() / theta.len() as f64;
        theta.iter_mut().for_each(|score| *score -= mean);
    }
}

impl Form {
    fn of(graph: &Graph, items: &[u32]) -> Self {
        let each = || items.iter().flat_map(|&item| graph.row(item));
        let (mut pairs, mut votes, mut whole) = (0, 0.0, true);
        for (_, weight) in each() {
            pairs += 1;
            votes += weight;
            whole &= weight.fract() == 0.0;
        }
        let neighbour = size_of::<u32>();
        let weighted = pairs * (neighbour + size_of::<f64>());
        let dense = tiles(items.len().div_ceil(4)) * size_of::<Tile>();
        // An item that was compared with nothing has no row.
        if dense <= weighted || items.len() == 1 {
            Self::Dense
        } else if whole && votes * neighbour as f64 <= weighted as f64 {
            Self::Votes
        } else {
            Self::Pairs
        }
    }

    /// How often a pair with so many votes is a neighbour.
    fn times(self, weight: f64) -> u32 {
        if self == Self::Votes {
            weight as u32
        } else {
            1
        }
    }
}

/// The items in the order of their rows, each with the length of its row: longest
/// first, or as in the table if that makes no difference.
fn rows(graph: &Graph, items: &[u32], form: Form) -> Vec<(u32, u32)> {
    let length = |item: u32| {
        let times = graph.row(item).map(|(_, weight)| form.times(weight));
        times.sum::<u32>()
    };
    let mut rows: Vec<(u32, u32)> = items.iter().map(|&item| (length(item), item)).collect();
    if form != Form::Dense {
        rows.sort_unstable_by_key(|&(length, item)| (!length, item));
    }
    rows
}

fn neighbours(graph: &Graph, rows: &[(u32, u32)], places: &[u32], form: Form) -> AdjacencyLists {
    let entries: usize = rows.iter().map(|&(length, _)| length as usize).sum();
    let mut graphs = AdjacencyLists::with_capacity(entries / 2, form == Form::Pairs);
    let mut filling = graphs.begin(rows);
    for (row, &(_, item)) in rows.iter().enumerate() {
        for (neighbour, weight) in graph.row(item).filter(|&(other, _)| other > item) {
            for _ in 0..form.times(weight) {
                filling.push(row, places[neighbour as usize] as usize, weight);
            }
        }
    }
    graphs
}

fn matrix(graph: &Graph, order: &[u32], places: &[u32]) -> Vec<Tile> {
    let mut matrix = vec![Tile::default(); tiles(order.len().div_ceil(4))];
    for (row, &item) in order.iter().enumerate() {
        add(&mut matrix, row, row, graph.degree(item));
        for (neighbour, weight) in graph.row(item) {
            add(
                &mut matrix,
                row,
                places[neighbour as usize] as usize,
                -weight,
            );
        }
    }
    matrix
}

/// (L + w·11ᵀ/n)⁻¹, w the mean degree.
fn inverse(graph: &Graph, order: &[u32], places: &[u32], stop: &Stop) -> Result<Vec<Tile>> {
    let mut matrix = matrix(graph, order, places);
    let n = order.len();
    if n == 1 {
        return Ok(matrix);
    }
    let votes: f64 = order.iter().map(|&item| graph.degree(item)).sum();
    let constant = votes / (n * n) as f64;
    for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
        add(&mut matrix, row, column, constant);
    }
    let found = invert(&mut matrix, n, stop)?;
    assert!(
        found,
        "a connected Laplacian plus a constant is positive definite"
    );
    Ok(matrix)
}

struct Times<'a> {
    laplacian: &'a Laplacian,
    x: &'a [Quad],
    out: &'a mut [Quad],
}

impl Kernel for Times<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let Self { laplacian, x, out } = self;
        let mut product = lanes.splat(0.0);
        match laplacian {
            Laplacian::Dense(matrix) => {
                dense::times(lanes, matrix, x, out);
                for (x, image) in x.iter().zip(out) {
                    product = lanes.add_product(product, lanes.load(x), lanes.load(image));
                }
            }
            Laplacian::Sparse(graphs) => {
                let mut sink = Keep { x, out, product };
                graphs.of(0).product(lanes, x, &mut sink);
                product = sink.product;
            }
        }
        sum(lanes.quad(product))
    }
}

/// Keeps L x and adds up xᵀLx.
struct Keep<'a, L: Lanes> {
    x: &'a [Quad],
    out: &'a mut [Quad],
    product: L::Register,
}

impl<L: Lanes> Sink<L> for Keep<'_, L> {
    #[inline(always)]
    fn take(&mut self, lanes: L, place: usize, value: L::Register) {
        self.product = lanes.add_product(self.product, lanes.load(&self.x[place]), value);
        lanes.store(value, &mut self.out[place]);
    }
}
