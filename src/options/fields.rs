//! [`Options`]: the fields, their defaults, names and ranges.

use std::fmt::Display;

use super::columns::{AnnotatorColumn, Columns};
use super::enums::{BiasTest, Loss, OnBadRow, PairModel, ThetaUpdate};
use super::json::{JsonField, json_fields, read_fields};
use crate::error::{Error, Result};

/// Everything that a caller can choose. `Options::default()` is what SQL users get
/// when they pass nothing.
///
/// ```
/// use me_hodgerank::{Columns, Options, PairModel};
///
/// let options = Options {
///     kappa: 10.0,
///     pair_model: PairModel::BradleyTerry,
///     columns: Columns { choice: Some("winner".into()), ..Columns::default() },
///     ..Options::default()
/// };
/// // The same by the names that SQL users write:
/// let json = r#"{"kappa": 10, "pair_model": "bradley-terry", "choice": "winner"}"#;
/// assert_eq!(Options::from_json(json)?, options);
///
/// let error = Options::from_json(r#"{"kapa": 10}"#).unwrap_err();
/// assert!(error.to_string().contains(r#"did you mean "kappa"?"#));
/// # Ok::<(), me_hodgerank::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which columns to read.
    pub columns: Columns,
    /// Damping κ: larger is less biased and slower.
    pub kappa: f64,
    /// Step size α; `None` for m / (κ‖XᵀX‖₂).
    pub alpha: Option<f64>,
    /// Number of grid times.
    pub grid_points: usize,
    /// The grid runs from t0 to `grid_span`·t0.
    pub grid_span: f64,
    /// Number of cross-validation folds; 0 for none.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// The time on the path to stop at, in place of the one that cross-validation chooses.
    pub t: Option<f64>,
    /// Whether the model has a position bias γ for each annotator. By default it has,
    /// unless the votes have no annotators or no sides.
    pub position_bias: Option<bool>,
    /// Whether the model has a deviation δ for each annotator. By default it has, unless
    /// the votes have no annotators.
    pub personal: Option<bool>,
    /// What is minimised: the squared loss of HodgeRank, or the logistic or probit loss,
    /// which give win probabilities.
    pub loss: Loss,
    /// ρ of the penalty ρ/2 ‖θ‖² that keeps an item which never lost at a finite score.
    /// For the logistic and probit losses only.
    pub ridge: Option<f64>,
    /// How θ is updated along the path.
    pub theta_update: ThetaUpdate,
    /// What HodgeRank's scores are computed from.
    pub pair_model: PairModel,
    /// Decide who is biased and who deviates by tests with this false discovery
    /// rate, not by the path alone.
    pub fdr: Option<f64>,
    /// The test for position bias.
    pub bias_test: BiasTest,
    /// What to do with a row that cannot be used.
    pub on_bad_row: OnBadRow,
    /// Stop with an error after so many seconds.
    pub max_seconds: Option<f64>,
    /// Use so many threads at most. No answer depends on it.
    pub threads: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            columns: Columns::default(),
            kappa: 20.0,
            alpha: None,
            grid_points: 50,
            grid_span: 50.0,
            folds: 5,
            seed: 0,
            t: None,
            position_bias: None,
            personal: None,
            loss: Loss::Squared,
            ridge: None,
            theta_update: ThetaUpdate::Solve,
            pair_model: PairModel::Uniform,
            fdr: None,
            bias_test: BiasTest::PValue,
            on_bad_row: OnBadRow::Error,
            max_seconds: None,
            threads: None,
        }
    }
}

/// The largest number of folds, drawn or given.
pub const MAX_FOLDS: usize = 1000;
pub(crate) const MAX_GRID_POINTS: usize = 10_000;

/// It keeps an item that never lost at a finite score.
const DEFAULT_RIDGE: f64 = 0.01;

/// Every option by the name that SQL users write.
const FIELDS: &[JsonField<Options>] = json_fields! {
    annotator: columns.annotator,
    left: columns.left,
    right: columns.right,
    choice: columns.choice,
    weight: columns.weight,
    fold: columns.fold,
    kappa: kappa,
    alpha: alpha,
    grid_points: grid_points,
    grid_span: grid_span,
    folds: folds,
    seed: seed,
    t: t,
    position_bias: position_bias,
    personal: personal,
    loss: loss,
    ridge: ridge,
    theta_update: theta_update,
    pair_model: pair_model,
    fdr: fdr,
    bias_test: bias_test,
    on_bad_row: on_bad_row,
    max_seconds: max_seconds,
    threads: threads,
};

impl Options {
    /// The names of all options, as SQL users write them.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        FIELDS.iter().map(|field| field.name)
    }

    /// Reads options from a JSON object. A field that is absent or `null` keeps its default,
    /// except that `null` for `annotator` says that nobody knows who voted.
    pub fn from_json(json: &str) -> Result<Self> {
        let mut options = Self::default();
        read_fields(&mut options, FIELDS, json, "{\"kappa\": 10}")?;
        options.check()?;
        Ok(options)
    }

    /// Checks the range of every value.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [
            ("kappa", Some(self.kappa)),
            ("alpha", self.alpha),
            ("ridge", self.ridge),
            ("max_seconds", self.max_seconds),
        ] {
            let range = "a finite number greater than 0";
            require(name, value, range, |x| x.is_finite() && *x > 0.0)?;
        }
        let range = "a whole number greater than 0";
        require("threads", self.threads, range, |threads| *threads > 0)?;
        let range = format!("from 2 to {MAX_GRID_POINTS}");
        require("grid_points", Some(self.grid_points), &range, |points| {
            (2..=MAX_GRID_POINTS).contains(points)
        })?;
        let range = "greater than 1 and at most 1000000";
        require("grid_span", Some(self.grid_span), range, |span| {
            *span > 1.0 && *span <= 1e6
        })?;
        let range = format!("0 (no cross-validation) or from 2 to {MAX_FOLDS}");
        require("folds", Some(self.folds), &range, |folds| {
            *folds != 1 && *folds <= MAX_FOLDS
        })?;
        let range = "greater than 0 and less than 1";
        require("fdr", self.fdr, range, |fdr| *fdr > 0.0 && *fdr < 1.0)?;
        if self.bias_test != BiasTest::PValue && self.fdr.is_none() {
            return Err(Error::option(
                "bias_test needs the rate of false discoveries that it is to keep to: set fdr",
            ));
        }
        if self.columns.annotator == AnnotatorColumn::Unknown {
            self.refuse_effects()?;
        }
        if self.ridge.is_some() && self.hessian_ridge() == 0.0 {
            return Err(Error::option(
                "ridge belongs to the losses 'logistic' and 'probit' with theta_update 'solve': \
                 leave it out, or set loss",
            ));
        }
        self.check_loss()?;
        let range = "a finite number, 0 or greater";
        require("t", self.t, range, |t| t.is_finite() && *t >= 0.0)
    }

    /// Algorithm 1 solves a least squares problem in each step.
    fn check_loss(&self) -> Result<()> {
        if self.loss != Loss::Squared && self.theta_update == ThetaUpdate::Lagged {
            return Err(Error::option(format!(
                "theta_update = 'lagged' is for loss = 'squared': with loss = '{}' it must be \
                 'solve' or 'gradient'",
                self.loss
            )));
        }
        Ok(())
    }

    /// ρ, also where the loss has none.
    pub(crate) fn ridge_or_default(&self) -> f64 {
        self.ridge.unwrap_or(DEFAULT_RIDGE)
    }

    /// The ridge that is in the scores' Hessian: none with the squared loss, nor with
    /// gradient steps from zero, which have none.
    pub(crate) fn hessian_ridge(&self) -> f64 {
        let is_solved = self.theta_update != ThetaUpdate::Gradient || !self.has_effects();
        match self.loss != Loss::Squared && is_solved {
            true => self.ridge_or_default(),
            false => 0.0,
        }
    }

    /// Whether the model has a position bias in it, if the votes have annotators and sides.
    pub fn has_position_bias(&self) -> bool {
        self.position_bias.unwrap_or(true)
    }

    /// Whether the model has deviations in it, if the votes have annotators.
    pub fn has_personal(&self) -> bool {
        self.personal.unwrap_or(true)
    }

    /// Whether the model has any effect of annotators in it.
    pub fn has_effects(&self) -> bool {
        let knows_annotators = self.columns.annotator != AnnotatorColumn::Unknown;
        knows_annotators && (self.has_position_bias() || self.has_personal())
    }

    /// Refuses effects that a caller chose although nobody knows who voted.
    pub(crate) fn refuse_effects(&self) -> Result<()> {
        let effects = [
            ("position_bias", self.position_bias),
            ("personal", self.personal),
        ];
        match effects
            .into_iter()
            .find(|(_, chosen)| *chosen == Some(true))
        {
            None => Ok(()),
            Some((name, _)) => Err(Error::option(format!(
                "{name} cannot be true where nobody knows who voted (annotator is NULL): it is about \
                 each annotator; name the column of annotators, or leave {name} out"
            ))),
        }
    }
}

/// An error with the `range` in words if there is a value and it is not `valid`.
fn require<T: Display>(
    name: &str,
    value: Option<T>,
    range: &str,
    valid: impl Fn(&T) -> bool,
) -> Result<()> {
    match value.filter(|value| !valid(value)) {
        None => Ok(()),
        Some(value) => Err(Error::option(format!(
            "{name} must be {range}, not {value}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> String {
        Options::from_json(json).unwrap_err().to_string()
    }

    #[test]
    fn every_option_is_read() {
        let json = r#"{"annotator": "a", "left": "l", "right": "r", "choice": "c", "weight": "w",
            "fold": "f", "kappa": 10, "alpha": 0.5, "grid_points": 20, "grid_span": 30, "folds": 3.0,
            "seed": 18446744073709551615, "t": 4, "position_bias": false, "personal": false,
            "loss": "probit", "ridge": 0.5, "theta_update": "solve", "pair_model": "thurstone", "fdr": 0.2, "bias_test": "knockoff+",
            "on_bad_row": "skip", "max_seconds": 1.5, "threads": 3}"#;
        let options = Options::from_json(json).unwrap();
        let expected = Options {
            columns: Columns {
                annotator: "a".into(),
                left: Some("l".into()),
                right: Some("r".into()),
                choice: Some("c".into()),
                weight: Some("w".into()),
                fold: Some("f".into()),
            },
            kappa: 10.0,
            alpha: Some(0.5),
            grid_points: 20,
            grid_span: 30.0,
            folds: 3,
            seed: u64::MAX,
            t: Some(4.0),
            position_bias: Some(false),
            personal: Some(false),
            loss: Loss::Probit,
            ridge: Some(0.5),
            theta_update: ThetaUpdate::Solve,
            pair_model: PairModel::Thurstone,
            fdr: Some(0.2),
            bias_test: BiasTest::KnockoffPlus,
            on_bad_row: OnBadRow::Skip,
            max_seconds: Some(1.5),
            threads: Some(3),
        };
        assert_eq!(options, expected);
        assert_eq!(Options::names().count(), 24);
    }

    #[test]
    fn null_means_default() {
        let options = Options::from_json(r#"{"kappa": null, "t": null, "weight": null}"#).unwrap();
        assert_eq!(options, Options::default());
        let nobody_knows = Options::from_json(r#"{"annotator": null, "choice": null}"#).unwrap();
        let mut expected = Options::default();
        expected.columns.annotator = AnnotatorColumn::Unknown;
        assert_eq!(nobody_knows, expected);
    }

    #[test]
    fn an_unknown_option_names_the_nearest() {
        assert!(message(r#"{"kapa": 1}"#).starts_with(
            "unknown option \"kapa\"; did you mean \"kappa\"? The options are: annotator, left,"
        ));
        assert!(message(r#"{"Grid_Point": 1}"#).contains("did you mean \"grid_points\"?"));
        let far = message(r#"{"bananas": 1}"#);
        assert!(
            far.starts_with("unknown option \"bananas\". The options are:"),
            "{far}"
        );
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (json, text) in [
            (
                r#"{"kappa": 0}"#,
                "kappa must be a finite number greater than 0, not 0",
            ),
            (r#"{"kappa": "ten"}"#, "kappa must be a number, not \"ten\""),
            (
                r#"{"alpha": -1}"#,
                "alpha must be a finite number greater than 0, not -1",
            ),
            (
                r#"{"grid_points": 1}"#,
                "grid_points must be from 2 to 10000, not 1",
            ),
            (
                r#"{"grid_points": 2.5}"#,
                "grid_points must be a whole number, 0 or greater, not 2.5",
            ),
            (
                r#"{"grid_span": 1}"#,
                "grid_span must be greater than 1 and at most 1000000, not 1",
            ),
            (
                r#"{"folds": 1}"#,
                "folds must be 0 (no cross-validation) or from 2 to 1000, not 1",
            ),
            (
                r#"{"seed": -1}"#,
                "seed must be a whole number, 0 or greater, not -1",
            ),
            (
                r#"{"t": -1}"#,
                "t must be a finite number, 0 or greater, not -1",
            ),
            (
                r#"{"personal": 1}"#,
                "personal must be true or false, not 1",
            ),
            (
                r#"{"theta_update": "fast"}"#,
                "theta_update must be 'solve' or 'lagged' or 'gradient', not \"fast\"",
            ),
            (
                r#"{"loss": "log"}"#,
                "loss must be 'squared' or 'logistic' or 'probit', not \"log\"",
            ),
            (
                r#"{"ridge": 0}"#,
                "ridge must be a finite number greater than 0, not 0",
            ),
            (
                r#"{"loss": "probit", "theta_update": "lagged"}"#,
                "theta_update = 'lagged' is for loss = 'squared': with loss = 'probit' it must be \
                 'solve' or 'gradient'",
            ),
            (
                r#"{"on_bad_row": "drop"}"#,
                "on_bad_row must be 'error' or 'skip', not \"drop\"",
            ),
            (
                r#"{"threads": 0}"#,
                "threads must be a whole number greater than 0, not 0",
            ),
            (
                r#"{"max_seconds": 0}"#,
                "max_seconds must be a finite number greater than 0, not 0",
            ),
            (
                r#"{"weight": 3}"#,
                "weight must be the name of a column, not 3",
            ),
            (
                r#"{"annotator": 3}"#,
                "annotator must be the name of a column, or null if nobody knows who voted, not 3",
            ),
            (
                r#"{"annotator": null, "personal": true}"#,
                "personal cannot be true where nobody knows who voted (annotator is NULL): it is \
                 about each annotator; name the column of annotators, or leave personal out",
            ),
            (
                "[1]",
                "the options must be a JSON object such as {\"kappa\": 10}, not [1]",
            ),
        ] {
            assert_eq!(message(json), text, "{json}");
        }
        assert!(message("{").starts_with("the options are not valid JSON ("));
    }
}
