//! A choice, in any of the spellings that votes tables use, as one number:
//! positive for the left item, negative for the right one, 0 for a tie.

use super::ids::IdRef;

/// One choice as a host passes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChoiceRef<'a> {
    /// Its sign is the side, its size the strength.
    Number(f64),
    /// True for the left item.
    Bool(bool),
    /// A side, a tie, or the id of the item that won.
    Text(&'a str),
}

/// Why a choice cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadChoice {
    NotFinite,
    TooLarge,
    NumberAsText,
    Unknown,
}

/// The largest choice and weight. The square of a larger one could overflow.
pub(crate) const MAX_MAGNITUDE: f64 = 1e100;

/// The smallest weight of a vote: one over a lighter one, squared, would be infinite.
pub(crate) const MIN_WEIGHT: f64 = 1e-100;

const LEFT: &[&str] = &["left", "l", "a", "model_a", "model a", "first"];
const RIGHT: &[&str] = &["right", "r", "b", "model_b", "model b", "second"];
const TIE: &[&str] = &[
    "tie",
    "tied",
    "tie (bothbad)",
    "tie (both bad)",
    "bothbad",
    "both_bad",
    "both bad",
    "draw",
    "equal",
    "same",
    "both",
    "neither",
    "no preference",
];

impl ChoiceRef<'_> {
    /// The choice as a number, given the two items.
    pub(crate) fn value(self, left: IdRef<'_>, right: IdRef<'_>) -> Result<f64, BadChoice> {
        match self {
            Self::Number(value) if !value.is_finite() => Err(BadChoice::NotFinite),
            Self::Number(value) if value.abs() > MAX_MAGNITUDE => Err(BadChoice::TooLarge),
            Self::Number(value) => Ok(value + 0.0), // -0.0 becomes 0.0
            Self::Bool(left_chosen) => Ok(if left_chosen { 1.0 } else { -1.0 }),
            Self::Text(text) => side(text, left, right).ok_or_else(|| not_a_side(text)),
        }
    }
}

/// The side that a text means. The id of an item takes precedence over the
/// spellings of a side: an item may be called "b".
fn side(text: &str, left: IdRef<'_>, right: IdRef<'_>) -> Option<f64> {
    if names(text, left) {
        return Some(1.0);
    }
    if names(text, right) {
        return Some(-1.0);
    }
    let word = text.trim();
    let among = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    [(LEFT, 1.0), (RIGHT, -1.0), (TIE, 0.0)]
        .into_iter()
        .find_map(|(words, value)| among(words).then_some(value))
}

/// Why a text is no choice. Some tools import every column as text, numbers too.
fn not_a_side(text: &str) -> BadChoice {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => BadChoice::NumberAsText,
        _ => BadChoice::Unknown,
    }
}

fn names(text: &str, id: IdRef<'_>) -> bool {
    match id {
        IdRef::Text(id) => id == text,
        IdRef::Int(id) => text.parse() == Ok(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(choice: ChoiceRef<'_>) -> Result<f64, BadChoice> {
        choice.value(IdRef::Text("x"), IdRef::Text("y"))
    }

    #[test]
    fn numbers_and_booleans() {
        assert_eq!(value(ChoiceRef::Number(-2.5)), Ok(-2.5));
        assert_eq!(value(ChoiceRef::Number(-0.0)).unwrap().to_bits(), 0);
        assert_eq!(
            value(ChoiceRef::Number(f64::NAN)),
            Err(BadChoice::NotFinite)
        );
        assert_eq!(
            value(ChoiceRef::Number(-f64::INFINITY)),
            Err(BadChoice::NotFinite)
        );
        assert_eq!(value(ChoiceRef::Number(1e200)), Err(BadChoice::TooLarge));
        assert_eq!(value(ChoiceRef::Bool(true)), Ok(1.0));
        assert_eq!(value(ChoiceRef::Bool(false)), Ok(-1.0));
    }

    #[test]
    fn words_in_any_case() {
        for (words, expected) in [(LEFT, 1.0), (RIGHT, -1.0), (TIE, 0.0)] {
            for word in words {
                let shouted = format!(" {} ", word.to_uppercase());
                assert_eq!(value(ChoiceRef::Text(&shouted)), Ok(expected), "{word}");
            }
        }
        assert_eq!(value(ChoiceRef::Text("lft")), Err(BadChoice::Unknown));
        assert_eq!(value(ChoiceRef::Text("1")), Err(BadChoice::NumberAsText));
    }

    #[test]
    fn the_winners_id() {
        assert_eq!(value(ChoiceRef::Text("x")), Ok(1.0));
        assert_eq!(value(ChoiceRef::Text("y")), Ok(-1.0));
        let numbered = |text| ChoiceRef::Text(text).value(IdRef::Int(7), IdRef::Int(12));
        assert_eq!(numbered("7"), Ok(1.0));
        assert_eq!(numbered("12"), Ok(-1.0));
        assert_eq!(numbered("8"), Err(BadChoice::NumberAsText));
        // An item called "b" on the left: the winner's id, not the right side.
        let lettered = ChoiceRef::Text("b").value(IdRef::Text("b"), IdRef::Text("a"));
        assert_eq!(lettered, Ok(1.0));
    }
}
