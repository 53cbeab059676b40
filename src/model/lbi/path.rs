//! The steps of the path, and the model at any time on it.

use std::sync::Arc;

use super::active_set::EffectEntry;
use super::active_sets::ActiveSets;
use super::screening::MeanScores;
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::execution::Stop;
use crate::model::hodgerank::{LaplacianSolver, SolverScratch};
use crate::model::settings::Settings;
use crate::model::statistics::Statistics;
use crate::options::ThetaUpdate;

/// A gradient this small, relative to the votes themselves, is a rounding error
/// and not an effect.
const NEGLIGIBLE: f64 = 1e-10;

/// A path in progress.
pub(in crate::model) struct SquaredPath {
    statistics: Arc<Statistics>,
    solver: Arc<LaplacianSolver>,
    settings: Settings,
    /// t0: where the first effect is about to enter; infinite if none ever does.
    first_entry: f64,
    /// The time at which steps are counted from 0.
    start: f64,
    steps: usize,
    /// θ⁰.
    hodgerank: Vec<f64>,
    /// Whether θ has been updated for the current β.
    theta_is_current: bool,
    // Vectors over items, padded with zeros to a multiple of four:
    /// Σ_u b_u.
    net_wins: Vec<f64>,
    theta: Vec<f64>,
    /// θ after this step, where θ is not solved for.
    theta_next: Vec<f64>,
    /// Σ_u b_u − Σ_u (L_u δ^u + a_u γ^u).
    rhs: Vec<f64>,
    mean_scores: MeanScores,
    active_sets: ActiveSets,
    snapshot: Snapshot,
    solver_scratch: SolverScratch,
}

impl SquaredPath {
    /// A path at its beginning.
    pub fn new(
        statistics: &Arc<Statistics>,
        solver: &Arc<LaplacianSolver>,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self> {
        let net_wins = statistics.net_wins()?;
        let mut solver_scratch = solver.scratch();
        let mut hodgerank = vec![0.0; statistics.items];
        solver.hodgerank(&net_wins, &mut hodgerank, &mut solver_scratch, stop)?;
        let padded = |values: &[f64]| {
            let mut values = values.to_vec();
            values.resize(statistics.items.next_multiple_of(4), 0.0);
            values
        };
        let mut path = Self {
            statistics: Arc::clone(statistics),
            solver: Arc::clone(solver),
            settings,
            first_entry: f64::INFINITY,
            start: 0.0,
            steps: 0,
            theta_is_current: false,
            net_wins: padded(&net_wins),
            theta: padded(&hodgerank),
            theta_next: padded(&hodgerank),
            rhs: padded(&net_wins),
            mean_scores: MeanScores::new(&hodgerank),
            hodgerank,
            active_sets: ActiveSets::new(statistics, settings),
            snapshot: Snapshot::new(statistics),
            solver_scratch,
        };
        path.find_first_entry(stop)?;
        Ok(path)
    }

    /// Finds t0 and sets the time to it.
    fn find_first_entry(&mut self, stop: &Stop) -> Result<()> {
        let largest = self.active_sets.screen_all(&self.theta, stop)?;
        if largest <= NEGLIGIBLE * self.statistics.strength {
            return Ok(());
        }
        self.first_entry = self.statistics.total / largest;
        match self.settings.theta_update {
            // Algorithm 1 counts its steps from zero: the last one before t0.
            ThetaUpdate::Lagged => {
                self.steps = (self.first_entry / self.settings.alpha).floor() as usize;
            }
            ThetaUpdate::Solve | ThetaUpdate::Gradient => self.start = self.first_entry,
        }
        self.mean_scores.begin(&self.theta, self.time());
        Ok(())
    }

    /// t0: the time at which the first effect is about to enter; infinite if none ever does.
    pub fn first_entry(&self) -> f64 {
        self.first_entry
    }

    /// HodgeRank's scores: θ before any effect entered.
    pub fn consensus(&self) -> &[f64] {
        &self.hodgerank
    }

    /// The number of steps made.
    pub fn iteration(&self) -> usize {
        self.steps
    }

    /// The current time.
    pub fn time(&self) -> f64 {
        self.time_after(self.steps)
    }

    /// The time after so many steps.
    pub fn time_after(&self, steps: usize) -> f64 {
        self.start + steps as f64 * self.settings.alpha
    }

    /// Whether the step after so many steps comes to a time.
    pub fn reaches(&self, t: f64, steps: usize) -> bool {
        self.time_after(steps) + self.settings.alpha >= t
    }

    /// When each γ first was not zero.
    pub fn bias_entries(&self) -> Vec<Option<EffectEntry>> {
        self.active_sets.bias_entries()
    }

    /// When each δ first was not zero.
    pub fn deviation_entries(&self) -> Vec<Option<EffectEntry>> {
        self.active_sets.deviation_entries()
    }

    /// The model at a time, after the steps up to it. The path does not go back:
    /// a time after t0 must not be before the current one.
    pub fn advance_to(&mut self, t: f64, stop: &Stop) -> Result<&Snapshot> {
        debug_assert!(t <= self.first_entry || t >= self.time(), "{t} is past");
        if self.first_entry.is_finite() {
            while !self.reaches(t, self.steps) {
                self.step(stop)?;
            }
        }
        self.take_snapshot(t, stop)?;
        Ok(&self.snapshot)
    }

    /// The model without effects.
    pub fn without_effects(&mut self, t: f64) -> &Snapshot {
        self.snapshot.begin(t, &self.hodgerank);
        &self.snapshot
    }

    /// One step of the iteration.
    pub fn step(&mut self, stop: &Stop) -> Result<()> {
        stop.check()?;
        // θ = argmin_θ L(θ, β)
        self.update_theta(stop)?;
        self.theta_is_current = false;
        // t ← t + α
        self.steps += 1;
        let now = EffectEntry {
            iteration: self.steps,
            time: self.time(),
        };
        // z ← z + (α/m) Xᵀ(y − dθ − Xβ), β = κ·shrink(z): through ∫θ dt for the
        // effects that are zero, one by one for the others.
        self.mean_scores
            .advance(&self.theta, self.settings.alpha, now.time);
        self.rhs.copy_from_slice(&self.net_wins);
        let (theta, scores, rhs) = (&self.theta, &self.mean_scores, &mut self.rhs);
        self.active_sets.step(theta, scores, now, rhs, stop)?;
        if self.settings.theta_update != ThetaUpdate::Solve {
            std::mem::swap(&mut self.theta, &mut self.theta_next);
        }
        Ok(())
    }

    /// Computes θ for the current β; with the other schemes, θ of the next step.
    fn update_theta(&mut self, stop: &Stop) -> Result<()> {
        // θ⁰ is the solution as long as nothing has entered.
        if std::mem::replace(&mut self.theta_is_current, true) || self.active_sets.is_empty() {
            return Ok(());
        }
        let items = self.statistics.items;
        let (rhs, theta) = (&self.rhs[..items], &mut self.theta[..items]);
        let (next, scratch) = (&mut self.theta_next[..items], &mut self.solver_scratch);
        match self.settings.theta_update {
            ThetaUpdate::Solve => self.solver.solve(rhs, theta, scratch, stop),
            ThetaUpdate::Lagged => {
                next.copy_from_slice(theta);
                self.solver.solve(rhs, next, scratch, stop)
            }
            ThetaUpdate::Gradient => {
                self.solver.laplacian_times(theta, next, scratch);
                let size = self.settings.alpha * self.settings.kappa / self.statistics.total;
                for (i, slot) in next.iter_mut().enumerate() {
                    *slot = theta[i] - size * (*slot - rhs[i]);
                }
                Ok(())
            }
        }
    }

    /// Sets the snapshot to the model at a time within the current step.
    fn take_snapshot(&mut self, t: f64, stop: &Stop) -> Result<()> {
        if t <= self.first_entry {
            self.without_effects(t);
            return Ok(());
        }
        self.update_theta(stop)?;
        let elapsed = t - self.time();
        self.snapshot.begin(t, &self.theta[..self.statistics.items]);
        if self.settings.theta_update != ThetaUpdate::Solve {
            let part = elapsed / self.settings.alpha;
            self.snapshot.interpolate_theta(&self.theta_next, part);
        }
        let scores = self.mean_scores.between_steps(&self.theta, elapsed, t);
        self.active_sets
            .write_effects(&self.theta, &scores, elapsed, &mut self.snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::model::Problem;
    use crate::options::{Loss, Options};
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
                loss: Loss::Squared,
                ridge: 0.01,
                score_tolerance: 1e-8,
                threads: 1,
            };
            let mut path = SquaredPath::new(&statistics, &consensus, settings, &stop).unwrap();
            path.advance_to(12.0, &stop).unwrap();
            path
        };
        let entry = |path: &SquaredPath| path.deviation_entries()[0].unwrap().iteration;
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
        let effects = |path: &SquaredPath| {
            let snapshot = &path.snapshot;
            (snapshot.position_bias()[0], snapshot.deviation_norm()[0])
        };
        let (later, sooner) = (effects(&later), effects(&sooner));
        assert!((later.0 - sooner.0).abs() < 1e-8);
        assert!((later.1 - sooner.1).abs() < 1e-8);
        assert!(sooner.0 > 0.0 && sooner.1 > 0.0);
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
        with_any_vectors(|| {
            let (stop, options) = (Stop::default(), Options::default());
            let problem = Problem::new(&votes, &options, &stop).unwrap();
            let mut path = problem.path(&stop).unwrap();
            let last = *problem.grid(&options).unwrap().last().unwrap();
            let snapshot = path.advance_to(last, &stop).unwrap();
            assert!(snapshot.deviation_norm().iter().all(|norm| *norm > 0.0));
            let deviations = (0..30).flat_map(|u| snapshot.deviation(u));
            let numbers = snapshot.theta().iter().chain(snapshot.position_bias());
            let numbers = numbers.chain(deviations);
            numbers.map(|x| x.to_bits()).collect::<Vec<u64>>()
        });
    }
}
