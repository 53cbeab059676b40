//! Standard errors of the consensus scores: how much they would vary with other
//! annotators from the same population.
//!
//! The scores solve Σ_u g_u = 0, where the score contribution of annotator u is
//!
//! ```text
//! g_u = b_u − L_u(θ + δ^u) − a_u γ^u
//! ```
//!
//! Votes of one annotator depend on each other, annotators are independent. Without
//! effects in the model the variance of θ is the sandwich estimator with a cluster for
//! each annotator,
//!
//! ```text
//! V = L⁺ (Σ_u g_u g_uᵀ) L⁺,   L = Σ_u L_u
//! ```
//!
//! L, the bread of the sandwich, is called the Hessian here; the sum, its meat, is the
//! second moment of the score contributions. With effects θ depends on an annotator in
//! another way, since the effects of all others respond, and who has any. So the path is
//! run again with groups of annotators counted twice ([`refits`]), and the variance is
//! that of a [`jackknife`].
//!
//! An item that few annotators saw has too few score contributions for a variance of
//! its own. Its variance is pooled with the one that independent votes would have, and
//! its interval uses Student's distribution; see [`variances`].
//!
//! Both diagonals, of V and of L⁺, are [`exact`] where that is cheap. In larger
//! problems they are estimated by a [`sketch`]. The variance of a [`difference`] of scores
//! is found in the same way.

mod annotator_sums;
mod contribution;
mod covariance;
mod difference;
mod estimate;
mod exact;
mod fitted;
mod hessian;
mod jackknife;
mod refits;
mod resistance;
mod score_contributions;
mod sketch;
mod variances;

pub use covariance::ClusteredCovariance;
pub use difference::ScoreCovariance;
pub use estimate::StandardErrors;
pub use fitted::Fitted;
pub use jackknife::RefitContributions;
pub use resistance::{ItemInverse, ResistanceSolver, Resistances};
pub use variances::Variance;

#[cfg(test)]
mod tests;
