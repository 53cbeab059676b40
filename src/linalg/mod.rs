//! Linear algebra that knows neither votes nor annotators.
//!
//! | module | holds |
//! |---|---|
//! | [`simd`] | four numbers at a time, compiled for the vectors that the machine has |
//! | [`special`] | the exponential, the logarithm and Mills' ratio, four at a time |
//! | [`vector`] | inner products and sums of vectors |
//! | [`gather`] | indices that were checked once, for lookups without a check |
//! | [`dense`] | symmetric matrices in tiles, their products and their inverse |
//! | [`csr`] | entries grouped by row; a weighted graph by rows |
//! | [`adjacency`] | many small graphs, laid out for products with their Laplacians |
//! | [`conjugate_gradient`] | the conjugate gradient method |
//! | [`jacobi`] | the same for one right-hand side, preconditioned by the diagonal |
//! | [`elimination`] | the factors of a sparse Laplacian, by elimination of nodes |
//! | [`weakest_link`] | how far light edges between heavy parts spoil a solution |
//! | [`lanczos`] | the largest eigenvalue |

pub(crate) mod adjacency;
pub(crate) mod conjugate_gradient;
pub(crate) mod csr;
pub(crate) mod dense;
pub(crate) mod elimination;
pub(crate) mod gather;
pub(crate) mod jacobi;
pub(crate) mod lanczos;
pub(crate) mod simd;
pub(crate) mod special;
pub(crate) mod vector;
pub(crate) mod weakest_link;
