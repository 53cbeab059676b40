//! The annotators who stand out: the verdict on each, and what it rests on.

use super::id::id;
use super::verdict_counts::{badge, needs_a_look};
use crate::findings::{AnnotatorFinding, OwnRankings, Verdict};
use crate::render::text::{count, escape};
use crate::render::verdicts::{KINDS, kind};

/// So many of each kind are listed.
const MAX_LISTED: usize = 15;

/// Those whose votes need a look, the most concerning kind first, the surest first.
pub(super) fn to_look_at(
    annotators: &[AnnotatorFinding<'_>],
    own_rankings: &OwnRankings<'_>,
) -> String {
    let found = with_verdict(annotators, needs_a_look);
    if found.is_empty() {
        return "<p>Nobody: all annotators vote much as the others do or have a taste of their own, \
                whatever side the items stand on, or cast too few votes to tell.</p>\n"
            .into();
    }
    format!(
        "<p>These votes do not look like judgements of the items. They do not say why: it may be \
         haste, a misread question or a page that did not load. Ask before you refuse to pay.</p>\n{}",
        list(&found, own_rankings)
    )
}

/// Those with a taste of their own, and a word about the others.
pub(super) fn tastes(
    annotators: &[AnnotatorFinding<'_>],
    own_rankings: &OwnRankings<'_>,
) -> String {
    let found = with_verdict(annotators, |verdict| verdict == Verdict::OwnTaste);
    let tastes = match found.len() {
        0 => {
            "<p>Nobody's votes differ from those of the others by a taste of their own, as far as \
              can be told.</p>\n"
                .into()
        }
        _ => format!(
            "<p>A taste of one's own is no fault: these annotators prefer other items than the \
             others do, be it a little.</p>\n{}",
            list(&found, own_rankings)
        ),
    };
    tastes + &maybe_chance(annotators)
}

/// Those with such a verdict by kind, then by p-value, then by entry.
fn with_verdict<'a>(
    annotators: &'a [AnnotatorFinding<'a>],
    is: impl Fn(Verdict) -> bool,
) -> Vec<&'a AnnotatorFinding<'a>> {
    let mut found: Vec<_> = annotators.iter().filter(|one| is(one.verdict)).collect();
    found.sort_by(|a, b| {
        let by_kind = kind(a.verdict).cmp(&kind(b.verdict));
        by_kind.then(a.verdict_p_value.total_cmp(&b.verdict_p_value))
    });
    found
}

/// The first of each kind, and how to see the others.
fn list(found: &[&AnnotatorFinding<'_>], own_rankings: &OwnRankings<'_>) -> String {
    let mut lines = String::new();
    let mut left_out = Vec::new();
    for group in found.chunk_by(|a, b| kind(a.verdict) == kind(b.verdict)) {
        for annotator in group.iter().take(MAX_LISTED) {
            lines += &line(annotator, own_rankings);
        }
        let more = group.len().saturating_sub(MAX_LISTED);
        if let (1.., Some(kind)) = (more, kind(group[0].verdict)) {
            left_out.push(format!("{} “{}”", count(more as f64), KINDS[kind]));
        }
    }
    let note = match left_out.is_empty() {
        true => String::new(),
        false => format!(
            "<p class=\"note\">Not shown, less sure than those above: {}. This lists all, with the \
             name of your table: <code>{}</code></p>\n",
            left_out.join(", "),
            all_of(found)
        ),
    };
    format!("<ul class=\"people\">\n{lines}</ul>\n{note}")
}

/// The query that lists all annotators with these verdicts.
fn all_of(found: &[&AnnotatorFinding<'_>]) -> String {
    let mut verdicts: Vec<String> = Vec::new();
    for annotator in found {
        let name = format!("'{}'", annotator.verdict);
        if !verdicts.contains(&name) {
            verdicts.push(name);
        }
    }
    escape(&format!(
        "SELECT annotator, verdict, evidence FROM me_hodgerank_annotators('votes') WHERE verdict IN ({})",
        verdicts.join(", ")
    ))
}

fn line(annotator: &AnnotatorFinding<'_>, own_rankings: &OwnRankings<'_>) -> String {
    let verdict = annotator.verdict;
    let example = match verdict {
        Verdict::AgainstConsensus | Verdict::OwnTaste => {
            largest_difference(annotator, own_rankings).unwrap_or_default()
        }
        _ => String::new(),
    };
    let (name, badge, evidence) = (id(annotator.annotator), badge(verdict), &annotator.evidence);
    format!("<li><b>{name}</b> {badge} {evidence}{example}.</li>\n")
}

/// "; puts item tea at rank 20, the consensus at 2": the item that the annotator saw whose
/// rank differs most.
fn largest_difference(
    annotator: &AnnotatorFinding<'_>,
    own_rankings: &OwnRankings<'_>,
) -> Option<String> {
    let item = own_rankings.largest_difference(annotator.index)?;
    Some(format!(
        "; puts item {} at rank {}, the consensus at {}",
        id(item.item),
        item.rank,
        item.consensus_rank
    ))
}

/// Those to whom the model gives an effect that may be chance.
fn maybe_chance(annotators: &[AnnotatorFinding<'_>]) -> String {
    let has_effect = |one: &&AnnotatorFinding<'_>| one.position_bias != 0.0 || one.deviation != 0.0;
    let is_ok = |one: &&AnnotatorFinding<'_>| one.verdict == Verdict::Ok;
    match annotators.iter().filter(is_ok).filter(has_effect).count() {
        0 => String::new(),
        effects => format!(
            "<p>{} of the others {} a habit or a taste in the model as well, because that predicts \
             votes better; but it may well be chance, and the verdict is ok.</p>\n",
            count(effects as f64),
            if effects == 1 { "has" } else { "have" },
        ),
    }
}
