//! Arrow's C interface in PyCapsules, as the Arrow PyCapsule protocol has it: frames of
//! other libraries in, our tables out. Nothing is copied.

use std::ffi::CStr;
use std::fmt::Display;

use arrow_array::ffi::{FFI_ArrowArray, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::error::exception;
use crate::error::{Error, Result};
use crate::execution::guarded;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// The batches of a frame.
pub(super) type FrameBatches = Box<dyn RecordBatchReader + Send>;

/// The batches of an object that speaks the protocol. `what` names it in an error.
pub(super) fn batches(frame: &Bound<'_, PyAny>, what: &str) -> PyResult<FrameBatches> {
    if frame.hasattr("__arrow_c_stream__")? {
        // No schema is requested. Not every library has None as its default.
        return from_stream(&frame.call_method1("__arrow_c_stream__", (None::<()>,))?);
    }
    if frame.hasattr("__arrow_c_array__")? {
        return from_array(&frame.call_method1("__arrow_c_array__", (None::<()>,))?);
    }
    Err(PyTypeError::new_err(format!(
        "{what} must be a frame that speaks Arrow's PyCapsule interface, such as one of polars, \
         pyarrow, pandas (2.2 or later) or a relation of DuckDB, not {}",
        frame.get_type().fully_qualified_name()?
    )))
}

fn from_stream(capsule: &Bound<'_, PyAny>) -> PyResult<FrameBatches> {
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds such a stream. It is moved out: what is left
    // there is marked as released, and the capsule frees no more than its own memory.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    // The schema may be asked from code that needs Python's lock on another thread.
    let py = capsule.py();
    let open = || RecordBatchStreamReader::try_new(stream).map_err(not_a_table);
    let reader = py.detach(|| guarded(open));
    Ok(Box::new(reader.map_err(|error| exception(py, &error))?))
}

/// A single batch: a struct array, and its schema.
fn from_array(pair: &Bound<'_, PyAny>) -> PyResult<FrameBatches> {
    let pair = pair.cast::<PyTuple>()?;
    let pointer = |index: usize, name| {
        let capsule = pair.get_item(index)?;
        capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))
    };
    let (schema, array) = (pointer(0, SCHEMA)?, pointer(1, ARRAY)?);
    // SAFETY: capsules of these names hold such structs. Both are moved out, as above.
    let (schema, array) = unsafe {
        (
            FFI_ArrowSchema::from_raw(schema.as_ptr().cast()),
            FFI_ArrowArray::from_raw(array.as_ptr().cast()),
        )
    };
    let batch = guarded(|| batch_of(array, &schema));
    let batch = batch.map_err(|error| exception(pair.py(), &error))?;
    let schema = batch.schema();
    Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

fn batch_of(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<RecordBatch> {
    // SAFETY: the two belong together, as the protocol has it.
    let data = unsafe { from_ffi(array, schema) }.map_err(not_a_table)?;
    if !matches!(data.data_type(), DataType::Struct(_)) || data.null_count() > 0 {
        return Err(not_a_table("its rows are no structs, or are NULL"));
    }
    Ok(RecordBatch::from(StructArray::from(data)))
}

fn not_a_table(why: impl Display) -> Error {
    Error::votes(format!("the frame is no table that can be read: {why}"))
}

/// A stream of batches for another library.
pub(super) fn stream<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches: Vec<_> = batches.iter().cloned().map(Ok).collect();
    let reader = RecordBatchIterator::new(batches, schema.clone());
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    // Who does not take it out leaves it to be released with the capsule.
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// A schema for another library.
pub(super) fn schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref());
    let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}
