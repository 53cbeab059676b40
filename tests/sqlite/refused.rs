//! A text that is refused has done nothing, and no answer is taken from a statement
//! that ended.

use std::cell::RefCell;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Rows, Statement};

use super::*;

/// What a PRAGMA says; None for one that says nothing, or not a single value.
fn value(connection: &Connection, pragma: &str) -> Option<Value> {
    let mut rows = try_rows(connection, &format!("PRAGMA {pragma}")).ok()?;
    (rows.len() == 1).then(|| rows.remove(0).remove(0))
}

/// Another value for a PRAGMA than the one that it has.
fn other(pragma: &str, value: &Value) -> Option<&'static str> {
    match (pragma, value) {
        // These are the whole process's, other tests included.
        ("hard_heap_limit" | "soft_heap_limit", _) => None,
        ("locking_mode", _) => Some("exclusive"),
        (_, Value::Integer(0)) => Some("1"),
        (_, Value::Integer(_)) => Some("0"),
        _ => None,
    }
}

#[test]
fn a_refused_text_sets_no_pragma() {
    let scratch = connect();
    let names = rows(&scratch, "PRAGMA pragma_list");
    let mut acting = Vec::new();
    for name in names.iter().map(|row| row[0].clone()) {
        let Value::Text(name) = name else {
            panic!("{name:?}")
        };
        // One that acts when it is prepared is of interest here.
        let scratch = connect();
        let Some(before) = value(&scratch, &name) else {
            continue;
        };
        let Some(wanted) = other(&name, &before) else {
            continue;
        };
        drop(scratch.prepare(&format!("PRAGMA {name} = {wanted}")));
        if value(&scratch, &name).as_ref() == Some(&before) {
            continue;
        }
        drop(scratch.prepare(&format!("PRAGMA {name} = {}", text_of(&before))));

        let connection = with_votes(SMALL);
        for text in [
            format!("SELECT * FROM votes; PRAGMA {name} = {wanted}"),
            format!("SELECT * FROM votes;;/* */PRAGMA {name}({wanted});"),
            format!("SELECT * FROM votes -- it's all\n; PRAGMA {name} = {wanted}"),
            format!("PRAGMA {name} = {wanted}"),
            format!("/* SELECT */ PRAGMA {name} = {wanted}; SELECT * FROM votes"),
            format!("SELECT * FROM nowhere; PRAGMA {name} = {wanted}"),
        ] {
            let sql_text = text.replace('\'', "''");
            for call in [
                format!("me_hodgerank('{sql_text}')"),
                format!("me_hodgerank_predict('votes', '{sql_text}')"),
            ] {
                let error = error(&connection, &format!("SELECT * FROM {call}"));
                let says = ["this text holds several statements", "no such table"];
                assert!(
                    says.iter().any(|part| error.contains(part)),
                    "{call}: {error}"
                );
                assert_eq!(value(&connection, &name).as_ref(), Some(&before), "{text}");
            }
        }
        acting.push(name);
    }
    assert!(acting.len() >= 16, "{acting:?}");
    assert!(acting.iter().any(|name| name == "query_only"), "{acting:?}");
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_text_with_a_nul_is_refused() {
    let connection = with_votes(SMALL);
    let sql =
        "SELECT * FROM me_hodgerank('SELECT * FROM votes' || char(0) || ' WHERE annotator < 9')";
    assert_error(&connection, sql, "holds a NUL character");
}

thread_local! {
    /// A statement that is running, for a function to end it.
    static RUNNING: RefCell<Option<Rows<'static>>> = const { RefCell::new(None) };
}

#[test]
fn a_function_that_ends_another_statement_makes_no_answer_stale() {
    let connection: &'static Connection = Box::leak(Box::new(with_votes(SMALL)));
    connection
        .create_scalar_function("ends", 1, FunctionFlags::SQLITE_UTF8, |context| {
            RUNNING.take();
            context.get::<String>(0)
        })
        .unwrap();
    let sql = "SELECT item, score FROM me_hodgerank('votes')";
    let before = rows(connection, sql);
    let statement: &'static mut Statement<'static> =
        Box::leak(Box::new(connection.prepare(sql).unwrap()));
    let mut running = statement.query([]).unwrap();
    running.next().unwrap().unwrap();
    RUNNING.set(Some(running));
    connection
        .execute_batch("UPDATE votes SET choice = -choice")
        .unwrap();
    let after = rows(
        connection,
        "SELECT item, score FROM me_hodgerank(ends('votes'))",
    );
    assert!(RUNNING.take().is_none());
    assert_ne!(after, before);
    assert_eq!(after, rows(connection, sql));
}
