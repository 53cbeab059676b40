//! The verdicts in pictures and in the report: the same colour for the same word.

use crate::findings::Verdict;

/// What those who stand out do, the most concerning first. The position is the number
/// of the colour.
pub(super) const KINDS: [&str; 4] = [
    "clicks one side",
    "against the consensus",
    "no signal",
    "own taste",
];

/// The position in [`KINDS`]; None for a verdict that nobody stands out by.
pub(super) fn kind(verdict: Verdict) -> Option<usize> {
    match verdict {
        Verdict::ClicksLeft | Verdict::ClicksRight => Some(0),
        Verdict::AgainstConsensus => Some(1),
        Verdict::NoSignal => Some(2),
        Verdict::OwnTaste => Some(3),
        Verdict::TooFewVotes | Verdict::Ok => None,
    }
}

/// What the colours of some verdicts stand for: the class of each and its name; nothing if
/// there is one colour.
pub(super) fn colour_names(verdicts: impl Iterator<Item = Verdict>) -> Vec<(String, &'static str)> {
    let kinds: Vec<Option<usize>> = verdicts.map(kind).collect();
    let names = KINDS.iter().enumerate();
    let names = names.filter(|(k, _)| kinds.contains(&Some(*k)));
    let names = names.map(|(k, name)| (fill(Some(k)), *name));
    let mut names: Vec<_> = names.collect();
    if !names.is_empty() && kinds.contains(&None) {
        names.push((fill(None), "others"));
    }
    names
}

/// The class of an area in the colour of a kind; None is everybody who does not stand out.
pub(super) fn fill(kind: Option<usize>) -> String {
    match kind {
        Some(kind) => format!("me-kf{kind}"),
        None => "me-rest".into(),
    }
}
