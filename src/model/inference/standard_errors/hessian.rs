//! The Hessian of the loss in the consensus scores, L = Σ_u L_u, its inverse, and
//! solutions of L x = b. It is the outer factor of the sandwich variance; see [the
//! module](super).

use std::array::from_fn;

use nalgebra::DMatrix;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::{Limits, LinearSystem, conjugate_gradient};
use crate::linalg::csr::WeightedGraph;
use crate::linalg::dense::{Tile, add, get, invert, tiles};
use crate::linalg::elimination::{Edge, Elimination, EliminationLimits};
use crate::linalg::simd::{Kernel, Lanes, Quad, add_product, vectorised};
use crate::model::flow::Flow;

/// So many right-hand sides are solved for together: each entry of L is read once
/// for all of them.
pub(super) const LANES: usize = 32;

/// One number for each right-hand side.
pub(super) type RhsLanes = [Quad; LANES / 4];

const ZERO: RhsLanes = [[0.0; 4]; LANES / 4];

/// A residual of this part of the right-hand side changes the variances by far
/// less than their own uncertainty.
const TOLERANCE: f64 = 1e-8;

/// On nearly random graphs, as large ones usually are, a few iterations suffice; on
/// thin graphs it takes about as many as there are items. For graphs that are both
/// large and thin this many multiplications, a few seconds, are the limit.
const MAX_WORK: usize = 4_000_000_000;
const MIN_ITERATIONS: usize = 50;

/// An inverse is used up to this condition number: its error is then far below the
/// uncertainty of variances.
const MAX_CONDITION: f64 = 1e10;

/// With up to so many items all of them can be eliminated, whatever the graph is.
const MAX_ELIMINATED_ITEMS: usize = 800;

/// L, the Laplacian of the comparison graph, plus a ridge. Its weights are those of the
/// flow.
pub(super) struct Hessian<'a> {
    pub flow: &'a Flow,
    components: Vec<&'a [u32]>,
    /// ρ, which is added to the diagonal of the Laplacian.
    ridge: f64,
    pub diagonal: Vec<f64>,
    /// Off the diagonal: the weights are minus the entries.
    graph: WeightedGraph,
    /// The factors of J, if they were asked for and stay sparse.
    elimination: Option<Elimination>,
}

impl<'a> Hessian<'a> {
    pub fn new(flow: &'a Flow, components: Vec<&'a [u32]>, ridge: f64) -> Self {
        let graph = WeightedGraph::new(flow.items(), &flow.a, &flow.b, &flow.weight);
        Self {
            flow,
            components,
            ridge,
            diagonal: graph.degrees().map(|degree| degree + ridge).collect(),
            graph,
            elimination: None,
        }
    }

    pub fn items(&self) -> usize {
        self.diagonal.len()
    }

    /// The inverse of L plus a constant on each component, which equals L⁺ up to
    /// constants on each component. None if it is not accurate.
    pub fn inverse(&self, stop: &Stop) -> Result<Option<DMatrix<f64>>> {
        let items = self.items();
        let mut matrix = vec![Tile::default(); tiles(items.div_ceil(4))];
        for component in &self.components {
            let each = || component.iter().map(|&item| item as usize);
            let size = component.len() as f64;
            let constant = each().map(|i| self.diagonal[i]).sum::<f64>() / (size * size);
            for (i, j) in each().flat_map(|i| each().map(move |j| (i, j))) {
                add(&mut matrix, i, j, constant);
            }
        }
        for item in 0..items {
            add(&mut matrix, item, item, self.diagonal[item]);
            for (column, weight) in self.graph.row(item as u32) {
                add(&mut matrix, item, column as usize, -weight);
            }
        }
        let found = invert(&mut matrix, items, stop)?;
        let is_accurate = || {
            let inverse_diagonal = (0..items).map(|item| get(&matrix, item, item));
            let largest = self.diagonal.iter().copied().fold(0.0, f64::max);
            largest * inverse_diagonal.fold(0.0, f64::max) <= MAX_CONDITION
        };
        Ok((found && is_accurate())
            .then(|| DMatrix::from_fn(items, items, |i, j| get(&matrix, i, j))))
    }

    /// Prepares solutions by elimination, if the graph is thin or small: conjugate
    /// gradients would need about as many iterations as there are items.
    pub fn eliminate(&mut self, stop: &Stop) -> Result<()> {
        if self.ridge > 0.0 {
            return Ok(()); // which makes few iterations suffice
        }
        let limits = match self.items() <= MAX_ELIMINATED_ITEMS {
            true => Some(EliminationLimits::NONE),
            false => EliminationLimits::thin(&self.graph, &self.components),
        };
        if let Some(limits) = limits {
            let edge = |(node, weight)| Edge {
                node,
                weight,
                flow: 0.0,
            };
            let row = |item| self.graph.row(item).map(edge).collect();
            let rows = (0..self.items() as u32).map(row).collect();
            self.elimination = Elimination::new(rows, limits, stop)?;
        }
        Ok(())
    }

    /// Solves L x = b for all lanes, by elimination or conjugate gradients. Solutions and right-hand
    /// sides sum to zero in each component. A constant that rounding leaves in a
    /// right-hand side is removed first: L maps constants to zero, so it would stay
    /// in the residual while the rest of that falls, and the steps would grow.
    pub fn solve(&self, rhs: Vec<RhsLanes>, stop: &Stop) -> Result<Vec<RhsLanes>> {
        let zeros = || vec![ZERO; self.items()];
        let mut residual = rhs;
        self.centre(&mut residual);
        if let Some(elimination) = &self.elimination {
            let numbers = residual.as_flattened_mut().as_flattened_mut();
            elimination.solve(numbers.as_chunks_mut::<LANES>().0);
            self.centre(&mut residual);
            return Ok(residual);
        }
        let mut system = HessianSystem {
            hessian: self,
            solution: zeros(),
            residual,
            direction: zeros(),
            image: zeros(),
        };
        // A step of length zero finds the energy of the right-hand sides.
        let energy = system.advance(&[0.0; LANES])?;
        let limits = Limits {
            tolerance: TOLERANCE,
            max_iterations: self.max_iterations(),
        };
        conjugate_gradient(&mut system, energy, energy, limits, stop)?;
        self.centre(&mut system.solution);
        Ok(system.solution)
    }

    /// L x.
    #[cfg(test)]
    pub fn times(&self, x: &[RhsLanes]) -> Vec<RhsLanes> {
        let mut out = vec![ZERO; x.len()];
        vectorised(HessianProduct {
            hessian: self,
            x,
            out: &mut out,
        });
        out
    }

    /// The evaluation of the right-hand sides counts as one iteration.
    fn max_iterations(&self) -> usize {
        let work = self.graph.entries().max(1) * LANES;
        (MAX_WORK / work).clamp(MIN_ITERATIONS, 2 * self.items() + MIN_ITERATIONS) - 1
    }

    /// Subtracts the mean over each component.
    fn centre(&self, values: &mut [RhsLanes]) {
        for component in &self.components {
            let mut sum = ZERO;
            for &item in *component {
                sum = combine(sum, values[item as usize], |sum, x| sum + x);
            }
            for &item in *component {
                let size = component.len() as f64;
                let slot = &mut values[item as usize];
                *slot = combine(*slot, sum, |x, sum| x - sum / size);
            }
        }
    }
}

/// Applies a function lane by lane.
fn combine(a: RhsLanes, b: RhsLanes, with: impl Fn(f64, f64) -> f64) -> RhsLanes {
    let mut out = a;
    for (slot, b) in out.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *slot = with(*slot, *b);
    }
    out
}

/// L x = b, preconditioned by the diagonal D of L.
struct HessianSystem<'a> {
    hessian: &'a Hessian<'a>,
    solution: Vec<RhsLanes>,
    residual: Vec<RhsLanes>,
    direction: Vec<RhsLanes>,
    /// L times the direction.
    image: Vec<RhsLanes>,
}

impl LinearSystem<LANES> for HessianSystem<'_> {
    fn update_direction(&mut self, ratio: &[f64; LANES]) {
        vectorised(UpdateDirections {
            diagonal: &self.hessian.diagonal,
            direction: &mut self.direction,
            residual: &self.residual,
            ratio: quads(ratio),
        });
    }

    fn curvature(&mut self) -> [f64; LANES] {
        flat(vectorised(HessianProduct {
            hessian: self.hessian,
            x: &self.direction,
            out: &mut self.image,
        }))
    }

    fn advance(&mut self, step: &[f64; LANES]) -> Result<[f64; LANES]> {
        Ok(flat(vectorised(AdvanceSolutions {
            diagonal: &self.hessian.diagonal,
            step: quads(step),
            direction: &self.direction,
            image: &self.image,
            solution: &mut self.solution,
            residual: &mut self.residual,
        })))
    }
}

fn quads(lanes: &[f64; LANES]) -> RhsLanes {
    from_fn(|quad| from_fn(|lane| lanes[4 * quad + lane]))
}

fn flat(quads: RhsLanes) -> [f64; LANES] {
    from_fn(|lane| quads[lane / 4][lane % 4])
}

/// out = L x. Returns xᵀLx.
struct HessianProduct<'a> {
    hessian: &'a Hessian<'a>,
    x: &'a [RhsLanes],
    out: &'a mut [RhsLanes],
}

impl Kernel for HessianProduct<'_> {
    type Output = RhsLanes;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> RhsLanes {
        let mut curvature = ZERO;
        for item in 0..self.out.len() {
            let mut sums = ZERO;
            for (column, weight) in self.hessian.graph.row(item as u32) {
                let x = &self.x[column as usize];
                for (sum, &x) in sums.iter_mut().zip(x) {
                    *sum = add_product(*sum, [weight; 4], x);
                }
            }
            let (own, diagonal) = (&self.x[item], self.hessian.diagonal[item]);
            for k in 0..LANES / 4 {
                let image = from_fn(|lane| diagonal * own[k][lane] - sums[k][lane]);
                curvature[k] = add_product(curvature[k], own[k], image);
                self.out[item][k] = image;
            }
        }
        curvature
    }
}

/// solution += step·direction, residual −= step·image. Returns Σ r²/d.
struct AdvanceSolutions<'a> {
    diagonal: &'a [f64],
    step: RhsLanes,
    direction: &'a [RhsLanes],
    image: &'a [RhsLanes],
    solution: &'a mut [RhsLanes],
    residual: &'a mut [RhsLanes],
}

impl Kernel for AdvanceSolutions<'_> {
    type Output = RhsLanes;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> RhsLanes {
        let mut energy = ZERO;
        let back = self.step.map(|quad| quad.map(|x| -x));
        for item in 0..self.solution.len() {
            for k in 0..LANES / 4 {
                let slot = &mut self.solution[item][k];
                *slot = add_product(*slot, self.step[k], self.direction[item][k]);
                let slot = &mut self.residual[item][k];
                let residual = add_product(*slot, back[k], self.image[item][k]);
                *slot = residual;
                let scaled = residual.map(|x| x / self.diagonal[item]);
                energy[k] = add_product(energy[k], residual, scaled);
            }
        }
        energy
    }
}

/// direction = D⁻¹ residual + ratio·direction.
struct UpdateDirections<'a> {
    diagonal: &'a [f64],
    direction: &'a mut [RhsLanes],
    residual: &'a [RhsLanes],
    ratio: RhsLanes,
}

impl Kernel for UpdateDirections<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        for ((direction, residual), diagonal) in self
            .direction
            .iter_mut()
            .zip(self.residual)
            .zip(self.diagonal)
        {
            for k in 0..LANES / 4 {
                let scaled = residual[k].map(|x| x / diagonal);
                direction[k] = add_product(scaled, self.ratio[k], direction[k]);
            }
        }
    }
}
