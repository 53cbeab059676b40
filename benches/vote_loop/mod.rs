//! The iteration as one would first write it: every step goes over all votes,
//! and over a full-length deviation for every annotator.

use me_hodgerank::Stop;
use me_hodgerank::model::{Problem, Workspace};
use me_hodgerank::votes::Comparisons;

pub struct VoteLoop<'a> {
    votes: &'a Comparisons,
    problem: &'a Problem,
    theta: Vec<f64>,
    z: Vec<f64>,
    z_bias: Vec<f64>,
    delta: Vec<f64>,
    gamma: Vec<f64>,
    gradient: Vec<f64>,
    gradient_bias: Vec<f64>,
    right: Vec<f64>,
    work: Workspace,
}

impl<'a> VoteLoop<'a> {
    pub fn new(votes: &'a Comparisons, problem: &'a Problem) -> Self {
        let (n, users) = (votes.items(), votes.annotators());
        Self {
            votes,
            problem,
            theta: vec![0.0; n],
            z: vec![0.0; n * users],
            z_bias: vec![0.0; users],
            delta: vec![0.0; n * users],
            gamma: vec![0.0; users],
            gradient: vec![0.0; n * users],
            gradient_bias: vec![0.0; users],
            right: vec![0.0; n],
            work: problem.consensus.workspace(),
        }
    }

    pub fn run(mut self, steps: usize) -> Vec<f64> {
        for _ in 0..steps {
            self.solve();
            self.step();
        }
        self.theta
    }

    /// θ given δ and γ: one pass over the votes for the right-hand side.
    fn solve(&mut self) {
        let n = self.theta.len();
        self.right.fill(0.0);
        for u in 0..self.gamma.len() {
            let delta = &self.delta[u * n..][..n];
            for vote in self.votes.of(u) {
                let own = delta[vote.left] - delta[vote.right] + self.gamma[u];
                let rest = vote.weight * (vote.choice - own);
                self.right[vote.left] += rest;
                self.right[vote.right] -= rest;
            }
        }
        let consensus = &self.problem.consensus;
        consensus
            .solve(
                &self.right,
                &mut self.theta,
                &mut self.work,
                &Stop::default(),
            )
            .unwrap();
    }

    /// z and β: another pass over the votes for the residuals.
    fn step(&mut self) {
        let n = self.theta.len();
        let settings = self.problem.settings;
        let size = settings.alpha / self.problem.statistics.total();
        self.gradient.fill(0.0);
        self.gradient_bias.fill(0.0);
        for u in 0..self.gamma.len() {
            let delta = &self.delta[u * n..][..n];
            let gradient = &mut self.gradient[u * n..][..n];
            for vote in self.votes.of(u) {
                let (i, j) = (vote.left, vote.right);
                let predicted = self.theta[i] + delta[i] - self.theta[j] - delta[j] + self.gamma[u];
                let residual = vote.weight * (vote.choice - predicted);
                gradient[i] += residual;
                gradient[j] -= residual;
                self.gradient_bias[u] += residual;
            }
        }
        for u in 0..self.gamma.len() {
            let z = &mut self.z[u * n..][..n];
            let mut square = 0.0;
            for (slot, g) in z.iter_mut().zip(&self.gradient[u * n..][..n]) {
                *slot += size * g;
                square += *slot * *slot;
            }
            let scale = shrink(square.sqrt(), settings.kappa);
            for (slot, z) in self.delta[u * n..][..n].iter_mut().zip(z) {
                *slot = scale * *z;
            }
            self.z_bias[u] += size * self.gradient_bias[u];
            self.gamma[u] = shrink(self.z_bias[u].abs(), settings.kappa) * self.z_bias[u];
        }
    }
}

fn shrink(norm: f64, kappa: f64) -> f64 {
    if norm > 1.0 {
        kappa * (1.0 - 1.0 / norm)
    } else {
        0.0
    }
}
