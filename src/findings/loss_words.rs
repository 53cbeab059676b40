//! What a loss means, in words.

use crate::options::Loss;

impl Loss {
    /// The model without effects of annotators.
    pub(crate) fn model_name(self) -> &'static str {
        match self {
            Self::Squared => "HodgeRank",
            Self::Logistic => "Bradley–Terry",
            Self::Probit => "Thurstone",
        }
    }

    /// Scores with their unit, for an axis.
    pub(crate) fn score_name(self) -> &'static str {
        match self {
            Self::Squared => "score",
            Self::Logistic => "score (log-odds)",
            Self::Probit => "score (probits)",
        }
    }

    /// Its mean over votes, for an axis.
    pub(crate) fn mean_name(self) -> &'static str {
        match self {
            Self::Squared => "mean squared error",
            Self::Logistic => "mean logistic loss",
            Self::Probit => "mean probit loss",
        }
    }
}
