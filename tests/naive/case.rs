//! Random small problems: ties, graded choices, weights, repeated pairs, pairs
//! in both orders, annotators with one vote, disconnected graphs.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use me_hodgerank::Options;
use me_hodgerank::votes::{IdRef, IdType, Row, VoteBuilder, Votes};
use proptest::collection::vec;
use proptest::prelude::*;

/// One row of a votes table.
#[derive(Clone, Copy, Debug)]
pub struct Vote {
    pub annotator: i64,
    pub left: i64,
    pub right: i64,
    pub choice: f64,
    pub weight: f64,
    pub fold: i64,
}

/// A votes table.
#[derive(Clone, Debug)]
pub struct Case {
    pub votes: Vec<Vote>,
    /// Whether the weights and the folds are read.
    pub weighted: bool,
    pub with_folds: bool,
    /// Whether ids are text, in the same order as the numbers.
    pub text_ids: bool,
}

impl Case {
    /// The options that read this table.
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        options.columns.weight = self.weighted.then(|| "weight".into());
        options.columns.fold = self.with_folds.then(|| "fold".into());
        options
    }

    /// A builder with these votes pushed one by one.
    pub fn builder(&self, votes: &[Vote]) -> VoteBuilder {
        let mut builder = VoteBuilder::new(&self.options());
        let id_type = if self.text_ids {
            IdType::Text
        } else {
            IdType::INT64
        };
        builder.expect_ids(id_type, id_type, id_type);
        for vote in votes {
            let ids = [vote.annotator, vote.left, vote.right];
            let texts = ids.map(text);
            let [annotator, left, right] = [0, 1, 2].map(|k| {
                if self.text_ids {
                    IdRef::from(&texts[k])
                } else {
                    IdRef::from(ids[k])
                }
            });
            let row = Row::new(annotator, left, right, vote.choice);
            builder
                .push(row.weight(vote.weight).fold(vote.fold))
                .unwrap();
        }
        builder
    }

    /// The votes as one Arrow batch.
    pub fn batch(&self, votes: &[Vote]) -> RecordBatch {
        let ids = |get: fn(&Vote) -> i64| -> ArrayRef {
            let ids = votes.iter().map(get);
            if self.text_ids {
                Arc::new(StringArray::from_iter_values(ids.map(text)))
            } else {
                Arc::new(Int64Array::from_iter_values(ids))
            }
        };
        let numbers = |get: fn(&Vote) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(votes.iter().map(get)))
        };
        let folds = Int64Array::from_iter_values(votes.iter().map(|vote| vote.fold));
        let columns: [(&str, ArrayRef); 6] = [
            ("fold", Arc::new(folds)),
            ("annotator", ids(|vote| vote.annotator)),
            ("left", ids(|vote| vote.left)),
            ("right", ids(|vote| vote.right)),
            ("choice", numbers(|vote| vote.choice)),
            ("weight", numbers(|vote| vote.weight)),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    pub fn votes(&self) -> Votes {
        finish(self.builder(&self.votes))
    }

    /// The same table with every vote changed.
    pub fn map(&self, change: impl Fn(Vote) -> Vote) -> Self {
        Self {
            votes: self.votes.iter().copied().map(change).collect(),
            ..*self
        }
    }

    /// Whether the choices, which are numbers, can be told from codes or a scale.
    fn is_readable(&self) -> bool {
        let mut choices: Vec<f64> = self.votes.iter().map(|vote| vote.choice).collect();
        choices.sort_by(f64::total_cmp);
        choices.dedup();
        choices.len() == 1 || choices[0] * choices[choices.len() - 1] < 0.0
    }

    /// Σω.
    pub fn total(&self) -> f64 {
        self.votes.iter().map(|vote| vote.weight).sum()
    }
}

fn text(id: i64) -> String {
    format!("{id:04}")
}

pub fn finish(builder: VoteBuilder) -> Votes {
    builder.finish().unwrap()
}

/// The distribution that the votes of a case are drawn from.
#[derive(Clone, Copy, Debug)]
struct Style {
    /// The number of groups of items that are never compared with each other.
    islands: i64,
    /// The number of items in each group.
    size: i64,
    graded: bool,
    weighted: bool,
    with_folds: bool,
    text_ids: bool,
}

/// Tables of up to 40 votes of up to 7 annotators on up to 16 items.
pub fn cases() -> impl Strategy<Value = Case> {
    let style = (1i64..=3, 2i64..=8, any::<[bool; 4]>());
    let style = style.prop_map(|(islands, size, flags)| {
        let [graded, weighted, with_folds, text_ids] = flags;
        Style {
            islands: islands.min(16 / size),
            size,
            graded,
            weighted,
            with_folds,
            text_ids,
        }
    });
    style
        .prop_flat_map(|style| {
            // At least two, so that there are two folds.
            let crowd = vec(a_vote(style, 0..4), 2..=40);
            let with_one_vote = vec(a_vote(style, 0..1), 0..=3);
            (crowd, with_one_vote).prop_map(move |(crowd, mut single)| {
                for (k, vote) in single.iter_mut().enumerate() {
                    vote.annotator = 10 + k as i64;
                }
                let mut votes = [crowd, single].concat();
                votes[0].fold = 0;
                votes[1].fold = 1;
                Case {
                    votes,
                    weighted: style.weighted,
                    with_folds: style.with_folds,
                    text_ids: style.text_ids,
                }
            })
        })
        .prop_filter("numbers of one side are refused", Case::is_readable)
}

fn a_vote(style: Style, annotators: std::ops::Range<i64>) -> impl Strategy<Value = Vote> {
    let items = (0..style.islands, 0..style.size, 1..style.size);
    let choice = if style.graded {
        (-20i32..=20)
            .prop_map(|tenths| f64::from(tenths) / 10.0)
            .boxed()
    } else {
        (-1i32..=1).prop_map(f64::from).boxed()
    };
    let weight = if style.weighted {
        (1u32..=12)
            .prop_map(|quarters| f64::from(quarters) / 4.0)
            .boxed()
    } else {
        Just(1.0).boxed()
    };
    (annotators, items, choice, weight, 0i64..3).prop_map(
        move |(annotator, (island, left, offset), choice, weight, fold)| {
            let item = |index: i64| island + style.islands * (index % style.size);
            Vote {
                annotator,
                left: item(left),
                right: item(left + offset),
                choice,
                weight,
                fold,
            }
        },
    )
}

/// A larger random table, drawn by a linear congruential generator with the
/// constants of Knuth.
pub fn large(items: u64, annotators: u64, votes: usize) -> Case {
    let mut state = 1u64;
    let mut below = move |bound: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let vote = |_| {
        let left = below(items);
        let right = (left + 1 + below(items - 1)) % items;
        Vote {
            annotator: below(annotators) as i64,
            left: left as i64,
            right: right as i64,
            // The first item tends to win.
            choice: if below(2 * items) > left { 1.0 } else { -1.0 },
            weight: 1.0,
            fold: 0,
        }
    };
    table((0..votes).map(vote).collect())
}

/// A table without weights and folds, with integer ids.
pub fn table(votes: Vec<Vote>) -> Case {
    Case {
        votes,
        weighted: false,
        with_folds: false,
        text_ids: false,
    }
}
