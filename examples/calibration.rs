//! Calibration of the verdicts and intervals on simulated votes, whose truth is
//! known: the false discovery rate, the power (the share of planted annotators that
//! are found), and the coverage of the intervals of scores and ranks.
//! `make calibration` runs it.
//!
//!     calibration [DRAWS]      200 by default

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{
    BiasTest, Execution, Fit, Options, Result, ResultSet, Simulation, VoteBuilder, Votes,
};

const RATES: [f64; 3] = [0.05, 0.1, 0.2];

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
    Ok(())
}

/// Simulated votes and their truth: the kind of each annotator, the score of each item.
struct MadeUp {
    votes: Votes,
    kinds: BTreeMap<i64, String>,
    scores: BTreeMap<i64, f64>,
}

impl MadeUp {
    fn new(simulation: Simulation) -> Result<Self> {
        let all = simulation.annotators;
        Self::some(simulation, all)
    }

    /// The votes of the first `annotators` only. A whole simulation has a fixed number
    /// of annotators of each kind; in the first few of a large one it is random.
    fn some(simulation: Simulation, annotators: usize) -> Result<Self> {
        let mut builder = VoteBuilder::new(&Options::default());
        let (mut kinds, mut scores) = (BTreeMap::new(), BTreeMap::new());
        for batch in simulation.run()? {
            let batch = batch?;
            let annotator = batch.column(0).as_primitive::<Int64Type>().values();
            let rows = annotator.partition_point(|&id| id <= annotators as i64);
            let batch = batch.slice(0, rows);
            if rows == 0 {
                break;
            }
            let ids = |k: usize| batch.column(k).as_primitive::<Int64Type>().values();
            for row in 0..rows {
                let kind = batch.column(4).as_string::<i32>().value(row);
                kinds.entry(ids(0)[row]).or_insert_with(|| kind.to_string());
                for (item, score) in [(1, 5), (2, 6)] {
                    let score = batch.column(score).as_primitive::<Float64Type>().value(row);
                    scores.insert(ids(item)[row], score);
                }
            }
            builder.push_batch(&batch)?;
        }
        let votes = builder.finish()?;
        Ok(Self {
            votes,
            kinds,
            scores,
        })
    }

    /// The share of false discoveries among the flagged annotators, and the share of
    /// the planted ones that are flagged.
    fn score(&self, table: &RecordBatch, flag: &str, planted: impl Fn(&str) -> bool) -> [f64; 2] {
        let ids = table.column(0).as_primitive::<Int64Type>().values();
        let flags = table.column_by_name(flag).expect("a column").as_boolean();
        let (mut flagged, mut correct, mut all) = (0.0, 0.0, 0.0);
        for (row, id) in ids.iter().enumerate() {
            let is = planted(&self.kinds[id]);
            flagged += f64::from(flags.value(row));
            correct += f64::from(flags.value(row) && is);
            all += f64::from(is);
        }
        [(flagged - correct) / f64::max(flagged, 1.0), correct / all]
    }
}

fn discoveries(careless: f64, personal: f64, draws: u64) -> Result<()> {
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

/// Votes, how they are fitted, and the scores that the intervals should cover.
struct Case {
    name: &'static str,
    simulation: Simulation,
    options: Options,
    truth: Truth,
}

/// Graded votes are differences of scores, so the truth is the scores. Votes of ±1
/// have another scale, so the truth is the scores that a large crowd gives.
enum Truth {
    Scores,
    /// A crowd of the same mixture, with the same model.
    Crowd,
    /// A crowd of honest annotators only, with HodgeRank.
    Honest,
}

/// So many annotators that the error of a crowd's scores is small compared with an
/// interval.
const CROWD: usize = 5000;

fn hodgerank_only() -> Options {
    Options {
        folds: 0,
        personal: false,
        position_bias: false,
        ..Options::default()
    }
}

fn coverage_cases() -> Vec<Case> {
    let graded = Simulation {
        graded: true,
        items: 15,
        votes_each: 60,
        ..Simulation::default()
    };
    let of = |annotators: usize, votes_each: usize| Simulation {
        annotators,
        votes_each,
        ..graded.clone()
    };
    let sides = |annotators: usize| Simulation {
        graded: false,
        ..of(annotators, 60)
    };
    let mixed = Options::default;
    let case = |name, simulation, options, truth| Case {
        name,
        simulation,
        options,
        truth,
    };
    use Truth::{Crowd, Honest, Scores};
    vec![
        case("graded votes, mixed model", graded.clone(), mixed(), Scores),
        case(
            "graded votes, HodgeRank alone",
            graded.clone(),
            hodgerank_only(),
            Scores,
        ),
        case(
            "graded votes, 15 annotators, mixed model",
            of(15, 60),
            mixed(),
            Scores,
        ),
        case(
            "graded votes, 15 annotators, HodgeRank",
            of(15, 60),
            hodgerank_only(),
            Scores,
        ),
        case(
            "graded votes, 30 annotators of 6 votes",
            of(30, 6),
            mixed(),
            Scores,
        ),
        case("votes of ±1, mixed model", sides(100), mixed(), Crowd),
        case(
            "the same, against honest annotators alone",
            sides(100),
            mixed(),
            Honest,
        ),
        case(
            "votes of ±1, HodgeRank alone",
            sides(100),
            hodgerank_only(),
            Crowd,
        ),
        case(
            "votes of ±1, 15 annotators, HodgeRank",
            sides(15),
            hodgerank_only(),
            Crowd,
        ),
    ]
}

/// The scores that the intervals should cover, with mean zero.
fn truth(case: &Case, seed: u64, scores: &BTreeMap<i64, f64>) -> Result<BTreeMap<i64, f64>> {
    let mean = scores.values().sum::<f64>() / scores.len() as f64;
    let (none, options) = match case.truth {
        Truth::Scores => {
            let centred = scores.iter().map(|(&id, score)| (id, score - mean));
            return Ok(centred.collect());
        }
        Truth::Crowd => (None, &case.options),
        Truth::Honest => (Some(0.0), &hodgerank_only()),
    };
    // The same seed draws the same scores.
    let crowd = MadeUp::new(Simulation {
        annotators: CROWD,
        careless: none,
        adversarial: none,
        personal: none,
        seed,
        ..case.simulation.clone()
    })?;
    let mut execution = Execution::new().early_stopping();
    let fit = Fit::new_within(&crowd.votes, options, &mut execution)?;
    let table = fit.table(ResultSet::Ranking)?;
    let ids = table.column(0).as_primitive::<Int64Type>().values();
    let scores = table.column_by_name("score").expect("a column");
    let scores = scores.as_primitive::<Float64Type>().values();
    Ok(ids.iter().copied().zip(scores.iter().copied()).collect())
}

fn coverage(case: &Case, draws: u64) -> Result<()> {
    let (mut held, mut all) = (0.0, 0.0);
    let (mut rank_held, mut width) = (0.0, 0.0);
    for seed in 0..draws {
        let annotators = case.simulation.annotators;
        let from = match case.truth {
            Truth::Scores => annotators,
            Truth::Crowd | Truth::Honest => CROWD,
        };
        let simulation = Simulation {
            seed,
            annotators: from,
            ..case.simulation.clone()
        };
        let MadeUp { votes, scores, .. } = MadeUp::some(simulation, annotators)?;
        let fit = Fit::new(&votes, &case.options)?;
        let truth = truth(case, seed, &scores)?;
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
            let rank = 1 + truth.values().filter(|&&other| other > truth[id]).count() as i64;
            held += f64::from(low[row] <= truth[id] && truth[id] <= high[row]);
            rank_held += f64::from((rank_low[row]..=rank_high[row]).contains(&rank));
            width += high[row] - low[row];
            all += 1.0;
        }
    }
    println!(
        "{:45} scores {:5.1} %   ranks {:5.1} %   mean width {:.3}",
        case.name,
        100.0 * held / all,
        100.0 * rank_held / all,
        width / all
    );
    Ok(())
}
