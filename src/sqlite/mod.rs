//! The SQLite host: nothing statistical is decided here.
//!
//! ```text
//! a table or a SELECT ─ source.rs ─ ingest.rs ─┐
//! me_hodgerank_model(…) ─ aggregate.rs ────────┴─ a fit ─ table_call.rs ─ rows
//! me_hodgerank_collect(…) ─ aggregate.rs ─ a state ─ states.rs ─ a fit
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `sql_text.rs` | names of tables, quoted, and how a SELECT is recognised |
//! | `source.rs` | the statement that reads what `'votes'` names |
//! | `ingest.rs` | SQLite values as votes |
//! | `poll.rs` | how Ctrl-C and progress handlers stop a fit |
//! | `table_function.rs` | the table functions: their names, columns and arguments |
//! | `table_arguments.rs` | the arguments of one call of a table function |
//! | `table_call.rs` | the rows that a call returns |
//! | `virtual_table.rs` | the virtual table behind all table functions |
//! | `memory.rs` | the results that a statement has computed already |
//! | `values.rs` | Arrow values as SQLite values |
//! | `predict.rs` | `me_hodgerank_predict`, rows of another table |
//! | `candidates.rs` | the candidate pairs of `me_hodgerank_next` |
//! | `scalars.rs` | the scalar functions |
//! | `aggregate.rs` | `me_hodgerank_model`, votes to a model, and `me_hodgerank_collect`, to a state |
//! | `states.rs` | `me_hodgerank_merge`, and models of states |
//! | `error.rs`, `flags.rs` | SQL errors, and how functions are registered |
//! | `register.rs` | the functions that a program calls |
//! | `extension.rs` | the entry point of the loadable extension |

mod aggregate;
mod candidates;
mod error;
#[cfg(feature = "sqlite-extension")]
mod extension;
mod flags;
mod ingest;
mod memory;
mod poll;
mod predict;
mod register;
mod scalars;
mod source;
mod sql_text;
mod states;
mod table_arguments;
mod table_call;
mod table_function;
mod values;
mod virtual_table;

#[cfg(not(feature = "sqlite-extension"))]
pub use register::{read_votes, register};
#[cfg(not(feature = "sqlite-extension"))]
pub use rusqlite;

#[cfg(all(test, feature = "sqlite-extension"))]
compile_error!("sqlite-extension is for building the .so only: test with --features sqlite");
