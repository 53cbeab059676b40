//! A long computation in a call from Python.
//!
//! Python's lock is released, so that other threads of the program go on. Every few
//! milliseconds the calling thread takes it again to look for signals, which is how Ctrl-C
//! stops a fit, and to tell of the progress.

use std::cell::RefCell;
use std::ops::ControlFlow;

use pyo3::prelude::*;

use super::error::exception;
use crate::error::{Error, Result};
use crate::execution::{Execution, guarded};

/// Why a call ended without a result.
enum Failure {
    /// A signal or the program's own function raised this.
    Raised(PyErr),
    Own(Error),
}

/// How a call runs.
#[derive(Default)]
pub(super) struct Call {
    /// None: all cores.
    pub threads: Option<usize>,
    /// A function that is called with numbers from 0 to 1.
    pub progress: Option<Py<PyAny>>,
}

impl Call {
    /// Runs `work` without Python's lock. A signal stops it, and so does an exception of
    /// the function that is told of the progress: it is raised.
    pub fn run<T: Send>(
        self,
        py: Python<'_>,
        work: impl FnOnce(&mut Execution<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| self.run_detached(work))
            .map_err(|failure| match failure {
                Failure::Raised(error) => error,
                Failure::Own(error) => exception(py, &error),
            })
    }

    fn run_detached<T>(
        self,
        work: impl FnOnce(&mut Execution<'_>) -> Result<T>,
    ) -> Result<T, Failure> {
        let raised = RefCell::new(None);
        let outcome = {
            let attempt = |action: &dyn Fn(Python<'_>) -> PyResult<()>| {
                if raised.borrow().is_none() {
                    raised.replace(Python::attach(action).err());
                }
            };
            let mut execution = Execution::new().poll(|| {
                attempt(&|py| py.check_signals());
                match raised.borrow().is_some() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            if let Some(threads) = self.threads {
                execution = execution.threads(threads);
            }
            if let Some(tell) = &self.progress {
                execution =
                    execution.progress(|share| attempt(&|py| tell.call1(py, (share,)).map(drop)));
            }
            guarded(|| work(&mut execution))
        };
        match raised.into_inner() {
            Some(error) => Err(Failure::Raised(error)),
            None => outcome.map_err(Failure::Own),
        }
    }
}
