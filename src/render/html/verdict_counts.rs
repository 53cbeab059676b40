//! How many annotators have each verdict, on how many votes, and what it means.

use crate::findings::{AnnotatorFinding, MIN_UNTIED_VOTES, Verdict};
use crate::render::text::{count, percent};
use crate::render::verdicts::kind;

/// The verdicts, the most concerning first.
const ORDER: [Verdict; 7] = [
    Verdict::ClicksLeft,
    Verdict::ClicksRight,
    Verdict::AgainstConsensus,
    Verdict::NoSignal,
    Verdict::OwnTaste,
    Verdict::TooFewVotes,
    Verdict::Ok,
];

/// Whether a verdict is a reason to look at the votes before paying for them.
pub(super) fn needs_a_look(verdict: Verdict) -> bool {
    kind(verdict).is_some() && verdict != Verdict::OwnTaste
}

/// The answer in a sentence.
pub(super) fn headline(annotators: &[AnnotatorFinding<'_>]) -> String {
    let all = count(annotators.len() as f64);
    let (found, votes) = total(annotators, needs_a_look);
    let (_, all_votes) = total(annotators, |_| true);
    let cast = format!("{} of the {} votes", count(votes), count(all_votes));
    let answer = match found {
        0 => "Nobody's votes need a look before they are paid for.".into(),
        1 => format!(
            "The votes of 1 of {all} annotators need a look before they are paid for: {cast}."
        ),
        _ => format!(
            "The votes of {} of {all} annotators need a look before they are paid for: {cast}.",
            count(found as f64)
        ),
    };
    match total(annotators, |one| one == Verdict::TooFewVotes) {
        (0, _) => answer,
        (few, _) => format!("{answer} {} cast too few to tell.", count(few as f64)),
    }
}

/// How many annotators have such a verdict, and their votes.
fn total(annotators: &[AnnotatorFinding<'_>], is: impl Fn(Verdict) -> bool) -> (usize, f64) {
    let found = || annotators.iter().filter(|one| is(one.verdict));
    (found().count(), found().map(|one| one.votes).sum())
}

/// The verdicts that somebody has.
pub(super) fn table(annotators: &[AnnotatorFinding<'_>], fdr: f64) -> String {
    let mut rows = String::new();
    for verdict in ORDER {
        let (found, votes) = total(annotators, |one| one == verdict);
        if found > 0 {
            rows += &format!(
                "<tr><td class=\"word\">{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>\n",
                badge(verdict),
                count(found as f64),
                count(votes),
                meaning(verdict)
            );
        }
    }
    let error_rate = match annotators.iter().any(|one| kind(one.verdict).is_some()) {
        true => format!(
            "<p class=\"note\">Of the verdicts other than “ok” and “too few votes to tell” at most \
             {} are wrong, on average.</p>\n",
            percent(fdr)
        ),
        false => String::new(),
    };
    format!(
        "<table class=\"verdicts\">\n<thead><tr><th class=\"word\">verdict</th><th>annotators</th>\
         <th>votes</th><th class=\"text\">what it means</th></tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table>\n{error_rate}"
    )
}

/// A verdict in its colour.
pub(super) fn badge(verdict: Verdict) -> String {
    let class = kind(verdict).map_or(String::new(), |kind| format!(" kind{kind}"));
    format!("<span class=\"verdict{class}\">{verdict}</span>")
}

/// In a few words that are fair to whom they are about.
fn meaning(verdict: Verdict) -> String {
    match verdict {
        Verdict::ClicksLeft => "chose the left side more often than the items explain".into(),
        Verdict::ClicksRight => "chose the right side more often than the items explain".into(),
        Verdict::AgainstConsensus => {
            "mostly chose the opposite of the others; the question may have been read the other way \
             round"
                .into()
        }
        Verdict::NoSignal => "the choices do not depend on the items, as far as can be told".into(),
        Verdict::OwnTaste => "prefers other items than the others do; no fault".into(),
        Verdict::TooFewVotes => format!(
            "nothing can be said, good or bad: fewer than {MIN_UNTIED_VOTES} votes that were not a \
             tie, or too few on each item"
        ),
        Verdict::Ok => "votes much as the others do; nothing stands out".into(),
    }
}
