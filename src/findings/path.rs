//! The regularisation path in long format: one point per grid time and score, and
//! one per grid time and effect that is not zero.

use crate::fit::{EffectPath, Fit};
use crate::votes::IdRef;

/// A value on the path.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathPoint<'a> {
    /// The grid time.
    pub t: f64,
    /// What the value is.
    pub effect: PathEffect<'a>,
    /// The value.
    pub value: f64,
}

/// What a value on the path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathEffect<'a> {
    /// The consensus score of an item.
    Score(IdRef<'a>),
    /// The position bias of an annotator.
    PositionBias(IdRef<'a>),
    /// The size ‖δ‖ of an annotator's deviation.
    Deviation(IdRef<'a>),
}

impl<'a> PathEffect<'a> {
    /// The name that SQL users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Score(_) => "score",
            Self::PositionBias(_) => "position_bias",
            Self::Deviation(_) => "deviation",
        }
    }

    /// The item of a score.
    pub fn item(self) -> Option<IdRef<'a>> {
        match self {
            Self::Score(item) => Some(item),
            Self::PositionBias(_) | Self::Deviation(_) => None,
        }
    }

    /// The annotator of an effect.
    pub fn annotator(self) -> Option<IdRef<'a>> {
        match self {
            Self::PositionBias(annotator) | Self::Deviation(annotator) => Some(annotator),
            Self::Score(_) => None,
        }
    }
}

impl Fit {
    /// The path: for each grid time the scores by item, the position biases and the
    /// deviations by annotator. An iterator, since items × grid times can be many.
    pub fn path(&self) -> impl Iterator<Item = PathPoint<'_>> {
        let times = self.path.grid.iter().enumerate();
        times.flat_map(move |(index, &t)| {
            let scores = self.theta(index).iter().enumerate();
            let scores = scores.map(move |(item, &value)| PathPoint {
                t,
                effect: PathEffect::Score(self.items.get(item)),
                value,
            });
            scores
                .chain(self.effects_at(index, &self.path.bias, PathEffect::PositionBias))
                .chain(self.effects_at(index, &self.path.deviation, PathEffect::Deviation))
        })
    }

    /// The grid times of the path, ascending.
    pub fn grid_times(&self) -> &[f64] {
        &self.path.grid
    }

    /// The time on the path that the other findings are about, if one was chosen.
    pub fn chosen_time(&self) -> Option<f64> {
        let chosen = self.chosen.as_ref()?;
        Some(self.path.grid[chosen.grid_index])
    }

    /// The values of an effect at a grid time.
    fn effects_at<'a>(
        &'a self,
        grid_index: usize,
        effects: &'a EffectPath,
        effect: impl Fn(IdRef<'a>) -> PathEffect<'a>,
    ) -> impl Iterator<Item = PathPoint<'a>> {
        let t = self.path.grid[grid_index];
        effects.rows(grid_index).map(move |row| PathPoint {
            t,
            effect: effect(self.annotators.get(effects.annotator[row] as usize)),
            value: effects.value[row],
        })
    }
}
