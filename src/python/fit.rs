//! A fit in Python's hands, and the functions that make one.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value};

use super::arrow_stream::batches;
use super::call::Call;
use super::frame;
use super::table::PythonTable;
use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::fit::predict::Predictor;
use crate::options::{Columns, Options};
use crate::render::arrow::{ResultSet, SetArguments};
use crate::render::html::ReportOptions;
use crate::render::svg::Plot;
use crate::simulate::Simulation;

/// A fitted model. It stays as it is.
#[pyclass(name = "Fit", module = "me_hodgerank._native", frozen)]
pub(super) struct PythonFit(Arc<Fit>);

impl From<Arc<Fit>> for PythonFit {
    fn from(fit: Arc<Fit>) -> Self {
        Self(fit)
    }
}

/// Fits the votes of a frame. The options are a JSON object, as in SQL.
#[pyfunction]
pub(super) fn fit(
    votes: &Bound<'_, PyAny>,
    options: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PythonFit> {
    let py = votes.py();
    // A wrong option is an error before anything is read.
    let options = Call::default().run(py, |_| Options::from_json(options))?;
    let batches = batches(votes, "votes")?;
    let call = Call { threads, progress };
    let fit = call.run(py, |execution| {
        let votes = frame::votes(batches, &options, execution)?;
        Fit::new_within(&votes, &options, execution)
    });
    fit.map(|fit| PythonFit(Arc::new(fit)))
}

/// Votes with a known truth. The options are a JSON object.
#[pyfunction]
pub(super) fn simulate(py: Python<'_>, options: &str) -> PyResult<PythonTable> {
    Call::default().run(py, |execution| {
        let simulation = Simulation::from_json(options)?;
        let mut batches = Vec::new();
        for batch in simulation.run()? {
            execution.check()?;
            batches.push(batch?);
        }
        Ok(PythonTable::new(Simulation::schema(), batches))
    })
}

#[pymethods]
impl PythonFit {
    /// From the bytes of a stored model.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let fit = Call::default().run(py, |_| Fit::from_bytes(bytes))?;
        Ok(Self(Arc::new(fit)))
    }

    /// The bytes of a stored model.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = Call::default().run(py, |_| Ok(self.0.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Whether there is such a result set.
    fn has(&self, py: Python<'_>, set: &str) -> PyResult<bool> {
        Call::default().run(py, |_| Ok(self.0.has(set.parse()?)))
    }

    /// What was fitted, in words.
    fn in_words(&self, py: Python<'_>) -> PyResult<String> {
        Call::default().run(py, |_| Ok(self.0.in_words()))
    }

    /// A result set by its name, with its arguments as a JSON object, the frame with the
    /// candidates for the next pairs, and the columns of that frame as a JSON object.
    fn table(
        &self,
        py: Python<'_>,
        set: &str,
        arguments: &str,
        candidates: Option<&Bound<'_, PyAny>>,
        columns: &str,
    ) -> PyResult<PythonTable> {
        let candidates = candidates.map(|frame| batches(frame, "candidates"));
        let candidates = candidates.transpose()?;
        let batch = Call::default().run(py, |execution| {
            let set: ResultSet = set.parse()?;
            let arguments = SetArguments::take_from(set, &mut object(arguments)?)?;
            let columns = columns_of(columns)?;
            let candidates = candidates
                .map(|batches| frame::candidates(batches, &columns, execution))
                .transpose()?;
            self.0
                .table_with(set, &arguments, candidates.as_ref(), execution)
        });
        batch.map(PythonTable::from)
    }

    /// The rows of a frame with predictions beside them. The columns to read are a JSON
    /// object.
    fn predict(
        &self,
        py: Python<'_>,
        votes: &Bound<'_, PyAny>,
        columns: &str,
    ) -> PyResult<PythonTable> {
        let batches = batches(votes, "votes")?;
        let fit = self.0.clone();
        let predicted = Call::default().run(py, |execution| {
            let columns = columns_of(columns)?;
            let predictor = Predictor::new(fit)?;
            frame::predictions(batches, &columns, &predictor, execution)
        })?;
        Ok(PythonTable::new(predicted.0, predicted.1))
    }

    /// A picture, as SVG.
    fn plot(&self, py: Python<'_>, kind: &str) -> PyResult<String> {
        Call::default().run(py, |_| self.0.plot(kind.parse::<Plot>()?))
    }

    /// The report, as HTML. Title and date are in a JSON object.
    fn report(&self, py: Python<'_>, options: &str) -> PyResult<String> {
        Call::default().run(py, |execution| {
            let options = ReportOptions::take_from(&mut object(options)?)?;
            self.0.report_within(&options, execution)
        })
    }

    /// What a notebook shows, as HTML.
    fn overview(&self, py: Python<'_>) -> PyResult<String> {
        Call::default().run(py, |_| self.0.overview())
    }
}

fn object(json: &str) -> Result<Map<String, Value>> {
    serde_json::from_str(json).map_err(|error| Error::option(format!("no JSON object: {error}")))
}

fn columns_of(json: &str) -> Result<Columns> {
    Ok(Options::from_json(json)?.columns)
}
