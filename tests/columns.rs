//! Which columns are read: the usual sets of names, winners and losers, and votes of
//! which nobody knows who cast them.

use std::sync::Arc;

use me_hodgerank::arrow_array::{ArrayRef, RecordBatch, StringArray};
use me_hodgerank::{
    AnnotatorColumn, ErrorKind, Fit, IdRef, Options, Plot, Predictor, ResultSet, Row, VoteBuilder,
    Votes,
};

/// Votes of two drinks that most prefer one way: annotator, left, right, choice.
const VOTES: [[&str; 4]; 8] = [
    ["ann", "tea", "milk", "left"],
    ["ann", "milk", "cola", "left"],
    ["bob", "tea", "cola", "left"],
    ["bob", "cola", "milk", "right"],
    ["cyd", "milk", "tea", "right"],
    ["cyd", "cola", "tea", "left"],
    ["cyd", "cola", "tea", "right"],
    ["dan", "milk", "tea", "tie"],
];

fn batch(names: &[&str], rows: &[[&str; 4]]) -> RecordBatch {
    let column = |index: usize| {
        let values: Vec<&str> = rows.iter().map(|row| row[index]).collect();
        Arc::new(StringArray::from(values)) as ArrayRef
    };
    let columns = names.iter().enumerate();
    let columns = columns.map(|(index, name)| (*name, column(index)));
    RecordBatch::try_from_iter(columns).unwrap()
}

fn votes(options: &Options, names: &[&str], rows: &[[&str; 4]]) -> Votes {
    let mut builder = VoteBuilder::new(options);
    builder.push_batch(&batch(names, rows)).unwrap();
    builder.finish().unwrap()
}

fn fit(json: &str, names: &[&str], rows: &[[&str; 4]]) -> Fit {
    let options = Options::from_json(json).unwrap();
    Fit::new(&votes(&options, names, rows), &options).unwrap()
}

fn columns_of(fit: &Fit) -> Option<String> {
    let stored = Fit::from_bytes(&fit.to_bytes()).unwrap();
    assert_eq!(stored.summary().unwrap(), fit.summary().unwrap());
    stored.summary().unwrap().columns
}

#[test]
fn usual_names_are_recognised_and_told() {
    let first = fit("{}", &["annotator", "left", "right", "choice"], &VOTES);
    for (names, told) in [
        (
            ["annotator", "left", "right", "choice"],
            "annotator = annotator, left = left, right = right, choice = choice",
        ),
        (
            ["judge", "model_a", "model_b", "winner"],
            "annotator = judge, left = model_a, right = model_b, choice = winner",
        ),
        (
            ["Worker", "LEFT", "right", "label"],
            "annotator = Worker, left = LEFT, right = right, choice = label",
        ),
    ] {
        let fit = fit("{}", &names, &VOTES);
        assert_eq!(columns_of(&fit).as_deref(), Some(told));
        assert_eq!(fit.ranking().unwrap(), first.ranking().unwrap());
    }
    let names = ["who", "left", "right", "choice"];
    let named = fit(r#"{"annotator": "who", "weight": null}"#, &names, &VOTES);
    let told = "annotator = who, left = left, right = right, choice = choice";
    assert_eq!(columns_of(&named).as_deref(), Some(told));
}

#[test]
fn rows_that_come_from_no_table_have_no_columns() {
    let options = Options::default();
    let mut builder = VoteBuilder::new(&options);
    for [annotator, left, right, choice] in VOTES {
        builder
            .push(Row::new(annotator, left, right, choice))
            .unwrap();
    }
    let fit = Fit::new(&builder.finish().unwrap(), &options).unwrap();
    assert_eq!(columns_of(&fit), None);
}

#[test]
fn all_batches_have_the_columns_of_the_first() {
    let mut builder = VoteBuilder::new(&Options::default());
    let first = batch(&["judge", "model_a", "model_b", "winner"], &VOTES);
    builder.push_batch(&first).unwrap();
    let second = batch(&["annotator", "left", "right", "choice"], &VOTES);
    let error = builder.push_batch(&second).unwrap_err().to_string();
    assert!(
        error.starts_with("the votes have no columns \"judge\", \"model_a\""),
        "{error}"
    );
}

#[test]
fn winners_and_losers_have_no_sides() {
    let rows: Vec<[&str; 4]> = VOTES[..6]
        .iter()
        .map(|&[annotator, left, right, choice]| match choice {
            "left" => [annotator, left, right, ""],
            _ => [annotator, right, left, ""],
        })
        .collect();
    let names = ["annotator", "winner", "loser"];
    let found = fit("{}", &names, &rows);
    let told = "annotator = annotator, left = winner, right = loser";
    assert_eq!(columns_of(&found).as_deref(), Some(told));
    let written: Vec<[&str; 4]> = rows
        .iter()
        .map(|row| [row[0], row[1], row[2], "left"])
        .collect();
    let same = fit(
        r#"{"position_bias": false}"#,
        &["annotator", "left", "right", "choice"],
        &written,
    );
    assert_eq!(found.ranking().unwrap(), same.ranking().unwrap());
    assert_eq!(found.annotators().unwrap(), same.annotators().unwrap());

    let options = Options::from_json(r#"{"position_bias": true}"#).unwrap();
    let votes = votes(&options, &names, &rows);
    let error = Fit::new(&votes, &options).unwrap_err().to_string();
    assert!(
        error.contains("this looks like a table of winners (left) and losers"),
        "{error}"
    );
}

const NOBODY_KNOWS: &str = r#"{"annotator": null}"#;

/// The rows in canonical order, so that numbered annotators come in the same order.
fn sorted(rows: &[[&'static str; 4]]) -> Vec<[&'static str; 4]> {
    let side = |choice: &str| {
        ["right", "tie", "left"]
            .iter()
            .position(|word| *word == choice)
    };
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| (row[1], row[2], side(row[3])));
    rows
}

#[test]
fn votes_of_nobody_are_votes_of_as_many_annotators() {
    let names = ["annotator", "left", "right", "choice"];
    let unknown = fit(NOBODY_KNOWS, &names, &VOTES);
    let mut rows = sorted(&VOTES);
    for (row, annotator) in rows
        .iter_mut()
        .zip(["1", "2", "3", "4", "5", "6", "7", "8"])
    {
        row[0] = annotator;
    }
    let json = r#"{"personal": false, "position_bias": false}"#;
    let known = fit(json, &names, &rows);
    assert_eq!(unknown.ranking().unwrap(), known.ranking().unwrap());
    assert_eq!(unknown.cycles().unwrap(), known.cycles().unwrap());
    assert_eq!(unknown.triangles().unwrap(), known.triangles().unwrap());
    assert_eq!(unknown.cv().unwrap(), known.cv().unwrap());
    let (summary, other) = (unknown.summary().unwrap(), known.summary().unwrap());
    assert_eq!(summary.shares, other.shares);
    assert_eq!(
        (summary.votes, summary.left_clicks),
        (8.0, other.left_clicks)
    );
    assert_eq!((summary.annotators, other.annotators), (None, Some(8)));
    assert_eq!(
        (summary.repeated_rows, summary.position_biased),
        (None, None)
    );
    let told = "left = left, right = right, choice = choice";
    assert_eq!(columns_of(&unknown).as_deref(), Some(told));
}

#[test]
fn votes_of_nobody_do_not_depend_on_the_order_of_rows() {
    let names = ["annotator", "left", "right", "choice"];
    let bytes = fit(NOBODY_KNOWS, &names, &VOTES).to_bytes();
    let mut rows = VOTES;
    for _ in 0..VOTES.len() {
        rows.rotate_left(3);
        rows.swap(0, 5);
        assert_eq!(fit(NOBODY_KNOWS, &names, &rows).to_bytes(), bytes);
    }
    // Read in parts that are merged, some of them twice over.
    let options = Options::from_json(NOBODY_KNOWS).unwrap();
    let part = |rows: &[[&str; 4]]| {
        let mut builder = VoteBuilder::new(&options);
        builder.push_batch(&batch(&names, rows)).unwrap();
        builder
    };
    let mut all = part(&rows[6..]);
    let mut others = part(&rows[..2]);
    others.merge(part(&rows[2..5])).unwrap();
    others.merge_copy(&part(&rows[5..6])).unwrap();
    all.merge(others).unwrap();
    let merged = Fit::new(&all.finish().unwrap(), &options).unwrap();
    assert_eq!(merged.to_bytes(), bytes);
}

/// Also with weights, strengths and folds, which are sorted in another way.
#[test]
fn votes_of_nobody_may_have_weights_and_folds() {
    let rows = [
        (1, 2, 0.5, 1.0),
        (2, 3, -1.5, 2.0),
        (3, 1, 0.25, 0.5),
        (1, 2, 2.0, 3.0),
        (2, 1, -0.75, 1.0),
    ];
    let mut options = Options::from_json(NOBODY_KNOWS).unwrap();
    options.columns.weight = Some("weight".into());
    options.columns.fold = Some("fold".into());
    let fit = |rows: &[(i32, i32, f64, f64)]| {
        let mut builder = VoteBuilder::new(&options);
        for &(left, right, choice, weight) in rows {
            let row = Row::new(0, left, right, choice).weight(weight);
            let row = row.fold(i64::from(choice > 0.3));
            builder
                .push(Row {
                    annotator: None,
                    ..row
                })
                .unwrap();
        }
        Fit::new(&builder.finish().unwrap(), &options).unwrap()
    };
    let mut backwards = rows;
    backwards.reverse();
    assert_eq!(fit(&rows).to_bytes(), fit(&backwards).to_bytes());
    assert_eq!(fit(&rows).summary().unwrap().votes, 7.5);
}

#[test]
fn nothing_is_said_of_people_whom_nobody_knows() {
    let names = ["annotator", "left", "right", "choice"];
    let fit = fit(NOBODY_KNOWS, &names, &VOTES);
    let text = "the votes have no annotators: they were read as votes of which nobody knows who \
                cast them (annotator = NULL), so nothing can be said of a person; name the column \
                of annotators to learn of them";
    assert_eq!(fit.annotators().unwrap_err().to_string(), text);
    assert_eq!(fit.personal().err().unwrap().to_string(), text);
    assert_eq!(fit.plot(Plot::JumpOut).unwrap_err().to_string(), text);
    for set in ResultSet::ALL {
        let is_about_people = matches!(set, ResultSet::Annotators | ResultSet::Personal);
        assert_eq!(fit.table(set).is_err(), is_about_people, "{set}");
        assert_eq!(fit.has(set), !is_about_people);
    }
    let path = fit.table(ResultSet::Path).unwrap();
    assert_eq!(
        path.column_by_name("annotator").unwrap().null_count(),
        path.num_rows()
    );
    assert!(fit.plot(Plot::Ranking).unwrap().contains("tea"));
    assert!(fit.plot(Plot::Cv).is_ok());
    let report = fit.report().unwrap();
    assert!(report.contains("8 votes on 3 items, of which nobody knows who cast them"));
    for about_people in [
        "Before you pay",
        "Tastes of their own",
        "<table class=\"verdicts\">",
    ] {
        assert!(!report.contains(about_people), "{about_people}");
    }

    let (tea, cola) = (IdRef::from("tea"), IdRef::from("cola"));
    let predictor = Predictor::new(fit.into()).unwrap();
    let expected = predictor.hodgerank(tea, cola);
    for annotator in [None, Some(IdRef::Int(7)), Some(IdRef::from("ann"))] {
        assert_eq!(
            predictor.vote_of(annotator, Some(tea), Some(cola)),
            Some(expected)
        );
    }
    assert_eq!(predictor.vote_of(None, None, Some(cola)), None);
    assert!(
        predictor
            .check_types(Some(me_hodgerank::IdType::INT64), None)
            .is_ok()
    );
}

#[test]
fn effects_need_annotators() {
    for name in ["position_bias", "personal"] {
        let json = format!(r#"{{"annotator": null, "{name}": true}}"#);
        let error = Options::from_json(&json).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Option);
        let text = format!("{name} cannot be true where nobody knows who voted");
        assert!(error.to_string().starts_with(&text), "{error}");
        // Also if only the votes know.
        let mut options = Options::default();
        options.columns.annotator = AnnotatorColumn::Unknown;
        let votes = votes(&options, &["a", "left", "right", "choice"], &VOTES);
        let chosen = Options::from_json(&format!(r#"{{"{name}": true}}"#)).unwrap();
        assert_eq!(Fit::new(&votes, &chosen).unwrap_err(), error);
    }
}
