//! The regularisation path, by Linearized Bregman Iteration.
//!
//! ```text
//! θ^k     = argmin_θ L(θ, β^k)
//! z^{k+1} = z^k + (α/m) Xᵀ(y − dθ^k − Xβ^k)
//! β^{k+1} = κ · shrink(z^{k+1})
//! t^{k+1} = t^k + α
//! ```
//!
//! β holds a deviation δ^u and a position bias γ^u for each annotator u. Shrink
//! acts on each of these effects as one vector, v·max(0, 1 − 1/‖v‖). Time begins
//! at t0, where the first effect is about to leave zero: until then θ does not
//! move.
//!
//! Only the effects in the **active set** take part in a step. An annotator is
//! *inactive* while both effects have always been zero, *bias-only* once γ^u has
//! entered, and *active* once δ^u has entered.
//!
//! While δ^u = 0, its z is a function of integrals that are kept anyway,
//! Θ = ∫θ dt for all annotators and Γ_u = ∫γ^u dt:
//!
//! ```text
//! z_δ = (t·b_u − L_u Θ − a_u Γ_u)/m = (t/m)(b_u − L_u Θ̄ − a_u Γ̄_u),  Θ̄ = Θ/t
//! ```
//!
//! So it can be computed at any later step. A **screening bound** says when: the
//! mean Θ̄ moves slowly, and if it has drifted by at most ρ (largest minus
//! smallest change) since ‖b_u − L_u Θ̄ − a_u Γ̄_u‖ was e, that norm is now at most
//! e + ‖deg_u‖ρ + ‖a_u‖·|change of Γ̄_u|. As long as t times this bound is below
//! m, the effect is still zero. When the bound reaches m, z is computed, and
//! either the effect enters or the bound is set anew. The steps at which effects
//! enter are therefore exactly those of the loop over all annotators.
//!
//! Annotators are divided into blocks, each with an active set of its own: a step is shared
//! among threads and machines (`active_sets`).
//!
//! Annotators with a single vote, and the same one, have the same effects: a step
//! computes them once (`duplicates`).

mod active_set;
mod active_sets;
mod duplicates;
mod gradients;
mod kernels;
mod path;
mod screening;
mod snapshot;

pub use active_set::EffectEntry;
pub(in crate::model) use gradients::{norm_of, shrink, shrunk};
pub(in crate::model) use kernels::Effects;
pub(in crate::model) use path::SquaredPath;
pub(in crate::model) use screening::Screening;
pub use snapshot::Snapshot;
pub(in crate::model) use snapshot::SnapshotBlock;
