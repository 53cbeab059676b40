//! What can be said of an annotator to their face: a verdict in words, and the
//! counts behind it.
//!
//! Verdicts go by the tests of [`Evidence`], never by the path alone, so that a
//! known share of them at most is false.

use crate::fit::{Chosen, Fit};
use crate::model::q_values;

/// The rate of false discoveries behind the verdicts unless the options have another.
const DEFAULT_RATE: f64 = 0.1;

/// With fewer untied votes than this no verdict but "too few" is given to
/// somebody who does not stand out.
const FEW_VOTES: f64 = 10.0;

/// The tests of all annotators, and what follows from them.
pub(super) struct Verdicts<'a> {
    fit: &'a Fit,
    chosen: &'a Chosen,
    rate: f64,
    pub bias_q: Vec<f64>,
    pub deviation_q: Vec<f64>,
}

impl<'a> Verdicts<'a> {
    pub fn new(fit: &'a Fit, chosen: &'a Chosen) -> Self {
        Self {
            fit,
            chosen,
            rate: fit.totals.fdr.unwrap_or(DEFAULT_RATE),
            bias_q: q_values(&fit.evidence.bias_p),
            deviation_q: q_values(&fit.evidence.deviation_p),
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

    /// The one word, and the sentence with the counts.
    pub fn of(&self, u: usize) -> (&'static str, String) {
        let (clicks, evidence) = (&self.fit.clicks, &self.fit.evidence);
        let (left, right) = (clicks.left[u], clicks.right[u]);
        let untied = left + right;
        let agreed = (self.chosen.agreement[u] * untied).round();
        let side = if left > right { "left" } else { "right" };
        let bias_first = evidence.bias_p[u] <= evidence.deviation_p[u];
        let votes = format!("{} {}", shown(untied), plural("vote", untied));
        let agreement = format!("agreed with the consensus on {} of {votes}", shown(agreed));
        if self.is_biased(u) && (bias_first || !self.deviates(u)) {
            let verdict = if left > right {
                "clicks left"
            } else {
                "clicks right"
            };
            let chance = chance(evidence.bias_p[u]);
            let most = shown(left.max(right));
            let sentence = format!("clicked {side} on {most} of {votes} ({chance})");
            return (verdict, sentence);
        }
        let by_chance = || chance(evidence.deviation_p[u]);
        if self.is_against(u) {
            let sentence = format!("{agreement} ({})", by_chance());
            return ("against the consensus", sentence);
        }
        if self.deviates(u) {
            let sentence = format!("{agreement} ({})", by_chance());
            return ("own taste", sentence);
        }
        if untied < FEW_VOTES {
            return (
                "too few votes to tell",
                format!(
                    "only {votes} that {} not a tie",
                    if untied == 1.0 { "was" } else { "were" }
                ),
            );
        }
        let sides = format!("{} left and {} right", shown(left), shown(right));
        ("ok", format!("{agreement}, clicked {sides}"))
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
