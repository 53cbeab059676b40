//! The columns of votes that a function was given: their names, their types, and
//! the votes in them.

use std::cell::RefCell;
use std::ops::Range;

use super::call_options::OptionalColumns;
use super::error::SqlError;
use super::input_vector::{InputVector, NotUtf8};
use crate::options::{AnnotatorColumn, Columns, ReadColumns};
use crate::votes::IntegerRows;
use crate::{IdType, Row, VoteBuilder};

/// Votes in columns.
pub struct VoteColumns<'a> {
    /// None: nobody knows who voted.
    annotator: Option<&'a InputVector<'a>>,
    left: &'a InputVector<'a>,
    right: &'a InputVector<'a>,
    /// None: the left item always won.
    choice: Option<&'a InputVector<'a>>,
    weight: Option<&'a InputVector<'a>>,
    fold: Option<&'a InputVector<'a>>,
    /// The struct of which these are the fields.
    votes: &'a InputVector<'a>,
}

/// The fields of a struct by their names.
type Fields<'a> = [(String, InputVector<'a>)];

impl<'a> VoteColumns<'a> {
    /// The columns of a table that are read.
    pub fn of_table(votes: &'a InputVector<'a>, columns: &ReadColumns) -> Result<Self, SqlError> {
        let field = |name: &str| votes.field(name);
        let optional = |name: &Option<String>| name.as_deref().map(field).transpose();
        let columns = Self {
            annotator: optional(&columns.annotator)?,
            left: field(&columns.left)?,
            right: field(&columns.right)?,
            choice: optional(&columns.choice)?,
            weight: optional(&columns.weight)?,
            fold: optional(&columns.fold)?,
            votes,
        };
        columns.check()?;
        Ok(columns)
    }

    /// The fields of votes in a list.
    pub fn of_list(
        votes: &'a InputVector<'a>,
        fields: &VoteFields<'a>,
        columns: &Columns,
    ) -> Result<Self, SqlError> {
        let annotator = fields.required("annotator")?;
        let is_known = columns.annotator != AnnotatorColumn::Unknown;
        let columns = Self {
            annotator: is_known.then_some(annotator),
            left: fields.required("left")?,
            right: fields.required("right")?,
            choice: Some(fields.required("choice")?),
            weight: fields.weight(),
            fold: fields.fold(),
            votes,
        };
        columns.check()?;
        Ok(columns)
    }

    /// Checks the types.
    fn check(&self) -> Result<(), SqlError> {
        let wrong = |name: &str, column: &InputVector<'_>, rule: &str| {
            Err(format!("the {name} is of type {}; {rule}", column.type_name()).into())
        };
        let items = [("left item", self.left), ("right item", self.right)];
        let annotator = self.annotator.map(|column| ("annotator", column));
        let no_id = |(_, column): &(&str, &InputVector<'_>)| {
            !column.is_absent() && column.id_type().is_none()
        };
        if let Some((name, column)) = annotator.into_iter().chain(items).find(no_id) {
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
        match (self.choice, self.weight, self.fold) {
            (Some(choice), ..) if !choice.is_choice() => {
                let rule = "a choice is a number, a boolean or text";
                wrong("choice", choice, rule)
            }
            (_, Some(weight), _) if !weight.is_absent() && !weight.is_numeric() => {
                wrong("weight", weight, "weights are numbers: cast it to DOUBLE")
            }
            (.., Some(fold)) if !fold.is_absent() && !fold.is_integer() => {
                wrong("fold", fold, "folds are whole numbers")
            }
            _ => Ok(()),
        }
    }

    /// Declares the types of the ids.
    pub fn expect_ids(&self, builder: &mut VoteBuilder) {
        let (left, right) = (self.left.id_type(), self.right.id_type());
        let left = left.or(right).unwrap_or(IdType::Text);
        let annotator = self.annotator.and_then(InputVector::id_type);
        builder.expect_ids(
            annotator.unwrap_or(IdType::Text),
            left,
            right.unwrap_or(left),
        );
    }

    /// Adds some rows to a builder.
    pub fn push(&self, rows: Range<usize>, builder: &mut VoteBuilder) -> Result<(), SqlError> {
        thread_local! {
            static ROWS: RefCell<IntegerRows> = RefCell::default();
        }
        let taken = ROWS.with_borrow_mut(|integers| {
            let rows = || rows.clone();
            let annotators = |column: &InputVector<'_>, out| column.all_integers(rows(), out);
            let choices = |column: &InputVector<'_>, out| column.all_numbers(rows(), out);
            let readable = self.votes.all_valid(rows())
                && (self.annotator).is_none_or(|ids| annotators(ids, &mut integers.annotator))
                && self.left.all_integers(rows(), &mut integers.left)
                && self.right.all_integers(rows(), &mut integers.right)
                && (self.choice).is_some_and(|column| choices(column, &mut integers.choice));
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
        if !self.votes.is_valid(row) {
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
        let annotator = self.annotator.map_or(Ok(None), |column| column.id(row));
        let (left, right) = (self.left.id(row), self.right.id(row));
        let choice = self.choice.map_or(Ok(None), |column| column.choice(row));
        Ok(Row {
            annotator: annotator.map_err(in_column(names.annotator_name()))?,
            left: left.map_err(in_column(&names.left))?,
            right: right.map_err(in_column(&names.right))?,
            choice: choice.map_err(in_column(names.choice_name()))?,
            weight: self.weight.and_then(|column| column.number(row)),
            fold: self.fold.and_then(|column| column.integer(row)),
        })
    }
}

/// The fields of votes in a list. In the fifth and the sixth place of the aggregate the
/// type says which of two arguments it is.
pub struct VoteFields<'a> {
    fields: &'a Fields<'a>,
    /// Whether the field of two names holds options.
    ambiguous_is_options: bool,
}

const WEIGHT_OR_OPTIONS: &str = "weight_or_options";
const FOLD_OR_OPTIONS: &str = "fold_or_options";

impl<'a> VoteFields<'a> {
    /// The fields of the elements of a list.
    pub fn new(votes: &'a InputVector<'a>) -> Result<Self, SqlError> {
        const KNOWN: [&str; 6] = ["annotator", "left", "right", "choice", "weight", "fold"];
        let Some(fields) = votes.fields() else {
            return Err(format!(
                "a vote is of type {}; it is a struct such as \
                 {{annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice}}, or a \
                 state, a BLOB that me_hodgerank_collect made",
                votes.type_name()
            )
            .into());
        };
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

    fn weight(&self) -> Option<&'a InputVector<'a>> {
        self.column("weight", WEIGHT_OR_OPTIONS)
    }

    fn fold(&self) -> Option<&'a InputVector<'a>> {
        self.column("fold", FOLD_OR_OPTIONS)
    }

    /// Which of the optional columns there are.
    pub fn optional(&self) -> OptionalColumns {
        OptionalColumns {
            weight: self.weight().is_some(),
            fold: self.fold().is_some(),
        }
    }

    /// The options, if they are a field.
    pub fn options(&self) -> Option<&'a InputVector<'a>> {
        self.ambiguous().filter(|_| self.ambiguous_is_options)
    }
}
