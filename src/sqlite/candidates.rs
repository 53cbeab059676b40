//! The candidate pairs of `me_hodgerank_next`: the columns left and right of a table, a view
//! or a SELECT.

use rusqlite::{Connection, Result};

use super::error::message;
use super::ingest::{Depth, SeenTypes, id};
use super::source::Source;
use crate::options::{AnnotatorColumn, Columns};
use crate::votes::{CandidateBuilder, CandidatePairs};

/// Reads what `text` names.
pub(super) fn read_candidates(
    connection: &Connection,
    text: &str,
    columns: &Columns,
) -> Result<CandidatePairs> {
    let _depth = Depth::enter()?;
    let columns = Columns {
        annotator: AnnotatorColumn::Unknown,
        ..columns.clone()
    };
    let source = Source::open_to_predict(connection, text, &columns);
    let mut source = source.map_err(|error| message(format!("candidates: {error}")))?;
    let columns = source.columns.clone();
    let mut items = SeenTypes::default();
    let mut candidates = CandidateBuilder::default();
    let mut rows = source.statement.raw_query();
    while let Some(row) = rows.next()? {
        let (left, right) = (row.get_ref(source.left)?, row.get_ref(source.right)?);
        let left = id(left, &mut items, &columns.left).map_err(message)?;
        let right = id(right, &mut items, &columns.right).map_err(message)?;
        candidates.push(left, right)?;
    }
    if let Some(id_type) = items.known() {
        candidates.expect_ids(id_type);
    }
    Ok(candidates.finish()?)
}
