//! Votes in canonical order, with how often each was cast.

use super::rows::{RowFormat, RowReader};
use crate::votes::bad_rows::literal;
use crate::votes::group::group_of;
use crate::votes::ids::Ids;
use crate::votes::numbers::NumbersSeen;

/// Votes that can be stored, merged with others and then fitted.
///
/// ```
/// use me_hodgerank::{CountedVotes, Fit, Options, Row, VoteBuilder};
///
/// let options = Options::default();
/// let day = |rows: &[Row<'static>]| {
///     let mut votes = VoteBuilder::new(&options);
///     rows.iter().try_for_each(|row| votes.push(*row))?;
///     Ok::<_, me_hodgerank::Error>(votes.finish_counted()?.to_bytes())
/// };
/// let monday = day(&[Row::new("ann", "tea", "milk", "left")])?;
/// let tuesday = day(&[Row::new("bob", "tea", "milk", "right"), Row::new("ann", "tea", "milk", "left")])?;
///
/// let days = [&monday, &tuesday].map(|bytes| CountedVotes::from_bytes(bytes));
/// let days = days.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let all = CountedVotes::merge(days)?.expect("two days");
/// assert_eq!((all.votes_cast(), all.different_votes()), (3, 2));
/// let fit = Fit::new(&all.votes()?, &options)?;
/// assert_eq!(fit.summary()?.votes, 3.0);
/// # Ok::<(), me_hodgerank::Error>(())
/// ```
///
/// Votes that were collected in parts and merged, in any order, are the votes collected at
/// once, and their bytes are equal. The names of columns are not kept.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedVotes {
    pub(super) shape: VoteShape,
    pub(super) numbers: NumbersSeen,
    pub(super) skipped: u64,
    pub(super) annotators: Ids,
    pub(super) items: Ids,
    pub(super) levels: Levels,
    /// The votes as bytes.
    pub(super) rows: Vec<u8>,
    pub(super) different: u64,
    pub(super) cast: u64,
}

/// What every vote of a state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoteShape {
    /// Whether somebody knows who voted.
    pub has_annotators: bool,
    /// Whether the items stood on sides. In a table of winners and losers they did not.
    pub has_sides: bool,
    pub is_weighted: bool,
    pub has_folds: bool,
}

/// The different values of the choices, weights and folds, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levels {
    pub choices: Vec<f64>,
    pub weights: Vec<f64>,
    pub folds: Vec<i64>,
}

/// Choices that are just sides: right, tie and left.
pub const SIDES: [f64; 3] = [-1.0, 0.0, 1.0];

impl Levels {
    /// Whether some choice is not just a side.
    pub fn are_graded(&self) -> bool {
        self.choices.iter().any(|choice| !SIDES.contains(choice))
    }

    /// The choices that the votes of a state are numbered by.
    pub fn numbered_choices(&self) -> &[f64] {
        match self.are_graded() {
            true => &self.choices,
            false => &SIDES,
        }
    }
}

/// The most votes that a state may hold, each as often as it was cast.
pub const MAX_VOTES: u64 = (1 << 31) - 1;

/// The most skipped rows: more could not be shown in SQL.
pub const MAX_SKIPPED: u64 = i64::MAX as u64;

impl CountedVotes {
    /// How many votes there are, each counted as often as it was cast.
    pub fn votes_cast(&self) -> u64 {
        self.cast
    }

    /// How many different votes there are.
    pub fn different_votes(&self) -> u64 {
        self.different
    }

    /// The number of rows that could not be used and were skipped.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The ids of the annotators; none if nobody knows who voted.
    pub fn annotators(&self) -> &Ids {
        &self.annotators
    }

    /// The ids of the items.
    pub fn items(&self) -> &Ids {
        &self.items
    }

    /// Which group of votes this is, in words: see [`VoteBuilder::group`](crate::VoteBuilder).
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn group(&self) -> Option<String> {
        let first = |ids: &Ids| ids.iter().next().map(literal);
        group_of(first(&self.annotators), first(&self.items))
    }

    /// How the votes are written.
    pub(super) fn row_format(&self) -> RowFormat {
        row_format(self.shape, &self.annotators, &self.items, &self.levels)
    }

    /// Reads the votes.
    pub(super) fn read_rows(&self) -> RowReader<'_> {
        RowReader::new(self.row_format(), &self.rows)
    }
}

/// How votes are written that have this shape, these ids and levels.
pub fn row_format(shape: VoteShape, annotators: &Ids, items: &Ids, levels: &Levels) -> RowFormat {
    RowFormat {
        items: items.len(),
        annotators: match shape.has_annotators {
            true => annotators.len(),
            false => 1,
        },
        allows_no_votes: !shape.has_annotators,
        choices: levels.are_graded().then_some(levels.choices.len()),
        weights: shape.is_weighted.then_some(levels.weights.len()),
        folds: shape.has_folds.then_some(levels.folds.len()),
    }
}
