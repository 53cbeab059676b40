//! Numbers and ids as bytes.
//!
//! A number is a varint: seven bits a byte, the lowest first, the eighth bit set if more
//! bytes follow. There is one way to write a number: a last byte of 0 is refused.

use crate::blob::BlobKind;
use crate::error::{Error, Result};
use crate::votes::ids::{IdRef, IdType, Ids};

/// The error for a state that no votes have.
pub fn damaged() -> Error {
    BlobKind::State.damaged()
}

/// Appends a number.
pub fn write_number(out: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a length.
pub fn write_length(out: &mut Vec<u8>, length: usize) {
    write_number(out, length as u128);
}

/// Appends ascending integers without their number: the first with its sign in the lowest
/// bit, the others as the difference to the one before, less 1.
pub fn write_ascending(out: &mut Vec<u8>, integers: impl Iterator<Item = i128>) {
    let mut last: Option<i128> = None;
    for integer in integers {
        let number = match last {
            None => ((integer << 1) ^ (integer >> 127)) as u128,
            Some(last) => (integer as u128).wrapping_sub(last as u128) - 1,
        };
        write_number(out, number);
        last = Some(integer);
    }
}

/// Appends ids: how many integers and how many texts, their type if there are any, the
/// integers, and each text after its length.
pub fn write_ids(out: &mut Vec<u8>, ids: &Ids) {
    write_length(out, ids.ints.len());
    write_length(out, ids.ends.len());
    if !ids.is_empty() {
        out.push(ids.id_type.code());
    }
    write_ascending(out, ids.ints.iter().copied());
    for index in ids.ints.len()..ids.len() {
        if let IdRef::Text(text) = ids.get(index) {
            write_length(out, text.len());
            out.extend(text.as_bytes());
        }
    }
}

/// The bytes of a state that are not read yet.
#[derive(Clone)]
pub struct StateReader<'a>(pub &'a [u8]);

impl<'a> StateReader<'a> {
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// A number.
    #[inline]
    pub fn number(&mut self) -> Result<u128> {
        match self.0 {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.0 = rest;
                Ok(u128::from(*byte))
            }
            _ => self.long_number(),
        }
    }

    /// A number of several bytes.
    fn long_number(&mut self) -> Result<u128> {
        let mut number = 0;
        for shift in (0..u128::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(damaged());
            }
            number |= bits << shift;
            if byte < 0x80 {
                return if byte == 0 {
                    Err(damaged())
                } else {
                    Ok(number)
                };
            }
        }
        Err(damaged())
    }

    /// A number of at most 64 bits.
    pub fn small_number(&mut self) -> Result<u64> {
        u64::try_from(self.number()?).map_err(|_| damaged())
    }

    /// How many elements of at least `min_size` bytes follow: no more than there are bytes.
    pub fn length(&mut self, min_size: usize) -> Result<usize> {
        let length = usize::try_from(self.number()?).map_err(|_| damaged())?;
        let size = length.checked_mul(min_size);
        match size.is_some_and(|size| size <= self.0.len()) {
            true => Ok(length),
            false => Err(damaged()),
        }
    }

    /// So many ascending integers.
    pub fn ascending(&mut self, count: usize) -> Result<Vec<i128>> {
        let mut integers: Vec<i128> = Vec::with_capacity(count);
        for _ in 0..count {
            let number = self.number()?;
            let next = match integers.last() {
                None => Some((number >> 1) as i128 ^ -((number & 1) as i128)),
                Some(last) => last
                    .checked_add_unsigned(number)
                    .and_then(|next| next.checked_add(1)),
            };
            integers.push(next.ok_or_else(damaged)?);
        }
        Ok(integers)
    }

    /// Ids in canonical order.
    pub fn ids(&mut self) -> Result<Ids> {
        let (integers, texts) = (self.length(1)?, self.length(1)?);
        let mut ids = Ids::new(IdType::Text);
        if integers.saturating_add(texts) > 0 {
            ids.id_type = IdType::from_code(self.byte()?).ok_or_else(damaged)?;
        }
        ids.ints = self.ascending(integers)?;
        let mut last = None;
        for _ in 0..texts {
            let length = self.length(1)?;
            let text = std::str::from_utf8(self.take(length)?).map_err(|_| damaged())?;
            if last.is_some_and(|last| last >= text) {
                return Err(damaged());
            }
            ids.push(IdRef::Text(text));
            last = Some(text);
        }
        match ids.fit_their_type() {
            true => Ok(ids),
            false => Err(damaged()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_one_way() {
        for number in [0, 1, 127, 128, 300, 1 << 63, u128::MAX - 1, u128::MAX] {
            let mut bytes = Vec::new();
            write_number(&mut bytes, number);
            let mut reader = StateReader(&bytes);
            assert_eq!(reader.number().unwrap(), number);
            assert!(reader.0.is_empty());
            // The same number with a byte more.
            *bytes.last_mut().unwrap() |= 0x80;
            bytes.push(0);
            assert!(StateReader(&bytes).number().is_err(), "{number}");
        }
        assert!(StateReader(&[0xff; 30]).number().is_err());
        assert!(StateReader(&[]).number().is_err());
    }

    #[test]
    fn integers_of_any_size_ascend() {
        for integers in [
            vec![i128::MIN, -1, 0, 1, i128::MAX],
            vec![i128::MIN, i128::MAX],
            vec![-7],
            vec![],
        ] {
            let mut bytes = Vec::new();
            write_ascending(&mut bytes, integers.iter().copied());
            let read = StateReader(&bytes).ascending(integers.len());
            assert_eq!(read.unwrap(), integers);
        }
        // One more than the largest.
        let mut bytes = Vec::new();
        write_ascending(&mut bytes, [i128::MAX].into_iter());
        bytes.push(0);
        assert!(StateReader(&bytes).ascending(2).is_err());
    }
}
