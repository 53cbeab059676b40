//! Both diagonals from the inverse of the Hessian, where that is cheap.

use nalgebra::DMatrix;

use super::annotator_sums::add_to;
use super::contribution::ScoreContribution;
use super::hessian::Hessian;
use super::score_contributions::ScoreContributions;
use super::variances::Variances;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{self, Kernel, vectorised};

/// The annotators are added up in so many groups, which threads can share.
const GROUPS: usize = 16;

/// The variances, given [`Hessian::inverse`]. It may differ from J⁺ by constants on a
/// component: score contributions and differences of scores do not see them, because
/// the former sum to zero in each component.
pub(super) fn variances(
    hessian: &Hessian<'_>,
    contributions: &ScoreContributions<'_>,
    inverse: &DMatrix<f64>,
    threads: usize,
    stop: &Stop,
) -> Result<Variances> {
    let items = hessian.items();
    let new = || (vec![0.0; items], vec![0.0; items]);
    let add = |(sum, image): &mut (Vec<f64>, Vec<f64>), _, contribution: &ScoreContribution| {
        vectorised(AddSquaredImage {
            inverse: inverse.as_slice(),
            contribution,
            image,
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

/// image = J⁺g, and sum += image², item by item.
struct AddSquaredImage<'a> {
    inverse: &'a [f64],
    contribution: &'a ScoreContribution,
    image: &'a mut [f64],
    sum: &'a mut [f64],
}

impl Kernel for AddSquaredImage<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: simd::Lanes>(self, _: R) {
        let items = self.sum.len();
        self.image.fill(0.0);
        for item in self.contribution.seen.iter().map(|&item| item as usize) {
            let value = self.contribution.by_item[item].value;
            let column = &self.inverse[item * items..][..items];
            for (slot, x) in self.image.iter_mut().zip(column) {
                *slot += value * x;
            }
        }
        for (slot, x) in self.sum.iter_mut().zip(&*self.image) {
            *slot += x * x;
        }
    }
}
