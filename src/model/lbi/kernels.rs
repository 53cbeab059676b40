//! The two products of a step with an active annotator's Laplacian: the z-step,
//! and the annotator's part of the right-hand side of the next θ.

use super::gradients::{shrink, shrunk};
use crate::linalg::simd::{Kernel, Lanes, Quad, Sink, StoredQuad, sum};
use crate::model::blocks::{AtItems, Block, BlockLaplacian, Laplacian};
use crate::model::statistics::{SideSlices, SideSumsOf};

/// One annotator's effects, except for the vector z of δ.
#[derive(Clone, Copy, Default)]
pub(in crate::model) struct Effects {
    /// δ = scale·z.
    pub scale: f64,
    /// γ.
    pub bias: f64,
    /// z of γ.
    pub z_bias: f64,
}

impl Effects {
    /// δ and γ times a number.
    #[inline(always)]
    pub fn times(&self, factor: f64) -> Self {
        Self {
            scale: factor * self.scale,
            bias: factor * self.bias,
            z_bias: self.z_bias,
        }
    }

    /// Shrinks after a z-step, and moves γ.
    #[inline(always)]
    pub(super) fn shrink(
        &mut self,
        result: &ZStepResult,
        size: f64,
        position_bias: bool,
        kappa: f64,
    ) {
        self.scale = shrink(result.norm, kappa);
        if position_bias {
            self.z_bias += size * result.bias_gradient;
            self.bias = shrunk(self.z_bias, kappa);
        }
    }
}

/// z ← z + size·(b_u − L_u(θ + δ^u) − a_u γ^u).
pub(super) struct ZStep<'a, M = BlockLaplacian<'a>> {
    pub block: Block<'a, M>,
    pub theta: &'a [f64],
    pub effects: &'a Effects,
    pub size: f64,
    pub z: &'a mut [Quad],
    pub x: &'a mut [Quad],
    pub image: &'a mut [Quad],
}

/// What shrinking needs after a z-step.
pub(super) struct ZStepResult {
    /// ‖z‖ after the step.
    pub norm: f64,
    /// The gradient of γ before the step.
    pub bias_gradient: f64,
}

impl<M: Laplacian> Kernel for ZStep<'_, M> {
    type Output = ZStepResult;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ZStepResult {
        match self.block.side_sums {
            SideSumsOf::Integers(sums) => self.step(lanes, sums),
            SideSumsOf::Numbers(sums) => self.step(lanes, sums),
        }
    }
}

impl<M: Laplacian> ZStep<'_, M> {
    #[inline(always)]
    fn step<L: Lanes, Q: StoredQuad>(self, lanes: L, sums: SideSlices<'_, Q>) -> ZStepResult {
        let Self { block, effects, .. } = self;
        let quads = self.z.len();
        let x = &mut self.x[..quads];
        let own = (effects.scale, &*self.z);
        let along = block.scores(lanes, sums.imbalance, self.theta, own, x);
        let mut sink = ZStepSink {
            z: self.z,
            sums,
            bias: lanes.splat(effects.bias),
            size: lanes.splat(self.size),
            squares: lanes.splat(0.0),
        };
        block.product(lanes, x, self.image, &mut sink);
        ZStepResult {
            norm: sum(lanes.quad(sink.squares)).sqrt(),
            bias_gradient: block.net_left - along - block.votes * effects.bias,
        }
    }
}

/// Takes L_u x, moves z, and sums its squares.
struct ZStepSink<'a, L: Lanes, Q> {
    z: &'a mut [Quad],
    sums: SideSlices<'a, Q>,
    bias: L::Register,
    size: L::Register,
    squares: L::Register,
}

impl<L: Lanes, Q: StoredQuad> Sink<L> for ZStepSink<'_, L, Q> {
    #[inline(always)]
    fn take(&mut self, lanes: L, index: usize, value: L::Register) {
        let gradient = lanes.subtract(self.sums.net_wins[index].load(lanes), value);
        let biased = lanes.multiply(self.sums.imbalance[index].load(lanes), self.bias);
        let gradient = lanes.subtract(gradient, biased);
        let z = &mut self.z[index];
        let moved = lanes.add_product(lanes.load(z), self.size, gradient);
        self.squares = lanes.add_product(self.squares, moved, moved);
        lanes.store(moved, z);
    }
}

/// L_u δ^u + a_u γ^u, what an annotator's effects add to the normal equations of θ.
pub(super) struct Contribution<'a, M = BlockLaplacian<'a>> {
    pub block: Block<'a, M>,
    pub effects: Effects,
    pub z: &'a [Quad],
    pub image: &'a mut [Quad],
}

impl<M: Laplacian> Contribution<'_, M> {
    /// Hands it over quad by quad; nothing if both effects are zero.
    #[inline(always)]
    fn give<L: Lanes>(self, lanes: L, sink: impl Sink<L>) {
        match self.block.side_sums {
            SideSumsOf::Integers(sums) => self.give_with(lanes, sums.imbalance, sink),
            SideSumsOf::Numbers(sums) => self.give_with(lanes, sums.imbalance, sink),
        }
    }

    #[inline(always)]
    fn give_with<L: Lanes, Q: StoredQuad>(self, lanes: L, imbalance: &[Q], sink: impl Sink<L>) {
        let Self { effects, z, .. } = self;
        let mut sink = ContributionSink {
            imbalance,
            scale: lanes.splat(effects.scale),
            bias: lanes.splat(effects.bias),
            sink,
        };
        if effects.scale != 0.0 {
            self.block.product(lanes, z, self.image, &mut sink);
        } else if effects.bias != 0.0 {
            for index in 0..z.len() {
                sink.take(lanes, index, lanes.splat(0.0));
            }
        }
    }

    /// The same of a block of one quad.
    #[inline(always)]
    pub fn quad<L: Lanes>(self, lanes: L) -> Quad {
        let mut quad = [0.0; 4];
        self.give(lanes, QuadSink(&mut quad));
        quad
    }
}

/// Takes L_u z, and hands scale·L_u z + a_u γ^u on.
struct ContributionSink<'a, L: Lanes, Q, S: Sink<L>> {
    imbalance: &'a [Q],
    scale: L::Register,
    bias: L::Register,
    sink: S,
}

impl<L: Lanes, Q: StoredQuad, S: Sink<L>> Sink<L> for ContributionSink<'_, L, Q, S> {
    #[inline(always)]
    fn take(&mut self, lanes: L, index: usize, value: L::Register) {
        let change = lanes.multiply(self.scale, value);
        let a = self.imbalance[index].load(lanes);
        let change = lanes.add_product(change, a, self.bias);
        self.sink.take(lanes, index, change);
    }
}

struct QuadSink<'a>(&'a mut Quad);

impl<L: Lanes> Sink<L> for QuadSink<'_> {
    #[inline(always)]
    fn take(&mut self, lanes: L, _: usize, value: L::Register) {
        lanes.store(value, self.0);
    }
}

/// rhs ← rhs − (L_u δ^u + a_u γ^u).
pub(super) struct SubtractEffects<'a, M = BlockLaplacian<'a>> {
    pub contribution: Contribution<'a, M>,
    pub rhs: &'a mut [f64],
}

impl<M: Laplacian> Kernel for SubtractEffects<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let rhs = SubtractSink(self.contribution.block.at_items(self.rhs));
        self.contribution.give(lanes, rhs);
    }
}

struct SubtractSink<'a, 'x>(AtItems<'a, 'x>);

impl<L: Lanes> Sink<L> for SubtractSink<'_, '_> {
    #[inline(always)]
    fn take(&mut self, lanes: L, index: usize, value: L::Register) {
        self.0.subtract(lanes, index, value);
    }
}

/// A step of an active annotator: the z-step, the shrinkage, and the annotator's part of the
/// right-hand side of the next θ, right one after the other.
pub(super) struct AnnotatorStep<'a> {
    pub theta: &'a [f64],
    pub rhs: &'a mut [f64],
    pub effects: &'a mut Effects,
    pub x: &'a mut [Quad],
    pub image: &'a mut [Quad],
    pub size: f64,
    pub kappa: f64,
    /// Whether there is a γ.
    pub position_bias: bool,
    /// How often the annotator's votes count.
    pub count: f64,
}

impl AnnotatorStep<'_> {
    /// The step of a block that is small. Most blocks of IQA are. Loops of a length that the
    /// compiler knows, and no question in them which items they are over, make a step of it a
    /// quarter faster.
    #[inline(always)]
    pub fn small<L: Lanes, M: Laplacian + Copy>(
        self,
        lanes: L,
        (block, z): (Block<'_, M>, &mut [Quad]),
    ) -> bool {
        match block.items {
            None => self.run(lanes, (block.over_all_items(), z)),
            Some(_) => self.run(lanes, (block, z)),
        }
    }

    /// Makes the step. Returns whether γ is not zero after it.
    #[inline(always)]
    pub fn run<L: Lanes, M: Laplacian + Copy>(
        self,
        lanes: L,
        (block, z): (Block<'_, M>, &mut [Quad]),
    ) -> bool {
        let Self {
            effects,
            size,
            image,
            ..
        } = self;
        let result = ZStep {
            block,
            theta: self.theta,
            effects,
            size,
            z,
            x: self.x,
            image,
        }
        .run(lanes);
        effects.shrink(&result, size, self.position_bias, self.kappa);
        let contribution = Contribution {
            block,
            effects: effects.times(self.count),
            z,
            image,
        };
        SubtractEffects {
            contribution,
            rhs: self.rhs,
        }
        .run(lanes);
        effects.bias != 0.0
    }
}
