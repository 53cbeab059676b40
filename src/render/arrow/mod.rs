//! Results out: one file per result set, each with its columns and its rows.
//!
//! [`ResultSet::columns`] is the only place where the columns are written; the
//! Arrow schema and both hosts' declarations are made from it.

mod annotators;
mod cv;
mod cycles;
mod ids;
mod path;
mod personal;
pub(crate) mod ranking;
mod summary;
mod triangles;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::error::{Error, ErrorKind, Result};
use crate::execution::{Execution, Stop};
use crate::fit::Fit;
use crate::model::Triangles;
use crate::votes::IdType;

pub(crate) use annotators::{Entries, by_entry};
pub use ids::id_data_type;
pub(crate) use ranking::Intervals;
pub(crate) use summary::Shares;
pub(crate) use triangles::worst;

/// A result set of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultSet {
    /// The consensus: one row an item.
    Ranking,
    /// Who is biased and who deviates: one row an annotator.
    Annotators,
    /// The rankings of those who deviate: one row an annotator and item.
    Personal,
    /// The regularisation path in long format.
    Path,
    /// The cross-validation curve: one row a grid time.
    Cv,
    /// One row about the fit.
    Summary,
    /// What the ranking leaves unexplained: one row a compared pair.
    Cycles,
    /// The worst triangles.
    Triangles,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An item, in the type that items came in.
    Item,
    /// An annotator, in the type that annotators came in.
    Annotator,
    /// A 64-bit integer.
    Integer,
    /// A double.
    Number,
    /// A boolean.
    Boolean,
    /// A text.
    Text,
}

/// A column of a result set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it can be NULL.
    pub nullable: bool,
}

impl Column {
    const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            nullable: false,
        }
    }

    const fn nullable(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            nullable: true,
        }
    }
}

impl ResultSet {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Ranking,
        Self::Annotators,
        Self::Personal,
        Self::Path,
        Self::Cv,
        Self::Summary,
        Self::Cycles,
        Self::Triangles,
    ];

    /// The name that SQL users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranking => "ranking",
            Self::Annotators => "annotators",
            Self::Personal => "personal",
            Self::Path => "path",
            Self::Cv => "cv",
            Self::Summary => "summary",
            Self::Cycles => "cycles",
            Self::Triangles => "triangles",
        }
    }

    /// Its columns, in order.
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Ranking => ranking::COLUMNS,
            Self::Annotators => annotators::COLUMNS,
            Self::Personal => personal::COLUMNS,
            Self::Path => path::COLUMNS,
            Self::Cv => cv::COLUMNS,
            Self::Summary => summary::COLUMNS,
            Self::Cycles => cycles::COLUMNS,
            Self::Triangles => triangles::COLUMNS,
        }
    }

    /// Its Arrow schema for votes with ids of these types.
    pub fn schema(self, annotator: IdType, item: IdType) -> SchemaRef {
        let field = |column: &Column| {
            let data_type = match column.kind {
                Kind::Item => id_data_type(item),
                Kind::Annotator => id_data_type(annotator),
                Kind::Integer => DataType::Int64,
                Kind::Number => DataType::Float64,
                Kind::Boolean => DataType::Boolean,
                Kind::Text => DataType::Utf8,
            };
            Field::new(column.name, data_type, column.nullable)
        };
        let fields: Vec<Field> = self.columns().iter().map(field).collect();
        Arc::new(Schema::new(fields))
    }

    fn arrays(self, fit: &Fit, stop: &Stop) -> Result<Vec<ArrayRef>> {
        Ok(match self {
            Self::Ranking => ranking::arrays(fit, fit.chosen()?),
            Self::Annotators => annotators::arrays(fit, fit.chosen()?),
            Self::Personal => personal::arrays(fit, fit.chosen()?),
            Self::Path => path::arrays(fit),
            Self::Cv => {
                // Refused, not empty, where nothing was chosen.
                let chosen = fit.chosen()?;
                cv::arrays(fit, chosen)
            }
            Self::Summary => summary::arrays(fit, fit.chosen()?, stop)?,
            Self::Cycles => cycles::arrays(fit, stop)?,
            Self::Triangles => triangles::arrays(fit, stop)?,
        })
    }
}

impl Fit {
    /// Whether there is such a set: most need a time to have been chosen, and
    /// triangles can be too many.
    pub fn has(&self, set: ResultSet) -> bool {
        match set {
            ResultSet::Path | ResultSet::Cycles => true,
            ResultSet::Triangles => Triangles(&self.flow).can_be_walked(),
            _ => self.has_chosen_time(),
        }
    }

    /// A result set. Every set but the path, the cycles and the triangles needs a
    /// time to have been chosen: with `folds = 0` and no `t` they are errors.
    pub fn table(&self, set: ResultSet) -> Result<RecordBatch> {
        self.table_within(set, &mut Execution::new())
    }

    /// The same, watched: cycles are looked for when they are asked for.
    pub fn table_within(&self, set: ResultSet, run: &mut Execution<'_>) -> Result<RecordBatch> {
        let arrays = match set {
            ResultSet::Summary | ResultSet::Cycles | ResultSet::Triangles => {
                run.run(|stop| set.arrays(self, stop))
            }
            _ => set.arrays(self, &Stop::default()),
        };
        let schema = set.schema(self.annotators.id_type(), self.items.id_type());
        batch(set, schema, arrays?)
    }
}

fn batch(set: ResultSet, schema: SchemaRef, arrays: Vec<ArrayRef>) -> Result<RecordBatch> {
    RecordBatch::try_new(schema, arrays)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("{} set: {error}", set.name())))
}

/// A column of counts: sums of weights, which are whole unless weights are not.
fn counts(values: impl Iterator<Item = f64>) -> ArrayRef {
    integers(values.map(|value| value.round() as i64))
}

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(arrow_array::Int64Array::from_iter_values(values))
}

fn numbers(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(arrow_array::Float64Array::from_iter_values(values))
}

fn booleans(values: impl Iterator<Item = bool>) -> ArrayRef {
    let values: Vec<bool> = values.collect();
    Arc::new(arrow_array::BooleanArray::from(values))
}

fn optional_integers(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<arrow_array::Int64Array>())
}

fn optional_numbers(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<arrow_array::Float64Array>())
}

fn texts(values: impl Iterator<Item = impl AsRef<str>>) -> ArrayRef {
    Arc::new(arrow_array::StringArray::from_iter_values(values))
}
