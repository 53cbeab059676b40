//! Standard errors of the consensus scores: how much they would vary with other
//! annotators from the same population.
//!
//! The scores solve Σ_u g_u = 0, where the score contribution of annotator u is
//!
//! ```text
//! g_u = b_u − L_u(θ + δ^u) − a_u γ^u
//! ```
//!
//! Votes of one annotator depend on each other, annotators are independent. So the
//! variance of θ is the sandwich estimator with a cluster for each annotator,
//!
//! ```text
//! V = J⁺ (Σ_u g_u g_uᵀ) J⁺,   J = Σ_u (1 − r_u) L_u
//! ```
//!
//! J, the bread of the sandwich, is called the Hessian here; the sum, its meat, is the
//! second moment of the score contributions. r_u is the share of u's score contribution
//! that u's own effects absorb: the votes of an annotator with own scores hold the
//! consensus less.
//!
//! An item that few annotators saw has too few score contributions for a variance of
//! its own. Its variance is pooled with the one that independent votes would have, and
//! its interval uses Student's distribution; see [`variances`].
//!
//! Both diagonals, of V and of J⁺LJ⁺, are [`exact`] where that is cheap. In larger
//! problems they are estimated by a [`sketch`].

mod annotator_sums;
mod contribution;
mod estimate;
mod exact;
mod fitted;
mod hessian;
mod score_contributions;
mod sketch;
mod variances;

pub use estimate::StandardErrors;
pub use fitted::Fitted;

#[cfg(test)]
mod tests;
