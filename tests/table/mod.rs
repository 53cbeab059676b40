//! Small votes tables for tests.

#![allow(dead_code)] // each test file uses its own part

use me_hodgerank::{ChoiceRef, Fit, IdRef, IdType, Options, Result, Row, VoteBuilder, Votes};

/// A row: annotator, left, right, choice. A lone "-" is NULL.
pub type TextRow = (&'static str, &'static str, &'static str, &'static str);

pub fn row(row: TextRow) -> Row<'static> {
    let id = |text: &'static str| (text != "-").then_some(IdRef::Text(text));
    Row {
        annotator: id(row.0),
        left: id(row.1),
        right: id(row.2),
        choice: (row.3 != "-").then_some(ChoiceRef::Text(row.3)),
        weight: None,
        fold: None,
    }
}

pub fn builder(options: &Options, rows: impl IntoIterator<Item = Row<'static>>) -> VoteBuilder {
    let mut builder = VoteBuilder::new(options);
    builder.expect_ids(IdType::Text, IdType::Text, IdType::Text);
    for row in rows {
        builder.push(row).unwrap();
    }
    builder
}

pub fn read(options: &Options, rows: impl IntoIterator<Item = Row<'static>>) -> Result<Votes> {
    builder(options, rows).finish()
}

pub fn fit(options: &Options, rows: impl IntoIterator<Item = Row<'static>>) -> Result<Fit> {
    Fit::new(&read(options, rows)?, options)
}

/// Votes made up by the library itself.
pub fn simulated(simulation: me_hodgerank::Simulation, options: &Options) -> Votes {
    let mut builder = VoteBuilder::new(options);
    for batch in simulation.run().unwrap() {
        builder.push_batch(&batch.unwrap()).unwrap();
    }
    builder.finish().unwrap()
}
