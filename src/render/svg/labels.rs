//! Labels that do not overlap.

/// So many annotators, the first by entry, are highlighted and labelled.
pub(super) const MAX_HIGHLIGHTED: u64 = 10;

/// The longest label of a highlighted annotator, in cells.
pub(super) const MAX_LABEL_CELLS: usize = 16;

/// Moves labels along a line so that neighbours are at least `gap` apart, each as
/// near to its wanted position as that allows, within `bounds` if they fit.
///
/// Labels that touch move as one block to the mean of their wanted positions.
pub(super) fn spread(wanted: &[f64], gap: f64, bounds: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]).then(a.cmp(&b)));
    // Blocks of neighbours: the first position, and how many.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let mut done = 0;
    for &index in &order {
        blocks.push((wanted[index].clamp(bounds[0], bounds[1]), 1));
        done += 1;
        while let [.., (before, count), (start, _)] = blocks[..]
            && before + count as f64 * gap > start
        {
            let (_, added) = blocks.pop().unwrap_or_default();
            let count = count + added;
            let members = &order[done - count..done];
            let start = |(k, &index): (usize, &usize)| wanted[index] - k as f64 * gap;
            let mean = members.iter().enumerate().map(start).sum::<f64>() / count as f64;
            let last = bounds[1] - (count - 1) as f64 * gap;
            if let Some(block) = blocks.last_mut() {
                *block = (mean.min(last).max(bounds[0]), count);
            }
        }
    }
    let mut positions = vec![0.0; wanted.len()];
    let mut order = order.into_iter();
    for (start, count) in blocks {
        for (k, index) in order.by_ref().take(count).enumerate() {
            positions[index] = start + k as f64 * gap;
        }
    }
    positions
}

/// Boxes on the paper that are occupied.
#[derive(Default)]
pub(super) struct OccupiedBoxes(Vec<[f64; 4]>);

impl OccupiedBoxes {
    /// Occupies a box: left, top, right, bottom.
    pub fn add(&mut self, area: [f64; 4]) {
        self.0.push(area);
    }

    /// How many of the occupied boxes an area touches.
    pub fn touches(&self, area: [f64; 4]) -> usize {
        let [left, top, right, bottom] = area;
        let touch = |other: &&[f64; 4]| {
            left < other[2] && other[0] < right && top < other[3] && other[1] < bottom
        };
        self.0.iter().filter(touch).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_keep_their_distance_and_order() {
        let wanted = [50.0, 51.0, 52.0, 90.0, 10.0, 99.0, 99.0];
        let positions = spread(&wanted, 10.0, [0.0, 100.0]);
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by(|&a, &b| positions[a].total_cmp(&positions[b]));
        assert_eq!(order, [4, 0, 1, 2, 3, 5, 6]);
        for pair in order.windows(2) {
            assert!(
                positions[pair[1]] - positions[pair[0]] >= 10.0 - 1e-9,
                "{positions:?}"
            );
        }
        assert!(
            positions
                .iter()
                .all(|position| (0.0..=100.0).contains(position)),
            "{positions:?}"
        );
        assert_eq!(positions[1], 51.0);
        assert_eq!(positions[4], 10.0);
    }
}
