//! The knockoff filter for position bias (Xu, Xiong, Cao, Yao, ICML 2016).
//!
//! With the scores projected out, X = (I − H)A for H = d(dᵀd)⁺dᵀ, and its columns
//! scaled to length 1, the position biases are a linear model y = Xγ + noise. A_vu is 1
//! if vote v is of annotator u; d has a row for each vote, 1 at the left item and −1 at
//! the right.
//!
//! Every column gets a [knockoff](design): a column with the same products with all
//! others that has nothing to do with y. All columns then enter one
//! [regularisation path](path). For each annotator the [filter] compares when the own
//! column and the knockoff enter. Where the knockoff enters first it is by chance; the
//! number of these says how many of the other annotators stand out by chance.

mod design;
mod filter;
mod path;
mod sparse;

pub use filter::{knockoff_selection, knockoff_statistics};
