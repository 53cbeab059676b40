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

mod active_set;
mod entering;
mod gradients;
mod screening;
mod snapshot;

use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::vectorised;
use crate::model::blocks::Blocks;
use crate::model::hodgerank::{LaplacianSolver, SolverScratch};
use crate::model::settings::Settings;
use crate::model::statistics::Statistics;
use crate::options::ThetaUpdate;

pub(super) use gradients::shrink;
pub use snapshot::Snapshot;

use active_set::{Annotators, StepFull};
use gradients::Local;
use screening::{Drift, Watch};

/// When and where an effect first was not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectEntry {
    /// The number of the step that ended with it.
    pub iteration: usize,
    /// The time at the end of that step.
    pub time: f64,
}

/// A path under way.
pub struct Path<'a> {
    statistics: &'a Statistics,
    consensus: &'a LaplacianSolver,
    settings: Settings,
    /// t0: where the first effect is about to enter; infinite if none ever does.
    first_entry: f64,
    start: f64,
    steps: usize,
    /// Whether θ is that of the current β.
    solved: bool,
    theta0: Vec<f64>,
    // Over items, filled up to whole quads with zeros:
    all_net_wins: Vec<f64>,
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
    work: SolverScratch,
}

impl<'a> Path<'a> {
    /// A path at its beginning.
    pub fn new(
        statistics: &'a Statistics,
        consensus: &'a LaplacianSolver,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self> {
        let all_net_wins = statistics.net_wins();
        let mut work = consensus.scratch();
        let mut theta0 = vec![0.0; statistics.items];
        consensus.solve(&all_net_wins, &mut theta0, &mut work, stop)?;
        let whole = statistics.items.next_multiple_of(4);
        let quads = |values: &[f64]| {
            let mut values = values.to_vec();
            values.resize(whole, 0.0);
            values
        };
        let mut path = Self {
            statistics,
            consensus,
            settings,
            first_entry: f64::INFINITY,
            start: 0.0,
            steps: 0,
            solved: false,
            right: quads(&all_net_wins),
            all_net_wins: quads(&all_net_wins),
            theta: quads(&theta0),
            theta_next: quads(&theta0),
            drift: Drift::new(&theta0),
            integral_at: vec![0.0; theta0.len()],
            theta0,
            annotators: Annotators::new(statistics),
            watch: Watch::new(statistics, &settings),
            blocks: Blocks::new(statistics),
            snapshot: Snapshot::new(statistics),
            local: Local::new(statistics),
            work,
        };
        path.find_first_entry(stop)?;
        Ok(path)
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
    pub fn bias_entries(&self) -> &[Option<EffectEntry>] {
        &self.annotators.bias_entry
    }

    /// When each δ first was not zero.
    pub fn deviation_entries(&self) -> &[Option<EffectEntry>] {
        &self.annotators.deviation_entry
    }

    /// The model at a time, after the steps up to it. The path does not go back:
    /// a time after t0 must not lie before the current one.
    pub fn advance_to(&mut self, t: f64, stop: &Stop) -> Result<&Snapshot> {
        debug_assert!(t <= self.first_entry || t >= self.time(), "{t} is past");
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
        self.solve(stop)?;
        self.solved = false;
        self.steps += 1;
        let entry = EffectEntry {
            iteration: self.steps,
            time: self.time(),
        };
        self.drift
            .advance(&self.theta, self.settings.alpha, entry.time);
        self.right.copy_from_slice(&self.all_net_wins);
        let before = self.annotators.full.len();
        vectorised(StepFull {
            statistics: self.statistics,
            settings: &self.settings,
            blocks: &self.blocks,
            annotators: &mut self.annotators,
            theta: &self.theta,
            right: &mut self.right,
            local: &mut self.local,
            entry,
            stop,
        })?;
        self.step_biased(entry);
        self.wake_dormant(entry);
        self.subtract_entered(before);
        if self.settings.theta_update != ThetaUpdate::Solve {
            std::mem::swap(&mut self.theta, &mut self.theta_next);
        }
        Ok(())
    }

    /// θ at the current β.
    fn solve(&mut self, stop: &Stop) -> Result<()> {
        let nothing_entered = self.annotators.biased.is_empty() && self.annotators.full.is_empty();
        // θ⁰ is the solution as long as nothing has entered.
        if std::mem::replace(&mut self.solved, true) || nothing_entered {
            return Ok(());
        }
        let items = self.statistics.items;
        let (right, theta) = (&self.right[..items], &mut self.theta[..items]);
        let (next, work) = (&mut self.theta_next[..items], &mut self.work);
        match self.settings.theta_update {
            ThetaUpdate::Solve => self.consensus.solve(right, theta, work, stop),
            ThetaUpdate::Lagged => {
                next.copy_from_slice(theta);
                self.consensus.solve(right, next, work, stop)
            }
            ThetaUpdate::Gradient => {
                self.consensus.laplacian_times(theta, next, work);
                let size = self.settings.alpha * self.settings.kappa / self.statistics.total;
                for (i, slot) in next.iter_mut().enumerate() {
                    *slot = theta[i] - size * (*slot - right[i]);
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::tests::NARROW;
    use crate::model::Problem;
    use crate::options::Options;
    use crate::random::Random;
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
        let Problem {
            statistics,
            consensus,
            ..
        } = Problem::new(&votes(), &Options::default(), &stop).unwrap();
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

    /// Dense and sparse annotators and the consensus of all, step after step.
    #[test]
    fn wide_vectors_do_not_change_a_bit() {
        let mut random = Random(11);
        let items = 23;
        let mut votes = Comparisons::with_capacity(items, 0, true, false);
        for annotator in 0..30 {
            for _ in 0..[12, 90][annotator % 2] {
                let left = random.below(items);
                votes.push(Comparison {
                    left,
                    right: (left + 1 + random.below(items - 1)) % items,
                    choice: random.uniform() - 0.4,
                    weight: 1.0,
                });
            }
            votes.end_annotator();
        }
        let run = |narrow: bool| {
            NARROW.set(narrow);
            let (stop, options) = (Stop::default(), Options::default());
            let problem = Problem::new(&votes, &options, &stop).unwrap();
            let mut path = problem.path(&stop).unwrap();
            let last = *problem.grid(&options).unwrap().last().unwrap();
            let snapshot = path.advance_to(last, &stop).unwrap();
            assert!(snapshot.deviation_norm().iter().all(|norm| *norm > 0.0));
            let numbers = snapshot.theta().iter().chain(&snapshot.bias);
            let numbers = numbers.chain(snapshot.deviation.as_flattened());
            numbers.map(|x| x.to_bits()).collect::<Vec<u64>>()
        };
        let narrow = run(true);
        assert!(narrow == run(false));
    }
}
