//! Which columns hold the votes: what a caller says of them, the names that votes
//! tables usually have, and what is read in the end.

use std::fmt;

use serde_json::Value;

use super::json::FromJson;
use crate::error::{Error, Result};

/// Which columns of the votes table to read, as far as a caller says.
///
/// If a caller names none of the first four, the first of these sets is read that the
/// table has as a whole: `annotator`, `left`, `right`, `choice`; `judge`, `model_a`,
/// `model_b`, `winner`; `worker`, `left`, `right`, `label`; `annotator`, `winner`, `loser`,
/// where the left item always won. Otherwise a column that is not named is one of the
/// first set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Who voted.
    pub annotator: AnnotatorColumn,
    /// The item shown on the left.
    pub left: Option<String>,
    /// The item shown on the right.
    pub right: Option<String>,
    /// What was chosen.
    pub choice: Option<String>,
    /// A vote's weight, if there is such a column.
    pub weight: Option<String>,
    /// An explicit cross-validation fold, if there is such a column.
    pub fold: Option<String>,
}

/// Which column says who voted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AnnotatorColumn {
    /// The caller does not say: one of the usual names.
    #[default]
    Usual,
    /// The column of this name.
    Named(String),
    /// None: nobody knows who voted. Every vote is independent of the others, and the
    /// model is HodgeRank alone.
    Unknown,
}

impl From<&str> for AnnotatorColumn {
    fn from(name: &str) -> Self {
        Self::Named(name.into())
    }
}

impl FromJson for AnnotatorColumn {
    const EXPECTED: &'static str = "the name of a column, or null if nobody knows who voted";
    const TAKES_NULL: bool = true;

    fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Unknown),
            _ => String::from_json(value).map(Self::Named),
        }
    }
}

/// Names that the columns of a votes table have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColumnSet {
    pub annotator: &'static str,
    pub left: &'static str,
    pub right: &'static str,
    /// None: the left item always won, and there are no sides.
    pub choice: Option<&'static str>,
}

/// The usual names. A set is recognised as a whole, the first that is there.
pub(crate) const COLUMN_SETS: [ColumnSet; 4] = [
    ColumnSet {
        annotator: "annotator",
        left: "left",
        right: "right",
        choice: Some("choice"),
    },
    ColumnSet {
        annotator: "judge",
        left: "model_a",
        right: "model_b",
        choice: Some("winner"),
    },
    ColumnSet {
        annotator: "worker",
        left: "left",
        right: "right",
        choice: Some("label"),
    },
    ColumnSet {
        annotator: "annotator",
        left: "winner",
        right: "loser",
        choice: None,
    },
];

/// The columns that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadColumns {
    /// None: nobody knows who voted.
    pub annotator: Option<String>,
    pub left: String,
    pub right: String,
    /// None: the left item always won, and there are no sides.
    pub choice: Option<String>,
    pub weight: Option<String>,
    pub fold: Option<String>,
}

impl Columns {
    /// Whether the caller names one of the columns that say what was compared and chosen.
    fn are_named(&self) -> bool {
        let names = [&self.left, &self.right, &self.choice];
        names.iter().any(|name| name.is_some())
    }

    /// The columns that may be meant, in the order in which they are looked for: those
    /// that the caller named, or one of each usual set.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = ReadColumns> {
        let sets = if self.are_named() {
            &COLUMN_SETS[..1]
        } else {
            &COLUMN_SETS[..]
        };
        sets.iter().map(|set| self.with_usual(set))
    }

    /// The names that the caller gave, and those of a set for the others.
    fn with_usual(&self, set: &ColumnSet) -> ReadColumns {
        let or = |name: &Option<String>, usual: &str| name.clone().unwrap_or_else(|| usual.into());
        ReadColumns {
            annotator: match &self.annotator {
                AnnotatorColumn::Usual => Some(set.annotator.into()),
                AnnotatorColumn::Named(name) => Some(name.clone()),
                AnnotatorColumn::Unknown => None,
            },
            left: or(&self.left, set.left),
            right: or(&self.right, set.right),
            choice: self.choice.clone().or(set.choice.map(String::from)),
            weight: self.weight.clone(),
            fold: self.fold.clone(),
        }
    }

    /// The names in messages about votes that were not read from columns.
    pub(crate) fn default_names(&self) -> ReadColumns {
        self.with_usual(&COLUMN_SETS[0])
    }

    /// The columns to read of a table that has these.
    pub(crate) fn find(&self, present: &[&str]) -> Result<ReadColumns> {
        let has = |columns: &ReadColumns| columns.of_vote().all(|(_, name)| has(present, name));
        let found = self.candidates().find(has);
        found
            .unwrap_or_else(|| self.default_names())
            .require(present)
    }

    /// The same for votes that are to be predicted, which need no choice.
    #[allow(dead_code, reason = "for the hosts, which are features")]
    pub(crate) fn find_to_predict(&self, present: &[&str]) -> Result<ReadColumns> {
        let without_choice = |columns: ReadColumns| ReadColumns {
            choice: columns.choice.filter(|name| has(present, name)),
            weight: None,
            fold: None,
            ..columns
        };
        let has = |columns: &ReadColumns| columns.of_vote().all(|(_, name)| has(present, name));
        let found = self.candidates().map(without_choice).find(has);
        let default = || without_choice(self.default_names());
        found.unwrap_or_else(default).require(present)
    }
}

impl ReadColumns {
    /// The columns that every vote has: the argument that names it, and its name.
    fn of_vote(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let columns = [
            ("annotator", self.annotator.as_deref()),
            ("left", Some(self.left.as_str())),
            ("right", Some(&self.right)),
            ("choice", self.choice.as_deref()),
        ];
        columns
            .into_iter()
            .filter_map(|(argument, name)| Some((argument, name?)))
    }

    /// The column of annotators in a message. Where there is none no annotator is wrong.
    pub fn annotator_name(&self) -> &str {
        self.annotator.as_deref().unwrap_or("annotator")
    }

    /// The column of choices in a message. Where there is none no choice is wrong.
    pub fn choice_name(&self) -> &str {
        self.choice.as_deref().unwrap_or("choice")
    }

    /// All columns: the argument that names it, and its name.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let optional = [("weight", &self.weight), ("fold", &self.fold)];
        let optional = optional.into_iter();
        let given = optional.filter_map(|(argument, name)| Some((argument, name.as_deref()?)));
        self.of_vote().chain(given)
    }

    /// These columns, spelled as in a table that has the columns `present`; an error if
    /// it lacks one.
    pub fn require(self, present: &[&str]) -> Result<Self> {
        let missing: Vec<_> = self.all().filter(|(_, name)| !has(present, name)).collect();
        if !missing.is_empty() {
            return Err(missing_columns(&missing, present));
        }
        let spelled = |name: String| match position(present, &name) {
            Some(index) => present[index].to_string(),
            None => name,
        };
        Ok(Self {
            annotator: self.annotator.map(spelled),
            left: spelled(self.left),
            right: spelled(self.right),
            choice: self.choice.map(spelled),
            weight: self.weight.map(spelled),
            fold: self.fold.map(spelled),
        })
    }
}

/// `annotator = judge, left = model_a, right = model_b, choice = winner`
impl fmt::Display for ReadColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (argument, name)) in self.all().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{argument} = {name}")?;
        }
        Ok(())
    }
}

/// The index of a column. Names are the same in upper and lower case; an exact match
/// takes precedence.
pub(crate) fn position(present: &[&str], name: &str) -> Option<usize> {
    let exact = present.iter().position(|known| *known == name);
    exact.or_else(|| {
        present
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name))
    })
}

fn has(present: &[&str], name: &str) -> bool {
    position(present, name).is_some()
}

/// The error for missing columns: the columns that there are, and the arguments to set.
fn missing_columns(missing: &[(&str, &str)], present: &[&str]) -> Error {
    let names: Vec<_> = missing
        .iter()
        .map(|(_, name)| format!("\"{name}\""))
        .collect();
    let arguments: Vec<_> = missing
        .iter()
        .map(|(argument, _)| (*argument).to_string())
        .collect();
    let (columns, to_read) = match missing.len() {
        1 => ("column", "the one"),
        _ => ("columns", "those"),
    };
    let present: Vec<_> = present.iter().map(|name| format!("\"{name}\"")).collect();
    let unknown = match missing[0].0 {
        "annotator" => "; annotator to NULL if nobody knows who voted",
        _ => "",
    };
    Error::votes(format!(
        "the votes have no {columns} {}; they have {}: set {} to {to_read} to read{unknown}",
        listed(&names),
        present.join(", "),
        listed(&arguments),
    ))
}

/// a, b and c
fn listed(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(columns: &Columns, present: &[&str]) -> String {
        columns
            .find(present)
            .map_or_else(|error| error.to_string(), |found| found.to_string())
    }

    #[test]
    fn a_usual_set_is_found_as_a_whole() {
        let usual = Columns::default();
        for (present, expected) in [
            (
                &["choice", "right", "left", "annotator"][..],
                "annotator = annotator, left = left, right = right, choice = choice",
            ),
            (
                &["Judge", "MODEL_A", "model_b", "winner", "turn"],
                "annotator = Judge, left = MODEL_A, right = model_b, choice = winner",
            ),
            (
                &["worker", "left", "right", "label"],
                "annotator = worker, left = left, right = right, choice = label",
            ),
            (
                &["annotator", "winner", "loser"],
                "annotator = annotator, left = winner, right = loser",
            ),
            // The first that is there.
            (
                &[
                    "judge",
                    "model_a",
                    "model_b",
                    "winner",
                    "annotator",
                    "left",
                    "right",
                    "choice",
                ],
                "annotator = annotator, left = left, right = right, choice = choice",
            ),
            // Parts of two sets are none.
            (
                &["judge", "left", "right", "choice"],
                "the votes have no column \"annotator\"; they have \"judge\", \"left\", \"right\", \
                 \"choice\": set annotator to the one to read; annotator to NULL if nobody knows \
                 who voted",
            ),
            (
                &["judge", "model_a", "model_b", "outcome"],
                "the votes have no columns \"annotator\", \"left\", \"right\" and \"choice\"; they \
                 have \"judge\", \"model_a\", \"model_b\", \"outcome\": set annotator, left, right \
                 and choice to those to read; annotator to NULL if nobody knows who voted",
            ),
        ] {
            assert_eq!(read(&usual, present), expected);
        }
    }

    #[test]
    fn one_named_column_leaves_the_others_as_they_are_called_first() {
        let named = Columns {
            choice: Some("winner".into()),
            ..Columns::default()
        };
        let present = ["judge", "model_a", "model_b", "winner"];
        assert!(read(&named, &present).starts_with(
            "the votes have no columns \"annotator\", \"left\" and \"right\"; they have"
        ));
        // The annotator has a name of its own in many tables: the rest of a set is found.
        let named = Columns {
            annotator: "who".into(),
            ..Columns::default()
        };
        for (present, expected) in [
            (
                &["who", "left", "right", "choice"][..],
                "annotator = who, left = left, right = right, choice = choice",
            ),
            (
                &["who", "model_a", "model_b", "winner", "judge"],
                "annotator = who, left = model_a, right = model_b, choice = winner",
            ),
            (
                &["WHO", "winner", "loser"],
                "annotator = WHO, left = winner, right = loser",
            ),
        ] {
            assert_eq!(read(&named, present), expected);
        }
        assert!(
            read(&named, &["who", "a", "b"])
                .contains("no columns \"left\", \"right\" and \"choice\";")
        );
    }

    #[test]
    fn without_annotators_the_rest_of_a_set_is_found() {
        let unknown = Columns {
            annotator: AnnotatorColumn::Unknown,
            weight: Some("n".into()),
            ..Columns::default()
        };
        let present = ["model_a", "model_b", "winner", "N"];
        let expected = "left = model_a, right = model_b, choice = winner, weight = N";
        assert_eq!(read(&unknown, &present), expected);
        assert_eq!(
            read(&unknown, &["winner", "loser"]),
            "the votes have no column \"n\"; they have \"winner\", \"loser\": set weight to the one \
             to read"
        );
    }

    #[test]
    fn votes_to_be_predicted_need_no_choice() {
        let predict = |present: &[&str]| {
            let found = Columns::default().find_to_predict(present);
            found.map_or_else(|error| error.to_string(), |found| found.to_string())
        };
        assert_eq!(
            predict(&["judge", "model_a", "model_b"]),
            "annotator = judge, left = model_a, right = model_b"
        );
        assert_eq!(
            predict(&["annotator", "left", "right", "choice"]),
            "annotator = annotator, left = left, right = right, choice = choice"
        );
        assert!(predict(&["left", "right"]).starts_with("the votes have no column \"annotator\";"));
    }
}
