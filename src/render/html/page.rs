//! The page and its sections.

use super::{annotators, caveats, cycles, table};
use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::findings::{AnnotatorFinding, OwnRankings, Summary};
use crate::fit::Fit;
use crate::render::svg::{Plot, STYLE};
use crate::render::text::{count, escape, significant};

const PAGE_STYLE: &str = include_str!("style.css");

impl Fit {
    /// A page about the votes and the fit: the ranking, the pictures, the
    /// annotators worth a look, what no ranking explains, and what cannot be
    /// told. A time must have been chosen.
    pub fn report(&self) -> Result<String> {
        self.report_within(&mut Execution::new())
    }

    /// The same, under a time limit or a poll: cycles are looked for when they are
    /// asked for.
    pub fn report_within(&self, execution: &mut Execution<'_>) -> Result<String> {
        execution.run_sized(self.flow.len(), |_, stop| self.page(stop))
    }

    fn page(&self, stop: &Stop) -> Result<String> {
        let ranking = self.ranking()?;
        let annotators = self.annotators()?;
        let own_rankings = OwnRankings::new(self)?;
        let summary = Summary::new(self, stop)?;
        let body = [
            opening(&summary, &annotators),
            section(
                "The ranking",
                &[self.figure(Plot::Ranking)?, table::ranking(&ranking)],
            ),
            section(
                "Annotators worth a look",
                &[
                    annotators::list(&annotators, &own_rankings, summary.verdict_fdr),
                    self.figure(Plot::PathPositionBias)?,
                    self.figure(Plot::PathDeviation)?,
                    self.figure(Plot::JumpOut)?,
                    self.figure(Plot::Personal)?,
                ],
            ),
            section(
                "What the ranking leaves unexplained",
                &[cycles::section(self, &summary, stop)?],
            ),
            section("How far to trust it", &[self.figure(Plot::Cv)?]),
            section(
                "What these votes cannot tell",
                &[caveats::list(
                    &summary,
                    &ranking,
                    &annotators,
                    &self.caveats()?,
                )],
            ),
            footer(&summary),
        ];
        Ok(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>What the votes say</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n\
             <body>\n<main>\n{}</main>\n</body>\n</html>\n",
            body.concat()
        ))
    }

    fn figure(&self, plot: Plot) -> Result<String> {
        let picture = self.picture(plot)?;
        let svg = picture.inline();
        let caption = caption(plot);
        Ok(format!(
            "<figure>\n<div class=\"wide\">\n{svg}</div>\n<figcaption>{caption}</figcaption>\n</figure>\n"
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
            "Far to the right: different from the consensus. High up: on many votes. Both together \
             make an annotator enter early."
        }
        Plot::Personal => {
            "Down: items in the order of the consensus. Across: annotators, the earliest first. A \
             column that runs from bright to dark agrees with the consensus; one that runs the other \
             way answers against it."
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

/// What was voted on, by whom.
fn opening(summary: &Summary, annotators: &[AnnotatorFinding<'_>]) -> String {
    format!(
        "<h1>What the votes say</h1>\n\
         <p class=\"lead\">{} annotators cast {} votes on {} items: {} for the item on the left, {} \
         for the one on the right, {} ties. {}</p>\n\
         <p class=\"lead\">{}</p>\n",
        summary.annotators,
        count(summary.votes),
        summary.items,
        count(summary.left_clicks),
        count(summary.right_clicks),
        count(summary.ties),
        votes_each(annotators),
        annotators::in_short(annotators),
    )
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
