//! Coverage of the intervals of scores and ranks.

use std::collections::BTreeMap;
use std::fmt;

use me_hodgerank::{Execution, Fit, IdRef, Options, Result, Simulation};

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
        personal: Some(false),
        position_bias: Some(false),
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
    let ranking = fit.ranking()?;
    Ok(ranking.iter().map(|x| (id(x.item), x.score)).collect())
}

pub fn coverage(case: &Case, draws: u64) -> Result<()> {
    let mut held = Held::default();
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
        held.add(&fit, &truth(case, seed, &scores)?)?;
    }
    println!("{:45} {held}", case.name);
    Ok(())
}

/// How many intervals held the truth, and how wide they were.
#[derive(Default)]
pub struct Held {
    scores: f64,
    ranks: f64,
    width: f64,
    all: f64,
}

impl Held {
    /// Counts the intervals of a fit.
    pub fn add(&mut self, fit: &Fit, truth: &BTreeMap<i64, f64>) -> Result<()> {
        for item in fit.ranking()? {
            let true_score = truth[&id(item.item)];
            let better = truth.values().filter(|&&other| other > true_score);
            let true_rank = 1 + better.count() as u64;
            self.add_interval((item.score_low, item.score_high), true_score);
            self.ranks += f64::from((item.rank_low..=item.rank_high).contains(&true_rank));
        }
        Ok(())
    }

    /// Counts an interval of a score.
    pub fn add_interval(&mut self, (low, high): (f64, f64), truth: f64) {
        self.scores += f64::from(low <= truth && truth <= high);
        self.width += high - low;
        self.all += 1.0;
    }

    /// The share of scores, in percent, and the mean width.
    pub fn scores_and_width(&self) -> String {
        let percent = 100.0 * self.scores / self.all;
        format!("{percent:5.1} %, width {:.3}", self.width / self.all)
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranks = 100.0 * self.ranks / self.all;
        write!(
            f,
            "scores {}   ranks {ranks:5.1} %",
            self.scores_and_width()
        )
    }
}

/// The number of an item.
pub fn id(item: IdRef<'_>) -> i64 {
    let IdRef::Int(id) = item else {
        panic!("ids are integers here");
    };
    id as i64
}
