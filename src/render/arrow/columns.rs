//! The columns of every result set: name, type and field of the finding, one line a
//! column, in the order of the columns.

use std::sync::LazyLock;

use arrow_schema::SchemaRef;

use super::builder::{TableBuilder, schema};
use super::column::ResultColumn;
use super::result_set::ResultSet;
use crate::findings::{
    AnnotatorFinding, CvPoint, HeadToHead, NextPair, PairFlow, PathPoint, PersonalRank, RankedItem,
    Summary, TriangleFinding,
};
use crate::votes::IdType;

/// A finding that is a row of a result set.
pub(super) trait TableRow: Sized {
    /// Adds the columns to a table of such rows.
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self>;
}

impl TableRow for RankedItem<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .item("item", |row| row.item)
            .integer("rank", |row| row.rank)
            .number("score", |row| row.score)
            .integer("hodgerank_rank", |row| row.hodgerank_rank)
            .number("hodgerank_score", |row| row.hodgerank_score)
            .count("votes", |row| row.votes)
            .count("wins", |row| row.wins)
            .count("losses", |row| row.losses)
            .count("ties", |row| row.ties)
            .integer("component", |row| row.component)
            .number("score_std_error", |row| row.score_std_error)
            .number("score_low", |row| row.score_low)
            .number("score_high", |row| row.score_high)
            .integer("rank_low", |row| row.rank_low)
            .integer("rank_high", |row| row.rank_high)
            .integer("tier", |row| row.tier)
            .number("win_share", |row| row.win_share)
    }
}

impl TableRow for AnnotatorFinding<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .annotator("annotator", |row| row.annotator)
            .count("votes", |row| row.votes)
            .count("left_clicks", |row| row.left_clicks)
            .count("right_clicks", |row| row.right_clicks)
            .count("ties", |row| row.ties)
            .optional_number("agreement", |row| row.agreement)
            .number("position_bias", |row| row.position_bias)
            .optional_integer("position_bias_order", |row| row.position_bias_order)
            .optional_number("position_bias_time", |row| row.position_bias_time)
            .number("deviation", |row| row.deviation)
            .optional_integer("deviation_order", |row| row.deviation_order)
            .optional_number("deviation_time", |row| row.deviation_time)
            .boolean("is_position_biased", |row| row.is_position_biased)
            .boolean("is_personalized", |row| row.is_personalized)
            .boolean("is_adversarial", |row| row.is_adversarial)
            .number("position_bias_p_value", |row| row.position_bias_p_value)
            .number("position_bias_q_value", |row| row.position_bias_q_value)
            .number("deviation_p_value", |row| row.deviation_p_value)
            .number("deviation_q_value", |row| row.deviation_q_value)
            .number("against_p_value", |row| row.against_p_value)
            .number("against_q_value", |row| row.against_q_value)
            .number("no_signal_p_value", |row| row.no_signal_p_value)
            .number("no_signal_q_value", |row| row.no_signal_q_value)
            .optional_integer("camp", |row| row.camp)
            .text("verdict", |row| row.verdict.name())
            .text("evidence", |row| &row.evidence)
            .integer("repeated_pairs", |row| row.repeated_pairs)
            .optional_number("same_choice_share", |row| row.same_choice_share)
            .integer("swapped_pairs", |row| row.swapped_pairs)
            .optional_number("same_side_share", |row| row.same_side_share)
    }
}

impl TableRow for PersonalRank<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .annotator("annotator", |row| row.annotator)
            .item("item", |row| row.item)
            .integer("rank", |row| row.rank)
            .number("score", |row| row.score)
            .number("deviation", |row| row.deviation)
            .integer("consensus_rank", |row| row.consensus_rank)
            .number("consensus_score", |row| row.consensus_score)
            .count("votes", |row| row.votes)
    }
}

impl TableRow for PathPoint<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .number("t", |row| row.t)
            .text("effect", |row| row.effect.name())
            .optional_item("item", |row| row.effect.item())
            .optional_annotator("annotator", |row| row.effect.annotator())
            .number("value", |row| row.value)
    }
}

impl TableRow for CvPoint {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .number("t", |row| row.t)
            .number("error", |row| row.error)
            .optional_number("error_std", |row| row.error_std)
            .number("mismatch", |row| row.mismatch)
            .boolean("selected", |row| row.selected)
    }
}

impl TableRow for Summary {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .integer("items", |row| row.items)
            .optional_integer("annotators", |row| row.annotators)
            .count("votes", |row| row.votes)
            .integer("skipped_rows", |row| row.skipped_rows)
            .optional_integer("repeated_rows", |row| row.repeated_rows)
            .integer("components", |row| row.components)
            .number("kappa", |row| row.kappa)
            .optional_number("alpha", |row| row.alpha)
            .optional_number("t0", |row| row.t0)
            .number("t", |row| row.t)
            .integer("iterations", |row| row.iterations)
            .optional_number("hodgerank_error", |row| row.hodgerank_error)
            .optional_number("mixed_error", |row| row.mixed_error)
            .optional_integer("position_biased", |row| row.position_biased)
            .optional_integer("personalized", |row| row.personalized)
            .optional_integer("adversarial", |row| row.adversarial)
            .optional_integer("no_signal", |row| row.no_signal)
            .text("version", |row| row.version)
            .optional_number("consensus_share", |row| row.shares.consensus)
            .optional_number("local_cycle_share", |row| row.shares.local_cycle)
            .optional_number("global_cycle_share", |row| row.shares.global_cycle)
            .optional_number("personal_cycle_share", |row| row.shares.personal_cycle)
            .optional_number("position_bias_cycle_share", |row| {
                row.shares.position_bias_cycle
            })
            .optional_number("noise_cycle_share", |row| row.shares.noise_cycle)
            .optional_number("shared_cycle_share", |row| row.shares.shared_cycle)
            .optional_number("chance_share", |row| row.shares.chance)
            .number("settled_share", |row| row.settled_share)
            .text("loss", |row| row.loss.name())
            .optional_text("caveats", |row| row.caveats.as_deref())
            .optional_text("columns", |row| row.columns.as_deref())
    }
}

impl TableRow for PairFlow<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .item("item_a", |row| row.item_a)
            .item("item_b", |row| row.item_b)
            .count("votes", |row| row.votes)
            .number("flow", |row| row.flow)
            .number("consensus", |row| row.consensus)
            .optional_number("local_cycle", |row| row.local_cycle)
            .optional_number("global_cycle", |row| row.global_cycle)
    }
}

impl TableRow for TriangleFinding<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .item("item_a", |row| row.items[0])
            .item("item_b", |row| row.items[1])
            .item("item_c", |row| row.items[2])
            .number("curl", |row| row.curl)
            .count("votes", |row| row.votes)
            .boolean("is_circle", |row| row.is_cycle)
            .number("flow_ab", |row| row.flows[0])
            .number("flow_bc", |row| row.flows[1])
            .number("flow_ca", |row| row.flows[2])
            .number("p_value", |row| row.p_value)
            .number("q_value", |row| row.q_value)
    }
}

impl TableRow for HeadToHead<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .item("item_a", |row| row.item_a)
            .item("item_b", |row| row.item_b)
            .number("difference", |row| row.difference)
            .number("low", |row| row.low)
            .number("high", |row| row.high)
            .number("p_value", |row| row.p_value)
            .number("q_value", |row| row.q_value)
            .number("predicted_share", |row| row.predicted_share)
            .count("direct_votes", |row| row.direct_votes)
            .count("direct_wins", |row| row.direct_wins)
            .count("direct_ties", |row| row.direct_ties)
    }
}

impl TableRow for NextPair<'_> {
    fn add_columns(table: TableBuilder<Self>) -> TableBuilder<Self> {
        table
            .item("left", |row| row.left)
            .item("right", |row| row.right)
            .optional_number("gain", |row| row.gain)
            .count("votes", |row| row.votes)
    }
}

impl ResultSet {
    /// Its columns, in order.
    pub fn columns(self) -> &'static [ResultColumn] {
        static COLUMNS: LazyLock<[Vec<ResultColumn>; ResultSet::ALL.len()]> =
            LazyLock::new(|| ResultSet::ALL.map(ResultSet::list_columns));
        &COLUMNS[self as usize]
    }

    /// Its Arrow schema for votes with ids of these types.
    pub fn schema(self, annotator: IdType, item: IdType) -> SchemaRef {
        schema(self.columns(), annotator, item)
    }

    fn list_columns(self) -> Vec<ResultColumn> {
        fn of<Row: TableRow>() -> Vec<ResultColumn> {
            let table = TableBuilder::<Row>::new(IdType::Text, IdType::Text, 0);
            Row::add_columns(table).columns()
        }
        match self {
            Self::Ranking => of::<RankedItem<'_>>(),
            Self::Annotators => of::<AnnotatorFinding<'_>>(),
            Self::Personal => of::<PersonalRank<'_>>(),
            Self::Path => of::<PathPoint<'_>>(),
            Self::Cv => of::<CvPoint>(),
            Self::Summary => of::<Summary>(),
            Self::Cycles => of::<PairFlow<'_>>(),
            Self::Triangles => of::<TriangleFinding<'_>>(),
            Self::Compare => of::<HeadToHead<'_>>(),
            Self::Next => of::<NextPair<'_>>(),
        }
    }
}
