//! The effects that are carried from step to step.
//!
//! A step goes over each of these annotators once. While its Laplacian is at
//! hand, it is used twice: for the gradient, and for what the new deviation adds
//! to the right-hand side of the next θ.

use super::slopes::{Local, bias_slope, shrink};
use super::{Entry, Settings};
use crate::error::Result;
use crate::model::blocks::{Block, Blocks};
use crate::model::simd::{Lanes, Quad, Work, sum};
use crate::model::statistics::Statistics;
use crate::run::Stop;

/// Which of an annotator's effects are carried from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// None: both have been zero so far.
    Dormant,
    /// γ; δ has been zero so far.
    Biased,
    /// Both.
    Full,
}

/// The state of each annotator; vectors over items lie where the statistics have
/// theirs, in the order of the annotator's block.
pub(super) struct Annotators {
    pub(super) stage: Vec<Stage>,
    pub(super) biased: Vec<u32>,
    pub(super) full: Vec<u32>,
    /// What becomes of δ by shrinkage.
    pub(super) z: Vec<Quad>,
    pub(super) effects: Vec<Effects>,
    pub(super) bias_integral: Vec<f64>,
    pub(super) bias_entry: Vec<Option<Entry>>,
    pub(super) deviation_entry: Vec<Option<Entry>>,
}

/// The numbers of one annotator.
#[derive(Clone, Copy, Default)]
pub(super) struct Effects {
    /// δ = scale·z.
    pub(super) scale: f64,
    /// γ.
    pub(super) bias: f64,
    /// What becomes of γ by shrinkage.
    pub(super) z_bias: f64,
}

impl Annotators {
    pub(super) fn new(statistics: &Statistics) -> Self {
        let users = statistics.annotators();
        Self {
            stage: vec![Stage::Dormant; users],
            biased: Vec::with_capacity(users),
            full: Vec::with_capacity(users),
            z: vec![[0.0; 4]; statistics.offsets[users]],
            effects: vec![Effects::default(); users],
            bias_integral: vec![0.0; users],
            bias_entry: vec![None; users],
            deviation_entry: vec![None; users],
        }
    }

    /// Moves γ by a step that changes its z by so much.
    #[inline(always)]
    pub(super) fn step_bias(&mut self, u: usize, change: f64, kappa: f64, entry: Entry) {
        let effects = &mut self.effects[u];
        effects.z_bias += change;
        effects.bias = shrink(effects.z_bias.abs(), kappa) * effects.z_bias;
        if effects.bias != 0.0 && self.bias_entry[u].is_none() {
            self.bias_entry[u] = Some(entry);
        }
    }

    /// γ's gradient while δ = 0.
    #[inline(always)]
    pub(super) fn bias_gradient(&self, statistics: &Statistics, u: usize, theta: &[f64]) -> f64 {
        let annotator = statistics.quads(u);
        bias_slope(&annotator, 1.0, theta) - annotator.votes * self.effects[u].bias
    }
}

/// The gradient of an annotator's effects, δ's left in `local.image`; γ's.
pub(super) struct Gradient<'a> {
    pub(super) block: Block<'a>,
    pub(super) theta: &'a [f64],
    pub(super) effects: &'a Effects,
    pub(super) z: &'a [Quad],
    pub(super) local: &'a mut Local,
}

impl Work for Gradient<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let Self {
            block, effects, z, ..
        } = self;
        let x = &mut self.local.x[..z.len()];
        let image = &mut self.local.image[..z.len()];
        block.scores(lanes, self.theta, (effects.scale, z), x);
        block.times(lanes, x, image);
        let (mut along, bias) = (lanes.splat(0.0), lanes.splat(effects.bias));
        let columns = block.imbalance.iter().zip(block.net_wins);
        for ((slot, x), (a, b)) in image.iter_mut().zip(x).zip(columns) {
            let a = lanes.load(a);
            let gradient = lanes.subtract(lanes.load(b), lanes.load(slot));
            let gradient = lanes.subtract(gradient, lanes.multiply(a, bias));
            lanes.store(gradient, slot);
            along = lanes.add_product(along, a, lanes.load(x));
        }
        block.lean - sum(lanes.quad(along)) - block.votes * effects.bias
    }
}

/// Subtracts L_u δ^u + a_u γ^u from the right-hand side of θ's equation.
pub(super) struct Subtract<'a> {
    pub(super) block: Block<'a>,
    pub(super) effects: &'a Effects,
    pub(super) z: &'a [Quad],
    pub(super) image: &'a mut [Quad],
    pub(super) right: &'a mut [f64],
}

impl Work for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { block, effects, .. } = self;
        let image = &mut self.image[..self.z.len()];
        if effects.scale != 0.0 {
            block.times(lanes, self.z, image);
            block.subtract(lanes, (effects.scale, image), effects.bias, self.right);
        } else if effects.bias != 0.0 {
            block.subtract(lanes, (0.0, block.imbalance), effects.bias, self.right);
        }
    }
}

/// A step of all annotators with both effects.
pub(super) struct StepFull<'a> {
    pub(super) statistics: &'a Statistics,
    pub(super) settings: &'a Settings,
    pub(super) blocks: &'a Blocks,
    pub(super) annotators: &'a mut Annotators,
    pub(super) theta: &'a [f64],
    pub(super) right: &'a mut [f64],
    pub(super) local: &'a mut Local,
    pub(super) entry: Entry,
    pub(super) stop: &'a Stop,
}

impl Work for StepFull<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<()> {
        let Self {
            statistics,
            settings,
            blocks,
            annotators: state,
            theta,
            right,
            local,
            entry,
            stop,
        } = self;
        let size = settings.alpha / statistics.total;
        let step = lanes.splat(size);
        for index in 0..state.full.len() {
            stop.check()?;
            let u = state.full[index] as usize;
            let range = statistics.offsets[u]..statistics.offsets[u + 1];
            let z = &mut state.z[range.clone()];
            let effects = &mut state.effects[u];
            let block = blocks.of(statistics, u);
            let bias_gradient = Gradient {
                block,
                theta,
                effects,
                z,
                local,
            }
            .run(lanes);
            let mut squares = lanes.splat(0.0);
            for (z, gradient) in z.iter_mut().zip(&local.image) {
                let moved = lanes.add_product(lanes.load(z), step, lanes.load(gradient));
                squares = lanes.add_product(squares, moved, moved);
                lanes.store(moved, z);
            }
            effects.scale = shrink(sum(lanes.quad(squares)).sqrt(), settings.kappa);
            if settings.position_bias {
                state.step_bias(u, size * bias_gradient, settings.kappa, entry);
            }
            Subtract {
                block,
                effects: &state.effects[u],
                z: &state.z[range],
                image: &mut local.image,
                right,
            }
            .run(lanes);
        }
        Ok(())
    }
}
