//! Which group of votes is meant: by an annotator and an item of it. An aggregate does
//! not know by what its votes were grouped.

use super::bad_rows::literal;
use super::builder::VoteBuilder;
use super::ids::Interner;

impl VoteBuilder {
    /// The votes so far in words, such as "the group of votes with annotator 7 and item
    /// 'tea'"; None if they have no ids. For [`Error::in_group`](crate::Error::in_group).
    pub(crate) fn group(&self) -> Option<String> {
        let (annotators, items, bad) = self.ids();
        let first = |ids: &Interner, unused: &Option<String>| {
            let known = ids.first().map(literal);
            known.or_else(|| unused.clone())
        };
        let annotator = first(annotators, &bad.annotator);
        group_of(annotator, first(items, &bad.item))
    }
}

/// The group with an annotator and an item, as SQL writes their ids.
pub(super) fn group_of(annotator: Option<String>, item: Option<String>) -> Option<String> {
    let parts = [("annotator", annotator), ("item", item)].into_iter();
    let parts = parts.filter_map(|(what, id)| Some(format!("{what} {}", id?)));
    let parts: Vec<String> = parts.collect();
    let is_known = !parts.is_empty();
    is_known.then(|| format!("the group of votes with {}", parts.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Options, Row};

    #[test]
    fn a_group_is_known_by_its_first_ids() {
        let mut builder = VoteBuilder::new(&Options::default());
        assert_eq!(builder.group(), None);
        let unchanged = Error::votes("no").in_group(builder.group());
        assert_eq!(unchanged.to_string(), "no");
        builder
            .push(Row::new("bob", "it's", "milk", "lft"))
            .unwrap();
        builder.push(Row::new("ann", "tea", "milk", "lft")).unwrap();
        let group = "the group of votes with annotator 'ann' and item 'it''s'";
        assert_eq!(builder.group().as_deref(), Some(group));
        builder.push(Row::new(12, "x", "y", "left")).unwrap();
        builder.push(Row::new(7, "y", "tea", "left")).unwrap();
        let error = Error::votes("no").in_group(builder.group());
        let text = "no (in the group of votes with annotator 7 and item 'tea')";
        assert_eq!(error.to_string(), text);
    }
}
