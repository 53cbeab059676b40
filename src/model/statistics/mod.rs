//! Votes collapsed to statistics of each annotator. The path computes with these
//! alone; only cross-validation, which predicts held-out votes, and inference
//! read votes again.
//!
//! For annotator u, over only the items that u saw, with e_i the unit vector of
//! item i and the sums over u's votes (left i, right j, choice y, weight ω):
//!
//! ```text
//! L_u = Σ ω (e_i − e_j)(e_i − e_j)ᵀ    a graph Laplacian over u's items
//! a_u = Σ ω (e_i − e_j)                how often left minus how often right
//! b_u = Σ ω y (e_i − e_j)              net wins
//! N_u = Σ ω,   s_u = Σ ω y
//! ```
//!
//! The gradient of the loss is linear in these: at scores x = θ + δ^u it is
//! b_u − L_u x − a_u γ^u for the deviation and s_u − a_uᵀx − N_u γ^u for the
//! position bias.
//!
//! Loops over an annotator's items go four at a time. So each annotator's vectors
//! are filled up to complete quads: numbers with zeros, items with the last item.

mod annotators;
mod block;
mod side_sums;

pub(crate) use crate::linalg::adjacency::Adjacency;
pub(crate) use annotators::{AnnotatorQuads, StatisticsSizes};
pub use annotators::{AnnotatorStatistics, Statistics};
pub(crate) use block::BlockStatistics;
pub(crate) use side_sums::{SideSlices, SideSumsOf};
