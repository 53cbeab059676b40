//! Votes as they came in, ids as numbers of first sight.

use std::sync::Arc;

use super::comparisons::Choices;

/// Rows of one chunk: 13 bytes a vote as long as choices are just sides and
/// nothing is weighted.
#[derive(Clone)]
pub(super) struct Chunk {
    pub annotator: Vec<u32>,
    pub left: Vec<u32>,
    pub right: Vec<u32>,
    pub choice: Choices,
    pub weight: Vec<f64>,
    pub fold: Vec<i64>,
}

/// A full chunk is left alone: growing one long vector would need three times its size.
pub(super) const CHUNK_ROWS: usize = 1 << 16;

impl Chunk {
    pub fn new() -> Self {
        Self {
            annotator: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            choice: Choices::with_capacity(false, 0),
            weight: Vec::new(),
            fold: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        let choice = if self.choice.is_graded() { 8 } else { 1 };
        self.left.capacity() * (12 + choice) + 8 * (self.weight.capacity() + self.fold.capacity())
    }
}

/// A full chunk, shared between a builder and its copies, and what its numbers
/// are here.
#[derive(Clone)]
pub(super) struct Held {
    pub chunk: Arc<Chunk>,
    /// None: the same as in the chunk.
    pub numbers: Option<Arc<Numbers>>,
}

/// The numbers that ids have in another interner.
pub(super) struct Numbers {
    pub annotators: Vec<u32>,
    pub items: Vec<u32>,
}

impl Numbers {
    /// None if nothing changes.
    pub fn new(annotators: Vec<u32>, items: Vec<u32>) -> Option<Arc<Self>> {
        let same = |numbers: &[u32]| (0..).zip(numbers).all(|(index, &number)| index == number);
        let unchanged = same(&annotators) && same(&items);
        (!unchanged).then(|| Arc::new(Self { annotators, items }))
    }

    /// These numbers, looked up in another's.
    pub fn then(&self, next: &Self) -> Self {
        let look_up = |own: &[u32], next: &[u32]| {
            let numbers = own.iter().map(|&number| next[number as usize]);
            numbers.collect()
        };
        Self {
            annotators: look_up(&self.annotators, &next.annotators),
            items: look_up(&self.items, &next.items),
        }
    }
}

/// Looks numbers up in others, once for all chunks that share theirs.
pub(super) struct Lookup {
    next: Arc<Numbers>,
    last: Option<(Arc<Numbers>, Arc<Numbers>)>,
}

impl Lookup {
    pub fn new(next: Arc<Numbers>) -> Self {
        Self { next, last: None }
    }

    /// What a chunk's numbers become.
    pub fn of(&mut self, numbers: Option<&Arc<Numbers>>) -> Arc<Numbers> {
        let Some(numbers) = numbers else {
            return self.next.clone();
        };
        match &self.last {
            Some((known, found)) if Arc::ptr_eq(known, numbers) => found.clone(),
            _ => {
                let found = Arc::new(numbers.then(&self.next));
                self.last = Some((numbers.clone(), found.clone()));
                found
            }
        }
    }
}
