//! Indices into other vectors, four at a time, looked up without a check for each.
//!
//! Every index of a part is below the part's bound; that is checked when it is
//! set. So one check that a vector is at least as long as the bound does for all
//! lookups with the part.

use crate::linalg::simd::Quad;

/// An index: `u32`, or `u16` to save memory where all are small.
pub(crate) trait GatherIndex: Copy + 'static {
    /// The index as it is stored. Panics if it is too large for that.
    fn new(index: u32) -> Self;

    /// The same as a number.
    fn position(self) -> usize;
}

impl GatherIndex for u32 {
    fn new(index: u32) -> Self {
        index
    }

    #[inline(always)]
    fn position(self) -> usize {
        self as usize
    }
}

impl GatherIndex for u16 {
    fn new(index: u32) -> Self {
        Self::try_from(index).expect("the bound of the indices is small")
    }

    #[inline(always)]
    fn position(self) -> usize {
        usize::from(self)
    }
}

/// Indices in parts, one after the other.
#[derive(Debug, Default)]
pub(crate) struct GatherIndices<I = u32> {
    /// Invariant: every index of a part is below the part's bound.
    quads: Vec<[I; 4]>,
    parts: Vec<PartBounds>,
}

#[derive(Clone, Copy, Debug)]
struct PartBounds {
    start: usize,
    end: usize,
    bound: usize,
}

/// Some quads of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatherSlice<'a, I = u32> {
    quads: &'a [[I; 4]],
    bound: usize,
}

/// A part whose indices are changed one by one.
#[derive(Debug)]
pub(crate) struct GatherPartMut<'a, I = u32> {
    indices: &'a mut [I],
    bound: usize,
}

impl<I: GatherIndex> GatherPartMut<'_, I> {
    /// Changes the index at a position.
    #[inline(always)]
    pub fn set(&mut self, position: usize, index: u32) {
        assert!((index as usize) < self.bound);
        self.indices[position] = I::new(index);
    }
}

impl<I: GatherIndex> GatherIndices<I> {
    pub fn with_capacity(quads: usize) -> Self {
        Self {
            quads: Vec::with_capacity(quads),
            parts: Vec::new(),
        }
    }

    /// Begins a part whose indices are below a bound.
    pub fn begin(&mut self, bound: usize) {
        let start = self.quads.len();
        self.parts.push(PartBounds {
            start,
            end: start,
            bound,
        });
    }

    /// Adds a quad to the latest part, so many times.
    pub fn extend(&mut self, quad: [u32; 4], times: usize) {
        let part = self.parts.last_mut().expect("a part has begun");
        assert!(quad.iter().all(|&index| (index as usize) < part.bound));
        part.end += times;
        self.quads.resize(part.end, quad.map(I::new));
    }

    /// The latest part, to be changed.
    pub fn latest(&mut self) -> GatherPartMut<'_, I> {
        let part = self.parts.last().expect("a part has begun");
        GatherPartMut {
            indices: self.quads[part.start..].as_flattened_mut(),
            bound: part.bound,
        }
    }

    pub fn shrink_to_fit(&mut self) {
        self.quads.shrink_to_fit();
    }

    #[inline(always)]
    pub fn part(&self, part: usize) -> GatherSlice<'_, I> {
        let PartBounds { start, end, bound } = self.parts[part];
        GatherSlice {
            quads: &self.quads[start..end],
            bound,
        }
    }
}

impl<'a, I: GatherIndex> GatherSlice<'a, I> {
    #[inline(always)]
    pub fn quads(&self) -> &'a [[I; 4]] {
        self.quads
    }

    #[inline(always)]
    pub fn split_at(self, quads: usize) -> (Self, Self) {
        let (before, after) = self.quads.split_at(quads);
        let part = |quads| Self { quads, ..self };
        (part(before), part(after))
    }

    /// The values at these indices.
    #[inline(always)]
    pub fn of<'x>(self, values: &'x [f64]) -> GatheredValues<'a, 'x, I> {
        assert!(self.bound <= values.len());
        GatheredValues {
            quads: self.quads,
            values,
        }
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn of_mut<'x>(self, values: &'x mut [f64]) -> GatheredValuesMut<'a, 'x, I> {
        assert!(self.bound <= values.len());
        GatheredValuesMut {
            quads: self.quads,
            values,
        }
    }
}

/// Values at some indices, each of which is known to exist.
#[derive(Clone, Copy)]
pub(crate) struct GatheredValues<'a, 'x, I = u32> {
    quads: &'a [[I; 4]],
    values: &'x [f64],
}

impl<'a, 'x, I: GatherIndex> GatheredValues<'a, 'x, I> {
    /// Quad by quad.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Quad> {
        self.quads.iter().map(move |quad| self.get(quad))
    }

    /// Consecutive runs of so many quads.
    #[inline(always)]
    pub fn chunks(self, length: usize) -> impl Iterator<Item = Self> {
        let chunks = self.quads.chunks_exact(length);
        chunks.map(move |quads| Self { quads, ..self })
    }

    /// The same, for a length that the compiler knows.
    #[inline(always)]
    pub fn chunks_of<const N: usize>(self) -> impl Iterator<Item = Self> {
        let chunks = self.quads.as_chunks::<N>().0.iter();
        chunks.map(move |quads| Self { quads, ..self })
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn get(self, quad: &'a [I; 4]) -> Quad {
        // SAFETY: the quad is one of a part's, so its indices are below the part's
        // bound, and `GatherSlice::of` checked that there are as many values.
        quad.map(|index| unsafe { *self.values.get_unchecked(index.position()) })
    }
}

/// The same, to be changed.
pub(crate) struct GatheredValuesMut<'a, 'x, I = u32> {
    quads: &'a [[I; 4]],
    values: &'x mut [f64],
}

impl<I: GatherIndex> GatheredValuesMut<'_, '_, I> {
    /// Adds to the values at the indices of one quad.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn add(&mut self, quad: usize, change: Quad) {
        for (index, change) in self.quads[quad].into_iter().zip(change) {
            // SAFETY: the index is below the part's bound, and `GatherSlice::of_mut`
            // checked that there are as many values.
            unsafe { *self.values.get_unchecked_mut(index.position()) += change };
        }
    }

    /// Subtracts from the values at the indices of one quad of another part.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn subtract_at(&mut self, other: GatherSlice<'_, I>, quad: usize, change: Quad) {
        assert!(other.bound <= self.values.len());
        for (index, change) in other.quads[quad].into_iter().zip(change) {
            // SAFETY: the index is below the other part's bound, and there are as many
            // values, as was just checked.
            unsafe { *self.values.get_unchecked_mut(index.position()) -= change };
        }
    }

    /// Subtracts from the values at the indices of one quad.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn subtract(&mut self, quad: usize, change: Quad) {
        for (index, change) in self.quads[quad].into_iter().zip(change) {
            // SAFETY: the index is below the part's bound, and `GatherSlice::of_mut`
            // checked that there are as many values.
            unsafe { *self.values.get_unchecked_mut(index.position()) -= change };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices() -> GatherIndices {
        let mut indices = GatherIndices::default();
        indices.begin(2);
        indices.extend([0, 1, 1, 0], 1);
        indices.begin(5);
        indices.extend([4, 0, 0, 0], 2);
        indices.latest().set(5, 3);
        indices
    }

    #[test]
    fn values_are_those_at_the_indices() {
        let indices = indices();
        let mut values = [1.0, 2.0, 3.0, 4.0, 5.0];
        let found: Vec<Quad> = indices.part(1).of(&values).iter().collect();
        assert_eq!(found, [[5.0, 1.0, 1.0, 1.0], [5.0, 4.0, 1.0, 1.0]]);
        let mut changed = indices.part(0).of_mut(&mut values);
        changed.subtract(0, [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(values, [-8.0, -4.0, 3.0, 4.0, 5.0]);
        let mut changed = indices.part(1).of_mut(&mut values);
        changed.add(0, [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(values, [6.0, -4.0, 3.0, 4.0, 6.0]);
        let mut changed = indices.part(1).of_mut(&mut values);
        changed.subtract_at(indices.part(0), 0, [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(values, [-3.0, -10.0, 3.0, 4.0, 6.0]);
    }

    #[test]
    #[should_panic]
    fn a_short_vector_is_refused() {
        indices().part(1).of(&[0.0; 4]);
    }

    #[test]
    #[should_panic]
    fn an_index_beyond_the_bound_is_refused() {
        indices().latest().set(0, 5);
    }
}
