//! The effects that are carried from step to step.
//!
//! A step goes over each of these annotators once. While its Laplacian is at
//! hand, it is used twice: for the gradient, and for what the new deviation adds
//! to the right-hand side of the next θ.

use super::EffectEntry;
use super::gradients::{Local, bias_slope, shrink};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{Kernel, Lanes, Quad, Sink, sum};
use crate::model::blocks::{AtItems, Block, Blocks};
use crate::model::settings::Settings;
use crate::model::statistics::Statistics;

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
    pub(super) bias_entry: Vec<Option<EffectEntry>>,
    pub(super) deviation_entry: Vec<Option<EffectEntry>>,
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
    pub(super) fn step_bias(&mut self, u: usize, change: f64, kappa: f64, entry: EffectEntry) {
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

/// Moves an annotator's z along the gradient.
pub(super) struct Advance<'a> {
    pub(super) block: Block<'a>,
    pub(super) theta: &'a [f64],
    pub(super) effects: &'a Effects,
    pub(super) size: f64,
    pub(super) z: &'a mut [Quad],
    pub(super) local: &'a mut Local,
}

/// What became of it.
pub(super) struct Advanced {
    pub(super) norm: f64,
    /// γ's gradient, before.
    pub(super) bias_gradient: f64,
}

impl Kernel for Advance<'_> {
    type Output = Advanced;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Advanced {
        let Self { block, effects, .. } = self;
        let quads = self.z.len();
        let (x, image) = (&mut self.local.x[..quads], &mut self.local.image[..quads]);
        let along = block.scores(lanes, self.theta, (effects.scale, self.z), x);
        let mut moving = Moving {
            z: self.z,
            net_wins: block.net_wins,
            imbalance: block.imbalance,
            bias: lanes.splat(effects.bias),
            size: lanes.splat(self.size),
            squares: lanes.splat(0.0),
        };
        block.product(lanes, x, image, &mut moving);
        Advanced {
            norm: sum(lanes.quad(moving.squares)).sqrt(),
            bias_gradient: block.net_left - along - block.votes * effects.bias,
        }
    }
}

/// z += size·(b_u − L_u x − a_u γ^u).
struct Moving<'a, L: Lanes> {
    z: &'a mut [Quad],
    net_wins: &'a [Quad],
    imbalance: &'a [Quad],
    bias: L::Register,
    size: L::Register,
    squares: L::Register,
}

impl<L: Lanes> Sink<L> for Moving<'_, L> {
    #[inline(always)]
    fn take(&mut self, lanes: L, place: usize, value: L::Register) {
        let gradient = lanes.subtract(lanes.load(&self.net_wins[place]), value);
        let pulled = lanes.multiply(lanes.load(&self.imbalance[place]), self.bias);
        let gradient = lanes.subtract(gradient, pulled);
        let z = &mut self.z[place];
        let moved = lanes.add_product(lanes.load(z), self.size, gradient);
        self.squares = lanes.add_product(self.squares, moved, moved);
        lanes.store(moved, z);
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

impl Kernel for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { effects, z, .. } = self;
        let mut subtracting = Subtracting {
            imbalance: self.block.imbalance,
            scale: lanes.splat(effects.scale),
            bias: lanes.splat(effects.bias),
            right: self.block.at_items(self.right),
        };
        if effects.scale != 0.0 {
            let image = &mut self.image[..z.len()];
            self.block.product(lanes, z, image, &mut subtracting);
        } else if effects.bias != 0.0 {
            for place in 0..z.len() {
                subtracting.take(lanes, place, lanes.splat(0.0));
            }
        }
    }
}

struct Subtracting<'a, 'x, L: Lanes> {
    imbalance: &'a [Quad],
    scale: L::Register,
    bias: L::Register,
    right: AtItems<'a, 'x>,
}

impl<L: Lanes> Sink<L> for Subtracting<'_, '_, L> {
    #[inline(always)]
    fn take(&mut self, lanes: L, place: usize, value: L::Register) {
        let change = lanes.multiply(self.scale, value);
        let a = lanes.load(&self.imbalance[place]);
        let change = lanes.add_product(change, a, self.bias);
        self.right.subtract(lanes, place, change);
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
    pub(super) entry: EffectEntry,
    pub(super) stop: &'a Stop,
}

impl Kernel for StepFull<'_> {
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
        for index in 0..state.full.len() {
            stop.check()?;
            let u = state.full[index] as usize;
            let range = statistics.offsets[u]..statistics.offsets[u + 1];
            let block = blocks.of(statistics, u);
            let Advanced {
                norm,
                bias_gradient,
            } = Advance {
                block,
                theta,
                effects: &state.effects[u],
                size,
                z: &mut state.z[range.clone()],
                local,
            }
            .run(lanes);
            state.effects[u].scale = shrink(norm, settings.kappa);
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
