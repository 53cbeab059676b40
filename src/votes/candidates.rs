//! Pairs of items that may be asked next.

use std::fmt;

use super::ids::{IdRef, IdType, Ids, Interner};
use crate::error::{Error, Result};

/// Collects candidate pairs, row by row.
///
/// ```
/// use me_hodgerank::{CandidateBuilder, IdRef};
///
/// let mut candidates = CandidateBuilder::default();
/// candidates.push(Some(IdRef::from("tea")), Some(IdRef::from("milk")))?;
/// candidates.push(Some(IdRef::from("milk")), Some(IdRef::from("tea")))?;
/// assert_eq!(candidates.finish()?.len(), 1, "either way round it is the same pair");
/// # Ok::<(), me_hodgerank::Error>(())
/// ```
#[derive(Default)]
pub struct CandidateBuilder {
    interner: Interner,
    /// The numbers of both items of each pair.
    numbers: Vec<u32>,
}

/// Candidate pairs: different ones, in canonical order.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidatePairs {
    pub(crate) ids: Ids,
    /// a < b, positions in the canonical order of ids.
    pub(crate) pairs: Vec<[u32; 2]>,
}

impl fmt::Debug for CandidateBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CandidateBuilder")
            .field("pairs", &(self.numbers.len() / 2))
            .finish_non_exhaustive()
    }
}

impl CandidateBuilder {
    /// Declares that ids of this type follow.
    pub fn expect_ids(&mut self, id_type: IdType) {
        self.interner.expect(id_type);
    }

    /// Takes a pair; None is NULL in SQL, and an error.
    pub fn push(&mut self, left: Option<IdRef<'_>>, right: Option<IdRef<'_>>) -> Result<()> {
        let row = self.numbers.len() / 2 + 1;
        let (Some(left), Some(right)) = (left, right) else {
            return Err(Error::votes(format!(
                "row {row} of the candidate pairs has no item (NULL): leave such rows out, WHERE \
                 \"left\" IS NOT NULL AND \"right\" IS NOT NULL"
            )));
        };
        if left == right {
            return Err(Error::votes(format!(
                "row {row} of the candidate pairs is item {left} and itself: leave such rows out, \
                 WHERE \"left\" <> \"right\""
            )));
        }
        let both = [left, right].into_iter();
        self.interner.intern_all(both, &mut self.numbers)
    }

    /// The pairs; an error if there is none.
    pub fn finish(self) -> Result<CandidatePairs> {
        let (ids, positions) = self.interner.sorted("candidate pairs")?;
        let (pairs, _) = self.numbers.as_chunks::<2>();
        let sorted = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|number| positions[number as usize]);
            [a.min(b), a.max(b)]
        };
        let mut pairs: Vec<[u32; 2]> = pairs.iter().map(sorted).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.is_empty() {
            return Err(Error::votes(
                "there are no candidate pairs: the table that names them has no rows; leave \
                 candidates out to choose among all pairs",
            ));
        }
        Ok(CandidatePairs { ids, pairs })
    }
}

impl CandidatePairs {
    /// How many.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none. There always is one.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}
