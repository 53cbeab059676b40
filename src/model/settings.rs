//! The settings of a path.

use crate::options::{Loss, ThetaUpdate};

/// The settings of a path.
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
    /// What is minimised.
    pub loss: Loss,
    /// ρ, the ridge of a loss other than the squared one.
    pub ridge: f64,
    /// How exactly θ is solved for where that is an iteration.
    pub score_tolerance: f64,
    /// How θ follows β.
    pub theta_update: ThetaUpdate,
    /// On how many threads a step may run. No number depends on it.
    pub threads: usize,
}

impl Settings {
    /// Whether any effect of annotators is in the model.
    pub(super) fn has_effects(&self) -> bool {
        self.position_bias || self.personal
    }

    /// Whether steps are too long for a design of this norm and votes of this weight.
    pub(super) fn oscillates(&self, norm: f64, total: f64) -> bool {
        self.alpha * self.kappa * norm / total >= 2.0
    }
}
