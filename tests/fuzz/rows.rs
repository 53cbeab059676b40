//! Rows of votes: ids, choices, weights and folds of all kinds.

use std::time::Duration;

use me_hodgerank::{
    ChoiceRef, ErrorKind, Execution, Fit, IdRef, IdType, Options, ResultSet, Row, VoteBuilder,
};

use crate::dice::Dice;
use crate::options::NAMES;

const TEXTS: [&str; 8] = ["a", "b", "ä", "", "<b>&\"'", "a\0b", "雪", "left"];
const CHOICES: [&str; 7] = ["left", "right", "tie", "LEFT", "a", "perhaps", ""];
/// The first can be used, the others cannot.
const NUMBERS: [f64; 13] = [
    1.0,
    -1.0,
    0.0,
    -0.0,
    0.3,
    -2.5,
    100.0,
    -1e16,
    1e99,
    -1e-300,
    f64::NAN,
    f64::INFINITY,
    1e300,
];
const WEIGHTS: [f64; 11] = [
    1.0, 2.0, 0.25, 1e3, 1e16, 1e-16, 1e99, 0.0, -1.0, 1e-310, 1e300,
];

type Fields = (usize, usize, usize, usize, f64, i64);

pub fn case(dice: &mut Dice) {
    let json = dice.json(&NAMES);
    let Ok(options) = Options::from_json(&json) else {
        return;
    };
    let texts = dice.once_in(2);
    let clean = !dice.once_in(4);
    let graded = dice.once_in(3);
    // Numbers of about 1, of all sizes, or also such that cannot be used.
    let (choices, weights) = match (clean, dice.once_in(4)) {
        (true, false) => (2, 4),
        (true, true) => (10, 7),
        (false, _) => (NUMBERS.len(), WEIGHTS.len()),
    };
    let (annotators, items) = (1 + dice.below(6), 2 + dice.below(6));
    let mut rows: Vec<Fields> = (0..dice.below(60))
        .map(|_| {
            let left = dice.below(items);
            let right = if clean {
                (left + 1 + dice.below(items - 1)) % items
            } else {
                dice.below(items)
            };
            let choice = dice.below(choices);
            let weight = *dice.pick(&WEIGHTS[..weights]);
            (
                dice.below(annotators),
                left,
                right,
                choice,
                weight,
                dice.below(4) as i64,
            )
        })
        .collect();
    let found = answer(&options, &rows, texts, graded);
    // Nothing depends on the order of rows: neither a number nor which error it is.
    dice.shuffle(&mut rows);
    let again = answer(&options, &rows, texts, graded);
    let is_timing = |answer: &Result<Vec<u8>, String>| {
        answer
            .as_ref()
            .is_err_and(|error| error.contains("stopped after"))
    };
    if !is_timing(&found) && !is_timing(&again) {
        assert_eq!(found.is_ok(), again.is_ok(), "{json}: {found:?} {again:?}");
        if let (Ok(found), Ok(again)) = (found, again) {
            assert!(found == again, "{json}: the bytes of the fit differ");
        }
    }
}

/// The bytes of a fit after a look at all its sets, or the text of the error.
fn answer(
    options: &Options,
    rows: &[Fields],
    texts: bool,
    graded: bool,
) -> Result<Vec<u8>, String> {
    let fit = fit(options, rows, texts, graded).map_err(|error| {
        let text = error.to_string();
        assert_ne!(error.kind(), ErrorKind::Internal, "{text}");
        text
    })?;
    for set in ResultSet::ALL {
        if let Err(error) = fit.table(set) {
            assert_eq!(error.kind(), ErrorKind::Option, "{}: {error}", set.name());
        }
    }
    if fit.has_chosen_time() {
        fit.report().unwrap();
    }
    let bytes = fit.to_bytes();
    assert_eq!(Fit::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    Ok(bytes)
}

fn fit(options: &Options, rows: &[Fields], texts: bool, graded: bool) -> me_hodgerank::Result<Fit> {
    let mut builder = VoteBuilder::new(options);
    let id_type = if texts { IdType::Text } else { IdType::INT64 };
    builder.expect_ids(id_type, id_type, id_type);
    for &(annotator, left, right, choice, weight, fold) in rows {
        let id = |number: usize| {
            if texts {
                IdRef::Text(TEXTS[number])
            } else {
                IdRef::Int(number as i128 * 1000 - 3)
            }
        };
        let choice = if graded {
            ChoiceRef::Number(NUMBERS[choice])
        } else {
            ChoiceRef::Text(CHOICES[choice.min(6)])
        };
        let row = Row::new(id(annotator), id(left), id(right), choice);
        builder.push(row.weight(weight).fold(fold))?;
    }
    let mut execution = Execution::new().deadline(Duration::from_secs(2));
    let votes = builder.finish_within(&mut execution)?;
    Fit::new_within(&votes, options, &mut execution)
}
