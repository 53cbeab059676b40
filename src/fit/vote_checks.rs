//! Votes that are refused before anything is computed.

use crate::error::{Error, Result};
use crate::options::{Loss, Options};
use crate::votes::Votes;

/// Refuses votes of which nobody knows who cast them, if a part of them is here: ranks have
/// the votes of different annotators.
pub(super) fn refuse_unknown_annotators(votes: &Votes) -> Result<()> {
    let comparisons = &votes.comparisons;
    if comparisons.has_annotators() || comparisons.partition().is_complete() {
        return Ok(());
    }
    Err(Error::votes(
        "votes without annotators need all votes in one process: processes share a table by \
         annotators",
    ))
}

/// Refuses a table of winners and losers: taken for left and right, everybody would
/// seem to click left. Where choices are strengths, ties do not make it another table.
pub(super) fn refuse_one_sided(votes: &Votes, options: &Options) -> Result<()> {
    let choice = votes.columns.choice_name();
    let votes = &votes.comparisons;
    if !options.has_position_bias() {
        return Ok(());
    }
    let here = |is_one: fn(f64) -> bool| (0..votes.len()).any(|row| is_one(votes.get(row).choice));
    let partition = votes.partition();
    let [count, left, right, ties] = partition.total([
        votes.len() as u64,
        u64::from(here(|y| y > 0.0)),
        u64::from(here(|y| y < 0.0)),
        u64::from(here(|y| y == 0.0)),
    ])?;
    let (chosen, other) = match (left > 0, right > 0) {
        _ if count < 2 => return Ok(()),
        (true, false) => ("left", "right"),
        (false, true) => ("right", "left"),
        _ => return Ok(()),
    };
    let mut strengths = partition.gather(&votes.choice.distinct_nonzero(1))?;
    strengths.sort_unstable_by(f64::total_cmp);
    strengths.dedup();
    if strengths.len() > 1 {
        return Err(Error::votes(format!(
            "none of the {count} votes is for the {other} item. If the {chosen} item always won and \
             the number says by how much, set position_bias to false: such a table does not say who \
             stood on which side. If column \"{choice}\" is a scale, subtract its middle, so that \
             numbers below 0 are votes for the right item"
        )));
    }
    if ties > 0 {
        return Ok(()); // ties that are said to be ties
    }
    Err(Error::votes(format!(
        "every one of the {count} votes is for the {chosen} item: this looks like a table of winners \
         ({chosen}) and losers ({other}), which does not say who stood on which side; set \
         position_bias to false for such a table"
    )))
}

/// Refuses choices that are no soft labels: with losses other than the squared one, 1 is a
/// win of the left item and -1 one of the right item.
pub(super) fn refuse_strong_choices(votes: &Votes, options: &Options) -> Result<()> {
    let comparisons = &votes.comparisons;
    if options.loss == Loss::Squared || !comparisons.is_graded() {
        return Ok(());
    }
    let sizes = (0..comparisons.len()).map(|row| comparisons.get(row).choice.abs());
    let (count, largest) = sizes.fold((0, 1.0f64), |(count, largest), size| {
        (count + u64::from(size > 1.0), largest.max(size))
    });
    let partition = comparisons.partition();
    let [count, rows] = partition.total([count, comparisons.len() as u64])?;
    if count == 0 {
        return Ok(());
    }
    let [largest] = partition.max([largest])?;
    let column = votes.columns.choice_name();
    Err(Error::votes(format!(
        "with loss = '{}' a choice is from -1, a win of the right item, to 1, a win of the left \
         item; {count} of {rows} choices in column \"{column}\" are beyond: divide them by the \
         largest, {largest}, or set loss to 'squared', where a choice may have any strength",
        options.loss,
    )))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::votes::rank_tables::assert_same_on_ranks;
    use crate::votes::{Choices, Comparisons, Partition};
    use crate::{ChoiceRef, IdRef, IdType, Row, VoteBuilder};

    fn votes(choice: impl Fn(i128) -> f64) -> Votes {
        let mut builder = VoteBuilder::new(&Options::default());
        builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
        for k in 0..80i128 {
            let row = Row {
                annotator: Some(IdRef::Int(k / 4)),
                left: Some(IdRef::Int(k % 3)),
                right: Some(IdRef::Int(k % 3 + 1)),
                choice: Some(match choice(k) {
                    0.0 => ChoiceRef::Text("tie"),
                    number => ChoiceRef::Number(number),
                }),
                weight: None,
                fold: None,
            };
            builder.push(row).unwrap();
        }
        let mut votes = builder.finish().unwrap();
        let partition = Partition::with_blocks(&votes.comparisons.offsets, 8);
        votes.comparisons = votes.comparisons.in_blocks(Arc::new(partition));
        votes
    }

    /// What a check says on all ranks.
    fn said(votes: &Votes, check: impl Fn(&Votes) -> Result<()> + Sync) -> Option<String> {
        assert_same_on_ranks(&votes.comparisons, |comparisons: &Comparisons, _| {
            let own = Votes {
                comparisons: comparisons.clone(),
                ..votes.clone()
            };
            check(&own).err().map(|error| error.to_string())
        })
    }

    #[test]
    fn ranks_refuse_the_same_votes() {
        let options = Options {
            position_bias: Some(true),
            ..Options::default()
        };
        let one_sided = |choice: fn(i128) -> f64| {
            said(&votes(choice), |votes| refuse_one_sided(votes, &options))
        };
        let winners = one_sided(|_| 1.0).unwrap();
        assert!(winners.contains("every one of the 80 votes is for the left item"));
        // The other side, a tie and another strength are on the last rank alone.
        assert_eq!(one_sided(|k| if k == 78 { -1.0 } else { 1.0 }), None);
        assert_eq!(one_sided(|k| if k == 78 { 0.0 } else { 1.0 }), None);
        let mut strengths = votes(|k| if k == 78 { -2.5 } else { 1.0 });
        let choice = |row| strengths.comparisons.get(row).choice.abs();
        strengths.comparisons.choice = Choices::Graded((0..80).map(choice).collect());
        let strong = said(&strengths, |votes| refuse_one_sided(votes, &options)).unwrap();
        assert!(strong.contains("none of the 80 votes is for the right item"));
        let options = Options {
            loss: Loss::Logistic,
            ..Options::default()
        };
        let strong = |votes: &Votes| refuse_strong_choices(votes, &options);
        let found = said(&votes(|k| [0.5, -3.0][usize::from(k == 7)]), strong).unwrap();
        assert!(found.contains("1 of 80 choices") && found.contains("largest, 3,"));
        assert_eq!(said(&votes(|_| 0.5), strong), None);
    }

    #[test]
    fn unknown_annotators_are_refused_on_ranks() {
        let mut votes = votes(|_| 1.0);
        votes.comparisons.has_annotators = false;
        refuse_unknown_annotators(&votes).unwrap();
        let errors = crate::collective::in_process::run_ranks(2, |collective| {
            let mut comparisons = votes.comparisons.of_rank(collective);
            comparisons.has_annotators = false;
            let own = Votes {
                comparisons,
                ..votes.clone()
            };
            refuse_unknown_annotators(&own).unwrap_err().to_string()
        });
        assert!(errors[1].contains("need all votes in one process"));
    }
}
