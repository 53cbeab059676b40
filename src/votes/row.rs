//! One row of a votes table.

use super::choice::ChoiceRef;
use super::ids::IdRef;

/// One row of the votes table; `None` for NULL.
///
/// [`Row::new`] makes a row without NULLs:
///
/// ```
/// use me_hodgerank::Row;
///
/// let words = Row::new("ann", "tea", "milk", "left");
/// let numbers = Row::new(7, 1, 2, -0.5).weight(3.0);
/// # assert_eq!((words.fold, numbers.weight), (None, Some(3.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Who voted.
    pub annotator: Option<IdRef<'a>>,
    /// The item shown on the left.
    pub left: Option<IdRef<'a>>,
    /// The item shown on the right.
    pub right: Option<IdRef<'a>>,
    /// What was chosen.
    pub choice: Option<ChoiceRef<'a>>,
    /// The vote's weight. Ignored unless the options name a weight column.
    pub weight: Option<f64>,
    /// The vote's fold. Ignored unless the options name a fold column.
    pub fold: Option<i64>,
}

impl<'a> Row<'a> {
    /// A vote of `annotator` on two items. Ids are integers or text; a choice is a
    /// number (positive: left), a boolean (true: left) or a text (a side, a tie, or
    /// the id of the item that won).
    pub fn new(
        annotator: impl Into<IdRef<'a>>,
        left: impl Into<IdRef<'a>>,
        right: impl Into<IdRef<'a>>,
        choice: impl Into<ChoiceRef<'a>>,
    ) -> Self {
        Self {
            annotator: Some(annotator.into()),
            left: Some(left.into()),
            right: Some(right.into()),
            choice: Some(choice.into()),
            weight: None,
            fold: None,
        }
    }

    /// The same row with a weight.
    pub fn weight(self, weight: f64) -> Self {
        Self {
            weight: Some(weight),
            ..self
        }
    }

    /// The same row in a cross-validation fold.
    pub fn fold(self, fold: i64) -> Self {
        Self {
            fold: Some(fold),
            ..self
        }
    }
}

macro_rules! integer_ids {
    ($($integer:ty),*) => {$(
        impl From<$integer> for IdRef<'_> {
            fn from(id: $integer) -> Self {
                Self::Int(id as i128)
            }
        }
    )*};
}
integer_ids!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, usize);

impl<'a> From<&'a str> for IdRef<'a> {
    fn from(id: &'a str) -> Self {
        Self::Text(id)
    }
}

impl<'a> From<&'a String> for IdRef<'a> {
    fn from(id: &'a String) -> Self {
        Self::Text(id)
    }
}

impl From<f64> for ChoiceRef<'_> {
    fn from(choice: f64) -> Self {
        Self::Number(choice)
    }
}

impl From<i32> for ChoiceRef<'_> {
    fn from(choice: i32) -> Self {
        Self::Number(choice.into())
    }
}

impl From<bool> for ChoiceRef<'_> {
    fn from(choice: bool) -> Self {
        Self::Bool(choice)
    }
}

impl<'a> From<&'a str> for ChoiceRef<'a> {
    fn from(choice: &'a str) -> Self {
        Self::Text(choice)
    }
}

impl<'a> From<&'a String> for ChoiceRef<'a> {
    fn from(choice: &'a String) -> Self {
        Self::Text(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_choices_of_every_kind() {
        let name = String::from("ann");
        let row = Row::new(&name, 7, u64::MAX, true).weight(2.5).fold(3);
        let expected = Row {
            annotator: Some(IdRef::Text("ann")),
            left: Some(IdRef::Int(7)),
            right: Some(IdRef::Int(18_446_744_073_709_551_615)),
            choice: Some(ChoiceRef::Bool(true)),
            weight: Some(2.5),
            fold: Some(3),
        };
        assert_eq!(row, expected);
        let choice = |row: Row<'static>| row.choice.unwrap();
        assert_eq!(choice(Row::new(1, 2, 3, -1)), ChoiceRef::Number(-1.0));
        assert_eq!(choice(Row::new(1, 2, 3, 0.5)), ChoiceRef::Number(0.5));
        assert_eq!(choice(Row::new(1, 2, 3, "tie")), ChoiceRef::Text("tie"));
    }
}
