//! Damaged models, threads, schemas that are not to be trusted, and joins.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::{AuthAction, Authorization};

use super::*;

/// A generator good enough to damage things with.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }
}

#[test]
fn a_damaged_model_is_an_error() {
    let connection = with_votes(SMALL);
    let sql = "SELECT me_hodgerank_fit(annotator, left, right, choice) FROM votes";
    let model: Vec<u8> = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    let sets = ["ranking", "annotators", "personal", "path", "cv", "summary"];
    let mut dice = Dice(7);
    for round in 0..1000 {
        let mut damaged = model.clone();
        if round % 4 == 0 {
            damaged.truncate(dice.below(model.len()));
        } else {
            let index = dice.below(model.len());
            damaged[index] ^= 1 << dice.below(8);
        }
        let sql = format!("SELECT count(*) FROM me_hodgerank_{}(?)", sets[round % 6]);
        let outcome = connection.query_row(&sql, [damaged], |row| row.get::<_, i64>(0));
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("model"), "{text}");
    }
}

/// Whoever can make a checksum can make a model that says anything. It may be
/// read or refused; nothing may break.
#[test]
fn a_forged_model_breaks_nothing() {
    let connection = with_votes(SMALL);
    let sql = "SELECT me_hodgerank_fit(annotator, left, right, choice) FROM votes";
    let model: Vec<u8> = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    let mut dice = Dice(8);
    let mut refused = 0;
    for _ in 0..1000 {
        let mut forged = model.clone();
        if dice.below(8) == 0 {
            forged.truncate(28 + dice.below(model.len() - 28));
        }
        for _ in 0..=dice.below(3) {
            let index = 28 + dice.below(forged.len().max(29) - 28);
            if let Some(byte) = forged.get_mut(index) {
                *byte = [0, 1, 0x7f, 0x80, 0xff, *byte ^ 16][dice.below(6)];
            }
        }
        let checksum = blake3::hash(&forged[28..]);
        forged[12..28].copy_from_slice(&checksum.as_bytes()[..16]);
        let sets = [
            "ranking",
            "annotators",
            "personal",
            "path",
            "cv",
            "summary",
            "cycles",
            "triangles",
        ];
        let sets = sets
            .into_iter()
            .map(|set| format!("SELECT count(*) FROM me_hodgerank_{set}(?)"));
        let pictures = me_hodgerank::Plot::ALL.into_iter().map(|plot| plot.name());
        let pictures =
            pictures.map(|kind| format!("SELECT length(me_hodgerank_svg(?, '{kind}')) > 0"));
        let others = [
            "SELECT length(me_hodgerank_html(?)) > 0".to_string(),
            "SELECT me_hodgerank_predict_vote(?, 3, 1, 2) > 0".to_string(),
        ];
        for sql in sets.chain(pictures).chain(others) {
            let outcome = connection.query_row(&sql, [&forged], |row| row.get::<_, Option<i64>>(0));
            if let Err(error) = outcome {
                refused += 1;
                assert!(!error.to_string().contains("defect"), "{error}");
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn eight_connections_in_eight_threads() {
    let simulation = |seed: usize| {
        format!(r#"{{"annotators": 20, "items": 6, "votes_each": 30, "seed": {seed}}}"#)
    };
    let answer = |connection: &Connection| {
        let ranking = show(connection, "SELECT item, score FROM me_hodgerank('votes')");
        let biased = show(
            connection,
            "SELECT annotator, position_bias FROM me_hodgerank_annotators('votes')",
        );
        let model = "SELECT me_hodgerank_fit(annotator, left, right, choice, '{\"kappa\": 10}') AS m FROM votes";
        let stored = show(
            connection,
            &format!("SELECT r.* FROM ({model}), me_hodgerank_personal(m) r"),
        );
        (ranking, biased, stored)
    };
    let together: Vec<_> = std::thread::scope(|scope| {
        let run = |seed| scope.spawn(move || answer(&with_votes(&simulation(seed))));
        let threads: Vec<_> = (0..8).map(run).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for (seed, expected) in together.iter().enumerate() {
        assert_eq!(&answer(&with_votes(&simulation(seed))), expected);
    }
}

#[test]
fn the_authoriser_is_asked() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch("CREATE VIEW seen AS SELECT * FROM votes")
        .unwrap();
    let deny = |denied: &'static str| {
        connection
            .authorizer(Some(
                move |context: rusqlite::hooks::AuthContext<'_>| match context.action {
                    AuthAction::Read {
                        table_name: "votes",
                        column_name,
                    } if column_name == denied => Authorization::Deny,
                    AuthAction::Recursive if denied == "recursion" => Authorization::Deny,
                    _ => Authorization::Allow,
                },
            ))
            .unwrap();
    };
    deny("choice");
    for source in ["votes", "seen", "SELECT * FROM votes"] {
        assert_error(
            &connection,
            &format!("SELECT * FROM me_hodgerank('{source}')"),
            "access to",
        );
    }
    // A column that is not needed may be as secret as it likes.
    deny("left_score");
    assert_eq!(
        rows(&connection, "SELECT * FROM me_hodgerank('votes')").len(),
        6
    );
    // Without recursion fits still work.
    deny("recursion");
    assert_eq!(
        rows(
            &connection,
            "SELECT * FROM me_hodgerank('votes', '{\"seed\": 77}')"
        )
        .len(),
        6
    );
}

#[test]
fn a_schema_may_fit_and_unpack_but_not_run_a_text() {
    let connection = with_votes(SMALL);
    connection
        .execute_batch(
            "CREATE TABLE fit AS SELECT me_hodgerank_fit(annotator, left, right, choice) AS model FROM votes;
             CREATE VIEW reads AS SELECT * FROM me_hodgerank('votes');
             CREATE TEMP VIEW own AS SELECT * FROM me_hodgerank('votes');
             CREATE VIEW unpacks AS SELECT r.* FROM fit, me_hodgerank_ranking(model) r;
             CREATE VIEW draws AS SELECT me_hodgerank_svg(model, 'cv'), me_hodgerank_html(model) FROM fit;
             CREATE VIEW predicts AS SELECT me_hodgerank_predict_vote(model, 1, 2, 3) FROM fit;
             CREATE VIEW reads_plot AS SELECT * FROM me_hodgerank_plot('votes', 'cv');
             CREATE VIEW reads_report AS SELECT * FROM me_hodgerank_report('votes');
             CREATE VIEW reads_predict AS SELECT * FROM me_hodgerank_predict('votes', 'votes');
             CREATE VIEW fits AS SELECT me_hodgerank_fit(annotator, left, right, choice) FROM votes;",
        )
        .unwrap();
    let refused = |sql: &str| try_rows(&connection, sql).err();
    for trusted in ["ON", "OFF"] {
        connection
            .execute_batch(&format!("PRAGMA trusted_schema = {trusted}"))
            .unwrap();
        for sql in ["reads", "reads_plot", "reads_report", "reads_predict"] {
            let error = refused(&format!("SELECT * FROM {sql}")).unwrap();
            assert!(error.contains("unsafe use of virtual table"), "{error}");
        }
        let allowed = ["own", "unpacks", "fits", "draws", "predicts"];
        for sql in allowed.iter().chain(&["me_hodgerank('votes')"]) {
            assert_eq!(refused(&format!("SELECT * FROM {sql}")), None);
        }
    }
}

#[test]
fn a_view_that_ranks_itself_ends() {
    let connection = connect();
    connection
        .execute_batch("CREATE TEMP VIEW v AS SELECT item AS annotator, item AS left, rank AS right, 1 AS choice FROM me_hodgerank('v')")
        .unwrap();
    assert_error(&connection, "SELECT * FROM v", "read from each other");
    assert_error(
        &connection,
        "SELECT * FROM me_hodgerank('v')",
        "read from each other",
    );
    // A few levels are fine.
    let connection = with_votes(SMALL);
    let source =
        "SELECT 1 AS annotator, a.item AS left, b.item AS right, a.score - b.score AS choice
                  FROM me_hodgerank(''votes'') a, me_hodgerank(''votes'') b WHERE a.item < b.item";
    assert_eq!(
        rows(
            &connection,
            &format!("SELECT * FROM me_hodgerank('{source}')")
        )
        .len(),
        6
    );
}

#[test]
fn a_join_reads_the_votes_once() {
    let connection = with_votes(SMALL);
    let read = Arc::new(AtomicUsize::new(0));
    let counter = read.clone();
    connection
        .create_scalar_function("seen", 1, FunctionFlags::SQLITE_UTF8, move |context| {
            counter.fetch_add(1, Ordering::Relaxed);
            context.get::<i64>(0)
        })
        .unwrap();
    connection
        .execute_batch(
            "CREATE TABLE people AS SELECT DISTINCT annotator, annotator % 7 AS team FROM votes",
        )
        .unwrap();
    let source = "'SELECT seen(annotator) AS annotator, left, right, choice FROM votes'";
    let votes = 600;
    for (sql, times) in [
        (
            format!(
                "people p JOIN me_hodgerank_annotators({source}) a ON a.annotator = p.annotator"
            ),
            1,
        ),
        (
            format!(
                "people p LEFT JOIN me_hodgerank_annotators({source}) a ON a.annotator = p.annotator"
            ),
            1,
        ),
        (format!("people p CROSS JOIN me_hodgerank({source}) a"), 1),
        (
            format!("people p LEFT JOIN me_hodgerank({source}) a ON a.kappa IN (5, 10, 20)"),
            3,
        ),
        (
            format!("me_hodgerank({source}) a JOIN me_hodgerank_annotators({source}) b"),
            2,
        ),
    ] {
        read.store(0, Ordering::Relaxed);
        rows(&connection, &format!("SELECT * FROM {sql}"));
        assert_eq!(read.load(Ordering::Relaxed), times * votes, "{sql}");
    }
    // The argument may come from another table, whatever the order of the two.
    let by_kappa = "SELECT k.column1, count(*) FROM me_hodgerank('votes') r, (VALUES (10), (20)) k WHERE r.kappa = k.column1 GROUP BY 1";
    assert_eq!(show(&connection, by_kappa), "10 6; 20 6");
    let by_name = "SELECT count(*) FROM me_hodgerank(n.column1) r, (VALUES ('votes'), (NULL)) n";
    assert!(try_rows(&connection, by_name).is_ok_and(|rows| rows == vec![vec![Value::Integer(6)]]));
}
