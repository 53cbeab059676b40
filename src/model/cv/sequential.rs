//! One fold after the other, as many at a time as there are threads: for votes so
//! many that the paths of all folds would take too much memory. So many votes tell
//! already in one fold that its error has turned.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::early_stopping::EarlyStopping;
use super::fold::{Errors, Fold, Training};
use super::{CvExtent, HeldOut, Until};
use crate::error::Result;
use crate::execution::Stop;

pub(super) struct Sequential<'a> {
    held_out: &'a HeldOut<'a>,
    next: AtomicUsize,
    /// The number of grid times until the first fold has turned, of those known.
    /// No other one is needed beyond.
    turned: AtomicUsize,
    done: Mutex<Vec<(usize, Errors)>>,
}

impl<'a> Sequential<'a> {
    pub fn new(held_out: &'a HeldOut<'a>) -> Self {
        Self {
            held_out,
            next: AtomicUsize::new(0),
            turned: AtomicUsize::new(held_out.grid.len()),
            done: Mutex::new(Vec::new()),
        }
    }

    /// Works on folds that nobody works on, until none is left.
    pub fn work(&self, stop: &Stop) -> Result<()> {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.held_out.folds.count() {
                return Ok(());
            }
            let errors = self.run(index, stop)?;
            let mut done = self.done.lock().unwrap_or_else(|e| e.into_inner());
            done.push((index, errors));
        }
    }

    fn run(&self, index: usize, stop: &Stop) -> Result<Errors> {
        let training = Training::new(self.held_out, index, stop)?;
        let mut fold = Fold::new(&training, stop)?;
        let mut turn = EarlyStopping::new(1);
        for &t in self.held_out.grid {
            fold.advance_to(t, stop)?;
            let points = fold.points();
            if !turn.is_clear() && turn.look(fold.by_annotator()) {
                self.turned.fetch_min(points, Ordering::Relaxed);
            }
            let needed = self.turned.load(Ordering::Relaxed);
            if self.held_out.curve == CvExtent::UntilStopped && points >= needed {
                break;
            }
        }
        Ok(fold.errors)
    }

    /// What came out, after all workers ended without an error.
    pub fn finish(self) -> Until<Vec<Errors>> {
        let mut done = self.done.into_inner().unwrap_or_else(|e| e.into_inner());
        done.sort_unstable_by_key(|(index, _)| *index);
        Until {
            found: done.into_iter().map(|(_, errors)| errors).collect(),
            turned: self.turned.into_inner(),
        }
    }
}
