//! The steps of the path with a logistic or probit loss, and the model at any time on it.

use std::sync::Arc;

use super::active::ActiveAnnotators;
use super::cells::VoteCells;
use super::consensus::{ScoreLoss, ScoreNewton};
use super::link::{Logistic, Probit};
use super::pool::{HazardIntegrals, Pool};
use crate::error::Result;
use crate::execution::Stop;
use crate::model::flow::Flow;
use crate::model::lbi::{EffectEntry, Screening, Snapshot};
use crate::model::settings::Settings;
use crate::model::statistics::{BlockStatistics, Statistics};
use crate::options::{Loss, ThetaUpdate};

/// If nobody's votes differ from the consensus by more than this, on average and of a
/// vote, there are no effects. Where votes do not contradict each other, what is left is
/// the ridge's, and its path would have millions of steps.
const NEGLIGIBLE: f64 = 1e-3;

/// With gradient steps the first effect enters about when it does with exact solves. If
/// it has not by so many times that time, none does.
const MAX_ENTRY_DELAY: f64 = 10.0;

/// A path in progress.
pub(crate) struct GlmPath {
    statistics: Arc<Statistics>,
    cells: Arc<VoteCells>,
    settings: Settings,
    /// t0: where the first effect is about to enter; infinite if none ever does. With
    /// gradient steps, which begin at 0, it is 0.
    first_entry: f64,
    steps: usize,
    /// The estimate without effects.
    consensus: Vec<f64>,
    /// Whether θ and the gradients are those for the current β.
    is_current: bool,
    scores: ScoreNewton,
    /// θ after this step, where it takes gradient steps.
    theta_next: Vec<f64>,
    votes: SplitVotes,
    integrals: HazardIntegrals,
    screening: Screening,
    candidates: Vec<u32>,
    snapshot: Snapshot,
}

/// The annotators without effects, and those with.
struct SplitVotes {
    loss: Loss,
    pool: Pool,
    active: ActiveAnnotators,
    /// How many annotators are in the pool.
    pooled: usize,
}

impl ScoreLoss for SplitVotes {
    fn add_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) {
        let Self {
            pool,
            active,
            pooled,
            ..
        } = self;
        macro_rules! add {
            ($link:expr) => {{
                if *pooled > 0 {
                    pool.add_gradient($link, theta, gradient);
                }
                active.add_gradients($link, theta, gradient);
            }};
        }
        match self.loss {
            Loss::Probit => add!(Probit),
            _ => add!(Logistic),
        }
    }

    fn set_curvatures(&mut self, theta: &[f64], weights: &mut [f64]) {
        let Self {
            pool,
            active,
            pooled,
            ..
        } = self;
        macro_rules! set {
            ($link:expr) => {{
                weights.fill(0.0);
                if *pooled > 0 {
                    pool.set_curvatures($link, weights);
                }
                active.add_curvatures($link, theta, weights);
            }};
        }
        match self.loss {
            Loss::Probit => set!(Probit),
            _ => set!(Logistic),
        }
    }
}

impl GlmPath {
    /// A path at its beginning. `pairs` has the votes by pair, with mean choices.
    pub fn new(
        statistics: &Arc<Statistics>,
        cells: &Arc<VoteCells>,
        pairs: &Arc<Flow>,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self> {
        let annotators = statistics.annotators();
        let mut votes = SplitVotes {
            loss: settings.loss,
            pool: Pool::new(pairs),
            active: ActiveAnnotators::new(statistics, cells, settings),
            pooled: annotators,
        };
        let mut scores =
            ScoreNewton::new(pairs, cells.len(), settings.ridge, settings.score_tolerance);
        scores.solve(&mut votes, stop)?;
        let mut path = Self {
            statistics: Arc::clone(statistics),
            cells: Arc::clone(cells),
            settings,
            first_entry: f64::INFINITY,
            steps: 0,
            consensus: scores.theta()[..statistics.items].to_vec(),
            is_current: true,
            theta_next: scores.theta().to_vec(),
            integrals: HazardIntegrals::new(&votes.pool.hazards, 0.0),
            votes,
            scores,
            screening: Screening::new(
                &BlockStatistics::of_all(statistics),
                &settings,
                (0..statistics.annotators() as u32).collect(),
                |u| statistics.quads(u).votes,
            ),
            candidates: Vec::with_capacity(annotators),
            snapshot: Snapshot::undivided(statistics),
        };
        path.find_first_entry(stop)?;
        Ok(path)
    }

    /// Finds t0 and sets the time to it, or to 0 if θ takes gradient steps.
    fn find_first_entry(&mut self, stop: &Stop) -> Result<()> {
        if !self.settings.has_effects() {
            return Ok(());
        }
        let largest = self.screen_all(stop)?;
        let most_votes = (0..self.statistics.annotators())
            .map(|u| self.statistics.quads(u).votes)
            .fold(0.0, f64::max);
        if largest <= NEGLIGIBLE * most_votes {
            return Ok(());
        }
        self.first_entry = self.statistics.total / largest;
        if self.settings.theta_update == ThetaUpdate::Gradient {
            self.first_entry = 0.0;
            self.scores.set_theta(&vec![0.0; self.statistics.items]);
            self.scores.evaluate(&mut self.votes);
            self.screen_all(stop)?;
        }
        self.integrals = HazardIntegrals::new(&self.votes.pool.hazards, self.first_entry);
        Ok(())
    }

    /// The largest m‖∂L/∂β‖ of an effect at the current scores. Sets the first bounds.
    fn screen_all(&mut self, stop: &Stop) -> Result<f64> {
        let mut largest = 0.0f64;
        for u in 0..self.statistics.annotators() {
            stop.check()?;
            let SplitVotes { pool, active, .. } = &mut self.votes;
            let [norm, size] = active.sizes(u, &pool.hazards);
            if self.settings.personal {
                self.screening.set_deviation(u, norm, 0.0, 0.0);
                largest = largest.max(norm);
            }
            if self.settings.position_bias {
                self.screening.set_bias(u, size, 0.0);
                largest = largest.max(size);
            }
        }
        Ok(largest)
    }

    /// Where the first effect enters; infinite if none ever does. Gradient steps have to
    /// be made to find it, up to the end of the one in which it enters.
    pub fn entry_time(mut self, stop: &Stop) -> Result<f64> {
        if self.settings.theta_update != ThetaUpdate::Gradient || self.first_entry > 0.0 {
            return Ok(self.first_entry);
        }
        let solved = Settings {
            theta_update: ThetaUpdate::Solve,
            ..self.settings
        };
        let pairs = Arc::clone(&self.votes.pool.pairs);
        let solved = Self::new(&self.statistics, &self.cells, &pairs, solved, stop)?;
        let latest = MAX_ENTRY_DELAY * solved.first_entry;
        while self.votes.active.is_empty() {
            if self.time() > latest {
                return Ok(f64::INFINITY);
            }
            self.step(stop)?;
        }
        Ok(self.time())
    }

    /// t0; 0 if θ takes gradient steps from there on; infinite if no effect ever enters.
    pub fn first_entry(&self) -> f64 {
        self.first_entry
    }

    /// The scores of the model without effects.
    pub fn consensus(&self) -> &[f64] {
        &self.consensus
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
        self.first_entry + steps as f64 * self.settings.alpha
    }

    /// Whether the step after so many steps comes to a time.
    pub fn reaches(&self, t: f64, steps: usize) -> bool {
        self.time_after(steps) + self.settings.alpha >= t
    }

    /// When each γ first was not zero.
    pub fn bias_entries(&self) -> Vec<Option<EffectEntry>> {
        self.votes.active.bias_entries().to_vec()
    }

    /// When each δ first was not zero.
    pub fn deviation_entries(&self) -> Vec<Option<EffectEntry>> {
        self.votes.active.deviation_entries().to_vec()
    }

    /// The model at a time, after the steps up to it. The path does not go back.
    pub fn advance_to(&mut self, t: f64, stop: &Stop) -> Result<&Snapshot> {
        if self.first_entry.is_finite() {
            while !self.reaches(t, self.steps) {
                self.step(stop)?;
            }
        }
        let has_begun = t > self.first_entry || self.first_entry == 0.0;
        if !has_begun {
            return Ok(self.without_effects(t));
        }
        self.take_snapshot(t, stop)?;
        Ok(&self.snapshot)
    }

    /// The model without effects.
    pub fn without_effects(&mut self, t: f64) -> &Snapshot {
        self.snapshot.begin(t, &self.consensus);
        &self.snapshot
    }

    /// One step of the iteration.
    pub fn step(&mut self, stop: &Stop) -> Result<()> {
        stop.check()?;
        // θ = argmin_θ L(θ, β)
        self.update_theta(stop)?;
        self.is_current = false;
        // t ← t + α
        self.steps += 1;
        let now = EffectEntry {
            iteration: self.steps,
            time: self.time(),
        };
        // z ← z − α ∂L/∂β, β = κ·shrink(z): through ∫h dt for the effects that are zero,
        // one by one for the others.
        self.votes.active.step(now);
        if self.votes.pooled > 0 {
            let hazards = &self.votes.pool.hazards;
            self.integrals
                .advance(hazards, self.settings.alpha, now.time);
            self.enter_effects(now);
        }
        if self.settings.theta_update == ThetaUpdate::Gradient {
            self.scores.set_theta(&self.theta_next);
        }
        Ok(())
    }

    /// Lets the effects of annotators in the pool enter that have to.
    fn enter_effects(&mut self, now: EffectEntry) {
        let integrals = self.integrals.at_step(now.time);
        self.screening
            .collect_candidates(now.time, integrals.drift, &mut self.candidates);
        for &u in &self.candidates {
            let u = u as usize;
            if self.votes.active.is_active(u) {
                continue;
            }
            let (enters, [norm, size]) = self.votes.active.try_enter(u, &integrals, now);
            if enters {
                self.votes.pool.remove(&self.cells.of(u));
                self.votes.pooled -= 1;
                self.screening.remove(u);
                continue;
            }
            if self.settings.personal {
                self.screening.set_deviation(u, norm, 0.0, integrals.drift);
            }
            if self.settings.position_bias {
                self.screening.set_bias(u, size, integrals.drift);
            }
        }
    }

    /// Computes θ for the current β and the gradients there; with gradient steps, θ of the
    /// next step.
    fn update_theta(&mut self, stop: &Stop) -> Result<()> {
        if std::mem::replace(&mut self.is_current, true) && self.steps > 0 {
            return Ok(());
        }
        if self.settings.theta_update != ThetaUpdate::Gradient {
            return match self.steps {
                0 => Ok(()), // solved for already
                _ => self.scores.solve(&mut self.votes, stop),
            };
        }
        let gradient = self.scores.evaluate(&mut self.votes);
        let size = self.settings.alpha * self.settings.kappa / self.statistics.total;
        self.theta_next.copy_from_slice(gradient);
        let theta = self.scores.theta();
        for (slot, theta) in self.theta_next.iter_mut().zip(theta) {
            *slot = theta - size * *slot;
        }
        Ok(())
    }

    /// Sets the snapshot to the model at a time within the current step.
    fn take_snapshot(&mut self, t: f64, stop: &Stop) -> Result<()> {
        self.update_theta(stop)?;
        let elapsed = t - self.time();
        let items = self.statistics.items;
        self.snapshot.begin(t, &self.scores.theta()[..items]);
        if self.settings.theta_update == ThetaUpdate::Gradient {
            let part = elapsed / self.settings.alpha;
            self.snapshot
                .interpolate_theta(&self.theta_next[..items], part);
        }
        let mut effects = self.snapshot.blocks().remove(0);
        self.votes.active.write_effects(elapsed, &mut effects);
        if self.votes.pooled == 0 || t <= 0.0 {
            return Ok(());
        }
        let hazards = &self.votes.pool.hazards;
        let integrals = self.integrals.between_steps(hazards, elapsed, t);
        self.screening
            .collect_candidates(t, integrals.drift, &mut self.candidates);
        for &u in &self.candidates {
            let u = u as usize;
            if !self.votes.active.is_active(u) {
                let active = &mut self.votes.active;
                active.write_entering(u, integrals.integral, &mut effects);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::execution::Stop;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::model::Problem;
    use crate::options::{Loss, Options};
    use crate::random::Random;
    use crate::votes::{Comparison, Comparisons};

    /// Annotators with many and with few votes, step after step.
    #[test]
    fn wide_vectors_do_not_change_a_bit() {
        let mut random = Random(12);
        let items = 23;
        let mut votes = Comparisons::with_capacity(items, 0, true, false);
        for annotator in 0..30 {
            for _ in 0..[12, 90][annotator % 2] {
                let left = random.below(items);
                votes.push(Comparison {
                    left,
                    right: (left + 1 + random.below(items - 1)) % items,
                    choice: 2.0 * random.uniform() - 1.0,
                    weight: 1.0,
                });
            }
            votes.end_annotator();
        }
        for loss in [Loss::Logistic, Loss::Probit] {
            with_any_vectors(|| {
                let (stop, options) = (
                    Stop::default(),
                    Options {
                        loss,
                        ..Options::default()
                    },
                );
                let problem = Problem::new(&votes, &options, &stop).unwrap();
                let mut path = problem.path(&stop).unwrap();
                let last = *problem.grid(&options).unwrap().last().unwrap();
                let snapshot = path.advance_to(last, &stop).unwrap();
                assert!(snapshot.deviation_norm().iter().any(|norm| *norm > 0.0));
                let deviations = (0..30).flat_map(|u| snapshot.deviation(u));
                let numbers = snapshot.theta().iter().chain(snapshot.position_bias());
                let numbers = numbers.chain(deviations);
                numbers.map(|x| x.to_bits()).collect::<Vec<u64>>()
            });
        }
    }
}
