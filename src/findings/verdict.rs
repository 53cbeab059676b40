//! The verdict on an annotator, and the counts behind it in a sentence.
//!
//! Verdicts follow from the tests of [`Evidence`](crate::model::Evidence), never
//! from the path alone, so that the expected share of false ones is limited.

use std::fmt;

use crate::fit::{ChosenModel, Fit};
use crate::model::{median, q_values};

/// The false discovery rate behind the verdicts unless the options have another.
const DEFAULT_FDR: f64 = 0.1;

/// With fewer untied votes than this, an annotator who does not stand out gets the
/// verdict "too few votes to tell".
pub(crate) const MIN_UNTIED_VOTES: f64 = 10.0;

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
    /// Deviates from the consensus, and agrees with it less often than usual.
    OwnTaste,
    /// Does not stand out, and has too few untied votes to tell.
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
            Self::OwnTaste => "own taste",
            Self::TooFewVotes => "too few votes to tell",
            Self::Ok => "ok",
        }
    }

    /// The p-value of the test that the verdict is about.
    pub(super) fn p_value(self, position_bias: f64, deviation: f64) -> f64 {
        match self {
            Self::ClicksLeft | Self::ClicksRight => position_bias,
            Self::AgainstConsensus | Self::OwnTaste | Self::TooFewVotes | Self::Ok => deviation,
        }
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
    pub bias_q: Vec<f64>,
    pub deviation_q: Vec<f64>,
    /// The median over annotators of the agreement with the consensus.
    median_agreement: f64,
}

impl<'a> Verdicts<'a> {
    pub fn new(fit: &'a Fit, chosen: &'a ChosenModel) -> Self {
        Self {
            fit,
            chosen,
            fdr: fit.totals.fdr.unwrap_or(DEFAULT_FDR),
            bias_q: q_values(&fit.evidence.bias_p),
            deviation_q: q_values(&fit.evidence.deviation_p),
            median_agreement: median(
                chosen
                    .agreement
                    .iter()
                    .copied()
                    .filter(|share| share.is_finite()),
            ),
        }
    }

    /// Whether the test says that an annotator clicks one side.
    pub fn is_biased(&self, u: usize) -> bool {
        match &self.fit.knockoff {
            Some(selected) => selected[u],
            None => self.bias_q[u] <= self.fdr,
        }
    }

    /// Whether the test says that an annotator votes differently from the others.
    pub fn deviates(&self, u: usize) -> bool {
        self.deviation_q[u] <= self.fdr
    }

    /// Whether an annotator who deviates does so against the consensus.
    pub fn is_against(&self, u: usize) -> bool {
        self.deviates(u) && self.fit.evidence.slope[u] < 0.0
    }

    /// Whether an annotator who deviates agrees with the consensus less often than
    /// usual. One who deviates and agrees more often is only surer than the others.
    fn has_own_taste(&self, u: usize) -> bool {
        self.deviates(u) && self.chosen.agreement[u] < self.median_agreement
    }

    /// The verdict on an annotator.
    pub fn verdict(&self, u: usize) -> Verdict {
        let (left, right) = (self.fit.clicks.left[u], self.fit.clicks.right[u]);
        let evidence = &self.fit.evidence;
        let bias_first = evidence.bias_p[u] <= evidence.deviation_p[u];
        if self.is_biased(u) && (bias_first || !self.deviates(u)) {
            return if evidence.mean_residual[u] > 0.0 {
                Verdict::ClicksLeft
            } else {
                Verdict::ClicksRight
            };
        }
        match (self.is_against(u), self.has_own_taste(u)) {
            (true, _) => Verdict::AgainstConsensus,
            (_, true) => Verdict::OwnTaste,
            _ if left + right < MIN_UNTIED_VOTES => Verdict::TooFewVotes,
            _ => Verdict::Ok,
        }
    }

    /// The counts behind an annotator's verdict, in a sentence.
    pub fn evidence(&self, u: usize, verdict: Verdict) -> String {
        let (left, right) = (self.fit.clicks.left[u], self.fit.clicks.right[u]);
        let untied = left + right;
        let agreed = (self.chosen.agreement[u] * untied).round();
        let votes = format!("{} {}", rounded(untied), plural("vote", untied));
        let agreement = format!(
            "agreed with the consensus on {} of {votes}",
            rounded(agreed)
        );
        let tests = &self.fit.evidence;
        let chance = chance(verdict.p_value(tests.bias_p[u], tests.deviation_p[u]));
        // The better item may have stood on the other side most of the time.
        let clicked = |side: &str, here: f64, there: f64| {
            let beyond = if here > there {
                ""
            } else {
                ", more than the items explain"
            };
            format!(
                "clicked {side} on {} of {votes}{beyond} ({chance})",
                rounded(here)
            )
        };
        match verdict {
            Verdict::ClicksLeft => clicked("left", left, right),
            Verdict::ClicksRight => clicked("right", right, left),
            Verdict::AgainstConsensus | Verdict::OwnTaste => format!("{agreement} ({chance})"),
            Verdict::TooFewVotes => {
                let were = if untied == 1.0 { "was" } else { "were" };
                format!("only {votes} that {were} not a tie")
            }
            Verdict::Ok => {
                let (left, right) = (rounded(left), rounded(right));
                format!("{agreement}, clicked {left} left and {right} right")
            }
        }
    }
}

/// How often chance alone makes a test come out as far, in words.
fn chance(p: f64) -> String {
    let once_in = 1.0 / p;
    if once_in >= 1e6 {
        "by chance less than once in a million".into()
    } else if once_in >= 10.0 {
        let digits = 10f64.powi(once_in.log10() as i32 - 1);
        format!(
            "by chance about once in {}",
            (once_in / digits).round() * digits
        )
    } else {
        "by chance more often than once in ten".into()
    }
}

fn rounded(count: f64) -> i64 {
    count.round() as i64
}

fn plural(word: &str, count: f64) -> String {
    if count.round() == 1.0 {
        word.into()
    } else {
        format!("{word}s")
    }
}
