//! Calibration of the verdicts and intervals on simulated votes, whose truth is
//! known: the false discovery rate, the power (the share of planted annotators that
//! are found), and the coverage of the intervals of scores and ranks.
//! `make calibration` runs it.
//!
//!     calibration [DRAWS]      200 by default

mod coverage;
mod crowds;
mod discoveries;
mod made_up;
mod verdicts;

use coverage::{coverage, coverage_cases};
use discoveries::discoveries;
use me_hodgerank::Result;

fn main() -> Result<()> {
    let only = std::env::args().nth(2).unwrap_or_default();
    let draws = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let draws: u64 = draws.unwrap_or(200);
    println!("False verdicts among those given, and planted annotators found, {draws} draws each");
    verdicts::print_header();
    for (name, crowd) in verdicts::settings() {
        if name.contains(&only) {
            verdicts::verdicts(name, &crowd, draws)?;
        }
    }
    if !only.is_empty() {
        return Ok(());
    }
    println!("False discoveries among those called, and planted ones found, {draws} draws each");
    println!(
        "(100 annotators, 20 items, 60 votes each; called where the q-value is at most the rate)\n"
    );
    println!("                        |  favourite side, called by              |");
    println!("                        |   p-values  |   knockoff  |  knockoff+  | own taste");
    println!("careless own taste  fdr | false found | false found | false found | false found");
    for personal in [0.0, 0.4] {
        for careless in [0.0, 0.05, 0.2] {
            discoveries(careless, personal, draws)?;
        }
    }
    println!("\n95 % intervals that hold the true score, {draws} draws each");
    for case in coverage_cases() {
        coverage(&case, draws)?;
    }
    Ok(())
}
