//! How far each annotator deviates at the end of the path, on how many votes.

use super::annotators::votes_cast;
use super::entry_order::EntryOrder;
use super::verdict::Verdict;
use crate::fit::Fit;
use crate::votes::IdRef;

/// How far an annotator deviates at the end of the path.
pub(crate) struct DeviationEntry<'a> {
    pub annotator: IdRef<'a>,
    /// None if no time was chosen.
    pub verdict: Option<Verdict>,
    /// By weight.
    pub votes: f64,
    /// ‖δ‖ at the last grid time.
    pub final_deviation: f64,
    /// The position, from 1, among those whose deviation enters the path.
    pub order: Option<u64>,
}

impl Fit {
    /// The deviations of all annotators, by id.
    pub(crate) fn deviation_entries(&self) -> Vec<DeviationEntry<'_>> {
        let annotators = self.annotators.len();
        let deviation = &self.path.deviation;
        let entry = EntryOrder::new(deviation, annotators);
        let verdicts = self.verdicts();
        let at_the_end = deviation.at(self.path.grid.len() - 1, annotators);
        (0..annotators)
            .map(|u| DeviationEntry {
                annotator: self.annotators.get(u),
                verdict: verdicts.as_ref().map(|verdicts| verdicts[u]),
                votes: votes_cast(&self.clicks, u),
                final_deviation: at_the_end[u],
                order: entry.order[u],
            })
            .collect()
    }
}
