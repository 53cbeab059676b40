//! Both diagonals from the inverse of the Hessian, where that is cheap.

use nalgebra::DMatrix;

use super::annotator_sums::add_to;
use super::contribution::ScoreContribution;
use super::hessian::Hessian;
use super::score_contributions::ScoreContributions;
use super::variances::Variances;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{Kernel, Lanes, vectorised};

/// The annotators are added up in so many groups, which threads can share.
const GROUPS: usize = 16;

/// The variances, given [`Hessian::inverse`], which equals L⁺ up to constants on each
/// component. They make no difference: score contributions sum to zero there, and
/// L⁺ takes differences within a component.
pub(super) fn variances(
    hessian: &Hessian<'_>,
    contributions: &ScoreContributions<'_>,
    inverse: &DMatrix<f64>,
    threads: usize,
    stop: &Stop,
) -> Result<Variances> {
    let items = hessian.items();
    let new = || (vec![0.0; items], vec![0.0; items]);
    let add = |(sum, influence): &mut (Vec<f64>, Vec<f64>), _, contribution: &ScoreContribution| {
        vectorised(AddInfluence {
            inverse: inverse.as_slice(),
            contribution,
            influence,
            sum,
        });
    };
    let groups = contributions.accumulate(GROUPS, threads, stop, new, add)?;
    let mut groups = groups.into_iter();
    let (mut sums, (mut clustered, _)) = groups.next().expect("at least one group");
    for (other, (squares, _)) in groups {
        sums.merge(&other);
        add_to(&mut clustered, &squares);
    }
    let mut independent = Vec::with_capacity(items);
    for column in inverse.column_iter() {
        stop.check()?;
        let gradient = hessian.flow.gradient(column.as_slice());
        independent.push(hessian.flow.inner(&gradient, &gradient));
    }
    Ok(Variances {
        sums,
        clustered,
        independent,
    })
}

/// influence = L⁺g, the influence of an annotator on the scores, and sum += influence²,
/// item by item.
struct AddInfluence<'a> {
    inverse: &'a [f64],
    contribution: &'a ScoreContribution,
    influence: &'a mut [f64],
    sum: &'a mut [f64],
}

impl Kernel for AddInfluence<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Lanes>(self, _: R) {
        let items = self.sum.len();
        self.influence.fill(0.0);
        for item in self.contribution.seen.iter().map(|&item| item as usize) {
            let value = self.contribution.by_item[item].value;
            let column = &self.inverse[item * items..][..items];
            for (slot, x) in self.influence.iter_mut().zip(column) {
                *slot += value * x;
            }
        }
        for (slot, x) in self.sum.iter_mut().zip(&*self.influence) {
            *slot += x * x;
        }
    }
}
