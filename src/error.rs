//! The one error type: a kind for programs, a sentence for people.

use std::fmt;

/// What went wrong, for a program that wants to react to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option is unknown, of the wrong type or out of range.
    Option,
    /// The votes cannot be used: a column, a row or the table.
    Votes,
    /// The poll of the [`Execution`](crate::Execution) asked to stop.
    Interrupted,
    /// The option `max_seconds`, or the deadline of the
    /// [`Execution`](crate::Execution), has passed.
    TimedOut,
    /// The bytes are not a model written by this library.
    Model,
    /// The bytes are not a state of votes written by this library, or states do not go together.
    State,
    /// A defect of this library.
    Internal,
}

/// An error of this library. Its text says what is wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// A result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn option(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Option, message)
    }

    pub(crate) fn votes(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Votes, message)
    }

    pub(crate) fn state(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::State, message)
    }

    /// The same error of one group of votes among several:
    /// [`VoteBuilder::group`](crate::VoteBuilder) says which.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn in_group(self, group: Option<String>) -> Self {
        match group {
            Some(group) if self.kind != ErrorKind::Interrupted => {
                Self::new(self.kind, format!("{} (in {group})", self.message))
            }
            _ => self,
        }
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
