//! A fit on several machines: the votes of one rank, who goes where, and the coordinator. The
//! Python side (`me_hodgerank.ray`) reads the votes, moves them and starts the processes.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use super::arrow_stream::batches;
use super::call::Call;
use super::fit::PythonFit;
use super::frame;
use super::table::PythonTable;
use crate::collective::Collective;
use crate::collective::tcp::{Coordinator, TcpRank};
use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::options::Options;
use crate::render::arrow::id_array;
use crate::votes::{AnnotatorCounts, Ids, VoteBuilder};

/// The votes of one rank, while they are collected.
#[pyclass(name = "RankVotes", module = "me_hodgerank._native", frozen)]
pub(super) struct PythonRankVotes {
    options: Options,
    /// None once they are fitted.
    votes: Mutex<Option<VoteBuilder>>,
}

#[pymethods]
impl PythonRankVotes {
    /// The options are a JSON object, as in SQL.
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Self> {
        let options = Call::default().run(py, |_| Options::from_json(options))?;
        let votes = Mutex::new(Some(VoteBuilder::new(&options)));
        Ok(Self { options, votes })
    }

    /// Takes the votes of a frame.
    fn push(&self, frame: &Bound<'_, PyAny>) -> PyResult<()> {
        let batches = batches(frame, "votes")?;
        Call::default().run(frame.py(), |execution| {
            let mut votes = self.votes.lock().unwrap_or_else(PoisonError::into_inner);
            let votes = votes.as_mut().ok_or_else(fitted)?;
            frame::push(batches, &self.options, votes, execution)
        })
    }

    /// How many votes each annotator has in what was pushed.
    fn counts(&self, py: Python<'_>) -> PyResult<PythonTable> {
        let batch = Call::default().run(py, |execution| {
            let part = self.take()?.finish_part(execution)?;
            let votes = part.counts().map(|count| count as i64);
            let votes = Arc::new(Int64Array::from_iter_values(votes));
            table(part.annotators(), "votes", votes)
        });
        batch.map(PythonTable::from)
    }

    /// Fits the votes together with those of all other ranks.
    #[pyo3(signature = (address, rank, ranks, token, threads, gather))]
    #[allow(clippy::too_many_arguments, reason = "as they are written in Python")]
    fn fit(
        &self,
        py: Python<'_>,
        address: &str,
        rank: usize,
        ranks: usize,
        token: u64,
        threads: Option<usize>,
        gather: bool,
    ) -> PyResult<PythonRankFit> {
        let call = Call {
            threads,
            progress: None,
        };
        call.run(py, |execution| {
            let votes = self.take()?;
            let collective = Arc::new(TcpRank::connect(address, rank, ranks, token)?);
            let fit = || -> Result<Fit> {
                let part = votes.finish_part(execution)?;
                let collective: Arc<dyn Collective> = collective.clone();
                let votes = part.on_rank(collective)?;
                Fit::on_rank(&votes, &self.options, gather, execution)
            };
            let fit = fit().inspect_err(|error| collective.fail(error))?;
            Ok(PythonRankFit {
                fit: Arc::new(fit),
                waited: collective.waited().as_secs_f64(),
            })
        })
    }
}

impl PythonRankVotes {
    fn take(&self) -> Result<VoteBuilder> {
        let mut votes = self.votes.lock().unwrap_or_else(PoisonError::into_inner);
        votes.take().ok_or_else(fitted)
    }
}

fn fitted() -> Error {
    Error::option("these votes have been counted or fitted already: collect them again")
}

/// What a rank has of a fit.
#[pyclass(name = "RankFit", module = "me_hodgerank._native", frozen)]
pub(super) struct PythonRankFit {
    fit: Arc<Fit>,
    waited: f64,
}

#[pymethods]
impl PythonRankFit {
    /// Complete if it was gathered; else it has the personal scores of the rank's annotators only.
    #[getter]
    fn fit(&self) -> PythonFit {
        PythonFit::from(Arc::clone(&self.fit))
    }

    /// How many seconds this rank waited for exchanges.
    #[getter]
    fn waited(&self) -> f64 {
        self.waited
    }
}

/// On which of so many ranks each annotator is, given the counts of all parts of the table.
#[pyfunction]
pub(super) fn assign_ranks(counts: &Bound<'_, PyAny>, ranks: usize) -> PyResult<PythonTable> {
    let batches = batches(counts, "counts")?;
    let batch = Call::default().run(counts.py(), |_| {
        let mut counts = AnnotatorCounts::default();
        for batch in batches {
            counts.push_batch(&frame::complete(batch)?)?;
        }
        let (annotators, ranks) = counts.assign(ranks)?;
        let ranks = Int32Array::from_iter_values(ranks.into_iter().map(u32::cast_signed));
        table(&annotators, "rank", Arc::new(ranks))
    });
    batch.map(PythonTable::from)
}

/// Annotators, and something of each.
fn table(annotators: &Ids, name: &str, values: ArrayRef) -> Result<RecordBatch> {
    let ids = id_array(annotators).map_err(|error| Error::votes(error.to_string()))?;
    let batch = RecordBatch::try_from_iter([("annotator", ids), (name, values)]);
    batch.map_err(|error| Error::votes(error.to_string()))
}

/// The process that adds up what ranks send.
#[pyclass(name = "Coordinator", module = "me_hodgerank._native", frozen)]
pub(super) struct PythonCoordinator(Coordinator);

#[pymethods]
impl PythonCoordinator {
    #[new]
    fn new(address: &str, ranks: usize, token: u64) -> PyResult<Self> {
        let coordinator = Coordinator::new(address, ranks, token);
        coordinator.map(Self).map_err(|error| {
            PyOSError::new_err(format!(
                "the coordinator cannot listen at {address}: {error}"
            ))
        })
    }

    /// Where it listens.
    #[getter]
    fn address(&self) -> String {
        self.0.address().to_string()
    }

    /// How many exchanges are complete, and how many bytes their answers have.
    fn exchanges(&self) -> (u64, u64) {
        self.0.exchanges()
    }

    /// Ends all exchanges: ranks get this as an error.
    fn close(&self, py: Python<'_>, reason: &str) {
        py.detach(|| self.0.close(reason));
    }
}
