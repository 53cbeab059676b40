//! When an error on held-out votes has clearly turned: it will hardly fall below its least again.

/// The squared errors of an annotator's votes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SquaredErrors {
    pub sum: f64,
    pub weight: f64,
}

/// The error must have risen by this part of its least.
const MARGIN: f64 = 0.02;

/// And by so many standard errors of the rise.
const STANDARD_ERRORS: f64 = 3.0;

/// A standard error is not known from fewer annotators.
const FEWEST: usize = 10;

/// The least error so far, and whether it has turned.
pub(super) struct EarlyStopping {
    folds: usize,
    least: f64,
    at_least: Vec<SquaredErrors>,
    clear: bool,
}

impl EarlyStopping {
    /// Of so many folds, each with annotators of its own: what a path says of an
    /// annotator in one of them it learnt from votes in the others.
    pub fn new(folds: usize) -> Self {
        Self {
            folds,
            least: f64::INFINITY,
            at_least: Vec::new(),
            clear: false,
        }
    }

    pub fn is_clear(&self) -> bool {
        self.clear
    }

    /// Takes in the errors at the next time; whether they have clearly turned.
    pub fn look(&mut self, by_annotator: &[SquaredErrors]) -> bool {
        let sum: f64 = by_annotator.iter().map(|errors| errors.sum).sum();
        let weight: f64 = by_annotator.iter().map(|errors| errors.weight).sum();
        let error = sum / weight;
        if error < self.least {
            self.least = error;
            self.at_least.clear();
            self.at_least.extend(by_annotator);
            return false;
        }
        let rise = error - self.least;
        self.clear = rise > MARGIN * self.least
            && rise > STANDARD_ERRORS * self.standard_error(rise, by_annotator);
        self.clear
    }

    /// Of the mean rise. Votes of one annotator depend on each other.
    fn standard_error(&self, rise: f64, now: &[SquaredErrors]) -> f64 {
        let (mut squares, mut total, mut voted) = (0.0, 0.0, 0);
        for (now, then) in now.iter().zip(&self.at_least) {
            let beyond = now.sum - then.sum - now.weight * rise;
            squares += beyond * beyond;
            total += now.weight;
            voted += usize::from(now.weight > 0.0);
        }
        if voted < FEWEST * self.folds {
            return f64::INFINITY;
        }
        squares.sqrt() / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(curve: &[Vec<f64>]) -> Vec<bool> {
        let mut turn = EarlyStopping::new(1);
        let look = |each: &Vec<f64>| {
            let errors = each.iter().map(|&sum| SquaredErrors { sum, weight: 1.0 });
            turn.look(&errors.collect::<Vec<_>>())
        };
        curve.iter().map(look).collect()
    }

    #[test]
    fn a_rise_that_all_share_is_clear_and_a_small_one_is_not() {
        let at = |error: f64| vec![error; 20];
        let curve = [1.0, 0.5, 0.4, 0.407, 0.405, 0.409].map(at);
        assert_eq!(turns(&curve), [false, false, false, false, false, true]);
    }

    #[test]
    fn a_rise_of_one_annotator_is_not_clear() {
        let mut one = vec![0.4; 20];
        one[3] = 2.0;
        assert_eq!(turns(&[vec![0.4; 20], one]), [false, false]);
    }

    #[test]
    fn few_annotators_never_turn() {
        assert_eq!(turns(&[vec![0.4; 9], vec![4.0; 9]]), [false, false]);
    }
}
