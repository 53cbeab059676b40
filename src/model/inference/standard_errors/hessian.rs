//! J, and how to solve with it.

use nalgebra::DMatrix;

use super::score_contributions::ScoreContributions;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::dense::{Tile, add, get, invert, tiles};
use crate::linalg::simd::{self, Kernel, Quad, add_product, vectorised};
use crate::model::flow::Flow;

/// So many right-hand sides are solved for together: their directions are read
/// from memory once for each entry of J.
pub(super) const LANES: usize = 32;

/// One number for each right-hand side.
pub(super) type RhsLanes = [Quad; LANES / 4];

const ZERO: RhsLanes = [[0.0; 4]; LANES / 4];

/// A residual of this part of the right-hand side is far below what the
/// variances are known to.
const TOLERANCE: f64 = 1e-8;

/// On nearly random graphs, as large ones are, a few steps suffice; on thin ones
/// it takes about as many as there are items. This much work, a few seconds, is
/// the limit for graphs that are both large and thin.
const MOST_WORK: usize = 4_000_000_000;
const LEAST_STEPS: usize = 50;

/// J by rows.
pub(super) struct Hessian<'a> {
    pub flow: &'a Flow,
    components: Vec<&'a [u32]>,
    pub diagonal: Vec<f64>,
    starts: Vec<usize>,
    entries: Vec<EffectEntry>,
}

/// Off the diagonal, its sign turned.
#[derive(Clone, Copy, Default)]
struct EffectEntry {
    weight: f64,
    column: u32,
}

impl<'a> Hessian<'a> {
    pub fn new(
        contributions: &ScoreContributions<'_>,
        flow: &'a Flow,
        components: Vec<&'a [u32]>,
        stop: &Stop,
    ) -> Result<Self> {
        let mut weight = std::borrow::Cow::from(&flow.weight);
        contributions.for_each_absorbed(stop, |u, share| {
            let weight = weight.to_mut();
            for vote in contributions.votes.of(u) {
                let (a, b) = (vote.left.min(vote.right), vote.left.max(vote.right));
                weight[flow.pair(a, b)] -= share * vote.weight;
            }
        })?;
        let items = flow.items();
        let mut starts = vec![0; items + 1];
        for (&a, &b) in flow.a.iter().zip(&flow.b) {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut next = starts.clone();
        let mut entries = vec![EffectEntry::default(); starts[items]];
        let mut diagonal = vec![0.0; items];
        for (k, &weight) in weight.iter().enumerate() {
            let (a, b) = (flow.a[k], flow.b[k]);
            for (row, column) in [(b, a), (a, b)] {
                let slot = &mut next[row as usize];
                entries[*slot] = EffectEntry { weight, column };
                *slot += 1;
                diagonal[row as usize] += weight;
            }
        }
        Ok(Self {
            flow,
            components,
            diagonal,
            starts,
            entries,
        })
    }

    pub fn items(&self) -> usize {
        self.diagonal.len()
    }

    fn row(&self, item: usize) -> &[EffectEntry] {
        &self.entries[self.starts[item]..self.starts[item + 1]]
    }

    /// A matrix that is J⁺ but for constants on each component: the inverse of J
    /// with a constant added there. None if rounding is too much for it.
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
            for entry in self.row(item) {
                add(&mut matrix, item, entry.column as usize, -entry.weight);
            }
        }
        let found = invert(&mut matrix, items, stop)?;
        Ok(found.then(|| DMatrix::from_fn(items, items, |i, j| get(&matrix, i, j))))
    }

    /// SolveFrequency J x = right for all lanes, by conjugate gradients. Both sides sum to
    /// zero in each component. What rounding leaves there of a right-hand side is
    /// taken out first: J makes nothing of a constant, so it would stay while the
    /// rest of the residual shrinks, and steps along it have no end.
    pub fn solve(&self, right: Vec<RhsLanes>, stop: &Stop) -> Result<Vec<RhsLanes>> {
        let zeros = || vec![ZERO; self.items()];
        let (mut residual, mut solution) = (right, zeros());
        self.centre(&mut residual);
        let (mut direction, mut image) = (zeros(), zeros());
        let mut step = ZERO;
        let (mut energy, mut goal) = (ZERO, None);
        for _ in 0..self.most_steps() {
            let next = vectorised(Step {
                diagonal: &self.diagonal,
                step,
                direction: &direction,
                image: &image,
                solution: &mut solution,
                residual: &mut residual,
            });
            let goal = goal.get_or_insert_with(|| map(next, |x| TOLERANCE * TOLERANCE * x));
            let open = combine(next, *goal, |next, goal| f64::from(next > goal));
            if open.as_flattened().iter().all(|&open| open == 0.0) {
                break;
            }
            stop.check()?;
            let ratio = combine(
                next,
                energy,
                |next, before| {
                    if before > 0.0 { next / before } else { 0.0 }
                },
            );
            energy = next;
            vectorised(Advance {
                diagonal: &self.diagonal,
                direction: &mut direction,
                residual: &residual,
                ratio: &ratio,
            });
            let curvature = vectorised(Product {
                bread: self,
                x: &direction,
                out: &mut image,
            });
            step = combine(energy, curvature, |energy, curvature| {
                if curvature > 0.0 {
                    energy / curvature
                } else {
                    0.0
                }
            });
            // A lane that is done stands still.
            step = combine(step, open, |step, open| step * open);
        }
        self.centre(&mut solution);
        Ok(solution)
    }

    /// J x.
    #[cfg(test)]
    pub fn times(&self, x: &[RhsLanes]) -> Vec<RhsLanes> {
        let mut out = vec![ZERO; x.len()];
        vectorised(Product {
            bread: self,
            x,
            out: &mut out,
        });
        out
    }

    fn most_steps(&self) -> usize {
        let work = self.entries.len().max(1) * LANES;
        (MOST_WORK / work).clamp(LEAST_STEPS, 2 * self.items() + LEAST_STEPS)
    }

    /// Takes the mean of each component out.
    fn centre(&self, values: &mut [RhsLanes]) {
        for component in &self.components {
            let mut mean = ZERO;
            for &item in *component {
                mean = combine(mean, values[item as usize], |sum, x| sum + x);
            }
            for &item in *component {
                let size = component.len() as f64;
                let slot = &mut values[item as usize];
                *slot = combine(*slot, mean, |x, sum| x - sum / size);
            }
        }
    }
}

#[inline(always)]
fn map(a: RhsLanes, with: impl Fn(f64) -> f64) -> RhsLanes {
    a.map(|quad| quad.map(&with))
}

/// Lane by lane.
#[inline(always)]
fn combine(a: RhsLanes, b: RhsLanes, with: impl Fn(f64, f64) -> f64) -> RhsLanes {
    let mut out = a;
    for (slot, b) in out.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *slot = with(*slot, *b);
    }
    out
}

/// out = J x. Returns xᵀJx.
struct Product<'a> {
    bread: &'a Hessian<'a>,
    x: &'a [RhsLanes],
    out: &'a mut [RhsLanes],
}

impl Kernel for Product<'_> {
    type Output = RhsLanes;

    #[inline(always)]
    fn run<R: simd::Lanes>(self, _: R) -> RhsLanes {
        let mut curvature = ZERO;
        for item in 0..self.out.len() {
            let mut sums = ZERO;
            for entry in self.bread.row(item) {
                let x = &self.x[entry.column as usize];
                for (sum, &x) in sums.iter_mut().zip(x) {
                    *sum = add_product(*sum, [entry.weight; 4], x);
                }
            }
            let (own, diagonal) = (&self.x[item], self.bread.diagonal[item]);
            for k in 0..LANES / 4 {
                let image = std::array::from_fn(|lane| diagonal * own[k][lane] - sums[k][lane]);
                curvature[k] = add_product(curvature[k], own[k], image);
                self.out[item][k] = image;
            }
        }
        curvature
    }
}

/// solution += step·direction, residual −= step·image. Returns Σ r²/d.
struct Step<'a> {
    diagonal: &'a [f64],
    step: RhsLanes,
    direction: &'a [RhsLanes],
    image: &'a [RhsLanes],
    solution: &'a mut [RhsLanes],
    residual: &'a mut [RhsLanes],
}

impl Kernel for Step<'_> {
    type Output = RhsLanes;

    #[inline(always)]
    fn run<R: simd::Lanes>(self, _: R) -> RhsLanes {
        let mut energy = ZERO;
        let back = map(self.step, |x| -x);
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
struct Advance<'a> {
    diagonal: &'a [f64],
    direction: &'a mut [RhsLanes],
    residual: &'a [RhsLanes],
    ratio: &'a RhsLanes,
}

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: simd::Lanes>(self, _: R) {
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
