//! The effects that are carried from step to step.
//!
//! A step goes over each of these annotators once. While its Laplacian is at
//! hand, it is used twice: for the gradient, and for what the new deviation adds
//! to the right-hand side of the next θ.

use std::array::from_fn;

use super::slopes::{Local, bias_slope, shrink};
use super::{Entry, Settings};
use crate::error::Result;
use crate::model::blocks::Blocks;
use crate::model::simd::{Quad, Work, add_product, sum};
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

/// The state of each annotator; vectors over items lie where the statistics have theirs.
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
#[inline(always)]
pub(super) fn gradient(
    statistics: &Statistics,
    blocks: &Blocks,
    u: usize,
    theta: &[f64],
    (effects, z): (&Effects, &[Quad]),
    local: &mut Local,
) -> f64 {
    let annotator = statistics.quads(u);
    let n = annotator.items.len();
    let (x, image) = (&mut local.x[..n], &mut local.image[..n]);
    for ((slot, items), z) in x.iter_mut().zip(annotator.items).zip(z) {
        *slot = from_fn(|lane| theta[items[lane] as usize] + effects.scale * z[lane]);
    }
    blocks.times(statistics, u, x, image);
    let mut along = [0.0; 4];
    let columns = annotator.imbalance.iter().zip(annotator.net_wins);
    for ((slot, x), (&a, b)) in image.iter_mut().zip(x).zip(columns) {
        *slot = from_fn(|lane| b[lane] - slot[lane] - a[lane] * effects.bias);
        along = add_product(along, a, *x);
    }
    annotator.lean - sum(along) - annotator.votes * effects.bias
}

/// Subtracts L_u δ^u + a_u γ^u from the right-hand side of θ's equation.
#[inline(always)]
pub(super) fn subtract(
    statistics: &Statistics,
    blocks: &Blocks,
    u: usize,
    (effects, z): (&Effects, &[Quad]),
    image: &mut [Quad],
    right: &mut [f64],
) {
    let annotator = statistics.quads(u);
    let image = &mut image[..z.len()];
    if effects.scale == 0.0 {
        image.fill([0.0; 4]);
    } else {
        blocks.times(statistics, u, z, image);
    }
    let columns = annotator.items.iter().zip(annotator.imbalance);
    for (image, (items, a)) in image.iter().zip(columns) {
        let change: Quad = from_fn(|lane| effects.scale * image[lane] + a[lane] * effects.bias);
        for (&item, change) in items.iter().zip(change) {
            right[item as usize] -= change;
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
    fn run(self) -> Result<()> {
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
            let z = &mut state.z[range.clone()];
            let effects = &mut state.effects[u];
            let bias_gradient = gradient(statistics, blocks, u, theta, (effects, z), local);
            let mut squares = [0.0; 4];
            for (z, gradient) in z.iter_mut().zip(&local.image) {
                let moved: Quad = from_fn(|lane| z[lane] + size * gradient[lane]);
                squares = add_product(squares, moved, moved);
                *z = moved;
            }
            effects.scale = shrink(sum(squares).sqrt(), settings.kappa);
            if settings.position_bias {
                state.step_bias(u, size * bias_gradient, settings.kappa, entry);
            }
            let carried = (&state.effects[u], &state.z[range]);
            subtract(statistics, blocks, u, carried, &mut local.image, right);
        }
        Ok(())
    }
}
