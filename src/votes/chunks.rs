//! Votes in the order in which they were read. Ids are the numbers that an
//! interner gave them, in the order of first appearance.

use std::sync::Arc;

use super::comparisons::Choices;

/// Rows of one chunk: 13 bytes a vote as long as choices are just sides and
/// nothing is weighted.
#[derive(Clone, Default)]
pub(super) struct Chunk {
    pub annotator: Vec<u32>,
    pub left: Vec<u32>,
    pub right: Vec<u32>,
    pub choice: Choices,
    pub weight: Vec<f64>,
    pub fold: Vec<i64>,
}

/// Rows of a full chunk. Growing one long vector instead would need three times
/// its size while it is copied.
pub(super) const CHUNK_ROWS: usize = 1 << 16;

impl Chunk {
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Nobody knows who cast the next votes: they are one group.
    pub fn add_unknown_annotators(&mut self, votes: usize) {
        self.annotator.resize(self.annotator.len() + votes, 0);
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        let choice = if self.choice.is_graded() { 8 } else { 1 };
        self.left.capacity() * (12 + choice) + 8 * (self.weight.capacity() + self.fold.capacity())
    }

    /// This chunk, to be shared, with its own numbers.
    pub fn shared(self) -> SharedChunk {
        SharedChunk {
            chunk: Arc::new(self),
            renumbering: None,
        }
    }
}

/// A full chunk, shared between a builder and its copies, and how its numbers
/// translate to those of the builder that holds it.
#[derive(Clone)]
pub(super) struct SharedChunk {
    pub chunk: Arc<Chunk>,
    /// None: the numbers are the same as in the chunk.
    pub renumbering: Option<Arc<Renumbering>>,
}

/// For each number of an id, the number that replaces it.
pub(super) struct Renumbering {
    pub annotators: Vec<u32>,
    pub items: Vec<u32>,
}

impl Renumbering {
    /// None if nothing changes.
    pub fn new(annotators: Vec<u32>, items: Vec<u32>) -> Option<Arc<Self>> {
        let same = |numbers: &[u32]| (0..).zip(numbers).all(|(index, &number)| index == number);
        let unchanged = same(&annotators) && same(&items);
        (!unchanged).then(|| Arc::new(Self { annotators, items }))
    }

    /// This renumbering followed by another.
    fn then(&self, next: &Self) -> Self {
        let compose = |first: &[u32], next: &[u32]| {
            let numbers = first.iter().map(|&number| next[number as usize]);
            numbers.collect()
        };
        Self {
            annotators: compose(&self.annotators, &next.annotators),
            items: compose(&self.items, &next.items),
        }
    }
}

/// Composes the renumberings of chunks with one that follows, once for all
/// consecutive chunks that share theirs.
pub(super) struct RenumberingCache {
    next: Arc<Renumbering>,
    /// The last renumbering that was asked for, and its composition.
    last: Option<(Arc<Renumbering>, Arc<Renumbering>)>,
}

impl RenumberingCache {
    pub fn new(next: Arc<Renumbering>) -> Self {
        Self { next, last: None }
    }

    /// The renumbering of a chunk followed by the next one.
    pub fn compose(&mut self, chunk: &SharedChunk) -> Arc<Renumbering> {
        let Some(first) = &chunk.renumbering else {
            return self.next.clone();
        };
        match &self.last {
            Some((known, composed)) if Arc::ptr_eq(known, first) => composed.clone(),
            _ => {
                let composed = Arc::new(first.then(&self.next));
                self.last = Some((first.clone(), composed.clone()));
                composed
            }
        }
    }
}
