//! A table that goes out to Python: a result set, made-up votes, or predictions.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use super::{arrow_stream, cells};

/// Rows and columns. They stay as they are.
#[pyclass(name = "Table", module = "me_hodgerank._native", frozen)]
pub(super) struct PythonTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl PythonTable {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }
}

impl From<RecordBatch> for PythonTable {
    fn from(batch: RecordBatch) -> Self {
        Self::new(batch.schema(), vec![batch])
    }
}

#[pymethods]
impl PythonTable {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    fn names(&self) -> Vec<&str> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// The values of a column, from one row up to another.
    fn values<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let Some((index, field)) = self.schema.column_with_name(name) else {
            return Err(PyKeyError::new_err(name.to_string()));
        };
        let all = PyList::empty(py);
        let mut first = 0;
        for batch in &self.batches {
            let rows = batch.num_rows();
            let from = start.clamp(first, first + rows) - first;
            let to = end.clamp(first, first + rows) - first;
            first += rows;
            if from >= to {
                continue;
            }
            let slice = batch.column(index).slice(from, to - from);
            let Some(values) = cells::values(py, &slice)? else {
                return Err(PyTypeError::new_err(format!(
                    "column \"{name}\" holds {}, which only a library of frames can show: use \
                     to_polars() or to_pyarrow()",
                    field.data_type()
                )));
            };
            all.call_method1("extend", (values,))?;
        }
        Ok(all)
    }

    /// The rows as a stream of Arrow batches. They have the types that they have: a request
    /// for others is the consumer's to fulfil.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        arrow_stream::stream(py, &self.schema, &self.batches)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow_stream::schema(py, &self.schema)
    }
}
