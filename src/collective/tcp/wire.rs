//! What goes over a connection.

use std::io::{self, Read, Write};

use crate::collective::BlockSum;
use crate::error::{Error, ErrorKind, Result};

/// The beginning of a connection: the protocol and its version.
pub const MAGIC: [u8; 8] = *b"mehodge1";

/// Nothing that a rank sends at once is longer: a table of pairs, or what is gathered.
const MAX_BYTES: u64 = 1 << 40;

/// What is done with the bytes of all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// They are sums over blocks, to be added up.
    Reduce,
    /// They are passed on.
    Gather,
    /// The rank has failed; the bytes say why.
    Fail,
}

impl Exchange {
    const ALL: [Self; 3] = [Self::Reduce, Self::Gather, Self::Fail];

    pub fn number(self) -> u64 {
        self as u64
    }

    pub fn from_number(number: u64) -> io::Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.number() == number);
        found.ok_or_else(|| malformed("an unknown exchange"))
    }
}

pub fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}

/// An error of the connection, in words for the one who runs the fit.
pub fn lost(error: &io::Error) -> Error {
    Error::new(
        ErrorKind::Interrupted,
        format!("the connection to the coordinator of the fit was lost: {error}"),
    )
}

pub fn write_numbers(to: &mut impl Write, numbers: &[u64]) -> io::Result<()> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    to.write_all(&bytes)
}

pub fn read_numbers<const N: usize>(from: &mut impl Read) -> io::Result<[u64; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        let mut bytes = [0; 8];
        from.read_exact(&mut bytes)?;
        *number = u64::from_le_bytes(bytes);
    }
    Ok(numbers)
}

/// Reads so many bytes. Memory is taken as they come: a forged length does not take any.
pub fn read_bytes(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    if length > MAX_BYTES {
        return Err(malformed("a message that is too long"));
    }
    let mut bytes = Vec::new();
    let read = from.take(length).read_to_end(&mut bytes)?;
    match read as u64 == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Sums over blocks as bytes.
pub fn encode_sums(sums: &[BlockSum]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for BlockSum { blocks, values } in sums {
        for number in [blocks.start, blocks.end, values.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }
    bytes
}

pub fn decode_sums(mut bytes: &[u8]) -> io::Result<Vec<BlockSum>> {
    let mut sums = Vec::new();
    while !bytes.is_empty() {
        let [start, end, length] = read_numbers(&mut bytes)?;
        let values = length.checked_mul(8).ok_or_else(|| malformed("a sum"))?;
        let values = read_bytes(&mut bytes, values)?;
        sums.push(BlockSum {
            blocks: start as usize..end as usize,
            values: decode_values(&values),
        });
    }
    Ok(sums)
}

pub fn encode_values(values: &[f64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

pub fn decode_values(bytes: &[u8]) -> Vec<f64> {
    let values = bytes.as_chunks::<8>().0.iter();
    values.map(|bytes| f64::from_le_bytes(*bytes)).collect()
}

/// What all ranks passed, as bytes.
pub fn encode_parts(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

pub fn decode_parts(mut bytes: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let [length] = read_numbers(&mut bytes)?;
        parts.push(read_bytes(&mut bytes, length)?);
    }
    Ok(parts)
}

/// A result of reading, as ours.
pub fn ours<T>(result: io::Result<T>) -> Result<T> {
    result.map_err(|error| lost(&error))
}
