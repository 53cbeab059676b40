//! How far a computation is: its workers count steps, and the thread that waits for them
//! tells the caller.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The steps of a computation, counted by all its threads.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// 0 where steps are not counted.
    expected: AtomicUsize,
    done: AtomicUsize,
}

impl Steps {
    /// Says how many steps there will be. What comes after the last one counts as one more.
    pub fn expect(&self, steps: usize) {
        self.expected.store(steps + 1, Ordering::Relaxed);
    }

    /// Says that one more is done.
    pub fn count(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// The share that is done, less than 1; None if steps are not counted.
    pub fn share(&self) -> Option<f64> {
        let expected = self.expected.load(Ordering::Relaxed);
        let done = self.done.load(Ordering::Relaxed);
        (expected > 0).then(|| done.min(expected - 1) as f64 / expected as f64)
    }
}

/// Whom to tell of the steps, and what they were told last.
#[derive(Default)]
pub(crate) struct ProgressReport<'a> {
    tell: Option<Box<dyn FnMut(f64) + 'a>>,
    told: Option<f64>,
}

impl fmt::Debug for ProgressReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProgressReport").field(&self.told).finish()
    }
}

impl<'a> ProgressReport<'a> {
    pub fn new(tell: impl FnMut(f64) + 'a) -> Self {
        Self {
            tell: Some(Box::new(tell)),
            told: None,
        }
    }

    /// Whether there is somebody to tell.
    pub fn is_wanted(&self) -> bool {
        self.tell.is_some()
    }

    /// Tells how far the work is.
    pub fn report(&mut self, steps: &Steps) {
        if let Some(share) = steps.share() {
            self.say(share);
        }
    }

    /// Tells that work has succeeded, if its steps were counted. The next work begins at 0.
    pub fn finish(&mut self, steps: &Steps) {
        if steps.share().is_some() {
            self.say(1.0);
            self.told = None;
        }
    }

    fn say(&mut self, share: f64) {
        if let Some(tell) = &mut self.tell
            && self.told.is_none_or(|told| share > told)
        {
            self.told = Some(share);
            tell(share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_go_down_and_end_with_1() {
        let mut told = Vec::new();
        let mut progress = ProgressReport::new(|share| told.push(share));
        progress.finish(&Steps::default()); // of which nobody knows how many there are
        for _ in 0..2 {
            let steps = Steps::default();
            progress.report(&steps);
            steps.expect(3);
            for _ in 0..5 {
                progress.report(&steps);
                progress.report(&steps);
                steps.count();
            }
            progress.finish(&steps);
        }
        // What was begun again is not told again.
        progress.say(0.5);
        progress.say(0.25);
        drop(progress);
        let once = [0.0, 0.25, 0.5, 0.75, 1.0];
        assert_eq!(told, [&once[..], &once, &[0.5]].concat());
    }
}
