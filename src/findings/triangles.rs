//! The worst triangles: a over b over c over a.

use crate::error::{Error, Result};
use crate::execution::{Execution, Stop};
use crate::fit::Fit;
use crate::model::{Triangle, Triangles};
use crate::votes::IdRef;

/// At most so many triangles are listed.
const MAX_LISTED: usize = 1000;

/// Three items that were compared with each other, and whose votes no scores can
/// explain: going round from a over b and c back to a, the flows do not cancel.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriangleFinding<'a> {
    /// a, b and c.
    pub items: [IdRef<'a>; 3],
    /// The sum of the three flows; positive.
    pub curl: f64,
    /// The votes on the three pairs together, by weight.
    pub votes: f64,
    /// The votes on each pair: a and b, b and c, c and a.
    pub pair_votes: [f64; 3],
    /// Whether each item is preferred to the next. Otherwise only the sizes of the
    /// flows do not fit each other.
    pub is_cycle: bool,
    /// By how much a is preferred to b, b to c and c to a.
    pub flows: [f64; 3],
}

impl Fit {
    /// The worst triangles, at most 1000: cycles first, then those that explain most
    /// of what the ranking cannot. An error if there are too many to look through.
    pub fn triangles(&self) -> Result<Vec<TriangleFinding<'_>>> {
        self.triangles_within(&mut Execution::new())
    }

    /// The same, under a time limit or a poll: the triangles of many items take long.
    pub fn triangles_within(
        &self,
        execution: &mut Execution<'_>,
    ) -> Result<Vec<TriangleFinding<'_>>> {
        let triangles =
            execution.run_sized(self.flow.len(), |stop, _| worst_triangles(self, stop))?;
        triangles.ok_or_else(|| {
            Error::votes("there are too many triangles to look through: ask for fewer items")
        })
    }

    /// Whether there are few enough triangles to look through.
    pub(crate) fn has_triangles(&self) -> bool {
        Triangles(&self.flow).can_be_walked()
    }
}

/// The worst triangles; None if there are too many to look through.
pub(crate) fn worst_triangles<'a>(
    fit: &'a Fit,
    stop: &Stop,
) -> Result<Option<Vec<TriangleFinding<'a>>>> {
    let worst = Triangles(&fit.flow).worst(MAX_LISTED, stop)?;
    Ok(worst.map(|worst| worst.iter().map(|one| finding(fit, one)).collect()))
}

fn finding<'a>(fit: &'a Fit, triangle: &Triangle) -> TriangleFinding<'a> {
    let [a, b, c] = triangle.items.map(|item| item as usize);
    let votes_on = |(x, y): (usize, usize)| fit.flow.weight[fit.flow.pair(x.min(y), x.max(y))];
    TriangleFinding {
        items: [a, b, c].map(|item| fit.items.get(item)),
        curl: triangle.curl(),
        votes: triangle.votes,
        pair_votes: [(a, b), (b, c), (c, a)].map(votes_on),
        is_cycle: triangle.is_cycle(),
        flows: triangle.flow,
    }
}
