//! HodgeRank: the least squares scores of a model in which all annotators agree.
//!
//! ```text
//! (Σ_u L_u) θ = r,   θ with mean zero in each connected component
//! ```
//!
//! Each component of the comparison graph is solved on its own:
//!
//! - **Small ones** with the inverse of L + w·11ᵀ/n, which is L⁺ on vectors that sum
//!   to zero; with elimination if the inverse would not be accurate.
//! - **Large, thin ones**, such as chains, ladders and grids, with elimination, which
//!   stays sparse there.
//! - **Other large ones** with conjugate gradients, preconditioned by the diagonal and
//!   started from a combination of earlier solutions. Large comparison graphs are
//!   nearly random graphs: on these a few iterations suffice, whereas a factorisation
//!   would fill up.
//! - **With weights so far apart** that r does not tell the scores, because a sum over
//!   an item's votes loses the light ones beside the heavy ones: from the flow, pair by
//!   pair. This takes an elimination for each solution, so it is for HodgeRank alone;
//!   a path of effects over such votes is refused.

mod component;
mod laplacian;
mod solver;
mod warm_start;

pub use component::SolveFrequency;
pub use solver::{LaplacianSolver, SolverScratch};
