//! The pictures by name.

use super::canvas::Picture;
use super::{cv, jump_out, matrix, path, personal, ranking};
use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::options::from_name;

/// A picture of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plot {
    /// How far each annotator deviates, along the path.
    PathDeviation,
    /// Each annotator's position bias, along the path.
    PathPositionBias,
    /// The cross-validation curve.
    Cv,
    /// The consensus scores, HodgeRank's beside the model's.
    Ranking,
    /// How far and on how many votes: who entered the path first.
    JumpOut,
    /// The own rankings of those who deviate.
    Personal,
    /// The best items against each other.
    Matrix,
}

impl Plot {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PathDeviation,
        Self::PathPositionBias,
        Self::Cv,
        Self::Ranking,
        Self::JumpOut,
        Self::Personal,
        Self::Matrix,
    ];

    /// Whether it is about annotators, and not about items alone.
    fn shows_annotators(self) -> bool {
        !matches!(self, Self::Cv | Self::Ranking | Self::Matrix)
    }

    /// The name that SQL users write.
    pub fn name(self) -> &'static str {
        match self {
            Self::PathDeviation => "path_deviation",
            Self::PathPositionBias => "path_position_bias",
            Self::Cv => "cv",
            Self::Ranking => "ranking",
            Self::JumpOut => "jump_out",
            Self::Personal => "personal",
            Self::Matrix => "matrix",
        }
    }
}

impl fmt::Display for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Plot {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        from_name(&Self::ALL, Self::name, "picture", name)
    }
}

impl Fit {
    /// A picture as an SVG document. Those of the path can always be drawn; the
    /// others need a time to have been chosen. All but the ranking, the curve and the
    /// matrix need annotators.
    pub fn plot(&self, plot: Plot) -> Result<String> {
        Ok(self.picture(plot)?.document())
    }

    pub(crate) fn picture(&self, plot: Plot) -> Result<Picture> {
        if plot.shows_annotators() {
            self.require_annotators()?;
        }
        Ok(match plot {
            Plot::PathDeviation => path::deviation(self),
            Plot::PathPositionBias => path::position_bias(self),
            Plot::Cv => cv::picture(self)?,
            Plot::Ranking => ranking::picture(&self.ranking()?, self.loss()),
            Plot::JumpOut => jump_out::picture(self),
            Plot::Personal => personal::picture(self)?,
            Plot::Matrix => matrix::picture(self)?,
        })
    }
}
