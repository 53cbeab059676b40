//! Options with a fixed set of values, each with the name that SQL users write.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::json::{FromJson, read_value};
use crate::error::{Error, Result};

/// How the consensus scores θ are updated along the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThetaUpdate {
    /// Solve for θ given the current effects, then step. The published tables were made this way.
    #[default]
    Solve,
    /// Algorithm 1 to the letter: the step uses the θ solved one step earlier.
    Lagged,
    /// One gradient step for θ (the paper's equation 7a).
    Gradient,
}

/// What the path minimises: how far a vote may be from the model, and what scores mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// The squared difference between the choice and the model, as in HodgeRank. Scores are
    /// in the unit of the choices.
    #[default]
    Squared,
    /// The logistic loss, as in the model of Bradley and Terry. Scores are log-odds.
    Logistic,
    /// The probit loss, as in Thurstone's model. Scores are probits.
    Probit,
}

/// What the votes on a pair say of the two items' difference, for HodgeRank's scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PairModel {
    /// The mean of the choices.
    #[default]
    Uniform,
    /// The log-odds of the share of wins.
    BradleyTerry,
    /// The normal quantile of the share of wins.
    Thurstone,
    /// The arc sine of the share of wins, scaled to −1 … 1.
    Angular,
}

/// What decides who is position-biased where a false discovery rate is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BiasTest {
    /// A test of each annotator, and Benjamini and Hochberg's procedure.
    #[default]
    PValue,
    /// The knockoff filter.
    Knockoff,
    /// The stricter knockoff+.
    KnockoffPlus,
}

/// What to do with a row that cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnBadRow {
    /// Refuse the whole table and say what is wrong with it.
    #[default]
    Error,
    /// Leave the row out; the summary counts it.
    Skip,
}

/// The names of an option's values: to text, from text and from JSON.
macro_rules! names {
    ($enum:ident, $option:literal: $first:ident = $first_name:literal $(, $value:ident = $name:literal)*) => {
        impl $enum {
            /// The name that SQL users write.
            pub fn name(self) -> &'static str {
                match self {
                    Self::$first => $first_name,
                    $(Self::$value => $name,)*
                }
            }
        }

        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $enum {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self> {
                read_value($option, &Value::from(name))
            }
        }

        impl FromJson for $enum {
            const EXPECTED: &'static str =
                concat!("'", $first_name, "'" $(, " or '", $name, "'")*);

            fn from_json(value: &Value) -> Option<Self> {
                match value.as_str()? {
                    $first_name => Some(Self::$first),
                    $($name => Some(Self::$value),)*
                    _ => None,
                }
            }
        }
    };
}
names!(ThetaUpdate, "theta_update": Solve = "solve", Lagged = "lagged", Gradient = "gradient");
names!(Loss, "loss": Squared = "squared", Logistic = "logistic", Probit = "probit");
names!(PairModel, "pair_model": Uniform = "uniform", BradleyTerry = "bradley-terry",
    Thurstone = "thurstone", Angular = "angular");
names!(BiasTest, "bias_test": PValue = "p-value", Knockoff = "knockoff", KnockoffPlus = "knockoff+");
names!(OnBadRow, "on_bad_row": Error = "error", Skip = "skip");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for model in [
            PairModel::Uniform,
            PairModel::BradleyTerry,
            PairModel::Thurstone,
            PairModel::Angular,
        ] {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        for loss in [Loss::Squared, Loss::Logistic, Loss::Probit] {
            assert_eq!(loss.to_string().parse(), Ok(loss));
        }
        assert_eq!(format!("{:>10}|", BiasTest::KnockoffPlus), " knockoff+|");
        let error = "Solve".parse::<ThetaUpdate>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "theta_update must be 'solve' or 'lagged' or 'gradient', not \"Solve\""
        );
        let error = "drop".parse::<OnBadRow>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "on_bad_row must be 'error' or 'skip', not \"drop\""
        );
    }
}
