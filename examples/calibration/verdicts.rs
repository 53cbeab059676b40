//! How often each verdict is false, and how many of those planted are found.

use std::thread;

use me_hodgerank::{Fit, IdRef, Options, Result, Verdict};

use crate::crowds::{Crowd, Drawn, Kind, Shown, Sides, Weights};
use crate::discoveries::RATES;

/// A verdict that says something of somebody.
struct Word {
    name: &'static str,
    is: fn(Verdict) -> bool,
    /// Whom it is true of.
    true_of: &'static [Kind],
    /// Who should get it.
    sought: &'static [Kind],
}

const ONE_SIDE: &[Kind] = &[Kind::OneSide, Kind::AlwaysOneSide];

const WORDS: [Word; 4] = [
    Word {
        name: "one side",
        is: Verdict::is_about_sides,
        true_of: ONE_SIDE,
        sought: ONE_SIDE,
    },
    Word {
        name: "against",
        is: |verdict| matches!(verdict, Verdict::AgainstConsensus),
        true_of: &[Kind::Adversary],
        sought: &[Kind::Adversary],
    },
    Word {
        name: "no signal",
        is: |verdict| matches!(verdict, Verdict::NoSignal),
        true_of: &[Kind::Random, Kind::OneSide, Kind::AlwaysOneSide],
        sought: &[Kind::Random],
    },
    Word {
        name: "own taste",
        is: |verdict| matches!(verdict, Verdict::OwnTaste),
        true_of: &[Kind::OwnTaste],
        sought: &[Kind::OwnTaste],
    },
];

/// For one draw and rate: by verdict the share of false ones among those called, and how
/// many of the planted ones get it, if there are any.
type Outcome = [(f64, Option<f64>); WORDS.len()];

pub fn settings() -> Vec<(&'static str, Crowd)> {
    let default = Crowd::default;
    let some = |share: f64| {
        vec![
            (Kind::Random, share),
            (Kind::Adversary, share),
            (Kind::OwnTaste, share),
            (Kind::OneSide, share),
        ]
    };
    let with = |kinds: Vec<(Kind, f64)>| Crowd {
        kinds,
        ..Crowd::default()
    };
    vec![
        ("everybody honest", default()),
        ("a tenth of each kind", with(some(0.1))),
        ("30 % click at random", with(vec![(Kind::Random, 0.3)])),
        (
            "20 votes on 20 items, clear differences",
            Crowd {
                votes_each: 20,
                spread: 3.0,
                kinds: vec![(Kind::Adversary, 0.05), (Kind::Random, 0.05)],
                ..default()
            },
        ),
        (
            "60 votes on 1,000 items",
            Crowd {
                items: 1000,
                spread: 3.0,
                annotators: 200,
                kinds: vec![(Kind::Adversary, 0.05), (Kind::Random, 0.05)],
                ..default()
            },
        ),
        (
            "4 of 20 items, 100 votes, clear differences",
            Crowd {
                shown: Shown::Subset(4),
                votes_each: 100,
                spread: 2.5,
                ..default()
            },
        ),
        (
            "the same, a tenth with own taste",
            Crowd {
                shown: Shown::Subset(4),
                votes_each: 100,
                spread: 2.5,
                kinds: vec![(Kind::OwnTaste, 0.1)],
                ..default()
            },
        ),
        (
            "unequal noise",
            Crowd {
                unequal_noise: 0.8,
                ..default()
            },
        ),
        (
            "unequal noise, a tenth of each kind",
            Crowd {
                unequal_noise: 0.5,
                ..with(some(0.1))
            },
        ),
        (
            "only pairs that lie far apart",
            Crowd {
                shown: Shown::FarApart,
                spread: 2.0,
                unequal_noise: 0.5,
                ..default()
            },
        ),
        (
            "the same, a tenth of each kind",
            Crowd {
                shown: Shown::FarApart,
                unequal_noise: 0.3,
                ..with(some(0.1))
            },
        ),
        (
            "numbers of votes as 1/rank",
            Crowd {
                zipf: true,
                unequal_noise: 0.5,
                ..with(some(0.1))
            },
        ),
        (
            "every tenth vote is a slip",
            Crowd {
                lapses: 0.1,
                spread: 2.5,
                unequal_noise: 0.3,
                ..with(some(0.1))
            },
        ),
        (
            "better item left in 80 %",
            Crowd {
                sides: Sides::BetterLeft(0.8),
                ..with(some(0.1))
            },
        ),
        (
            "the same, unequal noise",
            Crowd {
                sides: Sides::BetterLeft(0.8),
                unequal_noise: 0.8,
                ..default()
            },
        ),
        (
            "better item left in 80 %, slips",
            Crowd {
                sides: Sides::BetterLeft(0.8),
                unequal_noise: 0.5,
                lapses: 0.1,
                spread: 2.5,
                ..with(some(0.1))
            },
        ),
        (
            "better item always left",
            Crowd {
                sides: Sides::BetterLeft(1.0),
                unequal_noise: 0.5,
                ..default()
            },
        ),
        (
            "half of the items always left",
            Crowd {
                sides: Sides::EvenLeft,
                ..with(some(0.1))
            },
        ),
        (
            "better left in 55 %",
            Crowd {
                sides: Sides::BetterLeft(0.55),
                unequal_noise: 0.5,
                ..with(some(0.1))
            },
        ),
        (
            "80 % left to half of them, right to the others",
            Crowd {
                sides: Sides::BetterLeftForHalf(0.8),
                unequal_noise: 0.5,
                ..with(some(0.1))
            },
        ),
        (
            "2,000 annotators of 10 votes",
            Crowd {
                annotators: 2000,
                votes_each: 10,
                kinds: vec![(Kind::AlwaysOneSide, 0.1)],
                ..default()
            },
        ),
        (
            "every weight is 3",
            Crowd {
                weights: Weights::Constant(3.0),
                ..with(some(0.1))
            },
        ),
        (
            "weights that vary (lognormal)",
            Crowd {
                weights: Weights::LogNormal(1.0),
                ..with(some(0.1))
            },
        ),
        (
            "graded votes",
            Crowd {
                graded: Some(1.0),
                ..with(vec![
                    (Kind::Random, 0.1),
                    (Kind::Adversary, 0.1),
                    (Kind::OwnTaste, 0.1),
                ])
            },
        ),
        (
            "graded votes, one typo of 1000",
            Crowd {
                graded: Some(1.0),
                typo: Some(1000.0),
                ..with(vec![(Kind::OwnTaste, 0.1)])
            },
        ),
        (
            "two camps, 50 % and 50 %",
            with(vec![(Kind::OtherCamp, 0.5)]),
        ),
        (
            "two camps, 60 % and 40 %",
            with(vec![(Kind::OtherCamp, 0.4)]),
        ),
        (
            "two camps that contradict each other",
            with(vec![(Kind::Adversary, 0.5)]),
        ),
        (
            "40 % have an own taste each",
            with(vec![(Kind::OwnTaste, 0.4)]),
        ),
        (
            "20 annotators",
            Crowd {
                annotators: 20,
                unequal_noise: 0.3,
                ..with(some(0.1))
            },
        ),
    ]
}

pub fn print_header() {
    let columns = WORDS.map(|word| format!(" {:^11} |", word.name));
    println!("{:46}       |{} split", "", columns.concat());
    println!("{:46}  rate |{} ", "", " false found |".repeat(WORDS.len()));
}

/// Prints what came out in a setting, a line for each rate.
pub fn verdicts(name: &str, crowd: &Crowd, draws: u64) -> Result<()> {
    let halves: Vec<_> = thread::scope(|scope| {
        let run = |first: u64| {
            let seeds = (first..draws).step_by(2);
            seeds
                .map(|seed| one_draw(crowd, seed))
                .collect::<Result<Vec<_>>>()
        };
        let threads = [0, 1].map(|first| scope.spawn(move || run(first)));
        threads
            .map(|thread| thread.join().expect("no panic"))
            .into()
    });
    let mut outcomes = Vec::new();
    for half in halves {
        outcomes.extend(half?);
    }
    let split = outcomes.iter().filter(|(_, split)| *split).count() as f64 / draws as f64;
    for (rate_index, rate) in RATES.iter().enumerate() {
        print!("{:46} {rate:5} |", if rate_index == 0 { name } else { "" });
        for verdict in 0..WORDS.len() {
            let cells = || outcomes.iter().map(|(rates, _)| rates[rate_index][verdict]);
            let wrong = mean(cells().map(|(wrong, _)| wrong));
            let spread = mean(cells().map(|(one, _)| (one - wrong).powi(2)));
            let error = (spread / draws as f64).sqrt();
            let mark = if wrong > rate + 2.0 * error { "!" } else { " " };
            let found = mean(cells().filter_map(|(_, found)| found));
            let found = if found.is_nan() {
                "    -".into()
            } else {
                format!("{:3.0} %", 100.0 * found)
            };
            print!(" {wrong:.3}{mark}{found} |");
        }
        println!(" {:3.0} %", 100.0 * split);
    }
    Ok(())
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// The outcomes at each rate, and whether the crowd is called split.
fn one_draw(crowd: &Crowd, seed: u64) -> Result<([Outcome; RATES.len()], bool)> {
    let drawn = crowd.draw(seed)?;
    let mut outcomes = [[(0.0, None); WORDS.len()]; RATES.len()];
    let mut split = false;
    // The tests do not use the path, so it may end at once.
    let options = Options {
        t: Some(0.0),
        ..Options::default()
    };
    let mut fit = Fit::new(&drawn.votes, &options)?;
    for (rate, outcome) in RATES.iter().zip(&mut outcomes) {
        fit = fit.with_fdr(*rate)?;
        (*outcome, split) = score(&fit, &drawn)?;
    }
    Ok((outcomes, split))
}

fn score(fit: &Fit, drawn: &Drawn) -> Result<(Outcome, bool)> {
    let mut counts = [[0.0; 4]; WORDS.len()];
    let mut split = false;
    for one in fit.annotators()? {
        let IdRef::Int(id) = one.annotator else {
            continue;
        };
        split |= one.camp.is_some();
        let kind = &drawn.kinds[id as usize];
        for (word, [called, wrong, planted, found]) in WORDS.iter().zip(&mut counts) {
            let (is_called, is_sought) = ((word.is)(one.verdict), word.sought.contains(kind));
            *called += f64::from(is_called);
            *wrong += f64::from(is_called && !word.true_of.contains(kind));
            *planted += f64::from(is_sought);
            *found += f64::from(is_called && is_sought);
        }
    }
    let outcome = counts.map(|[called, wrong, planted, found]| {
        let wrong = wrong / f64::max(called, 1.0);
        (wrong, (planted > 0.0).then(|| found / planted))
    });
    Ok((outcome, split))
}
