//! Everything a caller can choose, with its defaults and its checks.
//!
//! A Rust program fills in [`Options`]; the SQL hosts pass the same names as
//! JSON. Both ways end in [`Options::check`].

use serde_json::Value;

use crate::error::{Error, Result};

/// Which columns of the votes table to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Who voted.
    pub annotator: String,
    /// The item shown on the left.
    pub left: String,
    /// The item shown on the right.
    pub right: String,
    /// What was chosen.
    pub choice: String,
    /// A vote's weight or count, if there is such a column.
    pub weight: Option<String>,
    /// An explicit cross-validation fold, if there is such a column.
    pub fold: Option<String>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            annotator: "annotator".into(),
            left: "left".into(),
            right: "right".into(),
            choice: "choice".into(),
            weight: None,
            fold: None,
        }
    }
}

/// How the consensus scores θ follow the effects along the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThetaUpdate {
    /// Solve for θ given the current effects, then step. The published tables were made this way.
    #[default]
    Solve,
    /// Algorithm 1 to the letter: the step uses the θ solved one step earlier.
    Lagged,
    /// One gradient step for θ (the paper's equation 7a).
    Gradient,
}

impl ThetaUpdate {
    /// The name that SQL users write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solve => "solve",
            Self::Lagged => "lagged",
            Self::Gradient => "gradient",
        }
    }
}

/// What the votes on a pair say of the two items' difference, for HodgeRank's scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

impl PairModel {
    const NAMES: [(&'static str, Self); 4] = [
        ("uniform", Self::Uniform),
        ("bradley-terry", Self::BradleyTerry),
        ("thurstone", Self::Thurstone),
        ("angular", Self::Angular),
    ];

    /// The name that SQL users write.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// What to do with a row that cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBadRow {
    /// Refuse the whole table and say what is wrong with it.
    #[default]
    Error,
    /// Leave the row out; the summary counts it.
    Skip,
}

/// Everything a caller can choose. `Options::default()` is what SQL users get
/// when they pass nothing.
///
/// ```
/// use me_hodgerank::Options;
///
/// let options = Options::from_json(r#"{"kappa": 10, "choice": "winner"}"#)?;
/// assert_eq!(options.kappa, 10.0);
/// assert_eq!(options.columns.choice, "winner");
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
    /// Stop at this time instead of the one that cross-validation chooses.
    pub t: Option<f64>,
    /// Whether annotators may have a pull to one side.
    pub position_bias: bool,
    /// Whether annotators may have scores of their own.
    pub personal: bool,
    /// How θ follows the effects.
    pub theta_update: ThetaUpdate,
    /// What HodgeRank's scores are made from.
    pub pair_model: PairModel,
    /// Let tests with this rate of false discoveries decide who is biased and
    /// who deviates, not the path alone.
    pub fdr: Option<f64>,
    /// What to do with a row that cannot be used.
    pub on_bad_row: OnBadRow,
    /// Give up after so many seconds.
    pub max_seconds: Option<f64>,
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
            position_bias: true,
            personal: true,
            theta_update: ThetaUpdate::Solve,
            pair_model: PairModel::Uniform,
            fdr: None,
            on_bad_row: OnBadRow::Error,
            max_seconds: None,
        }
    }
}

/// The most folds that a fit takes, drawn or given.
pub const MAX_FOLDS: usize = 1000;
const MAX_GRID_POINTS: usize = 10_000;

/// How a field of `T` is set from JSON, given its name.
pub(crate) type Setter<T> = fn(&mut T, &str, &Value) -> Result<()>;

/// Every option by the name that SQL users write. The one place that knows them all.
const FIELDS: &[(&str, Setter<Options>)] = &[
    ("annotator", |o, n, v| {
        set(&mut o.columns.annotator, text(n, v))
    }),
    ("left", |o, n, v| set(&mut o.columns.left, text(n, v))),
    ("right", |o, n, v| set(&mut o.columns.right, text(n, v))),
    ("choice", |o, n, v| set(&mut o.columns.choice, text(n, v))),
    ("weight", |o, n, v| {
        set(&mut o.columns.weight, text(n, v).map(Some))
    }),
    ("fold", |o, n, v| {
        set(&mut o.columns.fold, text(n, v).map(Some))
    }),
    ("kappa", |o, n, v| set(&mut o.kappa, number(n, v))),
    ("alpha", |o, n, v| set(&mut o.alpha, number(n, v).map(Some))),
    ("grid_points", |o, n, v| {
        set(&mut o.grid_points, count(n, v))
    }),
    ("grid_span", |o, n, v| set(&mut o.grid_span, number(n, v))),
    ("folds", |o, n, v| set(&mut o.folds, count(n, v))),
    ("seed", |o, n, v| set(&mut o.seed, whole(n, v))),
    ("t", |o, n, v| set(&mut o.t, number(n, v).map(Some))),
    ("position_bias", |o, n, v| {
        set(&mut o.position_bias, boolean(n, v))
    }),
    ("personal", |o, n, v| set(&mut o.personal, boolean(n, v))),
    ("theta_update", |o, n, v| {
        let choices = [
            ("solve", ThetaUpdate::Solve),
            ("lagged", ThetaUpdate::Lagged),
            ("gradient", ThetaUpdate::Gradient),
        ];
        set(&mut o.theta_update, one_of(n, v, &choices))
    }),
    ("pair_model", |o, n, v| {
        set(&mut o.pair_model, one_of(n, v, &PairModel::NAMES))
    }),
    ("fdr", |o, n, v| set(&mut o.fdr, number(n, v).map(Some))),
    ("on_bad_row", |o, n, v| {
        let choices = [("error", OnBadRow::Error), ("skip", OnBadRow::Skip)];
        set(&mut o.on_bad_row, one_of(n, v, &choices))
    }),
    ("max_seconds", |o, n, v| {
        set(&mut o.max_seconds, number(n, v).map(Some))
    }),
];

impl Options {
    /// The names of all options, as SQL users write them.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        FIELDS.iter().map(|(name, _)| *name)
    }

    /// Reads options from a JSON object. A field that is absent or `null` keeps its default.
    pub fn from_json(json: &str) -> Result<Self> {
        let mut options = Self::default();
        read_fields(&mut options, FIELDS, json, "{\"kappa\": 10}")?;
        options.check()?;
        Ok(options)
    }

    /// Checks every value's range.
    pub fn check(&self) -> Result<()> {
        positive("kappa", self.kappa)?;
        if let Some(alpha) = self.alpha {
            positive("alpha", alpha)?;
        }
        if let Some(seconds) = self.max_seconds {
            positive("max_seconds", seconds)?;
        }
        if !(2..=MAX_GRID_POINTS).contains(&self.grid_points) {
            return Err(out_of_range(
                "grid_points",
                self.grid_points,
                &format!("from 2 to {MAX_GRID_POINTS}"),
            ));
        }
        if !(self.grid_span > 1.0 && self.grid_span <= 1e6) {
            return Err(out_of_range(
                "grid_span",
                self.grid_span,
                "greater than 1 and at most 1000000",
            ));
        }
        if self.folds == 1 || self.folds > MAX_FOLDS {
            return Err(out_of_range(
                "folds",
                self.folds,
                &format!("0 (no cross-validation) or from 2 to {MAX_FOLDS}"),
            ));
        }
        if let Some(fdr) = self.fdr
            && !(fdr > 0.0 && fdr < 1.0)
        {
            return Err(out_of_range("fdr", fdr, "greater than 0 and less than 1"));
        }
        if let Some(t) = self.t
            && !(t.is_finite() && t >= 0.0)
        {
            return Err(out_of_range("t", t, "a finite number, 0 or greater"));
        }
        Ok(())
    }

    /// Whether the model has any effect of annotators in it.
    pub fn has_effects(&self) -> bool {
        self.position_bias || self.personal
    }
}

/// Sets the fields that a JSON object names. One that is `null` keeps its default;
/// one that is not among `known` is an error with the nearest name.
pub(crate) fn read_fields<T>(
    target: &mut T,
    known: &[(&str, Setter<T>)],
    json: &str,
    example: &str,
) -> Result<()> {
    let value: Value = serde_json::from_str(json).map_err(|error| {
        Error::option(format!(
            "the options are not valid JSON ({error}): write an object such as {example}"
        ))
    })?;
    let Value::Object(fields) = value else {
        return Err(Error::option(format!(
            "the options must be a JSON object such as {example}, not {value}"
        )));
    };
    for (name, value) in &fields {
        let Some((_, setter)) = known.iter().find(|(field, _)| field == name) else {
            let names = known.iter().map(|(name, _)| *name);
            return Err(Error::option(unknown_name("option", name, names)));
        };
        if !value.is_null() {
            setter(target, name, value)?;
        }
    }
    Ok(())
}

pub(crate) fn set<T>(slot: &mut T, value: Result<T>) -> Result<()> {
    *slot = value?;
    Ok(())
}

fn positive(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(out_of_range(name, value, "a finite number greater than 0"))
    }
}

fn out_of_range(name: &str, value: impl std::fmt::Display, range: &str) -> Error {
    Error::option(format!("{name} must be {range}, not {value}"))
}

fn wrong_type(name: &str, expected: &str, value: &Value) -> Error {
    Error::option(format!("{name} must be {expected}, not {value}"))
}

fn text(name: &str, value: &Value) -> Result<String> {
    match value.as_str() {
        Some("") | None => Err(wrong_type(name, "the name of a column", value)),
        Some(text) => Ok(text.into()),
    }
}

pub(crate) fn number(name: &str, value: &Value) -> Result<f64> {
    value
        .as_f64()
        .ok_or_else(|| wrong_type(name, "a number", value))
}

pub(crate) fn whole(name: &str, value: &Value) -> Result<u64> {
    // Hosts may send 5 as 5.0: JSON knows one kind of number.
    let exact = |x: f64| (x.fract() == 0.0 && (0.0..=9e15).contains(&x)).then_some(x as u64);
    value
        .as_u64()
        .or_else(|| value.as_f64().and_then(exact))
        .ok_or_else(|| wrong_type(name, "a whole number, 0 or greater", value))
}

pub(crate) fn count(name: &str, value: &Value) -> Result<usize> {
    whole(name, value).map(|n| usize::try_from(n).unwrap_or(usize::MAX))
}

pub(crate) fn boolean(name: &str, value: &Value) -> Result<bool> {
    value
        .as_bool()
        .ok_or_else(|| wrong_type(name, "true or false", value))
}

fn one_of<T: Copy>(name: &str, value: &Value, choices: &[(&str, T)]) -> Result<T> {
    let found = value
        .as_str()
        .and_then(|given| choices.iter().find(|(word, _)| *word == given));
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let words: Vec<_> = choices
            .iter()
            .map(|(word, _)| format!("'{word}'"))
            .collect();
        wrong_type(name, &words.join(" or "), value)
    })
}

/// The message for a name that is not one of `known`, with the nearest one if
/// it is near enough to be a slip of the finger.
pub(crate) fn unknown_name<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let all = known.clone().collect::<Vec<_>>().join(", ");
    let nearest = known
        .map(|candidate| (edit_distance(&name.to_lowercase(), candidate), candidate))
        .min_by_key(|(distance, _)| *distance);
    let hint = match nearest {
        Some((distance, candidate)) if distance <= 1 + name.len() / 4 => {
            format!("; did you mean {candidate:?}?")
        }
        _ => ".".into(),
    };
    format!("unknown {what} {name:?}{hint} The {what}s are: {all}")
}

/// Levenshtein distance.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
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
            "theta_update": "lagged", "pair_model": "thurstone", "fdr": 0.2,
            "on_bad_row": "skip", "max_seconds": 1.5}"#;
        let options = Options::from_json(json).unwrap();
        let expected = Options {
            columns: Columns {
                annotator: "a".into(),
                left: "l".into(),
                right: "r".into(),
                choice: "c".into(),
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
            position_bias: false,
            personal: false,
            theta_update: ThetaUpdate::Lagged,
            pair_model: PairModel::Thurstone,
            fdr: Some(0.2),
            on_bad_row: OnBadRow::Skip,
            max_seconds: Some(1.5),
        };
        assert_eq!(options, expected);
        assert_eq!(Options::names().count(), 20);
    }

    #[test]
    fn null_means_default() {
        let options = Options::from_json(r#"{"kappa": null, "t": null, "weight": null}"#).unwrap();
        assert_eq!(options, Options::default());
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
                r#"{"on_bad_row": "drop"}"#,
                "on_bad_row must be 'error' or 'skip', not \"drop\"",
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
                "[1]",
                "the options must be a JSON object such as {\"kappa\": 10}, not [1]",
            ),
        ] {
            assert_eq!(message(json), text, "{json}");
        }
        assert!(message("{").starts_with("the options are not valid JSON ("));
    }
}
