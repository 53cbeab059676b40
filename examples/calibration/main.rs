//! Calibration of the verdicts and intervals on simulated votes, whose truth is
//! known: the false discovery rate, the power (the share of planted annotators that
//! are found), and the coverage of the intervals of scores and ranks.
//! `make calibration` runs it.
//!
//!     calibration [DRAWS]      200 by default

mod coverage;
mod discoveries;
mod made_up;
mod taste_coverage;
mod tastes;

use coverage::{coverage, coverage_cases};
use discoveries::discoveries;
use me_hodgerank::Result;
use taste_coverage::{taste_cases, taste_coverage};

fn main() -> Result<()> {
    let draws = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let draws: u64 = draws.unwrap_or(200);
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
    println!("\nThe same where many annotators have a taste of their own, mixed model;");
    println!("beside it a bootstrap of the annotators, on one draw in 21");
    for case in taste_cases() {
        taste_coverage(&case, draws)?;
    }
    Ok(())
}
