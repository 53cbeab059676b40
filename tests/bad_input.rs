//! Every bad input gets a clear error: how many rows, which column, an
//! offending value, the remedy.

mod table;

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use me_hodgerank::{ErrorKind, OnBadRow, Options, ResultSet, Row, VoteBuilder};
use table::{TextRow, fit, read, row};

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
         \"choice\": say which to read with the options annotator, left, right and choice"
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
    options.position_bias = false;
    fit(&options, winners.map(row)).unwrap();
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
