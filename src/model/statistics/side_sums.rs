//! a_u and b_u of all annotators: sums over the votes of an item with a sign for its side.
//!
//! If no vote has a weight or a grade they are integers. These are stored in two bytes each:
//! a step of the path reads them all, and of many votes it takes as long as reading memory.

use std::ops::Range;

use crate::linalg::simd::{Quad, StoredQuad};
use crate::votes::Comparisons;

/// An annotator with more votes may have sums that do not fit into two bytes.
const MAX_INTEGER_VOTES: usize = i16::MAX as usize;

/// Both vectors of all annotators, each annotator's in complete quads.
#[derive(Debug)]
pub(super) enum SideSums {
    Integers(SideVectors<[i16; 4]>),
    Numbers(SideVectors<Quad>),
}

#[derive(Debug)]
pub(super) struct SideVectors<Q> {
    imbalance: Vec<Q>,
    net_wins: Vec<Q>,
}

/// Both vectors of one annotator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SideSumsOf<'a> {
    Integers(SideSlices<'a, [i16; 4]>),
    Numbers(SideSlices<'a, Quad>),
}

/// Both vectors of one annotator as they are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideSlices<'a, Q> {
    /// a_u: how often an item was shown left minus how often right.
    pub imbalance: &'a [Q],
    /// b_u: an item's wins minus its losses.
    pub net_wins: &'a [Q],
}

impl SideSums {
    /// With memory for so many quads of these votes.
    pub fn with_capacity(votes: &Comparisons, quads: usize) -> Self {
        let is_short = |u: usize| votes.rows(u).len() <= MAX_INTEGER_VOTES;
        let are_integers = !votes.is_weighted() && !votes.is_graded();
        match are_integers && (0..votes.annotators()).all(is_short) {
            true => Self::Integers(SideVectors::with_capacity(quads)),
            false => Self::Numbers(SideVectors::with_capacity(quads)),
        }
    }

    /// Adds the vectors of the next annotator.
    pub fn push(&mut self, imbalance: &[Quad], net_wins: &[Quad]) {
        match self {
            Self::Integers(vectors) => {
                // Integers of this size are exact.
                let narrow = |quad: &Quad| quad.map(|value| value as i16);
                vectors.imbalance.extend(imbalance.iter().map(narrow));
                vectors.net_wins.extend(net_wins.iter().map(narrow));
            }
            Self::Numbers(vectors) => {
                vectors.imbalance.extend(imbalance);
                vectors.net_wins.extend(net_wins);
            }
        }
    }

    pub fn shrink_to_fit(&mut self) {
        match self {
            Self::Integers(vectors) => vectors.shrink_to_fit(),
            Self::Numbers(vectors) => vectors.shrink_to_fit(),
        }
    }

    #[inline(always)]
    pub fn of(&self, quads: Range<usize>) -> SideSumsOf<'_> {
        match self {
            Self::Integers(vectors) => SideSumsOf::Integers(vectors.of(quads)),
            Self::Numbers(vectors) => SideSumsOf::Numbers(vectors.of(quads)),
        }
    }
}

impl<Q> SideVectors<Q> {
    fn with_capacity(quads: usize) -> Self {
        Self {
            imbalance: Vec::with_capacity(quads),
            net_wins: Vec::with_capacity(quads),
        }
    }

    fn shrink_to_fit(&mut self) {
        self.imbalance.shrink_to_fit();
        self.net_wins.shrink_to_fit();
    }

    #[inline(always)]
    fn of(&self, quads: Range<usize>) -> SideSlices<'_, Q> {
        SideSlices {
            imbalance: &self.imbalance[quads.clone()],
            net_wins: &self.net_wins[quads],
        }
    }
}

impl<'a> SideSumsOf<'a> {
    /// How many quads each vector has.
    #[inline(always)]
    pub fn quads(&self) -> usize {
        match self {
            Self::Integers(sums) => sums.imbalance.len(),
            Self::Numbers(sums) => sums.imbalance.len(),
        }
    }

    /// a_u and b_u quad by quad.
    pub fn iter(self) -> impl Iterator<Item = [Quad; 2]> + 'a {
        (0..self.quads()).map(move |quad| match self {
            Self::Integers(sums) => sums.values(quad),
            Self::Numbers(sums) => sums.values(quad),
        })
    }

    /// a_u quad by quad.
    pub fn imbalance(self) -> impl Iterator<Item = Quad> + 'a {
        self.iter().map(|[imbalance, _]| imbalance)
    }

    /// b_u quad by quad.
    pub fn net_wins(self) -> impl Iterator<Item = Quad> + 'a {
        self.iter().map(|[_, net_wins]| net_wins)
    }
}

impl<Q: StoredQuad> SideSlices<'_, Q> {
    #[inline(always)]
    fn values(&self, quad: usize) -> [Quad; 2] {
        [self.imbalance[quad].values(), self.net_wins[quad].values()]
    }
}
