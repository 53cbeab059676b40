//! The two products of a step with an active annotator's Laplacian: the z-step,
//! and the annotator's part of the right-hand side of the next θ.

use super::gradients::{shrink, shrunk};
use crate::linalg::simd::{Kernel, Lanes, Quad, Sink, StoredQuad, sum};
use crate::model::blocks::{AtItems, Block, Laplacian};
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
pub(super) struct ZStep<'a> {
    pub theta: &'a [f64],
    pub effects: &'a Effects,
    pub size: f64,
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

impl ZStep<'_> {
    /// The step of a block that is small, as most of IQA's are. Loops of a length that the
    /// compiler knows, and no question in them which items they are over: here and in
    /// [`SubtractEffects`] that is 7 % of a step of IQA.
    #[inline(always)]
    pub fn small<L: Lanes, M: Laplacian>(
        self,
        lanes: L,
        of: (Block<'_, M>, &mut [Quad]),
    ) -> ZStepResult {
        match of.0.items {
            None => self.run(lanes, (of.0.over_all_items(), of.1)),
            Some(_) => self.run(lanes, of),
        }
    }

    /// Makes the step.
    #[inline(always)]
    pub fn run<L: Lanes, M: Laplacian>(
        self,
        lanes: L,
        of: (Block<'_, M>, &mut [Quad]),
    ) -> ZStepResult {
        match of.0.side_sums {
            SideSumsOf::Integers(sums) => self.run_with(lanes, sums, of),
            SideSumsOf::Numbers(sums) => self.run_with(lanes, sums, of),
        }
    }

    #[inline(always)]
    fn run_with<L: Lanes, M: Laplacian, Q: StoredQuad>(
        self,
        lanes: L,
        sums: SideSlices<'_, Q>,
        (block, z): (Block<'_, M>, &mut [Quad]),
    ) -> ZStepResult {
        let effects = self.effects;
        let x = &mut self.x[..z.len()];
        let own = (effects.scale, &*z);
        let along = block.scores(lanes, sums.imbalance, self.theta, own, x);
        let mut sink = ZStepSink {
            z,
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

/// A z-step of one annotator.
pub(super) struct SingleZStep<'a, 'z> {
    pub step: ZStep<'a>,
    pub of: (Block<'a>, &'z mut [Quad]),
}

impl Kernel for SingleZStep<'_, '_> {
    type Output = ZStepResult;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ZStepResult {
        self.step.run(lanes, self.of)
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
pub(super) struct Contribution<'a> {
    pub effects: Effects,
    pub image: &'a mut [Quad],
}

impl Contribution<'_> {
    /// Hands it over quad by quad; nothing if both effects are zero.
    #[inline(always)]
    fn give<L: Lanes, M: Laplacian>(self, lanes: L, of: (Block<'_, M>, &[Quad]), to: impl Sink<L>) {
        match of.0.side_sums {
            SideSumsOf::Integers(sums) => self.give_with(lanes, sums.imbalance, of, to),
            SideSumsOf::Numbers(sums) => self.give_with(lanes, sums.imbalance, of, to),
        }
    }

    #[inline(always)]
    fn give_with<L: Lanes, M: Laplacian, Q: StoredQuad>(
        self,
        lanes: L,
        imbalance: &[Q],
        (block, z): (Block<'_, M>, &[Quad]),
        sink: impl Sink<L>,
    ) {
        let Self { effects, image } = self;
        let mut sink = ContributionSink {
            imbalance,
            scale: lanes.splat(effects.scale),
            bias: lanes.splat(effects.bias),
            sink,
        };
        if effects.scale != 0.0 {
            block.product(lanes, z, image, &mut sink);
        } else if effects.bias != 0.0 {
            for index in 0..z.len() {
                sink.take(lanes, index, lanes.splat(0.0));
            }
        }
    }

    /// The same of a block of one quad.
    #[inline(always)]
    pub fn quad<L: Lanes, M: Laplacian>(self, lanes: L, of: (Block<'_, M>, &[Quad])) -> Quad {
        let mut quad = [0.0; 4];
        self.give(lanes, of, QuadSink(&mut quad));
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
pub(super) struct SubtractEffects<'a> {
    pub contribution: Contribution<'a>,
    pub rhs: &'a mut [f64],
}

impl SubtractEffects<'_> {
    /// Subtracts the effects of a block that is small.
    #[inline(always)]
    pub fn small<L: Lanes, M: Laplacian>(self, lanes: L, of: (Block<'_, M>, &[Quad])) {
        match of.0.items {
            None => self.run(lanes, (of.0.over_all_items(), of.1)),
            Some(_) => self.run(lanes, of),
        }
    }

    /// Subtracts the effects.
    #[inline(always)]
    pub fn run<L: Lanes, M: Laplacian>(self, lanes: L, of: (Block<'_, M>, &[Quad])) {
        let rhs = SubtractSink(of.0.at_items(self.rhs));
        self.contribution.give(lanes, of, rhs);
    }
}

struct SubtractSink<'a, 'x>(AtItems<'a, 'x>);

impl<L: Lanes> Sink<L> for SubtractSink<'_, '_> {
    #[inline(always)]
    fn take(&mut self, lanes: L, index: usize, value: L::Register) {
        self.0.subtract(lanes, index, value);
    }
}
