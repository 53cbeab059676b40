//! A Rust program with votes in SQLite: `register` gives its rusqlite connection the
//! functions. Nothing is loaded from a file, so nothing has to be installed.
//!
//! ```toml
//! [dependencies]
//! me_hodgerank = { version = "0.1", features = ["sqlite"] }
//! rusqlite = { version = "0.40", features = ["bundled"] }
//! ```

use rusqlite::{Connection, Result};

fn main() -> Result<()> {
    let connection = Connection::open_in_memory()?;
    me_hodgerank::sqlite::register(&connection)?;

    connection.execute_batch(
        "CREATE TABLE votes (who TEXT, a TEXT, b TEXT, winner TEXT);
         INSERT INTO votes VALUES
           ('ann', 'tea', 'milk', 'tea'), ('ann', 'milk', 'cola', 'milk'), ('ann', 'cola', 'tea', 'tea'),
           ('bob', 'tea', 'cola', 'tea'), ('bob', 'cola', 'milk', 'milk'), ('bob', 'milk', 'tea', 'tie'),
           ('cyd', 'milk', 'tea', 'tea'), ('cyd', 'cola', 'tea', 'cola');",
    )?;

    let mut ranking = connection.prepare(
        r#"SELECT rank, item, wins, losses, ties
           FROM me_hodgerank('votes', '{"annotator": "who", "left": "a", "right": "b", "choice": "winner"}')"#,
    )?;
    let mut rows = ranking.query([])?;
    while let Some(row) = rows.next()? {
        let (rank, item): (i64, String) = (row.get("rank")?, row.get("item")?);
        let (wins, losses, ties): (i64, i64, i64) =
            (row.get("wins")?, row.get("losses")?, row.get("ties")?);
        println!("{rank}. {item}: {wins} won, {losses} lost, {ties} tied");
    }
    Ok(())
}

// Prints:
// 1. tea: 4 won, 1 lost, 1 tied
// 2. milk: 2 won, 2 lost, 1 tied
// 3. cola: 1 won, 4 lost, 0 tied
