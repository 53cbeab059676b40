//! The page and its sections.

use super::options::ReportOptions;
use super::{annotators, caveats, cycles, decision, table, verdict_counts};
use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::findings::{AnnotatorFinding, OwnRankings, Summary};
use crate::fit::Fit;
use crate::render::svg::{Plot, STYLE};
use crate::render::text::{count, escape, significant};

const PAGE_STYLE: &str = include_str!("style.css");

/// The heading of a report without a title.
const TITLE: &str = "What the votes say";

impl Fit {
    /// A page about the votes and the fit, in the order of the questions that people have:
    /// how many have which verdict, whose votes to look at before paying, the ranking, the
    /// tastes, what no ranking explains, and how good the fit is. A time must have been
    /// chosen.
    pub fn report(&self) -> Result<String> {
        self.report_with(&ReportOptions::default())
    }

    /// The same with a title and a date.
    pub fn report_with(&self, options: &ReportOptions) -> Result<String> {
        self.report_within(options, &mut Execution::new())
    }

    /// The same, under a time limit or a poll: cycles are looked for when they are
    /// asked for.
    pub fn report_within(
        &self,
        options: &ReportOptions,
        execution: &mut Execution<'_>,
    ) -> Result<String> {
        execution.run_sized(self.flow.len(), |_, stop| self.page(options, stop))
    }

    fn page(&self, options: &ReportOptions, stop: &Stop) -> Result<String> {
        let ranking = self.ranking()?;
        let annotators = match self.has_annotators() {
            true => self.annotators()?,
            false => Vec::new(),
        };
        let own_rankings = match self.has_annotators() {
            true => Some(OwnRankings::new(self)?),
            false => None,
        };
        let summary = Summary::new(self, stop)?;
        let title = escape(options.title.as_deref().unwrap_or(TITLE));
        let body = [
            opening(&title, options, &summary, &annotators),
            match &own_rankings {
                Some(own) => self.before_you_pay(&annotators, own, &summary)?,
                None => caveats::of_votes(&self.caveats()?),
            },
            section(
                "The ranking",
                &[
                    decision::in_words(&ranking, &summary),
                    self.figure(Plot::Ranking)?,
                    table::ranking(&ranking),
                ],
            ),
            match &own_rankings {
                Some(own) => self.tastes(&annotators, own)?,
                None => String::new(),
            },
            section(
                "What the ranking leaves unexplained",
                &[cycles::section(self, &summary, stop)?],
            ),
            section(
                "How good the fit is",
                &[
                    self.figure(Plot::Cv)?,
                    "<h3>What these votes cannot tell</h3>\n".into(),
                    caveats::list(&summary, &ranking, &annotators),
                ],
            ),
            footer(&summary),
        ];
        Ok(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n\
             <body>\n<main>\n{}</main>\n</body>\n</html>\n",
            body.concat()
        ))
    }

    /// How many have which verdict, what to know about the votes, and whom to look at.
    fn before_you_pay(
        &self,
        annotators: &[AnnotatorFinding<'_>],
        own_rankings: &OwnRankings<'_>,
        summary: &Summary,
    ) -> Result<String> {
        let to_look_at = section(
            "Before you pay: whose votes to look at, and why",
            &[
                annotators::to_look_at(annotators, own_rankings),
                self.figure(Plot::PathPositionBias)?,
                self.figure(Plot::JumpOut)?,
            ],
        );
        Ok([
            verdict_counts::table(annotators, summary.verdict_fdr),
            caveats::of_votes(&self.caveats()?),
            to_look_at,
        ]
        .concat())
    }

    fn tastes(
        &self,
        annotators: &[AnnotatorFinding<'_>],
        own_rankings: &OwnRankings<'_>,
    ) -> Result<String> {
        let parts = [
            annotators::tastes(annotators, own_rankings),
            self.figure(Plot::PathDeviation)?,
            self.figure(Plot::Personal)?,
        ];
        Ok(section("Tastes of their own", &parts))
    }

    fn figure(&self, plot: Plot) -> Result<String> {
        let picture = self.picture(plot)?;
        let svg = picture.inline();
        let caption = caption(plot);
        Ok(format!(
            "<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n"
        ))
    }
}

/// How to read a picture.
fn caption(plot: Plot) -> &'static str {
    match plot {
        Plot::Ranking => {
            "An item's score says how strongly it is preferred to the average item. The blue line \
             through the full dot is its 95 % interval: two items whose intervals overlap widely may well \
             change places. Where the two dots lie apart, annotators with habits or tastes of their \
             own had pulled HodgeRank."
        }
        Plot::PathPositionBias => {
            "The path runs from a model without personal effects (left) to one where everybody has \
             some (right). Who leaves zero early clicks one side more often than the items explain."
        }
        Plot::PathDeviation => {
            "The same path for tastes: who leaves zero early ranks the items differently, on enough \
             votes to be sure of it."
        }
        Plot::JumpOut => {
            "To the right: different from the consensus. The more votes say so, the surer it is. Who \
             is far away on few votes may be so by chance, and does not stand out."
        }
        Plot::Personal => {
            "Across: items in the order of the consensus. Down: annotators. A row that runs from \
             bright to dark agrees with the consensus; one that runs the other way answers against \
             it."
        }
        Plot::Matrix => {
            "Blue: the item of the row wins more than half of its votes against that of the column. \
             Where the two numbers lie far apart on many votes, one ranking does not explain the \
             pair."
        }
        Plot::Cv => {
            "Votes were held out in turn and predicted by the rest. The chosen time is where the \
             model predicts them best; below the dashed line it beats the plain ranking."
        }
    }
}

fn section(heading: &str, parts: &[String]) -> String {
    format!(
        "<section>\n<h2>{heading}</h2>\n{}</section>\n",
        parts.concat()
    )
}

/// What was voted on, by whom, and the answer in short.
fn opening(
    title: &str,
    options: &ReportOptions,
    summary: &Summary,
    annotators: &[AnnotatorFinding<'_>],
) -> String {
    let date = options.date.as_deref().map_or(String::new(), |date| {
        format!("<p class=\"date\">{}</p>\n", escape(date))
    });
    let votes = format!(
        "{} votes on {} items",
        count(summary.votes),
        count(summary.items as f64)
    );
    let sides = format!(
        "{} for the item on the left, {} for the one on the right, {} ties.",
        count(summary.left_clicks),
        count(summary.right_clicks),
        count(summary.ties),
    );
    let lead = match summary.annotators {
        None => {
            format!("<p class=\"lead\">{votes}, of which nobody knows who cast them: {sides}</p>\n")
        }
        Some(number) => format!(
            "<p class=\"lead\"><b>{}</b></p>\n\
             <p class=\"lead\">{} annotators cast {votes}: {sides} {}</p>\n",
            verdict_counts::headline(annotators),
            count(number as f64),
            votes_each(annotators),
        ),
    };
    format!("<h1>{title}</h1>\n{date}{lead}")
}

/// How many votes an annotator cast: least, median and most.
fn votes_each(annotators: &[AnnotatorFinding<'_>]) -> String {
    let mut votes: Vec<f64> = annotators.iter().map(|one| one.votes).collect();
    votes.sort_by(f64::total_cmp);
    let at = |index: usize| count(votes.get(index).copied().unwrap_or(0.0));
    let (min, max) = (at(0), at(votes.len().saturating_sub(1)));
    if min == max {
        return format!("Each of them cast {min}.");
    }
    let median = at(votes.len() / 2);
    format!("Each cast between {min} and {max} votes; half of them cast {median} or more.")
}

fn footer(summary: &Summary) -> String {
    format!(
        "<footer>\n<p>Mixed-effects HodgeRank (Xu, Xiong, Cao and Yao, ACM Multimedia 2016), κ = {}, \
         stopped at t = {}. me_hodgerank {}.</p>\n</footer>\n",
        escape(&summary.kappa.to_string()),
        significant(summary.t),
        summary.version
    )
}
