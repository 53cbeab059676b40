//! `me_hodgerank_svg(model, kind)` and `me_hodgerank_html(model)`: a picture of a
//! model and a report about it.

use libduckdb_sys::DUCKDB_TYPE;

use super::connection::Connection;
use super::error::SqlError;
use super::scalar::{self, ScalarCall, ScalarFunction};
use super::type_ids::{BLOB, VARCHAR};
use crate::{Fit, Plot};

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<ModelSvg>(connection)?;
    scalar::register::<ModelHtml>(connection)
}

struct ModelSvg;

impl ScalarFunction for ModelSvg {
    const NAME: &'static str = "me_hodgerank_svg";
    const ARGUMENTS: &'static [DUCKDB_TYPE] = &[BLOB, VARCHAR];
    const RESULT: DUCKDB_TYPE = VARCHAR;

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model, kind] = call.arguments();
        call.write_texts(|row| {
            let (Some(model), Some(kind)) = (model.blob(row), kind.text(row)) else {
                return Ok(None);
            };
            let plot: Plot = kind.parse()?;
            Fit::from_bytes(model)?.plot(plot).map(Some)
        })
    }
}

struct ModelHtml;

impl ScalarFunction for ModelHtml {
    const NAME: &'static str = "me_hodgerank_html";
    const ARGUMENTS: &'static [DUCKDB_TYPE] = &[BLOB];
    const RESULT: DUCKDB_TYPE = VARCHAR;

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model] = call.arguments();
        call.write_texts(|row| match model.blob(row) {
            Some(model) => Fit::from_bytes(model)?.report().map(Some),
            None => Ok(None),
        })
    }
}
