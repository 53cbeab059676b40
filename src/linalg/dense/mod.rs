//! Dense symmetric matrices.
//!
//! Only the upper half is stored, in tiles of 4 × 4. A product reads each tile
//! once, for itself and for its mirror image below the diagonal.

mod inverse;
mod tile;

pub(crate) use inverse::invert;
pub(crate) use tile::{DenseProduct, SmallMatrix, Tile, add, get, tiles, times};
