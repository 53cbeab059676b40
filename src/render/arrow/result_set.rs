//! The result sets by name.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::execution::FitExtent;
use crate::options::from_name;

/// A result set of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultSet {
    /// The consensus: one row an item.
    Ranking,
    /// Who is biased and who deviates: one row an annotator.
    Annotators,
    /// The rankings of those who deviate: one row an annotator and item.
    Personal,
    /// The regularisation path in long format.
    Path,
    /// The cross-validation curve: one row a grid time.
    Cv,
    /// One row about the fit.
    Summary,
    /// What the ranking leaves unexplained: one row a compared pair.
    Cycles,
    /// The worst triangles.
    Triangles,
    /// Head to head: one row a pair of the best items.
    Compare,
    /// The pairs worth asking next.
    Next,
}

impl ResultSet {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Ranking,
        Self::Annotators,
        Self::Personal,
        Self::Path,
        Self::Cv,
        Self::Summary,
        Self::Cycles,
        Self::Triangles,
        Self::Compare,
        Self::Next,
    ];

    /// The name that SQL users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranking => "ranking",
            Self::Annotators => "annotators",
            Self::Personal => "personal",
            Self::Path => "path",
            Self::Cv => "cv",
            Self::Summary => "summary",
            Self::Cycles => "cycles",
            Self::Triangles => "triangles",
            Self::Compare => "compare",
            Self::Next => "next",
        }
    }
}

impl ResultSet {
    /// How far a fit has to go for this set.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn extent(self) -> FitExtent {
        match self {
            // Annotators come with the times at which their effects enter, the summary with
            // what their tests say of the crowd.
            Self::Annotators | Self::Path | Self::Summary => FitExtent::WholePath,
            Self::Cv => FitExtent::WholeCurve,
            Self::Ranking
            | Self::Personal
            | Self::Cycles
            | Self::Triangles
            | Self::Compare
            | Self::Next => FitExtent::ChosenTime,
        }
    }
}

impl fmt::Display for ResultSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ResultSet {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        from_name(&Self::ALL, Self::name, "result set", name)
    }
}
