//! me_hodgerank
mod error;
pub mod model;
mod options;
mod run;
pub mod votes;
pub use error::{Error, ErrorKind, Result};
pub use options::{Columns, OnBadRow, Options, ThetaUpdate};
pub use run::{Poll, Run, Stop};
