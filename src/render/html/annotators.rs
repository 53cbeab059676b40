//! The annotators who stand out: the verdict on each, and what it rests on.

use crate::findings::{AnnotatorFinding, MIN_UNTIED_VOTES, OwnRankings, Verdict};
use crate::render::text::{count, escape, label};

/// How many are listed.
const MAX_LISTED: usize = 30;

/// How many stand out, and in which way.
pub(super) fn in_short(annotators: &[AnnotatorFinding<'_>]) -> String {
    let kinds = [
        ("clicks", "click", "one side, whatever is shown there"),
        ("votes", "vote", "against the consensus"),
        ("casts", "cast", "votes that do not follow the items"),
        ("has", "have", "a taste of their own"),
    ];
    let mut parts = Vec::new();
    let mut all = 0;
    for (kind, (one, many, what)) in kinds.into_iter().enumerate() {
        let number = with_verdict(annotators, |verdict| concern(verdict) == Some(kind));
        all += number;
        match number {
            0 => {}
            1 => parts.push(format!("1 {one} {what}")),
            _ => parts.push(format!("{} {many} {what}", count(number as f64))),
        }
    }
    let stand_out = match all {
        0 => "None of them stands out.".into(),
        1 => format!("One of them stands out: {}.", parts.concat()),
        _ => format!(
            "{} of them stand out: {}.",
            count(all as f64),
            parts.join("; ")
        ),
    };
    match too_few(annotators) {
        0 => stand_out,
        few => format!(
            "{stand_out} Of {} there are too few votes to tell.",
            count(few as f64)
        ),
    }
}

/// Those who stand out, in order of concern, and a word about the others.
pub(super) fn list(
    annotators: &[AnnotatorFinding<'_>],
    own_rankings: &OwnRankings<'_>,
    fdr: f64,
) -> String {
    let outstanding = outstanding(annotators);
    let mut text = match outstanding.len() {
        0 => "<p>Nobody: all annotators vote much as the others do, whatever side the items \
              stand on, or cast too few votes to tell.</p>\n"
            .into(),
        _ => format!(
            "<p>Of those who are called something here, at most {} % are called so wrongly, on \
             average. A taste of one's own is no fault: it says that the votes differ from those \
             of the others, be it a little.</p>\n<ol class=\"people\">\n",
            (1e5 * fdr).round() / 1e3
        ),
    };
    for annotator in outstanding.iter().take(MAX_LISTED) {
        text += &line(annotator, own_rankings);
    }
    if !outstanding.is_empty() {
        text += "</ol>\n";
    }
    if outstanding.len() > MAX_LISTED {
        text += &format!(
            "<p class=\"note\">{} more stand out; <code>me_hodgerank_annotators</code> lists \
             them all.</p>\n",
            outstanding.len() - MAX_LISTED
        );
    }
    text + &others(annotators)
}

fn with_verdict(annotators: &[AnnotatorFinding<'_>], wanted: impl Fn(Verdict) -> bool) -> usize {
    let verdicts = annotators.iter().map(|one| one.verdict);
    verdicts.filter(|&verdict| wanted(verdict)).count()
}

fn too_few(annotators: &[AnnotatorFinding<'_>]) -> usize {
    with_verdict(annotators, |verdict| verdict == Verdict::TooFewVotes)
}

/// Those who stand out by concern, then by p-value, then by entry.
fn outstanding<'a>(annotators: &'a [AnnotatorFinding<'a>]) -> Vec<&'a AnnotatorFinding<'a>> {
    let has_concern = |one: &&AnnotatorFinding<'_>| concern(one.verdict).is_some();
    let mut outstanding: Vec<_> = annotators.iter().filter(has_concern).collect();
    outstanding.sort_by(|a, b| {
        let by_concern = concern(a.verdict).cmp(&concern(b.verdict));
        by_concern.then(a.verdict_p_value.total_cmp(&b.verdict_p_value))
    });
    outstanding
}

fn line(annotator: &AnnotatorFinding<'_>, own_rankings: &OwnRankings<'_>) -> String {
    let verdict = annotator.verdict;
    let name = escape(&label(annotator.annotator));
    let kind = concern(verdict).unwrap_or_default();
    let verdict_label = format!("<span class=\"verdict kind{kind}\">{verdict}</span>");
    let example = match verdict {
        Verdict::AgainstConsensus | Verdict::OwnTaste => {
            largest_difference(annotator, own_rankings).unwrap_or_default()
        }
        _ => String::new(),
    };
    let evidence = &annotator.evidence;
    format!("<li><b><bdi>{name}</bdi></b> {verdict_label} {evidence}{example}.</li>\n")
}

/// "; puts tea at rank 20, the consensus at 2": the item that the annotator saw whose
/// rank differs most.
fn largest_difference(
    annotator: &AnnotatorFinding<'_>,
    own_rankings: &OwnRankings<'_>,
) -> Option<String> {
    let item = own_rankings.largest_difference(annotator.index)?;
    Some(format!(
        "; puts <bdi>{}</bdi> at rank {}, the consensus at {}",
        escape(&label(item.item)),
        item.rank,
        item.consensus_rank
    ))
}

/// Those to whom the model gives an effect that may be chance, and those with too few
/// votes to tell.
fn others(annotators: &[AnnotatorFinding<'_>]) -> String {
    let has_effect = |one: &&AnnotatorFinding<'_>| one.position_bias != 0.0 || one.deviation != 0.0;
    let is_ok = |one: &&AnnotatorFinding<'_>| one.verdict == Verdict::Ok;
    let effects = annotators.iter().filter(is_ok).filter(has_effect).count();
    let few = too_few(annotators);
    let mut parts = Vec::new();
    if effects > 0 {
        parts.push(format!(
            "{} of the others {} a habit or a taste in the model as well, because that predicts \
             votes better; but it may well be chance, and the verdict is ok.",
            count(effects as f64),
            if effects == 1 { "has" } else { "have" },
        ));
    }
    if few > 0 {
        parts.push(format!(
            "Of {} there are too few votes to tell: fewer than {MIN_UNTIED_VOTES} that were not a \
             tie, or votes that agree with the others no more often than chance does.",
            count(few as f64)
        ));
    }
    match parts.len() {
        0 => String::new(),
        _ => format!("<p>{}</p>\n", parts.join(" ")),
    }
}

/// The position of a verdict among those that are listed, the most concerning first.
fn concern(verdict: Verdict) -> Option<usize> {
    match verdict {
        Verdict::ClicksLeft | Verdict::ClicksRight => Some(0),
        Verdict::AgainstConsensus => Some(1),
        Verdict::NoSignal => Some(2),
        Verdict::OwnTaste => Some(3),
        Verdict::TooFewVotes | Verdict::Ok => None,
    }
}
