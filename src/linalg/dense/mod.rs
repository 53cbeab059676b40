//! Dense symmetric matrices, in tiles of 4 × 4.
//!
//! Of most only the upper half is stored, and a product reads each tile once, for itself and
//! for its mirror image below the diagonal. Small ones ([`SmallMatrix`]) have all tiles.

mod inverse;
mod small;
mod tile;

pub(crate) use inverse::invert;
pub(crate) use small::{MAX_SMALL_QUADS, SmallMatrix, add_to_small};
pub(crate) use tile::{DenseProduct, Tile, add, get, tiles, times};
