//! `me_hodgerank_compare` and `me_hodgerank_next`: their arguments.

use crate::{SMALL, assert_error, rows, show, with_votes};

#[test]
fn top_and_n_are_arguments_of_one_function() {
    let connection = with_votes(SMALL);
    let count = |call: &str| show(&connection, &format!("SELECT count(*) FROM {call}"));
    assert_eq!(count("me_hodgerank_compare('votes')"), "15");
    assert_eq!(count(r#"me_hodgerank_compare('votes', '{"top": 3}')"#), "3");
    assert_eq!(count("me_hodgerank_next('votes')"), "20");
    assert_eq!(count(r#"me_hodgerank_next('votes', '{"n": 7}')"#), "7");
    for (call, text) in [
        (
            r#"me_hodgerank_compare('votes', '{"top": 1}')"#,
            "top must be from 2 to 1000, not 1",
        ),
        (
            r#"me_hodgerank_next('votes', '{"n": 0}')"#,
            "n must be from 1 to 10000, not 0",
        ),
        (
            r#"me_hodgerank_next('votes', '{"top": 3}')"#,
            "max_seconds, threads; here also: n, candidates",
        ),
        (
            r#"me_hodgerank('votes', '{"n": 3}')"#,
            "unknown option \"n\"",
        ),
    ] {
        assert_error(&connection, &format!("SELECT * FROM {call}"), text);
    }
}

#[test]
fn a_model_takes_the_arguments_of_a_set_and_no_options() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            "CREATE TABLE fit AS SELECT me_hodgerank_model(annotator, left, right, choice) AS model FROM votes;
             CREATE TABLE pairs AS SELECT 1 AS model_a, 2 AS model_b",
        )
        .unwrap();
    for set in ["compare", "next"] {
        let argument = if set == "compare" { "top" } else { "n" };
        let call = |first: &str| {
            let sql =
                format!("SELECT r.* FROM fit, me_hodgerank_{first}, '{{\"{argument}\": 4}}') r");
            rows(&connection, &sql)
        };
        let unpacked = call(&format!("model_{set}(fit.model"));
        assert_eq!(unpacked, call(&format!("{set}(fit.model")));
        assert_eq!(unpacked, call(&format!("{set}('votes'")));
        assert_eq!(unpacked.len(), if set == "compare" { 6 } else { 4 });
        assert_error(
            &connection,
            &format!(
                "SELECT r.* FROM fit, me_hodgerank_model_{set}(fit.model, '{{\"kappa\": 4}}') r"
            ),
            "a model is fitted already",
        );
    }
    let sql = |function: &str| {
        format!(
            "SELECT r.* FROM fit, {function}(fit.model, '{{\"candidates\": \"pairs\", \"n\": 2}}') r"
        )
    };
    assert_eq!(rows(&connection, &sql("me_hodgerank_next")).len(), 2);
    assert_error(
        &connection,
        &sql("me_hodgerank_model_next"),
        "me_hodgerank_model_next reads no tables",
    );
}

#[test]
fn candidates_come_from_a_table_or_a_select() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            "CREATE TABLE pairs (\"left\", \"right\");
             INSERT INTO pairs VALUES (1, 2), (2, 1), (3, 99), (4, 5);
             CREATE TABLE others (x, y);
             INSERT INTO others VALUES (5, 6)",
        )
        .unwrap();
    let asked = |candidates: &str| {
        let sql = format!(
            "SELECT DISTINCT min(\"left\", \"right\") || '-' || max(\"left\", \"right\") AS pair
             FROM me_hodgerank_next('votes', json_object('n', 300, 'candidates', '{candidates}'))
             ORDER BY gain IS NOT NULL, pair"
        );
        let pairs = rows(&connection, &sql);
        let pairs = pairs.iter().map(|row| format!("{:?}", row[0]));
        pairs.collect::<Vec<_>>().join(" ")
    };
    // Item 99 has no votes.
    let pairs = asked("pairs");
    assert!(pairs.starts_with("Text(\"3-99\")"), "{pairs}");
    let listed = ["3-99", "1-2", "4-5"].map(|pair| pairs.contains(pair));
    let listed = listed.iter().filter(|is_there| **is_there).count();
    assert_eq!(pairs.matches("Text").count(), listed, "{pairs}");
    let pairs = asked("SELECT 5 AS \"left\", 6 AS \"right\"");
    assert_eq!(pairs, "Text(\"5-6\")");
    assert_error(
        &connection,
        r#"SELECT * FROM me_hodgerank_next('votes', '{"candidates": "nowhere"}')"#,
        "no such table: nowhere",
    );
    assert_error(
        &connection,
        r#"SELECT * FROM me_hodgerank_next('votes', '{"candidates": "others"}')"#,
        "no columns \"left\" and \"right\"",
    );
    assert_error(
        &connection,
        r#"SELECT * FROM me_hodgerank_next('votes', '{"candidates": "SELECT NULL AS left, 2 AS right"}')"#,
        "row 1 of the candidate pairs has no item (NULL)",
    );
    assert_error(
        &connection,
        r#"SELECT * FROM me_hodgerank_next('votes', '{"candidates": "SELECT ''a'' AS left, ''b'' AS right"}')"#,
        "the items of the candidate pairs are text and those of the votes are integers",
    );
}
