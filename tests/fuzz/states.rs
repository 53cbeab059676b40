//! States that were damaged by someone who can make a checksum: read or refused. What is read
//! are votes that could have been cast.

use std::time::Duration;

use me_hodgerank::{CountedVotes, ErrorKind, Execution, Fit, OnBadRow, Options, Row, VoteBuilder};

use crate::dice::Dice;

/// Magic, format version and checksum.
const HEADER: usize = 28;

/// More votes than this are not fitted: a few bytes may say that there are very many.
const MAX_FITTED: u64 = 10_000;

/// States of all shapes.
pub fn sound() -> Vec<Vec<u8>> {
    let skip = Options {
        on_bad_row: OnBadRow::Skip,
        ..Options::default()
    };
    let shapes = [(false, false), (true, false), (false, true), (true, true)];
    let shapes = shapes
        .into_iter()
        .flat_map(|shape| [(shape, 1.0), (shape, 0.3)]);
    let states = shapes.map(|((weighted, folds), strength)| {
        let mut options = skip.clone();
        options.columns.weight = weighted.then(|| "weight".into());
        options.columns.fold = folds.then(|| "fold".into());
        let mut builder = VoteBuilder::new(&options);
        for row in 0..60_i64 {
            let sign = if row % 3 == 0 { -1.0 } else { 1.0 };
            let vote = Row::new(row % 7, row % 4, (row / 4) % 5, sign * strength);
            let vote = vote.weight(0.5 + (row % 2) as f64).fold(row % 3);
            builder.push(vote).expect("a row");
        }
        builder.finish_counted().expect("votes").to_bytes()
    });
    states.collect()
}

pub fn case(states: &[Vec<u8>], dice: &mut Dice) {
    let state = dice.pick(states);
    let mut payload = state[HEADER..].to_vec();
    if dice.once_in(8) {
        payload.truncate(dice.below(payload.len()));
    }
    for _ in 0..=dice.below(3) {
        let index = dice.below(payload.len().max(1));
        match dice.below(4) {
            0 => payload.truncate(index),
            1 => payload.insert(index.min(payload.len()), dice.below(256) as u8),
            2 if !payload.is_empty() => drop(payload.remove(index)),
            _ => {
                let values = [0, 1, 2, 0x7f, 0x80, 0xff, dice.below(256) as u8];
                payload
                    .get_mut(index)
                    .into_iter()
                    .for_each(|byte| *byte = *dice.pick(&values));
            }
        }
    }
    let sum = blake3::hash(&payload);
    let bytes = [&state[..12], &sum.as_bytes()[..16], &payload].concat();
    let read = match CountedVotes::from_bytes(&bytes) {
        Ok(read) => read,
        Err(error) => return assert_eq!(error.kind(), ErrorKind::State, "{error}"),
    };
    assert_eq!(read.to_bytes(), bytes, "what was read is written as it was");
    let other: &Vec<u8> = dice.pick(states);
    let other = CountedVotes::from_bytes(other).expect("a sound state");
    match CountedVotes::merge(vec![read.clone(), other.clone()]) {
        Ok(both) => {
            let both = both.expect("two states");
            assert_eq!(both.votes_cast(), read.votes_cast() + other.votes_cast());
            let bytes = both.to_bytes();
            let read = CountedVotes::from_bytes(&bytes).expect("merged states are a state");
            assert_eq!(read, both);
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::State, "{error}"),
    }
    if read.votes_cast() <= MAX_FITTED {
        let mut execution = Execution::new().deadline(Duration::from_secs(2));
        let options = Options {
            grid_points: 4,
            ..Options::default()
        };
        let votes = read.votes_within(&mut execution);
        let fit = votes.and_then(|votes| Fit::new_within(&votes, &options, &mut execution));
        if let Err(error) = fit {
            assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
        }
    }
}
