//! Findings as Arrow batches: each kind of finding is a result set.
//!
//! The columns of all sets are listed in `columns.rs`, one line each. The Arrow
//! schema, the arrays and both hosts' declarations are made from that list.

mod builder;
mod column;
mod columns;
mod ids;
mod result_set;
mod set_arguments;
mod tables;

pub use column::{ColumnKind, ResultColumn};
#[allow(unused_imports, reason = "for the hosts, which are features")]
pub(crate) use ids::id_array;
pub use ids::id_data_type;
pub use result_set::ResultSet;
pub use set_arguments::SetArguments;
#[allow(unused_imports, reason = "for the hosts, which are features")]
pub(crate) use tables::hodgerank_ranking;
