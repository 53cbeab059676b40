//! How long it takes to read 10 million votes with text ids from SQLite, compared
//! with a bare SELECT of the four columns that reads every value.
//!
//!     cargo bench --features sqlite --bench sqlite_ingest [votes]

use std::hint::black_box;
use std::time::{Duration, Instant};

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
        let (rows, select) = timed(|| bare(&connection))?;
        let (read, ingest) = timed(|| read_votes(&connection, "votes", &Options::default()))?;
        println!(
            "{rows} rows: bare SELECT {:.2} s; votes read and sorted {:.2} s, {:.2} times as long; \
             reading alone, in processor time, {:.2} times ({} annotators)",
            select.wall.as_secs_f64(),
            ingest.wall.as_secs_f64(),
            ingest.wall.as_secs_f64() / select.wall.as_secs_f64(),
            ingest.thread.as_secs_f64() / select.thread.as_secs_f64(),
            read.annotators().len(),
        );
    }
    Ok(())
}

/// The elapsed time, and the processor time of this thread alone: votes are sorted
/// on other threads.
struct Times {
    wall: Duration,
    thread: Duration,
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Times)> {
    let (start, thread) = (Instant::now(), thread_time());
    let done = work()?;
    let times = Times {
        wall: start.elapsed(),
        thread: thread_time().saturating_sub(thread),
    };
    Ok((done, times))
}

/// Processor time of this thread; zero where the system is not Linux.
fn thread_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// Reads every value, as the library does.
fn bare(connection: &Connection) -> Result<u64> {
    let mut statement = connection.prepare("SELECT annotator, left, right, choice FROM votes")?;
    let mut found = statement.raw_query();
    let mut rows = 0;
    while let Some(row) = found.next()? {
        rows += 1;
        for column in 0..4 {
            black_box(row.get_ref(column)?.as_bytes().unwrap_or_default());
        }
    }
    Ok(rows)
}
