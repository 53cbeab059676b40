//! The verdict on an annotator, and the counts behind it in a sentence.
//!
//! Verdicts follow from the tests of [`Evidence`](crate::model::Evidence), never
//! from the path alone, so that the expected share of false ones is limited.

use std::fmt;

use crate::fit::{ChosenModel, Fit};
use crate::model::{TestResults, q_values};

/// The false discovery rate behind the verdicts unless the options have another.
const DEFAULT_FDR: f64 = 0.1;

/// With fewer untied votes than this, an annotator who does not stand out gets the
/// verdict "too few votes to tell".
pub(crate) const MIN_UNTIED_VOTES: u64 = 10;

/// What the tests say of an annotator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Clicks the left side more often than the items explain.
    ClicksLeft,
    /// Clicks the right side more often than the items explain.
    ClicksRight,
    /// Votes against the consensus.
    AgainstConsensus,
    /// Casts votes that do not follow the items: neither as the others see them nor in
    /// a way of their own.
    NoSignal,
    /// Prefers other items than the others do.
    OwnTaste,
    /// Has too few untied votes to tell; or does not vote like the others, and has too few
    /// votes on each item to tell a taste of their own from none.
    TooFewVotes,
    /// Does not stand out.
    Ok,
}

impl Verdict {
    /// The name that SQL users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClicksLeft => "clicks left",
            Self::ClicksRight => "clicks right",
            Self::AgainstConsensus => "against the consensus",
            Self::NoSignal => "no signal",
            Self::OwnTaste => "own taste",
            Self::TooFewVotes => "too few votes to tell",
            Self::Ok => "ok",
        }
    }

    /// Whether it is about a favourite side.
    pub fn is_about_sides(self) -> bool {
        matches!(self, Self::ClicksLeft | Self::ClicksRight)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The tests of all annotators, and what follows from them.
pub(crate) struct Verdicts<'a> {
    fit: &'a Fit,
    chosen: &'a ChosenModel,
    /// The expected share of false ones among the verdicts is at most this.
    pub fdr: f64,
    /// By annotator: the q-value of not voting like the others, be it by chance or by an
    /// own taste.
    apart_q: Vec<f64>,
}

impl<'a> Verdicts<'a> {
    pub fn new(fit: &'a Fit, chosen: &'a ChosenModel) -> Self {
        Self {
            fit,
            chosen,
            fdr: fit.verdict_fdr(),
            apart_q: q_values(&fit.evidence.no_signal.p),
        }
    }

    /// The verdicts on all annotators.
    pub fn all(&self) -> impl Iterator<Item = Verdict> {
        (0..self.fit.annotators.len()).map(|u| self.verdict(u))
    }

    /// Whether a test calls an annotator.
    fn calls(&self, test: &TestResults, u: usize) -> bool {
        test.q[u] <= self.fdr
    }

    /// Whether the test or the knockoff filter says that an annotator clicks one side.
    fn is_biased(&self, u: usize) -> bool {
        match &self.fit.knockoff {
            Some(selected) => selected[u],
            None => self.calls(&self.fit.evidence.bias, u),
        }
    }

    /// The verdict on an annotator.
    pub fn verdict(&self, u: usize) -> Verdict {
        let evidence = &self.fit.evidence;
        let is_against = self.calls(&evidence.against, u);
        let deviates = self.calls(&evidence.deviation, u);
        // Somebody may stand out in two ways; the surer one counts.
        let is_surer_than = |test: &TestResults| evidence.bias.p[u] <= test.p[u];
        let by_side = self.is_biased(u)
            && (!is_against || is_surer_than(&evidence.against))
            && (!deviates || is_surer_than(&evidence.deviation));
        if by_side {
            return if evidence.mean_residual[u] > 0.0 {
                Verdict::ClicksLeft
            } else {
                Verdict::ClicksRight
            };
        }
        if is_against {
            Verdict::AgainstConsensus
        } else if deviates {
            Verdict::OwnTaste
        } else if self.calls(&evidence.no_signal, u) {
            Verdict::NoSignal
        } else if evidence.untied[u] < MIN_UNTIED_VOTES || self.is_apart(u) {
            Verdict::TooFewVotes
        } else {
            Verdict::Ok
        }
    }

    /// Whether an annotator does not vote like the others, or agrees with them no more often
    /// than chance does.
    fn is_apart(&self, u: usize) -> bool {
        self.apart_q[u] <= self.fdr || self.agreement(u) < 0.5
    }

    /// The share of an annotator's untied votes that the consensus predicts, or in a
    /// split crowd the scores of the annotator's camp.
    fn agreement(&self, u: usize) -> f64 {
        match &self.fit.evidence.split {
            Some(split) => split.agreement[u],
            None => self.chosen.agreement[u],
        }
    }

    /// The p-value of what a verdict is about.
    pub fn p_value(&self, u: usize, verdict: Verdict) -> f64 {
        let evidence = &self.fit.evidence;
        let test = match verdict {
            Verdict::ClicksLeft | Verdict::ClicksRight => &evidence.bias,
            Verdict::AgainstConsensus => &evidence.against,
            Verdict::NoSignal => &evidence.no_signal,
            Verdict::OwnTaste | Verdict::TooFewVotes | Verdict::Ok => &evidence.deviation,
        };
        test.p[u]
    }

    /// The counts behind an annotator's verdict, in a sentence.
    pub fn evidence(&self, u: usize, verdict: Verdict) -> String {
        let clicks = &self.fit.clicks;
        let untied = self.fit.evidence.untied[u];
        // Shares by weight, as counts of votes.
        let count = |share: f64| (share * untied as f64).round() as u64;
        let left = count(clicks.left[u] / (clicks.left[u] + clicks.right[u]));
        let right = untied - left;
        let votes = plural("vote", untied);
        let agreement = format!(
            "agreed with {} on {} of {votes}",
            self.consensus_name(u),
            count(self.agreement(u))
        );
        let others = count(self.fit.evidence.expected_agreement[u]);
        let compared = format!("{agreement}, where others agree on {others}");
        let once_in = once_in(self.p_value(u, verdict));
        let clicked = |side: &str, times: u64| {
            format!(
                "clicked {side} on {times} of {votes}, more than the items explain \
                 (somebody without a favourite side would do so {once_in})"
            )
        };
        match verdict {
            Verdict::ClicksLeft => clicked("left", left),
            Verdict::ClicksRight => clicked("right", right),
            Verdict::AgainstConsensus => {
                format!("{compared} (somebody who clicks at random would do so {once_in})")
            }
            Verdict::NoSignal => format!(
                "{compared}, and prefers no items (somebody who votes like the others would do so \
                 {once_in})"
            ),
            Verdict::OwnTaste => format!(
                "{compared}, and prefers other items (somebody who votes like the others would do so \
                 {once_in})"
            ),
            Verdict::TooFewVotes if untied < MIN_UNTIED_VOTES => {
                let were = if untied == 1 { "was" } else { "were" };
                format!("only {votes} that {were} not a tie")
            }
            Verdict::TooFewVotes => format!(
                "{compared}: too few votes on each item to tell a taste of their own from none"
            ),
            Verdict::Ok => format!("{compared}; clicked {left} left and {right} right"),
        }
    }

    /// Whose scores an annotator is compared with.
    fn consensus_name(&self, u: usize) -> String {
        match &self.fit.evidence.split {
            Some(split) => format!("camp {}", split.camp[u]),
            None => "the consensus".into(),
        }
    }
}

impl Fit {
    /// The verdicts by annotator; None if no time was chosen.
    pub(crate) fn verdicts(&self) -> Option<Vec<Verdict>> {
        let chosen = self.chosen().ok()?;
        Some(Verdicts::new(self, chosen).all().collect())
    }
}

/// How often something of this probability happens, in words.
fn once_in(p: f64) -> String {
    let times = 1.0 / p;
    if times >= 1e6 {
        "less than once in a million times".into()
    } else if times >= 10.0 {
        let digits = 10f64.powi(times.log10() as i32 - 1);
        let rounded = ((times / digits).round() * digits) as u64;
        format!("once in {} times", thousands(rounded))
    } else {
        "more often than once in ten times".into()
    }
}

/// A number below a million, with a comma after its thousands.
fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}

fn plural(word: &str, count: u64) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {word}{ending}")
}

impl Fit {
    /// The false discovery rate of the verdicts.
    pub(crate) fn verdict_fdr(&self) -> f64 {
        self.totals.fdr.unwrap_or(DEFAULT_FDR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_told_in_words() {
        for (p, words) in [
            (1e-9, "less than once in a million times"),
            (1.0 / 36_900.0, "once in 37,000 times"),
            (0.0123, "once in 81 times"),
            (0.3, "more often than once in ten times"),
        ] {
            assert_eq!(once_in(p), words);
        }
    }
}
