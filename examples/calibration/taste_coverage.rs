//! Coverage of the intervals where many annotators have a taste of their own, compared
//! with a bootstrap of the annotators.

use std::collections::BTreeMap;

use me_hodgerank::{Execution, Fit, Options, Result, Votes};

use crate::coverage::{Held, id};
use crate::crowds::Random;
use crate::tastes::{TasteCrowd, TasteVotes};

/// So many refits in a bootstrap.
const REFITS: usize = 100;

/// One draw of so many is bootstrapped; no multiple of [`SCORE_SETS`], so that these are
/// of all sets.
const DRAWS_PER_BOOTSTRAP: u64 = 21;

/// So many different sets of scores. What a large crowd says is found once for each.
const SCORE_SETS: u64 = 5;

/// So many annotators that the error of a crowd's scores is small compared with an
/// interval.
const CROWD: usize = 20_000;

/// A crowd by its name.
pub struct TasteCase {
    name: &'static str,
    crowd: TasteCrowd,
}

pub fn taste_cases() -> Vec<TasteCase> {
    let few = TasteCrowd {
        items: 3,
        annotators: 30,
        votes_each: 40,
        share: 0.4,
        spread: 0.5,
        graded: true,
        weighted: false,
    };
    let heavy = TasteCrowd {
        items: 10,
        annotators: 10,
        votes_each: 60,
        share: 0.5,
        spread: 1.0,
        ..few
    };
    let many = TasteCrowd {
        items: 30,
        votes_each: 100,
        ..few
    };
    let of = |annotators: usize, crowd: TasteCrowd| TasteCrowd {
        annotators,
        ..crowd
    };
    let sides = |crowd: TasteCrowd| TasteCrowd {
        graded: false,
        spread: 1.0,
        ..crowd
    };
    let weighted = |crowd: TasteCrowd| TasteCrowd {
        weighted: true,
        ..crowd
    };
    let everybody = |crowd: TasteCrowd| TasteCrowd {
        share: 1.0,
        ..crowd
    };
    let thorough = |crowd: TasteCrowd| TasteCrowd {
        votes_each: 300,
        ..crowd
    };
    let case = |name, crowd| TasteCase { name, crowd };
    vec![
        case("3 items, 15 annotators", of(15, few)),
        case("3 items, 30 annotators", few),
        case("3 items, 100 annotators", of(100, few)),
        case("3 items, 15 annotators, ±1", of(15, sides(few))),
        case("3 items, 30 annotators, ±1", sides(few)),
        case("3 items, 100 annotators, ±1", of(100, sides(few))),
        case("10 items, 10 annotators, heavy tastes", heavy),
        case("the same, 300 votes each", thorough(heavy)),
        case("the same, everybody", thorough(everybody(heavy))),
        case("10 items, 10 annotators, heavy, ±1", sides(heavy)),
        case("10 items, 30 annotators, heavy", of(30, heavy)),
        case(
            "10 items, 30 annotators, heavy, weights",
            weighted(of(30, heavy)),
        ),
        case("10 items, 100 annotators, heavy, ±1", of(100, sides(heavy))),
        case("30 items, 15 annotators", of(15, many)),
        case("30 items, 100 annotators", of(100, many)),
        case("30 items, 100 annotators, weights", weighted(of(100, many))),
    ]
}

pub fn taste_coverage(case: &TasteCase, draws: u64) -> Result<()> {
    let options = case.crowd.options(Options::default());
    let (mut held, mut bootstrapped) = (Held::default(), Held::default());
    for set in 0..SCORE_SETS {
        let scores = case.crowd.scores(set);
        let truth = truth(&case.crowd, &scores, &options)?;
        for seed in (set..draws).step_by(SCORE_SETS as usize) {
            let votes = case.crowd.draw(&scores, seed);
            let fit = fit(&votes.all(&options)?, &options)?;
            held.add(&fit, &truth)?;
            if seed % DRAWS_PER_BOOTSTRAP == 0 {
                bootstrap(&votes, &fit, &options, &truth, &mut bootstrapped)?;
            }
        }
    }
    let bootstrapped = bootstrapped.scores_and_width();
    println!("{:45} {held}   bootstrap {bootstrapped}", case.name);
    Ok(())
}

fn fit(votes: &Votes, options: &Options) -> Result<Fit> {
    Fit::new_within(votes, options, &mut Execution::new().early_stopping())
}

/// The scores of a fit.
fn scores(fit: &Fit) -> Result<BTreeMap<i64, f64>> {
    let ranking = fit.ranking()?;
    Ok(ranking.iter().map(|x| (id(x.item), x.score)).collect())
}

/// Graded votes are differences of scores, so the truth is the scores. Votes of ±1 have
/// another scale, so the truth is the scores that a large crowd gives.
fn truth(crowd: &TasteCrowd, truth: &[f64], options: &Options) -> Result<BTreeMap<i64, f64>> {
    if crowd.graded {
        let mean = truth.iter().sum::<f64>() / truth.len() as f64;
        return Ok((0..).zip(truth.iter().map(|score| score - mean)).collect());
    }
    let large = TasteCrowd {
        annotators: CROWD,
        ..*crowd
    };
    scores(&fit(&large.draw(truth, u64::MAX).all(options)?, options)?)
}

/// Intervals from refits with annotators drawn with replacement: score ± 1.96 standard
/// deviations of the refits.
fn bootstrap(
    votes: &TasteVotes,
    original: &Fit,
    options: &Options,
    truth: &BTreeMap<i64, f64>,
    held: &mut Held,
) -> Result<()> {
    let annotators = votes.0.len();
    let mut random = Random::new(1);
    let mut refits = Vec::with_capacity(REFITS);
    for _ in 0..REFITS {
        let drawn: Vec<usize> = (0..annotators).map(|_| random.below(annotators)).collect();
        refits.push(scores(&fit(&votes.of(drawn, options)?, options)?)?);
    }
    for (item, score) in scores(original)? {
        let mean = refits.iter().map(|refit| refit[&item]).sum::<f64>() / REFITS as f64;
        let squares = refits.iter().map(|refit| (refit[&item] - mean).powi(2));
        let deviation = (squares.sum::<f64>() / (REFITS - 1) as f64).sqrt();
        let half = 1.96 * deviation;
        held.add_interval((score - half, score + half), truth[&item]);
    }
    Ok(())
}
