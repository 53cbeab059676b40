//! Predictions, pictures and the report.

mod cycles;
mod people;
mod plots;
mod predictions;
mod report;
#[path = "../table/mod.rs"]
mod table;

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{
    BiasTest, ChoiceRef, ErrorKind, Execution, Fit, IdRef, IdType, Options, PairModel, PathEffect,
    PersonalRank, Plot, Predictor, ReportOptions, ResultSet, Row, Simulation, VoteBuilder, Votes,
};
use table::simulated;

fn demo() -> Simulation {
    Simulation {
        annotators: 40,
        items: 12,
        ties: 0.1,
        ..Simulation::default()
    }
}

fn fit(votes: &Votes, options: &Options) -> Fit {
    Fit::new(votes, options).unwrap()
}

fn demo_fit() -> Fit {
    let options = Options::default();
    fit(&simulated(demo(), &options), &options)
}

/// The same votes with other ids; `name` makes one of a number and what it is.
fn renamed(name: impl Fn(&str, i64) -> String) -> Fit {
    let options = Options::default();
    let mut builder = VoteBuilder::new(&options);
    builder.expect_ids(IdType::Text, IdType::Text, IdType::Text);
    for batch in demo().run().unwrap() {
        let batch = batch.unwrap();
        let ints = |name: &str| batch[name].as_primitive::<Int64Type>().clone();
        let (annotators, left, right) = (ints("annotator"), ints("left"), ints("right"));
        let choices = batch["choice"].as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let who = name("annotator", annotators.value(row));
            let (left, right) = (
                name("item", left.value(row)),
                name("item", right.value(row)),
            );
            builder
                .push(Row {
                    annotator: Some(IdRef::Text(&who)),
                    left: Some(IdRef::Text(&left)),
                    right: Some(IdRef::Text(&right)),
                    choice: Some(ChoiceRef::Number(choices.value(row))),
                    weight: None,
                    fold: None,
                })
                .unwrap();
        }
    }
    let votes = builder.finish().unwrap();
    fit(&votes, &options)
}

/// The elements with a name and, unless it is empty, a class.
fn elements<'a>(
    document: &'a roxmltree::Document<'_>,
    name: &str,
    class: &str,
) -> Vec<roxmltree::Node<'a, 'a>> {
    let has_class = |node: &roxmltree::Node<'_, '_>| {
        let classes = node.attribute("class").unwrap_or_default();
        class.is_empty() || classes.split(' ').any(|one| one == class)
    };
    document
        .descendants()
        .filter(|node| node.tag_name().name() == name && has_class(node))
        .collect()
}

fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = elements(&document, "text", "");
    texts
        .iter()
        .map(|node| node.text().unwrap_or_default().to_string())
        .collect()
}

fn numbers(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
    batch[name].as_primitive::<Float64Type>().iter().collect()
}

fn integers(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    batch[name].as_primitive::<Int64Type>().iter().collect()
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from}"));
    rest.split_once(to).unwrap().0
}

fn text_of(id: IdRef<'_>) -> String {
    match id {
        IdRef::Int(number) => number.to_string(),
        IdRef::Text(text) => text.to_string(),
    }
}

fn attribute(node: &roxmltree::Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// As [`demo`], of whom each casts another number of votes.
fn uneven_votes(annotators: usize, votes_each: i64) -> Fit {
    let simulation = Simulation {
        annotators,
        votes_each: votes_each as usize,
        ..demo()
    };
    let options = Options::default();
    let mut builder = VoteBuilder::new(&options);
    let mut cast = vec![0; annotators + 1];
    for batch in simulation.run().unwrap() {
        let batch = batch.unwrap();
        let ints = |name: &str| batch[name].as_primitive::<Int64Type>().clone();
        let (who, left, right) = (ints("annotator"), ints("left"), ints("right"));
        let choices = batch["choice"].as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let annotator = who.value(row);
            cast[annotator as usize] += 1;
            if cast[annotator as usize] <= votes_each / 2 + annotator * 7 % (votes_each / 2) {
                let ids = [annotator, left.value(row), right.value(row)];
                let [annotator, left, right] = ids.map(|id| Some(IdRef::Int(id.into())));
                let choice = Some(ChoiceRef::Number(choices.value(row)));
                builder
                    .push(Row {
                        annotator,
                        left,
                        right,
                        choice,
                        weight: None,
                        fold: None,
                    })
                    .unwrap();
            }
        }
    }
    fit(&builder.finish().unwrap(), &options)
}
