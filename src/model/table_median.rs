//! The median of numbers that several ranks have.

use super::distributions::median;
use crate::error::Result;
use crate::votes::Partition;

/// Numbers are counted by so many bits at a time.
const BITS: u32 = 8;

/// The median over all ranks; NaN without any number.
pub fn median_of_table<I: Iterator<Item = f64>>(
    partition: &Partition,
    values: impl Fn() -> I,
) -> Result<f64> {
    if partition.is_complete() {
        return Ok(median(values()));
    }
    let [count] = partition.total([values().count() as u64])?;
    if count == 0 {
        return Ok(f64::NAN);
    }
    let upper = order_statistic(partition, count / 2, &values)?;
    let lower = match count % 2 {
        1 => upper,
        _ => order_statistic(partition, count / 2 - 1, &values)?,
    };
    Ok((upper + lower) / 2.0)
}

/// The number before which so many come, in order: its first bits, then the next ones, by how
/// many numbers have them.
fn order_statistic<I: Iterator<Item = f64>>(
    partition: &Partition,
    mut before: u64,
    values: &impl Fn() -> I,
) -> Result<f64> {
    let mut found = 0;
    for shift in (0..u64::BITS).step_by(BITS as usize).rev() {
        let mut counts = vec![0.0; 1 << BITS];
        let is_begun =
            |key: &u64| shift + BITS == u64::BITS || (key ^ found) >> (shift + BITS) == 0;
        for key in values().map(key).filter(is_begun) {
            counts[(key >> shift) as usize & ((1 << BITS) - 1)] += 1.0;
        }
        let mut total = vec![0.0; 1 << BITS];
        for (k, count) in partition.gather(&counts)?.into_iter().enumerate() {
            total[k % (1 << BITS)] += count;
        }
        let mut next = 0;
        while before >= total[next] as u64 {
            before -= total[next] as u64;
            next += 1;
        }
        found |= (next as u64) << shift;
    }
    Ok(number(found))
}

/// An integer for each number, in the same order.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    match number.is_sign_negative() {
        true => !bits,
        false => bits | 1 << 63,
    }
}

/// The number that has this key.
fn number(key: u64) -> f64 {
    match key >> 63 {
        0 => f64::from_bits(!key),
        _ => f64::from_bits(key ^ 1 << 63),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::votes::Comparisons;
    use crate::votes::rank_tables::{assert_same_on_ranks, tables};

    #[test]
    fn ranks_find_the_same_median() {
        for (_, votes) in tables() {
            let choices = |votes: &Comparisons, limit| {
                let sizes = (0..votes.len()).map(|row| votes.get(row).choice);
                let sizes: Vec<f64> = sizes.filter(|&choice| choice > limit).collect();
                median_of_table(&votes.partition(), || sizes.iter().copied()).unwrap()
            };
            for limit in [-1.0, 0.0, f64::NEG_INFINITY] {
                assert_same_on_ranks(&votes, |votes, _| choices(votes, limit));
            }
            let none = assert_same_on_ranks(&votes, |votes, _| choices(votes, 1e9).is_nan());
            assert!(none);
        }
    }

    #[test]
    fn keys_are_in_the_order_of_numbers() {
        let numbers = [
            f64::NEG_INFINITY,
            -3.5,
            -1e-300,
            -0.0,
            0.0,
            1e-300,
            2.0,
            1e300,
        ];
        assert!(numbers.map(key).is_sorted());
        assert!(
            numbers
                .iter()
                .all(|&x| number(key(x)).to_bits() == x.to_bits())
        );
    }
}
