//! One measurement, printed as JSON. `make bench` makes a table of many.
//!
//! ```text
//! path NAME        µs per step of the path, ours and the published implementation's
//! fit NAME         seconds of a fit with cross-validation, and the steps of the path up to the
//!                  chosen time
//! threads NAME     seconds of a fit over the whole grid, without cross-validation, on one
//!                  thread and on two, and of two such fits at once, in turn
//! losses NAME      the same with each loss, in turn
//! consensus NAME   seconds of the ranking alone with each loss, without effects
//! results NAME     processor time of a fit over the whole grid and of each result set, and a
//!                  hash of the answers, for a comparison of two versions
//! groups NAME N    µs of the fit and of the result sets of one of N small tables: the shortest
//!                  elapsed and the mean processor time
//! careless NAME    how well made-up careless annotators are found
//! write NAME FILE  the votes as CSV, for measurements of other programs
//! ```

mod published;
mod votes;

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use me_hodgerank::arrow_array::{Array, RecordBatch};
use me_hodgerank::internals::{Problem, Stop};
use me_hodgerank::{Execution, Fit, Loss, Options, ResultSet};
use published::Published;

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| *word != "--bench")
        .collect();
    match words[..] {
        ["path", name] => path(name),
        ["fit", name] => fit(name),
        ["threads", name] => threads(name),
        ["losses", name] => losses(name, &Options::default()),
        ["consensus", name] => consensus(name),
        ["results", name] => results(name),
        ["groups", name, count] => groups(name, count.parse().unwrap()),
        ["careless", name] => careless(name),
        ["write", name, file] => write(name, file),
        _ => println!(
            "usage: speed path|fit|threads|losses|consensus|results|careless NAME, speed groups NAME N, speed write NAME FILE"
        ),
    }
}

fn path(name: &str) {
    let Some(votes) = votes::load(name) else {
        return println!("null");
    };
    let options = Options::default();
    let comparisons = votes.comparisons();
    let problem = Problem::new(comparisons, &options, &Stop::default()).unwrap();
    let steps = full_path(&problem, &options);
    let mut published = Published::new(comparisons, &problem);
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    let repeats = enough_for(|| full_path(&problem, &options));
    let published_steps = 20 * enough_for(|| published.run(20)[0]);
    // Alternating, so that a change of the machine's load affects both.
    for _ in 0..20 {
        let each = time(|| {
            (0..repeats).for_each(|_| {
                black_box(full_path(&problem, &options));
            })
        });
        ours = ours.min(each / (repeats * steps) as f64);
        theirs = theirs.min(time(|| published.run(published_steps)[0]) / published_steps as f64);
    }
    println!(
        r#"{{"steps": {steps}, "votes": {}, "ours": {:.2}, "published": {:.2}}}"#,
        comparisons.len(),
        ours * 1e6,
        theirs * 1e6
    );
}

/// How often to repeat the work so that it can be timed: the processor time of a
/// thread is updated every few milliseconds only.
fn enough_for<T>(work: impl FnMut() -> T) -> usize {
    let (start, mut work, mut repeats) = (Instant::now(), work, 0);
    while start.elapsed().as_secs_f64() < 0.15 {
        black_box(work());
        repeats += 1;
    }
    repeats
}

/// Runs the path over the default grid and returns the number of its steps.
fn full_path(problem: &Problem, options: &Options) -> usize {
    let stop = Stop::default();
    let mut path = problem.path(&stop).unwrap();
    for t in problem.grid(options).unwrap() {
        black_box(path.advance_to(t, &stop).unwrap());
    }
    path.iteration() + 1
}

fn fit(name: &str) {
    let Some(votes) = votes::load(name) else {
        return println!("null");
    };
    let (mut clock, mut cores) = (f64::INFINITY, f64::INFINITY);
    let begin = Instant::now();
    let mut summary = None;
    // The best of several runs; large fits run once.
    for _ in 0..20 {
        let (start, before) = (Instant::now(), process_time());
        // As for every result set but the cross-validation curve.
        let mut execution = Execution::new().early_stopping();
        let fit = Fit::new_within(&votes, &Options::default(), &mut execution).unwrap();
        clock = clock.min(start.elapsed().as_secs_f64());
        cores = cores.min(process_time() - before);
        summary = Some(fit.summary().unwrap());
        if begin.elapsed().as_secs_f64() > 10.0 {
            break;
        }
    }
    let summary = summary.expect("it was fitted");
    let steps = match (summary.t0, summary.alpha) {
        (Some(t0), Some(alpha)) => ((summary.t - t0) / alpha).max(0.0).ceil(),
        _ => 0.0,
    };
    println!(r#"{{"seconds": {clock:.3}, "cores": {cores:.3}, "steps": {steps}}}"#);
}

/// One thread, two, and two fits at once with a thread each: what the machine gives when
/// nothing is shared but its memory. They alternate, so that a change of the machine's load
/// affects all.
fn threads(name: &str) {
    let Some(votes) = votes::load(name) else {
        return println!("null");
    };
    let options = Options {
        folds: 0,
        ..Options::default()
    };
    let fitted = |threads| {
        let mut execution = Execution::new().threads(threads);
        black_box(Fit::new_within(&votes, &options, &mut execution).unwrap());
    };
    let at_once = || {
        std::thread::scope(|scope| {
            scope.spawn(|| fitted(1));
            fitted(1);
        });
    };
    let mut seconds = [f64::INFINITY; 3];
    let begin = Instant::now();
    for _ in 0..10 {
        let runs: [&dyn Fn(); 3] = [&|| fitted(1), &|| fitted(2), &at_once];
        for (run, clock) in runs.into_iter().zip(&mut seconds) {
            let start = Instant::now();
            run();
            *clock = clock.min(start.elapsed().as_secs_f64());
        }
        if begin.elapsed().as_secs_f64() > 20.0 {
            break;
        }
    }
    let [one, two, at_once] = seconds;
    println!(r#"{{"one": {one:.3}, "two": {two:.3}, "two_fits": {at_once:.3}}}"#);
}

/// Without effects there is nothing to cross-validate.
fn consensus(name: &str) {
    let options = Options {
        position_bias: Some(false),
        personal: Some(false),
        folds: 0,
        t: Some(0.0),
        ..Options::default()
    };
    losses(name, &options);
}

/// Fits with each loss. They alternate, so that a change of the machine's load affects
/// all of them.
fn losses(name: &str, options: &Options) {
    let Some(votes) = votes::load(name) else {
        return println!("null");
    };
    let losses = [Loss::Squared, Loss::Logistic, Loss::Probit];
    let mut seconds = losses.map(|_| (f64::INFINITY, f64::INFINITY));
    let begin = Instant::now();
    for _ in 0..10 {
        for (loss, (clock, cores)) in losses.into_iter().zip(&mut seconds) {
            let (start, before) = (Instant::now(), process_time());
            let options = Options {
                loss,
                ..options.clone()
            };
            let mut execution = Execution::new().early_stopping();
            black_box(Fit::new_within(&votes, &options, &mut execution).unwrap());
            *clock = clock.min(start.elapsed().as_secs_f64());
            *cores = cores.min(process_time() - before);
        }
        if begin.elapsed().as_secs_f64() > 20.0 {
            break;
        }
    }
    let each = losses.into_iter().zip(seconds);
    let each = each.map(|(loss, (clock, cores))| {
        format!(r#""{loss}": {{"seconds": {clock:.3}, "cores": {cores:.3}}}"#)
    });
    println!("{{{}}}", each.collect::<Vec<_>>().join(", "));
}

/// A fit as a stored model has it, and everything that is said of it.
fn results(name: &str) {
    let Some(votes) = votes::load(name) else {
        return println!("null");
    };
    let mut hasher = blake3::Hasher::new();
    let mut before = process_time();
    let mut lap = || -> f64 {
        let start = std::mem::replace(&mut before, process_time());
        before - start
    };
    let fit = Fit::new(&votes, &Options::default()).unwrap();
    let mut parts = vec![("fit".to_string(), lap())];
    hasher.update(&fit.to_bytes());
    parts.push(("bytes".to_string(), lap()));
    for set in ResultSet::ALL.into_iter().filter(|&set| fit.has(set)) {
        hash_table(&mut hasher, &fit.table(set).unwrap());
        parts.push((format!("{set:?}").to_lowercase(), lap()));
    }
    let parts = parts
        .iter()
        .map(|(part, seconds)| format!(r#""{part}": {seconds:.2}"#));
    println!(
        r#"{{{}, "hash": "{}"}}"#,
        parts.collect::<Vec<_>>().join(", "),
        &hasher.finalize().to_hex()[..16]
    );
}

fn hash_table(hasher: &mut blake3::Hasher, table: &RecordBatch) {
    for column in table.columns() {
        let mut pending = vec![column.to_data()];
        while let Some(data) = pending.pop() {
            let nulls = data.nulls().map(|nulls| nulls.buffer());
            for buffer in data.buffers().iter().chain(nulls) {
                hasher.update(buffer.as_slice());
            }
            pending.extend(data.child_data().iter().cloned());
        }
    }
}

/// Fits the same votes again and again, as a database does with many groups, on one
/// thread and on all.
fn groups(name: &str, count: usize) {
    let Some(votes) = votes::load(name) else {
        return println!("null");
    };
    let fitted = |threads: Option<usize>| {
        let mut execution = Execution::new();
        if let Some(threads) = threads {
            execution = execution.threads(threads);
        }
        Fit::new_within(&votes, &Options::default(), &mut execution).unwrap()
    };
    let fit = fitted(None);
    let tables = || {
        let sets = ResultSet::ALL.into_iter().filter(|&set| fit.has(set));
        sets.map(|set| fit.table(set).unwrap().num_rows())
            .sum::<usize>()
    };
    // The shortest elapsed time and the mean processor time.
    let each = |work: &dyn Fn()| {
        let (mut shortest, before) = (f64::INFINITY, process_time());
        for _ in 0..count {
            let start = Instant::now();
            work();
            shortest = shortest.min(start.elapsed().as_secs_f64());
        }
        let cores = (process_time() - before) / count as f64;
        format!("[{:.1}, {:.1}]", 1e6 * shortest, 1e6 * cores)
    };
    let alone = each(&|| drop(black_box(fitted(Some(1)))));
    let together = each(&|| drop(black_box(fitted(None))));
    let tables = each(&|| {
        black_box(tables());
    });
    println!(r#"{{"one_thread": {alone}, "all_threads": {together}, "result_sets": {tables}}}"#);
}

/// The area under the curve of a ranking of annotators by when an effect of
/// theirs first entered: 1 if all careless ones come before all others.
fn careless(name: &str) {
    let votes = votes::load(name).unwrap();
    let options = Options::default();
    let stop = Stop::default();
    let problem = Problem::new(votes.comparisons(), &options, &stop).unwrap();
    let mut path = problem.path(&stop).unwrap();
    for t in problem.grid(&options).unwrap() {
        path.advance_to(t, &stop).unwrap();
    }
    let (bias_entries, deviation_entries) = (path.bias_entries(), path.deviation_entries());
    let first = |u: usize| {
        let entries = [bias_entries[u], deviation_entries[u]];
        let times = entries.into_iter().flatten().map(|entry| entry.time);
        times.fold(f64::INFINITY, f64::min)
    };
    // Ids are numbers from 0 on, in order.
    let each = || (0..votes.annotators().len()).map(|u| (votes::is_careless(u as i64), first(u)));
    let (mut before, mut pairs) = (0.0, 0.0);
    for (_, careless) in each().filter(|(careless, _)| *careless) {
        for (_, honest) in each().filter(|(careless, _)| !careless) {
            pairs += 1.0;
            before += f64::from(careless < honest) + 0.5 * f64::from(careless == honest);
        }
    }
    println!(r#"{{"auc": {:.3}}}"#, before / pairs);
}

fn write(name: &str, file: &str) {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file).unwrap());
    writeln!(out, "annotator,left,right,choice").unwrap();
    let mut put = |(annotator, left, right, choice): votes::Vote| {
        writeln!(out, "{annotator},{left},{right},{choice}").unwrap();
    };
    match votes::rows(name) {
        Some(rows) => rows.into_iter().for_each(&mut put),
        None => {
            let votes = votes::load(name).unwrap();
            let comparisons = votes.comparisons();
            for u in 0..comparisons.annotators() {
                for vote in comparisons.of(u) {
                    put((u as i64, vote.left as i64, vote.right as i64, vote.choice));
                }
            }
        }
    }
}

/// The processor time of this thread in seconds, which other work on the machine
/// affects little; the elapsed time where the system is not Linux.
fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let (start, before) = (Instant::now(), thread_time());
    black_box(work());
    match (before, thread_time()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64(),
    }
}

fn thread_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// User and system time of all threads, living and ended, in seconds.
fn process_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.split(' ').collect();
    let ticks = |k: usize| {
        fields
            .get(k)
            .and_then(|field| field.parse().ok())
            .unwrap_or(0.0)
    };
    (ticks(13) + ticks(14)) / 100.0
}
