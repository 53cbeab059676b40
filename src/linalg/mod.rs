//! Linear algebra that knows no votes: SIMD lanes, gather indices, dense symmetric
//! tiles.

pub(crate) mod dense;
pub(crate) mod gather;
pub(crate) mod simd;
