//! The model: numbers only. No Arrow, no SQL, no ids.
//!
//! ```text
//! Comparisons ─ Flow, Statistics ─ LaplacianSolver (HodgeRank) ─ Path ─ cross_validate
//! ```
//!
//! A vote of annotator u on (left i, right j) is a number y, and the model says
//! y = (θ_i + δ_i^u) − (θ_j + δ_j^u) + γ^u + noise: consensus scores θ, a deviation
//! δ^u that is zero for most annotators, a pull to the left γ^u that is zero for most.

mod blocks;
mod cv;
mod flow;
mod hodge;
mod hodgerank;
mod inference;
mod lbi;
mod norm;
mod problem;
mod settings;
mod statistics;

pub use cv::{CrossValidation, Scorer, cross_validate};
pub(crate) use cv::{CvExtent, CvInput, cross_validate_with};
pub use flow::{Flow, normal_quantile};
pub use hodge::{Cycles, Triangle, Triangles};
pub use hodgerank::{LaplacianSolver, SolveFrequency, SolverScratch};
pub use inference::evidence::{Evidence, normal_tail, q_values};
pub use inference::knockoff::{knockoff_selection, knockoff_statistics};
pub use inference::standard_errors::{Fitted, StandardErrors};
pub use lbi::{EffectEntry, Path, Snapshot};
pub use problem::Problem;
pub use settings::Settings;
pub use statistics::{AnnotatorStatistics, Statistics};
