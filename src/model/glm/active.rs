//! The annotators with effects: their z, their effects and their gradients.

use std::sync::Arc;

use super::cells::{AnnotatorCells, VoteCells};
use super::link::{LinkKernel, Sides};
use super::pool::IntegralsAt;
use crate::linalg::simd::{Kernel, Lanes, Quad, add_product, sum, vectorised};
use crate::model::lbi::{EffectEntry, Effects, SnapshotBlock, norm_of, shrink, shrunk};
use crate::model::settings::Settings;
use crate::model::statistics::Statistics;

/// The effects of the annotators who have one, or once had.
pub(super) struct ActiveAnnotators {
    statistics: Arc<Statistics>,
    cells: Arc<VoteCells>,
    settings: Settings,
    /// In the order in which they entered.
    active: Vec<u32>,
    is_active: Vec<bool>,
    /// z of δ, laid out as the vectors of the statistics are.
    z: Vec<Quad>,
    effects: Vec<Effects>,
    /// ∂/∂δ of m times the loss at the latest scores, laid out as z.
    gradient: Vec<Quad>,
    /// ∂/∂γ of the same.
    bias_gradient: Vec<f64>,
    bias_entry: Vec<Option<EffectEntry>>,
    deviation_entry: Vec<Option<EffectEntry>>,
    /// An annotator's own scores, as the link prepares them.
    prepared: Vec<Quad>,
}

impl ActiveAnnotators {
    /// Every effect zero.
    pub fn new(statistics: &Arc<Statistics>, cells: &Arc<VoteCells>, settings: Settings) -> Self {
        let annotators = statistics.annotators();
        let longest = (0..annotators).map(|u| statistics.quad_range(u).len());
        Self {
            statistics: Arc::clone(statistics),
            cells: Arc::clone(cells),
            settings,
            active: Vec::with_capacity(annotators),
            is_active: vec![false; annotators],
            z: vec![[0.0; 4]; statistics.total_quads()],
            effects: vec![Effects::default(); annotators],
            gradient: vec![[0.0; 4]; statistics.total_quads()],
            bias_gradient: vec![0.0; annotators],
            bias_entry: vec![None; annotators],
            deviation_entry: vec![None; annotators],
            prepared: vec![[0.0; 4]; longest.max().unwrap_or(0)],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    pub fn is_active(&self, u: usize) -> bool {
        self.is_active[u]
    }

    pub fn bias_entries(&self) -> &[Option<EffectEntry>] {
        &self.bias_entry
    }

    pub fn deviation_entries(&self) -> &[Option<EffectEntry>] {
        &self.deviation_entry
    }

    /// Computes the gradients at these scores, and adds those of δ to `total`, which is
    /// the gradient of θ.
    pub fn add_gradients<K: LinkKernel>(&mut self, link: K, theta: &[f64], total: &mut [f64]) {
        vectorised(ActiveGradients {
            annotators: self,
            link,
            theta,
            total,
        });
    }

    /// Adds the second derivatives to the weights of the pairs in the Hessian.
    pub fn add_curvatures<K: LinkKernel>(&mut self, link: K, theta: &[f64], weights: &mut [f64]) {
        vectorised(ActiveCurvatures {
            annotators: self,
            link,
            theta,
            weights,
        });
    }

    /// z ← z − (α/m)·gradient, β = κ·shrink(z).
    pub fn step(&mut self, now: EffectEntry) {
        vectorised(ActiveZStep {
            annotators: self,
            now,
        });
    }

    /// Computes the effects of an annotator for whom both have been zero so far, from the
    /// integrals of the hazards. If one of them has to enter, the annotator becomes active.
    /// Returns whether it does, and m‖z‖/t of both effects for the screening bounds.
    pub fn try_enter(
        &mut self,
        u: usize,
        integrals: &IntegralsAt<'_>,
        now: EffectEntry,
    ) -> (bool, [f64; 2]) {
        let Settings {
            kappa,
            position_bias,
            personal,
            ..
        } = self.settings;
        let range = self.statistics.quad_range(u);
        let z = &mut self.z[range];
        let along = integral_gradient(&self.cells.of(u), integrals.integral, z);
        let norm = norm_of(z);
        let total = self.statistics.total;
        let sizes = [norm / integrals.t, along.abs() / integrals.t];
        z.as_flattened_mut().iter_mut().for_each(|z| *z /= total);
        let z_bias = along / total;
        let scale = if personal {
            shrink(norm / total, kappa)
        } else {
            0.0
        };
        let bias = if position_bias {
            shrunk(z_bias, kappa)
        } else {
            0.0
        };
        if scale == 0.0 && bias == 0.0 {
            return (false, sizes);
        }
        self.effects[u] = Effects {
            scale,
            bias,
            z_bias,
        };
        self.bias_entry[u] = (bias != 0.0).then_some(now);
        self.deviation_entry[u] = (scale != 0.0).then_some(now);
        self.active.push(u as u32);
        self.is_active[u] = true;
        (true, sizes)
    }

    /// m‖z‖ of both effects if the integrals of the hazards are these.
    pub fn sizes(&mut self, u: usize, integral: &[f64]) -> [f64; 2] {
        let z = &mut self.z[self.statistics.quad_range(u)];
        let along = integral_gradient(&self.cells.of(u), integral, z);
        [norm_of(z), along.abs()]
    }

    /// Writes the effects of the active annotators, `elapsed` after the latest step.
    pub fn write_effects(&mut self, elapsed: f64, snapshot: &mut SnapshotBlock<'_>) {
        let size = elapsed / self.statistics.total;
        let kappa = self.settings.kappa;
        for &u in &self.active {
            let u = u as usize;
            let range = self.statistics.quad_range(u);
            if self.settings.position_bias {
                let z = self.effects[u].z_bias - size * self.bias_gradient[u];
                snapshot.set_bias(u, shrunk(z, kappa));
            }
            if self.settings.personal {
                let both = self.z[range.clone()].iter().zip(&self.gradient[range]);
                let z = both.map(|(z, gradient)| add_product(*z, [-size; 4], *gradient));
                snapshot.set_deviation(u, z, kappa);
            }
        }
    }

    /// Writes the effects of an annotator who enters between two steps.
    pub fn write_entering(&mut self, u: usize, integral: &[f64], snapshot: &mut SnapshotBlock<'_>) {
        let (total, kappa) = (self.statistics.total, self.settings.kappa);
        let z = &mut self.z[self.statistics.quad_range(u)];
        let along = integral_gradient(&self.cells.of(u), integral, z);
        if self.settings.position_bias {
            snapshot.set_bias(u, shrunk(along / total, kappa));
        }
        if self.settings.personal {
            let z = z.iter().map(|quad| quad.map(|value| value / total));
            snapshot.set_deviation(u, z, kappa);
        }
    }
}

/// Sets `out` to m·z of a δ that has been zero so far, and returns that of γ.
fn integral_gradient(cells: &AnnotatorCells<'_>, integral: &[f64], out: &mut [Quad]) -> f64 {
    out.fill([0.0; 4]);
    let out = out.as_flattened_mut();
    let rows = |side: &[[u32; 4]], k: usize| side.as_flattened()[k] as usize;
    let (left, right) = (cells.left.quads(), cells.right.quads());
    let mut along = 0.0;
    for (k, (pair, wins, losses)) in cells.iter().enumerate() {
        let slope = losses * integral[pair ^ 1] - wins * integral[pair];
        out[rows(left, k)] -= slope;
        out[rows(right, k)] += slope;
        along -= slope;
    }
    along
}

/// Prepares the own scores θ + δ of an annotator.
#[inline(always)]
fn prepare_own<L: Lanes, K: LinkKernel>(
    lanes: L,
    link: K,
    theta: impl Iterator<Item = Quad>,
    (scale, z): (f64, &[Quad]),
    out: &mut [Quad],
) {
    let scale = lanes.splat(scale);
    for ((slot, theta), z) in out.iter_mut().zip(theta).zip(z) {
        let own = lanes.add_product(lanes.load(&theta), scale, lanes.load(z));
        lanes.store(link.prepare(lanes, own), slot);
    }
}

/// The gradients of all active annotators.
struct ActiveGradients<'a, K> {
    annotators: &'a mut ActiveAnnotators,
    link: K,
    theta: &'a [f64],
    total: &'a mut [f64],
}

impl<K: LinkKernel> Kernel for ActiveGradients<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self {
            annotators,
            link,
            theta,
            total,
        } = self;
        let ActiveAnnotators {
            statistics,
            cells,
            active,
            z,
            effects,
            gradient,
            bias_gradient,
            prepared,
            ..
        } = annotators;
        for &u in &*active {
            let u = u as usize;
            let range = statistics.quad_range(u);
            let items = statistics.quads(u).items;
            let prepared = &mut prepared[..range.len()];
            let own = (effects[u].scale, &z[range.clone()]);
            prepare_own(lanes, link, items.of(theta).iter(), own, prepared);
            let bias = link.prepare(lanes, lanes.splat(effects[u].bias));
            let gradient = &mut gradient[range];
            gradient.fill([0.0; 4]);
            let cells = cells.of(u);
            let own = prepared.as_flattened();
            let scores = cells.left.of(own).iter().zip(cells.right.of(own).iter());
            let mut into_left = cells.left.of_mut(gradient.as_flattened_mut());
            let mut along = lanes.splat(0.0);
            for (index, (left, right)) in scores.enumerate() {
                let votes = Sides {
                    wins: lanes.load(&cells.wins[index]),
                    losses: lanes.load(&cells.losses[index]),
                };
                let (left, right) = (lanes.load(&left), lanes.load(&right));
                let slope = link.gradient(lanes, left, right, bias, votes);
                along = lanes.add(along, slope);
                let slope = lanes.quad(slope);
                into_left.add(index, slope);
                into_left.subtract_at(cells.right, index, slope);
            }
            bias_gradient[u] = sum(lanes.quad(along));
            let mut total = items.of_mut(total);
            for (index, gradient) in gradient.iter().enumerate() {
                total.add(index, *gradient);
            }
        }
    }
}

/// The second derivatives of all active annotators.
struct ActiveCurvatures<'a, K> {
    annotators: &'a mut ActiveAnnotators,
    link: K,
    theta: &'a [f64],
    weights: &'a mut [f64],
}

impl<K: LinkKernel> Kernel for ActiveCurvatures<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (link, annotators) = (self.link, self.annotators);
        for &u in &annotators.active {
            let u = u as usize;
            let range = annotators.statistics.quad_range(u);
            let items = annotators.statistics.quads(u).items;
            let prepared = &mut annotators.prepared[..range.len()];
            let own = (annotators.effects[u].scale, &annotators.z[range]);
            prepare_own(lanes, link, items.of(self.theta).iter(), own, prepared);
            let bias = link.prepare(lanes, lanes.splat(annotators.effects[u].bias));
            let cells = annotators.cells.of(u);
            let own = prepared.as_flattened();
            let scores = cells.left.of(own).iter().zip(cells.right.of(own).iter());
            for (index, (left, right)) in scores.enumerate() {
                let votes = Sides {
                    wins: lanes.load(&cells.wins[index]),
                    losses: lanes.load(&cells.losses[index]),
                };
                let (left, right) = (lanes.load(&left), lanes.load(&right));
                let found = lanes.quad(link.curvature(lanes, left, right, bias, votes));
                for (&pair, curvature) in cells.ordered_pair[index].iter().zip(found) {
                    self.weights[pair as usize / 2] += curvature;
                }
            }
        }
    }
}

/// The z-step of all active annotators.
struct ActiveZStep<'a> {
    annotators: &'a mut ActiveAnnotators,
    now: EffectEntry,
}

impl Kernel for ActiveZStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (annotators, now) = (self.annotators, self.now);
        let settings = annotators.settings;
        let size = settings.alpha / annotators.statistics.total;
        for &u in &annotators.active {
            let u = u as usize;
            let range = annotators.statistics.quad_range(u);
            let effects = &mut annotators.effects[u];
            if settings.position_bias {
                effects.z_bias -= size * annotators.bias_gradient[u];
                effects.bias = shrunk(effects.z_bias, settings.kappa);
                if effects.bias != 0.0 && annotators.bias_entry[u].is_none() {
                    annotators.bias_entry[u] = Some(now);
                }
            }
            if settings.personal {
                let back = lanes.splat(-size);
                let mut squares = lanes.splat(0.0);
                let z = annotators.z[range.clone()].iter_mut();
                for (z, gradient) in z.zip(&annotators.gradient[range]) {
                    let moved = lanes.add_product(lanes.load(z), back, lanes.load(gradient));
                    squares = lanes.add_product(squares, moved, moved);
                    lanes.store(moved, z);
                }
                effects.scale = shrink(sum(lanes.quad(squares)).sqrt(), settings.kappa);
                if effects.scale != 0.0 && annotators.deviation_entry[u].is_none() {
                    annotators.deviation_entry[u] = Some(now);
                }
            }
        }
    }
}
