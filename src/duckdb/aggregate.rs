//! `me_hodgerank_fit(annotator, left, right, choice [, weight [, fold]] [, options])`.
//!
//! DuckDB fixes the type of a result when a function is registered, and ids
//! come back in the type that they came in: so there is an overload for each
//! pair of types of annotators and items. What is neither an integer nor text
//! is cast to text by DuckDB.

use std::cell::RefCell;
use std::sync::Arc;

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, DuckDBSuccess, duckdb_aggregate_function, duckdb_aggregate_function_set_error,
    duckdb_aggregate_state, duckdb_data_chunk, duckdb_data_chunk_get_column_count,
    duckdb_data_chunk_get_size, duckdb_data_chunk_get_vector, duckdb_function_info, duckdb_vector,
    idx_t,
};

use super::column::Column;
use super::connection::Connection;
use super::handles::{LogicalType, c_string, guard};
use super::options::{CallOptions, Optional, OptionsColumn};
use super::result::{Output, fit_type};
use super::state::{self, Collected, State, States};
use crate::{Fit, IdType, Options, Row, Run, VoteBuilder};

const NAME: &str = "me_hodgerank_fit";

/// The types that ids come back in.
const ID_TYPES: [DUCKDB_TYPE; 10] = [
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT,
];

/// The fewest arguments, and the most.
const ARGUMENTS: std::ops::RangeInclusive<usize> = 4..=7;

/// Makes the aggregate known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), String> {
    let name = c_string(NAME);
    let any = LogicalType::new(ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY);
    // SAFETY: the set is made, filled, registered (which copies it) and destroyed.
    unsafe {
        let mut set = ffi::duckdb_create_aggregate_function_set(name.as_ptr());
        for annotator in ID_TYPES {
            for item in ID_TYPES {
                let fit = fit_type(annotator, item);
                let (annotator, item) = (LogicalType::new(annotator), LogicalType::new(item));
                for count in ARGUMENTS {
                    let mut arguments = vec![&annotator, &item, &item];
                    arguments.resize(count, &any);
                    add_overload(set, &arguments, &fit, finalize);
                }
            }
        }
        // Any other number of arguments gets an error of ours, not DuckDB's
        // with hundreds of candidates.
        for count in [0, 1, 2, 3, 8, 9] {
            add_overload(set, &vec![&any; count], &fit_type(ID_TYPES[0], ID_TYPES[0]), refuse);
        }
        let outcome = ffi::duckdb_register_aggregate_function_set(connection.raw(), set);
        ffi::duckdb_destroy_aggregate_function_set(&mut set);
        if outcome == DuckDBSuccess {
            Ok(())
        } else {
            Err(format!("could not register {NAME}"))
        }
    }
}

type Finalize = unsafe extern "C" fn(
    duckdb_function_info,
    *mut duckdb_aggregate_state,
    duckdb_vector,
    idx_t,
    idx_t,
);

/// # Safety
///
/// The set must be valid.
unsafe fn add_overload(
    set: ffi::duckdb_aggregate_function_set,
    arguments: &[&LogicalType],
    result: &LogicalType,
    finalize: Finalize,
) {
    let name = c_string(NAME);
    // SAFETY: the set copies the function, which copies its name and types.
    unsafe {
        let mut function: duckdb_aggregate_function = ffi::duckdb_create_aggregate_function();
        ffi::duckdb_aggregate_function_set_name(function, name.as_ptr());
        for argument in arguments {
            ffi::duckdb_aggregate_function_add_parameter(function, argument.raw());
        }
        ffi::duckdb_aggregate_function_set_return_type(function, result.raw());
        ffi::duckdb_aggregate_function_set_functions(
            function,
            Some(state_size),
            Some(init),
            Some(update),
            Some(combine),
            Some(finalize),
        );
        ffi::duckdb_aggregate_function_set_destructor(function, Some(destroy));
        // Rows with a NULL are counted and named, not left out in silence.
        ffi::duckdb_aggregate_function_set_special_handling(function);
        ffi::duckdb_add_aggregate_function_to_set(set, function);
        ffi::duckdb_destroy_aggregate_function(&mut function);
    }
}

unsafe extern "C" fn state_size(_: duckdb_function_info) -> idx_t {
    state::SLOT_BYTES as idx_t
}

unsafe extern "C" fn init(_: duckdb_function_info, state: duckdb_aggregate_state) {
    // SAFETY: DuckDB passes new memory of the size that it was told.
    unsafe { state::init(state) };
}

unsafe extern "C" fn destroy(states: *mut duckdb_aggregate_state, count: idx_t) {
    for index in 0..count as usize {
        // SAFETY: DuckDB passes `count` states that `init` filled.
        unsafe { state::destroy(states.add(index).read()) };
    }
}

unsafe extern "C" fn update(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    states: *mut duckdb_aggregate_state,
) {
    let outcome = guard(|| {
        // SAFETY: DuckDB passes a valid chunk of flat vectors and its states.
        unsafe {
            let rows = duckdb_data_chunk_get_size(chunk) as usize;
            let count = duckdb_data_chunk_get_column_count(chunk) as usize;
            if rows == 0 || !ARGUMENTS.contains(&count) {
                return Ok(()); // a wrong number is refused in the end
            }
            let column = |index| Column::new(duckdb_data_chunk_get_vector(chunk, index), rows);
            let input = Input::new((0..count as u64).map(column).collect())?;
            input.push(States::of_update(states, rows), rows)
        }
    });
    report(info, outcome);
}

unsafe extern "C" fn combine(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    target: *mut duckdb_aggregate_state,
    count: idx_t,
) {
    let (source, target) = (States::each(source), States::each(target));
    let outcome = guard(|| {
        for row in 0..count as usize {
            // SAFETY: DuckDB passes `count` states of each; a source may be
            // read by others at the same time, and be read again later.
            let (source, target) = unsafe { (source.read(row), target.get(row)) };
            merge(source, target)?;
        }
        Ok(())
    });
    report(info, outcome);
}

/// Adds a copy of the source's votes to the target.
fn merge(source: &State, target: &mut State) -> Result<(), String> {
    let Some(source) = &source.votes else {
        return Ok(());
    };
    let target = target.collect(&source.call)?;
    target.merge_copy(&source.builder).map_err(|error| error.to_string())
}

unsafe extern "C" fn finalize(
    info: duckdb_function_info,
    source: *mut duckdb_aggregate_state,
    result: duckdb_vector,
    count: idx_t,
    offset: idx_t,
) {
    let states = States::each(source);
    let rows = 0..count as usize;
    let outcome = guard(|| {
        // SAFETY: the vector has a row for each state, from `offset` on.
        let output = unsafe { Output::new(result) };
        for row in rows.clone() {
            // SAFETY: DuckDB passes `count` states. They are kept: a running
            // window goes on with them.
            let state = unsafe { states.read(row) };
            fit(state, output, offset as usize + row)?;
        }
        Ok(())
    });
    if outcome.is_err() {
        // DuckDB may never destroy them after an error: free the votes here.
        for row in rows {
            // SAFETY: as above.
            unsafe { states.get(row).votes = None };
        }
    }
    report(info, outcome);
}

/// Fits a group and writes the result.
fn fit(state: &State, output: Output, row: usize) -> Result<(), String> {
    let Some(Collected { call, builder }) = &state.votes else {
        let nothing = VoteBuilder::new(&Options::default()).finish(&mut Run::new());
        return nothing.map(drop).map_err(|error| error.to_string());
    };
    let mut run = Run::new().max_seconds(call.options.max_seconds);
    let written = builder.snapshot(&mut run).and_then(|votes| {
        let fit = Fit::cached(&votes, &call.options, &mut run)?;
        drop(votes);
        output.write_fit(row, &fit, call.only)
    });
    written.map_err(|error| error.to_string())
}

unsafe extern "C" fn refuse(
    info: duckdb_function_info,
    _: *mut duckdb_aggregate_state,
    _: duckdb_vector,
    _: idx_t,
    _: idx_t,
) {
    let usage = "me_hodgerank_fit takes four to seven arguments: annotator, left, right, choice \
                 [, weight [, fold]] [, options]";
    report(info, Err(usage.into()));
}

fn report(info: duckdb_function_info, outcome: Result<(), String>) {
    if let Err(message) = outcome {
        let message = c_string(&message);
        // SAFETY: `info` is the one of the running callback; DuckDB copies the text.
        unsafe { duckdb_aggregate_function_set_error(info, message.as_ptr()) };
    }
}

impl State {
    /// The votes of this group, which all come with the same options.
    fn collect(&mut self, call: &Arc<CallOptions>) -> Result<&mut VoteBuilder, String> {
        let votes = self.votes.get_or_insert_with(|| Collected {
            call: call.clone(),
            builder: VoteBuilder::new(&call.options),
        });
        if !Arc::ptr_eq(&votes.call, call) && votes.call.written != call.written {
            return Err("the options must be the same for all votes of a group".into());
        }
        Ok(&mut votes.builder)
    }
}

/// The arguments of one chunk of rows.
struct Input<'a> {
    annotator: Column<'a>,
    left: Column<'a>,
    right: Column<'a>,
    choice: Column<'a>,
    weight: Option<Column<'a>>,
    fold: Option<Column<'a>>,
    options: OptionsColumn<'a>,
}

impl<'a> Input<'a> {
    fn new(columns: Vec<Column<'a>>) -> Result<Self, String> {
        let mut columns = columns.into_iter();
        let mut next = || columns.next().ok_or("too few arguments");
        let (annotator, left, right, choice) = (next()?, next()?, next()?, next()?);
        let mut rest: Vec<_> = columns.collect();
        // With fewer than all arguments, the type of the last says what it is.
        let has_options = rest.len() == 3 || rest.last().is_some_and(Column::is_options);
        let options = rest.pop_if(|_| has_options);
        let mut rest = rest.into_iter();
        let mut optional = || rest.next().filter(|column| !column.is_absent());
        let input = Self {
            annotator,
            left,
            right,
            choice,
            weight: optional(),
            fold: optional(),
            options: OptionsColumn::new(options.filter(|column| !column.is_absent()))?,
        };
        input.check()?;
        Ok(input)
    }

    fn check(&self) -> Result<(), String> {
        let wrong = |name: &str, column: &Column<'_>, rule: &str| {
            Err(format!("the {name} is of type {}; {rule}", column.type_name()))
        };
        if !self.choice.is_choice() {
            return wrong("choice", &self.choice, "a choice is a number, a boolean or text");
        }
        match (&self.weight, &self.fold) {
            (Some(weight), _) if !weight.is_numeric() => {
                wrong("weight", weight, "weights are numbers")
            }
            (_, Some(fold)) if !fold.is_whole() => wrong("fold", fold, "folds are whole numbers"),
            _ => Ok(()),
        }
    }

    /// Hands every row to its state.
    ///
    /// # Safety
    ///
    /// The states must be those of these rows, and nobody else's meanwhile.
    unsafe fn push(&self, states: States, rows: usize) -> Result<(), String> {
        let constant = self.options.constant.then(|| self.call(0)).transpose()?;
        // SAFETY: the caller's promise, here and below; one state is held at a time.
        if let Some(call) = &constant
            && unsafe { states.all_same(rows) }
        {
            let builder = self.collect(unsafe { states.get(0) }, call)?;
            return (0..rows).try_for_each(|row| self.push_row(builder, row));
        }
        for row in 0..rows {
            let call = constant.clone().map_or_else(|| self.call(row), Ok)?;
            let builder = self.collect(unsafe { states.get(row) }, &call)?;
            self.push_row(builder, row)?;
        }
        Ok(())
    }

    fn collect<'s>(
        &self,
        state: &'s mut State,
        call: &Arc<CallOptions>,
    ) -> Result<&'s mut VoteBuilder, String> {
        let builder = state.collect(call)?;
        if builder.rows() == 0 {
            let id_type = |column: &Column<'_>| column.id_type().unwrap_or(IdType::Text);
            let (left, right) = (id_type(&self.left), id_type(&self.right));
            builder.expect_ids(id_type(&self.annotator), left, right);
        }
        Ok(builder)
    }

    fn push_row(&self, builder: &mut VoteBuilder, row: usize) -> Result<(), String> {
        let vote = Row {
            annotator: self.annotator.id(row),
            left: self.left.id(row),
            right: self.right.id(row),
            choice: self.choice.choice(row),
            weight: self.weight.as_ref().and_then(|column| column.number(row)),
            fold: self.fold.as_ref().and_then(|column| column.whole(row)),
        };
        builder.push(vote).map_err(|error| error.to_string())
    }

    /// The options of a row, read once for all rows that say the same.
    fn call(&self, row: usize) -> Result<Arc<CallOptions>, String> {
        thread_local! {
            static LAST: RefCell<Option<Arc<CallOptions>>> = const { RefCell::new(None) };
        }
        let written = self.options.written(row);
        let optional = Optional {
            weight: self.weight.is_some(),
            fold: self.fold.is_some(),
        };
        LAST.with_borrow_mut(|last| {
            if let Some(call) = last.as_ref().filter(|call| call.says(&written, optional)) {
                return Ok(call.clone());
            }
            let call = Arc::new(CallOptions::read(written, optional)?);
            *last = Some(call.clone());
            Ok(call)
        })
    }
}
