//! The options of the SQL aggregates, whose columns are arguments.

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
    fn a_text_that_is_no_object_may_be_a_weight() {
        assert_eq!(
            Options::of_aggregate("2.5").unwrap_err().to_string(),
            "a text in this place is taken for options, and options are a JSON object such as \
             {\"kappa\": 10}, not '2.5'; if it is a weight or a fold, cast it to a number"
        );
    }
}
