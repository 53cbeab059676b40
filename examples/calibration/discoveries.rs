//! False discoveries and power of the verdicts.

use me_hodgerank::{BiasTest, Fit, Options, Result, ResultSet, Simulation};

use crate::made_up::MadeUp;

pub const RATES: [f64; 3] = [0.05, 0.1, 0.2];

pub fn discoveries(careless: f64, personal: f64, draws: u64) -> Result<()> {
    let mut sums = [[[0.0; 2]; 4]; RATES.len()];
    for seed in 0..draws {
        let made_up = MadeUp::new(Simulation {
            careless: Some(careless),
            personal: Some(personal),
            adversarial: Some(0.0),
            seed,
            ..Simulation::default()
        })?;
        for (rate, sums) in RATES.iter().zip(&mut sums) {
            let table = |bias_test| {
                // The tests do not use the path, so it may end at once.
                let options = Options {
                    t: Some(0.0),
                    fdr: Some(*rate),
                    bias_test,
                    ..Options::default()
                };
                Fit::new(&made_up.votes, &options)?.table(ResultSet::Annotators)
            };
            let by_p_values = table(BiasTest::PValue)?;
            let side =
                |table| made_up.score(table, "is_position_biased", |kind| kind == "careless");
            let scores = [
                side(&by_p_values),
                side(&table(BiasTest::Knockoff)?),
                side(&table(BiasTest::KnockoffPlus)?),
                made_up.score(&by_p_values, "is_personalized", |kind| kind != "honest"),
            ];
            for (sum, score) in sums.iter_mut().zip(scores) {
                sum[0] += score[0] / draws as f64;
                sum[1] += score[1] / draws as f64;
            }
        }
    }
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    for (rate, sums) in RATES.iter().zip(sums) {
        print!(
            "{:>8} {:>9} {rate:>5}",
            percent(careless),
            percent(personal)
        );
        for [wrong, found] in sums {
            let found = if found.is_nan() {
                "-".into()
            } else {
                percent(found)
            };
            print!(" | {wrong:.3} {found:>5}");
        }
        println!();
    }
    Ok(())
}
