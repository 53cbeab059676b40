//! Numbers that are not what they seem.
//!
//! The sign of a number is the side. Where no number has the other sign, the column
//! may hold something else: choices 1 and 2, a scale from 1 to 7, 0 and 1 for no and
//! yes. Read as votes, all of these would be votes for one side.
//!
//! | different numbers but 0, all of one sign | with 0 as a number | without |
//! |---|---|---|
//! | one | refused: 0 may be the other side | winners and losers, for the fit to judge |
//! | 2 to 101 | refused: codes or a scale | refused: codes or a scale |
//! | more | strengths, for the fit to judge | strengths, for the fit to judge |
//!
//! A labelled scale, or a slider from 0 to 100, has no more than 101 numbers. What
//! looks like a scale is refused whatever the options are: nothing in the numbers says
//! where its middle is. For each reading there is an expression that has no other, and
//! the error gives it.

use super::comparisons::Choices;
use crate::error::{Error, Result};

/// With more different numbers than this it is no scale.
pub(super) const MAX_SCALE_NUMBERS: usize = 101;

/// An error lists so many numbers at most.
const MAX_LISTED: usize = 11;

/// Whether there were choices that came as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NumbersSeen {
    pub zero: bool,
    pub nonzero: bool,
}

impl NumbersSeen {
    pub fn add(&mut self, number: f64) {
        self.zero |= number == 0.0;
        self.nonzero |= number != 0.0;
    }

    pub fn add_all(&mut self, numbers: &[f64]) {
        self.zero = self.zero || numbers.contains(&0.0);
        self.nonzero = self.nonzero || numbers.iter().any(|&number| number != 0.0);
    }

    pub fn merge(&mut self, other: Self) {
        self.zero |= other.zero;
        self.nonzero |= other.nonzero;
    }

    /// Refuses choices that look like codes or a scale. `column`: where they stand.
    pub fn refuse_scale(self, choices: &Choices, column: &str) -> Result<()> {
        if !self.nonzero || choices.has_both_signs() {
            return Ok(());
        }
        let mut numbers = choices.distinct_nonzero(MAX_SCALE_NUMBERS);
        if numbers.len() > MAX_SCALE_NUMBERS || (numbers.len() == 1 && !self.zero) {
            return Ok(());
        }
        if self.zero {
            numbers.push(0.0);
            numbers.sort_unstable_by(f64::total_cmp);
        }
        let scale = OneSided {
            column,
            name: &sql_name(column),
            numbers: &numbers,
            is_left: numbers[numbers.len() - 1] > 0.0,
            has_zero: self.zero,
        };
        Err(scale.error())
    }
}

/// Numbers of which none is for the other side.
struct OneSided<'a> {
    column: &'a str,
    /// The column as it is written in SQL.
    name: &'a str,
    /// Sorted; at least two.
    numbers: &'a [f64],
    /// Whether the numbers are above 0.
    is_left: bool,
    has_zero: bool,
}

impl OneSided<'_> {
    fn error(&self) -> Error {
        let (side, other, beyond) = match self.is_left {
            true => ("left", "right", "below"),
            false => ("right", "left", "above"),
        };
        let every = match self.has_zero {
            true => format!("no vote would be for the {other} item"),
            false => format!("every vote would be for the {side} item"),
        };
        let remedy = match self.numbers {
            [_, _] if self.has_zero => self.remedy_for_no_and_yes(side, other),
            [_, _] => self.remedy_for_two_codes() + &winners(side),
            _ => self.remedy_for_scale() + &winners(side),
        };
        Error::votes(format!(
            "column \"{}\" holds {} and none {beyond} 0, so that {every}: a number above 0 is a vote \
             for the left item, one below 0 for the right item, 0 is a tie. {remedy}",
            self.column,
            listed(self.numbers)
        ))
    }

    fn remedy_for_no_and_yes(&self, side: &str, other: &str) -> String {
        let name = self.name;
        let (number, boolean) = match self.is_left {
            true => (self.numbers[1], "="),
            false => (self.numbers[0], "<>"),
        };
        format!(
            "If {number} means {side} and 0 means {other}, write CASE WHEN {name} = {number} THEN \
             '{side}' ELSE '{other}' END (in DuckDB {name} {boolean} {number} does it too). If 0 does \
             mean a tie, write CASE WHEN {name} = {number} THEN '{side}' ELSE 'tie' END"
        )
    }

    fn remedy_for_two_codes(&self) -> String {
        let (name, first, second) = (self.name, self.numbers[0], self.numbers[1]);
        format!(
            "If {first} means left and {second} means right, write CASE WHEN {name} = {first} THEN \
             'left' ELSE 'right' END. "
        )
    }

    fn remedy_for_scale(&self) -> String {
        let (name, numbers) = (self.name, self.numbers);
        let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
        let middle = 0.5 * low + 0.5 * high;
        let sign = if middle < 0.0 { '+' } else { '-' };
        let mut remedy = format!(
            "If this is a scale from {low} to {high}, subtract its middle: write {name} {sign} {} \
             where large numbers mean left, {middle} - {name} where they mean right. ",
            middle.abs()
        );
        if let [left, right, _] = numbers {
            remedy += &format!(
                "If they are codes, say what each means: for example CASE {name} WHEN {left} THEN \
                 'left' WHEN {right} THEN 'right' ELSE 'tie' END. "
            );
        }
        remedy
    }
}

/// How to give strengths of winners so that they cannot be taken for a scale.
fn winners(side: &str) -> String {
    format!(
        "If the {side} item always won and the number says by how much, put the items of each vote \
         in the order of their ids, make the number negative where the right one won, and set \
         position_bias to false"
    )
}

/// "the numbers 1, 2 and 3", or how many there are if they are many.
fn listed(numbers: &[f64]) -> String {
    let (last, others) = numbers.split_last().expect("at least two");
    if numbers.len() > MAX_LISTED {
        let count = numbers.len();
        return format!("{count} different numbers from {} to {last}", numbers[0]);
    }
    let others: Vec<String> = others.iter().map(f64::to_string).collect();
    format!("the numbers {} and {last}", others.join(", "))
}

/// A column as it is written in SQL: quoted where it must be.
pub(super) fn sql_name(column: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if column.chars().all(is_word) && !column.starts_with(|c: char| c.is_ascii_digit()) {
        column.into()
    } else {
        format!("\"{}\"", column.replace('"', "\"\""))
    }
}
