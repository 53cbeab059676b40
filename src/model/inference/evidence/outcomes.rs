//! Votes as the tests read them: choices of about 1, and how they depend on scores.
//!
//! Where all choices are sides and ties, the expected choice of somebody with the
//! sharpness s is logistic, tanh(s·x/2) for a difference x of Bradley–Terry scores.
//! Where choices have strengths, it is linear, s·x for a difference x of HodgeRank
//! scores. Strengths are divided by their median and cut off at [`MAX_STRENGTH`], so
//! that one mistyped vote does not decide what is said of anybody.

use std::borrow::Cow;

use crate::error::Result;
use crate::linalg::simd::Lanes;
use crate::linalg::special;
use crate::model::table_median::median_of_table;
use crate::votes::{Choices, Comparison, Comparisons};

/// Strengths are cut off at this multiple of their median: 3.4 standard deviations of
/// a normal distribution.
const MAX_STRENGTH: f64 = 5.0;

/// How the expected choice depends on the difference of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Logistic,
    Linear,
}

impl Link {
    /// The expected choice at a linear predictor.
    #[cfg(test)]
    pub fn mean(self, predictor: f64) -> f64 {
        match self {
            Self::Logistic => tanh(0.5 * predictor),
            Self::Linear => predictor,
        }
    }

    /// The derivative of the expected choice, given the expected choice.
    pub fn slope(self, mean: f64) -> f64 {
        match self {
            Self::Logistic => 0.5 * (1.0 - mean * mean),
            Self::Linear => 1.0,
        }
    }

    /// [`mean`](Self::mean), four at a time.
    #[inline(always)]
    pub fn means<L: Lanes>(self, lanes: L, predictor: L::Register) -> L::Register {
        match self {
            Self::Logistic => special::tanh(lanes, lanes.multiply(lanes.splat(0.5), predictor)),
            Self::Linear => predictor,
        }
    }

    /// [`slope`](Self::slope), four at a time.
    #[inline(always)]
    pub fn slopes<L: Lanes>(self, lanes: L, mean: L::Register) -> L::Register {
        match self {
            Self::Logistic => {
                let variance = lanes.subtract(lanes.splat(1.0), lanes.multiply(mean, mean));
                lanes.multiply(lanes.splat(0.5), variance)
            }
            Self::Linear => lanes.splat(1.0),
        }
    }
}

/// The hyperbolic tangent, with the same bits on every platform.
pub(super) fn tanh(z: f64) -> f64 {
    let decay = libm::exp(-2.0 * z.abs());
    ((1.0 - decay) / (1.0 + decay)).copysign(z)
}

/// The votes with choices of about 1, and the link that fits those of the table.
pub(super) fn outcomes(votes: &Comparisons) -> Result<(Cow<'_, Comparisons>, Link)> {
    let strengths = || {
        let choices = (0..votes.len()).map(|row| votes.get(row).choice.abs());
        choices.filter(|&strength| strength > 0.0)
    };
    let partition = votes.partition();
    let (smallest, largest) = match &votes.choice {
        Choices::Sides(sides) if sides.iter().any(|&side| side != 0) => (1.0, 1.0),
        _ => strengths().fold((f64::INFINITY, 0.0), |(low, high), strength| {
            (f64::min(low, strength), f64::max(high, strength))
        }),
    };
    let [largest, smallest] = partition.max([largest, -smallest])?;
    let smallest = -smallest;
    let (unit, cut_off, link) = if smallest >= largest {
        (largest, f64::INFINITY, Link::Logistic)
    } else {
        let unit = median_of_table(&partition, strengths)?;
        (unit, MAX_STRENGTH, Link::Linear)
    };
    if unit == 1.0 && largest <= cut_off || largest == 0.0 {
        return Ok((Cow::Borrowed(votes), link));
    }
    let mut scaled = Comparisons::with_capacity(
        votes.items(),
        votes.len(),
        link == Link::Linear,
        votes.is_weighted(),
    );
    for annotator in 0..votes.annotators() {
        for vote in votes.of(annotator) {
            let choice = (vote.choice / unit).clamp(-cut_off, cut_off);
            scaled.push(Comparison { choice, ..vote });
        }
        scaled.end_annotator();
    }
    Ok((Cow::Owned(scaled.in_blocks(partition)), link))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(choices: &[f64]) -> (Vec<f64>, Link) {
        let mut votes = Comparisons::with_capacity(2, 0, true, false);
        votes.push_annotator(choices.iter().map(|&choice| (0, 1, choice, 1.0)));
        let (votes, link) = outcomes(&votes).unwrap();
        (votes.of(0).map(|vote| vote.choice).collect(), link)
    }

    #[test]
    fn sides_of_any_size_are_logistic() {
        assert_eq!(
            read(&[3.0, -3.0, 0.0]),
            (vec![1.0, -1.0, 0.0], Link::Logistic)
        );
        assert_eq!(read(&[0.0, 0.0]).0, [0.0, 0.0]);
    }

    #[test]
    fn a_mistyped_strength_is_cut_off() {
        let (choices, link) = read(&[2.0, -2.0, 1.0, 2.0, 1000.0]);
        assert_eq!(choices, [1.0, -1.0, 0.5, 1.0, 5.0]);
        assert_eq!(link, Link::Linear);
    }
}
