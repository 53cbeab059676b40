//! The model: numbers only. No Arrow, no SQL, no ids.
//!
//! ```text
//! Comparisons ─ Flow, Statistics ─ LaplacianSolver (HodgeRank) ─ Path ─ cross_validate
//! ```
//!
//! A vote of annotator u on (left i, right j) is a number y, and the model says
//! y = (θ_i + δ_i^u) − (θ_j + δ_j^u) + γ^u + noise: consensus scores θ, a deviation
//! δ^u that is zero for most annotators, a position bias γ^u that is zero for most.

mod active_sampling;
mod blocks;
mod cv;
mod distributions;
mod flow;
mod glm;
mod hodge;
mod hodgerank;
mod inference;
mod lbi;
mod loss;
mod norm;
mod pair_sums;
mod pair_variance;
mod path;
mod problem;
mod settings;
mod statistics;
mod table_median;
mod triangle_span;
mod triangle_test;
mod vote_model;

pub use active_sampling::{ActiveSampling, AskedPair};
pub use cv::{CrossValidation, Scorer, cross_validate};
pub(crate) use cv::{CvInput, cross_validate_with};
pub use distributions::{median, normal_quantile, normal_tail};
pub use flow::Flow;
pub(crate) use glm::consensus_scores;
pub use hodge::{Cycles, Triangle, Triangles};
pub use hodgerank::{LaplacianSolver, SolveFrequency, SolverScratch};
pub use inference::{
    ClusteredCovariance, Evidence, Fitted, ItemInverse, RefitContributions, ResistanceSolver,
    Resistances, ScoreCovariance, SideAssignment, SplitCrowd, StandardErrors, TestResults,
    Variance, agreement, knockoff_selection, knockoff_statistics, q_values,
};
pub use lbi::{EffectEntry, Snapshot};
pub use pair_variance::PairVariance;
pub use path::Path;
pub use problem::Problem;
pub use settings::Settings;
pub use statistics::{AnnotatorStatistics, Statistics};
pub(crate) use table_median::median_of_table;
pub use vote_model::VoteModel;
