//! Standard errors and intervals from the variances.

use super::annotator_sums::add_to;
use super::difference::ScoreCovariance;
use super::fitted::Fitted;
use super::hessian::Hessian;
use super::jackknife::RefitContributions;
use super::refits::Refits;
use super::score_contributions::ScoreContributions;
use super::{exact, sketch};
use crate::collective::SlotSums;
use crate::error::Result;
use crate::execution::Stop;
use crate::model::flow::Flow;
use crate::options::Loss;
use crate::votes::Comparisons;

/// Standard errors and intervals, by item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StandardErrors {
    /// Standard errors.
    pub std_error: Vec<f64>,
    /// Half the width of the 95 % intervals.
    pub half_width: Vec<f64>,
    /// What the variances of differences are computed from.
    pub covariance: ScoreCovariance,
}

/// The variances are exact if that takes at most this many multiplications, about a
/// third of a second.
const MAX_EXACT_WORK: f64 = 1.5e9;

impl StandardErrors {
    /// Of the scores of a model. `components` are those of the comparison graph; the flow
    /// has mean choices if the loss is not the squared one.
    pub fn new<'a>(
        votes: &Comparisons,
        flow: &Flow,
        components: impl Iterator<Item = &'a [u32]>,
        fitted: Fitted<'_>,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let contributions = ScoreContributions::new(votes, fitted);
        let weighted = curvatures(votes, flow, &fitted)?;
        let flow = weighted.as_ref().unwrap_or(flow);
        let mut hessian = Hessian::new(flow, components.collect(), fitted.ridge);
        let inverse = if exact_work(votes, threads)? <= MAX_EXACT_WORK {
            hessian.inverse(stop)?
        } else {
            None
        };
        let variances = match inverse {
            Some(inverse) => exact::variances(&hessian, &contributions, &inverse, threads, stop)?,
            None => {
                hessian.eliminate(stop)?;
                sketch::variances(&hessian, &contributions, threads, stop)?
            }
        };
        let refits = Refits::new(votes, &fitted, threads, stop)?;
        let refits = refits
            .map(|refits| RefitContributions::new(&refits, &hessian, &contributions, threads, stop))
            .transpose()?;
        let mut own = variances.sandwich();
        if let Some(refits) = &refits {
            for (item, own) in own.iter_mut().enumerate() {
                *own = refits.of_item(item, *own);
            }
        }
        let prior = variances.prior(&own);
        let both = own.iter().zip(&variances.independent);
        let pooled = || {
            both.clone()
                .map(|(own, &independent)| own.pooled(prior, independent))
        };
        Ok(Self {
            std_error: pooled().map(|variance| variance.std_error()).collect(),
            half_width: pooled().map(|variance| variance.half_width()).collect(),
            covariance: ScoreCovariance {
                annotators: variances.sums.effective_annotators(),
                clustered: variances.covariance,
                prior,
                refits,
            },
        })
    }
}

/// The pairs with the weights Σ ω ℓ''(η), which are those of the Hessian; None with the
/// squared loss, where ℓ'' = 1.
pub(super) fn curvatures(
    votes: &Comparisons,
    flow: &Flow,
    fitted: &Fitted<'_>,
) -> Result<Option<Flow>> {
    if fitted.loss == Loss::Squared {
        return Ok(None);
    }
    let mut weighted = flow.clone();
    // ℓ'' is linear in the choice: for all who have no effects the mean choice will do.
    for pair in 0..flow.len() {
        let [a, b] = [flow.a[pair], flow.b[pair]].map(|item| fitted.theta[item as usize]);
        weighted.weight[pair] *= fitted.loss.derivatives(flow.value[pair], a - b).1;
    }
    if fitted.effects.is_some() {
        let changes = curvature_changes(votes, flow, fitted)?;
        add_to(&mut weighted.weight, &changes);
    }
    // What rounding may leave below zero of a pair that says nothing.
    let smallest = f64::MIN_POSITIVE;
    let weights = weighted.weight.iter_mut();
    weights.for_each(|weight| *weight = weight.max(smallest));
    Ok(Some(weighted))
}

/// By pair: by how much effects change Σ ω ℓ''(η).
fn curvature_changes(votes: &Comparisons, flow: &Flow, fitted: &Fitted<'_>) -> Result<Vec<f64>> {
    let partition = votes.partition();
    let mut changes = SlotSums::<1>::new(flow.len(), partition.blocks());
    let mut own = fitted.theta.to_vec();
    for (block, in_table) in partition.blocks().enumerate() {
        let annotators = partition.annotators_of(block);
        for u in annotators.filter(|&u| fitted.has_effect(u)) {
            fitted.set_own_scores(u, &mut own);
            for vote in votes.of(u) {
                let curvature = |scores: &[f64], bias: f64| {
                    let predicted = scores[vote.left] - scores[vote.right] + bias;
                    fitted.loss.derivatives(vote.choice, predicted).1
                };
                let change =
                    curvature(&own, fitted.position_bias(u)) - curvature(fitted.theta, 0.0);
                let pair = flow.pair(vote.left.min(vote.right), vote.left.max(vote.right));
                changes.add(pair, in_table, [vote.weight * change]);
            }
            fitted.reset_own_scores(u, &mut own);
        }
    }
    partition.reduce(&mut changes.into_block_sums())
}

/// About how many multiplications the exact variances take.
fn exact_work(votes: &Comparisons, threads: usize) -> Result<f64> {
    let items = votes.items();
    let seen = |u: usize| (2 * votes.cluster(u).len()).min(items) as f64;
    let products = votes.partition().sum(1, threads, |annotators, sum| {
        // A product of two contributions goes to memory that is not near.
        let products = |u: usize| 2.0 * seen(u) * seen(u);
        sum[0] = votes.clusters_of(annotators).map(products).sum();
        Ok(())
    })?;
    Ok(products[0] + 2.5 * (items as f64).powi(3))
}
