//! States of votes: merged in any order and any parts they are the votes collected at once, to
//! the bit, and their fit is that of the rows.

#[allow(dead_code)] // this file uses a part of it
#[path = "../fuzz/dice.rs"]
mod dice;
mod forged;
#[path = "../table/mod.rs"]
mod table;

use dice::Dice;
use me_hodgerank::votes::{ChoiceRef, IdRef, IdType, Row, VoteBuilder, Votes};
use me_hodgerank::{
    AnnotatorColumn, CountedVotes, Error, ErrorKind, Fit, OnBadRow, Options, Simulation,
};
use table::TextRow;

/// Ids of one type.
#[derive(Clone, Copy, Debug, PartialEq)]
enum IdKind {
    Small,
    Long,
    Text,
    Uuid,
    Mixed,
}

impl IdKind {
    const ALL: [Self; 5] = [Self::Small, Self::Long, Self::Text, Self::Uuid, Self::Mixed];

    fn id_type(self) -> IdType {
        match self {
            Self::Small => IdType::int(true, 16),
            Self::Long => IdType::INT128,
            Self::Text | Self::Uuid => IdType::Text,
            Self::Mixed => IdType::Mixed,
        }
    }

    /// So many ids.
    fn ids(self, count: usize) -> Vec<Id> {
        let id = |index: usize| match self {
            Self::Small => Id::Int(7 * index as i128 - 5),
            Self::Long => Id::Int((index as i128 - 3) << 120),
            Self::Text => Id::Text(
                ["", "é", "it's", "a", "b\0", "雪", "tea"][index % 7].repeat(1 + index / 7),
            ),
            Self::Uuid => Id::Text(format!(
                "{:08x}-0000-4000-8000-000000000000",
                index * 0x0123_4567
            )),
            Self::Mixed if index.is_multiple_of(2) => Id::Int(index as i128),
            Self::Mixed => Id::Text(index.to_string()),
        };
        (0..count).map(id).collect()
    }
}

#[derive(Clone, Debug)]
enum Id {
    Int(i128),
    Text(String),
}

impl<'a> From<&'a Id> for IdRef<'a> {
    fn from(id: &'a Id) -> Self {
        match id {
            Id::Int(value) => Self::Int(*value),
            Id::Text(text) => Self::Text(text),
        }
    }
}

/// A table of votes and how it is read.
struct Table {
    options: Options,
    id_types: (IdType, IdType),
    annotators: Vec<Id>,
    items: Vec<Id>,
    /// Annotator, left, right, choice, weight, fold.
    rows: Vec<(usize, usize, usize, f64, f64, i64)>,
}

impl Table {
    fn random(dice: &mut Dice) -> Self {
        let mut options = Options {
            grid_points: 5,
            on_bad_row: OnBadRow::Skip,
            ..Options::default()
        };
        let kinds = [0; 2].map(|_| *dice.pick(&IdKind::ALL));
        let (annotators, items) = (1 + dice.below(7), 3 + dice.below(4));
        if dice.once_in(3) {
            options.columns.weight = Some("weight".into());
        }
        if dice.once_in(3) {
            options.columns.fold = Some("fold".into());
        }
        let knows_annotators = !dice.once_in(5);
        if !knows_annotators {
            options.columns.annotator = AnnotatorColumn::Unknown;
        }
        let choices: &[f64] = match dice.below(3) {
            0 => &[1.0, -1.0],
            1 => &[1.0, -1.0, 0.0, -0.0, f64::NAN],
            _ => &[2.5, -1.0, 0.0, 1e-3, -7.0, 0.3, f64::INFINITY],
        };
        let count = 1 + dice.below(200);
        let rows = (0..count).map(|_| {
            let choice = *dice.pick(choices);
            let weight = *dice.pick(&[1.0, 3.0, 0.1, -1.0]);
            let fold = dice.below(3) as i64 * 10 - 10;
            let (left, right) = (dice.below(items), dice.below(items));
            (dice.below(annotators), left, right, choice, weight, fold)
        });
        Self {
            rows: rows.collect(),
            options,
            id_types: match knows_annotators {
                true => (kinds[0].id_type(), kinds[1].id_type()),
                false => (IdType::Text, kinds[1].id_type()),
            },
            annotators: kinds[0].ids(annotators),
            items: kinds[1].ids(items),
        }
    }

    fn builder(&self, rows: &[usize]) -> VoteBuilder {
        let mut builder = VoteBuilder::new(&self.options);
        let (annotator, item) = self.id_types;
        builder.expect_ids(annotator, item, item);
        let rows = rows.iter().map(|&row| {
            let (annotator, left, right, choice, weight, fold) = self.rows[row];
            let choice = ChoiceRef::Number(choice);
            let (left, right) = (&self.items[left], &self.items[right]);
            let row = Row::new(&self.annotators[annotator], left, right, choice);
            row.weight(weight).fold(fold)
        });
        builder.push_all(rows).unwrap();
        builder
    }

    fn state(&self, rows: &[usize]) -> Vec<u8> {
        self.builder(rows).finish_counted().unwrap().to_bytes()
    }
}

fn read(bytes: &[u8]) -> CountedVotes {
    CountedVotes::from_bytes(bytes).unwrap()
}

fn merge(states: &[Vec<u8>]) -> Vec<u8> {
    let states = states.iter().map(|bytes| read(bytes)).collect();
    CountedVotes::merge(states).unwrap().unwrap().to_bytes()
}

/// Everything but the names of columns.
fn fit(votes: me_hodgerank::Result<Votes>, options: &Options) -> Result<Vec<u8>, Error> {
    Fit::new(&votes?, options).map(|fit| fit.to_bytes())
}

#[test]
fn any_parts_in_any_order_are_all_votes_at_once() {
    let (mut fits, mut counted) = (0, 0);
    for seed in 0..300 {
        let dice = &mut Dice::new(seed);
        let table = Table::random(dice);
        let mut rows: Vec<usize> = (0..table.rows.len()).collect();
        let at_once = table.state(&rows);
        let state = read(&at_once);
        assert_eq!(state.to_bytes(), at_once, "seed {seed}");
        assert_eq!(state, table.builder(&rows).finish_counted().unwrap());
        counted += state.votes_cast() - state.different_votes();

        // Parts of any size, also of a single row, one after the other or as a tree.
        dice.shuffle(&mut rows);
        let mut parts = Vec::new();
        let mut rest = &rows[..];
        while !rest.is_empty() {
            let (part, others) = rest.split_at(1 + dice.below(rest.len()));
            parts.push(table.state(part));
            rest = others;
        }
        dice.shuffle(&mut parts);
        assert_eq!(merge(&parts), at_once, "seed {seed}: all together");
        while parts.len() > 1 {
            let second = parts.swap_remove(dice.below(parts.len()));
            let first = parts.swap_remove(dice.below(parts.len()));
            let both = merge(&[first.clone(), second.clone()]);
            assert_eq!(
                both,
                merge(&[second, first]),
                "seed {seed}: two in either order"
            );
            parts.push(both);
        }
        assert_eq!(parts[0], at_once, "seed {seed}: two by two");

        // The votes, and the fit, or the error.
        let votes = table.builder(&rows).finish();
        match (&votes, state.votes()) {
            (Ok(of_rows), Ok(of_state)) => assert_eq!(*of_rows, of_state, "seed {seed}"),
            (of_rows, of_state) => assert!(of_rows.is_err() && of_state.is_err(), "seed {seed}"),
        }
        let of_rows = fit(votes, &table.options);
        let of_state = fit(state.votes(), &table.options);
        assert_eq!(of_rows.is_ok(), of_state.is_ok(), "seed {seed}");
        if let Ok(of_rows) = of_rows {
            assert!(of_rows == of_state.unwrap(), "seed {seed}: other bits");
            fits += 1;
        }
    }
    assert!(
        fits > 150 && counted > 100,
        "{fits} fits, {counted} repeats"
    );
}

/// `cargo test --test states -- --nocapture` prints how many bytes a vote takes.
#[test]
fn a_vote_takes_a_few_bytes() {
    let sizes = [
        (
            r#"{"annotators": 1000, "items": 20, "votes_each": 100, "seed": 1}"#,
            1.3,
        ),
        (
            r#"{"annotators": 1000, "items": 300, "votes_each": 100, "seed": 1}"#,
            2.5,
        ),
        (
            r#"{"annotators": 20000, "items": 2000, "votes_each": 5, "seed": 1}"#,
            5.0,
        ),
        (
            r#"{"annotators": 1000, "items": 20, "votes_each": 100, "graded": true, "seed": 1}"#,
            14.0,
        ),
    ];
    for (simulation, most) in sizes {
        let options = Options::default();
        let mut builder = VoteBuilder::new(&options);
        for batch in Simulation::from_json(simulation).unwrap().run().unwrap() {
            builder.push_batch(&batch.unwrap()).unwrap();
        }
        let state = builder.finish_counted().unwrap();
        let bytes = state.to_bytes().len() as f64 / state.votes_cast() as f64;
        println!("{simulation}: {bytes:.2} bytes a vote");
        assert!(bytes < most, "{simulation}: {bytes}");
    }
}

const VOTES: [TextRow; 3] = [
    ("ann", "a", "b", "left"),
    ("ann", "a", "b", "left"),
    ("bob", "b", "c", "right"),
];

fn collected(options: &Options, rows: &[TextRow]) -> CountedVotes {
    let rows = rows.iter().copied().map(table::row);
    table::builder(options, rows).finish_counted().unwrap()
}

fn of_numbers<const N: usize>(options: &Options, rows: [Row<'static>; N]) -> CountedVotes {
    let mut builder = VoteBuilder::new(options);
    builder.push_all(rows.into_iter()).unwrap();
    builder.finish_counted().unwrap()
}

/// The error of merging two states, which is the same in both orders.
fn refused(a: &CountedVotes, b: &CountedVotes) -> String {
    let error = |states: [&CountedVotes; 2]| {
        let error = CountedVotes::merge(states.map(Clone::clone).into()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::State);
        error.to_string()
    };
    let text = error([a, b]);
    assert_eq!(text, error([b, a]));
    text
}

#[test]
fn states_that_do_not_go_together() {
    let default = Options::default();
    let words = collected(&default, &VOTES);
    let with = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        let row = Row::new("ann", "a", "b", "left").weight(2.0).fold(1);
        of_numbers(&options, [row])
    };
    let other = "collect the votes of all in the same way";
    assert_eq!(
        refused(
            &words,
            &with(|options| options.columns.weight = Some("w".into()))
        ),
        format!("some of these states have weights and others have none: {other}")
    );
    assert_eq!(
        refused(
            &words,
            &with(|options| options.columns.fold = Some("f".into()))
        ),
        format!("some of these states have folds and others have none: {other}")
    );
    assert_eq!(
        refused(
            &words,
            &with(|options| options.columns.annotator = AnnotatorColumn::Unknown)
        ),
        format!(
            "some of these states know who voted and others do not (annotator is NULL): {other}"
        )
    );
    let one_type = "cast them to one type when they are collected";
    let numbered = of_numbers(&default, [Row::new(1, 1, 2, 1)]);
    assert_eq!(
        refused(&words, &numbered),
        format!(
            "the ids of annotators are integers in some of these states and text in others: {one_type}"
        )
    );
    let items = of_numbers(&default, [Row::new(1, "a", "b", 1)]);
    assert_eq!(
        refused(&items, &numbered),
        format!(
            "the ids of items are integers in some of these states and text in others: {one_type}"
        )
    );
    let both = of_numbers(
        &default,
        [Row::new(1, "a", "b", 1), Row::new("ann", "a", "b", 1)],
    );
    assert_eq!(
        refused(&items, &both),
        format!(
            "the ids of annotators are both integers and text in some of these states and integers \
             in others: {one_type}"
        )
    );
}

#[test]
fn winners_and_losers_have_no_sides() {
    use me_hodgerank::arrow_array::{ArrayRef, RecordBatch, StringArray};
    let column = |values: [&'static str; 2]| {
        std::sync::Arc::new(StringArray::from(values.to_vec())) as ArrayRef
    };
    let batch = RecordBatch::try_from_iter([
        ("annotator", column(["ann", "bob"])),
        ("winner", column(["a", "b"])),
        ("loser", column(["b", "c"])),
    ]);
    let options = Options::default();
    let builder = || {
        let mut builder = VoteBuilder::new(&options);
        builder.push_batch(batch.as_ref().unwrap()).unwrap();
        builder
    };
    let state = builder().finish_counted().unwrap();
    assert_eq!(read(&state.to_bytes()), state);
    assert!(!state.votes().unwrap().has_sides());
    // All but the names of the columns that were read.
    let summary = |votes: Votes| {
        let fit = Fit::new(&votes, &options).unwrap();
        let summary = fit.summary().unwrap();
        format!("{:?}", (summary.t, summary.votes, fit.ranking().unwrap()))
    };
    let of_rows = summary(builder().finish().unwrap());
    assert_eq!(summary(state.votes().unwrap()), of_rows);
    assert_eq!(
        refused(&state, &collected(&options, &VOTES)),
        "some of these states have choices and others only winners and losers: collect the votes of \
         all in the same way"
    );
}

#[test]
fn integers_of_two_widths_become_the_wider() {
    let state = |id_type: IdType| {
        let mut builder = VoteBuilder::new(&Options::default());
        builder.expect_ids(id_type, id_type, id_type);
        builder.push(Row::new(1, 1, 2, -1)).unwrap();
        builder.finish_counted().unwrap()
    };
    let states = vec![state(IdType::int(true, 32)), state(IdType::INT64)];
    let merged = CountedVotes::merge(states).unwrap().unwrap();
    assert_eq!(merged.items().id_type(), IdType::INT64);
    assert_eq!((merged.votes_cast(), merged.different_votes()), (2, 1));
}

#[test]
fn skipped_rows_add_up() {
    let skip = Options {
        on_bad_row: OnBadRow::Skip,
        ..Options::default()
    };
    let bad = [("-", "a", "b", "left"), ("ann", "a", "a", "left")];
    let error = table::builder(&Options::default(), bad.map(table::row)).finish_counted();
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("none of the 2 rows can be used; column"),
        "{error}"
    );
    let only_bad = collected(&skip, &bad);
    assert_eq!((only_bad.votes_cast(), only_bad.skipped()), (0, 2));
    assert_eq!(
        only_bad.votes().unwrap_err().to_string(),
        "there are no votes: all 2 rows were skipped when they were collected"
    );
    assert_eq!(
        collected(&skip, &bad[..1]).votes().unwrap_err().to_string(),
        "there are no votes: the only row was skipped when it was collected"
    );
    assert_eq!(
        collected(&skip, &[]).votes().unwrap_err().to_string(),
        "there are no votes: the table is empty, or a filter leaves nothing of it"
    );
    // A state of bad rows alone has no ids, and goes with ids of any type.
    let states = vec![only_bad.clone(), collected(&skip, &VOTES), only_bad];
    let all = CountedVotes::merge(states).unwrap().unwrap();
    assert_eq!(read(&all.to_bytes()), all);
    let fit = Fit::new(&all.votes().unwrap(), &skip).unwrap();
    let summary = fit.summary().unwrap();
    assert_eq!((summary.votes, summary.skipped_rows), (3.0, 4));
}

/// What concerns all votes together is not asked of a part.
#[test]
fn a_part_may_be_what_the_whole_must_not() {
    let mut options = Options::default();
    let ties = of_numbers(&options, [Row::new(1, 1, 2, 1), Row::new(1, 2, 3, 0)]);
    let error = ties.votes().unwrap_err().to_string();
    assert!(
        error.starts_with("column \"choice\" holds the numbers 0 and 1 and none below 0"),
        "{error}"
    );
    let right = of_numbers(&options, [Row::new(1, 2, 1, -1)]);
    let both = CountedVotes::merge(vec![ties, right]).unwrap().unwrap();
    assert_eq!(both.votes().unwrap().comparisons().len(), 3);
    options.columns.fold = Some("fold".into());
    let day = |fold| of_numbers(&options, [Row::new(1, 1, 2, -1).fold(fold)]);
    let error = day(3).votes().unwrap_err().to_string();
    assert!(
        error.starts_with("the fold column holds 1 distinct value:"),
        "{error}"
    );
    let days = CountedVotes::merge(vec![day(30), day(-4)])
        .unwrap()
        .unwrap();
    assert_eq!(days.votes().unwrap().folds().unwrap().count(), 2);
}
