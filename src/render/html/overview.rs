//! A fit in short, for a notebook: how many have which verdict, and the ranking.

use super::verdict_counts;
use crate::error::Result;
use crate::fit::Fit;
use crate::render::svg::{Plot, STYLE};
use crate::render::text::count;

/// Rules for what is inside of the element only: the page is somebody else's.
const OVERVIEW_STYLE: &str = include_str!("overview.css");

impl Fit {
    /// An element for a page of somebody else's. Where no time was chosen there is no
    /// ranking, and the path of position biases is drawn if there is one.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn overview(&self) -> Result<String> {
        let mut parts = vec![format!("<p>{}.</p>\n", self.in_words())];
        if self.has_annotators() && self.has_chosen_time() {
            let annotators = self.annotators()?;
            let headline = verdict_counts::headline(&annotators);
            parts.push(format!("<p><b>{headline}</b></p>\n"));
            parts.push(verdict_counts::table(&annotators, self.verdict_fdr()));
        }
        let plot = match (self.has_chosen_time(), self.has_annotators()) {
            (true, _) => Some(Plot::Ranking),
            (false, true) => Some(Plot::PathPositionBias),
            (false, false) => None,
        };
        if let Some(plot) = plot {
            parts.push(self.picture(plot)?.inline());
        }
        Ok(format!(
            "<div class=\"me-overview\">\n<style>{STYLE}{OVERVIEW_STYLE}</style>\n{}</div>\n",
            parts.concat()
        ))
    }

    /// What was fitted, in words.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn in_words(&self) -> String {
        let votes = count(self.totals.votes);
        let items = count(self.items.len() as f64);
        match self.has_annotators() {
            true => {
                let annotators = count(self.annotators.len() as f64);
                format!("{votes} votes of {annotators} annotators on {items} items")
            }
            false => format!("{votes} votes on {items} items"),
        }
    }
}
