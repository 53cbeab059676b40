//! The options of the SQL aggregates, whose columns are arguments.

use serde_json::Value;

use super::columns::{AnnotatorColumn, Columns};
use super::fields::Options;
use crate::error::{Error, Result};

/// An error shows so many characters of a text that is not JSON.
const MAX_SHOWN_CHARS: usize = 60;

impl Options {
    /// Reads the options of an aggregate from their text.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn of_aggregate(text: &str) -> Result<Self> {
        refuse_text_weight(text)?;
        let options = Self::from_json(text)?;
        options.columns.refuse_as_options()?;
        Ok(options)
    }
}

/// What a caller says of the columns and rows, in the order of the arguments.
const OF_READING: [&str; 7] = [
    "annotator",
    "left",
    "right",
    "choice",
    "weight",
    "fold",
    "on_bad_row",
];

impl Options {
    /// Reads the options of collecting votes: how they are fitted is said later.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn of_collect(text: &str) -> Result<Self> {
        let options = Self::of_aggregate(text)?;
        let is_later = |name: &String| {
            !OF_READING.contains(&&**name) && name != "max_seconds" && name != "threads"
        };
        match given(text).into_iter().find(is_later) {
            None => Ok(options),
            Some(name) => Err(Error::option(format!(
                "{name} is an option of the fit, not of collecting votes: pass it to \
                 me_hodgerank_model(state, options)"
            ))),
        }
    }

    /// Reads the options of a fit of states, whose votes were read before.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn of_states(text: &str) -> Result<Self> {
        let options = Self::from_json(text)?;
        let is_earlier = |name: &String| OF_READING.contains(&&**name);
        match given(text).into_iter().find(is_earlier) {
            None => Ok(options),
            Some(name) => Err(Error::option(format!(
                "{name} belongs to me_hodgerank_collect: the votes of a state were read when it \
                 was made"
            ))),
        }
    }
}

/// The names of the options that a JSON object gives a value.
fn given(json: &str) -> Vec<String> {
    let fields: serde_json::Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let given = |(name, value): &(String, Value)| name == "annotator" || !value.is_null();
    let fields = fields.into_iter().filter(given);
    fields.map(|(name, _)| name).collect()
}

/// Refuses a text that is no JSON object: a weight in the place of the options.
#[allow(dead_code, reason = "for the hosts, which are features")]
pub(crate) fn refuse_text_weight(text: &str) -> Result<()> {
    if text.trim_start().starts_with('{') {
        return Ok(());
    }
    let shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    Err(Error::option(format!(
        "a text in this place is taken for options, and options are a JSON object such as \
         {{\"kappa\": 10}}, not '{shown}'; if it is a weight or a fold, cast it to a number"
    )))
}

impl Columns {
    /// Refuses columns that are named in the options of an aggregate.
    pub(crate) fn refuse_as_options(&self) -> Result<()> {
        let annotator = match &self.annotator {
            AnnotatorColumn::Named(name) => Some(name),
            AnnotatorColumn::Usual | AnnotatorColumn::Unknown => None,
        };
        let columns = [
            ("annotator", annotator),
            ("left", self.left.as_ref()),
            ("right", self.right.as_ref()),
            ("choice", self.choice.as_ref()),
            ("weight", self.weight.as_ref()),
            ("fold", self.fold.as_ref()),
        ];
        match columns.into_iter().find(|(_, name)| name.is_some()) {
            None => Ok(()),
            Some((argument, _)) => Err(Error::option(format!(
                "{argument} is a column of the votes, not an option: pass the column itself, as in \
                 me_hodgerank_model(annotator, \"left\", \"right\", choice, weight, fold, options)"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_arguments() {
        for argument in ["annotator", "left", "right", "choice", "weight", "fold"] {
            let text = format!(r#"{{"{argument}": "n"}}"#);
            let error = Options::of_aggregate(&text).unwrap_err().to_string();
            let expected = format!("{argument} is a column of the votes, not an option: pass");
            assert!(error.starts_with(&expected), "{error}");
        }
        let options = Options::of_aggregate(r#" {"annotator": null, "kappa": 3}"#).unwrap();
        assert_eq!(options.columns.annotator, AnnotatorColumn::Unknown);
    }

    #[test]
    fn reading_and_fitting_have_options_of_their_own() {
        let options = Options::of_collect(r#"{"on_bad_row": "skip", "kappa": null}"#).unwrap();
        assert_eq!(options.on_bad_row, crate::OnBadRow::Skip);
        assert!(Options::of_collect(r#"{"annotator": null, "max_seconds": 9}"#).is_ok());
        assert_eq!(
            Options::of_collect(r#"{"kappa": 3}"#)
                .unwrap_err()
                .to_string(),
            "kappa is an option of the fit, not of collecting votes: pass it to \
             me_hodgerank_model(state, options)"
        );
        let options = Options::of_states(r#"{"kappa": 3, "on_bad_row": null}"#).unwrap();
        assert_eq!(options.kappa, 3.0);
        for (name, value) in [
            ("on_bad_row", "\"skip\""),
            ("annotator", "null"),
            ("weight", "\"n\""),
        ] {
            let error = Options::of_states(&format!("{{\"{name}\": {value}}}")).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "{name} belongs to me_hodgerank_collect: the votes of a state were read when it \
                     was made"
                )
            );
        }
    }

    #[test]
    fn a_text_that_is_no_object_may_be_a_weight() {
        assert_eq!(
            Options::of_aggregate("2.5").unwrap_err().to_string(),
            "a text in this place is taken for options, and options are a JSON object such as \
             {\"kappa\": 10}, not '2.5'; if it is a weight or a fold, cast it to a number"
        );
    }
}
