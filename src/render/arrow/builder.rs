//! Arrow arrays from rows: a table's columns, each with the function that reads its
//! cell from a row, and the cells read so far.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use super::column::{ColumnKind, ResultColumn};
use super::ids::{IdBuilder, append_text, id_builder};
use crate::votes::{IdRef, IdType};

/// So many rows are held at once: a set with very many rows is never there as structs.
const CHUNK_ROWS: usize = 1024;

/// A table of rows under construction. Its columns are added first, one call each,
/// then its rows.
pub(super) struct TableBuilder<Row> {
    annotator: IdType,
    item: IdType,
    /// How many rows there is memory for at first.
    capacity: usize,
    columns: Vec<(ResultColumn, Cells<Row>)>,
}

/// How the cells of a column are read, and those read so far.
enum Cells<Row> {
    Id(fn(&Row) -> IdRef<'_>, Box<dyn IdBuilder>),
    OptionalId(fn(&Row) -> Option<IdRef<'_>>, Box<dyn IdBuilder>),
    Integer(fn(&Row) -> u64, Int64Builder),
    OptionalInteger(fn(&Row) -> Option<u64>, Int64Builder),
    Count(fn(&Row) -> f64, Int64Builder),
    Number(fn(&Row) -> f64, Float64Builder),
    OptionalNumber(fn(&Row) -> Option<f64>, Float64Builder),
    Boolean(fn(&Row) -> bool, BooleanBuilder),
    Text(fn(&Row) -> &str, StringBuilder),
    OptionalText(fn(&Row) -> Option<&str>, StringBuilder),
}

impl<Row> TableBuilder<Row> {
    /// A table without columns, of votes whose ids have these types.
    pub fn new(annotator: IdType, item: IdType, capacity: usize) -> Self {
        Self {
            annotator,
            item,
            capacity,
            columns: Vec::new(),
        }
    }

    /// The columns so far.
    pub fn columns(&self) -> Vec<ResultColumn> {
        self.columns.iter().map(|(column, _)| *column).collect()
    }

    pub fn item(self, name: &'static str, read: fn(&Row) -> IdRef<'_>) -> Self {
        let cells = Cells::Id(read, id_builder(self.item));
        self.column(name, ColumnKind::Item, false, cells)
    }

    pub fn optional_item(self, name: &'static str, read: fn(&Row) -> Option<IdRef<'_>>) -> Self {
        let cells = Cells::OptionalId(read, id_builder(self.item));
        self.column(name, ColumnKind::Item, true, cells)
    }

    pub fn annotator(self, name: &'static str, read: fn(&Row) -> IdRef<'_>) -> Self {
        let cells = Cells::Id(read, id_builder(self.annotator));
        self.column(name, ColumnKind::Annotator, false, cells)
    }

    pub fn optional_annotator(
        self,
        name: &'static str,
        read: fn(&Row) -> Option<IdRef<'_>>,
    ) -> Self {
        let cells = Cells::OptionalId(read, id_builder(self.annotator));
        self.column(name, ColumnKind::Annotator, true, cells)
    }

    pub fn integer(self, name: &'static str, read: fn(&Row) -> u64) -> Self {
        let cells = Cells::Integer(read, Int64Builder::with_capacity(self.capacity));
        self.column(name, ColumnKind::Integer, false, cells)
    }

    pub fn optional_integer(self, name: &'static str, read: fn(&Row) -> Option<u64>) -> Self {
        let cells = Cells::OptionalInteger(read, Int64Builder::with_capacity(self.capacity));
        self.column(name, ColumnKind::Integer, true, cells)
    }

    /// A sum of weights, rounded: it is an integer unless weights are not.
    pub fn count(self, name: &'static str, read: fn(&Row) -> f64) -> Self {
        let cells = Cells::Count(read, Int64Builder::with_capacity(self.capacity));
        self.column(name, ColumnKind::Integer, false, cells)
    }

    pub fn number(self, name: &'static str, read: fn(&Row) -> f64) -> Self {
        let cells = Cells::Number(read, Float64Builder::with_capacity(self.capacity));
        self.column(name, ColumnKind::Number, false, cells)
    }

    pub fn optional_number(self, name: &'static str, read: fn(&Row) -> Option<f64>) -> Self {
        let cells = Cells::OptionalNumber(read, Float64Builder::with_capacity(self.capacity));
        self.column(name, ColumnKind::Number, true, cells)
    }

    pub fn boolean(self, name: &'static str, read: fn(&Row) -> bool) -> Self {
        let cells = Cells::Boolean(read, BooleanBuilder::with_capacity(self.capacity));
        self.column(name, ColumnKind::Boolean, false, cells)
    }

    pub fn text(self, name: &'static str, read: fn(&Row) -> &str) -> Self {
        let cells = Cells::Text(read, StringBuilder::with_capacity(self.capacity, 0));
        self.column(name, ColumnKind::Text, false, cells)
    }

    pub fn optional_text(self, name: &'static str, read: fn(&Row) -> Option<&str>) -> Self {
        let cells = Cells::OptionalText(read, StringBuilder::with_capacity(self.capacity, 0));
        self.column(name, ColumnKind::Text, true, cells)
    }

    fn column(
        mut self,
        name: &'static str,
        kind: ColumnKind,
        nullable: bool,
        cells: Cells<Row>,
    ) -> Self {
        let column = ResultColumn {
            name,
            kind,
            nullable,
        };
        self.columns.push((column, cells));
        self
    }

    fn append(&mut self, rows: &[Row]) -> Result<(), ArrowError> {
        let mut columns = self.columns.iter_mut();
        columns.try_for_each(|(_, cells)| cells.append(rows))
    }

    /// Adds all rows and makes the batch.
    pub fn finish(
        mut self,
        mut rows: impl Iterator<Item = Row>,
    ) -> Result<RecordBatch, ArrowError> {
        let mut chunk = Vec::with_capacity(self.capacity.min(CHUNK_ROWS));
        rows.try_for_each(|row| {
            chunk.push(row);
            if chunk.len() == CHUNK_ROWS {
                self.append(&chunk)?;
                chunk.clear();
            }
            Ok::<_, ArrowError>(())
        })?;
        self.append(&chunk)?;
        let schema = schema(&self.columns(), self.annotator, self.item);
        let cells = self.columns.into_iter().map(|(_, cells)| cells);
        RecordBatch::try_new(schema, cells.map(Cells::finish).collect())
    }
}

/// The Arrow schema of columns, for votes with ids of these types.
pub(super) fn schema(columns: &[ResultColumn], annotator: IdType, item: IdType) -> SchemaRef {
    let fields = columns.iter().map(|column| column.field(annotator, item));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

impl<Row> Cells<Row> {
    /// Reads the cells of some rows.
    fn append(&mut self, rows: &[Row]) -> Result<(), ArrowError> {
        let mut rows = rows.iter();
        match self {
            Self::Id(read, ids) => {
                return rows.try_for_each(|row| ids.append(Some(read(row))));
            }
            Self::OptionalId(read, ids) => {
                return rows.try_for_each(|row| ids.append(read(row)));
            }
            Self::Text(read, cells) => {
                return rows.try_for_each(|row| append_text(cells, Some(read(row))));
            }
            Self::OptionalText(read, cells) => {
                return rows.try_for_each(|row| append_text(cells, read(row)));
            }
            Self::Integer(read, cells) => {
                rows.for_each(|row| cells.append_value(read(row) as i64));
            }
            Self::OptionalInteger(read, cells) => {
                rows.for_each(|row| cells.append_option(read(row).map(|value| value as i64)));
            }
            Self::Count(read, cells) => {
                rows.for_each(|row| cells.append_value(read(row).round() as i64));
            }
            Self::Number(read, cells) => rows.for_each(|row| cells.append_value(read(row))),
            Self::OptionalNumber(read, cells) => {
                rows.for_each(|row| cells.append_option(read(row)));
            }
            Self::Boolean(read, cells) => rows.for_each(|row| cells.append_value(read(row))),
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Id(_, mut ids) | Self::OptionalId(_, mut ids) => ids.finish(),
            Self::Integer(_, mut cells)
            | Self::OptionalInteger(_, mut cells)
            | Self::Count(_, mut cells) => Arc::new(cells.finish()),
            Self::Number(_, mut cells) | Self::OptionalNumber(_, mut cells) => {
                Arc::new(cells.finish())
            }
            Self::Boolean(_, mut cells) => Arc::new(cells.finish()),
            Self::Text(_, mut cells) | Self::OptionalText(_, mut cells) => Arc::new(cells.finish()),
        }
    }
}
