//! The report: one HTML page about a fit that needs nothing but itself — no
//! network, no script, no font.

mod annotators;
mod caveats;
mod cycles;
mod decision;
mod id;
mod options;
mod overview;
mod page;
mod table;
mod verdict_counts;

pub use options::ReportOptions;
