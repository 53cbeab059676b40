//! What a caller can choose about a report.

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
