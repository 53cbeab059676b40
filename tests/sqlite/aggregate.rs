//! `me_hodgerank_fit` and what unpacks its models.

use super::*;

#[test]
fn a_model_holds_every_set() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch("CREATE TABLE fit AS SELECT me_hodgerank_fit(annotator, left, right, choice) AS model FROM votes")
        .unwrap();
    for set in ["annotators", "personal", "path", "cv"] {
        let stored = format!("SELECT r.* FROM fit, me_hodgerank_{set}(fit.model) AS r");
        let direct = format!("SELECT * FROM me_hodgerank_{set}('votes')");
        assert_eq!(
            rows(&connection, &stored),
            rows(&connection, &direct),
            "{set}"
        );
    }
    let stored = "SELECT r.* FROM fit, me_hodgerank_summary(fit.model) AS r";
    let direct = "SELECT * FROM me_hodgerank_summary('votes')";
    assert_eq!(
        rows(&connection, stored),
        without_columns(rows(&connection, direct))
    );
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

/// A summary as the aggregate has it: whose columns are arguments, and have no names.
fn without_columns(mut summary: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let columns = summary[0].last_mut().unwrap();
    assert!(matches!(columns, Value::Text(text) if text.starts_with("annotator = annotator, ")));
    *columns = Value::Null;
    summary
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
        assert_eq!(
            aggregate(&arguments),
            without_columns(table(options)),
            "{arguments}"
        );
    }
    for (arguments, part) in [
        (
            "annotator, left, right, choice, '{\"kapa\": 1}'",
            "did you mean \"kappa\"?",
        ),
        (
            "annotator, left, right, choice, '{\"weight\": \"n\"}'",
            "weight is a column of the votes, not an option: pass the column itself",
        ),
        (
            "annotator, left, right, choice, '{\"seed\": ' || annotator || '}'",
            "must be the same for all votes",
        ),
        (
            "annotator, left, right, choice, 1, 1, 1",
            "the options must be a JSON object",
        ),
        (
            "annotator, left, right, choice, CAST(n AS TEXT)",
            "a text in this place is taken for options, and options are a JSON object such as \
             {\"kappa\": 10}, not '2'; if it is a weight or a fold, cast it to a number",
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

/// The bytes are the same under both names.
#[test]
fn the_aggregate_has_two_names() {
    let connection = with_votes(SMALL);
    let sql = "SELECT me_hodgerank_model(annotator, left, right, choice, '{\"kappa\": 9}')
                    = me_hodgerank_fit(annotator, left, right, choice, '{\"kappa\": 9}') FROM votes";
    assert_eq!(show(&connection, sql), "1");
}

/// Every set of a stored model can be shown by a view of a schema that is not trusted.
#[test]
fn every_set_of_a_model_may_stand_in_a_view() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            "CREATE TABLE fit AS SELECT me_hodgerank_model(annotator, left, right, choice) AS model FROM votes;
             PRAGMA trusted_schema = OFF",
        )
        .unwrap();
    for set in me_hodgerank::ResultSet::ALL {
        let sql = format!(
            "CREATE VIEW a_{set} AS SELECT r.* FROM fit, me_hodgerank_model_{set}(fit.model) r"
        );
        connection.execute_batch(&sql).unwrap();
        let name = if set.name() == "ranking" {
            String::new()
        } else {
            format!("_{set}")
        };
        let direct = format!("SELECT r.* FROM fit, me_hodgerank{name}(fit.model) r");
        assert_eq!(
            rows(&connection, &format!("SELECT * FROM a_{set}")),
            rows(&connection, &direct)
        );
        assert_error(
            &connection,
            &format!("SELECT * FROM me_hodgerank_model_{set}('votes')"),
            "takes a model made by me_hodgerank_model; votes of a table are read by me_hodgerank('votes')",
        );
        let unsafe_view =
            format!("CREATE VIEW b_{set} AS SELECT * FROM me_hodgerank{name}('votes')");
        connection.execute_batch(&unsafe_view).unwrap();
        assert_error(
            &connection,
            &format!("SELECT * FROM b_{set}"),
            "unsafe use of virtual table",
        );
    }
}

#[test]
fn an_error_says_in_which_group() {
    let connection = connect();
    connection
        .execute_batch(
            "CREATE TABLE votes (task, annotator, left, right, choice);
             INSERT INTO votes VALUES (1, 3, 'tea', 'milk', 'left'), (1, 4, 'milk', 'tea', 'right'), (1, 4, 'tea', 'milk', 'right'),
                 (2, 9, 'tea', 'milk', 'left'), (2, 7, 'water', 'tea', 'left')",
        )
        .unwrap();
    let fit = |options: &str| {
        format!(
            "SELECT me_hodgerank_model(annotator, left, right, choice{options}) FROM votes GROUP BY task"
        )
    };
    let assert_group = |change: &str, options: &str, text: &str| {
        connection
            .execute_batch(&format!("SAVEPOINT before; {change}"))
            .unwrap();
        assert_eq!(error(&connection, &fit(options)), text);
        connection
            .execute_batch("ROLLBACK TO before; RELEASE before")
            .unwrap();
    };
    assert_group(
        "UPDATE votes SET choice = 'lft' WHERE task = 2",
        "",
        "none of the 2 rows can be used; column \"choice\" is not a choice in 2 rows (for example \
         'lft'): write 'left', 'right', 'tie', a number, a boolean, or the id of the item that won \
         (in the group of votes with annotator 7 and item 'milk')",
    );
    assert_group(
        "UPDATE votes SET left = 0.5 WHERE annotator = 7",
        "",
        "column \"left\" holds the float 0.5; ids are integers or text: cast the column to one of \
         them (row 2 of those read) (in the group of votes with annotator 9 and item 'milk')",
    );
    assert_group(
        "",
        "",
        "every one of the 2 votes is for the left item: this looks like a table of winners (left) \
         and losers (right), which does not say who stood on which side; set position_bias to \
         false for such a table (in the group of votes with annotator 7 and item 'milk')",
    );
    // What is wrong with the options is so in every group.
    assert_group(
        "",
        ", '{\"kappa\": 0}'",
        "kappa must be a finite number greater than 0, not 0",
    );
}

#[test]
fn nobody_knows_who_voted_in_a_group() {
    let connection = with_votes(SMALL);
    let ranking = |model: &str| {
        let sql = format!(
            "SELECT r.* FROM (SELECT {model} AS m FROM votes), me_hodgerank_model_ranking(m) r"
        );
        rows(&connection, &sql)
    };
    let options = r#"'{"annotator": null}'"#;
    let direct = format!("SELECT * FROM me_hodgerank('votes', {options})");
    let direct = rows(&connection, &direct);
    assert_eq!(direct.len(), 6);
    for who in ["annotator", "NULL", "0.5"] {
        let model = format!("me_hodgerank_model({who}, left, right, choice, {options})");
        assert_eq!(ranking(&model), direct);
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
        "options belong to me_hodgerank_model",
    );
}
