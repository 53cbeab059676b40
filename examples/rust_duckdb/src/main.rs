//! A Rust program with votes in DuckDB: it loads the extension and joins the
//! annotators to a table of payouts, to see who is paid and who is looked at first.
//!
//! ```text
//! cargo run -- ../../target/duckdb/me_hodgerank.duckdb_extension
//! ```
//!
//! DUCKDB_LIB_DIR names the folder of libduckdb for the build, and LD_LIBRARY_PATH
//! (on macOS DYLD_LIBRARY_PATH) for the run; with the crate's feature `bundled`
//! neither is needed.

use duckdb::{Config, Connection};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let extension = std::env::args()
        .nth(1)
        .ok_or("usage: rust_duckdb EXTENSION")?;

    // The extension is not signed: without this DuckDB refuses to load it.
    let config = Config::default().allow_unsigned_extensions()?;
    let connection = Connection::open_in_memory_with_flags(config)?;
    connection.execute_batch(&format!("LOAD '{}'", extension.replace('\'', "''")))?;

    // `me` is the catalog that the extension's functions live in. Ids come back in the
    // type that they came in with, so a BIGINT annotator joins a BIGINT payout.
    connection.execute_batch(
        "CREATE TABLE votes AS
         FROM me_hodgerank_simulate(annotators := 50, items := 8, votes_each := 40, seed := 7);
         CREATE TABLE payouts AS
         SELECT annotator, 'worker' || annotator || '@example.org' AS email, 0.05 * count(*) AS due
         FROM votes GROUP BY annotator;",
    )?;
    let mut statement = connection.prepare(
        "SELECT email, due::DOUBLE AS due, verdict, evidence
         FROM payouts JOIN me.me_hodgerank_annotators('votes') USING (annotator)
         WHERE verdict NOT IN ('ok', 'own taste', 'too few votes to tell')
         ORDER BY verdict, email",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (email, due): (String, f64) = (row.get("email")?, row.get("due")?);
        let (verdict, evidence): (String, String) = (row.get("verdict")?, row.get("evidence")?);
        println!("{email}, {due:.2} due: {verdict}; {evidence}");
    }
    Ok(())
}

// Prints:
// worker25@example.org, 2.00 due: against the consensus; agreed with the consensus on 6 of 40 votes, where others agree on 35 (somebody who clicks at random would do so less than once in a million times)
// worker32@example.org, 2.00 due: against the consensus; agreed with the consensus on 6 of 40 votes, where others agree on 35 (somebody who clicks at random would do so once in 49,000 times)
// worker49@example.org, 2.00 due: against the consensus; agreed with the consensus on 9 of 40 votes, where others agree on 34 (somebody who clicks at random would do so once in 22,000 times)
// worker27@example.org, 2.00 due: clicks left; clicked left on 40 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)
// worker39@example.org, 2.00 due: clicks left; clicked left on 37 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)
// worker17@example.org, 2.00 due: clicks right; clicked right on 40 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)
// worker1@example.org, 2.00 due: clicks right; clicked right on 39 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)
// worker44@example.org, 2.00 due: clicks right; clicked right on 36 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)
