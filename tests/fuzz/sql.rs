//! SQL forms in SQLite: whatever is called, the database is the same afterwards.

use me_hodgerank::sqlite::register;
use me_hodgerank::sqlite::rusqlite::{Connection, Result, types::Value};

use crate::dice::Dice;
use crate::options::NAMES;

const TABLES: [&str; 14] = [
    "me_hodgerank",
    "me_hodgerank_annotators",
    "me_hodgerank_personal",
    "me_hodgerank_path",
    "me_hodgerank_cv",
    "me_hodgerank_summary",
    "me_hodgerank_cycles",
    "me_hodgerank_triangles",
    "me_hodgerank_ranking",
    "me_hodgerank_predict",
    "me_hodgerank_plot",
    "me_hodgerank_report",
    "me_hodgerank_simulate",
    "me_hodgerank_nothing",
];
const SOURCES: [&str; 12] = [
    "votes",
    "main.votes",
    "\"votes\"",
    "empty",
    "odd",
    "nowhere",
    "SELECT * FROM votes",
    "SELECT * FROM votes; PRAGMA query_only = 1",
    "WITH v AS (SELECT * FROM votes) SELECT * FROM v",
    "SELECT annotator, left, right, choice FROM odd",
    "DELETE FROM votes",
    "WITH v AS (SELECT 1) DELETE FROM votes RETURNING *",
];
const SCALARS: [&str; 11] = [
    "me_hodgerank_version()",
    "me_hodgerank_svg(m, 'cv')",
    "me_hodgerank_html(m)",
    "me_hodgerank_predict_vote(m, 1, 2, 3)",
    "me_hodgerank_predict_hodgerank(m, 1, 'x')",
    "me_hodgerank_svg(left, m)",
    "me_hodgerank_merge(s)",
    "me_hodgerank_merge(m)",
    "me_hodgerank_model(s)",
    "me_hodgerank_model(s, left)",
    "me_hodgerank_html(s)",
];

pub fn case(dice: &mut Dice) {
    let connection = connect().unwrap();
    let before = state(&connection);
    for _ in 0..6 {
        let sql = statement(dice);
        if let Err(error) = run(&connection, &sql) {
            let text = error.to_string();
            assert!(
                !text.contains("defect") && !text.contains("panic"),
                "{sql}: {text}"
            );
        }
        assert_eq!(state(&connection), before, "{sql}");
    }
}

fn connect() -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    register(&connection)?;
    connection.execute_batch(
        "CREATE TABLE votes AS SELECT * FROM
             me_hodgerank_simulate('{\"annotators\": 5, \"items\": 4, \"votes_each\": 8}');
         CREATE TABLE empty (annotator, left, right, choice);
         CREATE TABLE odd (annotator, left, right, choice, n, k);
         INSERT INTO odd VALUES (1, 'a', 2, 'left', 1, 1), (NULL, 2.5, x'00', 'perhaps', -1, 'x'),
             (1, 'b', CAST(x'ff' AS TEXT), 9e999, 0, 2);
         CREATE TABLE fit AS SELECT me_hodgerank_fit(annotator, left, right, choice) AS m,
             me_hodgerank_collect(annotator, left, right, choice) AS s, 'x' AS left FROM votes;",
    )?;
    Ok(connection)
}

/// What no call may change.
fn state(connection: &Connection) -> Vec<Value> {
    let ask = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, Value>(0))
            .unwrap()
    };
    [
        "SELECT group_concat(name || sql) FROM sqlite_schema",
        "SELECT count(*) || '/' || sum(choice) FROM votes",
        "SELECT count(*) FROM odd",
        "PRAGMA query_only",
        "PRAGMA user_version",
        "SELECT total_changes()",
    ]
    .map(ask)
    .into()
}

fn run(connection: &Connection, sql: &str) -> Result<()> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            row.get_ref(column)?;
        }
    }
    Ok(())
}

fn text(dice: &mut Dice, plain: &str) -> String {
    let text = if dice.once_in(3) {
        dice.damaged(plain)
    } else {
        plain.to_string()
    };
    // A NUL ends a statement's text; within a value it is possible.
    format!(
        "'{}'",
        text.replace('\'', "''").replace('\0', "' || char(0) || '")
    )
}

fn options(dice: &mut Dice) -> String {
    // A fit of these votes takes milliseconds, but not with every kappa.
    let json = dice.json(&NAMES);
    let limited = match json.strip_suffix('}') {
        Some("{") => "{\"max_seconds\": 1}".to_string(),
        Some(fields) if !fields.contains("max_seconds") => {
            format!("{fields}, \"max_seconds\": 1}}")
        }
        _ => json,
    };
    format!("'{}'", limited.replace('\'', "''").replace('\0', ""))
}

fn argument(dice: &mut Dice) -> String {
    match dice.below(7) {
        0 => "NULL".into(),
        1 => "x'00ff'".into(),
        2 => "7".into(),
        3 => "(SELECT m FROM fit)".into(),
        4 => options(dice),
        _ => {
            let source = *dice.pick(&SOURCES);
            text(dice, source)
        }
    }
}

fn statement(dice: &mut Dice) -> String {
    let call = |dice: &mut Dice| {
        let name = *dice.pick(&TABLES);
        let mut arguments = vec![argument(dice)];
        if dice.once_in(2) {
            arguments.push(options(dice));
        }
        if dice.once_in(4) {
            arguments.push(argument(dice));
        }
        format!("{name}({})", arguments.join(", "))
    };
    let limit = "LIMIT 50";
    match dice.below(7) {
        0 => format!("SELECT {} FROM fit", dice.pick(&SCALARS)),
        1 => format!(
            "SELECT * FROM {} WHERE kappa = {} {limit}",
            call(dice),
            argument(dice)
        ),
        2 => format!(
            "SELECT * FROM {} a JOIN {} b {limit}",
            call(dice),
            call(dice)
        ),
        3 => format!(
            "SELECT r.* FROM fit, {}(fit.m) r {limit}",
            dice.pick(&TABLES)
        ),
        4 => format!(
            "SELECT length(me_hodgerank_fit(annotator, left, right, choice, {})) FROM {} GROUP BY annotator % 2",
            argument(dice),
            dice.pick(&["votes", "odd", "empty"])
        ),
        5 => format!(
            "SELECT (SELECT count(*) FROM {}) FROM votes LIMIT 3",
            call(dice)
        ),
        _ => format!("SELECT * FROM {} {limit}", call(dice)),
    }
}
