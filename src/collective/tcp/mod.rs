//! Ranks that are processes, on one machine or on several, by TCP.
//!
//! All ranks talk to one *coordinator*, which adds up their parts and answers everybody with the
//! sum. It keeps all answers, in order. If a rank is lost, the others wait; another process
//! takes its place with the same votes and runs the program from the beginning. What was
//! exchanged already it gets from the coordinator's log, without waiting for anybody, and since the program is
//! deterministic it arrives where the lost one was, to the bit.
//!
//! A connection begins with a hello of the rank, which the coordinator answers with the
//! number of exchanges that are complete. Then the rank sends requests, and each has one answer:
//!
//! ```text
//! hello    magic, token, rank, ranks                      answer   status, exchanges
//! request  number of the exchange, kind, length, bytes    answer   status, length, bytes
//! ```
//!
//! All numbers are little-endian, of 64 bits.

mod coordinator;
mod log;
mod rank;
mod wire;

#[allow(unused_imports, reason = "for Python, which is a feature")]
pub use coordinator::Coordinator;
#[allow(unused_imports, reason = "for Python, which is a feature")]
pub(crate) use rank::TcpRank;

#[cfg(test)]
mod tests;
