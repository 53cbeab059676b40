//! What the ranking leaves unexplained: how much of the votes goes round in
//! circles, where that comes from, and the worst circles.

use super::{count, percent};
use crate::error::Result;
use crate::execution::Stop;
use crate::fit::{ChosenModel, Fit};
use crate::model::Triangle;
use crate::render::arrow::{Shares, worst};
use crate::render::svg::{escape, shown, significant};

/// How many circles are described.
const MOST: usize = 5;

/// Less than this share is rounding.
const NOTHING: f64 = 1e-9;

pub(super) fn section(fit: &Fit, chosen: &ChosenModel, stop: &Stop) -> Result<String> {
    let shares = Shares::new(fit, chosen, stop)?;
    Ok(format!(
        "<p>{}</p>\n{}",
        parts(&shares),
        list(fit, chosen, stop)?
    ))
}

fn parts(shares: &Shares) -> String {
    let Some(consensus) = shares.consensus else {
        return "The votes on each pair cancel out: there is no preference to explain.".into();
    };
    if 1.0 - consensus < NOTHING {
        return "One ranking for everybody explains all of it: nothing goes round in circles."
            .into();
    }
    let circles = match (shares.local, shares.global) {
        (Some(local), Some(global)) => format!(
            ": {} in circles of three items (a over b, b over c, c over a), {} in longer ones.",
            percent(local),
            percent(global)
        ),
        _ => ". There are too many items to tell circles of three from longer ones.".into(),
    };
    format!(
        "One ranking for everybody explains {} of how the votes on the pairs lean. The rest goes \
         round in circles, which no ranking can explain{circles} {}",
        percent(consensus),
        sources(shares)
    )
}

/// Where the circles come from.
fn sources(shares: &Shares) -> String {
    let (Some(personal), Some(bias), Some(noise)) =
        (shares.personal, shares.position_bias, shares.noise)
    else {
        return "Where they come from is told only with <code>pair_model</code> 'uniform'.".into();
    };
    format!(
        "Of these circles the model puts {} down to personal tastes and {} to favourite sides; {} is \
         noise, which is chance or something that votes do not show.",
        percent(personal),
        percent(bias),
        percent(noise)
    )
}

/// The worst circles of three, each in a sentence.
fn list(fit: &Fit, chosen: &ChosenModel, stop: &Stop) -> Result<String> {
    let Some(triangles) = worst(fit, stop)? else {
        return Ok("<p>There are too many items to look for circles of three.</p>\n".into());
    };
    if triangles.is_empty() {
        return Ok(
            "<p>There is no circle of three items: no three were compared with each other, or \
             their votes fit each other without a rest.</p>\n"
                .into(),
        );
    }
    let is_plain = is_plain(fit, chosen);
    let circles = triangles.iter().filter(|triangle| triangle.is_cycle());
    let lines = circles.take(MOST).map(|circle| {
        let sentence = sentence(fit, circle, is_plain);
        format!("<li>{sentence}.</li>\n")
    });
    let lines: String = lines.collect();
    if lines.is_empty() {
        return Ok(
            "<p>There is no circle of three items: nowhere do the votes prefer one item to a \
             second, that to a third and the third to the first.</p>\n"
                .into(),
        );
    }
    let has_ties = fit.tally.ties.iter().any(|&ties| ties > 0.0);
    let numbers = match (is_plain, has_ties) {
        (true, true) => "A tie counts half for either side. Shares near 50 %",
        (true, false) => "Shares near 50 %",
        _ => "The numbers say how strongly; 0 is no preference. Small ones",
    };
    Ok(format!(
        "<p>The worst circles of three:</p>\n<ol class=\"circles\">\n{lines}</ol>\n\
         <p class=\"note\">{numbers}, or of few votes, are easily chance; a circle says something if \
         all three are clear. <code>me_hodgerank_triangles</code> lists more.</p>\n"
    ))
}

/// "tea over milk (60 % of 40 votes), milk over cola (…), cola over tea (…)"
fn sentence(fit: &Fit, circle: &Triangle, is_plain: bool) -> String {
    let [a, b, c] = circle.items.map(|item| item as usize);
    let name = |item: usize| escape(&shown(fit.items.get(item)));
    let sides = [(a, b), (b, c), (c, a)].into_iter().zip(circle.flow);
    let sides = sides.map(|((over, under), flow)| {
        let pair = fit.flow.pair(over.min(under), over.max(under));
        let votes = match count(fit.flow.weight[pair]).as_str() {
            "1" => "1 vote".to_string(),
            many => format!("{many} votes"),
        };
        let how_much = if is_plain {
            format!("{} of {votes}", percent(0.5 + 0.5 * flow))
        } else {
            format!("by {}, {votes}", significant(flow))
        };
        format!(
            "<bdi>{}</bdi> over <bdi>{}</bdi> ({how_much})",
            name(over),
            name(under)
        )
    });
    sides.collect::<Vec<_>>().join(", ")
}

/// Whether the flow of a pair says which share of its votes each item has: not
/// with other pair models (then nothing is known of where circles come from),
/// nor if votes have strengths (then flows do not add up to what an item won
/// less what it lost).
fn is_plain(fit: &Fit, chosen: &ChosenModel) -> bool {
    let (flow, tally) = (&fit.flow, &fit.tally);
    let near = |x: f64, y: f64, size: f64| (x - y).abs() <= NOTHING * (1.0 + size);
    let is_whole = |x: f64| near(x, x.round(), x.abs());
    let mut pairs = flow.weight.iter().zip(&flow.value);
    let mut items = flow.divergence(&flow.value).into_iter().enumerate();
    chosen.circles.is_some()
        && pairs.all(|(&votes, &value)| {
            value.abs() <= 1.0 && (is_whole(votes * value) || !is_whole(votes))
        })
        && items.all(|(item, sum)| {
            let (won, lost) = (tally.wins[item], tally.losses[item]);
            near(sum, won - lost, won + lost)
        })
}
