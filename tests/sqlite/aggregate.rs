//! `me_hodgerank_fit` and what unpacks its models.

use super::*;

#[test]
fn a_model_holds_every_set() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch("CREATE TABLE fit AS SELECT me_hodgerank_fit(annotator, left, right, choice) AS model FROM votes")
        .unwrap();
    for set in ["annotators", "personal", "path", "cv", "summary"] {
        let stored = format!("SELECT r.* FROM fit, me_hodgerank_{set}(fit.model) AS r");
        let direct = format!("SELECT * FROM me_hodgerank_{set}('votes')");
        assert_eq!(
            rows(&connection, &stored),
            rows(&connection, &direct),
            "{set}"
        );
    }
    let direct = rows(&connection, "SELECT * FROM me_hodgerank('votes')");
    for call in ["me_hodgerank_ranking", "me_hodgerank"] {
        let sql = format!("SELECT r.* FROM fit JOIN {call}(model) AS r");
        assert_eq!(rows(&connection, &sql), direct);
    }
    // Visible columns of a model are to filter by, not options.
    let kappa = |value| {
        show(
            &connection,
            &format!("SELECT items FROM fit, me_hodgerank_summary(model) WHERE kappa = {value}"),
        )
    };
    assert_eq!((kappa(20), kappa(10)), ("6".into(), "".into()));
}

#[test]
fn one_fit_a_group() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            "CREATE TABLE fit AS SELECT annotator % 3 AS task,
                 me_hodgerank_fit(annotator, left, right, choice, '{\"kappa\": 10}') AS model
             FROM votes GROUP BY task",
        )
        .unwrap();
    let grouped = "SELECT f.task, r.* FROM fit f, me_hodgerank_ranking(f.model) r";
    let grouped = rows(&connection, grouped);
    assert_eq!(grouped.len(), 18);
    for task in 0..3 {
        let sql = format!(
            "SELECT {task}, * FROM me_hodgerank('SELECT * FROM votes WHERE annotator % 3 = {task}') WHERE kappa = 10"
        );
        assert_eq!(rows(&connection, &sql), grouped[6 * task..6 * task + 6]);
    }
}

#[test]
fn weights_folds_and_options() {
    let connection = with_votes(SMALL);
    connection.execute_batch("ALTER TABLE votes ADD n DEFAULT 2; ALTER TABLE votes ADD k; UPDATE votes SET k = annotator % 4").unwrap();
    let aggregate = |arguments: &str| {
        let fit = format!("me_hodgerank_fit(annotator, left, right, choice{arguments})");
        rows(
            &connection,
            &format!(
                "SELECT r.* FROM (SELECT {fit} AS model FROM votes), me_hodgerank_summary(model) r"
            ),
        )
    };
    let table = |options: &str| {
        rows(
            &connection,
            &format!("SELECT * FROM me_hodgerank_summary('votes', '{options}')"),
        )
    };
    let kappa = r#"'{"kappa": 10}'"#;
    for (arguments, options) in [
        (String::new(), "{}"),
        (", n".into(), r#"{"weight": "n"}"#),
        (", n, k".into(), r#"{"weight": "n", "fold": "k"}"#),
        (format!(", {kappa}"), r#"{"kappa": 10}"#),
        (format!(", n, {kappa}"), r#"{"weight": "n", "kappa": 10}"#),
        (
            format!(", n, k, {kappa}"),
            r#"{"weight": "n", "fold": "k", "kappa": 10}"#,
        ),
        (", n, k, NULL".into(), r#"{"weight": "n", "fold": "k"}"#),
    ] {
        assert_eq!(aggregate(&arguments), table(options), "{arguments}");
    }
    for (arguments, part) in [
        (
            "annotator, left, right, choice, '{\"kapa\": 1}'",
            "did you mean \"kappa\"?",
        ),
        (
            "annotator, left, right, choice, '{\"weight\": \"n\"}'",
            "takes its columns as arguments",
        ),
        (
            "annotator, left, right, choice, '{\"seed\": ' || annotator || '}'",
            "must be the same for all votes",
        ),
        (
            "annotator, left, right, choice, 1, 1, 1",
            "the options must be a JSON object",
        ),
        ("annotator, left, right, choice, -1", "not a weight"),
        (
            "annotator, left_score, right, choice",
            "column \"left\" holds the float",
        ),
        ("annotator, left, right, 'perhaps'", "not a choice"),
        ("annotator, left, right", "wrong number of arguments"),
    ] {
        assert_error(
            &connection,
            &format!("SELECT me_hodgerank_fit({arguments}) FROM votes"),
            part,
        );
    }
}

#[test]
fn no_votes_no_model() {
    let connection = with_votes(SMALL);
    let none =
        "SELECT me_hodgerank_fit(annotator, left, right, choice) AS model FROM votes WHERE 0";
    assert_eq!(show(&connection, none), "NULL");
    assert_eq!(
        show(
            &connection,
            &format!("SELECT r.* FROM ({none}), me_hodgerank_ranking(model) r")
        ),
        ""
    );
    let filtered = "SELECT length(me_hodgerank_fit(annotator, left, right, choice) FILTER (WHERE annotator < 9)) > 100 FROM votes";
    assert_eq!(show(&connection, filtered), "1");
}

#[test]
fn what_is_not_a_model_is_refused() {
    let connection = connect();
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank_ranking('votes')",
        "me_hodgerank_ranking takes a model",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank_ranking",
        "me_hodgerank_ranking takes a model",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank_ranking(x'')",
        "this is not a model",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank_cv(zeroblob(100000))",
        "this is not a model",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank(x'00', '{\"kappa\": 10}')",
        "options belong to me_hodgerank_fit",
    );
}
