//! HodgeRank: the least squares scores of a model in which all annotators agree.
//!
//! ```text
//! (Σ_u L_u) θ = r,   θ with mean zero in each connected component
//! ```
//!
//! Each component of the comparison graph is solved on its own. Small components
//! use the inverse of L + w·11ᵀ/n, which is L⁺ on vectors that sum to zero. Large
//! ones use conjugate gradients, preconditioned by the diagonal and started from
//! a combination of earlier solutions. Large comparison graphs are nearly random
//! graphs: on these a few iterations suffice, whereas a factorisation would fill up.

mod component;
mod laplacian;
mod solver;
mod warm_start;

pub use component::SolveFrequency;
pub use solver::{LaplacianSolver, SolverScratch};
