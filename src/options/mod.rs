//! What a caller can choose, with defaults and checks.
//!
//! A Rust program fills in [`Options`]; the SQL hosts pass the same names as JSON.
//! Both are checked by [`Options::check`].

mod aggregate;
mod columns;
mod enums;
mod fields;
mod json;
mod names;

#[allow(unused_imports, reason = "for the hosts, which are features")]
pub(crate) use aggregate::refuse_text_weight;
pub use columns::{AnnotatorColumn, Columns};
#[allow(unused_imports, reason = "for the hosts, which are features")]
pub(crate) use columns::{COLUMN_SETS, ColumnSet, ReadColumns, position};
pub use enums::{BiasTest, Loss, OnBadRow, PairModel, ThetaUpdate};
pub(crate) use fields::MAX_GRID_POINTS;
pub use fields::{MAX_FOLDS, Options};
pub(crate) use json::{JsonField, json_fields, read_fields, set_value};
pub(crate) use names::from_name;
