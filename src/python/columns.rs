//! Which columns of a frame are read.

use pyo3::prelude::*;

use super::arrow_stream::batches;
use super::call::Call;
use crate::options::Options;

/// The columns of a frame that hold the votes: the argument that names each, and its name as
/// the frame spells it. The options are a JSON object, as in SQL. No row is read.
#[pyfunction]
pub(super) fn read_columns(
    votes: &Bound<'_, PyAny>,
    options: &str,
) -> PyResult<Vec<(&'static str, String)>> {
    let py = votes.py();
    let options = Call::default().run(py, |_| Options::from_json(options))?;
    let schema = batches(votes, "votes")?.schema();
    Call::default().run(py, |_| {
        let fields = schema.fields().iter();
        let names: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
        let columns = options.columns.find(&names)?;
        let named = columns
            .all()
            .map(|(argument, name)| (argument, name.to_string()));
        Ok(named.collect())
    })
}
