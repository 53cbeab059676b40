//! The report: one HTML page about a fit that needs nothing but itself — no
//! network, no script, no font.
//!
//! Ids are hostile input. They reach the page through `escape` only.

mod caveats;
mod cycles;
mod people;
mod table;

use crate::error::Result;
use crate::execution::{Execution, Stop};
use crate::fit::{ChosenModel, Fit};
use crate::render::svg::{Plot, STYLE, escape, significant};
use people::People;

const PAGE_STYLE: &str = include_str!("style.css");

impl Fit {
    /// A page about the votes and the fit: the ranking, the pictures, the
    /// annotators worth a look, what no ranking explains, and what cannot be
    /// told. A time must have been chosen.
    pub fn report(&self) -> Result<String> {
        self.report_within(&mut Execution::new())
    }

    /// The same, watched: circles are looked for when they are asked for.
    pub fn report_within(&self, run: &mut Execution<'_>) -> Result<String> {
        run.run(|stop| self.page(stop))
    }

    fn page(&self, stop: &Stop) -> Result<String> {
        let chosen = self.chosen()?;
        let people = People::new(self, chosen);
        let body = [
            opening(self, &people),
            section(
                "The ranking",
                &[self.figure(Plot::Ranking)?, table::ranking(self, chosen)],
            ),
            section(
                "Annotators worth a look",
                &[
                    people.list(),
                    self.figure(Plot::PathPositionBias)?,
                    self.figure(Plot::PathDeviation)?,
                    self.figure(Plot::JumpOut)?,
                    self.figure(Plot::Personal)?,
                ],
            ),
            section(
                "What the ranking leaves unexplained",
                &[cycles::section(self, chosen, stop)?],
            ),
            section("How far to trust it", &[self.figure(Plot::Cv)?]),
            section(
                "What these votes cannot tell",
                &[caveats::list(self, chosen)],
            ),
            footer(self, chosen),
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
fn opening(fit: &Fit, people: &People<'_>) -> String {
    let clicks = &fit.clicks;
    let sum = |values: &[f64]| count(values.iter().sum::<f64>());
    format!(
        "<h1>What the votes say</h1>\n\
         <p class=\"lead\">{} annotators cast {} votes on {} items: {} for the item on the left, {} \
         for the one on the right, {} ties. {}</p>\n\
         <p class=\"lead\">{}</p>\n",
        fit.annotators.len(),
        count(fit.totals.votes),
        fit.items.len(),
        sum(&clicks.left),
        sum(&clicks.right),
        sum(&clicks.ties),
        how_many_each(fit),
        people.in_short(),
    )
}

fn how_many_each(fit: &Fit) -> String {
    let clicks = &fit.clicks;
    let mut each: Vec<f64> = (0..fit.annotators.len())
        .map(|u| clicks.left[u] + clicks.right[u] + clicks.ties[u])
        .collect();
    each.sort_by(f64::total_cmp);
    let at = |place: usize| count(each.get(place).copied().unwrap_or(0.0));
    let (least, most) = (at(0), at(each.len().saturating_sub(1)));
    if least == most {
        return format!("Each of them cast {least}.");
    }
    let middle = at(each.len() / 2);
    format!("Each cast between {least} and {most} votes; half of them cast {middle} or more.")
}

/// A sum of weights, which is whole unless weights are not.
fn count(value: f64) -> String {
    let digits = format!("{:.0}", value.round());
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && digit.is_ascii_digit() && (digits.len() - k) % 3 == 0 && digits.len() > 4 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in words: "74 %".
fn percent(share: f64) -> String {
    match 100.0 * share {
        part if part < 1e-7 => "none".into(),
        part if part < 0.5 => "less than 1 %".into(),
        part if part < 99.5 => format!("{part:.0} %"),
        part if part < 100.0 - 1e-7 => "more than 99 %".into(),
        _ => "100 %".into(),
    }
}

fn footer(fit: &Fit, chosen: &ChosenModel) -> String {
    format!(
        "<footer>\n<p>Mixed-effects HodgeRank (Xu, Xiong, Cao and Yao, ACM Multimedia 2016), κ = {}, \
         stopped at t = {}. me_hodgerank {}.</p>\n</footer>\n",
        escape(&fit.totals.kappa.to_string()),
        significant(fit.path.grid[chosen.grid_index]),
        crate::VERSION
    )
}
