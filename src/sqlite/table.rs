//! The one virtual table behind all table functions.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use rusqlite::types::Value;
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor,
};
use rusqlite::{Connection, Result, ffi};

use super::cells::cell;
use super::error::{guard, message, sql_error};
use super::functions::{Arguments, Function, Input};
use super::ingest::{Depth, Ingest};
use super::memory::{Handover, Memory};
use super::poll::interruptible;
use super::predict::predict;
use crate::fit::Fit;
use crate::fit::cache;

/// Makes the table functions known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    const MODULE: Module<'static, Table> = Module::eponymous_only_module();
    for function in Function::all() {
        connection.create_module(function.name().as_str(), &MODULE, Some(function))?;
    }
    Ok(())
}

/// A table function on a connection.
#[repr(C)]
struct Table {
    /// SQLite's part: must be first.
    base: ffi::sqlite3_vtab,
    db: *mut ffi::sqlite3,
    function: Function,
    /// How many columns are not hidden.
    visible: usize,
    /// The column of each argument.
    argument_columns: Vec<c_int>,
    handover: Arc<Handover>,
}

// SAFETY: `repr(C)` with `sqlite3_vtab` first, as rusqlite asks.
unsafe impl<'vtab> VTab<'vtab> for Table {
    type Aux = Function;
    type Cursor = Cursor;

    fn connect(
        db: &mut VTabConnection,
        function: Option<&Function>,
        _module: &[u8],
        _database: &[u8],
        _table: &[u8],
        _arguments: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let function = *function.expect("registered with its function");
        // A text that is run as SQL must not come from the schema of a database
        // that somebody else made: it would be run with the caller's rights.
        db.config(if function.is_pure() {
            VTabConfig::Innocuous
        } else {
            VTabConfig::DirectOnly
        })?;
        let (declaration, argument_columns) = declare(function);
        let table = Self {
            base: ffi::sqlite3_vtab::default(),
            // SAFETY: a virtual table lives no longer than its connection; the
            // handle is only used while SQLite calls one of its cursors.
            db: unsafe { db.handle() },
            function,
            visible: function.columns().len(),
            argument_columns,
            handover: Arc::default(),
        };
        let declaration = CString::new(declaration).map_err(|error| message(error.to_string()))?;
        Ok((Cow::Owned(declaration), table))
    }

    /// Hands every `argument = value` to the cursor, in the order of arguments;
    /// the bits of the plan say which there are.
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut places: Vec<Option<usize>> = vec![None; self.argument_columns.len()];
        let mut waiting = 0;
        for (place, constraint) in info.constraints().enumerate() {
            let column = constraint.column();
            let argument = self.argument_columns.iter().position(|c| *c == column);
            let Some(argument) = argument else { continue };
            if constraint.operator() != IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ {
                continue;
            }
            if constraint.is_usable() {
                // A second one is left for SQLite to check.
                places[argument].get_or_insert(place);
            } else {
                waiting |= 1 << argument;
            }
        }
        let mut plan = 0;
        let mut count = 0;
        for (argument, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            plan |= 1 << argument;
            count += 1;
            let mut usage = info.constraint_usage(*place);
            usage.set_argv_index(count);
            // A visible column is also there to be filtered by, as of a model.
            usage.set_omit(self.argument_columns[argument] as usize >= self.visible);
        }
        info.set_idx_num(plan);
        info.set_estimated_cost(self.function.cost());
        info.set_estimated_rows(self.function.rows());
        // An argument that another table gives has to wait for that table.
        Ok(waiting & !plan == 0)
    }

    fn open(&'vtab mut self) -> Result<Cursor> {
        Ok(Cursor {
            base: ffi::sqlite3_vtab_cursor::default(),
            db: self.db,
            function: self.function,
            argument_columns: self.argument_columns.clone(),
            arguments: Arguments::default(),
            memory: Memory::new(&self.handover),
            batches: Box::new(std::iter::empty()),
            batch: None,
            row: 0,
            rowid: 0,
        })
    }
}

/// The declaration of a function's table, and the column of each argument.
fn declare(function: Function) -> (String, Vec<c_int>) {
    let visible = function.columns();
    let mut columns: Vec<String> = visible
        .iter()
        .map(|(name, declared)| format!("\"{name}\" {declared}"))
        .collect();
    let mut places = Vec::new();
    for argument in function.arguments() {
        let place = visible.iter().position(|(name, _)| name == argument);
        places.push(place.unwrap_or(columns.len()) as c_int);
        if place.is_none() {
            columns.push(format!("\"{argument}\" HIDDEN"));
        }
    }
    (format!("CREATE TABLE x({})", columns.join(", ")), places)
}

type Batches = Box<dyn Iterator<Item = crate::Result<RecordBatch>>>;

/// One scan over a table function's rows.
#[repr(C)]
pub(super) struct Cursor {
    /// SQLite's part: must be first.
    base: ffi::sqlite3_vtab_cursor,
    db: *mut ffi::sqlite3,
    function: Function,
    argument_columns: Vec<c_int>,
    arguments: Arguments,
    memory: Memory,
    batches: Batches,
    batch: Option<RecordBatch>,
    row: usize,
    rowid: i64,
}

// SAFETY: `repr(C)` with `sqlite3_vtab_cursor` first, as rusqlite asks.
unsafe impl VTabCursor for Cursor {
    fn filter(&mut self, plan: c_int, _: Option<&str>, values: &Filters<'_>) -> Result<()> {
        guard(|| {
            self.memory.take_over();
            self.arguments = arguments(self.argument_columns.len(), plan, values)?;
            self.batches = self.start()?;
            self.rowid = 0;
            self.next_batch()
        })
    }

    fn next(&mut self) -> Result<()> {
        guard(|| {
            self.row += 1;
            self.rowid += 1;
            match &self.batch {
                Some(batch) if self.row >= batch.num_rows() => self.next_batch(),
                _ => Ok(()),
            }
        })
    }

    fn eof(&self) -> bool {
        self.batch.is_none()
    }

    fn column(&self, context: &mut Context, column: c_int) -> Result<()> {
        guard(|| {
            let place = column as usize;
            if let Some(batch) = &self.batch
                && place < batch.num_columns()
            {
                return context.set_result(&cell(batch.column(place), self.row));
            }
            let argument = self.argument_columns.iter().position(|c| *c == column);
            match argument.and_then(|argument| self.arguments.0[argument].as_ref()) {
                Some(value) => context.set_result(value),
                None => context.set_result(&Value::Null),
            }
        })
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.rowid)
    }
}

/// The values that the plan's bits stand for.
fn arguments(count: usize, plan: c_int, values: &Filters<'_>) -> Result<Arguments> {
    let mut next = 0;
    let mut given = Vec::with_capacity(count);
    for argument in 0..count {
        let value = if plan & (1 << argument) != 0 {
            next += 1;
            Some(values.get::<Value>(next - 1)?)
        } else {
            None
        };
        given.push(value);
    }
    Ok(Arguments(given))
}

impl Cursor {
    /// What the arguments ask for.
    fn start(&mut self) -> Result<Batches> {
        if self.arguments.ask_for_null(self.function) {
            return Ok(Box::new(std::iter::empty()));
        }
        if self.function == Function::Simulate {
            let simulation = self.arguments.simulation(self.function)?;
            return Ok(Box::new(simulation.run().map_err(sql_error)?));
        }
        // What is wrong with an argument should not wait for the fit.
        match self.function {
            Function::Plot => drop(self.arguments.plot(self.function)?),
            Function::Predict => drop(self.arguments.test(self.function)?),
            _ => {}
        }
        let batch = match self.arguments.input(self.function)? {
            Input::Nothing => return Ok(Box::new(std::iter::empty())),
            Input::Model(_) if self.arguments.has_options(self.function) => {
                return Err(message(
                    "a model is fitted already: options belong to me_hodgerank_fit",
                ));
            }
            Input::Model(bytes) => {
                let fit = Fit::from_bytes(bytes).map_err(sql_error)?;
                self.answer(Arc::new(fit))?
            }
            Input::Votes(_) => self.fitted()?,
        };
        Ok(Box::new(std::iter::once(Ok(batch))))
    }

    /// What the function says about a fit.
    fn answer(&self, fit: Arc<Fit>) -> Result<RecordBatch> {
        let text = |text: String| {
            let array = StringArray::from(vec![text]);
            let name = self.function.columns().remove(0).0;
            RecordBatch::try_from_iter([(name, Arc::new(array) as ArrayRef)])
                .map_err(|error| message(error.to_string()))
        };
        match self.function {
            Function::Fit(set) | Function::Unpack(set) => {
                let limit = self.arguments.options(self.function)?.max_seconds;
                interruptible(&self.connection()?, limit, |run| fit.table_within(set, run))
            }
            Function::Plot => {
                let kind = self.arguments.plot(self.function)?;
                text(fit.plot(kind).map_err(sql_error)?)
            }
            Function::Report => {
                let limit = self.arguments.options(self.function)?.max_seconds;
                let connection = self.connection()?;
                text(interruptible(&connection, limit, |run| {
                    fit.report_within(run)
                })?)
            }
            Function::Predict => {
                let _depth = Depth::enter()?;
                let options = self.arguments.options(self.function)?;
                let test = self.arguments.test(self.function)?;
                predict(&self.connection()?, test, &options.columns, fit)
            }
            Function::Simulate => Err(message("no fit")),
        }
    }

    fn connection(&self) -> Result<Connection> {
        // SAFETY: SQLite is calling this cursor, so its connection is open, and
        // this thread is the one that may use it. The handle is not closed on drop.
        unsafe { Connection::from_handle(self.db) }
    }

    /// The answer for the votes, fitted unless this statement did so before.
    fn fitted(&mut self) -> Result<RecordBatch> {
        if let Some(batch) = self.memory.get(&self.arguments) {
            return Ok(batch);
        }
        let Input::Votes(text) = self.arguments.input(self.function)? else {
            return Err(message("no votes"));
        };
        let options = self.arguments.options(self.function)?;
        let connection = self.connection()?;
        let ingest = Ingest::read(&connection, text, &options)?;
        let fit = interruptible(&connection, options.max_seconds, |run| {
            let votes = ingest.finish(run)?;
            if !self.function.shows_curve() {
                run.stop_early();
            }
            cache::fit(&votes, &options, run)
        })?;
        let batch = self.answer(fit)?;
        self.memory.put(&self.arguments, &batch);
        Ok(batch)
    }

    /// Goes to the next row of the next batch that has one.
    fn next_batch(&mut self) -> Result<()> {
        self.row = 0;
        self.batch = None;
        for batch in self.batches.by_ref() {
            let batch = batch.map_err(sql_error)?;
            if batch.num_rows() > 0 {
                self.batch = Some(batch);
                break;
            }
        }
        Ok(())
    }
}
