//! Rows that cannot be used: each is classified and counted.

use super::ids::IdRef;
use super::numbers::sql_name;
use super::row::Row;
use crate::error::Error;
use crate::options::ReadColumns;

/// What is wrong with a row. A row with several faults counts under the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NullAnnotator,
    NullLeft,
    NullRight,
    SameItem,
    NullChoice,
    ChoiceNotFinite,
    ChoiceTooLarge,
    ChoiceNumberAsText,
    ChoiceUnknown,
    BadWeight,
    NullFold,
}

impl Fault {
    const ALL: [Self; 11] = [
        Self::NullAnnotator,
        Self::NullLeft,
        Self::NullRight,
        Self::SameItem,
        Self::NullChoice,
        Self::ChoiceNotFinite,
        Self::ChoiceTooLarge,
        Self::ChoiceNumberAsText,
        Self::ChoiceUnknown,
        Self::BadWeight,
        Self::NullFold,
    ];

    fn column(self, columns: &ReadColumns) -> &str {
        match self {
            Self::NullAnnotator => columns.annotator_name(),
            Self::NullLeft => &columns.left,
            Self::NullRight | Self::SameItem => &columns.right,
            Self::NullChoice
            | Self::ChoiceNotFinite
            | Self::ChoiceTooLarge
            | Self::ChoiceNumberAsText
            | Self::ChoiceUnknown => columns.choice_name(),
            Self::BadWeight => columns.weight.as_deref().unwrap_or("weight"),
            Self::NullFold => columns.fold.as_deref().unwrap_or("fold"),
        }
    }

    /// What is wrong and what to do about it, as two phrases of an error text.
    fn text(self, column: &str) -> (&'static str, String) {
        let (wrong, remedy) = match self {
            Self::NullAnnotator => ("NULL", "every vote needs an annotator"),
            Self::NullLeft | Self::NullRight => ("NULL", "every vote needs two items"),
            Self::SameItem => (
                "the same item on both sides",
                "a vote compares two different items",
            ),
            Self::NullChoice => (
                "NULL",
                "write 0 or 'tie' if the annotator saw no difference",
            ),
            Self::ChoiceNotFinite => ("not a finite number", "write a finite number"),
            Self::ChoiceTooLarge => ("beyond 1e100", "scale the choices down"),
            Self::ChoiceNumberAsText => {
                let cast = format!("make it a number, CAST({} AS DOUBLE)", sql_name(column));
                return ("a number written as text", cast);
            }
            Self::ChoiceUnknown => (
                "not a choice",
                "write 'left', 'right', 'tie', a number, a boolean, or the id of the item that won",
            ),
            Self::BadWeight => ("not a weight", "a weight is a number from 1e-100 to 1e100"),
            Self::NullFold => ("not a fold", "a fold is a whole number"),
        };
        (wrong, remedy.into())
    }
}

#[derive(Clone, Debug, Default)]
struct Tally {
    rows: u64,
    /// The first offending value in sorted order, so that it does not depend on the order of rows.
    example: Option<String>,
}

/// A count of each fault, with an example.
#[derive(Clone, Debug, Default)]
pub(crate) struct BadRows {
    tallies: [Tally; Fault::ALL.len()],
    /// The first annotator of such rows, as SQL writes it: their ids are not interned.
    pub annotator: Option<String>,
    /// The first item.
    pub item: Option<String>,
}

/// Characters of an offending value that an error shows at most.
const MAX_EXAMPLE_CHARS: usize = 60;

/// An id as SQL writes it.
pub(super) fn literal(id: IdRef<'_>) -> String {
    match id {
        IdRef::Int(value) => value.to_string(),
        IdRef::Text(text) => format!("'{}'", shorten(text.replace('\'', "''"))),
    }
}

/// A value as an error shows it.
fn shorten(text: String) -> String {
    match text.char_indices().nth(MAX_EXAMPLE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl BadRows {
    pub fn record(&mut self, fault: Fault, example: Option<String>, row: &Row<'_>) {
        let items = row.left.into_iter().chain(row.right);
        self.add_ids(row.annotator.map(literal), items.map(literal).min());
        self.add(fault, 1, example.map(shorten));
    }

    fn add(&mut self, fault: Fault, rows: u64, example: Option<String>) {
        let tally = &mut self.tallies[fault as usize];
        tally.rows += rows;
        tally.example = match (tally.example.take(), example) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    fn add_ids(&mut self, annotator: Option<String>, item: Option<String>) {
        let first = |a: Option<String>, b: Option<String>| a.into_iter().chain(b).min();
        self.annotator = first(self.annotator.take(), annotator);
        self.item = first(self.item.take(), item);
    }

    pub fn merge(&mut self, other: Self) {
        self.add_ids(other.annotator, other.item);
        for (fault, tally) in Fault::ALL.into_iter().zip(other.tallies) {
            self.add(fault, tally.rows, tally.example);
        }
    }

    pub fn total(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.rows).sum()
    }

    /// The error that names every fault, its column, its count, an example and the remedy.
    pub fn error(&self, columns: &ReadColumns, rows: u64) -> Error {
        let bad = self.total();
        let mut text = match (bad, rows) {
            (1, 1) => "the only row cannot be used".to_string(),
            (1, _) => format!("1 row of {rows} cannot be used"),
            _ if bad == rows => format!("none of the {rows} rows can be used"),
            _ => format!("{bad} rows of {rows} cannot be used"),
        };
        for (fault, tally) in Fault::ALL.into_iter().zip(&self.tallies) {
            if tally.rows == 0 {
                continue;
            }
            let column = fault.column(columns);
            let (wrong, remedy) = fault.text(column);
            let rows = match tally.rows {
                1 => "1 row".to_string(),
                rows => format!("{rows} rows"),
            };
            let example = match &tally.example {
                Some(example) => format!(" (for example {example})"),
                None => String::new(),
            };
            text += &format!("; column \"{column}\" is {wrong} in {rows}{example}: {remedy}");
        }
        if bad < rows {
            text += "; set on_bad_row to 'skip' to leave such rows out";
        }
        Error::votes(text)
    }
}
