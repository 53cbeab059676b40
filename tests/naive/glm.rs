//! The model with a logistic or probit loss: a sum over votes, every effect in every
//! step, and Newton's method with a dense matrix from zero.

use me_hodgerank::Loss;
use me_hodgerank::internals::normal_tail;
use nalgebra::{DMatrix, DVector};

use crate::naive::{Estimates, IndexedVote, Table};

/// The votes and what is minimised.
pub struct NaiveGlm<'a> {
    pub table: &'a Table,
    pub loss: Loss,
    pub ridge: f64,
    pub position_bias: bool,
    pub personal: bool,
}

/// P(left wins).
fn probability(loss: Loss, eta: f64) -> f64 {
    match loss {
        Loss::Logistic => 1.0 / (1.0 + (-eta).exp()),
        _ => normal_tail(-eta),
    }
}

/// dP/dη.
fn density(loss: Loss, eta: f64) -> f64 {
    match loss {
        Loss::Logistic => probability(loss, eta) * probability(loss, -eta),
        _ => (-0.5 * eta * eta).exp() / (2.0 * std::f64::consts::PI).sqrt(),
    }
}

/// ℓ(η) of a vote with this choice.
pub fn value(loss: Loss, choice: f64, eta: f64) -> f64 {
    let label = (1.0 + choice) / 2.0;
    let mut value = 0.0;
    for (share, eta) in [(label, eta), (1.0 - label, -eta)] {
        if share > 0.0 {
            value -= share * probability(loss, eta).ln();
        }
    }
    value
}

/// ℓ'(η).
fn slope(loss: Loss, choice: f64, eta: f64) -> f64 {
    let label = (1.0 + choice) / 2.0;
    let hazard = |eta: f64| density(loss, eta) / probability(loss, eta);
    (1.0 - label) * hazard(-eta) - label * hazard(eta)
}

/// ℓ''(η), as the difference of slopes.
fn curvature(loss: Loss, choice: f64, eta: f64) -> f64 {
    let step = 1e-5;
    (slope(loss, choice, eta + step) - slope(loss, choice, eta - step)) / (2.0 * step)
}

impl NaiveGlm<'_> {
    /// No effects, and scores of zero.
    pub fn zeros(&self) -> Estimates {
        let (items, annotators) = (self.table.items, self.table.annotators);
        Estimates {
            theta: vec![0.0; items],
            deviation: vec![vec![0.0; items]; annotators],
            bias: vec![0.0; annotators],
        }
    }

    /// m L(θ, β).
    pub fn total_loss(&self, model: &Estimates) -> f64 {
        let rows = self.table.rows.iter();
        let losses = rows.map(|row| row.weight * value(self.loss, row.choice, model.predict(row)));
        let squares: f64 = model.theta.iter().map(|theta| theta * theta).sum();
        losses.sum::<f64>() + 0.5 * self.ridge * squares
    }

    fn slope(&self, model: &Estimates, row: &IndexedVote) -> f64 {
        row.weight * slope(self.loss, row.choice, model.predict(row))
    }

    /// m ∂L/∂θ.
    pub fn theta_gradient(&self, model: &Estimates) -> Vec<f64> {
        let mut gradient: Vec<f64> = model.theta.iter().map(|x| self.ridge * x).collect();
        for row in &self.table.rows {
            let slope = self.slope(model, row);
            gradient[row.left] += slope;
            gradient[row.right] -= slope;
        }
        gradient
    }

    /// m ∂L/∂β, in the shape of the effects.
    pub fn effect_gradient(&self, model: &Estimates) -> Estimates {
        let mut gradient = self.zeros();
        for row in &self.table.rows {
            let slope = self.slope(model, row);
            if self.personal {
                gradient.deviation[row.annotator][row.left] += slope;
                gradient.deviation[row.annotator][row.right] -= slope;
            }
            if self.position_bias {
                gradient.bias[row.annotator] += slope;
            }
        }
        gradient
    }

    /// θ = argmin L(θ, β), from zero, with steps halved until the loss falls.
    pub fn solve(&self, model: &mut Estimates) {
        let items = self.table.items;
        model.theta.fill(0.0);
        for _ in 0..500 {
            let gradient = DVector::from_vec(self.theta_gradient(model));
            let mut hessian = DMatrix::from_diagonal_element(items, items, self.ridge);
            for row in &self.table.rows {
                let weight = row.weight * curvature(self.loss, row.choice, model.predict(row));
                for (i, j, sign) in [
                    (row.left, row.left, 1.0),
                    (row.right, row.right, 1.0),
                    (row.left, row.right, -1.0),
                    (row.right, row.left, -1.0),
                ] {
                    hessian[(i, j)] += sign * weight;
                }
            }
            let direction = hessian.lu().solve(&gradient).unwrap();
            if direction.amax() < 1e-12 {
                return;
            }
            let (start, before) = (model.theta.clone(), self.total_loss(model));
            let mut step = 1.0;
            loop {
                for (i, theta) in model.theta.iter_mut().enumerate() {
                    *theta = start[i] - step * direction[i];
                }
                if self.total_loss(model) <= before || step < 1e-10 {
                    break;
                }
                step *= 0.5;
            }
        }
    }

    /// The models at ascending times, from t0 on.
    pub fn path(&self, kappa: f64, alpha: f64, times: &[f64]) -> Vec<Estimates> {
        let total: f64 = self.table.rows.iter().map(|row| row.weight).sum();
        let mut model = self.zeros();
        self.solve(&mut model);
        let mut gradient = self.effect_gradient(&model);
        let largest = norms(&gradient).fold(0.0, f64::max);
        let mut t = total / largest;
        let mut z = self.zeros();
        add(&mut z, -t / total, &gradient);
        let mut models = Vec::new();
        for &time in times {
            if time <= t && models.is_empty() {
                models.push(model.clone());
                continue;
            }
            while t + alpha < time {
                add(&mut z, -alpha / total, &gradient);
                t += alpha;
                shrink(&z, kappa, &mut model);
                self.solve(&mut model);
                gradient = self.effect_gradient(&model);
            }
            let mut between = z.clone();
            add(&mut between, -(time - t) / total, &gradient);
            let mut found = model.clone();
            shrink(&between, kappa, &mut found);
            models.push(found);
        }
        models
    }
}

/// The norms of all effects.
fn norms(effects: &Estimates) -> impl Iterator<Item = f64> {
    let deviations = effects.deviation.iter().map(|own| norm(own));
    deviations.chain(effects.bias.iter().map(|bias| bias.abs()))
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// z += factor·change.
fn add(z: &mut Estimates, factor: f64, change: &Estimates) {
    let both = z
        .deviation
        .iter_mut()
        .flatten()
        .zip(change.deviation.iter().flatten());
    both.for_each(|(z, change)| *z += factor * change);
    let both = z.bias.iter_mut().zip(&change.bias);
    both.for_each(|(z, change)| *z += factor * change);
}

/// β = κ·shrink(z). At t0 the norm of the first effect is 1, up to rounding.
fn shrink(z: &Estimates, kappa: f64, model: &mut Estimates) {
    let factor = |norm: f64| {
        if norm > 1.0 + 1e-12 {
            kappa * (1.0 - 1.0 / norm)
        } else {
            0.0
        }
    };
    for (own, z) in model.deviation.iter_mut().zip(&z.deviation) {
        let factor = factor(norm(z));
        own.iter_mut()
            .zip(z)
            .for_each(|(slot, z)| *slot = factor * z);
    }
    for (own, z) in model.bias.iter_mut().zip(&z.bias) {
        *own = factor(z.abs()) * z;
    }
}
