//! What a caller can choose, with defaults and checks.
//!
//! A Rust program fills in [`Options`]; the SQL hosts pass the same names as JSON.
//! Both are checked by [`Options::check`].

mod enums;
mod fields;
mod json;
mod names;

pub use enums::{BiasTest, OnBadRow, PairModel, ThetaUpdate};
pub(crate) use fields::MAX_GRID_POINTS;
pub use fields::{Columns, MAX_FOLDS, Options};
pub(crate) use json::{JsonField, json_fields, read_fields, read_value};
pub(crate) use names::from_name;
