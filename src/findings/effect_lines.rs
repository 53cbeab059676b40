//! The path of one effect as one line per annotator.

use super::entry_order::EntryOrder;
use crate::fit::{EffectPath, Fit};
use crate::votes::IdRef;

/// An annotator's effect along the path. It begins at zero, one grid time before
/// its first value, and ends at the last grid time.
pub(crate) struct EffectLine<'a> {
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
                annotator: self.annotators.get(annotator),
                order,
                points,
            });
        }
        lines.sort_by_key(|line| line.order);
        lines
    }
}
