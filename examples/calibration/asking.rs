//! How many votes a ranking needs, by how the pairs are chosen: where `next_pairs` says, at
//! random, or the pair that was asked least often.

use std::fmt::Write;

use me_hodgerank::{Fit, IdRef, NextOptions, Options, Result, Row, VoteBuilder};

use crate::crowds::Random;

const ITEMS: usize = 20;

/// So many pairs are asked before the votes are fitted again.
const BATCH: usize = 20;

/// So many votes are cast in all.
const VOTES: usize = 4000;

/// What is to be reached.
const GOAL: f64 = 0.95;

/// How pairs are chosen.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Next,
    Random,
    LeastAsked,
}

const WAYS: [(Way, &str); 3] = [
    (Way::Next, "where next says"),
    (Way::Random, "random pairs"),
    (Way::LeastAsked, "least asked"),
];

/// Prints the mean of Kendall's τ with the truth after each batch, and draws it; and the
/// same for items that are close together, where no pair is one-sided.
pub fn asking(draws: u64) -> Result<()> {
    println!("scores from −1 to 1:");
    let curves = curves(1.0, draws)?;
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/asking.svg");
    match std::fs::write(&path, picture(&curves)) {
        Ok(()) => println!("drawn to {}", path.display()),
        Err(error) => println!("{}: {error}", path.display()),
    }
    println!("\nscores from −0.3 to 0.3:");
    self::curves(0.3, draws)?;
    Ok(())
}

/// The mean of Kendall's τ after each batch, by way of asking.
fn curves(spread: f64, draws: u64) -> Result<Vec<Vec<f64>>> {
    let mut curves = Vec::new();
    for (way, _) in WAYS {
        let mut mean = vec![0.0; VOTES / BATCH];
        for seed in 0..draws {
            for (sum, tau) in mean.iter_mut().zip(asked(way, spread, seed)?) {
                *sum += tau / draws as f64;
            }
        }
        curves.push(mean);
    }
    println!(
        "{:>8} {:>16} {:>16} {:>16}",
        "votes", WAYS[0].1, WAYS[1].1, WAYS[2].1
    );
    for batch in (9..VOTES / BATCH).step_by(10) {
        let at = |way: usize| format!("{:16.3}", curves[way][batch]);
        println!("{:8} {} {} {}", BATCH * (batch + 1), at(0), at(1), at(2));
    }
    for ((_, name), curve) in WAYS.iter().zip(&curves) {
        match reached(curve) {
            Some(votes) => println!("{name}: τ = {GOAL} after {votes} votes"),
            None => println!("{name}: τ = {GOAL} is not reached with {VOTES} votes"),
        }
    }
    Ok(curves)
}

/// The votes after which the goal is reached for good.
fn reached(curve: &[f64]) -> Option<usize> {
    let below = curve.iter().rposition(|&tau| tau < GOAL);
    let first = below.map_or(0, |batch| batch + 1);
    (first < curve.len()).then_some(BATCH * (first + 1))
}

/// Kendall's τ after each batch. The scores are evenly spaced, and an item wins if its score
/// is higher after normal noise, as in the simulated votes of this library.
fn asked(way: Way, spread: f64, seed: u64) -> Result<Vec<f64>> {
    let options = Options::from_json(r#"{"annotator": null}"#)?;
    let truth = |item: usize| spread * (2.0 * item as f64 / (ITEMS - 1) as f64 - 1.0);
    let mut random = Random::new(seed);
    let mut times = vec![0usize; ITEMS * ITEMS];
    let mut rows: Vec<(usize, usize, f64)> = Vec::new();
    let mut fit: Option<Fit> = None;
    let mut curve = Vec::new();
    while rows.len() < VOTES {
        for (left, right) in pairs(way, fit.as_ref(), &times, &mut random)? {
            times[left.min(right) * ITEMS + left.max(right)] += 1;
            let noise = 0.5 * (random.normal() - random.normal());
            let side = truth(left) - truth(right) + noise;
            rows.push((left, right, side.signum()));
        }
        let mut votes = VoteBuilder::new(&options);
        for &(left, right, choice) in &rows {
            votes.push(Row {
                annotator: None,
                ..Row::new(0, left, right, choice)
            })?;
        }
        let fitted = Fit::new(&votes.finish()?, &options)?;
        curve.push(tau(&fitted)?);
        fit = Some(fitted);
    }
    Ok(curve)
}

/// The next batch; the first is a ring, so that all is connected.
fn pairs(
    way: Way,
    fit: Option<&Fit>,
    times: &[usize],
    random: &mut Random,
) -> Result<Vec<(usize, usize)>> {
    let Some(fit) = fit else {
        return Ok((0..ITEMS).map(|item| (item, (item + 1) % ITEMS)).collect());
    };
    match way {
        Way::Random => {
            let pair = |_| {
                let left = random.below(ITEMS);
                (left, (left + 1 + random.below(ITEMS - 1)) % ITEMS)
            };
            Ok((0..BATCH).map(pair).collect())
        }
        Way::LeastAsked => {
            let all = (0..ITEMS).flat_map(|b| (0..b).map(move |a| (a, b)));
            let mut all: Vec<_> = all
                .map(|(a, b)| (times[a * ITEMS + b], random.below(1 << 30), (a, b)))
                .collect();
            all.sort_unstable();
            Ok(all
                .into_iter()
                .take(BATCH)
                .map(|(_, _, pair)| pair)
                .collect())
        }
        Way::Next => {
            let pairs = fit.next_pairs(NextOptions::n(BATCH), None)?;
            let pairs = pairs.iter().map(|pair| (item(pair.left), item(pair.right)));
            Ok(pairs.collect())
        }
    }
}

fn item(id: IdRef<'_>) -> usize {
    let IdRef::Int(id) = id else {
        panic!("ids are integers here");
    };
    id as usize
}

/// Kendall's τ with the truth, whose items are in order.
fn tau(fit: &Fit) -> Result<f64> {
    let mut scores = [0.0; ITEMS];
    for ranked in fit.ranking()? {
        scores[item(ranked.item)] = ranked.score;
    }
    let pairs = || (0..ITEMS).flat_map(|b| (0..b).map(move |a| (a, b)));
    let sum: f64 = pairs()
        .map(|(a, b)| f64::signum(scores[b] - scores[a]))
        .sum();
    Ok(sum / pairs().count() as f64)
}

/// The curves as an SVG document.
fn picture(curves: &[Vec<f64>]) -> String {
    let (left, right, top, bottom) = (56.0, 640.0, 30.0, 330.0);
    let (low, high) = (0.6, 1.0);
    let x = |votes: f64| left + (right - left) * votes / VOTES as f64;
    let y = |tau: f64| bottom - (bottom - top) * (tau.max(low) - low) / (high - low);
    let mut body = String::new();
    for tau in [0.6, 0.7, 0.8, 0.9, 0.95, 1.0] {
        let at = y(tau);
        let dash = if tau == GOAL {
            " stroke-dasharray=\"5 4\""
        } else {
            ""
        };
        let _ = writeln!(
            body,
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#c8ccd0\"{dash}/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tau}</text>",
            left - 8.0,
            at + 4.0
        );
    }
    for votes in (0..=VOTES).step_by(1000) {
        let at = x(votes as f64);
        let _ = writeln!(
            body,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{votes}</text>",
            bottom + 20.0
        );
    }
    let colours = ["#0072b2", "#d55e00", "#6e7781"];
    for ((curve, (_, name)), (k, colour)) in
        curves.iter().zip(WAYS).zip(colours.into_iter().enumerate())
    {
        let points = curve
            .iter()
            .enumerate()
            .map(|(batch, &tau)| format!("{:.1},{:.1}", x((BATCH * (batch + 1)) as f64), y(tau)));
        let points = points.collect::<Vec<_>>().join(" ");
        let legend = bottom - 16.0 - 20.0 * (2 - k) as f64;
        let _ = writeln!(
            body,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{:.1}\" y=\"{legend:.1}\" fill=\"{colour}\">{name}</text>",
            right - 150.0
        );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 380\" width=\"680\" height=\"380\" \
         font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"#1b1f24\">\n\
         <title>Kendall's τ with the truth, by how many votes were cast</title>\n\
         <rect width=\"680\" height=\"380\" fill=\"#ffffff\"/>\n\
         <text x=\"{left}\" y=\"18\">Kendall's τ with the truth; {ITEMS} items, votes of ±1</text>\n{body}\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">votes</text>\n</svg>\n",
        (left + right) / 2.0,
        bottom + 42.0
    )
}
