//! The regularisation path, by Linearized Bregman Iteration.
//!
//! ```text
//! θ^k     = argmin_θ L(θ, β^k)
//! z^{k+1} = z^k + (α/m) Xᵀ(y − dθ^k − Xβ^k)
//! β^{k+1} = κ · shrink(z^{k+1}),    t^{k+1} = t^k + α
//! ```
//!
//! β holds a deviation δ^u and a position bias γ^u for each annotator; shrink
//! acts on each of them as a whole, v·max(0, 1 − 1/‖v‖). Time begins at t0,
//! where the first of them is about to leave zero: until then θ does not move.
//!
//! **An effect that is zero costs nothing.** While δ^u = 0, its z is a function
//! of integrals that are kept anyway, Θ = ∫θ dt for all and Γ_u = ∫γ^u dt:
//!
//! ```text
//! z_δ = (t·b_u − L_u Θ − a_u Γ_u)/m = (t/m)(b_u − L_u Θ̄ − a_u Γ̄_u),  Θ̄ = Θ/t
//! ```
//!
//! so it can be computed at any later step. The mean Θ̄ moves slowly: if it has
//! drifted by at most ρ (largest minus smallest change) since ‖b_u − L_u Θ̄ − a_u Γ̄_u‖
//! was e, that norm is now at most e + ‖deg_u‖ρ + ‖a_u‖·|change of Γ̄_u|, and as
//! long as t times this bound is below m the effect is still zero. Only when the
//! bound is reached, z is computed and the bound begins anew. So the steps at
//! which effects enter are those of the plain loop.

mod slopes;
mod snapshot;
mod watch;

use super::blocks::Blocks;
use super::consensus::{Consensus, Workspace};
use super::statistics::Statistics;
use crate::error::Result;
use crate::options::ThetaUpdate;
use crate::run::Stop;

pub use snapshot::Snapshot;

use slopes::{Local, bias_slope, deviation_slope, shrink};
use watch::{CAUTION, Drift, Watch};

/// What a path is run with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Damping κ.
    pub kappa: f64,
    /// Step size α.
    pub alpha: f64,
    /// Whether γ is in the model.
    pub position_bias: bool,
    /// Whether δ is in the model.
    pub personal: bool,
    /// How θ follows β.
    pub theta_update: ThetaUpdate,
}

impl Settings {
    /// Whether steps are too long for a design of this norm and votes of this weight.
    pub(super) fn oscillates(&self, norm: f64, total: f64) -> bool {
        self.alpha * self.kappa * norm / total >= 2.0
    }
}

/// A residual this small beside the votes themselves is rounding, not an effect.
const NEGLIGIBLE: f64 = 1e-10;

/// Which of an annotator's effects are carried from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// None: both have been zero so far.
    Dormant,
    /// γ; δ has been zero so far.
    Biased,
    /// Both.
    Full,
}

/// When and where an effect first was not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The number of the step that ended with it.
    pub iteration: usize,
    /// The time at the end of that step.
    pub time: f64,
}

/// A path under way.
pub struct Path<'a> {
    statistics: &'a Statistics,
    consensus: &'a Consensus,
    settings: Settings,
    /// t0: where the first effect is about to enter; infinite if none ever does.
    first_entry: f64,
    start: f64,
    steps: usize,
    /// Whether θ and the gradients are those of the current step.
    prepared: bool,
    all_net_wins: Vec<f64>,
    theta0: Vec<f64>,
    theta: Vec<f64>,
    theta_next: Vec<f64>,
    /// Σ_u b_u − Σ_u (L_u δ^u + a_u γ^u).
    right: Vec<f64>,
    drift: Drift,
    annotators: Annotators,
    watch: Watch,
    blocks: Blocks,
    snapshot: Snapshot,
    local: Local,
    /// Θ at the time of a snapshot.
    integral_at: Vec<f64>,
    work: Workspace,
}

/// The state of each annotator; vectors over items lie where the statistics have theirs.
struct Annotators {
    stage: Vec<Stage>,
    biased: Vec<u32>,
    full: Vec<u32>,
    z: Vec<f64>,
    z_bias: Vec<f64>,
    gradient: Vec<f64>,
    gradient_bias: Vec<f64>,
    /// δ = scale·z.
    scale: Vec<f64>,
    bias: Vec<f64>,
    bias_integral: Vec<f64>,
    bias_entry: Vec<Option<Entry>>,
    deviation_entry: Vec<Option<Entry>>,
}

impl<'a> Path<'a> {
    /// A path at its beginning.
    pub fn new(
        statistics: &'a Statistics,
        consensus: &'a Consensus,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self> {
        let users = statistics.annotators();
        let length = statistics.offsets[users];
        let items = statistics.items;
        let all_net_wins = statistics.net_wins();
        let mut work = consensus.workspace();
        let mut theta = vec![0.0; items];
        consensus.solve(&all_net_wins, &mut theta, &mut work, stop)?;
        let longest = (0..users)
            .map(|u| statistics.annotator(u).items.len())
            .max()
            .unwrap_or(0);
        let mut path = Self {
            statistics,
            consensus,
            settings,
            first_entry: f64::INFINITY,
            start: 0.0,
            steps: 0,
            prepared: false,
            right: all_net_wins.clone(),
            all_net_wins,
            theta0: theta.clone(),
            theta_next: theta.clone(),
            drift: Drift {
                integral: vec![0.0; items],
                mean: theta.clone(),
                total: 0.0,
            },
            theta,
            annotators: Annotators {
                stage: vec![Stage::Dormant; users],
                biased: Vec::with_capacity(users),
                full: Vec::with_capacity(users),
                z: vec![0.0; length],
                z_bias: vec![0.0; users],
                gradient: vec![0.0; length],
                gradient_bias: vec![0.0; users],
                scale: vec![0.0; users],
                bias: vec![0.0; users],
                bias_integral: vec![0.0; users],
                bias_entry: vec![None; users],
                deviation_entry: vec![None; users],
            },
            watch: Watch::new(statistics, &settings),
            blocks: Blocks::new(statistics),
            snapshot: Snapshot {
                t: 0.0,
                theta: vec![0.0; items],
                bias: vec![0.0; users],
                deviation: vec![0.0; length],
                deviation_norm: vec![0.0; users],
                active: Vec::with_capacity(users),
            },
            local: Local {
                x: vec![0.0; longest],
                image: vec![0.0; longest],
            },
            integral_at: vec![0.0; items],
            work,
        };
        path.find_first_entry();
        Ok(path)
    }

    /// Computes the slope of every effect at θ⁰, and with it t0 and the first bounds.
    fn find_first_entry(&mut self) {
        let Self {
            statistics,
            watch,
            local,
            settings,
            theta,
            ..
        } = self;
        let mut largest = 0.0f64;
        for u in 0..statistics.annotators() {
            let annotator = statistics.annotator(u);
            if settings.personal {
                let norm = deviation_slope(&annotator, 1.0, theta, 0.0, local);
                watch.deviation.set(u, norm, 0.0);
                largest = largest.max(norm);
            }
            if settings.position_bias {
                let slope = bias_slope(&annotator, 1.0, theta);
                watch.bias.set(u, slope.abs(), 0.0);
                largest = largest.max(slope.abs());
            }
        }
        if largest > NEGLIGIBLE * statistics.strength {
            let t0 = statistics.total / largest;
            self.first_entry = t0;
            self.start = match settings.theta_update {
                // Algorithm 1 counts its steps from zero: the last one before t0.
                ThetaUpdate::Lagged => {
                    self.steps = (t0 / settings.alpha).floor() as usize;
                    0.0
                }
                ThetaUpdate::Solve | ThetaUpdate::Gradient => t0,
            };
            let t = self.time();
            for (slot, score) in self.drift.integral.iter_mut().zip(&self.theta) {
                *slot = t * score;
            }
        }
    }

    /// t0: the time at which the first effect is about to enter; infinite if none ever does.
    pub fn first_entry(&self) -> f64 {
        self.first_entry
    }

    /// HodgeRank's scores: θ before anything entered.
    pub fn hodgerank(&self) -> &[f64] {
        &self.theta0
    }

    /// The number of steps made.
    pub fn iteration(&self) -> usize {
        self.steps
    }

    /// The current time.
    pub fn time(&self) -> f64 {
        self.start + self.steps as f64 * self.settings.alpha
    }

    /// When each γ first was not zero.
    pub fn bias_entries(&self) -> &[Option<Entry>] {
        &self.annotators.bias_entry
    }

    /// When each δ first was not zero.
    pub fn deviation_entries(&self) -> &[Option<Entry>] {
        &self.annotators.deviation_entry
    }

    /// The model at a time that is not before the current one, after the steps up to it.
    pub fn advance_to(&mut self, t: f64, stop: &Stop) -> Result<&Snapshot> {
        if self.first_entry.is_finite() {
            while self.time() + self.settings.alpha < t {
                self.step(stop)?;
            }
        }
        self.take_snapshot(t, stop)?;
        Ok(&self.snapshot)
    }

    /// One step of the iteration.
    pub fn step(&mut self, stop: &Stop) -> Result<()> {
        stop.check()?;
        self.prepare(stop)?;
        self.prepared = false;
        let size = self.settings.alpha / self.statistics.total;
        let alpha = self.settings.alpha;
        self.steps += 1;
        let t = self.time();
        for (slot, score) in self.drift.integral.iter_mut().zip(&self.theta) {
            *slot += alpha * score;
        }
        self.drift.total += self.drift.advance_mean(t);
        self.step_full(size, t);
        self.step_biased(size, t);
        self.wake_dormant(t);
        if self.settings.theta_update != ThetaUpdate::Solve {
            std::mem::swap(&mut self.theta, &mut self.theta_next);
        }
        self.update_right();
        Ok(())
    }

    /// θ and the gradients at the current β.
    fn prepare(&mut self, stop: &Stop) -> Result<()> {
        if self.prepared {
            return Ok(());
        }
        self.prepared = true;
        let nothing_entered = self.annotators.biased.is_empty() && self.annotators.full.is_empty();
        match self.settings.theta_update {
            // θ⁰ is the solution as long as nothing has entered.
            _ if nothing_entered => {}
            ThetaUpdate::Solve => {
                self.consensus
                    .solve(&self.right, &mut self.theta, &mut self.work, stop)?;
            }
            ThetaUpdate::Lagged => {
                self.theta_next.copy_from_slice(&self.theta);
                self.consensus
                    .solve(&self.right, &mut self.theta_next, &mut self.work, stop)?;
            }
            ThetaUpdate::Gradient => {
                let Self {
                    theta, theta_next, ..
                } = self;
                self.consensus.laplacian_times(theta, theta_next);
                let size = self.settings.alpha * self.settings.kappa / self.statistics.total;
                for (i, slot) in theta_next.iter_mut().enumerate() {
                    *slot = theta[i] - size * (*slot - self.right[i]);
                }
            }
        }
        self.gradients();
        Ok(())
    }

    fn gradients(&mut self) {
        let Self {
            statistics,
            annotators: state,
            theta,
            local,
            blocks,
            settings,
            ..
        } = self;
        for &u in &state.biased {
            let u = u as usize;
            let annotator = statistics.annotator(u);
            state.gradient_bias[u] =
                bias_slope(&annotator, 1.0, theta) - annotator.votes * state.bias[u];
        }
        for &u in &state.full {
            let u = u as usize;
            let annotator = statistics.annotator(u);
            let n = annotator.items.len();
            let range = statistics.offsets[u]..statistics.offsets[u + 1];
            let (z, gradient) = (&state.z[range.clone()], &mut state.gradient[range]);
            let (x, image) = (&mut local.x[..n], &mut local.image[..n]);
            for (i, &item) in annotator.items.iter().enumerate() {
                x[i] = theta[item as usize] + state.scale[u] * z[i];
            }
            blocks.times(u, &annotator, x, image);
            let bias = state.bias[u];
            let mut along = 0.0;
            for i in 0..n {
                let a = annotator.imbalance[i];
                gradient[i] = annotator.net_wins[i] - image[i] - a * bias;
                along += a * x[i];
            }
            if settings.position_bias {
                state.gradient_bias[u] = annotator.lean - along - annotator.votes * bias;
            }
        }
    }

    fn step_full(&mut self, size: f64, t: f64) {
        let state = &mut self.annotators;
        let entry = Entry {
            iteration: self.steps,
            time: t,
        };
        for index in 0..state.full.len() {
            let u = state.full[index] as usize;
            let range = self.statistics.offsets[u]..self.statistics.offsets[u + 1];
            let (z, gradient) = (&mut state.z[range.clone()], &state.gradient[range]);
            let mut square = 0.0;
            for (slot, g) in z.iter_mut().zip(gradient) {
                *slot += size * g;
                square += *slot * *slot;
            }
            state.scale[u] = shrink(square.sqrt(), self.settings.kappa);
            if self.settings.position_bias {
                state.step_bias(u, size, self.settings.kappa, entry);
            }
        }
    }

    fn step_biased(&mut self, size: f64, t: f64) {
        let entry = Entry {
            iteration: self.steps,
            time: t,
        };
        let limit = self.statistics.total * CAUTION;
        let state = &mut self.annotators;
        self.watch.woken.clear();
        for index in 0..state.biased.len() {
            let annotator = state.biased[index] as usize;
            state.bias_integral[annotator] += self.settings.alpha * state.bias[annotator];
            state.step_bias(annotator, size, self.settings.kappa, entry);
            let bias_mean = state.bias_integral[annotator] / t;
            let bound = self.watch.of_biased(annotator, self.drift.total, bias_mean);
            if t * bound >= limit {
                self.watch.woken.push(annotator as u32);
            }
        }
        for index in 0..self.watch.woken.len() {
            let u = self.watch.woken[index] as usize;
            self.look_at_deviation(u, t);
        }
        let stage = &self.annotators.stage;
        self.annotators
            .biased
            .retain(|&u| stage[u as usize] == Stage::Biased);
    }

    fn wake_dormant(&mut self, t: f64) {
        self.watch
            .wake(t, self.drift.total, self.statistics.total * CAUTION);
        for index in 0..self.watch.woken.len() {
            let u = self.watch.woken[index] as usize;
            // A carried γ keeps its δ's bound, which wakes it if δ is about to enter.
            if self.annotators.stage[u] != Stage::Dormant {
                continue;
            }
            if self.settings.position_bias {
                self.look_at_bias(u, t);
            }
            if self.settings.personal {
                self.look_at_deviation(u, t);
            }
            if self.annotators.stage[u] == Stage::Biased {
                self.annotators.biased.push(u as u32);
            }
            if self.annotators.stage[u] != Stage::Dormant {
                self.watch.bias.clear(u);
            }
        }
    }

    /// Computes a γ that has been zero so far, and lets it enter or sets its bound.
    fn look_at_bias(&mut self, u: usize, t: f64) {
        let total = self.statistics.total;
        let state = &mut self.annotators;
        let slope = bias_slope(&self.statistics.annotator(u), t, &self.drift.integral);
        self.watch.bias.set(u, slope.abs() / t, self.drift.total);
        state.z_bias[u] = slope / total;
        state.bias[u] = shrink(state.z_bias[u].abs(), self.settings.kappa) * state.z_bias[u];
        if state.bias[u] != 0.0 {
            state.stage[u] = Stage::Biased;
            state.bias_entry[u] = Some(Entry {
                iteration: self.steps,
                time: t,
            });
        }
    }

    /// Computes a δ that has been zero so far, and lets it enter or sets its bound.
    fn look_at_deviation(&mut self, u: usize, t: f64) {
        let total = self.statistics.total;
        let state = &mut self.annotators;
        let annotator = self.statistics.annotator(u);
        let bias_integral = state.bias_integral[u];
        let norm = deviation_slope(
            &annotator,
            t,
            &self.drift.integral,
            bias_integral,
            &mut self.local,
        );
        let scale = shrink(norm / total, self.settings.kappa);
        if scale == 0.0 {
            self.watch.deviation.set(u, norm / t, self.drift.total);
            self.watch.bias_mean[u] = bias_integral / t;
            return;
        }
        let range = self.statistics.offsets[u]..self.statistics.offsets[u + 1];
        for (slot, value) in state.z[range].iter_mut().zip(&self.local.image) {
            *slot = value / total;
        }
        state.scale[u] = scale;
        state.stage[u] = Stage::Full;
        state.deviation_entry[u] = Some(Entry {
            iteration: self.steps,
            time: t,
        });
        state.full.push(u as u32);
        self.watch.deviation.clear(u);
        self.blocks.fill(u, &annotator);
    }

    /// The right-hand side of θ's equation at the current β.
    fn update_right(&mut self) {
        let Self {
            statistics,
            annotators: state,
            right,
            local,
            blocks,
            ..
        } = self;
        right.copy_from_slice(&self.all_net_wins);
        for &u in &state.biased {
            let u = u as usize;
            let annotator = statistics.annotator(u);
            if state.bias[u] != 0.0 {
                for (&item, a) in annotator.items.iter().zip(annotator.imbalance) {
                    right[item as usize] -= a * state.bias[u];
                }
            }
        }
        for &u in &state.full {
            let u = u as usize;
            let annotator = statistics.annotator(u);
            let (scale, bias) = (state.scale[u], state.bias[u]);
            let image = &mut local.image[..annotator.items.len()];
            let range = statistics.offsets[u]..statistics.offsets[u + 1];
            if scale == 0.0 {
                image.fill(0.0);
            } else {
                blocks.times(u, &annotator, &state.z[range], image);
            }
            for (i, &item) in annotator.items.iter().enumerate() {
                right[item as usize] -= scale * image[i] + annotator.imbalance[i] * bias;
            }
        }
    }
}

impl Annotators {
    fn step_bias(&mut self, u: usize, size: f64, kappa: f64, entry: Entry) {
        self.z_bias[u] += size * self.gradient_bias[u];
        self.bias[u] = shrink(self.z_bias[u].abs(), kappa) * self.z_bias[u];
        if self.bias[u] != 0.0 && self.bias_entry[u].is_none() {
            self.bias_entry[u] = Some(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::votes::{Comparison, Comparisons};

    /// One annotator who always clicks left, and three who agree on an order.
    fn votes() -> Comparisons {
        let items = 5;
        let mut votes = Comparisons::with_capacity(items, 0, false, false);
        for annotator in 0..4 {
            for (left, right) in (0..items).flat_map(|i| (0..items).map(move |j| (i, j))) {
                let chooses_left = annotator == 0 || left < right;
                let choice = if chooses_left { 1.0 } else { -1.0 };
                if left != right {
                    votes.push(Comparison {
                        left,
                        right,
                        choice,
                        weight: 1.0,
                    });
                }
            }
            votes.end_annotator();
        }
        votes
    }

    /// The run with a step too short for δ to enter at an iteration, and the run
    /// with one that barely suffices, are the same but for rounding.
    #[test]
    fn a_deviation_at_the_threshold_leaves_the_bias_alone() {
        let stop = Stop::default();
        let statistics = Statistics::new(&votes(), &stop).unwrap();
        let consensus = Consensus::new(&statistics, &stop).unwrap();
        let run = |alpha: f64| {
            let settings = Settings {
                kappa: 10.0,
                alpha,
                position_bias: true,
                personal: true,
                theta_update: ThetaUpdate::Solve,
            };
            let mut path = Path::new(&statistics, &consensus, settings, &stop).unwrap();
            path.advance_to(12.0, &stop).unwrap();
            path
        };
        let entry = |path: &Path| path.deviation_entries()[0].unwrap().iteration;
        let (mut short, mut long) = (0.09, 0.1);
        let last = entry(&run(long));
        for _ in 0..60 {
            let middle = (short + long) / 2.0;
            let side = if entry(&run(middle)) > last {
                &mut short
            } else {
                &mut long
            };
            *side = middle;
        }
        let (later, sooner) = (run(short), run(long));
        assert_eq!((entry(&later), entry(&sooner)), (last + 1, last));
        assert_eq!(later.bias_entries()[0].unwrap().iteration, 1);
        let (later, sooner) = (&later.snapshot, &sooner.snapshot);
        assert!((later.bias[0] - sooner.bias[0]).abs() < 1e-8);
        assert!((later.deviation_norm[0] - sooner.deviation_norm[0]).abs() < 1e-8);
        assert!(sooner.bias[0] > 0.0 && sooner.deviation_norm[0] > 0.0);
    }
}
