//! The model: numbers only. No Arrow, no SQL, no ids.
//!
//! ```text
//! Comparisons ─ Flow, Statistics ─ Consensus (HodgeRank) ─ Path ─ cross_validate
//! ```
//!
//! A vote of annotator u on (left i, right j) is a number y, and the model says
//! y = (θ_i + δ_i^u) − (θ_j + δ_j^u) + γ^u + noise: consensus scores θ, a deviation
//! δ^u that is zero for most annotators, a pull to the left γ^u that is zero for most.

mod blocks;
mod consensus;
mod cross_validation;
mod dense;
mod evidence;
mod flow;
mod hodge;
mod knockoff;
mod norm;
mod path;
mod places;
mod problem;
mod simd;
mod statistics;
mod uncertainty;

pub use consensus::{Consensus, Solves, Workspace};
pub use cross_validation::{CrossValidation, Scorer, cross_validate};
pub(crate) use cross_validation::{Curve, HeldOut};
pub use evidence::{Evidence, normal_tail, q_values};
pub use flow::{Flow, normal_quantile};
pub use hodge::{Cycles, Triangle, Triangles};
pub use knockoff::{knockoff_selection, knockoff_statistics};
pub use path::{Entry, Path, Settings, Snapshot};
pub use problem::Problem;
pub use statistics::{AnnotatorStatistics, Statistics};
pub use uncertainty::{Fitted, Uncertainty};
