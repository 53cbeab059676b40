//! The table functions: their names, columns and arguments.
//!
//! SQLite has no named arguments. The arguments of a table function are hidden
//! columns: `f(a, b)` sets them in order, `WHERE kappa = 10` by name.

use super::predict;
use crate::execution::FitExtent;
use crate::render::arrow::{ColumnKind, ResultSet};
use crate::simulate::Simulation;

/// A table function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TableFunction {
    /// Fits the votes of a table or SELECT, or unpacks a model.
    Fit(ResultSet),
    /// Only unpacks a model.
    Unpack(ResultSet),
    /// The name that unpacking the ranking had first.
    UnpackRanking,
    /// Fits the votes and predicts those of another table.
    Predict,
    /// Draws the fit of votes, or a model.
    Plot,
    /// A page about the fit of votes, or a model.
    Report,
    /// Simulates votes.
    Simulate,
}

/// Names of arguments that are not likely to be names of a user's columns: both are
/// in scope where the function is joined.
const SOURCE: &str = "me_votes";
pub(super) const OPTIONS: &str = "me_options";
const MODEL: &str = "me_model";
pub(super) const TEST: &str = "me_test";
pub(super) const KIND: &str = "me_kind";

impl TableFunction {
    /// How far its fit has to go.
    pub fn extent(self) -> FitExtent {
        match self {
            Self::Fit(set) | Self::Unpack(set) => set.extent(),
            Self::UnpackRanking | Self::Predict | Self::Simulate => FitExtent::ChosenTime,
            Self::Plot | Self::Report => FitExtent::WholeCurve,
        }
    }

    /// All table functions.
    pub fn all() -> impl Iterator<Item = Self> {
        ResultSet::ALL
            .into_iter()
            .map(Self::Fit)
            .chain([Self::Predict, Self::Plot, Self::Report])
            .chain(ResultSet::ALL.into_iter().map(Self::Unpack))
            .chain([Self::UnpackRanking, Self::Simulate])
    }

    /// The name in SQL.
    pub fn name(self) -> String {
        match self {
            Self::Fit(ResultSet::Ranking) => "me_hodgerank".into(),
            Self::Fit(set) => format!("me_hodgerank_{}", set.name()),
            Self::Unpack(set) => format!("me_hodgerank_model_{}", set.name()),
            Self::UnpackRanking => "me_hodgerank_ranking".into(),
            Self::Predict => "me_hodgerank_predict".into(),
            Self::Plot => "me_hodgerank_plot".into(),
            Self::Report => "me_hodgerank_report".into(),
            Self::Simulate => "me_hodgerank_simulate".into(),
        }
    }

    /// The result set that it returns; None if it returns none.
    pub fn set(self) -> Option<ResultSet> {
        match self {
            Self::Fit(set) | Self::Unpack(set) => Some(set),
            Self::UnpackRanking => Some(ResultSet::Ranking),
            _ => None,
        }
    }

    /// Whether it depends on its arguments only, so that it may be used in views
    /// and triggers of a schema that is not trusted.
    pub fn is_pure(self) -> bool {
        matches!(self, Self::Unpack(_) | Self::UnpackRanking | Self::Simulate)
    }

    /// The visible columns with their declared types. Ids have none: they are
    /// returned in the type in which they were read.
    pub fn columns(self) -> Vec<(String, &'static str)> {
        let set = match self {
            Self::Fit(set) | Self::Unpack(set) => set,
            Self::UnpackRanking => ResultSet::Ranking,
            Self::Predict => {
                return predict::COLUMNS
                    .map(|(name, declared)| (name.to_string(), declared))
                    .into();
            }
            Self::Plot => return vec![("svg".into(), "TEXT")],
            Self::Report => return vec![("html".into(), "TEXT")],
            Self::Simulate => return simulated_columns(),
        };
        let column = |column: &crate::ResultColumn| {
            let declared = match column.kind {
                ColumnKind::Item | ColumnKind::Annotator => "",
                ColumnKind::Integer => "INTEGER",
                ColumnKind::Number => "REAL",
                ColumnKind::Boolean => "BOOLEAN",
                ColumnKind::Text => "TEXT",
            };
            (column.name.to_string(), declared)
        };
        set.columns().iter().map(column).collect()
    }

    /// The arguments in order. One with the name of a visible column is that
    /// column: `WHERE kappa = 10` on the summary means the same either way.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            // Here t is a time on the grid, a value of each row.
            Self::Fit(ResultSet::Path | ResultSet::Cv) => &[SOURCE, OPTIONS, "kappa", "seed"],
            Self::Fit(_) | Self::Report => &[SOURCE, OPTIONS, "kappa", "t", "seed"],
            Self::Predict => &[SOURCE, TEST, OPTIONS, "kappa", "t", "seed"],
            Self::Plot => &[SOURCE, KIND, OPTIONS, "kappa", "t", "seed"],
            Self::Unpack(ResultSet::Compare | ResultSet::Next) => &[MODEL, OPTIONS],
            Self::Unpack(_) | Self::UnpackRanking => &[MODEL],
            Self::Simulate => &[OPTIONS],
        }
    }

    /// The approximate number of rows.
    pub fn rows(self) -> i64 {
        match self {
            Self::Fit(set) | Self::Unpack(set) => match set {
                ResultSet::Ranking | ResultSet::Personal => 100,
                ResultSet::Annotators => 1000,
                ResultSet::Path => 10_000,
                ResultSet::Cv => 50,
                ResultSet::Summary => 1,
                ResultSet::Cycles | ResultSet::Triangles | ResultSet::Compare => 1000,
                ResultSet::Next => 20,
            },
            Self::UnpackRanking => 100,
            Self::Plot | Self::Report => 1,
            Self::Predict => 10_000,
            Self::Simulate => 6000,
        }
    }

    /// The estimated cost. That of a fit is so high that a join does not run it once
    /// for every row.
    pub fn cost(self) -> f64 {
        if self.is_pure() { 1e4 } else { 1e12 }
    }
}

fn simulated_columns() -> Vec<(String, &'static str)> {
    let schema = Simulation::schema();
    let column = |field: &std::sync::Arc<arrow_schema::Field>| {
        let declared = match field.data_type() {
            arrow_schema::DataType::Int64 => "INTEGER",
            arrow_schema::DataType::Float64 => "REAL",
            _ => "TEXT",
        };
        (field.name().clone(), declared)
    };
    schema.fields().iter().map(column).collect()
}
