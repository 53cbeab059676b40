//! The arguments of the aggregates, one chunk of rows at a time: their order,
//! their types, and the votes in them.

use std::cell::RefCell;
use std::sync::Arc;

use libduckdb_sys::{
    duckdb_data_chunk, duckdb_data_chunk_get_column_count, duckdb_data_chunk_get_size,
    duckdb_data_chunk_get_vector,
};

use super::call_options::{CallOptions, OptionalColumns, OptionsColumn};
use super::error::SqlError;
use super::input_vector::InputVector;
use super::state::{GroupState, States};
use crate::votes::IntegerRows;
use crate::{IdType, Row, VoteBuilder};

/// The name of the aggregate that returns the result sets.
pub const FIT: &str = "me_hodgerank_fit";

/// How many arguments the aggregates take.
pub const ARGUMENT_COUNTS: std::ops::RangeInclusive<usize> = 4..=7;

/// The arguments of one chunk of rows.
pub struct VoteArguments<'a> {
    rows: usize,
    annotator: InputVector<'a>,
    left: InputVector<'a>,
    right: InputVector<'a>,
    choice: InputVector<'a>,
    weight: Option<InputVector<'a>>,
    fold: Option<InputVector<'a>>,
    options: OptionsColumn<'a>,
}

impl<'a> VoteArguments<'a> {
    /// The arguments of a call, checked.
    ///
    /// # Safety
    ///
    /// The chunk must be valid, its vectors flat, and outlive the result.
    pub unsafe fn new(chunk: duckdb_data_chunk) -> Result<Self, SqlError> {
        // SAFETY: the caller's promise.
        let (rows, columns): (_, Vec<_>) = unsafe {
            let rows = duckdb_data_chunk_get_size(chunk) as usize;
            let count = duckdb_data_chunk_get_column_count(chunk);
            let column = |index| InputVector::new(duckdb_data_chunk_get_vector(chunk, index), rows);
            (rows, (0..count).map(column).collect())
        };
        if !ARGUMENT_COUNTS.contains(&columns.len()) {
            return Err(format!(
                "{FIT} takes four to seven arguments, not {}: annotator, left, right, choice \
                 [, weight [, fold]] [, options]",
                columns.len()
            )
            .into());
        }
        let arguments = Self::assign(rows, columns)?;
        arguments.check()?;
        Ok(arguments)
    }

    /// Assigns the columns to the arguments.
    fn assign(rows: usize, columns: Vec<InputVector<'a>>) -> Result<Self, SqlError> {
        let mut columns = columns.into_iter();
        let mut next = || columns.next().ok_or("too few arguments");
        let (annotator, left, right, choice) = (next()?, next()?, next()?, next()?);
        let mut rest: Vec<_> = columns.collect();
        // With fewer than all arguments, the type of the last says what it is.
        let has_options = rest.len() == 3 || rest.last().is_some_and(InputVector::is_options);
        let options = rest.pop_if(|_| has_options);
        let mut rest = rest.into_iter();
        let mut optional = || rest.next().filter(|column| !column.is_absent());
        Ok(Self {
            rows,
            annotator,
            left,
            right,
            choice,
            weight: optional(),
            fold: optional(),
            options: OptionsColumn::new(options.filter(|column| !column.is_absent()))?,
        })
    }

    /// Checks the types. The overloads take more types than these, so that the
    /// error text is ours.
    fn check(&self) -> Result<(), SqlError> {
        let wrong = |name: &str, column: &InputVector<'_>, rule: &str| {
            Err(format!("the {name} is of type {}; {rule}", column.type_name()).into())
        };
        let ids = [
            ("annotator", &self.annotator),
            ("left item", &self.left),
            ("right item", &self.right),
        ];
        let no_id = |(_, column): &&(&str, &InputVector<'_>)| column.id_type().is_none();
        if let Some((name, column)) = ids.iter().filter(|(_, id)| !id.is_absent()).find(no_id) {
            let rule = "ids are integers, text or UUIDs: cast it to one of them";
            return wrong(name, column, rule);
        }
        if self.left.type_name() != self.right.type_name() && !self.has_absent_item() {
            return Err(format!(
                "the left item is of type {} and the right one of type {}: cast both to the same",
                self.left.type_name(),
                self.right.type_name()
            )
            .into());
        }
        if !self.choice.is_choice() {
            let rule = "a choice is a number, a boolean or text";
            return wrong("choice", &self.choice, rule);
        }
        match (&self.weight, &self.fold) {
            (Some(weight), _) if !weight.is_numeric() => {
                wrong("weight", weight, "weights are numbers")
            }
            (_, Some(fold)) if !fold.is_integer() => wrong("fold", fold, "folds are whole numbers"),
            _ => Ok(()),
        }
    }

    fn has_absent_item(&self) -> bool {
        self.left.is_absent() || self.right.is_absent()
    }

    /// How many votes these are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds every row to its state.
    ///
    /// # Safety
    ///
    /// The states must be those of these rows, and nobody else's meanwhile.
    pub unsafe fn push(&self, states: States) -> Result<(), SqlError> {
        let rows = self.rows;
        let constant = (rows > 0 && self.options.constant)
            .then(|| self.call(0))
            .transpose()?;
        // SAFETY: the caller's promise; one state is held at a time.
        let state = |row| unsafe { states.get(row) };
        if let Some(call) = &constant
            // SAFETY: the caller's promise.
            && unsafe { states.all_same(rows) }
        {
            let builder = self.collect(state(0), call)?;
            return Ok(self.push_all(builder)?);
        }
        for row in 0..rows {
            let call = constant.clone().map_or_else(|| self.call(row), Ok)?;
            let builder = self.collect(state(row), &call)?;
            builder.push(self.vote(row))?;
        }
        Ok(())
    }

    /// Adds all rows to one builder.
    fn push_all(&self, builder: &mut VoteBuilder) -> crate::Result<()> {
        thread_local! {
            static ROWS: RefCell<IntegerRows> = RefCell::default();
        }
        let taken = ROWS.with_borrow_mut(|rows| {
            let readable = self.annotator.all_integers(&mut rows.annotator)
                && self.left.all_integers(&mut rows.left)
                && self.right.all_integers(&mut rows.right)
                && self.choice.all_numbers(&mut rows.choice);
            Ok(readable && builder.push_integers(rows)?)
        });
        if taken? {
            return Ok(());
        }
        builder.push_all((0..self.rows).map(|row| self.vote(row)))
    }

    fn collect<'s>(
        &self,
        state: &'s mut GroupState,
        call: &Arc<CallOptions>,
    ) -> Result<&'s mut VoteBuilder, SqlError> {
        let builder = state.collect(call)?;
        if builder.rows() == 0 {
            let id_type = |column: &InputVector<'_>| column.id_type().unwrap_or(IdType::Text);
            let (left, right) = (id_type(&self.left), id_type(&self.right));
            builder.expect_ids(id_type(&self.annotator), left, right);
        }
        Ok(builder)
    }

    fn vote(&self, row: usize) -> Row<'_> {
        Row {
            annotator: self.annotator.id(row),
            left: self.left.id(row),
            right: self.right.id(row),
            choice: self.choice.choice(row),
            weight: self.weight.as_ref().and_then(|column| column.number(row)),
            fold: self.fold.as_ref().and_then(|column| column.integer(row)),
        }
    }

    /// The options of a row. Those of the last row are kept: most often they are
    /// the same.
    fn call(&self, row: usize) -> Result<Arc<CallOptions>, SqlError> {
        thread_local! {
            static LAST: RefCell<Option<Arc<CallOptions>>> = const { RefCell::new(None) };
        }
        let written = self.options.written(row);
        let optional = OptionalColumns {
            weight: self.weight.is_some(),
            fold: self.fold.is_some(),
        };
        LAST.with_borrow_mut(|last| {
            if let Some(call) = last
                .as_ref()
                .filter(|call| call.was_read_from(&written, optional))
            {
                return Ok(call.clone());
            }
            let call = Arc::new(CallOptions::read(written, optional)?);
            *last = Some(call.clone());
            Ok(call)
        })
    }
}
