//! What the BLOBs of this library begin with.
//!
//! ```text
//! magic 8 | format version u32 | checksum 16 | payload
//! ```
//!
//! The checksum is the first half of the BLAKE3 hash of the payload. It tells a BLOB that was
//! damaged from one that was not; it keeps nobody from making one up, so that what the payload
//! says is checked too.

use crate::error::{Error, ErrorKind, Result};

/// A kind of BLOB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlobKind {
    /// A fit.
    Model,
    /// Votes, to be merged with others and fitted.
    State,
}

/// Magic, format version and checksum.
const HEADER_LEN: usize = 8 + 4 + 16;

impl BlobKind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Model => b"MEHODGE\n",
            Self::State => b"MEVOTES\n",
        }
    }

    fn error(self, message: impl Into<String>) -> Error {
        let kind = match self {
            Self::Model => ErrorKind::Model,
            Self::State => ErrorKind::State,
        };
        Error::new(kind, message)
    }

    /// A payload of a format as bytes.
    pub fn seal(self, format: u32, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_LEN + payload.len());
        bytes.extend(self.magic());
        bytes.extend(format.to_le_bytes());
        bytes.extend(checksum(payload));
        bytes.extend(payload);
        bytes
    }

    /// The payload of bytes that [`seal`](Self::seal) made.
    pub fn open(self, format: u32, bytes: &[u8]) -> Result<&[u8]> {
        let (header, payload) = bytes
            .split_at_checked(HEADER_LEN)
            .filter(|(header, _)| header.starts_with(self.magic()))
            .ok_or_else(|| self.is_another(bytes))?;
        let found = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
        if found != format {
            let (name, again) = match self {
                Self::Model => ("model", "fit it again"),
                Self::State => ("state", "collect its votes again"),
            };
            return Err(self.error(format!(
                "this {name} has format {found}; this version of me_hodgerank reads format \
                 {format}: {again}"
            )));
        }
        match checksum(payload) == header[12..] {
            true => Ok(payload),
            false => Err(self.damaged()),
        }
    }

    /// The error for bytes of another kind.
    fn is_another(self, bytes: &[u8]) -> Error {
        let is = |kind: Self| bytes.starts_with(kind.magic());
        self.error(match self {
            Self::Model if is(Self::State) => {
                "this is a state of votes, not a model: me_hodgerank_model makes a model of states"
            }
            Self::Model => "this is not a model made by me_hodgerank_model",
            Self::State if is(Self::Model) => {
                "this is a model, not a state of votes: me_hodgerank_collect makes states, and a \
                 model does not hold the votes any more"
            }
            Self::State => "this is not a state of votes made by me_hodgerank_collect",
        })
    }

    /// The error for bytes that are not what was written.
    pub fn damaged(self) -> Error {
        self.error(match self {
            Self::Model => "this model is damaged or cut off: fit it again",
            Self::State => "this state of votes is damaged or cut off: collect its votes again",
        })
    }
}

fn checksum(payload: &[u8]) -> [u8; 16] {
    let mut sum = [0; 16];
    sum.copy_from_slice(&blake3::hash(payload).as_bytes()[..16]);
    sum
}
