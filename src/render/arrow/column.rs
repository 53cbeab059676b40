//! What a column of a result set is called and what it holds.

use arrow_schema::{DataType, Field};

use super::ids::id_data_type;
use crate::votes::IdType;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
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
pub struct ResultColumn {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnKind,
    /// Whether it can be NULL.
    pub nullable: bool,
}

impl ResultColumn {
    /// The Arrow field for votes with ids of these types.
    pub(super) fn field(&self, annotator: IdType, item: IdType) -> Field {
        let data_type = match self.kind {
            ColumnKind::Item => id_data_type(item),
            ColumnKind::Annotator => id_data_type(annotator),
            ColumnKind::Integer => DataType::Int64,
            ColumnKind::Number => DataType::Float64,
            ColumnKind::Boolean => DataType::Boolean,
            ColumnKind::Text => DataType::Utf8,
        };
        Field::new(self.name, data_type, self.nullable)
    }
}
