//! The report: one HTML page about a fit that needs nothing but itself — no
//! network, no script, no font.

mod annotators;
mod caveats;
mod cycles;
mod page;
mod table;
