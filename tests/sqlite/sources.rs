//! What can be ranked, and what is refused.

use super::*;

fn best(connection: &Connection, source: &str) -> String {
    let source = source.replace('\'', "''");
    show(
        connection,
        &format!("SELECT item FROM me_hodgerank('{source}') LIMIT 1"),
    )
}

#[test]
fn tables_and_views_by_any_name() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            r#"CREATE VIEW seen AS SELECT * FROM votes;
               CREATE TEMP TABLE passing AS SELECT * FROM votes;
               CREATE TEMP VIEW glimpse AS SELECT * FROM main.votes;
               CREATE TABLE "my ""best"" votes" AS SELECT * FROM votes;
               CREATE TABLE "votes.2024" AS SELECT * FROM votes;
               CREATE TABLE "select" AS SELECT * FROM votes;
               ATTACH ':memory:' AS "other db";
               CREATE TABLE "other db"."far votes" AS SELECT * FROM votes;
               CREATE TABLE "x"");DROP TABLE votes;--" AS SELECT * FROM votes;"#,
        )
        .unwrap();
    let expected = best(&connection, "votes");
    for source in [
        "VOTES",
        "main.votes",
        "\"votes\"",
        "[main].`votes`",
        "seen",
        "passing",
        "temp.passing",
        "glimpse",
        "my \"best\" votes",
        "\"my \"\"best\"\" votes\"",
        "votes.2024",
        "select",
        "\"other db\".\"far votes\"",
        "other db.far votes",
        "far votes",
        "x\");DROP TABLE votes;--",
        "SELECT * FROM votes",
        "  -- all of them\n select * from \"votes\" ; -- so be it",
        "WITH all_votes AS (SELECT * FROM votes) SELECT * FROM all_votes",
        "SELECT choice, right, left, annotator, 1 FROM votes ORDER BY random()",
    ] {
        assert_eq!(best(&connection, source), expected, "{source}");
    }
}

#[test]
fn columns_by_any_name() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            r#"CREATE TABLE other AS SELECT annotator AS "who ""?""", left AS "A", right AS b,
                      choice AS "the choice", 1 AS n, annotator % 5 AS k FROM votes;
               CREATE TABLE left_only AS SELECT annotator, left, right, choice FROM votes;"#,
        )
        .unwrap();
    let names = r#""annotator": "who \"?\"", "left": "a", "right": "B", "choice": "the choice""#;
    let sql =
        |more: &str| format!("SELECT item, score FROM me_hodgerank('other', '{{{names}{more}}}')");
    let expected = rows(&connection, "SELECT item, score FROM me_hodgerank('votes')");
    assert_eq!(rows(&connection, &sql("")), expected);
    assert_eq!(rows(&connection, &sql(r#", "weight": "n""#)).len(), 6);
    assert_eq!(
        rows(&connection, &sql(r#", "weight": "N", "fold": "k""#)).len(),
        6
    );
    assert_ne!(rows(&connection, &sql(r#", "fold": "k""#)).len(), 0);

    for (source, part) in [
        (
            "other",
            r#"the votes have no columns "annotator", "left", "right" and "choice"; they have "who "?"", "A", "b", "the choice", "n", "k""#,
        ),
        (
            "SELECT 1 AS annotator, 2 AS left",
            r#"the votes have no columns "right" and "choice"; they have "annotator", "left": set right and choice to"#,
        ),
        (
            "votes where",
            "no such table: votes where: the first argument names a table",
        ),
        ("main.nowhere", "no such table: main.nowhere"),
        ("SELECT * FROM nowhere", "no such table: nowhere"),
        ("SELECT * FROM", "incomplete input"),
        (
            "SELECT * FROM votes; SELECT 1",
            "this text holds several statements",
        ),
        (
            "SELECT * FROM votes; DROP TABLE votes",
            "this text holds several statements",
        ),
        (
            "WITH x AS (SELECT 1) DELETE FROM votes",
            "this one would write",
        ),
        (
            "WITH x AS (SELECT 1) INSERT INTO votes SELECT * FROM votes RETURNING *",
            "this one would write",
        ),
        ("DELETE FROM votes", "no such table"),
        ("PRAGMA user_version = 7", "no such table"),
        (
            "SELECT * FROM votes WHERE annotator = ?",
            "the SELECT has a parameter",
        ),
        ("", "no such table"),
    ] {
        assert_error(
            &connection,
            &format!("SELECT * FROM me_hodgerank('{source}')"),
            part,
        );
    }
    assert_eq!(show(&connection, "SELECT count(*) FROM votes"), "600");
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank",
        "me_hodgerank takes the votes",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank(7)",
        "me_hodgerank takes the votes",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank_cv()",
        "such as me_hodgerank_cv('votes')",
    );
    assert_eq!(
        show(&connection, "SELECT count(*) FROM me_hodgerank(NULL)"),
        "0"
    );
}

#[test]
fn bad_rows_are_named() {
    let connection = connect();
    let refuse = |values: &str, part: &str| {
        let columns = "annotator, left, right, choice, weight, fold";
        let source =
            format!("WITH v({columns}) AS (VALUES {values}) SELECT * FROM v").replace('\'', "''");
        let options = r#"{"weight": "weight", "fold": "fold"}"#;
        assert_error(
            &connection,
            &format!("SELECT * FROM me_hodgerank('{source}', '{options}')"),
            part,
        );
    };
    let good = "(1, 'a', 'b', 1, 1, 1)";
    refuse(
        &format!("{good}, (1, 2.5, 'b', 1, 1, 2)"),
        r#"column "left" holds the float 2.5; ids are integers or text"#,
    );
    refuse(
        &format!("{good}, (1, 2.5, 'b', 1, 1, 2)"),
        "(row 2 of those read)",
    );
    refuse(
        "(x'00', 1, 2, 1, 1, 1)",
        r#"column "annotator" holds a blob; ids are integers or text"#,
    );
    refuse(
        "(1, 2, CAST(x'ff' AS TEXT), 1, 1, 1)",
        r#"column "right" holds text that is not UTF-8"#,
    );
    refuse(
        "(1, 2, 3, x'01', 1, 1)",
        r#"column "choice" holds a blob; a choice is"#,
    );
    refuse(
        "(1, 2, 3, 1, 'heavy', 1)",
        r#"column "weight" holds the text 'heavy'; weights are numbers"#,
    );
    refuse(
        "(1, 2, 3, 1, 1, 1.5)",
        r#"column "fold" holds the float 1.5; folds are whole numbers"#,
    );
    refuse(
        &format!("{good}, (NULL, 'a', 'b', 1, 1, 2)"),
        r#"column "annotator" is NULL in 1 row"#,
    );
    refuse(
        &format!("{good}, (1, 'a', 'a', 1, 1, 2)"),
        "the same item on both sides",
    );
    refuse(
        &format!("{good}, (1, 'a', 'b', 'perhaps', 1, 2)"),
        "(for example 'perhaps')",
    );
    refuse(&format!("{good}, (1, 'a', 'b', 1, 0, 2)"), "not a weight");
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank('SELECT 1 AS annotator, 2 AS left, 3 AS right, 1 AS choice WHERE 0')",
        "there are no votes",
    );
}

#[test]
fn what_is_read_is_what_the_caller_sees() {
    let connection = with_votes(SMALL);
    let answer = || rows(&connection, "SELECT item, score FROM me_hodgerank('votes')");
    let before = answer();
    connection
        .execute_batch("BEGIN; UPDATE votes SET choice = -choice")
        .unwrap();
    let during = answer();
    assert_ne!(before, during);
    connection
        .execute_batch("SAVEPOINT s; DELETE FROM votes WHERE annotator > 10")
        .unwrap();
    assert_ne!(answer(), during);
    connection.execute_batch("ROLLBACK TO s").unwrap();
    assert_eq!(answer(), during);
    connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(answer(), before);
}

#[test]
fn a_read_only_database_will_do() {
    let path = std::env::temp_dir().join(format!("me_hodgerank_{}.db", std::process::id()));
    let connection = Connection::open(&path).unwrap();
    register(&connection).unwrap();
    connection
        .execute_batch("CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate()")
        .unwrap();
    drop(connection);
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    register(&connection).unwrap();
    assert_eq!(
        show(
            &connection,
            "SELECT items FROM me_hodgerank_summary('votes')"
        ),
        "20"
    );
    drop(connection);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_running_statement_keeps_nothing_from_another() {
    let connection = with_votes(SMALL);
    let sql = "SELECT item, score FROM me_hodgerank('votes')";
    let before = rows(&connection, sql);
    let mut running = connection.prepare(sql).unwrap();
    let mut running = running.query([]).unwrap();
    running.next().unwrap().unwrap();
    connection
        .execute_batch("UPDATE votes SET choice = -choice")
        .unwrap();
    assert_ne!(rows(&connection, sql), before);
    let mut left = 0;
    while running.next().unwrap().is_some() {
        left += 1;
    }
    assert_eq!(left, 5);
}

#[test]
fn every_encoding_will_do() {
    let answer = |encoding: &str| {
        let connection = connect();
        connection
            .execute_batch(&format!(
                "PRAGMA encoding = '{encoding}';
                 CREATE TABLE votes AS SELECT 'ä' || annotator AS annotator, '雪' || left AS left,
                     '雪' || right AS right, iif(choice > 0, 'left', 'right') AS choice
                 FROM me_hodgerank_simulate('{SMALL}')"
            ))
            .unwrap();
        show(&connection, "SELECT item, score FROM me_hodgerank('votes')")
    };
    let expected = answer("UTF-8");
    assert!(expected.starts_with("'雪"), "{expected}");
    assert_eq!(answer("UTF-16le"), expected);
    assert_eq!(answer("UTF-16be"), expected);
}

#[test]
fn usual_names_of_columns() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            r#"CREATE TABLE arena AS SELECT annotator AS "Judge", left AS model_a, right AS model_b,
                 choice AS winner, 2 AS n FROM votes;
             CREATE TABLE work AS SELECT annotator AS worker, left, right, choice AS label FROM votes;
             CREATE TABLE won AS SELECT annotator, iif(choice > 0, left, right) AS winner,
                 iif(choice > 0, right, left) AS loser FROM votes;
             CREATE TABLE nobody AS SELECT model_a, model_b, winner FROM arena"#,
        )
        .unwrap();
    let expected = rows(&connection, "SELECT * FROM me_hodgerank('votes')");
    let arena = "annotator = Judge, left = model_a, right = model_b, choice = winner";
    for (table, told) in [
        ("arena", arena),
        ("SELECT * FROM arena", arena),
        (
            "work",
            "annotator = worker, left = left, right = right, choice = label",
        ),
    ] {
        let ranking = format!("SELECT * FROM me_hodgerank('{table}')");
        assert_eq!(rows(&connection, &ranking), expected);
        let columns = format!("SELECT columns FROM me_hodgerank_summary('{table}')");
        assert_eq!(show(&connection, &columns), format!("'{told}'"));
    }
    let columns = "SELECT columns FROM me_hodgerank_summary('arena', '{\"weight\": \"n\"}')";
    assert_eq!(show(&connection, columns), format!("'{arena}, weight = n'"));
    let winners = "SELECT columns, position_biased FROM me_hodgerank_summary('won')";
    let told = "'annotator = annotator, left = winner, right = loser' 0";
    assert_eq!(show(&connection, winners), told);
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank('won', '{\"position_bias\": true}')",
        "this looks like a table of winners (left) and losers (right)",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank('nobody')",
        "the votes have no columns \"annotator\", \"left\", \"right\" and \"choice\"; they have \"model_a\"",
    );
    let nobody = |set: &str| format!("me_hodgerank{set}('nobody', '{{\"annotator\": null}}')");
    let columns = format!(
        "SELECT columns, annotators, votes FROM {}",
        nobody("_summary")
    );
    let told = "'left = model_a, right = model_b, choice = winner' NULL 600";
    assert_eq!(show(&connection, &columns), told);
    assert_eq!(
        rows(&connection, &format!("SELECT * FROM {}", nobody(""))).len(),
        6
    );
    assert_error(
        &connection,
        &format!("SELECT * FROM {}", nobody("_annotators")),
        "the votes have no annotators: ",
    );
}

#[test]
fn votes_to_be_predicted_have_usual_names_too() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            "CREATE TABLE arena AS SELECT annotator AS judge, left AS model_a, right AS model_b,
                 choice AS winner FROM votes;
             CREATE TABLE nobody AS SELECT model_a, model_b, winner FROM arena",
        )
        .unwrap();
    let predicted = |test: &str, options: &str| {
        let sql = format!(
            "SELECT left, right, choice, predicted FROM me_hodgerank_predict('votes', '{test}', '{options}') LIMIT 5"
        );
        rows(&connection, &sql)
    };
    assert_eq!(predicted("votes", "{}"), predicted("arena", "{}"));
    let nobody = r#"{"annotator": null}"#;
    assert_eq!(predicted("votes", nobody), predicted("nobody", nobody));
    assert_ne!(predicted("votes", nobody), predicted("votes", "{}"));
    let model = format!(
        "(SELECT me_hodgerank_model(annotator, left, right, choice, '{nobody}') FROM votes)"
    );
    let vote = |who: &str| {
        show(
            &connection,
            &format!("SELECT me_hodgerank_predict_vote({model}, {who}, 1, 2)"),
        )
    };
    assert_eq!(vote("NULL"), vote("7"));
    assert_eq!(vote("NULL"), vote("'somebody'"));
}
