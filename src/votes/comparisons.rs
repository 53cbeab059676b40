//! Votes whose ids are positions in canonical order. They are sorted by
//! annotator, then by everything else, so that any sum over them is added in the
//! same order, whatever order the rows were read in.

use std::ops::Range;
use std::sync::Arc;

use super::partition::Partition;

/// One vote. Items are positions in canonical order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The item shown on the left.
    pub left: usize,
    /// The item shown on the right.
    pub right: usize,
    /// Positive for left, negative for right.
    pub choice: f64,
    /// Its weight.
    pub weight: f64,
}

/// Choices, stored in one byte each as long as all are -1, 0 or 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choices {
    Sides(Vec<i8>),
    Graded(Vec<f64>),
}

impl Default for Choices {
    fn default() -> Self {
        Self::Sides(Vec::new())
    }
}

impl Choices {
    pub fn with_capacity(graded: bool, capacity: usize) -> Self {
        if graded {
            Self::Graded(Vec::with_capacity(capacity))
        } else {
            Self::Sides(Vec::with_capacity(capacity))
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> f64 {
        match self {
            Self::Sides(sides) => f64::from(sides[index]),
            Self::Graded(values) => values[index],
        }
    }

    /// Appends a choice. One that is not -1, 0 or 1 converts all to `Graded`.
    pub fn push(&mut self, value: f64) {
        match self {
            Self::Sides(sides) if is_side(value) => sides.push(value as i8),
            Self::Sides(sides) => {
                let mut values: Vec<f64> = sides.iter().map(|&side| f64::from(side)).collect();
                values.push(value);
                *self = Self::Graded(values);
            }
            Self::Graded(values) => values.push(value),
        }
    }

    /// Appends several; -0.0 becomes 0.0.
    pub fn extend(&mut self, values: &[f64]) {
        match self {
            Self::Sides(sides) if values.iter().all(|&value| is_side(value)) => {
                sides.extend(values.iter().map(|&value| value as i8));
            }
            _ => values.iter().for_each(|&value| self.push(value + 0.0)),
        }
    }

    pub fn is_graded(&self) -> bool {
        matches!(self, Self::Graded(_))
    }

    /// Whether there are votes for the left item and votes for the right one.
    pub fn has_both_signs(&self) -> bool {
        match self {
            Self::Sides(sides) => sides.contains(&1) && sides.contains(&-1),
            Self::Graded(values) => {
                values.iter().any(|&value| value > 0.0) && values.iter().any(|&value| value < 0.0)
            }
        }
    }

    /// The different values but 0, sorted: all of them, or one more than `limit`.
    pub fn distinct_nonzero(&self, limit: usize) -> Vec<f64> {
        let mut distinct: Vec<f64> = Vec::new();
        let count = match self {
            Self::Sides(sides) => sides.len(),
            Self::Graded(values) => values.len(),
        };
        for value in (0..count).map(|row| self.get(row)) {
            if distinct.len() > limit {
                break;
            }
            let slot = distinct.binary_search_by(|known| known.total_cmp(&value));
            if let (Err(slot), true) = (slot, value != 0.0) {
                distinct.insert(slot, value);
            }
        }
        distinct
    }
}

fn is_side(value: f64) -> bool {
    value == 1.0 || value == -1.0 || value == 0.0
}

/// The values of the rows for which `is_second` is false, and those of the others, of which there
/// are so many. There is no branch: which rows are in which part cannot be predicted.
fn split_column<T: Copy + Default>(
    values: &[T],
    is_second: &impl Fn(usize) -> bool,
    seconds: usize,
) -> [Vec<T>; 2] {
    let vector = |length: usize| vec![T::default(); length + 1];
    let (mut first, mut second) = (vector(values.len() - seconds), vector(seconds));
    let mut end = 0;
    for (row, &value) in values.iter().enumerate() {
        first[row - end] = value;
        second[end] = value;
        end += usize::from(is_second(row));
    }
    first.pop();
    second.pop();
    [first, second]
}

/// All votes, grouped by annotator.
///
/// If nobody knows who voted they are one group, as of a single annotator, but each is
/// independent of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparisons {
    pub(crate) items: usize,
    /// Whether somebody knows who voted.
    pub(crate) has_annotators: bool,
    /// The row at which each annotator's votes begin, and the number of rows.
    pub(crate) offsets: Vec<usize>,
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    pub(crate) choice: Choices,
    /// None: every vote weighs 1.
    pub(crate) weight: Option<Vec<f64>>,
    /// None: all annotators are one block.
    pub(super) partition: Option<Arc<Partition>>,
}

impl Comparisons {
    /// No annotators and no votes.
    pub(crate) fn with_capacity(items: usize, votes: usize, graded: bool, weighted: bool) -> Self {
        Self {
            items,
            has_annotators: true,
            offsets: vec![0],
            left: Vec::with_capacity(votes),
            right: Vec::with_capacity(votes),
            choice: Choices::with_capacity(graded, votes),
            weight: weighted.then(|| Vec::with_capacity(votes)),
            partition: None,
        }
    }

    /// The same votes, with the annotators in blocks.
    pub(crate) fn in_blocks(self, partition: Arc<Partition>) -> Self {
        Self {
            partition: Some(partition),
            ..self
        }
    }

    /// How the annotators are divided into blocks.
    pub(crate) fn partition(&self) -> Arc<Partition> {
        let single = || Arc::new(Partition::single(self.annotators(), self.len()));
        self.partition.clone().unwrap_or_else(single)
    }

    pub(crate) fn push(&mut self, vote: Comparison) {
        self.left.push(vote.left as u32);
        self.right.push(vote.right as u32);
        self.choice.push(vote.choice);
        if let Some(weights) = &mut self.weight {
            weights.push(vote.weight);
        }
    }

    /// Adds some rows of other votes, which are graded and weighted as these are.
    fn push_rows(&mut self, votes: &Self, rows: Range<usize>) {
        self.left.extend_from_slice(&votes.left[rows.clone()]);
        self.right.extend_from_slice(&votes.right[rows.clone()]);
        match (&mut self.choice, &votes.choice) {
            (Choices::Sides(own), Choices::Sides(sides)) => {
                own.extend_from_slice(&sides[rows.clone()]);
            }
            (own, choices) => rows.clone().for_each(|row| own.push(choices.get(row))),
        }
        if let (Some(own), Some(weights)) = (&mut self.weight, &votes.weight) {
            own.extend_from_slice(&weights[rows]);
        }
    }

    /// Ends the votes of one annotator.
    pub(crate) fn end_annotator(&mut self) {
        self.offsets.push(self.left.len());
    }

    /// The same votes, of which somebody knows who cast them, or nobody.
    pub(super) fn with_annotators(self, has_annotators: bool) -> Self {
        Self {
            has_annotators,
            ..self
        }
    }

    /// Whether somebody knows who voted.
    pub fn has_annotators(&self) -> bool {
        self.has_annotators
    }

    /// The number of clusters: of the votes of an annotator, which depend on each
    /// other, or of single votes if nobody knows who cast them.
    pub fn clusters(&self) -> usize {
        match self.has_annotators {
            true => self.annotators(),
            false => self.len(),
        }
    }

    /// The clusters of some annotators.
    pub(crate) fn clusters_of(&self, annotators: Range<usize>) -> Range<usize> {
        match self.has_annotators {
            true => annotators,
            false => self.offsets[annotators.start]..self.offsets[annotators.end],
        }
    }

    /// The rows of a cluster.
    pub fn cluster(&self, cluster: usize) -> Range<usize> {
        match self.has_annotators {
            true => self.rows(cluster),
            false => cluster..cluster + 1,
        }
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of annotators.
    pub fn annotators(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of rows, whatever their weight.
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Whether there is no vote.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The rows of an annotator.
    pub fn rows(&self, annotator: usize) -> Range<usize> {
        self.offsets[annotator]..self.offsets[annotator + 1]
    }

    /// One vote.
    #[inline(always)]
    pub fn get(&self, row: usize) -> Comparison {
        Comparison {
            left: self.left[row] as usize,
            right: self.right[row] as usize,
            choice: self.choice.get(row),
            weight: self.weight.as_ref().map_or(1.0, |weights| weights[row]),
        }
    }

    /// The items of a vote, left and right.
    pub(crate) fn pair(&self, row: usize) -> [u32; 2] {
        [self.left[row], self.right[row]]
    }

    /// The choices as -1, 0 and 1, if there are no others and every vote weighs 1.
    pub(crate) fn sides(&self) -> Option<&[i8]> {
        match &self.choice {
            Choices::Sides(sides) if !self.is_weighted() => Some(sides),
            _ => None,
        }
    }

    /// How many rows repeat the annotator, both items and the choice of another one.
    /// If nobody knows who voted, that cannot be told of any.
    pub(crate) fn repeated_rows(&self) -> u64 {
        let is_repeat = |&row: &usize| {
            self.pair(row) == self.pair(row - 1) && self.choice.get(row) == self.choice.get(row - 1)
        };
        let count = |cluster| self.cluster(cluster).skip(1).filter(is_repeat).count() as u64;
        (0..self.clusters()).map(count).sum()
    }

    /// Whether votes have strengths.
    pub(crate) fn is_graded(&self) -> bool {
        self.choice.is_graded()
    }

    /// Whether votes have weights of their own.
    pub(crate) fn is_weighted(&self) -> bool {
        self.weight.is_some()
    }

    /// The votes of an annotator.
    pub fn of(&self, annotator: usize) -> impl Iterator<Item = Comparison> {
        let rows = self.rows(annotator);
        let (left, right) = (&self.left[rows.clone()], &self.right[rows.clone()]);
        left.iter()
            .zip(right)
            .zip(rows)
            .map(|((&left, &right), row)| Comparison {
                left: left as usize,
                right: right as usize,
                choice: self.choice.get(row),
                weight: self.weight.as_ref().map_or(1.0, |weights| weights[row]),
            })
    }

    /// The same, if all votes of all annotators are sides and weigh 1: this is faster.
    pub(crate) fn sides_of(&self, annotator: usize) -> Option<impl Iterator<Item = Comparison>> {
        let sides = &self.sides()?[self.rows(annotator)];
        let rows = self.rows(annotator);
        let items = self.left[rows.clone()].iter().zip(&self.right[rows]);
        let votes = items.zip(sides);
        Some(votes.map(|((&left, &right), &side)| Comparison {
            left: left as usize,
            right: right as usize,
            choice: f64::from(side),
            weight: 1.0,
        }))
    }

    /// The votes of the rows for which `is_second` is false, and those for which it is true.
    /// All annotators are in both, also those without votes.
    pub fn split(&self, is_second: impl Fn(usize) -> bool) -> [Self; 2] {
        let mut offsets = [vec![0], vec![0]];
        let mut seconds = 0;
        for annotator in 0..self.annotators() {
            let rows = self.rows(annotator);
            seconds += rows.clone().filter(|&row| is_second(row)).count();
            offsets[0].push(rows.end - seconds);
            offsets[1].push(seconds);
        }
        let left = split_column(&self.left, &is_second, seconds);
        let right = split_column(&self.right, &is_second, seconds);
        let choice = match &self.choice {
            Choices::Sides(sides) => split_column(sides, &is_second, seconds).map(Choices::Sides),
            Choices::Graded(values) => {
                split_column(values, &is_second, seconds).map(Choices::Graded)
            }
        };
        let weight = match &self.weight {
            Some(weights) => split_column(weights, &is_second, seconds).map(Some),
            None => [None, None],
        };
        let columns = left
            .into_iter()
            .zip(right)
            .zip(choice.into_iter().zip(weight));
        let mut parts =
            offsets
                .into_iter()
                .zip(columns)
                .map(|(offsets, ((left, right), (choice, weight)))| Self {
                    items: self.items,
                    has_annotators: self.has_annotators,
                    offsets,
                    left,
                    right,
                    choice,
                    weight,
                    partition: self.partition.clone(),
                });
        [0, 1].map(|_| parts.next().expect("there are two parts"))
    }

    /// The votes of some annotators. All are kept, also those whose votes are not.
    pub fn of_annotators(&self, keep: impl Fn(usize) -> bool) -> Self {
        let (graded, weighted) = (self.choice.is_graded(), self.weight.is_some());
        let annotators = (0..self.annotators()).map(|u| (u, keep(u)));
        let annotators: Vec<_> = annotators.collect();
        let kept = annotators.iter().filter(|(_, is_kept)| *is_kept);
        let count = kept.map(|&(u, _)| self.rows(u).len()).sum();
        let selected = Self::with_capacity(self.items, count, graded, weighted);
        let mut selected = selected.with_annotators(self.has_annotators);
        for (annotator, is_kept) in annotators {
            if is_kept {
                selected.push_rows(self, self.rows(annotator));
            }
            selected.end_annotator();
        }
        selected.partition.clone_from(&self.partition);
        selected
    }

    /// The votes, and once more those of some annotators, as further annotators.
    pub fn with_repeated(&self, annotators: impl Iterator<Item = usize>) -> Self {
        let mut votes = self.clone();
        votes.partition = None;
        for annotator in annotators {
            self.of(annotator).for_each(|vote| votes.push(vote));
            votes.end_annotator();
        }
        votes
    }
}

#[cfg(test)]
impl Comparisons {
    /// The part of the votes that one rank has.
    pub(crate) fn of_rank(&self, collective: Arc<dyn crate::collective::Collective>) -> Self {
        let partition = self.partition();
        let bound = |rank: usize| rank * partition.len() / collective.ranks();
        let blocks = bound(collective.rank())..bound(collective.rank() + 1);
        let first = partition.annotators_of(blocks.start).start;
        let annotators = first..partition.annotators_of(blocks.end - 1).end;
        let (graded, weighted) = (self.choice.is_graded(), self.weight.is_some());
        let mut own = Self::with_capacity(self.items, 0, graded, weighted);
        for annotator in annotators {
            self.of(annotator).for_each(|vote| own.push(vote));
            own.end_annotator();
        }
        own.in_blocks(Arc::new(partition.of_rank(
            blocks,
            &self.offsets,
            collective,
        )))
    }

    /// Adds an annotator with votes of (left, right, choice, weight).
    pub(crate) fn push_annotator(
        &mut self,
        votes: impl IntoIterator<Item = (usize, usize, f64, f64)>,
    ) {
        for (left, right, choice, weight) in votes {
            self.push(Comparison {
                left,
                right,
                choice,
                weight,
            });
        }
        self.end_annotator();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_have_all_annotators_and_their_votes_in_order() {
        for (graded, weighted) in [(false, false), (true, true)] {
            let mut votes = Comparisons::with_capacity(9, 0, graded, weighted);
            for annotator in 0..4 {
                let vote = |k: usize| {
                    let weight = if weighted { k as f64 } else { 1.0 };
                    (k, k + 1, (k % 3) as f64 - 1.0, weight)
                };
                votes.push_annotator((1..2 * annotator).map(vote));
            }
            let is_second = |row: usize| row % 3 == 1 || row > 6;
            let parts = votes.split(is_second);
            for (second, part) in [false, true].into_iter().zip(&parts) {
                assert_eq!(part.annotators(), 4);
                assert_eq!((part.is_graded(), part.is_weighted()), (graded, weighted));
                for u in 0..4 {
                    let rows = votes.rows(u).filter(|&row| is_second(row) == second);
                    let expected: Vec<Comparison> = rows.map(|row| votes.get(row)).collect();
                    assert_eq!(part.of(u).collect::<Vec<_>>(), expected);
                    if let Some(sides) = part.sides_of(u) {
                        assert_eq!(sides.collect::<Vec<_>>(), expected);
                    }
                }
            }
            assert_eq!(parts[0].len() + parts[1].len(), votes.len());
        }
    }
}
