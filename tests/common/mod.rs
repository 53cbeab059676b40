//! Where the shared votes and golden files are, and how the tests read them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, io};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use me_hodgerank::Options;
use me_hodgerank::votes::{VoteBuilder, Votes};

/// A file in the shared folder `data` or `golden`. None, and a line on stderr, if it
/// is not there: the votes may not be published with the project.
pub fn shared(folder: &str, file: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = env::var_os("ME_HODGERANK_DATA");
    let data = data.map_or_else(|| here.join("../shared/data"), PathBuf::from);
    let path = data.with_file_name(folder).join(file);
    let path = if folder == "data" {
        data.join(file)
    } else {
        path
    };
    if path.exists() {
        return Some(path);
    }
    let shown = path.strip_prefix(here).unwrap_or(&path);
    // Not eprintln: the test harness hides its output when a test passes.
    writeln!(io::stderr(), "SKIPPED: {} is not there", shown.display()).expect("stderr");
    None
}

/// Options that read the columns of the shared votes.
pub fn options() -> Options {
    let mut options = Options::default();
    options.columns.choice = Some("y".into());
    options
}

/// Reads `annotator,left,right,y`; `folds` gives each row of the file its fold.
pub fn read_votes(path: &Path, folds: Option<&[i64]>) -> Votes {
    read_divided_votes(path, folds, 1.0)
}

/// The same, with y divided by a number.
pub fn read_divided_votes(path: &Path, folds: Option<&[i64]>, divisor: f64) -> Votes {
    let mut options = options();
    let mut batch = read_batch(path, divisor);
    if let Some(folds) = folds {
        options.columns.fold = Some("fold".into());
        batch.push(("fold", ints(folds.to_vec())));
    }
    let batch = RecordBatch::try_from_iter(batch).unwrap();
    let mut builder = VoteBuilder::new(&options);
    // In two batches, as a host would pass them.
    let half = batch.num_rows() / 2;
    let rest = batch.num_rows() - half;
    builder.push_batch(&batch.slice(0, half)).unwrap();
    builder.push_batch(&batch.slice(half, rest)).unwrap();
    builder.finish().unwrap()
}

fn read_batch(path: &Path, divisor: f64) -> Vec<(&'static str, ArrayRef)> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("annotator,left,right,y"), "{path:?}");
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let id = |column: usize| {
        ints(
            rows.iter()
                .map(|row| row[column].parse().unwrap())
                .collect(),
        )
    };
    let choice = rows
        .iter()
        .map(|row| row[3].parse::<f64>().unwrap() / divisor);
    let choice: ArrayRef = Arc::new(Float64Array::from_iter_values(choice));
    vec![
        ("annotator", id(0)),
        ("left", id(1)),
        ("right", id(2)),
        ("y", choice),
    ]
}

fn ints(values: Vec<i64>) -> ArrayRef {
    Arc::new(Int64Array::from(values))
}
