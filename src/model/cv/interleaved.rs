//! All folds side by side, each a little at a time: where the error of all of them
//! has turned is known as soon as it has, and none goes far beyond.

use std::sync::{Mutex, MutexGuard, OnceLock};

use super::early_stopping::{EarlyStopping, SquaredErrors};
use super::fold::{Errors, Fold, Training};
use super::{CvExtent, HeldOut, Until};
use crate::error::Result;
use crate::execution::Stop;

/// The folds, and who works on them.
pub(super) struct Interleaved<'a> {
    held_out: &'a HeldOut<'a>,
    training: &'a [OnceLock<Training>],
    board: Mutex<Board<'a>>,
}

struct Board<'a> {
    folds: Vec<State<'a>>,
    pooled: Pooled,
}

enum State<'a> {
    New,
    /// Nobody works on it.
    Idle(Box<Fold<'a>>),
    Busy,
}

impl<'a> Interleaved<'a> {
    /// `training`: room for that of each fold.
    pub fn new(held_out: &'a HeldOut<'a>, training: &'a [OnceLock<Training>]) -> Self {
        let folds = training.len();
        let board = Board {
            folds: (0..folds).map(|_| State::New).collect(),
            pooled: Pooled::new(folds, held_out.grid.len()),
        };
        Self {
            held_out,
            training,
            board: Mutex::new(board),
        }
    }

    fn board(&self) -> MutexGuard<'_, Board<'a>> {
        self.board.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Works on whichever fold lags behind, until none is left that nobody else
    /// works on.
    pub fn work(&self, stop: &Stop) -> Result<()> {
        while let Some((index, state)) = self.claim() {
            let mut fold = match state {
                State::Idle(fold) => fold,
                _ => Box::new(self.begin(index, stop)?),
            };
            fold.advance_to(self.held_out.grid[fold.points()], stop)?;
            let mut board = self.board();
            let point = fold.points() - 1;
            board.pooled.take(index, point, fold.by_annotator());
            board.folds[index] = State::Idle(fold);
        }
        Ok(())
    }

    fn begin(&self, index: usize, stop: &Stop) -> Result<Fold<'a>> {
        let training = Training::new(self.held_out, index, stop)?;
        Fold::new(self.training[index].get_or_init(|| training), stop)
    }

    fn claim(&self) -> Option<(usize, State<'a>)> {
        let mut board = self.board();
        let needed = match self.held_out.curve {
            CvExtent::FullGrid => self.held_out.grid.len(),
            CvExtent::UntilStopped => board.pooled.until_turned,
        };
        let points = |state: &State<'_>| match state {
            State::New => Some(0),
            State::Idle(fold) => Some(fold.points()),
            State::Busy => None,
        };
        let open = board.folds.iter().enumerate();
        let open = open.filter_map(|(index, state)| Some((points(state)?, index)));
        let (_, index) = open.filter(|&(points, _)| points < needed).min()?;
        let state = std::mem::replace(&mut board.folds[index], State::Busy);
        Some((index, state))
    }

    /// What came out, after all workers ended without an error.
    pub fn finish(self) -> Until<Vec<Errors>> {
        let board = self.board.into_inner().unwrap_or_else(|e| e.into_inner());
        let errors = board.folds.into_iter().map(|state| match state {
            State::Idle(fold) => fold.errors,
            State::New | State::Busy => unreachable!("every fold was run to its end"),
        });
        Until {
            found: errors.collect(),
            turned: board.pooled.until_turned,
        }
    }
}

/// The errors of all folds as one.
struct Pooled {
    folds: usize,
    turn: EarlyStopping,
    /// By grid time and fold, of the times that not all folds have come to.
    open: Vec<Vec<Option<Vec<SquaredErrors>>>>,
    looked_at: usize,
    until_turned: usize,
}

impl Pooled {
    fn new(folds: usize, points: usize) -> Self {
        Self {
            folds,
            turn: EarlyStopping::new(folds),
            open: Vec::new(),
            looked_at: 0,
            until_turned: points,
        }
    }

    /// Takes in the errors of a fold at a grid time.
    fn take(&mut self, fold: usize, point: usize, by_annotator: &[SquaredErrors]) {
        if self.turn.is_clear() {
            return;
        }
        if self.open.len() <= point {
            self.open.resize_with(point + 1, || vec![None; self.folds]);
        }
        self.open[point][fold] = Some(by_annotator.to_vec());
        while let Some(all) = self.open.get_mut(self.looked_at) {
            if all.iter().any(Option::is_none) || self.turn.is_clear() {
                return;
            }
            let folds = std::mem::take(all).into_iter().flatten();
            let all: Vec<SquaredErrors> = folds.flatten().collect();
            self.looked_at += 1;
            if self.turn.look(&all) {
                self.until_turned = self.looked_at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_turns_where_all_folds_together_do_whichever_comes_first() {
        // The first fold alone turns at the third time.
        let curves = [[0.5, 0.3, 0.5, 0.5, 0.5], [0.5, 0.3, 0.15, 0.28, 0.3]];
        let each = |sum: f64| vec![SquaredErrors { sum, weight: 1.0 }; 10];
        for order in ["0101010101", "0000011111", "1110000011"] {
            let mut pooled = Pooled::new(2, 5);
            let mut points = [0; 2];
            for fold in order.bytes().map(|digit| usize::from(digit - b'0')) {
                let point = points[fold];
                pooled.take(fold, point, &each(curves[fold][point]));
                points[fold] += 1;
                let known = points.iter().all(|&points| points >= 4);
                assert_eq!(pooled.until_turned, if known { 4 } else { 5 });
            }
        }
    }
}
