//! `me_hodgerank_svg(model, kind)` and `me_hodgerank_html(model [, title, date])`: a picture
//! of a model and a report about it.

use super::connection::Connection;
use super::error::SqlError;
use super::input_vector::InputVector;
use super::scalar::{self, ScalarCall, ScalarFunction, Signature};
use super::type_ids::{BLOB, VARCHAR};
use crate::{Fit, Plot, ReportOptions};

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    scalar::register::<ModelSvg>(connection)?;
    scalar::register::<ModelHtml>(connection)
}

struct ModelSvg;

impl ScalarFunction for ModelSvg {
    const NAME: &'static str = "me_hodgerank_svg";

    fn signatures() -> Vec<Signature> {
        Signature::only(&[BLOB, VARCHAR], VARCHAR)
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model, kind] = call.arguments();
        call.write_texts(|row| {
            let kind = kind.text(row);
            let kind = kind.map_err(|_| "the kind of picture is text that is not UTF-8")?;
            let (Some(model), Some(kind)) = (model.blob(row), kind) else {
                return Ok(None);
            };
            let plot: Plot = kind.parse()?;
            Ok(Some(Fit::from_bytes(model)?.plot(plot)?))
        })
    }
}

struct ModelHtml;

impl ScalarFunction for ModelHtml {
    const NAME: &'static str = "me_hodgerank_html";

    fn signatures() -> Vec<Signature> {
        let signatures = [&[BLOB][..], &[BLOB, VARCHAR, VARCHAR]];
        let signatures = signatures.map(|arguments| Signature::only(arguments, VARCHAR));
        signatures.into_iter().flatten().collect()
    }

    fn run(call: &ScalarCall) -> Result<(), SqlError> {
        let [model] = call.arguments();
        let (title, date) = (call.argument(1), call.argument(2));
        let text = |argument: &Option<InputVector<'_>>, row| {
            let text = argument.as_ref().map_or(Ok(None), |texts| texts.text(row));
            let text = text.map_err(|_| "the title or date is text that is not UTF-8")?;
            Ok::<_, SqlError>(text.map(String::from))
        };
        call.write_texts(|row| {
            let options = ReportOptions {
                title: text(&title, row)?,
                date: text(&date, row)?,
            };
            let model = model.blob(row);
            let report = |model| Ok(Fit::from_bytes(model)?.report_with(&options)?);
            model.map(report).transpose()
        })
    }
}
