//! Coverage of the intervals of scores and ranks.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{Execution, Fit, Options, Result, ResultSet, Simulation};

use crate::made_up::MadeUp;

/// Votes, how they are fitted, and the scores that the intervals should cover.
pub struct Case {
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

pub fn coverage_cases() -> Vec<Case> {
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

pub fn coverage(case: &Case, draws: u64) -> Result<()> {
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
