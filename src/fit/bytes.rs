//! A fit as bytes and back.
//!
//! They begin as all BLOBs of this library do (`blob.rs`). All numbers
//! are little endian. A vector or text is its length, then its elements; the
//! length is checked against the number of bytes that remain before memory is
//! allocated. After reading, lengths and indices are checked against each other,
//! so that no later code can index out of bounds, and numbers for whether a fit
//! can have them.

use crate::blob::BlobKind;
use crate::error::{Error, Result};
use crate::execution::FitExtent;
use crate::fit::types::{
    ChosenModel, ClickCounts, CvCurve, CycleSources, DominantRow, EffectPath, Fit, FitTotals,
    ItemTally, PathRecord, PersonalScores, RowChecks, SelfConsistency,
};
use crate::model::{
    ClusteredCovariance, Evidence, Flow, PairVariance, RefitContributions, ScoreCovariance,
    SideAssignment, SplitCrowd, StandardErrors, TestResults,
};
use crate::options::Loss;
use crate::votes::{IdRef, IdType, Ids};

const FORMAT: u32 = 6;

impl Fit {
    /// The fit as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        debug_assert!(self.extent() > FitExtent::ChosenTime, "a model is complete");
        let mut payload = Vec::with_capacity(self.approximate_size());
        self.write(&mut payload);
        BlobKind::Model.seal(FORMAT, &payload)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. Anything else is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let payload = BlobKind::Model.open(FORMAT, bytes)?;
        let mut reader = Reader(payload);
        let fit = Fit::read(&mut reader)?;
        if !reader.0.is_empty() || !fit.is_consistent() || !fit.has_valid_numbers() {
            return Err(damaged());
        }
        Ok(fit)
    }

    /// The size in memory and as bytes, roughly.
    pub(crate) fn approximate_size(&self) -> usize {
        let ids = |ids: &Ids| ids.text.len() + 16 * ids.len();
        let effects = |effects: &EffectPath| 16 * effects.value.len();
        let personal = self
            .chosen
            .as_ref()
            .map_or(0, |chosen| 20 * chosen.personal.item.len());
        let covariance = self.chosen.as_ref().map_or(0, |chosen| {
            let covariance = &chosen.standard_errors.covariance;
            let refits = covariance.refits.iter();
            let refits = refits.map(|refits| refits.moved.len() + refits.linear.len());
            8 * (covariance.clustered.exact.len() + refits.sum::<usize>())
                + 4 * covariance.clustered.sketch.len()
        });
        512 + ids(&self.items)
            + ids(&self.annotators)
            + covariance
            + 88 * self.items.len()
            + 180 * self.annotators.len()
            + 56 * self.flow.len()
            + 8 * self.path.theta.len()
            + effects(&self.path.bias)
            + effects(&self.path.deviation)
            + personal
    }

    /// Whether the lengths of all columns agree and all indices are in bounds.
    fn is_consistent(&self) -> bool {
        let (items, annotators) = (self.items.len(), self.annotators.len());
        let points = self.path.grid.len();
        let tally = &self.tally;
        let by_item = [&tally.wins, &tally.losses, &tally.ties, &tally.hodgerank];
        let by_annotator = [&self.clicks.left, &self.clicks.right, &self.clicks.ties];
        let chosen_index = self.chosen.as_ref().map_or(0, |chosen| chosen.grid_index);
        let is_consistent_curve = |curve: &CvCurve| {
            let length = curve.error.len();
            (chosen_index + 1..=points).contains(&length)
                && curve.error_std.len() == length
                && curve.mismatch.len() == length
        };
        points > 0
            && by_item.iter().all(|column| column.len() == items)
            && tally.component.len() == items
            && tally.consensus.len()
                == if self.totals.loss == Loss::Squared {
                    0
                } else {
                    items
                }
            && by_annotator.iter().all(|column| column.len() == annotators)
            && self.self_consistency.is_consistent(annotators)
            && is_consistent_evidence(&self.evidence, annotators, items)
            && points.checked_mul(items) == Some(self.path.theta.len())
            && self
                .knockoff
                .as_ref()
                .is_none_or(|flags| flags.len() == annotators)
            && is_consistent_flow(&self.flow, items)
            && self.pair_variance.variance.len() == self.flow.len()
            && self.pair_variance.annotators.len() == self.flow.len()
            && self
                .row_checks
                .dominant
                .is_none_or(|row| row.is_consistent(annotators, items))
            && self.path.bias.is_consistent(points, annotators)
            && self.path.deviation.is_consistent(points, annotators)
            && self.validation.as_ref().is_none_or(is_consistent_curve)
            && self
                .chosen
                .as_ref()
                .is_none_or(|chosen| chosen.is_consistent(points, annotators, items))
    }
}

fn is_consistent_evidence(evidence: &Evidence, annotators: usize, items: usize) -> bool {
    let tests = [
        &evidence.bias,
        &evidence.deviation,
        &evidence.against,
        &evidence.no_signal,
    ];
    let columns = tests.iter().flat_map(|test| [&test.p, &test.q]);
    let columns = columns.chain([&evidence.mean_residual, &evidence.expected_agreement]);
    let is_consistent_split = |split: &SplitCrowd| {
        split.camp.len() == annotators
            && split.agreement.len() == annotators
            && split.camp.iter().all(|camp| (1..=2).contains(camp))
            && split.scores.len() == 2
            && split.scores.iter().all(|scores| scores.len() == items)
    };
    columns.into_iter().all(|column| column.len() == annotators)
        && evidence.untied.len() == annotators
        && evidence.split.as_ref().is_none_or(is_consistent_split)
}

/// Whether the pairs (a, b) with a < b < `items` are sorted, and `starts` says where
/// those of each a begin.
fn is_consistent_flow(flow: &Flow, items: usize) -> bool {
    let pairs = flow.a.len();
    let is_sorted = |item: usize| {
        let range = flow.starts[item]..flow.starts[item + 1];
        flow.a[range.clone()].iter().all(|&a| a as usize == item)
            && flow.b[range.clone()].is_sorted_by(|x, y| x < y)
            && flow.b[range].iter().all(|&b| b as usize > item)
    };
    flow.b.len() == pairs
        && flow.weight.len() == pairs
        && flow.value.len() == pairs
        && flow.wins.len() == pairs
        && flow.ties.len() == pairs
        && flow.weight.iter().all(|&weight| weight > 0.0)
        && all_below(&flow.b, items)
        && flow.starts.len() == items + 1
        && flow.starts.is_sorted()
        && flow.starts.first() == Some(&0)
        && flow.starts.last() == Some(&pairs)
        && (0..items).all(is_sorted)
}

impl SelfConsistency {
    /// A part is no larger than what it is a part of.
    fn is_consistent(&self, annotators: usize) -> bool {
        let parts = [
            (&self.same_choice, &self.repeated),
            (&self.swapped, &self.repeated),
            (&self.same_side, &self.swapped),
        ];
        self.repeated.len() == annotators
            && parts.iter().all(|(part, all)| {
                part.len() == annotators && part.iter().zip(*all).all(|(part, all)| part <= all)
            })
    }
}

impl EffectPath {
    fn is_consistent(&self, points: usize, annotators: usize) -> bool {
        self.grid_index.len() == self.value.len()
            && self.annotator.len() == self.value.len()
            && self.grid_index.is_sorted()
            && all_below(&self.grid_index, points)
            && all_below(&self.annotator, annotators)
    }
}

impl DominantRow {
    fn is_consistent(&self, annotators: usize, items: usize) -> bool {
        let is_known = self.annotator.is_some() == (annotators > 0);
        is_known
            && all_below(self.annotator.as_slice(), annotators)
            && all_below(&[self.left, self.right], items)
    }
}

impl ChosenModel {
    fn is_consistent(&self, points: usize, annotators: usize, items: usize) -> bool {
        let personal = &self.personal;
        let length = personal.item.len();
        self.grid_index < points
            && self.agreement.len() == annotators
            && self.standard_errors.std_error.len() == items
            && self.standard_errors.half_width.len() == items
            && self.standard_errors.covariance.is_consistent(items)
            && all_below(&personal.annotator, annotators)
            && all_below(&personal.item, items)
            && personal.starts.len() == personal.annotator.len() + 1
            && personal.starts.is_sorted()
            && personal.starts.first() == Some(&0)
            && personal.starts.last() == Some(&length)
            && personal.deviation.len() == length
            && personal.votes.len() == length
    }
}

fn all_below(indices: &[u32], bound: usize) -> bool {
    indices.iter().all(|&index| (index as usize) < bound)
}

fn damaged() -> Error {
    BlobKind::Model.damaged()
}

/// The bytes that are not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A length; an error if fewer bytes remain than so many elements of at least
    /// `min_size` bytes take.
    fn length(&mut self, min_size: usize) -> Result<usize> {
        let length = usize::try_from(u64::read(self)?).map_err(|_| damaged())?;
        let fits = length
            .checked_mul(min_size)
            .is_some_and(|size| size <= self.0.len());
        if fits { Ok(length) } else { Err(damaged()) }
    }
}

/// A type with a representation in bytes.
trait Blob: Sized {
    /// The smallest number of bytes that a value takes.
    const MIN_SIZE: usize;
    fn write(&self, out: &mut Vec<u8>);
    fn read(from: &mut Reader<'_>) -> Result<Self>;
}

macro_rules! number_blob {
    ($($number:ty),*) => {$(
        impl Blob for $number {
            const MIN_SIZE: usize = size_of::<$number>();
            fn write(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
            fn read(from: &mut Reader<'_>) -> Result<Self> {
                let bytes = from.take(Self::MIN_SIZE)?;
                Ok(Self::from_le_bytes(bytes.try_into().expect("as many bytes as asked for")))
            }
        }
    )*};
}
number_blob!(u8, u32, u64, i128, f32, f64);

impl Blob for usize {
    const MIN_SIZE: usize = 8;
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        usize::try_from(u64::read(from)?).map_err(|_| damaged())
    }
}

impl Blob for bool {
    const MIN_SIZE: usize = 1;
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        match u8::read(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(damaged()),
        }
    }
}

impl<T: Blob> Blob for Option<T> {
    const MIN_SIZE: usize = 1;
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        bool::read(from)?.then(|| T::read(from)).transpose()
    }
}

impl Blob for [f64; 3] {
    const MIN_SIZE: usize = 3 * f64::MIN_SIZE;
    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.write(out));
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok([f64::read(from)?, f64::read(from)?, f64::read(from)?])
    }
}

impl<T: Blob> Blob for Vec<T> {
    const MIN_SIZE: usize = 8;
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        self.iter().for_each(|value| value.write(out));
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let length = from.length(T::MIN_SIZE)?;
        (0..length).map(|_| T::read(from)).collect()
    }
}

impl Blob for String {
    const MIN_SIZE: usize = 8;
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        out.extend(self.as_bytes());
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let length = from.length(1)?;
        let text = std::str::from_utf8(from.take(length)?).map_err(|_| damaged())?;
        Ok(text.into())
    }
}

impl Blob for Loss {
    const MIN_SIZE: usize = 1;
    fn write(&self, out: &mut Vec<u8>) {
        out.push(match self {
            Loss::Squared => 0,
            Loss::Logistic => 1,
            Loss::Probit => 2,
        });
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        match u8::read(from)? {
            0 => Ok(Loss::Squared),
            1 => Ok(Loss::Logistic),
            2 => Ok(Loss::Probit),
            _ => Err(damaged()),
        }
    }
}

impl Blob for IdType {
    const MIN_SIZE: usize = 1;
    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.code());
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Self::from_code(u8::read(from)?).ok_or_else(damaged)
    }
}

impl Blob for Ids {
    const MIN_SIZE: usize = 1;
    fn write(&self, out: &mut Vec<u8>) {
        self.id_type.write(out);
        self.ints.write(out);
        let texts = (self.ints.len()..self.len()).filter_map(|index| match self.get(index) {
            IdRef::Text(text) => Some(text.to_string()),
            IdRef::Int(_) => None,
        });
        texts.collect::<Vec<_>>().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let mut ids = Self::new(IdType::read(from)?);
        ids.ints = Vec::read(from)?;
        for text in Vec::<String>::read(from)? {
            ids.push(IdRef::Text(&text));
        }
        if ids.fit_their_type() {
            Ok(ids)
        } else {
            Err(damaged())
        }
    }
}

/// A struct is written as its fields, in order.
macro_rules! struct_blob {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Blob for $name {
            const MIN_SIZE: usize = 1;
            fn write(&self, out: &mut Vec<u8>) {
                $(self.$field.write(out);)*
            }
            fn read(from: &mut Reader<'_>) -> Result<Self> {
                Ok(Self { $($field: Blob::read(from)?),* })
            }
        }
    )*};
}
struct_blob! {
    Fit { columns, items, annotators, totals, tally, clicks, self_consistency, evidence, knockoff, flow, pair_variance, row_checks, path, validation, chosen }
    FitTotals { votes, skipped, kappa, loss, alpha, first_entry, iterations, fdr, sides, strength, seed }
    ItemTally { wins, losses, ties, component, hodgerank, consensus }
    ClickCounts { left, right, ties }
    SelfConsistency { repeated, same_choice, swapped, same_side }
    Evidence {
        mean_residual, bias, deviation, against, no_signal, untied, expected_agreement, sides, split,
    }
    TestResults { p, q }
    SideAssignment { p_value, better_left }
    SplitCrowd { camp, agreement, scores }
    Flow { a, b, weight, value, wins, ties, starts }
    PairVariance { variance, annotators }
    RowChecks { rows, repeated, expected_repeats, dominant }
    DominantRow { annotator, left, right, choice, share, median }
    PathRecord { grid, theta, bias, deviation }
    EffectPath { grid_index, annotator, value }
    CvCurve { error, error_std, mismatch, hodgerank_error }
    ChosenModel { grid_index, agreement, personal, standard_errors, cycle_sources }
    StandardErrors { std_error, half_width, covariance }
    ScoreCovariance { clustered, annotators, prior, refits }
    ClusteredCovariance { exact, sketch, lanes }
    RefitContributions { groups, is_complete, moved, linear, seen_by }
    CycleSources { personal, position_bias }
    PersonalScores { annotator, starts, item, deviation, votes }
}
