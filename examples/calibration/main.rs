//! Calibration of the verdicts and intervals on simulated votes, whose truth is
//! known: the false discovery rate, the power (the share of planted annotators that
//! are found), the coverage of the intervals of scores and ranks, and how many votes a
//! ranking needs by how pairs are chosen.
//! `make calibration` runs it.
//!
//!     calibration [DRAWS [PART]]
//!
//! 200 draws by default. A part is `verdicts`, `sides`, `leaving out`, `intervals`, `asking`, or words of
//! the name of a setting.

mod asking;
mod coverage;
mod crowds;
mod discoveries;
mod leaving_out;
mod made_up;
mod taste_coverage;
mod tastes;
mod verdicts;

use asking::asking;
use coverage::{coverage, coverage_cases};
use crowds::Kind;
use discoveries::discoveries;
use leaving_out::leaving_out;
use me_hodgerank::Result;
use taste_coverage::{taste_cases, taste_coverage};

/// A draw of intervals takes longer than one of verdicts, so there are fewer: one for so
/// many.
const INTERVAL_DRAWS: u64 = 5;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let draws = arguments.next().and_then(|text| text.parse().ok());
    let draws: u64 = draws.unwrap_or(200);
    let part = arguments.next().unwrap_or_default();
    let is_wanted = |name: &str| name.contains(&part);
    println!("False verdicts among those given, and planted annotators found, {draws} draws each");
    println!("(! where the false ones are more than the rate by two standard errors)\n");
    verdicts::print_header();
    for (name, crowd) in verdicts::settings() {
        if is_wanted(name) || is_wanted("verdicts") {
            verdicts::verdicts(name, &crowd, draws)?;
        }
    }
    if is_wanted("sides") {
        print_sides(draws)?;
    }
    if is_wanted("leaving out") {
        let draws = draws.div_ceil(INTERVAL_DRAWS);
        println!("\nKendall's τ of rankings with the truth, {draws} draws each (40 items)");
        leaving_out("30 % click at random", Kind::Random, draws)?;
        leaving_out("30 % vote against the others", Kind::Adversary, draws)?;
        leaving_out("30 % click one side", Kind::OneSide, draws)?;
    }
    if is_wanted("intervals") {
        let draws = draws.div_ceil(INTERVAL_DRAWS);
        println!("\n95 % intervals that hold the true score, {draws} draws each");
        for case in coverage_cases() {
            coverage(&case, draws)?;
        }
        println!("\nThe same where many annotators have a taste of their own, mixed model;");
        println!("beside it a bootstrap of the annotators, on one draw in 21");
        for case in taste_cases() {
            taste_coverage(&case, draws)?;
        }
    }
    if is_wanted("asking") {
        let draws = draws.div_ceil(INTERVAL_DRAWS);
        println!("\nKendall's τ with the truth by how pairs are chosen, {draws} draws each\n");
        asking(draws)?;
    }
    Ok(())
}

/// The tests for a favourite side beside each other.
fn print_sides(draws: u64) -> Result<()> {
    println!("\nFalse discoveries among those called, and planted ones found, {draws} draws each");
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
    Ok(())
}
