//! A path with z, one step at a time.

use super::*;

/// A path, one step at a time. The path does not store z where an effect is zero,
/// so z is summed up here from θ and β at every step. It is correct only if θ and β
/// are correct at every step.
pub struct Walk<'a> {
    problem: &'a Problem,
    path: Path,
    /// The golden θ after a step: the one solved for the β before it.
    pub theta: Vec<f64>,
    pub z: Z,
    stop: Stop,
}

impl<'a> Walk<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let stop = Stop::default();
        let path = problem.path(&stop).unwrap();
        let mut walk = Self {
            theta: path.consensus().to_vec(),
            problem,
            path,
            z: Z::new(&problem.statistics),
            stop,
        };
        walk.add_to_z(walk.path.time());
        walk
    }

    /// Goes to the end of an iteration, at time `t`, and returns 1. The path of
    /// Algorithm 1 begins after its first iterations, in which only z changes; for
    /// one of these, the result is the part of the later z that there was.
    pub fn go_to(&mut self, iteration: usize, t: f64) -> f64 {
        if iteration < self.path.iteration() {
            return t / self.path.time();
        }
        while self.path.iteration() < iteration {
            self.step();
        }
        assert_close(&[self.path.time()], &[t], "time");
        1.0
    }

    fn step(&mut self) {
        let before = self.snapshot().theta().to_vec();
        self.add_to_z(self.problem.settings.alpha);
        self.path.step(&self.stop).unwrap();
        self.theta = match self.problem.settings.theta_update {
            ThetaUpdate::Solve => before,
            _ => self.snapshot().theta().to_vec(),
        };
    }

    pub fn snapshot(&mut self) -> &Snapshot {
        self.path.advance_to(self.path.time(), &self.stop).unwrap()
    }

    fn add_to_z(&mut self, duration: f64) {
        let t = self.path.time();
        let snapshot = self.path.advance_to(t, &self.stop).unwrap();
        self.z.add(duration, &self.problem.statistics, snapshot);
    }
}

/// z = ∫ Xᵀ(y − dθ − Xβ)/m dt
pub struct Z {
    bias: Vec<f64>,
    deviation: Vec<Vec<f64>>,
}

impl Z {
    pub fn new(statistics: &Statistics) -> Self {
        let items = |u| statistics.annotator(u).items.len();
        let annotators = 0..statistics.annotators();
        Self {
            bias: vec![0.0; statistics.annotators()],
            deviation: annotators.map(|u| vec![0.0; items(u)]).collect(),
        }
    }

    pub fn add(&mut self, duration: f64, statistics: &Statistics, snapshot: &Snapshot) {
        let size = duration / statistics.total();
        for (u, z) in self.deviation.iter_mut().enumerate() {
            let annotator = statistics.annotator(u);
            let gamma = snapshot.position_bias()[u];
            let items = annotator.items.iter().map(|&item| item as usize);
            let own: Vec<f64> = items
                .zip(snapshot.deviation(u))
                .map(|(item, delta)| snapshot.theta()[item] + delta)
                .collect();
            let mut image = vec![0.0; own.len()];
            annotator.laplacian_times(&own, &mut image);
            let mut imbalance_own = 0.0;
            let columns = annotator.imbalance().zip(annotator.net_wins());
            for ((i, z), (imbalance, net_wins)) in z.iter_mut().enumerate().zip(columns) {
                *z += size * (net_wins - image[i] - imbalance * gamma);
                imbalance_own += imbalance * own[i];
            }
            self.bias[u] += size * (annotator.net_left - imbalance_own - annotator.votes * gamma);
        }
    }

    /// `part` · z as in the golden files: z of each γ, and the norm of z of each δ.
    pub fn norms(&self, part: f64) -> (Vec<f64>, Vec<f64>) {
        let norm = |z: &Vec<f64>| z.iter().map(|z| z * z).sum::<f64>().sqrt();
        let bias = self.bias.iter().map(|z| part * z).collect();
        (
            bias,
            self.deviation.iter().map(|z| part * norm(z)).collect(),
        )
    }
}
