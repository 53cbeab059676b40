//! Arguments of single result sets, which choose rows and are no options of the model.
//!
//! The hosts pass them in the same object as the options. They are taken out before the
//! options are read, so that they do not matter to the cache of fits.

use serde_json::{Map, Value};

use super::result_set::ResultSet;
use crate::error::Result;
use crate::findings::{CompareOptions, NextOptions};
use crate::options::{JsonField, json_fields};

/// What a caller can choose about single result sets.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SetArguments {
    /// Of [`ResultSet::Compare`].
    pub compare: CompareOptions,
    /// Of [`ResultSet::Next`].
    pub next: NextOptions,
    /// Of [`ResultSet::Next`]: what names the candidate pairs, such as a table. The host
    /// reads it.
    pub candidates: Option<String>,
}

/// Every argument by the name that SQL users write.
const FIELDS: &[JsonField<SetArguments>] = json_fields! {
    top: compare.top,
    n: next.n,
    candidates: candidates,
};

impl ResultSet {
    /// The names of the arguments that this set has in addition to the options.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Compare => &["top"],
            Self::Next => &["n", "candidates"],
            _ => &[],
        }
    }
}

impl SetArguments {
    /// Takes the arguments of a set out of a JSON object; what is left are options.
    pub fn take_from(set: ResultSet, fields: &mut Map<String, Value>) -> Result<Self> {
        let mut arguments = Self::default();
        for name in set.arguments() {
            let field = FIELDS.iter().find(|field| field.name == *name);
            if let (Some(field), Some(value)) = (field, fields.remove(*name)) {
                (field.set)(&mut arguments, &value)?;
            }
        }
        arguments.compare.check()?;
        arguments.next.check()?;
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Map<String, Value> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_set_takes_its_own_arguments_and_leaves_the_options() {
        let json = r#"{"top": 7, "n": 3, "candidates": "pairs", "kappa": 2}"#;
        let take = |set| {
            let mut fields = fields(json);
            let taken = SetArguments::take_from(set, &mut fields).unwrap();
            let left: Vec<String> = fields.keys().cloned().collect();
            (taken, left.join(" "))
        };
        let (taken, left) = take(ResultSet::Compare);
        assert_eq!(
            (taken.compare.top, taken.next.n, taken.candidates),
            (7, 20, None)
        );
        assert_eq!(left, "candidates kappa n");
        let (taken, left) = take(ResultSet::Next);
        assert_eq!((taken.compare.top, taken.next.n), (50, 3));
        assert_eq!(taken.candidates.as_deref(), Some("pairs"));
        assert_eq!(left, "kappa top");
        let (taken, left) = take(ResultSet::Ranking);
        assert_eq!(taken, SetArguments::default());
        assert_eq!(left, "candidates kappa n top");
    }

    #[test]
    fn every_argument_has_a_field_and_a_range() {
        for set in ResultSet::ALL {
            let is_known = |name: &&str| FIELDS.iter().any(|field| field.name == *name);
            assert!(set.arguments().iter().all(is_known), "{set}");
        }
        for (set, json, text) in [
            (
                ResultSet::Compare,
                r#"{"top": 1}"#,
                "top must be from 2 to 1000, not 1",
            ),
            (
                ResultSet::Next,
                r#"{"n": 0}"#,
                "n must be from 1 to 10000, not 0",
            ),
            (
                ResultSet::Next,
                r#"{"n": "five"}"#,
                "n must be a whole number, 0 or greater, not \"five\"",
            ),
        ] {
            let error = SetArguments::take_from(set, &mut fields(json)).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
    }
}
