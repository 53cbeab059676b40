//! The DuckDB host: aggregates, scalar functions and a table function over
//! DuckDB's C API, and the SQL macros that make table functions of the aggregates.
//!
//! ```text
//! LOAD ── entry ─┬─ overloads ── aggregate: arguments ── state ── fit_struct
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
//! | `arguments.rs`, `call_options.rs` | the arguments of the aggregates |
//! | `state.rs`, `aggregate.rs`, `overloads.rs` | the aggregates |
//! | `fit_struct.rs` | a fit as one STRUCT |
//! | `scalar.rs` | what scalar functions share |
//! | `version.rs`, `predict.rs`, `pages.rs` | the scalar functions |
//! | `simulate.rs` | `me_hodgerank_simulate` |
//! | `macros.rs` | the table functions, as SQL macros |
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
mod fit_struct;
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
