//! What comes out: the engine's answers, bit by bit, under the names of the contract.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use me_hodgerank::{Fit, Options, ResultSet, Simulation, VoteBuilder};

use super::*;

fn engine(simulation: &str, options: &str) -> Fit {
    let options = Options::from_json(options).unwrap();
    let mut builder = VoteBuilder::new(&options);
    for batch in Simulation::from_json(simulation).unwrap().run().unwrap() {
        builder.push_batch(&batch.unwrap()).unwrap();
    }
    let votes = builder.finish().unwrap();
    Fit::new(&votes, &options).unwrap()
}

fn cells(batch: &RecordBatch) -> Vec<Vec<Value>> {
    let cell = |column: usize, row: usize| {
        let array = batch.column(column);
        if array.is_null(row) {
            return Value::Null;
        }
        match array.data_type() {
            DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
            DataType::Float64 => Value::Real(array.as_primitive::<Float64Type>().value(row)),
            DataType::Boolean => Value::Integer(array.as_boolean().value(row).into()),
            DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).into()),
            other => panic!("{other}"),
        }
    };
    let row = |row| {
        (0..batch.num_columns())
            .map(|column| cell(column, row))
            .collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

fn table(set: ResultSet) -> String {
    match set {
        ResultSet::Ranking => "me_hodgerank".into(),
        set => format!("me_hodgerank_{}", set.name()),
    }
}

#[test]
fn every_set_has_the_engines_bits() {
    let connection = with_votes(SMALL);
    for options in [
        "{}",
        r#"{"kappa": 10, "seed": 3}"#,
        r#"{"t": 100.5, "personal": false}"#,
    ] {
        let fit = engine(SMALL, options);
        for set in ResultSet::ALL {
            let sql = format!("SELECT * FROM {}('votes', '{options}')", table(set));
            let expected = cells(&fit.table(set).unwrap());
            assert_eq!(rows(&connection, &sql), expected, "{sql}");
        }
    }
}

#[test]
fn simulated_votes_have_the_engines_bits() {
    let connection = connect();
    for json in ["{}", SMALL, r#"{"graded": true, "ties": 0.2, "seed": 9}"#] {
        let sql = format!("SELECT * FROM me_hodgerank_simulate('{json}')");
        let simulator = Simulation::from_json(json).unwrap().run().unwrap();
        let expected: Vec<_> = simulator.flat_map(|batch| cells(&batch.unwrap())).collect();
        assert_eq!(rows(&connection, &sql), expected, "{json}");
    }
    let default = rows(&connection, "SELECT * FROM me_hodgerank_simulate()");
    assert_eq!(
        default,
        rows(&connection, "SELECT * FROM me_hodgerank_simulate('{}')")
    );
    assert_eq!(
        default,
        rows(&connection, "SELECT * FROM me_hodgerank_simulate")
    );
    assert_eq!(
        default,
        rows(&connection, "SELECT * FROM me_hodgerank_simulate(NULL)")
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank_simulate('{\"sed\": 1}')",
        "did you mean \"seed\"?",
    );
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank_simulate('{\"ties\": 2}')",
        "ties must be from 0 to 1",
    );
}

#[test]
fn columns_are_those_of_the_contract() {
    let connection = with_votes(SMALL);
    for set in ResultSet::ALL {
        let sql = format!("SELECT * FROM {}('votes')", table(set));
        let statement = connection.prepare(&sql).unwrap();
        let expected: Vec<_> = set.columns().iter().map(|column| column.name).collect();
        assert_eq!(statement.column_names(), expected);
    }
    assert_eq!(
        show(&connection, "SELECT me_hodgerank_version()"),
        format!("'{}'", me_hodgerank::VERSION)
    );
}

#[test]
fn common_options_are_columns_too() {
    let connection = with_votes(SMALL);
    let by_json = |options: &str| {
        rows(
            &connection,
            &format!("SELECT * FROM me_hodgerank('votes', '{options}')"),
        )
    };
    let by_column = |filter: &str| {
        rows(
            &connection,
            &format!("SELECT * FROM me_hodgerank('votes') WHERE {filter}"),
        )
    };
    assert_eq!(by_column("kappa = 10"), by_json(r#"{"kappa": 10}"#));
    assert_eq!(
        by_column("t = 60 AND seed = 4"),
        by_json(r#"{"t": 60, "seed": 4}"#)
    );
    assert_eq!(
        by_column("kappa = 0.1 + 0.2"),
        by_json(r#"{"kappa": 0.30000000000000004}"#)
    );
    assert_eq!(by_column("kappa = NULL"), Vec::<Vec<Value>>::new());
    assert_eq!(
        by_column("kappa = 10 AND kappa = 20"),
        Vec::<Vec<Value>>::new()
    );
    assert_eq!(
        rows(&connection, "SELECT * FROM me_hodgerank('votes', '{}', 10)"),
        by_column("kappa = 10")
    );
    assert_eq!(
        show(
            &connection,
            "SELECT kappa, count(*) FROM me_hodgerank('votes') WHERE kappa IN (10, 20) GROUP BY 1"
        ),
        "10 6; 20 6"
    );
    assert_eq!(
        show(
            &connection,
            "SELECT kappa, votes FROM me_hodgerank_summary('votes') WHERE kappa IN (10, 20)"
        ),
        "10 600; 20 600"
    );
    assert_eq!(
        show(
            &connection,
            "SELECT t FROM me_hodgerank_summary('votes') WHERE t = 60.5"
        ),
        "60.5"
    );
    // On the path and the curve, t is a value of a row.
    let times = rows(
        &connection,
        "SELECT DISTINCT t FROM me_hodgerank_path('votes')",
    );
    assert_eq!(times.len(), 50);
    let one = "SELECT count(*) FROM me_hodgerank_cv('votes') WHERE t = (SELECT max(t) FROM me_hodgerank_cv('votes'))";
    assert_eq!(show(&connection, one), "1");

    for (sql, part) in [
        (
            "('votes', '{\"kappa\": 10}') WHERE kappa = 10",
            "kappa is given twice",
        ),
        (
            "('votes') WHERE kappa = 'ten'",
            "kappa must be a number, not \"ten\"",
        ),
        (
            "('votes') WHERE kappa = 9e999",
            "kappa must be a number, not \"inf\"",
        ),
        (
            "('votes') WHERE kappa = 0",
            "kappa must be a finite number greater than 0, not 0",
        ),
        ("('votes') WHERE seed = -1", "seed must be a whole number"),
        ("('votes', '{\"kapa\": 10}')", "did you mean \"kappa\"?"),
        ("('votes', 'kappa')", "the options are not valid JSON"),
        ("('votes', 3)", "the options must be a JSON object"),
        ("('votes', x'00')", "the options must be a JSON object"),
        (
            "('votes', '{\"folds\": 0}')",
            "with folds = 0 nothing chooses where to stop",
        ),
    ] {
        assert_error(
            &connection,
            &format!("SELECT * FROM me_hodgerank{sql}"),
            part,
        );
    }
}

#[test]
fn a_report_has_the_callers_title_and_date() {
    let connection = with_votes(SMALL);
    let report = |arguments: &str| {
        let sql = format!("SELECT html FROM me_hodgerank_report({arguments})");
        match rows(&connection, &sql).concat().pop() {
            Some(Value::Text(html)) => html,
            other => panic!("{other:?}"),
        }
    };
    let top = r#"'{"title": "Tea & <b>cake</b>", "date": "14 March"}'"#;
    let plain = report("'votes'");
    assert!(plain.contains("<h1>What the votes say</h1>") && !plain.contains("class=\"date\""));
    let titled = report(&format!("'votes', {top}"));
    assert!(titled.contains("<title>Tea &amp; &lt;b&gt;cake&lt;/b&gt;</title>"));
    let above = "<h1>Tea &amp; &lt;b&gt;cake&lt;/b&gt;</h1>\n<p class=\"date\">14 March</p>\n";
    assert!(titled.contains(above));
    // The rest is the same, also that of a model.
    let rest = |html: &str| html.split_once("<p class=\"lead\">").unwrap().1.to_string();
    assert_eq!(rest(&titled), rest(&plain));
    let model = "(SELECT me_hodgerank_fit(annotator, \"left\", \"right\", choice) FROM votes)";
    assert_eq!(report(&format!("{model}, {top}")), titled);
    assert_eq!(report(r#"'votes', '{"title": null, "date": null}'"#), plain);
    // With options of the fit.
    let options = report(r#"'votes', '{"kappa": 10, "title": "Ten"}'"#);
    assert!(options.contains("<h1>Ten</h1>") && options.contains("κ = 10,"));
    for (arguments, part) in [
        (r#"'votes', '{"title": 3}'"#, "title must be a text, not 3"),
        (r#"'votes', '{"titel": "x"}'"#, "here also: title, date"),
        (r#"'votes', '["title"]'"#, "must be a JSON object"),
    ] {
        let sql = format!("SELECT * FROM me_hodgerank_report({arguments})");
        assert_error(&connection, &sql, part);
    }
    for (options, filter) in [
        (r#"{"kappa": 20, "title": "x"}"#, ""),
        (r#"{"title": "x"}"#, "WHERE kappa = 20"),
    ] {
        let sql = format!("SELECT * FROM me_hodgerank_report({model}, '{options}') {filter}");
        assert_error(&connection, &sql, "a model is fitted already");
    }
    // Nothing else has a title.
    let sql = r#"SELECT * FROM me_hodgerank('votes', '{"title": "x"}')"#;
    assert_error(&connection, sql, "unknown option \"title\"");
}

#[test]
fn ids_come_back_as_they_came() {
    let connection = connect();
    connection
        .execute_batch(
            "CREATE TABLE votes (annotator, left, right, choice);
             INSERT INTO votes VALUES
                 (1, 'tea', 7, 'left'), (1, 7, '7', 'right'), ('1', 'tea', '7', 1),
                 ('1', '7', 7, 0), (-9223372036854775808, 7, 'tea', -1.5), ('', 'tea', 7, 'tea');",
        )
        .unwrap();
    let ids =
        "SELECT typeof(annotator), annotator FROM me_hodgerank_annotators('votes') ORDER BY 1, 2";
    assert_eq!(
        show(&connection, ids),
        "'integer' -9223372036854775808; 'integer' 1; 'text' ''; 'text' '1'"
    );
    let items = "SELECT typeof(item), item, votes FROM me_hodgerank('votes') ORDER BY 1, 2";
    assert_eq!(
        show(&connection, items),
        "'integer' 7 5; 'text' '7' 3; 'text' 'tea' 4"
    );

    connection
        .execute_batch("CREATE TABLE payout (annotator, euros); INSERT INTO payout VALUES (1, 5)")
        .unwrap();
    let joined =
        "SELECT votes, euros FROM me_hodgerank_annotators('votes') JOIN payout USING (annotator)";
    assert_eq!(show(&connection, joined), "2 5");
}

#[test]
fn booleans_are_sides_where_the_column_says_so() {
    let connection = connect();
    connection
        .execute_batch(
            "CREATE TABLE yes (annotator, left, right, choice BOOLEAN);
             INSERT INTO yes VALUES (1, 'a', 'b', TRUE), (1, 'b', 'c', FALSE), (2, 'c', 'a', FALSE);
             CREATE VIEW seen AS SELECT * FROM yes;",
        )
        .unwrap();
    let sums = |source: &str| {
        show(
            &connection,
            &format!("SELECT sum(wins), sum(ties) FROM me_hodgerank('{source}')"),
        )
    };
    assert_eq!(sums("yes"), "3 0");
    assert_eq!(sums("seen"), "3 0");
    // A bare 0 is a tie: beside -1, but not where it may be a boolean that lost its type.
    assert_eq!(
        sums("SELECT annotator, left, right, choice - (annotator = 2) AS choice FROM yes"),
        "2 2"
    );
    for votes in [
        "SELECT * FROM me_hodgerank('SELECT annotator, left, right, choice + 0 AS choice FROM yes')",
        "SELECT me_hodgerank_fit(annotator, left, right, choice) FROM yes",
    ] {
        assert_error(&connection, votes, "holds the numbers 0 and 1");
    }
}
