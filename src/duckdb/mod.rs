//! The DuckDB host: an aggregate, a scalar and a table function over DuckDB's
//! C API, and the SQL macros that make table functions of the aggregate.
//!
//! ```text
//! LOAD ── entry ─┬─ overloads ── aggregate: input (vectors in) ── state ── result (vectors out)
//!                ├─ simulate, version
//!                ├─ model: scalar functions of a model
//!                └─ macros (SQL text)
//! ```
//!
//! Glue only: nothing here knows any statistics. All `unsafe` code of the
//! DuckDB host is in this folder. Only functions of the stable C API v1.2.0 are
//! called, so that one binary loads in every DuckDB from 1.4 on.

mod aggregate;
mod column;
mod connection;
mod entry;
mod handles;
mod input;
mod macros;
mod model;
mod options;
mod overloads;
mod result;
mod simulate;
mod state;
mod version;
