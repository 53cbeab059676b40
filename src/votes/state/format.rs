//! A state as bytes and back.

use super::bytes::{StateReader, damaged, write_ascending, write_ids, write_length, write_number};
use super::count::refuse_more_than_max;
use super::counted::{CountedVotes, Levels, MAX_SKIPPED, SIDES, VoteShape, row_format};
use super::rows::RowReader;
use crate::blob::BlobKind;
use crate::error::Result;
use crate::votes::choice::{MAX_MAGNITUDE, MIN_WEIGHT};
use crate::votes::ids::{IdType, Ids, MAX_IDS};
use crate::votes::numbers::NumbersSeen;

const FORMAT: u32 = 1;

/// What a bit of the flags says.
const HAS_ANNOTATORS: u8 = 1;
const HAS_SIDES: u8 = 2;
const IS_WEIGHTED: u8 = 4;
const HAS_FOLDS: u8 = 8;
const IS_GRADED: u8 = 16;
const SAW_ZERO: u8 = 32;
const SAW_NONZERO: u8 = 64;
const UNUSED: u8 = 128;

impl CountedVotes {
    /// The state as bytes: the same for the same votes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut payload = vec![self.flags()];
        write_number(&mut payload, self.skipped.into());
        write_ids(&mut payload, &self.items);
        if self.shape.has_annotators {
            write_ids(&mut payload, &self.annotators);
        }
        let graded = self.levels.are_graded();
        for (has, numbers) in [
            (graded, &self.levels.choices),
            (self.shape.is_weighted, &self.levels.weights),
        ] {
            if has {
                write_length(&mut payload, numbers.len());
                payload.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
        if self.shape.has_folds {
            write_length(&mut payload, self.levels.folds.len());
            let folds = self.levels.folds.iter();
            write_ascending(&mut payload, folds.map(|fold| i128::from(*fold)));
        }
        payload.extend(&self.rows);
        BlobKind::State.seal(FORMAT, &payload)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. Anything else is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = StateReader(BlobKind::State.open(FORMAT, bytes)?);
        let flags = from.byte()?;
        let has = |flag: u8| flags & flag != 0;
        let shape = VoteShape {
            has_annotators: has(HAS_ANNOTATORS),
            has_sides: has(HAS_SIDES),
            is_weighted: has(IS_WEIGHTED),
            has_folds: has(HAS_FOLDS),
        };
        let skipped = from.small_number()?;
        let items = from.ids()?;
        let annotators = match shape.has_annotators {
            true => from.ids()?,
            false => Ids::new(IdType::Text),
        };
        let levels = Levels {
            choices: numbers(&mut from, has(IS_GRADED))?,
            weights: numbers(&mut from, shape.is_weighted)?,
            folds: folds(&mut from, shape.has_folds)?,
        };
        let too_many = items.len().max(annotators.len()) > MAX_IDS;
        let is_graded = levels.are_graded() == has(IS_GRADED);
        if has(UNUSED) || skipped > MAX_SKIPPED || too_many || !is_graded {
            return Err(damaged());
        }
        let mut state = Self {
            shape,
            numbers: NumbersSeen {
                zero: has(SAW_ZERO),
                nonzero: has(SAW_NONZERO),
            },
            skipped,
            annotators,
            items,
            levels,
            rows: from.0.to_vec(),
            different: 0,
            cast: 0,
        };
        state.check_rows()?;
        match state.has_valid_choices() && state.has_valid_weights() {
            true => Ok(state),
            false => Err(damaged()),
        }
    }

    fn flags(&self) -> u8 {
        let flags = [
            (HAS_ANNOTATORS, self.shape.has_annotators),
            (HAS_SIDES, self.shape.has_sides),
            (IS_WEIGHTED, self.shape.is_weighted),
            (HAS_FOLDS, self.shape.has_folds),
            (IS_GRADED, self.levels.are_graded()),
            (SAW_ZERO, self.numbers.zero),
            (SAW_NONZERO, self.numbers.nonzero),
        ];
        let set = flags.into_iter().filter(|(_, is_set)| *is_set);
        set.fold(0, |flags, (flag, _)| flags | flag)
    }

    /// Reads all votes once: counts them, and checks that every item and level is of some vote.
    fn check_rows(&mut self) -> Result<()> {
        let format = row_format(self.shape, &self.annotators, &self.items, &self.levels);
        let mut items = vec![false; format.items];
        let mut choices = vec![false; self.levels.numbered_choices().len()];
        let mut weights = vec![false; self.levels.weights.len()];
        let mut folds = vec![false; self.levels.folds.len()];
        let mut rows = RowReader::new(format, &self.rows);
        let (mut different, mut cast) = (0, 0_u64);
        while let Some((vote, times)) = rows.next()? {
            different += 1;
            cast = cast.saturating_add(times);
            items[vote.left as usize] = true;
            items[vote.right as usize] = true;
            choices[vote.choice as usize] = true;
            // Of what no vote has, the only number is 0.
            [(&mut weights, vote.weight), (&mut folds, vote.fold)]
                .into_iter()
                .filter_map(|(seen, level)| seen.get_mut(level as usize))
                .for_each(|seen| *seen = true);
        }
        refuse_more_than_max(cast)?;
        if !self.levels.are_graded() {
            let cast = SIDES.into_iter().zip(&choices).filter(|(_, cast)| **cast);
            self.levels.choices = cast.map(|(side, _)| side).collect();
            choices.clear();
        }
        let seen = [items, choices, weights, folds];
        (self.different, self.cast) = (different, cast);
        match seen.iter().flatten().all(|seen| *seen) {
            true => Ok(()),
            false => Err(damaged()),
        }
    }

    /// Whether rows can have these choices, and choices that came as numbers.
    fn has_valid_choices(&self) -> bool {
        let choices = &self.levels.choices;
        let NumbersSeen { zero, nonzero } = self.numbers;
        let is_usable = |choice: &f64| {
            choice.abs() <= MAX_MAGNITUDE && (*choice != 0.0 || choice.is_sign_positive())
        };
        let has_nonzero = choices.iter().any(|choice| *choice != 0.0);
        choices.iter().all(is_usable)
            && (!zero || choices.contains(&0.0))
            && (!nonzero || has_nonzero)
            && (nonzero || !self.levels.are_graded())
            && (self.shape.has_sides || !zero && !nonzero && choices.iter().all(|c| *c == 1.0))
    }

    fn has_valid_weights(&self) -> bool {
        let is_weight = |weight: &f64| (MIN_WEIGHT..=MAX_MAGNITUDE).contains(weight);
        self.levels.weights.iter().all(is_weight)
    }
}

/// Numbers that ascend; none if they are not there.
fn numbers(from: &mut StateReader<'_>, are_there: bool) -> Result<Vec<f64>> {
    if !are_there {
        return Ok(Vec::new());
    }
    let count = from.length(size_of::<f64>())?;
    let bytes = from.take(count * size_of::<f64>())?.as_chunks().0;
    let numbers: Vec<f64> = bytes
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
        .collect();
    match numbers.is_sorted_by(|a, b| a < b) && numbers.iter().all(|number| number.is_finite()) {
        true => Ok(numbers),
        false => Err(damaged()),
    }
}

/// Folds that ascend; none if they are not there.
fn folds(from: &mut StateReader<'_>, are_there: bool) -> Result<Vec<i64>> {
    if !are_there {
        return Ok(Vec::new());
    }
    let count = from.length(1)?;
    let folds = from.ascending(count)?.into_iter();
    let folds: Result<Vec<i64>, _> = folds.map(i64::try_from).collect();
    folds.map_err(|_| damaged())
}
