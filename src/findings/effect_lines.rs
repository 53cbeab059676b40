//! The path of one effect as one line per annotator.

use super::entry_order::EntryOrder;
use crate::fit::{EffectPath, Fit};
use crate::votes::IdRef;

/// An annotator's effect along the path. It begins at zero, one grid time before
/// its first value, and ends at the last grid time.
pub(crate) struct EffectLine<'a> {
    /// The number in the canonical order of ids.
    pub index: usize,
    pub annotator: IdRef<'a>,
    /// The position among all entries, from 1.
    pub order: u64,
    /// Indices of grid times, with values.
    pub points: Vec<(usize, f64)>,
}

impl Fit {
    /// The position biases along the path, in order of entry.
    pub(crate) fn position_bias_lines(&self) -> Vec<EffectLine<'_>> {
        self.effect_lines(&self.path.bias)
    }

    /// The sizes ‖δ‖ of the deviations along the path, in order of entry.
    pub(crate) fn deviation_lines(&self) -> Vec<EffectLine<'_>> {
        self.effect_lines(&self.path.deviation)
    }

    fn effect_lines(&self, effects: &EffectPath) -> Vec<EffectLine<'_>> {
        let annotators = self.annotators.len();
        let entry = EntryOrder::new(effects, annotators);
        let mut points: Vec<Vec<(usize, f64)>> = vec![Vec::new(); annotators];
        let grid_index = effects.grid_index.iter();
        for ((&k, &u), &value) in grid_index.zip(&effects.annotator).zip(&effects.value) {
            let (k, line) = (k as usize, &mut points[u as usize]);
            // Where an effect left the model again, it is zero.
            let next = line
                .last()
                .map_or(k.saturating_sub(1), |&(last, _)| last + 1);
            line.extend((next..k).map(|zero| (zero, 0.0)));
            line.push((k, value));
        }
        let mut lines: Vec<EffectLine<'_>> = Vec::new();
        for (annotator, mut points) in points.into_iter().enumerate() {
            let (Some(order), Some(&(last, _))) = (entry.order[annotator], points.last()) else {
                continue;
            };
            points.extend((last + 1..self.path.grid.len()).map(|zero| (zero, 0.0)));
            lines.push(EffectLine {
                index: annotator,
                annotator: self.annotators.get(annotator),
                order,
                points,
            });
        }
        lines.sort_by_key(|line| line.order);
        lines
    }
}

/// The values of several annotators along the path, by grid time.
pub(crate) struct EffectBand {
    /// The least and the greatest value.
    pub all: Vec<[f64; 2]>,
    /// The ends of the middle 80 %.
    pub middle: Vec<[f64; 2]>,
}

impl EffectBand {
    /// The band of some lines and of `never` annotators whose effect is always zero.
    pub fn new(lines: &[&EffectLine<'_>], never: usize, grid_times: usize) -> Self {
        let mut columns = vec![vec![0.0; never]; grid_times];
        for line in lines {
            let first = line.points.first().map_or(grid_times, |&(k, _)| k);
            columns[..first]
                .iter_mut()
                .for_each(|column| column.push(0.0));
            for &(k, value) in &line.points {
                columns[k].push(value);
            }
        }
        for column in &mut columns {
            column.sort_by(f64::total_cmp);
        }
        // The value below which a share of the others is, in tenths.
        let ends = |from: usize, to: usize| {
            let at = |column: &[f64], tenths: usize| {
                let last = column.len().saturating_sub(1);
                column.get(tenths * last / 10).copied().unwrap_or(0.0)
            };
            let ends = columns
                .iter()
                .map(|column| [at(column, from), at(column, to)]);
            ends.collect()
        };
        Self {
            all: ends(0, 10),
            middle: ends(1, 9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_counts_those_who_are_zero() {
        let line = |points: &[(usize, f64)]| EffectLine {
            index: 0,
            annotator: IdRef::Int(0),
            order: 1,
            points: points.to_vec(),
        };
        let lines: Vec<_> = (1..=9)
            .map(|k| line(&[(1, 0.0), (2, f64::from(k))]))
            .collect();
        let band = EffectBand::new(&lines.iter().collect::<Vec<_>>(), 2, 3);
        assert_eq!(band.all, [[0.0, 0.0], [0.0, 0.0], [0.0, 9.0]]);
        assert_eq!(band.middle, [[0.0, 0.0], [0.0, 0.0], [0.0, 8.0]]);
        let empty = EffectBand::new(&[], 0, 1);
        assert_eq!(empty.all, [[0.0, 0.0]]);
    }
}
