//! The DuckDB host: aggregates, scalar functions and a table function over
//! DuckDB's C API, and the SQL macros that users call.
//!
//! ```text
//! LOAD ── entry ─┬─ overloads ── aggregate: state ─┬─ arguments ── fit_votes
//!                ├─ scalar: fit_list ──────────────┘
//!                ├─ scalar: version, predict, pages
//!                ├─ simulate
//!                └─ macros (SQL text)
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
//! | `state.rs`, `aggregate.rs`, `overloads.rs` | the aggregates of the table functions |
//! | `fit_list.rs` | fits of lists of votes, which groups are collected in |
//! | `fit_votes.rs`, `fit_struct.rs` | a fit as one STRUCT or as bytes |
//! | `scalar.rs` | what scalar functions share |
//! | `version.rs`, `predict.rs`, `pages.rs` | the scalar functions |
//! | `simulate.rs` | `me_hodgerank_simulate` |
//! | `macros.rs` | the SQL macros |
//!
//! Nothing statistical is decided here. Only functions of the stable C API v1.2.0
//! are called, so that one binary loads in every DuckDB from 1.4 on.

#![allow(unsafe_code)]

mod aggregate;
mod arguments;
mod call_options;
mod connection;
mod entry;
mod error;
mod fit_list;
mod fit_struct;
mod fit_votes;
mod hugeint;
mod input_vector;
mod logical_type;
mod macros;
mod output_vector;
mod overloads;
mod pages;
mod predict;
mod scalar;
mod simulate;
mod state;
mod type_ids;
mod version;
