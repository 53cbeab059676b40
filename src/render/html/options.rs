//! What a caller can choose about a report.

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// What stands at the top of a report. The date is the caller's: the same fit gives the
/// same bytes on any day.
///
/// ```
/// use me_hodgerank::{Fit, Options, ReportOptions, Simulation, VoteBuilder};
///
/// let options = Options::default();
/// let mut votes = VoteBuilder::new(&options);
/// for batch in Simulation::default().run()? {
///     votes.push_batch(&batch?)?;
/// }
/// let fit = Fit::new(&votes.finish()?, &options)?;
/// let html = fit.report_with(&ReportOptions {
///     title: Some("Soft drinks, round 3".into()),
///     date: Some("2026-03-14".into()),
/// })?;
/// assert!(html.contains("<h1>Soft drinks, round 3</h1>"));
/// # Ok::<(), me_hodgerank::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportOptions {
    /// The heading; "What the votes say" if there is none.
    pub title: Option<String>,
    /// The date, as it is to be written; none if there is none.
    pub date: Option<String>,
}

impl ReportOptions {
    /// Takes `title` and `date` out of the options that a SQL host passes; those that are
    /// left concern the fit. `null` is as good as nothing.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn take_from(fields: &mut Map<String, Value>) -> Result<Self> {
        let mut text = |name: &str| match fields.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Error::option(format!("{name} must be a text, not {other}"))),
        };
        Ok(Self {
            title: text("title")?,
            date: text("date")?,
        })
    }
}
