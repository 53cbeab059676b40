//! The result sets of a fit as Arrow batches.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::builder::TableBuilder;
use super::columns::TableRow;
use super::result_set::ResultSet;
use super::set_arguments::SetArguments;
use crate::error::{Error, ErrorKind, Result};
use crate::execution::{Execution, FitExtent};
use crate::fit::Fit;
use crate::fit::hodgerank_only::HodgeRankOnly;
use crate::options::Options;
use crate::votes::{CandidatePairs, IdType, Votes};

impl Fit {
    /// Whether there is such a set: most need a time to have been chosen, some need
    /// annotators, and triangles can be too many.
    pub fn has(&self, set: ResultSet) -> bool {
        match set {
            ResultSet::Path | ResultSet::Cycles => true,
            ResultSet::Triangles => self.has_triangles(),
            ResultSet::Annotators | ResultSet::Personal => {
                self.has_annotators() && self.has_chosen_time()
            }
            _ => self.has_chosen_time(),
        }
    }

    /// A result set. Every set but the path, the cycles and the triangles needs a
    /// time to have been chosen: with `folds = 0` and no `t` they are errors.
    pub fn table(&self, set: ResultSet) -> Result<RecordBatch> {
        self.table_within(set, &mut Execution::new())
    }

    /// The same, under a time limit or a poll: cycles are looked for when they are
    /// asked for.
    pub fn table_within(
        &self,
        set: ResultSet,
        execution: &mut Execution<'_>,
    ) -> Result<RecordBatch> {
        self.table_with(set, &SetArguments::default(), None, execution)
    }

    /// The same with arguments of the set, and candidates for the next pairs.
    pub fn table_with(
        &self,
        set: ResultSet,
        arguments: &SetArguments,
        candidates: Option<&CandidatePairs>,
        execution: &mut Execution<'_>,
    ) -> Result<RecordBatch> {
        let types = (self.annotator_ids().id_type(), self.item_ids().id_type());
        if set.extent() == FitExtent::WholePath {
            self.require_whole_path()?;
        }
        match set {
            ResultSet::Ranking => batch(set, types, self.ranking()?),
            ResultSet::Annotators => batch(set, types, self.annotators()?),
            ResultSet::Personal => batch(set, types, self.personal()?),
            ResultSet::Path => batch(set, types, self.path()),
            ResultSet::Cv => batch(set, types, self.cv()?),
            ResultSet::Summary => batch(set, types, [self.summary_within(execution)?]),
            ResultSet::Cycles => batch(set, types, self.cycles_within(execution)?),
            ResultSet::Triangles => batch(set, types, self.triangles_within(execution)?),
            ResultSet::Compare => {
                let pairs = self.compare_within(arguments.compare, execution)?;
                batch(set, types, pairs)
            }
            ResultSet::Next => {
                let types = (types.0, self.asked_item_type(candidates));
                let pairs = self.next_pairs_within(arguments.next, candidates, execution)?;
                batch(set, types, pairs)
            }
        }
    }
}

/// The ranking of votes whose options are
/// [`is_hodgerank_only`](Options::is_hodgerank_only), without a complete fit.
#[allow(dead_code, reason = "for the hosts, which are features")]
pub(crate) fn hodgerank_ranking(
    votes: &Votes,
    options: &Options,
    execution: &mut Execution<'_>,
) -> Result<RecordBatch> {
    let hodgerank = HodgeRankOnly::new(votes, options, execution)?;
    let types = (votes.annotators().id_type(), votes.items().id_type());
    batch(ResultSet::Ranking, types, hodgerank.ranking(votes.items()))
}

fn batch<Row: TableRow>(
    set: ResultSet,
    (annotator, item): (IdType, IdType),
    rows: impl IntoIterator<Item = Row>,
) -> Result<RecordBatch> {
    let rows = rows.into_iter();
    let table = TableBuilder::new(annotator, item, rows.size_hint().0);
    let batch = Row::add_columns(table).finish(rows);
    batch.map_err(|error| match error {
        ArrowError::OffsetOverflowError(_) => Error::votes(format!(
            "the ids are too long: a column of the {} set would hold more than 2 GB of text; use \
             shorter ids and join the long ones afterwards",
            set.name()
        )),
        error => Error::new(ErrorKind::Internal, format!("{} set: {error}", set.name())),
    })
}
