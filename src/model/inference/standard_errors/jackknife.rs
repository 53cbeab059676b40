//! The variance of the scores from [refits](super::refits), in which groups of
//! annotators count twice or half: a jackknife.
//!
//! A mean of n groups would move by a known part s of a group's distance from it: 1/(n + 1)
//! if the group counts twice. So the contribution of group g to the score of item i is
//!
//! ```text
//! x_gi = (θ_i of refit g − mean over the refits) / (s n),   V_i = Σ_g x_gi²
//! ```
//!
//! with n the effective number of groups that saw the item. If each annotator is a
//! group, that is all. Else there are few groups, and V_i is known better by a control
//! variate: the contribution x⁰_g = L⁺Σ_u g_u over the group, as if effects stayed what
//! they are. Its variance V⁰ over annotators is the sandwich, and with r the slope of x
//! over x⁰
//!
//! ```text
//! V_i = Σ_g (x_gi − r x⁰_gi)² + r² V⁰_i,   r = Σ_g x_gi x⁰_gi / Σ_g x⁰_gi²
//! ```
//!
//! where only the first sum has the degrees of freedom of the groups. It is small where
//! few annotators have effects.

use super::annotator_sums::effective_number;
use super::hessian::{Hessian, RhsLanes};
use super::refits::Refits;
use super::score_contributions::ScoreContributions;
use super::variances::Variance;
use crate::error::Result;
use crate::execution::Stop;

/// Fewer groups than this cannot tell how x depends on x⁰.
const MIN_GROUPS_FOR_SLOPE: f64 = 4.0;

/// By item, the variance of its score, given that of the sandwich.
pub(super) fn variances(
    refits: &Refits,
    hessian: &Hessian<'_>,
    contributions: &ScoreContributions<'_>,
    sandwich: &[Variance],
    stop: &Stop,
) -> Result<Vec<Variance>> {
    let GroupSums { votes, score } = GroupSums::new(refits, contributions, stop)?;
    let linear = if refits.is_complete() {
        None
    } else {
        Some(hessian.solve(score, stop)?)
    };
    let each = sandwich.iter().enumerate().map(|(i, &sandwich)| {
        let votes = &votes[i].as_flattened()[..refits.groups()];
        let squares = votes.iter().map(|votes| votes * votes).sum();
        let groups = effective_number(votes.iter().sum(), squares);
        let x = contributions_of_groups(refits, i, groups);
        match &linear {
            Some(linear) if groups >= MIN_GROUPS_FOR_SLOPE => {
                with_control(&x, linear[i].as_flattened(), groups, sandwich)
            }
            _ => Variance::of_sum(x.iter().map(|x| x * x).sum(), groups),
        }
    });
    Ok(each.collect())
}

/// x_gi by group.
fn contributions_of_groups(refits: &Refits, item: usize, effective: f64) -> Vec<f64> {
    let scores = || refits.theta.iter().map(|theta| theta[item]);
    let mean = scores().sum::<f64>() / refits.groups() as f64;
    let scale = refits.shift(effective) * effective;
    scores().map(|score| (score - mean) / scale).collect()
}

/// The variance with the control variate x⁰, whose variance is known.
fn with_control(x: &[f64], x0: &[f64], groups: f64, known: Variance) -> Variance {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let x0x0 = dot(&x0[..x.len()], &x0[..x.len()]);
    let slope = if x0x0 > 0.0 { dot(x, x0) / x0x0 } else { 0.0 };
    let rest = f64::max(dot(x, x) - slope * dot(x, x0), 0.0);
    // The mean and the slope take a degree of freedom each.
    let freedom = groups - 2.0;
    let rest = Variance {
        value: rest * groups / freedom,
        freedom,
    };
    let sum = rest.plus(Variance {
        value: slope * slope * known.value,
        ..known
    });
    // Both parts are about the same annotators, and together know no more than these.
    Variance {
        freedom: sum.freedom.min(known.freedom),
        ..sum
    }
}

/// Sums over the annotators of each group, by item, with a lane for each group.
struct GroupSums {
    /// The votes on the item.
    votes: Vec<RhsLanes>,
    /// Σ_u g_ui.
    score: Vec<RhsLanes>,
}

impl GroupSums {
    fn new(refits: &Refits, contributions: &ScoreContributions<'_>, stop: &Stop) -> Result<Self> {
        let items = contributions.votes.items();
        let mut votes = vec![RhsLanes::default(); items];
        let mut score = vec![RhsLanes::default(); items];
        let annotators = 0..contributions.votes.annotators();
        contributions.for_each(annotators, stop, |u, contribution| {
            let group = refits.group[u];
            for item in contribution.seen.iter().map(|&item| item as usize) {
                let on_item = contribution.by_item[item];
                votes[item].as_flattened_mut()[group] += on_item.votes;
                score[item].as_flattened_mut()[group] += on_item.value;
            }
        })?;
        Ok(Self { votes, score })
    }
}
