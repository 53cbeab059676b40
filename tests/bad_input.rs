//! Every bad input gets a clear error: how many rows, which column, an
//! offending value, the remedy.

mod table;

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use me_hodgerank::{ErrorKind, OnBadRow, Options, ResultSet, Row, VoteBuilder};
use table::{TextRow, builder, fit, read, row};

const GOOD: [TextRow; 4] = [
    ("ann", "a", "b", "left"),
    ("ann", "b", "c", "right"),
    ("bob", "a", "c", "left"),
    ("bob", "c", "b", "left"),
];

fn good() -> impl Iterator<Item = Row<'static>> {
    GOOD.into_iter().map(row)
}

/// The error for the good rows and these.
fn message(options: &Options, bad: &[Row<'static>]) -> String {
    let rows = good().chain(bad.iter().copied());
    read(options, rows).unwrap_err().to_string()
}

fn text_message(bad: &[TextRow]) -> String {
    let bad: Vec<_> = bad.iter().copied().map(row).collect();
    message(&Options::default(), &bad)
}

#[test]
fn an_empty_table() {
    let error = read(&Options::default(), []).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Votes);
    assert_eq!(
        error.to_string(),
        "there are no votes: the table is empty, or a filter leaves nothing of it"
    );
}

#[test]
fn nulls() {
    assert_eq!(
        text_message(&[("-", "a", "b", "left"), ("-", "a", "b", "left")]),
        "2 rows of 6 cannot be used; column \"annotator\" is NULL in 2 rows: every vote needs an \
         annotator; set on_bad_row to 'skip' to leave such rows out"
    );
    assert!(text_message(&[("ann", "-", "b", "left")]).contains(
        "1 row of 5 cannot be used; column \"left\" is NULL in 1 row: every vote needs two items;"
    ));
    assert!(
        text_message(&[("ann", "a", "-", "left")]).contains("column \"right\" is NULL in 1 row")
    );
    assert!(text_message(&[("ann", "a", "b", "-")]).contains(
        "column \"choice\" is NULL in 1 row: write 0 or 'tie' if the annotator saw no difference"
    ));
}

#[test]
fn choices_that_are_none() {
    let number = |value: f64| Row::new("ann", "a", "b", value);
    let options = Options::default();
    let text = message(&options, &[number(f64::NAN), number(f64::INFINITY)]);
    assert!(
        text.contains("column \"choice\" is not a finite number in 2 rows (for example NaN)"),
        "{text}"
    );
    let text = message(&options, &[number(1e101)]);
    assert!(
        text.contains("column \"choice\" is beyond 1e100 in 1 row"),
        "{text}"
    );
    let text = text_message(&[("ann", "a", "b", "lft"), ("ann", "a", "b", "c")]);
    assert!(
        text.contains(
            "column \"choice\" is not a choice in 2 rows (for example 'c'): write 'left', 'right', \
             'tie', a number, a boolean, or the id of the item that won"
        ),
        "{text}"
    );
}

#[test]
fn an_item_against_itself() {
    let text = text_message(&[("ann", "a", "a", "left")]);
    assert!(
        text.contains(
            "column \"right\" is the same item on both sides in 1 row (for example 'a'): a vote \
             compares two different items"
        ),
        "{text}"
    );
    // With a single item there is nothing to rank.
    let only = read(&Options::default(), [row(("ann", "a", "a", "left"))]).unwrap_err();
    assert!(
        only.to_string().starts_with("the only row cannot be used;"),
        "{only}"
    );
}

#[test]
fn weights_and_folds() {
    let mut options = Options::default();
    options.columns.weight = Some("count".into());
    options.columns.fold = Some("part".into());
    let full = |weight, fold| Row {
        weight,
        fold,
        ..row(GOOD[0])
    };
    let rows = [
        full(Some(1.0), Some(1)),
        full(Some(0.0), Some(1)),
        full(Some(-2.0), Some(2)),
        full(Some(1e-310), Some(2)),
        full(None, Some(2)),
        full(Some(f64::NAN), Some(2)),
        full(Some(1.0), None),
    ];
    let text = read(&options, rows).unwrap_err().to_string();
    assert!(text.starts_with("6 rows of 7 cannot be used;"), "{text}");
    assert!(
        text.contains(
            "column \"count\" is not a weight in 5 rows (for example -2): a weight is a number \
             from 1e-100 to 1e100"
        ),
        "{text}"
    );
    assert!(
        text.contains("column \"part\" is not a fold in 1 row (for example NULL)"),
        "{text}"
    );
    let one_fold = read(&options, [full(Some(1.0), Some(7))]).unwrap_err();
    assert!(
        one_fold.to_string().starts_with(
            "the fold column holds 1 distinct value: cross-validation takes from 2 to"
        ),
    );
}

#[test]
fn skipping_counts_and_an_example_does_not_depend_on_order() {
    let mut options = Options {
        on_bad_row: OnBadRow::Skip,
        ..Options::default()
    };
    let bad = [("ann", "a", "b", "zzz"), ("ann", "a", "b", "aaa")].map(row);
    let votes = read(&options, good().chain(bad)).unwrap();
    assert_eq!((votes.skipped(), votes.comparisons().len()), (2, 4));
    let all_bad = read(&options, bad).unwrap_err().to_string();
    assert!(
        all_bad.starts_with("none of the 2 rows can be used; column \"choice\""),
        "{all_bad}"
    );
    assert!(!all_bad.contains("skip"), "{all_bad}");

    options.on_bad_row = OnBadRow::Error;
    let forward = message(&options, &bad);
    let backward = message(&options, &[bad[1], bad[0]]);
    assert_eq!(forward, backward);
    assert!(forward.contains("for example 'aaa'"));
}

#[test]
fn a_long_offending_value_is_cut() {
    let text: &'static str = "ü".repeat(500).leak();
    let text = text_message(&[("ann", "a", "b", text)]);
    assert!(text.contains(&format!("'{}…", "ü".repeat(59))), "{text}");
}

fn batch(columns: [(&str, ArrayRef); 4]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn texts(values: &[&'static str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn a_missing_column_lists_what_is_there() {
    let columns = ["who", "left", "right", "choice"].map(|name| (name, texts(&["x"])));
    let mut builder = VoteBuilder::new(&Options::default());
    let error = builder.push_batch(&batch(columns)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the votes have no column \"annotator\"; they have \"who\", \"left\", \"right\", \
         \"choice\": set annotator to the one to read; annotator to NULL if nobody \
         knows who voted"
    );
}

#[test]
fn columns_of_the_wrong_type() {
    let floats = || Arc::new(Float64Array::from(vec![1.0])) as ArrayRef;
    let ints = || Arc::new(Int64Array::from(vec![1])) as ArrayRef;
    let push = |options: &Options, columns| {
        VoteBuilder::new(options)
            .push_batch(&batch(columns))
            .unwrap_err()
            .to_string()
    };
    let mut options = Options::default();
    let columns = [
        ("annotator", floats()),
        ("left", texts(&["a"])),
        ("right", texts(&["b"])),
        ("choice", ints()),
    ];
    assert_eq!(
        push(&options, columns.clone()),
        "column \"annotator\" holds Float64; ids are integers or text: cast the column to one of them"
    );
    let mut fine = columns;
    fine[0].1 = ints();
    options.columns.weight = Some("left".into());
    assert_eq!(
        push(&options, fine.clone()),
        "column \"left\" holds Utf8; weights are numbers"
    );
    options.columns.weight = None;
    options.columns.fold = Some("left".into());
    assert_eq!(
        push(&options, fine),
        "column \"left\" holds Utf8; folds are whole numbers"
    );
}

#[test]
fn every_vote_for_one_side() {
    let winners = [
        ("ann", "a", "b", "left"),
        ("ann", "b", "c", "left"),
        ("bob", "a", "c", "left"),
    ];
    let mut options = Options::default();
    let error = fit(&options, winners.map(row)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "every one of the 3 votes is for the left item: this looks like a table of winners (left) \
         and losers (right), which does not say who stood on which side; set position_bias to \
         false for such a table"
    );
    let losers = winners.map(|(who, left, right, _)| row((who, left, right, "right")));
    let error = fit(&options, losers).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("winners (right) and losers (left)")
    );
    options.position_bias = Some(false);
    fit(&options, winners.map(row)).unwrap();
}

/// The error for votes with these numbers, in turn, as choices; None if there is none.
fn error_for_numbers(options: &Options, choices: &[f64]) -> Option<String> {
    let rows = choices.iter().zip(GOOD.iter().cycle());
    let rows: Vec<_> = rows
        .map(|(&choice, &(who, left, right, _))| Row::new(who, left, right, choice))
        .collect();
    let error = |rows: Vec<Row<'static>>| fit(options, rows).err().map(|error| error.to_string());
    let backward = rows.iter().rev().copied().collect();
    let forward = error(rows);
    assert_eq!(
        forward,
        error(backward),
        "an error depends on the order of rows"
    );
    forward
}

/// With and without position bias in the model: the choices are wrong either way.
fn refused_numbers(choices: &[f64]) -> String {
    let mut options = Options::default();
    let with = error_for_numbers(&options, choices).expect("an error");
    options.position_bias = Some(false);
    let without = error_for_numbers(&options, choices);
    assert_eq!(Some(&with), without.as_ref());
    options.personal = Some(false); // HodgeRank alone
    assert_eq!(Some(&with), error_for_numbers(&options, choices).as_ref());
    with
}

#[test]
fn choices_one_and_two() {
    assert_eq!(
        refused_numbers(&[1.0, 2.0, 2.0, 1.0]),
        "column \"choice\" holds the numbers 1 and 2 and none below 0, so that every vote would be \
         for the left item: a number above 0 is a vote for the left item, one below 0 for the right \
         item, 0 is a tie. If 1 means left and 2 means right, write CASE WHEN choice = 1 THEN 'left' \
         ELSE 'right' END. If the left item always won and the number says by how much, put the \
         items of each vote in the order of their ids, make the number negative where the right one \
         won, and set position_bias to false"
    );
    let mut options = Options::default();
    options.columns.choice = Some("my pick".into());
    let text = error_for_numbers(&options, &[2.0, 1.0]).unwrap();
    assert!(
        text.starts_with("column \"my pick\" holds the numbers 1 and 2"),
        "{text}"
    );
    assert!(
        text.contains("CASE WHEN \"my pick\" = 1 THEN 'left'"),
        "{text}"
    );
}

#[test]
fn a_scale_without_negative_numbers() {
    let text = refused_numbers(&[1.0, 7.0, 4.0, 2.0, 6.0, 3.0, 5.0, 5.0]);
    assert!(
        text.starts_with(
            "column \"choice\" holds the numbers 1, 2, 3, 4, 5, 6 and 7 and none below 0, so that \
             every vote would be for the left item:"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "If this is a scale from 1 to 7, subtract its middle: write choice - 4 where large \
             numbers mean left, 4 - choice where they mean right."
        ),
        "{text}"
    );
    // The middle of the scale may be between two of its numbers, and 0 may be its end.
    let text = refused_numbers(&[0.0, 1.0, 2.0, 3.0]);
    assert!(text.contains("the numbers 0, 1, 2 and 3 and none below 0, so that no vote would be for the right item:"), "{text}");
    assert!(
        text.contains("a scale from 0 to 3, subtract its middle: write choice - 1.5 where"),
        "{text}"
    );
    let text = refused_numbers(&[-1.0, -2.0, -3.0]);
    assert!(text.contains("the numbers -3, -2 and -1 and none above 0, so that every vote would be for the right item:"), "{text}");
    assert!(
        text.contains("write choice + 2 where large numbers mean left, -2 - choice where"),
        "{text}"
    );
    let slider: Vec<f64> = (0..=100).map(f64::from).collect();
    let text = refused_numbers(&slider);
    assert!(
        text.contains("holds 101 different numbers from 0 to 100 and none below 0"),
        "{text}"
    );
    assert!(text.contains("write choice - 50 where"), "{text}");
    // Three numbers are codes as likely as a scale.
    let text = refused_numbers(&[1.0, 2.0, 3.0]);
    assert!(
        text.contains(
            "If they are codes, say what each means: for example CASE choice WHEN 1 THEN 'left' \
             WHEN 2 THEN 'right' ELSE 'tie' END."
        ),
        "{text}"
    );
}

#[test]
fn choices_zero_and_one() {
    assert_eq!(
        refused_numbers(&[0.0, 1.0, 1.0]),
        "column \"choice\" holds the numbers 0 and 1 and none below 0, so that no vote would be for \
         the right item: a number above 0 is a vote for the left item, one below 0 for the right \
         item, 0 is a tie. If 1 means left and 0 means right, write CASE WHEN choice = 1 THEN 'left' \
         ELSE 'right' END (in DuckDB choice = 1 does it too). If 0 does mean a tie, write CASE WHEN \
         choice = 1 THEN 'left' ELSE 'tie' END"
    );
    let text = refused_numbers(&[-1.0, 0.0]);
    assert!(
        text.contains(
            "If -1 means right and 0 means left, write CASE WHEN choice = -1 THEN 'right' ELSE \
             'left' END (in DuckDB choice <> -1 does it too). If 0 does mean a tie, write CASE WHEN \
             choice = -1 THEN 'right' ELSE 'tie' END"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "the numbers -1 and 0 and none above 0, so that no vote would be for the left item"
        ),
        "{text}"
    );
}

#[test]
fn ties_that_are_said_to_be_ties() {
    // In words, and with a number on each side.
    let words = [
        ("ann", "a", "b", "left"),
        ("ann", "b", "c", "tie"),
        ("bob", "a", "c", "left"),
    ];
    fit(&Options::default(), words.map(row)).unwrap();
    for fine in [
        &[0.0, 1.0, -1.0][..],
        &[1.0, 2.0, -0.5],
        &[0.0, 0.0],
        &[1.0],
        &[3.0],
    ] {
        assert_eq!(error_for_numbers(&Options::default(), fine), None);
    }
    // A tie in a word says that the numbers beside it are not 0 and 1.
    let mixed = [
        row(words[1]),
        Row::new("ann", "a", "b", 1),
        Row::new("bob", "a", "c", 1),
    ];
    fit(&Options::default(), mixed).unwrap();
    let booleans = [true, false, true].map(|choice| Row::new("ann", "a", "b", choice));
    fit(&Options::default(), booleans).unwrap();
    // A skipped row says nothing.
    let options = Options {
        on_bad_row: OnBadRow::Skip,
        ..Options::default()
    };
    let rows = [
        Row::new("ann", "a", "a", 0),
        Row::new("ann", "a", "b", "tie"),
        Row::new("bob", "a", "c", 1),
    ];
    fit(&options, rows).unwrap();
}

/// Numbers that were read by different threads are judged together.
#[test]
fn merged_numbers_are_judged_together() {
    let options = Options::default();
    let part = |choice: i32| builder(&options, [Row::new("ann", "a", "b", choice)]);
    let mut refused = part(0);
    refused.merge_copy(&part(1)).unwrap();
    let text = refused.finish().unwrap_err().to_string();
    assert!(text.contains("holds the numbers 0 and 1"), "{text}");
    let mut fine = part(0);
    fine.merge(part(1)).unwrap();
    fine.merge(part(-1)).unwrap();
    fine.finish().unwrap();
}

/// More different numbers than a scale has: by how much the left item won.
#[test]
fn winners_with_strengths() {
    let strengths: Vec<f64> = (1..=300).map(|k| f64::from(k) / 7.0).collect();
    let mut options = Options {
        t: Some(1.0),
        ..Options::default()
    };
    let with_ties: Vec<f64> = strengths.iter().copied().chain([0.0]).collect();
    for choices in [&strengths, &with_ties] {
        let text = error_for_numbers(&options, choices).unwrap();
        assert_eq!(
            text,
            format!(
                "none of the {} votes is for the right item. If the left item always won and the \
                 number says by how much, set position_bias to false: such a table does not say who \
                 stood on which side. If column \"choice\" is a scale, subtract its middle, so that \
                 numbers below 0 are votes for the right item",
                choices.len()
            )
        );
    }
    options.position_bias = Some(false);
    for choices in [&strengths, &with_ties] {
        assert_eq!(error_for_numbers(&options, choices), None);
    }
}

/// As SQLite's `.import` makes them.
#[test]
fn numbers_written_as_text() {
    let text = text_message(&[
        ("ann", "a", "b", "1"),
        ("ann", "b", "c", "-1"),
        ("ann", "b", "c", " 0.5 "),
    ]);
    assert!(
        text.contains(
            "column \"choice\" is a number written as text in 3 rows (for example ' 0.5 '): make it \
             a number, CAST(choice AS DOUBLE)"
        ),
        "{text}"
    );
    // Other words keep their own remedy, infinity too.
    let text = text_message(&[("ann", "a", "b", "2"), ("ann", "a", "b", "inf")]);
    assert!(
        text.contains("number written as text in 1 row (for example '2')"),
        "{text}"
    );
    assert!(
        text.contains("not a choice in 1 row (for example 'inf')"),
        "{text}"
    );
    // The id of an item of the row is that item.
    let winners = [
        ("ann", "1", "2", "2"),
        ("ann", "2", "3", "2"),
        ("bob", "1", "3", "1"),
    ];
    fit(&Options::default(), winners.map(row)).unwrap();
}

#[test]
fn separate_components_are_no_error() {
    let islands = [
        ("ann", "a", "b", "left"),
        ("ann", "x", "y", "right"),
        ("bob", "b", "a", "right"),
        ("bob", "b", "c", "tie"),
    ];
    let fit = fit(&Options::default(), islands.map(row)).unwrap();
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    let component = ranking.column_by_name("component").unwrap();
    assert_eq!(**component, Int64Array::from(vec![1, 1, 1, 2, 2]));
}

#[test]
fn a_step_size_that_would_oscillate() {
    let mut options = Options::default();
    let fine = fit(&options, good()).unwrap();
    let alpha = fine.table(ResultSet::Summary).unwrap();
    let alpha = alpha.column_by_name("alpha").unwrap();
    let alpha =
        arrow_array::cast::as_primitive_array::<arrow_array::types::Float64Type>(alpha).value(0);
    options.alpha = Some(1.99 * alpha);
    fit(&options, good()).unwrap();
    options.alpha = Some(2.01 * alpha);
    let error = fit(&options, good()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Option);
    assert!(
        error
            .to_string()
            .contains("would make the path oscillate: with kappa = 20")
    );
}

#[test]
fn no_folds_and_no_time_leave_only_the_path() {
    let mut options = Options {
        folds: 0,
        ..Options::default()
    };
    let without = fit(&options, good()).unwrap();
    assert!(without.table(ResultSet::Path).unwrap().num_rows() > 0);
    for set in ResultSet::ALL {
        match without.table(set) {
            Ok(_) => assert!(matches!(
                set,
                ResultSet::Path | ResultSet::Cycles | ResultSet::Triangles
            )),
            Err(error) => assert_eq!(
                error.to_string(),
                "with folds = 0 nothing chooses where to stop: set t, or ask for the path only"
            ),
        }
    }
    options.t = Some(30.0);
    let with = fit(&options, good()).unwrap();
    assert!(ResultSet::ALL.iter().all(|&set| with.table(set).is_ok()));
}

#[test]
fn choices_too_small_for_the_path() {
    let tiny = |k: usize| {
        let (annotator, left, right, _) = GOOD[k % 4];
        let choice = if k.is_multiple_of(2) { 1e-12 } else { -2e-12 };
        Row::new(annotator, left, right, choice)
    };
    let error = fit(&Options::default(), (0..8).map(tiny)).unwrap_err();
    assert!(
        error.to_string().starts_with("the path would take "),
        "{error}"
    );
}

#[test]
fn time_runs_out() {
    let options = Options {
        max_seconds: Some(1e-3),
        kappa: 5e3,
        ..Options::default()
    };
    let votes = read(&options, good()).unwrap();
    let error = me_hodgerank::Fit::new(&votes, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
}
