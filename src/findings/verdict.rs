//! What can be said of an annotator to their face: a verdict in words, and the
//! counts behind it.
//!
//! Verdicts go by the tests of [`Evidence`], never by the path alone, so that a
//! known share of them at most is false.

use crate::fit::{ChosenModel, Fit};
use crate::model::{median, q_values};

/// The rate of false discoveries behind the verdicts unless the options have another.
const DEFAULT_RATE: f64 = 0.1;

/// With fewer untied votes than this no verdict but "too few" is given to
/// somebody who does not stand out.
pub(crate) const FEW_VOTES: f64 = 10.0;

/// What an annotator is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    ClicksLeft,
    ClicksRight,
    Against,
    OwnTaste,
    TooFewVotes,
    Ok,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::ClicksLeft => "clicks left",
            Self::ClicksRight => "clicks right",
            Self::Against => "against the consensus",
            Self::OwnTaste => "own taste",
            Self::TooFewVotes => "too few votes to tell",
            Self::Ok => "ok",
        }
    }
}

/// The tests of all annotators, and what follows from them.
pub(crate) struct Verdicts<'a> {
    fit: &'a Fit,
    chosen: &'a ChosenModel,
    /// At most this share of those who are called is called wrongly, on average.
    pub rate: f64,
    pub bias_q: Vec<f64>,
    pub deviation_q: Vec<f64>,
    /// How often an annotator in the middle agrees with the consensus.
    usual_agreement: f64,
}

impl<'a> Verdicts<'a> {
    pub fn new(fit: &'a Fit, chosen: &'a ChosenModel) -> Self {
        let agreement = chosen.agreement.iter().copied();
        Self {
            fit,
            chosen,
            rate: fit.totals.fdr.unwrap_or(DEFAULT_RATE),
            bias_q: q_values(&fit.evidence.bias_p),
            deviation_q: q_values(&fit.evidence.deviation_p),
            usual_agreement: median(agreement.filter(|share| share.is_finite())),
        }
    }

    /// Whether the test says that an annotator clicks one side.
    pub fn is_biased(&self, u: usize) -> bool {
        match &self.fit.knockoff {
            Some(called) => called[u],
            None => self.bias_q[u] <= self.rate,
        }
    }

    /// Whether the test says that an annotator votes otherwise than the others.
    pub fn deviates(&self, u: usize) -> bool {
        self.deviation_q[u] <= self.rate
    }

    /// Whether an annotator who deviates does so against the consensus.
    pub fn is_against(&self, u: usize) -> bool {
        self.deviates(u) && self.fit.evidence.slope[u] < 0.0
    }

    /// Whether an annotator who deviates agrees with the consensus less often than
    /// usual. Who deviates and agrees more often is only surer than the others.
    fn has_own_taste(&self, u: usize) -> bool {
        self.deviates(u) && self.chosen.agreement[u] < self.usual_agreement
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
            (true, _) => Verdict::Against,
            (_, true) => Verdict::OwnTaste,
            _ if left + right < FEW_VOTES => Verdict::TooFewVotes,
            _ => Verdict::Ok,
        }
    }

    /// The counts behind the verdict, in a sentence.
    pub fn evidence(&self, u: usize) -> String {
        let (left, right) = (self.fit.clicks.left[u], self.fit.clicks.right[u]);
        let untied = left + right;
        let agreed = (self.chosen.agreement[u] * untied).round();
        let votes = format!("{} {}", shown(untied), plural("vote", untied));
        let agreement = format!("agreed with the consensus on {} of {votes}", shown(agreed));
        let chance = chance(self.p_value(u));
        // The better item may have stood on the other side most of the time.
        let clicked = |side: &str, here: f64, there: f64| {
            let beyond = if here > there {
                ""
            } else {
                ", more than the items explain"
            };
            format!(
                "clicked {side} on {} of {votes}{beyond} ({chance})",
                shown(here)
            )
        };
        match self.verdict(u) {
            Verdict::ClicksLeft => clicked("left", left, right),
            Verdict::ClicksRight => clicked("right", right, left),
            Verdict::Against | Verdict::OwnTaste => format!("{agreement} ({chance})"),
            Verdict::TooFewVotes => {
                let were = if untied == 1.0 { "was" } else { "were" };
                format!("only {votes} that {were} not a tie")
            }
            Verdict::Ok => {
                let (left, right) = (shown(left), shown(right));
                format!("{agreement}, clicked {left} left and {right} right")
            }
        }
    }

    /// How often chance alone does as much as what the verdict goes by.
    pub fn p_value(&self, u: usize) -> f64 {
        let evidence = &self.fit.evidence;
        match self.verdict(u) {
            Verdict::ClicksLeft | Verdict::ClicksRight => evidence.bias_p[u],
            _ => evidence.deviation_p[u],
        }
    }
}

/// How often chance alone does as much.
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

fn shown(count: f64) -> i64 {
    count.round() as i64
}

fn plural(word: &str, count: f64) -> String {
    if count.round() == 1.0 {
        word.into()
    } else {
        format!("{word}s")
    }
}
