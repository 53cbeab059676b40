//! Cells of Arrow columns as Python's own values, for programs without a library of frames.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Decimal128Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The values of a column; None if Python has none for its type.
pub(super) fn values<'py>(
    py: Python<'py>,
    array: &ArrayRef,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let values = match array.data_type() {
        DataType::Null => PyList::new(py, (0..array.len()).map(|_| py.None())),
        DataType::Boolean => PyList::new(py, array.as_boolean().iter().collect::<Vec<_>>()),
        DataType::Int8 => integers::<Int8Type>(py, array),
        DataType::Int16 => integers::<Int16Type>(py, array),
        DataType::Int32 => integers::<Int32Type>(py, array),
        DataType::Int64 => integers::<Int64Type>(py, array),
        DataType::UInt8 => integers::<UInt8Type>(py, array),
        DataType::UInt16 => integers::<UInt16Type>(py, array),
        DataType::UInt32 => integers::<UInt32Type>(py, array),
        DataType::UInt64 => integers::<UInt64Type>(py, array),
        DataType::Decimal128(_, 0) => integers::<Decimal128Type>(py, array),
        DataType::Float16 => numbers::<Float16Type>(py, array),
        DataType::Float32 => numbers::<Float32Type>(py, array),
        DataType::Float64 => numbers::<Float64Type>(py, array),
        DataType::Utf8 => texts(py, array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => texts(py, array.as_string::<i64>().iter()),
        DataType::Utf8View => texts(py, array.as_string_view().iter()),
        DataType::Union(..) => return mixed(py, array).map(Some),
        DataType::Dictionary(key, _) => return dictionary(py, key, array),
        _ => return Ok(None),
    };
    values.map(Some)
}

fn integers<'py, T>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>>
where
    T: ArrowPrimitiveType<Native: Into<i128>>,
{
    let cells = array.as_primitive::<T>().iter();
    let cells = cells.map(|cell| cell.map(|cell| -> i128 { cell.into() }));
    // Nearly all fit into 64 bits, which is the shorter way.
    let objects = cells.map(|cell| match cell {
        None => Ok(py.None()),
        Some(cell) => match i64::try_from(cell) {
            Ok(cell) => Ok(cell.into_pyobject(py)?.into_any().unbind()),
            Err(_) => Ok(cell.into_pyobject(py)?.into_any().unbind()),
        },
    });
    PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
}

fn numbers<'py, T>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>>
where
    T: ArrowPrimitiveType<Native: Into<f64>>,
{
    let cells = array.as_primitive::<T>().iter();
    let cells = cells.map(|cell| cell.map(|cell| -> f64 { cell.into() }));
    PyList::new(py, cells.collect::<Vec<_>>())
}

fn texts<'py, 'a>(
    py: Python<'py>,
    cells: impl Iterator<Item = Option<&'a str>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, cells.collect::<Vec<_>>())
}

/// A union, such as ids of which some are integers and others text.
fn mixed<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let union = array.as_union();
    let cells = PyList::empty(py);
    for row in 0..array.len() {
        match values(py, &union.value(row))? {
            Some(cell) => cells.append(cell.get_item(0)?)?,
            None => cells.append(py.None())?,
        }
    }
    Ok(cells)
}

/// A dictionary of values, with keys of any type.
fn dictionary<'py>(
    py: Python<'py>,
    key: &DataType,
    array: &ArrayRef,
) -> PyResult<Option<Bound<'py, PyList>>> {
    fn with_key<'py, K: ArrowDictionaryKeyType>(
        py: Python<'py>,
        array: &ArrayRef,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        let array = array.as_dictionary::<K>();
        let Some(known) = values(py, array.values())? else {
            return Ok(None);
        };
        let cells = PyList::empty(py);
        for row in 0..array.len() {
            match array.key(row) {
                Some(key) => cells.append(known.get_item(key)?)?,
                None => cells.append(py.None())?,
            }
        }
        Ok(Some(cells))
    }
    match key {
        DataType::Int8 => with_key::<Int8Type>(py, array),
        DataType::Int16 => with_key::<Int16Type>(py, array),
        DataType::Int32 => with_key::<Int32Type>(py, array),
        DataType::Int64 => with_key::<Int64Type>(py, array),
        DataType::UInt8 => with_key::<UInt8Type>(py, array),
        DataType::UInt16 => with_key::<UInt16Type>(py, array),
        DataType::UInt32 => with_key::<UInt32Type>(py, array),
        DataType::UInt64 => with_key::<UInt64Type>(py, array),
        _ => Ok(None),
    }
}
