//! The columns of votes that a function was given: their names, their types, and
//! the votes in them.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::call_options::{CallOptions, Caller, OptionalColumns, OptionsColumn};
use super::error::SqlError;
use super::input_vector::{InputVector, NotUtf8};
use crate::options::ReadColumns;
use crate::votes::IntegerRows;
use crate::{IdType, Row, VoteBuilder};

/// Votes in columns.
pub struct VoteColumns<'a> {
    annotator: &'a InputVector<'a>,
    left: &'a InputVector<'a>,
    right: &'a InputVector<'a>,
    choice: &'a InputVector<'a>,
    weight: Option<&'a InputVector<'a>>,
    fold: Option<&'a InputVector<'a>>,
    options: OptionsColumn<'a>,
    /// The struct of which these are the fields.
    votes: Option<&'a InputVector<'a>>,
}

impl<'a> VoteColumns<'a> {
    /// The arguments of a table function's aggregate.
    pub fn of_table(columns: [&'a InputVector<'a>; 7]) -> Result<Self, SqlError> {
        let [annotator, left, right, choice, weight, fold, options] = columns;
        let optional = |column: &'a InputVector<'a>| Some(column).filter(|c| !c.is_absent());
        let columns = Self {
            annotator,
            left,
            right,
            choice,
            weight: optional(weight),
            fold: optional(fold),
            options: OptionsColumn::new(Caller::Table, optional(options))?,
            votes: None,
        };
        columns.check()?;
        Ok(columns)
    }

    /// The fields of votes in a list.
    pub fn of_votes(votes: &'a InputVector<'a>) -> Result<Self, SqlError> {
        let Some(fields) = votes.fields() else {
            return Err(format!(
                "a vote is of type {}; it is a struct such as \
                 {{annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice}}",
                votes.type_name()
            )
            .into());
        };
        let fields = VoteFields::new(fields)?;
        let columns = Self {
            annotator: fields.required("annotator")?,
            left: fields.required("left")?,
            right: fields.required("right")?,
            choice: fields.required("choice")?,
            weight: fields.column("weight", WEIGHT_OR_OPTIONS),
            fold: fields.column("fold", FOLD_OR_OPTIONS),
            options: OptionsColumn::new(Caller::Votes, fields.options())?,
            votes: Some(votes),
        };
        columns.check()?;
        Ok(columns)
    }

    /// Checks the types.
    fn check(&self) -> Result<(), SqlError> {
        let wrong = |name: &str, column: &InputVector<'_>, rule: &str| {
            Err(format!("the {name} is of type {}; {rule}", column.type_name()).into())
        };
        let ids = [
            ("annotator", self.annotator),
            ("left item", self.left),
            ("right item", self.right),
        ];
        let no_id = |(_, column): &&(&str, &InputVector<'_>)| column.id_type().is_none();
        if let Some((name, column)) = ids.iter().filter(|(_, id)| !id.is_absent()).find(no_id) {
            let rule = "ids are integers, text or UUIDs: cast it to one of them";
            return wrong(name, column, rule);
        }
        let (left, right) = (self.left, self.right);
        let absent = left.is_absent() || right.is_absent();
        let integers = left.is_integer() && right.is_integer();
        if left.type_name() != right.type_name() && !absent && !integers {
            return Err(format!(
                "the left item is of type {} and the right one of type {}: cast both to the same",
                left.type_name(),
                right.type_name()
            )
            .into());
        }
        if !self.choice.is_choice() {
            let rule = "a choice is a number, a boolean or text";
            return wrong("choice", self.choice, rule);
        }
        match (self.weight, self.fold) {
            (Some(weight), _) if !weight.is_numeric() => {
                wrong("weight", weight, "weights are numbers: cast it to DOUBLE")
            }
            (_, Some(fold)) if !fold.is_integer() => wrong("fold", fold, "folds are whole numbers"),
            _ => Ok(()),
        }
    }

    /// Declares the types in which a new builder returns the ids of some rows: those
    /// of one annotator and one item, which are wide enough.
    pub fn expect_ids(
        &self,
        builder: &mut VoteBuilder,
        (annotator, item): (&InputVector<'_>, &InputVector<'_>),
        rows: Range<usize>,
    ) -> Result<(), SqlError> {
        let columns = [
            ("annotator", "annotator", self.annotator, annotator),
            ("left item", "item", self.left, item),
            ("right item", "item", self.right, item),
        ];
        for (name, argument, column, like) in columns {
            if !column.all_null(rows.clone()) && !column.fits_type_of(like) {
                return Err(format!(
                    "the {name} is of type {} and the {argument} whose type it is to have in the \
                     result of type {}: they must be the same",
                    column.type_name(),
                    like.type_name(),
                )
                .into());
            }
        }
        let id_type = |like: &InputVector<'_>| like.id_type().unwrap_or(IdType::Text);
        builder.expect_ids(id_type(annotator), id_type(item), id_type(item));
        Ok(())
    }

    /// Declares the types of the ids as they are.
    pub fn expect_own_ids(&self, builder: &mut VoteBuilder) {
        let given = |column: &InputVector<'_>| column.id_type();
        let (left, right) = (given(self.left), given(self.right));
        let left = left.or(right).unwrap_or(IdType::Text);
        let annotator = given(self.annotator).unwrap_or(IdType::Text);
        builder.expect_ids(annotator, left, right.unwrap_or(left));
    }

    /// Adds some rows to a builder.
    pub fn push(&self, rows: Range<usize>, builder: &mut VoteBuilder) -> Result<(), SqlError> {
        thread_local! {
            static ROWS: RefCell<IntegerRows> = RefCell::default();
        }
        let taken = ROWS.with_borrow_mut(|integers| {
            let readable = self.votes.is_none_or(|votes| votes.all_valid(rows.clone()))
                && self
                    .annotator
                    .all_integers(rows.clone(), &mut integers.annotator)
                && self.left.all_integers(rows.clone(), &mut integers.left)
                && self.right.all_integers(rows.clone(), &mut integers.right)
                && self.choice.all_numbers(rows.clone(), &mut integers.choice);
            Ok::<_, crate::Error>(readable && builder.push_integers(integers)?)
        });
        if taken? {
            return Ok(());
        }
        let columns = builder.columns().clone();
        let mut failure = None;
        let votes = rows.map_while(|row| {
            let vote = self.vote(row, &columns);
            vote.map_err(|error| failure = Some(error)).ok()
        });
        builder.push_all(votes)?;
        failure.map_or(Ok(()), Err)
    }

    fn vote(&self, row: usize, names: &ReadColumns) -> Result<Row<'_>, SqlError> {
        if self.votes.is_some_and(|votes| !votes.is_valid(row)) {
            return Ok(Row {
                annotator: None,
                left: None,
                right: None,
                choice: None,
                weight: None,
                fold: None,
            });
        }
        let in_column = |name| move |error: NotUtf8| error.in_column(name);
        let annotator = self.annotator.id(row);
        let (left, right) = (self.left.id(row), self.right.id(row));
        let choice = self.choice.choice(row);
        Ok(Row {
            annotator: annotator.map_err(in_column(names.annotator_name()))?,
            left: left.map_err(in_column(&names.left))?,
            right: right.map_err(in_column(&names.right))?,
            choice: choice.map_err(in_column(names.choice_name()))?,
            weight: self.weight.and_then(|column| column.number(row)),
            fold: self.fold.and_then(|column| column.integer(row)),
        })
    }

    /// The options of some rows, which are at least one and must agree.
    pub fn call(&self, rows: Range<usize>) -> Result<Arc<CallOptions>, SqlError> {
        self.call_with(&self.options, rows)
    }

    /// The same with options from elsewhere. Those of the last call are kept: most
    /// often they are the same.
    pub fn call_with(
        &self,
        options: &OptionsColumn<'_>,
        rows: Range<usize>,
    ) -> Result<Arc<CallOptions>, SqlError> {
        thread_local! {
            static LAST: RefCell<Option<Arc<CallOptions>>> = const { RefCell::new(None) };
        }
        let written = options.written(rows)?;
        let optional = OptionalColumns {
            weight: self.weight.is_some(),
            fold: self.fold.is_some(),
        };
        let caller = options.caller;
        LAST.with_borrow_mut(|last| {
            if let Some(call) = last
                .as_ref()
                .filter(|call| call.was_read_from(caller, &written, optional))
            {
                return Ok(call.clone());
            }
            let call = Arc::new(CallOptions::read(caller, written, optional)?);
            *last = Some(call.clone());
            Ok(call)
        })
    }
}

/// The fields of a vote. In the fifth and the sixth place of the aggregate the type
/// says which of two arguments it is.
struct VoteFields<'a> {
    fields: &'a [(String, InputVector<'a>)],
    /// Whether the field of two names holds options.
    ambiguous_is_options: bool,
}

const WEIGHT_OR_OPTIONS: &str = "weight_or_options";
const FOLD_OR_OPTIONS: &str = "fold_or_options";

impl<'a> VoteFields<'a> {
    fn new(fields: &'a [(String, InputVector<'a>)]) -> Result<Self, SqlError> {
        const KNOWN: [&str; 6] = ["annotator", "left", "right", "choice", "weight", "fold"];
        let is_known = |name: &str| {
            let mut known = KNOWN.iter().chain(&[WEIGHT_OR_OPTIONS, FOLD_OR_OPTIONS]);
            known.any(|known| known.eq_ignore_ascii_case(name))
        };
        if let Some((name, _)) = fields.iter().find(|(name, _)| !is_known(name)) {
            return Err(format!(
                "a vote has no field \"{name}\"; its fields are {}",
                KNOWN.join(", ")
            )
            .into());
        }
        let this = Self {
            fields,
            ambiguous_is_options: false,
        };
        let ambiguous = this.ambiguous();
        Ok(Self {
            ambiguous_is_options: ambiguous.is_some_and(InputVector::is_options),
            ..this
        })
    }

    fn find(&self, name: &str) -> Option<&'a InputVector<'a>> {
        let mut fields = self.fields.iter();
        let found = fields.find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, column)| column)
    }

    fn ambiguous(&self) -> Option<&'a InputVector<'a>> {
        let of_two = self.find(WEIGHT_OR_OPTIONS);
        of_two.or_else(|| self.find(FOLD_OR_OPTIONS))
    }

    fn required(&self, name: &str) -> Result<&'a InputVector<'a>, SqlError> {
        let missing = || format!("a vote has no field \"{name}\": add it to the struct").into();
        self.find(name).ok_or_else(missing)
    }

    /// An optional column, under its own name or one of two.
    fn column(&self, name: &str, of_two: &str) -> Option<&'a InputVector<'a>> {
        let ambiguous = self.find(of_two).filter(|_| !self.ambiguous_is_options);
        let column = self.find(name).or(ambiguous);
        column.filter(|column| !column.is_absent())
    }

    fn options(&self) -> Option<&'a InputVector<'a>> {
        self.ambiguous().filter(|_| self.ambiguous_is_options)
    }
}
