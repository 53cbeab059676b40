//! Labels that do not overlap.

/// So many annotators are labelled: as many as fit along an edge of a picture.
pub(super) const MAX_LABELLED: usize = 20;

/// The longest labels of annotators and of items, in cells.
pub(super) const MAX_LABEL_CELLS: usize = 16;
pub(super) const MAX_ITEM_CELLS: usize = 26;

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

/// An area of the paper: left, top, right, bottom.
pub(super) type Area = [f64; 4];

fn overlap(a: Area, b: Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Labels beside dots, each with a line to its dot unless it stands right beside it. A
/// label covers no other one and no line, and as few dots as possible.
pub(super) struct DotLabels {
    bounds: Area,
    dots: Vec<Area>,
    labels: Vec<Area>,
    lines: Vec<Area>,
}

/// So far above or below its dot a label may stand, in steps.
const MAX_STEPS: usize = 4;

/// So many dots may a label cover, and so many steps further away it would rather stand.
const MAX_COVERED: usize = 1;
const COST_OF_COVERING: usize = 4;

/// How much of the way to its label a line goes.
pub(super) const LINE: f64 = 0.8;

impl DotLabels {
    /// For dots of this radius with these centres; labels stay within `bounds`.
    pub fn new(bounds: Area, centres: impl Iterator<Item = [f64; 2]>, radius: f64) -> Self {
        let area = |[x, y]: [f64; 2]| [x - radius, y - radius, x + radius, y + radius];
        Self {
            bounds,
            dots: centres.map(area).collect(),
            labels: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Finds room for a label: how far beside and below its dot's centre it begins, or
    /// ends if that is to the left. None if there is none.
    pub fn place(&mut self, [x, y]: [f64; 2], width: f64) -> Option<[f64; 2]> {
        let area = |[dx, dy]: [f64; 2]| {
            let left = if dx < 0.0 { x + dx - width } else { x + dx };
            [left, y + dy - 9.0, left + width, y + dy + 8.0]
        };
        let is_free = |&offset: &[f64; 2]| {
            let [left, top, right, bottom] = area(offset);
            let [least_x, least_y, most_x, most_y] = self.bounds;
            let is_inside = left > least_x && top > least_y && right < most_x && bottom < most_y;
            let mut taken = self.labels.iter().chain(&self.lines);
            let is_taken = taken.any(|&other| overlap(other, area(offset)));
            let mut line = line_to([x, y], offset);
            let crosses = line.any(|part| self.labels.iter().any(|&label| overlap(label, part)));
            is_inside && !is_taken && !crosses
        };
        let covered = |offset: [f64; 2]| {
            let dots = self.dots.iter();
            dots.filter(|&&dot| overlap(dot, area(offset))).count()
        };
        let free = offsets().filter(|(_, offset)| is_free(offset));
        let cost =
            |(step, offset): (usize, [f64; 2])| (step + COST_OF_COVERING * covered(offset), offset);
        let (_, best) = free
            .map(cost)
            .filter(|&(_, offset)| covered(offset) <= MAX_COVERED)
            .min_by_key(|&(cost, _)| cost)?;
        self.labels.push(area(best));
        self.lines.extend(line_to([x, y], best));
        Some(best)
    }
}

/// The line from a dot to its label, in small parts; nothing right beside the dot.
fn line_to([x, y]: [f64; 2], [dx, dy]: [f64; 2]) -> impl Iterator<Item = Area> {
    const PARTS: usize = 20;
    let parts = if dy == 0.0 { 0 } else { PARTS };
    (0..=parts).skip(1).map(move |part| {
        let along = LINE * part as f64 / PARTS as f64;
        let [x, y] = [x + along * dx, y + along * dy];
        [x - 1.0, y - 3.0, x + 1.0, y + 3.0]
    })
}

/// Where a label may stand from its dot, the nearest first: how many steps away, and
/// where.
fn offsets() -> impl Iterator<Item = (usize, [f64; 2])> {
    let beside = [(0, [9.0, 0.0]), (0, [-9.0, 0.0])].into_iter();
    beside.chain((1..=MAX_STEPS).flat_map(|step| {
        let (dx, dy) = (6.0 + 2.0 * step as f64, 15.0 * step as f64);
        [[dx, -dy], [-dx, -dy], [dx, dy], [-dx, dy]].map(|offset| (step, offset))
    }))
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

    #[test]
    fn labels_of_dots_never_overlap() {
        // More labels than there is room for, all at one dot.
        let mut labels = DotLabels::new(
            [0.0, 0.0, 200.0, 100.0],
            [[100.0, 50.0]; 1].into_iter(),
            4.0,
        );
        let placed: Vec<_> = (0..30)
            .filter_map(|_| labels.place([100.0, 50.0], 60.0))
            .collect();
        assert!((4..30).contains(&placed.len()), "{placed:?}");
        for (k, &label) in labels.labels.iter().enumerate() {
            assert!(
                labels.labels[..k]
                    .iter()
                    .all(|&other| !overlap(label, other))
            );
        }
        // The first stands right beside it.
        assert_eq!(placed[0], [9.0, 0.0]);
    }

    #[test]
    fn labels_of_dots_cover_no_line() {
        // A column of dots: labels to the left and right, the others further away.
        let dots = (0..12).map(|k| [100.0, 40.0 + 6.0 * f64::from(k)]);
        let mut labels = DotLabels::new([0.0, 0.0, 200.0, 150.0], dots.clone(), 4.0);
        let placed = dots.filter_map(|dot| labels.place(dot, 50.0)).count();
        assert!(placed > 6 && !labels.lines.is_empty(), "{placed}");
        for label in &labels.labels {
            let mut lines = labels.lines.iter();
            assert!(!lines.any(|&line| overlap(*label, line)), "{label:?}");
        }
    }
}
