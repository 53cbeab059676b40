//! Simulated votes with a known truth.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{Options, Result, Simulation, VoteBuilder, Votes};

/// Simulated votes and their truth: the kind of each annotator, the score of each item.
pub struct MadeUp {
    pub votes: Votes,
    pub kinds: BTreeMap<i64, String>,
    pub scores: BTreeMap<i64, f64>,
}

impl MadeUp {
    pub fn new(simulation: Simulation) -> Result<Self> {
        let all = simulation.annotators;
        Self::some(simulation, all)
    }

    /// The votes of the first `annotators` only. A whole simulation has a fixed number
    /// of annotators of each kind; in the first few of a large one it is random.
    pub fn some(simulation: Simulation, annotators: usize) -> Result<Self> {
        let mut builder = VoteBuilder::new(&Options::default());
        let (mut kinds, mut scores) = (BTreeMap::new(), BTreeMap::new());
        for batch in simulation.run()? {
            let batch = batch?;
            let annotator = batch.column(0).as_primitive::<Int64Type>().values();
            let rows = annotator.partition_point(|&id| id <= annotators as i64);
            let batch = batch.slice(0, rows);
            if rows == 0 {
                break;
            }
            let ids = |k: usize| batch.column(k).as_primitive::<Int64Type>().values();
            for row in 0..rows {
                let kind = batch.column(4).as_string::<i32>().value(row);
                kinds.entry(ids(0)[row]).or_insert_with(|| kind.to_string());
                for (item, score) in [(1, 5), (2, 6)] {
                    let score = batch.column(score).as_primitive::<Float64Type>().value(row);
                    scores.insert(ids(item)[row], score);
                }
            }
            builder.push_batch(&batch)?;
        }
        let votes = builder.finish()?;
        Ok(Self {
            votes,
            kinds,
            scores,
        })
    }

    /// The share of false discoveries among the flagged annotators, and the share of
    /// the planted ones that are flagged.
    pub fn score(
        &self,
        table: &RecordBatch,
        flag: &str,
        planted: impl Fn(&str) -> bool,
    ) -> [f64; 2] {
        let ids = table.column(0).as_primitive::<Int64Type>().values();
        let flags = table.column_by_name(flag).expect("a column").as_boolean();
        let (mut flagged, mut correct, mut all) = (0.0, 0.0, 0.0);
        for (row, id) in ids.iter().enumerate() {
            let is = planted(&self.kinds[id]);
            flagged += f64::from(flags.value(row));
            correct += f64::from(flags.value(row) && is);
            all += f64::from(is);
        }
        [(flagged - correct) / f64::max(flagged, 1.0), correct / all]
    }
}
