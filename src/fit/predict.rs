//! Predicted votes: ŷ = (θ_i + δ_i^u) − (θ_j + δ_j^u) + γ^u at the chosen time.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::types::Fit;
use crate::error::{Error, Result};
use crate::votes::{IdRef, IdType};

/// Predicts votes from a fit: positive for the left item, negative for the
/// right one, in the unit of the scores: that of the choices that were fitted, or
/// log-odds or probits with the logistic or probit loss.
///
/// An annotator who is not in the fit is predicted to vote as the consensus does.
/// An item that is not in the fit has score 0, the mean score of a component.
///
/// ```
/// use me_hodgerank::{Fit, IdRef, Options, Predictor, Simulation, VoteBuilder};
///
/// let options = Options::default();
/// let mut votes = VoteBuilder::new(&options);
/// for batch in Simulation::default().run()? {
///     votes.push_batch(&batch?)?;
/// }
/// let votes = votes.finish()?;
/// let fit = Fit::new(&votes, &options)?;
/// let predictor = Predictor::new(fit.into())?;
/// let (one, two, nobody) = (IdRef::Int(1), IdRef::Int(2), IdRef::Int(-1));
/// let vote = predictor.vote(nobody, one, two);
/// assert_eq!(predictor.vote(nobody, two, one), -vote);
/// # Ok::<(), me_hodgerank::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Predictor {
    fit: Arc<Fit>,
    /// By annotator, at the chosen time.
    position_bias: Vec<f64>,
    grid_index: usize,
}

/// The predictors kept for each thread: see [`Predictor::from_bytes`].
const MAX_KEPT: usize = 4;

thread_local! {
    /// The bytes of models and their predictors, most recently read first.
    static RECENT: RefCell<Vec<(Vec<u8>, Rc<Predictor>)>> = const { RefCell::new(Vec::new()) };
}

impl Predictor {
    /// From a fit for which a time was chosen.
    pub fn new(fit: Arc<Fit>) -> Result<Self> {
        let grid_index = fit.chosen()?.grid_index;
        Ok(Self {
            position_bias: fit.path.bias.at(grid_index, fit.annotators.len()),
            grid_index,
            fit,
        })
    }

    /// From the bytes that [`Fit::to_bytes`] wrote. The last few predictors of each
    /// thread are kept, so a caller may ask again for every row.
    pub fn from_bytes(bytes: &[u8]) -> Result<Rc<Self>> {
        RECENT.with_borrow_mut(|recent| {
            // All bytes are compared: a model that was damaged since has the same header.
            if let Some(known) = recent.iter().position(|(known, _)| known == bytes) {
                recent[..=known].rotate_right(1);
                return Ok(recent[0].1.clone());
            }
            let predictor = Rc::new(Self::new(Arc::new(Fit::from_bytes(bytes)?))?);
            recent.truncate(MAX_KEPT - 1);
            recent.insert(0, (bytes.to_vec(), predictor.clone()));
            Ok(predictor)
        })
    }

    /// Checks that ids of these types can be among those that were fitted. If the
    /// one are text and the other integers, every id would be unknown and every
    /// prediction that of the consensus: an error is better than a wrong answer.
    pub fn check_types(&self, annotator: Option<IdType>, item: Option<IdType>) -> Result<()> {
        let annotator = annotator.filter(|_| self.fit.has_annotators());
        let columns = [
            ("annotators", annotator, &self.fit.annotators),
            ("items", item, &self.fit.items),
        ];
        for (what, given, fitted) in columns {
            let fitted = fitted.id_type();
            let is_text = |id_type: IdType| id_type == IdType::Text;
            let all_unknown = |given: IdType| {
                given != IdType::Mixed
                    && fitted != IdType::Mixed
                    && is_text(given) != is_text(fitted)
            };
            if let Some(given) = given.filter(|given| all_unknown(*given)) {
                let kind = |id_type| if is_text(id_type) { "text" } else { "integers" };
                return Err(Error::votes(format!(
                    "the {what} to be predicted are {} and those that were fitted are {}: cast one \
                     of them, so that the same id is the same in both",
                    kind(given),
                    kind(fitted)
                )));
            }
        }
        Ok(())
    }

    /// The prediction for ids of which some may be unknown, NULL in SQL: None if one is
    /// needed. If nobody knows who cast the votes that were fitted, the annotator is not.
    pub fn vote_of(
        &self,
        annotator: Option<IdRef<'_>>,
        left: Option<IdRef<'_>>,
        right: Option<IdRef<'_>>,
    ) -> Option<f64> {
        let (left, right) = left.zip(right)?;
        match annotator {
            Some(annotator) => Some(self.vote(annotator, left, right)),
            None if self.fit.has_annotators() => None,
            None => Some(self.consensus(left, right)),
        }
    }

    /// The prediction of the mixed-effects model, with the effects of the annotator.
    pub fn vote(&self, annotator: IdRef<'_>, left: IdRef<'_>, right: IdRef<'_>) -> f64 {
        let Some(annotator) = self.fit.annotators.position(annotator) else {
            return self.consensus(left, right);
        };
        let theta = self.fit.theta(self.grid_index);
        let (left, right) = (
            self.fit.items.position(left),
            self.fit.items.position(right),
        );
        let own = |item| at(theta, item) + self.deviation(annotator, item);
        own(left) - own(right) + self.position_bias[annotator]
    }

    /// The prediction without effects of annotators.
    fn consensus(&self, left: IdRef<'_>, right: IdRef<'_>) -> f64 {
        let theta = self.fit.theta(self.grid_index);
        let score = |item| at(theta, self.fit.items.position(item));
        score(left) - score(right)
    }

    /// The probability that the left item wins, for a prediction of this fit. If the loss
    /// is the squared one, it is the share of wins that has such a mean choice.
    pub fn win_probability(&self, predicted: f64) -> f64 {
        self.fit.vote_model().share_of_wins(predicted)
    }

    /// The prediction of HodgeRank, or of another model without effects: the difference of
    /// two scores, the same for all annotators.
    pub fn hodgerank(&self, left: IdRef<'_>, right: IdRef<'_>) -> f64 {
        let scores = self.fit.tally.without_effects();
        let score = |item| at(scores, self.fit.items.position(item));
        score(left) - score(right)
    }

    /// δ of an annotator for an item; 0 where there is none.
    fn deviation(&self, annotator: usize, item: Option<usize>) -> f64 {
        let personal = self.fit.chosen.as_ref().map(|chosen| &chosen.personal);
        let (Some(item), Some(personal)) = (item, personal) else {
            return 0.0;
        };
        let Ok(k) = personal.annotator.binary_search(&(annotator as u32)) else {
            return 0.0;
        };
        let (start, end) = (personal.starts[k], personal.starts[k + 1]);
        let position = personal.item[start..end].binary_search(&(item as u32));
        position.map_or(0.0, |position| personal.deviation[start + position])
    }
}

/// The value at an index; 0 for an id that is not in the fit.
fn at(values: &[f64], index: Option<usize>) -> f64 {
    index.map_or(0.0, |index| values[index])
}
