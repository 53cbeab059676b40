//! The path with a loss that gives win probabilities: logistic, as in the model of
//! Bradley and Terry, or probit, as in Thurstone's.
//!
//! ```text
//! η    = (θ_i + δ_i^u) − (θ_j + δ_j^u) + γ^u
//! L    = 1/m ( Σ ω ℓ(η) + ρ/2 ‖θ‖² )
//! θ^k     = argmin_θ L(θ, β^k)
//! z^{k+1} = z^k − α ∂L/∂β
//! β^{k+1} = κ · shrink(z^{k+1})
//! t^{k+1} = t^k + α
//! ```
//!
//! It is the path of [`lbi`](super::lbi) with another loss, and jumps to t0 in the same
//! way; there θ is the Bradley–Terry or Thurstone estimate. With `theta_update =
//! 'gradient'` θ takes a gradient step of size ακ from the same point as z, begins with
//! zeros at t = 0, and has no ridge.
//!
//! The gradient is not linear in θ. But it is linear in the hazards h(η) of [`link`], and
//! for everybody without effects η is the same on the same pair of items. So the votes of
//! these annotators are pooled ([`pool`]), and their z follows from integrals ∫h dt that
//! are kept by pair. A screening bound says when it has to be computed, as with the
//! squared loss: if the mean of no hazard over time has drifted by more than ρ since
//! m‖z‖/t was e, it is now at most e + ‖deg_u‖ρ for δ and e + N_u ρ for γ. Only those with
//! an effect are gone through in every step, cell by cell ([`cells`]).

mod active;
mod cells;
mod consensus;
mod hessian;
mod link;
mod path;
mod pool;

pub(crate) use cells::VoteCells;
pub(in crate::model) use consensus::SCORE_TOLERANCE;
pub(crate) use consensus::consensus_scores;
pub(crate) use path::GlmPath;
