//! SQLite values as votes, row by row. Ids that were read before are not copied.

use std::cell::Cell;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::error::message;
use super::source::Source;
use crate::execution::Execution;
use crate::options::{Options, ReadColumns};
use crate::votes::{ChoiceRef, CountedVotes, IdRef, IdType, Row, VoteBuilder, Votes};

/// One row of SQLite values.
pub(super) struct SqlRow<'a> {
    pub annotator: Option<ValueRef<'a>>,
    pub left: ValueRef<'a>,
    pub right: ValueRef<'a>,
    pub choice: Option<ValueRef<'a>>,
    pub weight: Option<ValueRef<'a>>,
    pub fold: Option<ValueRef<'a>>,
}

/// Collects votes whose types are known only value by value.
pub(super) struct Ingest {
    builder: VoteBuilder,
    columns: ReadColumns,
    boolean_choices: bool,
    annotators: SeenTypes,
    items: SeenTypes,
}

/// The types in which ids were read.
#[derive(Clone, Copy, Default)]
pub(super) struct SeenTypes {
    integer: bool,
    text: bool,
}

impl SeenTypes {
    /// The type of all ids; None if there were none.
    pub fn known(self) -> Option<IdType> {
        (self.integer || self.text).then(|| self.id_type())
    }

    fn id_type(self) -> IdType {
        match (self.integer, self.text) {
            (true, true) => IdType::Mixed,
            (true, false) => IdType::INT64,
            _ => IdType::Text,
        }
    }
}

impl Ingest {
    /// An empty collection.
    pub fn new(options: &Options) -> Self {
        Self {
            builder: VoteBuilder::new(options),
            columns: options.columns.default_names(),
            boolean_choices: false,
            annotators: SeenTypes::default(),
            items: SeenTypes::default(),
        }
    }

    /// Reads what a text names: a table, a view or a SELECT.
    pub fn read(connection: &Connection, text: &str, options: &Options) -> Result<Self> {
        let _depth = Depth::enter()?;
        let mut source = Source::open(connection, text, &options.columns)?;
        let mut ingest = Self::new(options);
        ingest.columns = source.columns.clone();
        ingest.builder.read_from(source.columns.clone());
        ingest.boolean_choices = source.has_boolean_choices();
        let mut rows = source.statement.raw_query();
        while let Some(row) = rows.next()? {
            let optional = |index: Option<usize>| index.map(|index| row.get_ref(index)).transpose();
            ingest.push(&SqlRow {
                annotator: optional(source.annotator)?,
                left: row.get_ref(source.left)?,
                right: row.get_ref(source.right)?,
                choice: optional(source.choice)?,
                weight: optional(source.weight)?,
                fold: optional(source.fold)?,
            })?;
        }
        Ok(ingest)
    }

    /// Takes one row.
    pub fn push(&mut self, values: &SqlRow<'_>) -> crate::Result<()> {
        let row = self.row(values);
        let row = row.map_err(|text| {
            let number = self.builder.rows() + 1;
            crate::Error::votes(format!("{text} (row {number} of those read)"))
        })?;
        self.builder.push(row)
    }

    fn row<'a>(&mut self, values: &SqlRow<'a>) -> Result<Row<'a>, String> {
        let columns = &self.columns;
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let annotators = &mut self.annotators;
        let annotator = values.annotator.filter(|_| columns.annotator.is_some());
        let annotator = annotator.map(|value| id(value, annotators, columns.annotator_name()));
        let choices = self.boolean_choices;
        let choice = values
            .choice
            .map(|value| choice(value, choices, columns.choice_name()));
        Ok(Row {
            annotator: annotator.transpose()?.flatten(),
            left: id(values.left, &mut self.items, &columns.left)?,
            right: id(values.right, &mut self.items, &columns.right)?,
            choice: choice.transpose()?.flatten(),
            weight: match values.weight {
                None | Some(ValueRef::Null) => None,
                Some(ValueRef::Integer(value)) => Some(value as f64),
                Some(ValueRef::Real(value)) => Some(value),
                Some(other) => return Err(wrong_type(&name(&columns.weight), other, WEIGHTS)),
            },
            fold: match values.fold {
                None | Some(ValueRef::Null) => None,
                Some(ValueRef::Integer(value)) => Some(value),
                Some(other) => return Err(wrong_type(&name(&columns.fold), other, FOLDS)),
            },
        })
    }

    /// Which group of votes this is: see [`VoteBuilder::group`].
    pub fn group(&self) -> Option<String> {
        self.builder.group()
    }

    /// The votes in canonical order, with ids of the types that were read.
    pub fn finish(self, execution: &mut Execution<'_>) -> crate::Result<Votes> {
        self.with_types().finish_within(execution)
    }

    /// The same as a state.
    pub fn finish_counted(self, execution: &mut Execution<'_>) -> crate::Result<CountedVotes> {
        self.with_types().finish_counted_within(execution)
    }

    fn with_types(mut self) -> VoteBuilder {
        let (annotator, item) = (self.annotators.id_type(), self.items.id_type());
        self.builder.expect_ids(annotator, item, item);
        self.builder
    }
}

const IDS: &str = "ids are integers or text: cast the column to one of them";
const CHOICES: &str = "a choice is a number or text";
const WEIGHTS: &str = "weights are numbers";
const FOLDS: &str = "folds are whole numbers";

#[inline]
pub(super) fn id<'a>(
    value: ValueRef<'a>,
    seen: &mut SeenTypes,
    column: &str,
) -> Result<Option<IdRef<'a>>, String> {
    match value {
        ValueRef::Integer(value) => {
            seen.integer = true;
            Ok(Some(IdRef::Int(value.into())))
        }
        ValueRef::Text(bytes) => {
            seen.text = true;
            text(bytes, column).map(|text| Some(IdRef::Text(text)))
        }
        ValueRef::Null => Ok(None),
        other => Err(wrong_type(column, other, IDS)),
    }
}

#[inline]
fn choice<'a>(
    value: ValueRef<'a>,
    boolean: bool,
    column: &str,
) -> Result<Option<ChoiceRef<'a>>, String> {
    Ok(match value {
        ValueRef::Integer(value @ (0 | 1)) if boolean => Some(ChoiceRef::Bool(value == 1)),
        ValueRef::Integer(value) => Some(ChoiceRef::Number(value as f64)),
        ValueRef::Real(value) => Some(ChoiceRef::Number(value)),
        ValueRef::Text(bytes) => Some(ChoiceRef::Text(text(bytes, column)?)),
        ValueRef::Null => None,
        other => return Err(wrong_type(column, other, CHOICES)),
    })
}

#[inline]
fn text<'a>(bytes: &'a [u8], column: &str) -> Result<&'a str, String> {
    std::str::from_utf8(bytes)
        .map_err(|_| format!("column \"{column}\" holds text that is not UTF-8"))
}

#[cold]
fn wrong_type(column: &str, value: ValueRef<'_>, rule: &str) -> String {
    let (kind, shown) = match value {
        ValueRef::Null => ("NULL", String::new()),
        ValueRef::Integer(value) => ("the integer", format!(" {value}")),
        ValueRef::Real(value) => ("the float", format!(" {value:?}")),
        ValueRef::Text(bytes) => {
            let text: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
            ("the text", format!(" '{text}'"))
        }
        ValueRef::Blob(_) => ("a blob", String::new()),
    };
    format!("column \"{column}\" holds {kind}{shown}; {rule}")
}

/// How deep table functions may be nested: a view over `me_hodgerank` of itself
/// would recur without end.
const MAX_DEPTH: u32 = 8;

thread_local!(static DEPTH: Cell<u32> = const { Cell::new(0) });

/// One level of nested table functions, until it is dropped.
pub(super) struct Depth;

impl Depth {
    pub fn enter() -> Result<Self> {
        if DEPTH.get() >= MAX_DEPTH {
            return Err(message(format!(
                "more than {MAX_DEPTH} me_hodgerank functions read from each other: does a view \
                 rank itself?"
            )));
        }
        DEPTH.set(DEPTH.get() + 1);
        Ok(Self)
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}
