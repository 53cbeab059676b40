//! What a fit says about votes that it has not seen.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::votes::{IdRef, IdType, Ids};

/// Predicts votes from a fit: positive for the left item, negative for the
/// right one, in the units of the choices that were fitted.
///
/// An annotator who is not in the fit votes as the consensus does; an item that
/// is not in it has score 0, which is the mean of a component.
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
pub struct Predictor {
    fit: Arc<Fit>,
    /// By annotator, at the chosen time.
    position_bias: Vec<f64>,
    grid_index: usize,
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

    /// Ids of another kind would all be strangers, and every prediction that of
    /// the consensus: an error, not a wrong answer.
    pub fn check_types(&self, annotator: Option<IdType>, item: Option<IdType>) -> Result<()> {
        let columns = [
            ("annotators", annotator, &self.fit.annotators),
            ("items", item, &self.fit.items),
        ];
        for (what, given, fitted) in columns {
            let fitted = fitted.id_type();
            let is_text = |id_type: IdType| id_type == IdType::Text;
            let strangers = |given: IdType| {
                given != IdType::Mixed
                    && fitted != IdType::Mixed
                    && is_text(given) != is_text(fitted)
            };
            if let Some(given) = given.filter(|given| strangers(*given)) {
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

    /// The mixed-effects model's: (θ + δ of the left item) − (θ + δ of the right
    /// one) + γ, with the annotator's own δ and γ.
    pub fn vote(&self, annotator: IdRef<'_>, left: IdRef<'_>, right: IdRef<'_>) -> f64 {
        let theta = self.fit.theta(self.grid_index);
        let (left, right) = (find(&self.fit.items, left), find(&self.fit.items, right));
        let Some(annotator) = find(&self.fit.annotators, annotator) else {
            return at(theta, left) - at(theta, right);
        };
        let own = |item| at(theta, item) + self.deviation(annotator, item);
        own(left) - own(right) + self.position_bias[annotator]
    }

    /// Plain HodgeRank's: the same for all annotators, whatever the sides.
    pub fn hodgerank(&self, left: IdRef<'_>, right: IdRef<'_>) -> f64 {
        let score = |item| at(&self.fit.tally.hodgerank, find(&self.fit.items, item));
        score(left) - score(right)
    }

    fn deviation(&self, annotator: usize, item: Option<usize>) -> f64 {
        let personal = self.fit.chosen.as_ref().map(|chosen| &chosen.personal);
        let (Some(item), Some(personal)) = (item, personal) else {
            return 0.0;
        };
        let Ok(who) = personal.annotator.binary_search(&(annotator as u32)) else {
            return 0.0;
        };
        let (start, end) = (personal.starts[who], personal.starts[who + 1]);
        let place = personal.item[start..end].binary_search(&(item as u32));
        place.map_or(0.0, |place| personal.deviation[start + place])
    }
}

/// The predictor of a model in bytes. A host asks once for every row, so the last
/// few of a thread are kept: a model's first bytes hold its checksum, and the
/// rest need not be compared each time.
#[cfg(any(feature = "duckdb", feature = "sqlite"))]
pub(crate) fn of_bytes(bytes: &[u8]) -> Result<std::rc::Rc<Predictor>> {
    use std::cell::RefCell;
    use std::rc::Rc;

    type Key = (usize, [u8; Fit::HEADER]);
    const KEPT: usize = 4;
    thread_local! {
        static LAST: RefCell<Vec<(Key, Rc<Predictor>)>> = const { RefCell::new(Vec::new()) };
    }
    let read = || Predictor::new(Arc::new(Fit::from_bytes(bytes)?)).map(Rc::new);
    let Some(header) = bytes.first_chunk().copied() else {
        return read();
    };
    let key = (bytes.len(), header);
    LAST.with_borrow_mut(|last| {
        if let Some((_, predictor)) = last.iter().find(|(known, _)| *known == key) {
            return Ok(predictor.clone());
        }
        let predictor = read()?;
        last.truncate(KEPT - 1);
        last.insert(0, (key, predictor.clone()));
        Ok(predictor)
    })
}

/// A stranger's value is 0.
fn at(values: &[f64], place: Option<usize>) -> f64 {
    place.map_or(0.0, |place| values[place])
}

/// The place of an id in the canonical order.
fn find(ids: &Ids, id: IdRef<'_>) -> Option<usize> {
    let (mut low, mut high) = (0, ids.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match ids.get(middle).cmp(&id) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}
