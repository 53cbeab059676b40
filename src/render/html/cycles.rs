//! What the ranking leaves unexplained: how much of the votes is cyclic, where that
//! comes from, and the worst cycles. The report calls a cycle a circle.

use crate::error::Result;
use crate::execution::Stop;
use crate::findings::{
    FlowShares, Summary, TriangleFinding, flow_is_share_of_votes, worst_triangles,
};
use crate::fit::Fit;
use crate::render::text::{count, escape, label, percent, significant};

/// How many cycles are described.
const MAX_CYCLES: usize = 5;

/// Less than this share is rounding.
const ROUNDING: f64 = 1e-9;

pub(super) fn section(fit: &Fit, summary: &Summary, stop: &Stop) -> Result<String> {
    let parts = parts(&summary.shares);
    let cycles = list(fit, summary.ties > 0.0, stop)?;
    Ok(format!("<p>{parts}</p>\n{cycles}"))
}

/// The parts of the flow.
fn parts(shares: &FlowShares) -> String {
    let Some(consensus) = shares.consensus else {
        return "The votes on each pair cancel out: there is no preference to explain.".into();
    };
    if 1.0 - consensus < ROUNDING {
        return "One ranking for everybody explains all of it: nothing goes round in circles."
            .into();
    }
    let cycles = match (shares.local_cycle, shares.global_cycle) {
        (Some(local), Some(global)) => format!(
            ": {} in circles of three items (a over b, b over c, c over a), {} in longer ones.",
            percent(local),
            percent(global)
        ),
        _ => ". There are too many items to tell circles of three from longer ones.".into(),
    };
    format!(
        "One ranking for everybody explains {} of how the votes on the pairs lean. The rest goes \
         round in circles, which no ranking can explain{cycles} {}",
        percent(consensus),
        sources(shares)
    )
}

/// The sources of the cycles.
fn sources(shares: &FlowShares) -> String {
    let (Some(personal), Some(bias), Some(noise)) = (
        shares.personal_cycle,
        shares.position_bias_cycle,
        shares.noise_cycle,
    ) else {
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

/// The worst cycles of three items, each in a sentence.
fn list(fit: &Fit, has_ties: bool, stop: &Stop) -> Result<String> {
    let Some(triangles) = worst_triangles(fit, stop)? else {
        return Ok("<p>There are too many items to look for circles of three.</p>\n".into());
    };
    if triangles.is_empty() {
        return Ok(
            "<p>There is no circle of three items: no three were compared with each other, or \
             their votes fit each other without a rest.</p>\n"
                .into(),
        );
    }
    let is_share = flow_is_share_of_votes(fit)?;
    let cycles = triangles.iter().filter(|triangle| triangle.is_cycle);
    let lines = cycles.take(MAX_CYCLES).map(|cycle| {
        let sentence = sentence(cycle, is_share);
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
    let numbers = match (is_share, has_ties) {
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

/// "tea over milk (60 % of 40 votes), milk over cola (…), cola over tea (…)"; with
/// the flow itself where it is not a share of the votes.
fn sentence(cycle: &TriangleFinding<'_>, is_share: bool) -> String {
    let name = |item: usize| escape(&label(cycle.items[item]));
    let pairs = [(0, 1), (1, 2), (2, 0)].into_iter().enumerate();
    let pairs = pairs.map(|(pair, (over, under))| {
        let flow = cycle.flows[pair];
        let votes = match count(cycle.pair_votes[pair]).as_str() {
            "1" => "1 vote".to_string(),
            many => format!("{many} votes"),
        };
        let how_much = if is_share {
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
    pairs.collect::<Vec<_>>().join(", ")
}
