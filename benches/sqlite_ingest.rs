//! How long it takes to read 10 million votes with text ids from SQLite, beside
//! a bare SELECT of the four columns that looks at every value.
//!
//!     cargo bench --features sqlite --bench sqlite_ingest [votes]

use std::hint::black_box;
use std::time::Instant;

use me_hodgerank::Options;
use me_hodgerank::sqlite::rusqlite::{Connection, Result};
use me_hodgerank::sqlite::{read_votes, register};

fn main() -> Result<()> {
    let votes = std::env::args().find_map(|argument| argument.parse().ok());
    let votes: u64 = votes.unwrap_or(10_000_000);
    let connection = Connection::open_in_memory()?;
    register(&connection)?;
    connection.execute_batch(&format!(
        "CREATE TABLE votes (annotator TEXT, left TEXT, right TEXT, choice TEXT);
         INSERT INTO votes SELECT 'annotator_' || annotator, 'item_' || left, 'item_' || right,
             CASE choice WHEN 1 THEN 'left' ELSE 'right' END
         FROM me_hodgerank_simulate('{{\"annotators\": {}, \"items\": 1000, \"votes_each\": 1000}}')",
        votes / 1000
    ))?;
    for _ in 0..3 {
        let start = Instant::now();
        let (rows, bytes) = bare(&connection)?;
        let select = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let ingested = read_votes(&connection, "votes", &Options::default())?;
        let ingest = start.elapsed().as_secs_f64();
        println!(
            "{rows} rows, {bytes} bytes: bare SELECT {select:.2} s, votes read and sorted {ingest:.2} s, \
             {:.2} times as long ({} annotators)",
            ingest / select,
            ingested.annotators().len(),
        );
    }
    Ok(())
}

/// Looks at every value, as anything that reads votes must.
fn bare(connection: &Connection) -> Result<(u64, usize)> {
    let mut statement = connection.prepare("SELECT annotator, left, right, choice FROM votes")?;
    let mut found = statement.raw_query();
    let (mut rows, mut bytes) = (0, 0);
    while let Some(row) = found.next()? {
        rows += 1;
        for column in 0..4 {
            bytes += black_box(row.get_ref(column)?.as_bytes().unwrap_or_default()).len();
        }
    }
    Ok((rows, bytes))
}
