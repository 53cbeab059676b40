//! Small votes tables for tests.

#![allow(dead_code)] // each test file uses its own part

use me_hodgerank::{Fit, IdType, Options, Result, Row, VoteBuilder, Votes};

/// A row: annotator, left, right, choice. A lone "-" is NULL.
pub type TextRow = (&'static str, &'static str, &'static str, &'static str);

pub fn row(row: TextRow) -> Row<'static> {
    let (annotator, left, right, choice) = row;
    let given = Row::new(annotator, left, right, choice);
    Row {
        annotator: given.annotator.filter(|_| annotator != "-"),
        left: given.left.filter(|_| left != "-"),
        right: given.right.filter(|_| right != "-"),
        choice: given.choice.filter(|_| choice != "-"),
        ..given
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
