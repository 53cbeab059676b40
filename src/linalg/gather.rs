//! GatherIndices in other vectors, four at a time, looked up without a check for each.
//!
//! All places of a part are below its bound: that is checked when they are set.
//! So one check that a vector is long enough does for all of them.

use crate::linalg::simd::Quad;

/// GatherIndices, part after part.
#[derive(Debug, Default)]
pub(crate) struct GatherIndices {
    /// Every place of a part is below the part's bound.
    quads: Vec<[u32; 4]>,
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
pub(crate) struct GatherSlice<'a> {
    quads: &'a [[u32; 4]],
    bound: usize,
}

impl GatherIndices {
    pub fn with_capacity(quads: usize) -> Self {
        Self {
            quads: Vec::with_capacity(quads),
            parts: Vec::new(),
        }
    }

    /// Begins a part of places below a bound.
    pub fn begin(&mut self, bound: usize) {
        let start = self.quads.len();
        self.parts.push(PartBounds {
            start,
            end: start,
            bound,
        });
    }

    /// Adds a quad to the latest part, some times over.
    pub fn extend(&mut self, quad: [u32; 4], times: usize) {
        let part = self.parts.last_mut().expect("a part has begun");
        assert!(quad.iter().all(|&place| (place as usize) < part.bound));
        part.end += times;
        self.quads.resize(part.end, quad);
    }

    /// Changes one place of the latest part.
    pub fn set(&mut self, index: usize, place: u32) {
        let part = self.parts.last().expect("a part has begun");
        assert!((place as usize) < part.bound);
        self.quads[part.start..].as_flattened_mut()[index] = place;
    }

    pub fn shrink_to_fit(&mut self) {
        self.quads.shrink_to_fit();
    }

    #[inline(always)]
    pub fn part(&self, index: usize) -> GatherSlice<'_> {
        let PartBounds { start, end, bound } = self.parts[index];
        GatherSlice {
            quads: &self.quads[start..end],
            bound,
        }
    }
}

impl<'a> GatherSlice<'a> {
    #[inline(always)]
    pub fn quads(&self) -> &'a [[u32; 4]] {
        self.quads
    }

    #[inline(always)]
    pub fn split_at(self, index: usize) -> (Self, Self) {
        let (before, after) = self.quads.split_at(index);
        let part = |quads| Self { quads, ..self };
        (part(before), part(after))
    }

    /// The values at these places.
    #[inline(always)]
    pub fn of<'x>(self, values: &'x [f64]) -> Values<'a, 'x> {
        assert!(self.bound <= values.len());
        Values {
            quads: self.quads,
            values,
        }
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn of_mut<'x>(self, values: &'x mut [f64]) -> ValuesMut<'a, 'x> {
        assert!(self.bound <= values.len());
        ValuesMut {
            quads: self.quads,
            values,
        }
    }
}

/// Values at some places, all of which there are.
#[derive(Clone, Copy)]
pub(crate) struct Values<'a, 'x> {
    quads: &'a [[u32; 4]],
    values: &'x [f64],
}

impl<'a, 'x> Values<'a, 'x> {
    /// Quad by quad.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Quad> {
        self.quads.iter().map(move |quad| self.get(quad))
    }

    /// So many quads at a time.
    #[inline(always)]
    pub fn chunks(self, length: usize) -> impl Iterator<Item = Self> {
        let chunks = self.quads.chunks_exact(length);
        chunks.map(move |quads| Self { quads, ..self })
    }

    /// The same, for lengths known beforehand.
    #[inline(always)]
    pub fn chunks_of<const N: usize>(self) -> impl Iterator<Item = Self> {
        let chunks = self.quads.as_chunks::<N>().0.iter();
        chunks.map(move |quads| Self { quads, ..self })
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn get(self, quad: &'a [u32; 4]) -> Quad {
        // SAFETY: a quad of these places, which are below a bound that is at most
        // the number of values.
        quad.map(|place| unsafe { *self.values.get_unchecked(place as usize) })
    }
}

/// Values at some places, to be changed.
pub(crate) struct ValuesMut<'a, 'x> {
    quads: &'a [[u32; 4]],
    values: &'x mut [f64],
}

impl ValuesMut<'_, '_> {
    /// Subtracts from the values at one quad.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn subtract(&mut self, index: usize, change: Quad) {
        for (place, change) in self.quads[index].into_iter().zip(change) {
            // SAFETY: as above.
            unsafe { *self.values.get_unchecked_mut(place as usize) -= change };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> GatherIndices {
        let mut places = GatherIndices::default();
        places.begin(2);
        places.extend([0, 1, 1, 0], 1);
        places.begin(5);
        places.extend([4, 0, 0, 0], 2);
        places.set(5, 3);
        places
    }

    #[test]
    fn values_are_those_at_the_places() {
        let places = places();
        let mut values = [1.0, 2.0, 3.0, 4.0, 5.0];
        let found: Vec<Quad> = places.part(1).of(&values).iter().collect();
        assert_eq!(found, [[5.0, 1.0, 1.0, 1.0], [5.0, 4.0, 1.0, 1.0]]);
        let mut changed = places.part(0).of_mut(&mut values);
        changed.subtract(0, [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(values, [-8.0, -4.0, 3.0, 4.0, 5.0]);
    }

    #[test]
    #[should_panic]
    fn a_short_vector_is_refused() {
        places().part(1).of(&[0.0; 4]);
    }

    #[test]
    #[should_panic]
    fn a_place_beyond_the_bound_is_refused() {
        places().set(0, 5);
    }
}
