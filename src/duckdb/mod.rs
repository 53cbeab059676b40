//! The DuckDB host: aggregates, scalar functions and a table function over
//! DuckDB's C API, and the SQL macros that users call.
//!
//! ```text
//! LOAD ── entry ─┬─ aggregate: state ─┬─ arguments ── fit_votes ── fit_jobs
//!                ├─ scalar: fit_list ─┘── state_list
//!                ├─ scalar: wait, result_rows ── fit_jobs
//!                ├─ scalar: version, predict, pages
//!                ├─ simulate
//!                └─ macros (SQL text), descriptions (comments on them)
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `entry.rs` | the entry point, which registers everything |
//! | `connection.rs` | the connection on which functions are registered |
//! | `error.rs` | errors and panics as texts for DuckDB |
//! | `type_ids.rs`, `logical_type.rs` | DuckDB's types |
//! | `input_vector.rs`, `output_vector.rs`, `hugeint.rs` | values in and out |
//! | `arguments.rs`, `call_options.rs` | columns of votes, and options |
//! | `state.rs`, `aggregate.rs` | the aggregate of the table functions, which collects votes |
//! | `fit_jobs.rs`, `wait.rs`, `result_rows.rs` | fits that a query waits for, and their rows |
//! | `fit_list.rs` | fits and states of lists of votes, which groups are collected in |
//! | `state_list.rs` | lists of states: one state of them, or their fit |
//! | `fit_votes.rs`, `fit_struct.rs` | a fit as result sets or as bytes |
//! | `scalar.rs` | what scalar functions share |
//! | `version.rs`, `predict.rs`, `pages.rs` | the scalar functions |
//! | `simulate.rs` | `me_hodgerank_simulate` |
//! | `macros.rs`, `descriptions.rs` | the SQL macros, and what is said of them |
//!
//! Nothing statistical is decided here. Only functions of the stable C API v1.2.0
//! are called, so that one binary loads in every DuckDB from 1.4 on.

#![allow(unsafe_code)]

mod aggregate;
mod arguments;
mod call_options;
mod connection;
mod descriptions;
mod entry;
mod error;
mod fit_jobs;
mod fit_list;
mod fit_struct;
mod fit_votes;
mod hugeint;
mod input_vector;
mod logical_type;
mod macros;
mod output_vector;
mod pages;
mod predict;
mod result_rows;
mod scalar;
mod simulate;
mod state;
mod state_list;
mod type_ids;
mod version;
mod wait;
