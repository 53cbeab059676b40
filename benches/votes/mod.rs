//! The votes of the benchmarks, by name.

use std::path::PathBuf;

use me_hodgerank::arrow_array::cast::AsArray;
use me_hodgerank::arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{IdType, Options, Row, Simulation, VoteBuilder, Votes};

/// One vote: annotator, left, right, choice.
pub type Vote = (i64, i64, i64, f64);

/// Whether an annotator of made-up votes is careless: of every 20, two click at
/// random and one always left.
pub fn is_careless(annotator: i64) -> bool {
    annotator % 20 < 3
}

/// The votes of a name; None if their file is not there, and for `simulated`, which
/// only [`load`] knows.
///
/// `iqa_ref1`, `age` and `college` are the paper's, from `../shared/data` or
/// `ME_HODGERANK_DATA`; `simulated` follows the paper's study, `simulated-sides` has its
/// votes without their strength; and
/// `made-A-I-V` has A annotators of 85 % honest, 10 % random and 5 % always left,
/// I items and V votes of each annotator; `made-100000-50-1` are as many with one vote
/// each. `chain-N`, `ladder-N` and `grid-N` have N items in a row, N rungs, and N rows of
/// N items, with three votes on each neighbouring pair by 40 annotators.
pub fn rows(name: &str) -> Option<Vec<Vote>> {
    if let Some(sizes) = name.strip_prefix("made-") {
        let sizes: Vec<usize> = sizes.split('-').map(|n| n.parse().unwrap()).collect();
        let mut votes = Vec::new();
        made_up(sizes[0], sizes[1], sizes[2], |vote| votes.push(vote));
        return Some(votes);
    }
    for (form, make) in [
        ("chain-", chain as fn(i64) -> _),
        ("ladder-", ladder),
        ("grid-", grid),
    ] {
        if let Some(size) = name.strip_prefix(form) {
            return Some(thin(make(size.parse().unwrap())));
        }
    }
    if name == "simulated" {
        return None;
    }
    if name == "simulated-sides" {
        return Some(simulated_sides());
    }
    let folder = std::env::var_os("ME_HODGERANK_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join(format!("{name}.csv"))).ok()?;
    let read = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let id = |k: usize| fields[k].parse().unwrap();
        (id(0), id(1), id(2), fields[3].parse().unwrap())
    };
    Some(text.lines().skip(1).map(read).collect())
}

/// The votes of a name as the library reads them.
pub fn load(name: &str) -> Option<Votes> {
    let mut builder = VoteBuilder::new(&Options::default());
    if name == "simulated" {
        for batch in study().run().unwrap() {
            builder.push_batch(&batch.unwrap()).unwrap();
        }
        return Some(builder.finish().unwrap());
    }
    builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
    for (annotator, left, right, choice) in rows(name)? {
        let row = Row::new(annotator, left, right, choice);
        builder.push(row).unwrap();
    }
    Some(builder.finish().unwrap())
}

/// The paper's simulated study.
fn study() -> Simulation {
    Simulation {
        annotators: 500,
        items: 30,
        votes_each: 300,
        graded: true,
        ..Simulation::default()
    }
}

/// Its votes for a side.
fn simulated_sides() -> Vec<Vote> {
    let mut votes = Vec::new();
    for batch in study().run().unwrap() {
        let batch = batch.unwrap();
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let [annotator, left, right] = ["annotator", "left", "right"]
            .map(|name| column(name).as_primitive::<Int64Type>().values());
        let choice = column("choice").as_primitive::<Float64Type>().values();
        for row in 0..batch.num_rows() {
            let side = choice[row].signum();
            votes.push((annotator[row], left[row], right[row], side));
        }
    }
    votes
}

/// Honest annotators compare scores N(0, 1) with noise N(0, 1) on the difference.
pub fn made_up(annotators: usize, items: usize, votes_each: usize, mut push: impl FnMut(Vote)) {
    let mut random = Random(7);
    let scores: Vec<f64> = (0..items).map(|_| random.normal()).collect();
    for annotator in 0..annotators as i64 {
        for _ in 0..votes_each {
            let left = random.below(items);
            let right = (left + 1 + random.below(items - 1)) % items;
            let choice = match annotator % 20 {
                0 | 1 => random.uniform() - 0.5,
                2 => 1.0,
                _ => scores[left] - scores[right] + random.normal(),
            };
            let choice = if choice > 0.0 { 1.0 } else { -1.0 };
            push((annotator, left as i64, right as i64, choice));
        }
    }
}

fn chain(items: i64) -> Vec<(i64, i64)> {
    (1..items).map(|item| (item - 1, item)).collect()
}

fn ladder(rungs: i64) -> Vec<(i64, i64)> {
    let rung = |k: i64| {
        let sides = [(2 * k - 2, 2 * k), (2 * k - 1, 2 * k + 1)];
        let sides = sides.into_iter().filter(move |_| k > 0);
        sides.chain([(2 * k, 2 * k + 1)])
    };
    (0..rungs).flat_map(rung).collect()
}

fn grid(side: i64) -> Vec<(i64, i64)> {
    let neighbours = |item: i64| {
        let right = ((item + 1) % side != 0).then_some((item, item + 1));
        let below = (item + side < side * side).then_some((item, item + side));
        right.into_iter().chain(below)
    };
    (0..side * side).flat_map(neighbours).collect()
}

/// Three votes on each pair, the first item being a little better.
fn thin(pairs: Vec<(i64, i64)>) -> Vec<Vote> {
    let mut random = Random(7);
    let pairs = pairs.into_iter().flat_map(|pair| [pair; 3]);
    let vote = |(left, right): (i64, i64)| {
        let choice = if random.uniform() < 0.6 { 1.0 } else { -1.0 };
        (random.below(40) as i64, left, right, choice)
    };
    pairs.map(vote).collect()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// The sum of twelve uniform draws is nearly normal.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
