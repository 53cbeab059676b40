//! Whether every cycle of the comparison graph is a sum of triangles.

use super::flow::Flow;
use crate::error::Result;
use crate::execution::Stop;

/// Whether it can be shown that every cycle is a sum of triangles, in at most about
/// `max_steps` steps. Then no part of a flow is in longer cycles.
///
/// Items are added one after the other. A cycle through an item that is added is a
/// sum of triangles at that item and of a cycle of the earlier items, if those of its
/// neighbours that were added earlier are connected among themselves. An item for
/// which that does not hold yet is tried again later. In a dense graph all can be
/// added; in one where it fails there may still be no longer cycle.
pub(super) fn triangles_span_cycles(flow: &Flow, max_steps: u64, stop: &Stop) -> Result<bool> {
    let mut span = Span::new(flow);
    let mut waiting: Vec<usize> = (0..flow.items()).collect();
    // An item with which all others were compared makes it succeed at once.
    waiting.sort_by_key(|&item| std::cmp::Reverse(span.neighbours[item].len()));
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut starts_component = true;
        for item in std::mem::take(&mut waiting) {
            stop.check()?;
            if span.steps > max_steps {
                return Ok(false);
            }
            match span.earlier_neighbours(item) {
                EarlierNeighbours::Connected => span.add(item),
                EarlierNeighbours::Empty if starts_component => span.add(item),
                EarlierNeighbours::Empty | EarlierNeighbours::Apart => waiting.push(item),
            }
            starts_component = false;
        }
        if waiting.len() == before {
            return Ok(false);
        }
        // The next component begins when nobody waits for this one.
        waiting.sort_by_cached_key(|&item| !span.has_earlier_neighbour(item));
    }
    Ok(true)
}

/// The neighbours of an item that were added before it.
enum EarlierNeighbours {
    Empty,
    Connected,
    Apart,
}

struct Span {
    neighbours: Vec<Vec<u32>>,
    is_added: Vec<bool>,
    /// The item whose neighbour an item was last seen to be, and whether it was reached.
    seen_by: Vec<(usize, bool)>,
    /// How many neighbours were looked at.
    steps: u64,
}

impl Span {
    fn new(flow: &Flow) -> Self {
        let mut neighbours = vec![Vec::new(); flow.items()];
        for (&a, &b) in flow.a.iter().zip(&flow.b) {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        Self {
            neighbours,
            is_added: vec![false; flow.items()],
            seen_by: vec![(usize::MAX, false); flow.items()],
            steps: 0,
        }
    }

    fn add(&mut self, item: usize) {
        self.is_added[item] = true;
    }

    fn has_earlier_neighbour(&self, item: usize) -> bool {
        let mut neighbours = self.neighbours[item].iter();
        neighbours.any(|&other| self.is_added[other as usize])
    }

    /// Whether the neighbours that were added are connected among themselves.
    fn earlier_neighbours(&mut self, item: usize) -> EarlierNeighbours {
        let mut left = 0;
        let mut first = None;
        for &other in &self.neighbours[item] {
            if self.is_added[other as usize] {
                self.seen_by[other as usize] = (item, false);
                first = first.or(Some(other));
                left += 1;
            }
        }
        self.steps += self.neighbours[item].len() as u64;
        let Some(first) = first else {
            return EarlierNeighbours::Empty;
        };
        self.seen_by[first as usize].1 = true;
        left -= 1;
        let mut reached = vec![first];
        while let (Some(next), 1..) = (reached.pop(), left) {
            for &other in &self.neighbours[next as usize] {
                let seen = &mut self.seen_by[other as usize];
                if *seen == (item, false) {
                    seen.1 = true;
                    left -= 1;
                    reached.push(other);
                }
            }
            self.steps += self.neighbours[next as usize].len() as u64;
        }
        if left == 0 {
            EarlierNeighbours::Connected
        } else {
            EarlierNeighbours::Apart
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use nalgebra::DMatrix;

    fn flow(items: usize, pairs: &[(u32, u32)]) -> Flow {
        let starts = (0..=items).map(|item| pairs.partition_point(|pair| (pair.0 as usize) < item));
        Flow {
            starts: starts.collect(),
            a: pairs.iter().map(|pair| pair.0).collect(),
            b: pairs.iter().map(|pair| pair.1).collect(),
            weight: vec![1.0; pairs.len()],
            value: vec![0.0; pairs.len()],
            ..Flow::default()
        }
    }

    fn spans(items: usize, pairs: &[(u32, u32)]) -> bool {
        triangles_span_cycles(&flow(items, pairs), u64::MAX, &Stop::default()).unwrap()
    }

    /// The number of independent cycles that are no sums of triangles, by ranks of
    /// matrices.
    fn longer_cycles(items: usize, pairs: &[(u32, u32)]) -> usize {
        let index = |a: u32, b: u32| pairs.iter().position(|&pair| pair == (a, b));
        let mut gradient = DMatrix::zeros(pairs.len(), items);
        for (k, &(a, b)) in pairs.iter().enumerate() {
            (gradient[(k, a as usize)], gradient[(k, b as usize)]) = (1.0, -1.0);
        }
        let mut curls = Vec::new();
        for (ab, &(a, b)) in pairs.iter().enumerate() {
            for c in b + 1..items as u32 {
                if let (Some(bc), Some(ac)) = (index(b, c), index(a, c)) {
                    let mut row = vec![0.0; pairs.len()];
                    (row[ab], row[bc], row[ac]) = (1.0, 1.0, -1.0);
                    curls.extend(row);
                }
            }
        }
        let triangles = curls.len() / pairs.len().max(1);
        let curl = DMatrix::from_row_slice(triangles, pairs.len(), &curls);
        // A matrix without entries has no singular values to look at.
        let rank = |matrix: DMatrix<f64>| match matrix.is_empty() {
            true => 0,
            false => matrix.rank(1e-9),
        };
        pairs.len() - rank(gradient) - rank(curl)
    }

    #[test]
    fn small_graphs() {
        let ring = [(0, 1), (0, 3), (1, 2), (2, 3)];
        assert!(!spans(4, &ring));
        // A chord makes two triangles of it; a tail changes nothing.
        assert!(spans(5, &[(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 4)]));
        // Two triangles apart, and an item that nobody compared.
        assert!(spans(7, &[(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]));
        // A ring beside a triangle.
        let beside = [(0, 1), (0, 3), (1, 2), (2, 3), (4, 5), (4, 6), (5, 6)];
        assert!(!spans(7, &beside));
        assert!(spans(0, &[]));
    }

    #[test]
    fn what_it_shows_is_true_and_in_dense_graphs_it_succeeds() {
        let mut random = Random(5);
        let (mut shown, mut longer) = (0, 0);
        for round in 0..400 {
            let items = 4 + round % 7;
            let density = [0.3, 0.5, 0.7, 0.9][round % 4];
            let all = (0..items as u32).flat_map(|a| (a + 1..items as u32).map(move |b| (a, b)));
            let pairs: Vec<_> = all.filter(|_| random.chance(density)).collect();
            let cycles = longer_cycles(items, &pairs);
            if spans(items, &pairs) {
                assert_eq!(cycles, 0, "{pairs:?}");
                shown += 1;
            }
            longer += usize::from(cycles > 0);
        }
        assert!(shown + longer > 390 && longer > 50, "{shown} {longer}");
    }

    #[test]
    fn it_gives_up_after_the_steps_that_it_may_take() {
        let pairs: Vec<_> = (0..30)
            .flat_map(|a| (a + 1..30).map(move |b| (a, b)))
            .collect();
        let spans = |max| triangles_span_cycles(&flow(30, &pairs), max, &Stop::default()).unwrap();
        assert!(spans(30 * 30 * 30) && !spans(30));
    }
}
