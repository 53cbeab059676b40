//! The virtual table behind all table functions.

#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

use arrow_array::RecordBatch;
use rusqlite::types::Value;
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor,
};
use rusqlite::{Connection, Result, ffi};

use super::error::{guard, message};
use super::memory::{ResultHandover, ResultMemory, RunningStatements};
use super::sql_text::quoted;
use super::table_arguments::TableArguments;
use super::table_call::{Batches, TableCall};
use super::table_function::TableFunction;
use super::values::cell;

/// Makes the table functions known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    const MODULE: Module<'static, FunctionTable> = Module::eponymous_only_module();
    for function in TableFunction::all() {
        connection.create_module(function.name().as_str(), &MODULE, Some(function))?;
    }
    Ok(())
}

/// A table function on a connection.
#[repr(C)]
struct FunctionTable {
    /// SQLite's part: must be first.
    base: ffi::sqlite3_vtab,
    db: *mut ffi::sqlite3,
    function: TableFunction,
    /// How many columns are not hidden.
    visible: usize,
    /// The column of each argument.
    argument_columns: Vec<c_int>,
    handover: Arc<ResultHandover>,
}

// SAFETY: `repr(C)` with `sqlite3_vtab` first, as rusqlite asks.
unsafe impl<'vtab> VTab<'vtab> for FunctionTable {
    type Aux = TableFunction;
    type Cursor = FunctionCursor;

    fn connect(
        db: &mut VTabConnection,
        function: Option<&TableFunction>,
        _module: &[u8],
        _database: &[u8],
        _table: &[u8],
        _arguments: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let function = *function.expect("registered with its function");
        // A text that is run as SQL must not come from the schema of an untrusted
        // database: it would be run with the caller's rights.
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

    /// Passes the value of every `argument = value` to the cursor, in the order of
    /// arguments; bit k of the plan says whether argument k is among them.
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut constraints: Vec<Option<usize>> = vec![None; self.argument_columns.len()];
        let mut unusable = 0;
        for (index, constraint) in info.constraints().enumerate() {
            let column = constraint.column();
            let argument = self.argument_columns.iter().position(|c| *c == column);
            let Some(argument) = argument else { continue };
            if constraint.operator() != IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ {
                continue;
            }
            if constraint.is_usable() {
                // A second one on the same argument is checked by SQLite.
                constraints[argument].get_or_insert(index);
            } else {
                unusable |= 1 << argument;
            }
        }
        let mut plan = 0;
        let mut count = 0;
        for (argument, constraint) in constraints.iter().enumerate() {
            let Some(constraint) = constraint else {
                continue;
            };
            plan |= 1 << argument;
            count += 1;
            let mut usage = info.constraint_usage(*constraint);
            usage.set_argv_index(count);
            // An argument that is a visible column also filters rows, as those of a
            // model that was fitted with another value.
            usage.set_omit(self.argument_columns[argument] as usize >= self.visible);
        }
        info.set_idx_num(plan);
        info.set_estimated_cost(self.function.cost());
        info.set_estimated_rows(self.function.rows());
        // An argument that comes from another table needs a plan in which that
        // table is read first.
        Ok(unusable & !plan == 0)
    }

    fn open(&'vtab mut self) -> Result<FunctionCursor> {
        Ok(FunctionCursor {
            base: ffi::sqlite3_vtab_cursor::default(),
            db: self.db,
            function: self.function,
            argument_columns: self.argument_columns.clone(),
            arguments: TableArguments::default(),
            memory: ResultMemory::new(&self.handover, running_statements(self.db)),
            batches: Box::new(std::iter::empty()),
            batch: None,
            row: 0,
            rowid: 0,
        })
    }
}

/// The statements of a connection that have started and not ended.
fn running_statements(db: *mut ffi::sqlite3) -> RunningStatements {
    let mut running = Vec::new();
    // SAFETY: SQLite is calling the virtual table, so its connection is open, and this
    // thread is the one that may use it. The statements are only asked whether they run.
    unsafe {
        let mut statement = ffi::sqlite3_next_stmt(db, std::ptr::null_mut());
        while !statement.is_null() {
            if ffi::sqlite3_stmt_busy(statement) != 0 {
                running.push(statement as usize);
            }
            statement = ffi::sqlite3_next_stmt(db, statement);
        }
    }
    running
}

/// The declaration of a function's table, and the column of each argument.
fn declare(function: TableFunction) -> (String, Vec<c_int>) {
    let visible = function.columns();
    let mut columns: Vec<String> = visible
        .iter()
        .map(|(name, declared)| format!("{} {declared}", quoted(name)))
        .collect();
    let mut argument_columns = Vec::new();
    for argument in function.arguments() {
        let column = visible.iter().position(|(name, _)| name == argument);
        argument_columns.push(column.unwrap_or(columns.len()) as c_int);
        if column.is_none() {
            columns.push(format!("{} HIDDEN", quoted(argument)));
        }
    }
    let declaration = format!("CREATE TABLE x({})", columns.join(", "));
    (declaration, argument_columns)
}

/// One scan over a table function's rows.
#[repr(C)]
pub(super) struct FunctionCursor {
    /// SQLite's part: must be first.
    base: ffi::sqlite3_vtab_cursor,
    db: *mut ffi::sqlite3,
    function: TableFunction,
    argument_columns: Vec<c_int>,
    arguments: TableArguments,
    memory: ResultMemory,
    batches: Batches,
    batch: Option<RecordBatch>,
    row: usize,
    rowid: i64,
}

// SAFETY: `repr(C)` with `sqlite3_vtab_cursor` first, as rusqlite asks.
unsafe impl VTabCursor for FunctionCursor {
    fn filter(&mut self, plan: c_int, _: Option<&str>, values: &Filters<'_>) -> Result<()> {
        guard(|| {
            self.memory.take_over(&running_statements(self.db));
            self.arguments = arguments(self.argument_columns.len(), plan, values)?;
            // SAFETY: SQLite is calling this cursor, so its connection is open, and
            // this thread is the one that may use it. The handle is not closed on drop.
            let connection = unsafe { Connection::from_handle(self.db)? };
            let call = TableCall {
                function: self.function,
                arguments: &self.arguments,
                connection,
            };
            self.batches = call.run(&mut self.memory)?;
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
            let index = column as usize;
            if let Some(batch) = &self.batch
                && index < batch.num_columns()
            {
                return context.set_result(&cell(batch.column(index), self.row));
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

/// The arguments: those whose bit in the plan is set have a value.
fn arguments(count: usize, plan: c_int, values: &Filters<'_>) -> Result<TableArguments> {
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
    Ok(TableArguments(given))
}

impl FunctionCursor {
    /// Goes to the first row of the next batch that has rows.
    fn next_batch(&mut self) -> Result<()> {
        self.row = 0;
        self.batch = None;
        for batch in self.batches.by_ref() {
            let batch = batch?;
            if batch.num_rows() > 0 {
                self.batch = Some(batch);
                break;
            }
        }
        Ok(())
    }
}
