//! How well the verdicts and the intervals keep their promises, on made-up
//! votes whose truth is known: the share of false discoveries among all, the
//! share of those planted that are found, and how often an interval holds the
//! true score. `make calibration` runs it.
//!
//!     calibration [DRAWS]      200 unless told

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{Fit, Options, Result, ResultSet, Run, Simulation, VoteBuilder};

const RATES: [f64; 3] = [0.05, 0.1, 0.2];

fn main() -> Result<()> {
    let draws = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let draws: u64 = draws.unwrap_or(200);
    println!("False discoveries among those called, and planted ones found, {draws} draws each");
    println!(
        "(100 annotators, 20 items, 60 votes each; called where the q-value is at most the rate)\n"
    );
    println!(
        "{:>9} {:>9} {:>6} | {:>11} {:>7} | {:>11} {:>7}",
        "careless", "own taste", "rate", "false sides", "found", "false taste", "found"
    );
    for personal in [0.0, 0.4] {
        for careless in [0.0, 0.05, 0.2] {
            discoveries(careless, personal, draws)?;
        }
    }
    println!("\n95 % intervals that hold the true score, {draws} draws each");
    for (name, simulation, options) in coverage_cases() {
        coverage(name, simulation, &options, draws)?;
    }
    Ok(())
}

/// A fit of made-up votes, and the truth: who is what, and the scores of items.
fn made_up(
    simulation: Simulation,
    options: &Options,
) -> Result<(Fit, BTreeMap<i64, String>, BTreeMap<i64, f64>)> {
    let mut builder = VoteBuilder::new(options);
    let (mut kinds, mut scores) = (BTreeMap::new(), BTreeMap::new());
    for batch in simulation.run()? {
        let batch = batch?;
        let ids = |k: usize| batch.column(k).as_primitive::<Int64Type>().values();
        for row in 0..batch.num_rows() {
            let kind = batch.column(4).as_string::<i32>().value(row);
            kinds.entry(ids(0)[row]).or_insert_with(|| kind.to_string());
            for (item, score) in [(1, 5), (2, 6)] {
                let score = batch.column(score).as_primitive::<Float64Type>().value(row);
                scores.insert(ids(item)[row], score);
            }
        }
        builder.push_batch(&batch)?;
    }
    let votes = builder.finish(&mut Run::new())?;
    let fit = Fit::new(&votes, options, &mut Run::new())?;
    Ok((fit, kinds, scores))
}

fn discoveries(careless: f64, personal: f64, draws: u64) -> Result<()> {
    // The tests do not look at the path.
    let options = Options {
        t: Some(0.0),
        ..Options::default()
    };
    let mut sums = [[0.0; 4]; RATES.len()];
    for seed in 0..draws {
        let simulation = Simulation {
            careless: Some(careless),
            personal: Some(personal),
            adversarial: Some(0.0),
            seed,
            ..Simulation::default()
        };
        let (fit, kinds, _) = made_up(simulation, &options)?;
        let table = fit.table(ResultSet::Annotators)?;
        let number = |name: &str| {
            let column = table.column_by_name(name).expect("a column");
            column.as_primitive::<Float64Type>().values().to_vec()
        };
        let ids = table.column(0).as_primitive::<Int64Type>().values();
        let (bias, deviation) = (number("position_bias_q_value"), number("deviation_q_value"));
        for (rate, sums) in RATES.iter().zip(&mut sums) {
            let score = |q: &[f64], planted: &dyn Fn(&str) -> bool| {
                let (mut called, mut wrong, mut right, mut all) = (0.0, 0.0, 0.0, 0.0);
                for (id, q) in ids.iter().zip(q) {
                    let (is, is_called) = (planted(&kinds[id]), *q <= *rate);
                    called += f64::from(is_called);
                    wrong += f64::from(is_called && !is);
                    right += f64::from(is_called && is);
                    all += f64::from(is);
                }
                (wrong / f64::max(called, 1.0), right / all)
            };
            let side = score(&bias, &|kind| kind == "careless");
            let taste = score(&deviation, &|kind| kind != "honest");
            for (sum, value) in sums.iter_mut().zip([side.0, side.1, taste.0, taste.1]) {
                *sum += value / draws as f64;
            }
        }
    }
    for (rate, sums) in RATES.iter().zip(sums) {
        let found = |share: f64| {
            if share.is_nan() {
                "-".into()
            } else {
                format!("{:.0} %", 100.0 * share)
            }
        };
        println!(
            "{:>9} {:>9} {:>6} | {:>11.3} {:>7} | {:>11.3} {:>7}",
            format!("{:.0} %", 100.0 * careless),
            format!("{:.0} %", 100.0 * personal),
            rate,
            sums[0],
            found(sums[1]),
            sums[2],
            found(sums[3])
        );
    }
    Ok(())
}

fn coverage_cases() -> Vec<(&'static str, Simulation, Options)> {
    let plain = Options {
        personal: false,
        position_bias: false,
        ..Options::default()
    };
    let graded = Simulation {
        graded: true,
        items: 15,
        votes_each: 60,
        ..Simulation::default()
    };
    vec![
        (
            "graded votes, mixed model",
            graded.clone(),
            Options::default(),
        ),
        (
            "graded votes, HodgeRank alone",
            graded.clone(),
            plain.clone(),
        ),
        (
            "graded votes, 15 annotators, mixed model",
            Simulation {
                annotators: 15,
                ..graded.clone()
            },
            Options::default(),
        ),
        (
            "graded votes, 15 annotators, HodgeRank",
            Simulation {
                annotators: 15,
                ..graded.clone()
            },
            plain,
        ),
        (
            "graded votes, 30 annotators of 6 votes",
            Simulation {
                annotators: 30,
                votes_each: 6,
                ..graded
            },
            Options::default(),
        ),
    ]
}

fn coverage(name: &str, simulation: Simulation, options: &Options, draws: u64) -> Result<()> {
    let (mut held, mut all) = (0.0, 0.0);
    let (mut rank_held, mut width) = (0.0, 0.0);
    for seed in 0..draws {
        let simulation = Simulation {
            seed,
            ..simulation.clone()
        };
        let (fit, _, scores) = made_up(simulation, options)?;
        let mean = scores.values().sum::<f64>() / scores.len() as f64;
        let table = fit.table(ResultSet::Ranking)?;
        let number = |name: &str| {
            table
                .column_by_name(name)
                .expect("a column")
                .as_primitive::<Float64Type>()
                .values()
                .to_vec()
        };
        let integer = |name: &str| {
            table
                .column_by_name(name)
                .expect("a column")
                .as_primitive::<Int64Type>()
                .values()
                .to_vec()
        };
        let (low, high) = (number("score_low"), number("score_high"));
        let (rank_low, rank_high) = (integer("rank_low"), integer("rank_high"));
        let ids = table.column(0).as_primitive::<Int64Type>().values();
        for (row, id) in ids.iter().enumerate() {
            let truth = scores[id] - mean;
            let rank = 1 + scores.values().filter(|&&other| other > scores[id]).count() as i64;
            held += f64::from(low[row] <= truth && truth <= high[row]);
            rank_held += f64::from((rank_low[row]..=rank_high[row]).contains(&rank));
            width += high[row] - low[row];
            all += 1.0;
        }
    }
    println!(
        "{name:45} scores {:5.1} %   ranks {:5.1} %   mean width {:.3}",
        100.0 * held / all,
        100.0 * rank_held / all,
        width / all
    );
    Ok(())
}
