//! What the ranking leaves unexplained: how much of the votes is cyclic, where that
//! comes from, and the cycles that are beyond chance.

use super::id::id;
use crate::error::Result;
use crate::execution::Stop;
use crate::findings::{
    FlowShares, Summary, TriangleFinding, flow_is_share_of_votes, worst_triangles,
};
use crate::fit::Fit;
use crate::render::text::{count, percent, significant};

/// How many cycles are described.
const MAX_CYCLES: usize = 5;

/// Less than this share is rounding.
const ROUNDING: f64 = 1e-9;

pub(super) fn section(fit: &Fit, summary: &Summary, stop: &Stop) -> Result<String> {
    let parts = parts(&summary.shares);
    let cycles = list(fit, summary, stop)?;
    Ok(format!("<p>{parts}</p>\n{cycles}"))
}

/// The parts of the flow.
fn parts(shares: &FlowShares) -> String {
    let Some(consensus) = shares.consensus else {
        return "The votes on each pair cancel out: there is no preference to explain.".into();
    };
    if 1.0 - consensus < ROUNDING {
        return "One ranking for everybody explains all of it: nothing goes round in cycles."
            .into();
    }
    let cycles = match (shares.local_cycle, shares.global_cycle) {
        (Some(local), Some(global)) => format!(
            ": {} in cycles of three items (a over b, b over c, c over a), {} in longer ones.",
            percent(local),
            percent(global)
        ),
        _ => ". There are too many items to tell cycles of three from longer ones.".into(),
    };
    format!(
        "One ranking for everybody explains {} of how the votes on the pairs lean. The rest goes \
         round in cycles, which no ranking can explain{cycles} {}{}",
        percent(consensus),
        chance(shares),
        sources(shares)
    )
}

/// How much of the flow would be cyclic by chance.
fn chance(shares: &FlowShares) -> String {
    match shares.chance {
        Some(chance) => format!(
            "Votes that differ by chance alone would put about {} into cycles. ",
            percent(f64::min(chance, 1.0))
        ),
        None => String::new(),
    }
}

/// The sources of the cycles.
fn sources(shares: &FlowShares) -> String {
    let (Some(personal), Some(bias)) = (shares.personal_cycle, shares.position_bias_cycle) else {
        return "Where they come from is told only with <code>pair_model</code> 'uniform'.".into();
    };
    let share = |share: f64| match share < -0.005 {
        true => format!("−{}", percent(-share)),
        false => percent(share),
    };
    let below_zero = match f64::min(personal, bias) < -0.005 {
        true => " (a share below zero: those turn the other way round)",
        false => "",
    };
    let rest = match (shares.noise_cycle, shares.shared_cycle) {
        (Some(noise), Some(shared)) => format!(
            "{} is noise, as much as chance gives; {} is beyond chance: cycles that the annotators \
             share, or votes so sure that they are not in proportion to any scores.",
            percent(noise),
            percent(shared)
        ),
        _ => "whether the rest is chance cannot be told, as no pair has votes of two annotators."
            .into(),
    };
    format!(
        "Of these cycles the model puts {} down to personal tastes and {} to favourite sides{below_zero}; \
         {rest}",
        share(personal),
        share(bias)
    )
}

/// The cycles of three items that are beyond chance, each in a sentence.
fn list(fit: &Fit, summary: &Summary, stop: &Stop) -> Result<String> {
    let Some(triangles) = worst_triangles(fit, stop)? else {
        return Ok("<p>There are too many items to look for cycles of three.</p>\n".into());
    };
    let mut cycles = triangles.iter().filter(|triangle| triangle.is_cycle);
    let is_share = flow_is_share_of_votes(fit)?;
    let significant = cycles
        .clone()
        .filter(|cycle| cycle.q_value <= summary.verdict_fdr);
    let lines: String = significant
        .take(MAX_CYCLES)
        .map(|cycle| format!("<li>{}.</li>\n", sentence(cycle, is_share)))
        .collect();
    if lines.is_empty() {
        let why = match (triangles.is_empty(), cycles.next().is_none()) {
            (true, _) => {
                "There is no cycle of three items: no three were compared with each other, or their \
                 votes fit each other without a rest."
            }
            (_, true) => {
                "There is no cycle of three items: nowhere do the votes prefer one item to a second, \
                 that to a third and the third to the first."
            }
            _ => {
                "No cycle of three items is beyond chance: where the votes go round, they do so \
                 about as far as votes on a ranking do by chance, or a pair has votes of fewer than \
                 three annotators."
            }
        };
        return Ok(format!("<p>{why}</p>\n"));
    }
    let numbers = match (is_share, summary.ties > 0.0) {
        (true, true) => "A tie counts half for either side. ",
        (true, false) => "",
        _ => "The numbers say how strongly; 0 is no preference. ",
    };
    Ok(format!(
        "<p>Cycles of three that are beyond chance:</p>\n<ol class=\"cycles\">\n{lines}</ol>\n\
         <p class=\"note\">{numbers}Of all such cycles at most {} are expected to be chance after \
         all. <code>SELECT * FROM me_hodgerank_triangles(&#39;votes&#39;)</code> lists more, with p- and \
         q-values.</p>\n",
        percent(summary.verdict_fdr)
    ))
}

/// "tea over milk (60 % of 40 votes), milk over cola (…), cola over tea (…)"; with
/// the flow itself where it is not a share of the votes.
fn sentence(cycle: &TriangleFinding<'_>, is_share: bool) -> String {
    let name = |item: usize| id(cycle.items[item]);
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
        format!("{} over {} ({how_much})", name(over), name(under))
    });
    pairs.collect::<Vec<_>>().join(", ")
}
