//! The scalar functions: the version, and the predictions, pictures and report of a
//! model that `me_hodgerank_model` returned. They depend on their arguments only.

use rusqlite::functions::Context;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, ToSql};

use super::error::{guard, message};
use super::flags::PURE;
use crate::fit::Fit;
use crate::fit::predict::Predictor;
use crate::render::html::ReportOptions;
use crate::render::svg::Plot;
use crate::votes::{IdRef, IdType};

/// Makes the functions known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    scalar(connection, "me_hodgerank_version", 0, version)?;
    scalar(connection, "me_hodgerank_predict_vote", 4, predict_vote)?;
    scalar(
        connection,
        "me_hodgerank_predict_hodgerank",
        3,
        predict_hodgerank,
    )?;
    scalar(connection, "me_hodgerank_svg", 2, svg)?;
    scalar(connection, "me_hodgerank_html", 1, html)?;
    scalar(connection, "me_hodgerank_html", 3, titled_html)
}

/// Registers a function of so many arguments; None is NULL.
fn scalar<T: ToSql + 'static>(
    connection: &Connection,
    name: &str,
    arguments: i32,
    body: fn(&Context<'_>) -> Result<Option<T>>,
) -> Result<()> {
    connection.create_scalar_function(name, arguments, PURE, move |context| {
        guard(|| body(context))
    })
}

fn version(_: &Context<'_>) -> Result<Option<&'static str>> {
    Ok(Some(crate::VERSION))
}

fn predict_vote(context: &Context<'_>) -> Result<Option<f64>> {
    let (annotator, left, right) = (id(context, 1)?, id(context, 2)?, id(context, 3)?);
    let Some(model) = model(context)? else {
        return Ok(None);
    };
    let predictor = Predictor::from_bytes(model)?;
    for item in [left, right] {
        predictor.check_types(annotator.map(id_type), item.map(id_type))?;
    }
    Ok(predictor.vote_of(annotator, left, right))
}

fn predict_hodgerank(context: &Context<'_>) -> Result<Option<f64>> {
    let (left, right) = (id(context, 1)?, id(context, 2)?);
    let Some(model) = model(context)? else {
        return Ok(None);
    };
    let predictor = Predictor::from_bytes(model)?;
    for item in [left, right] {
        predictor.check_types(None, item.map(id_type))?;
    }
    let pair = left.zip(right);
    Ok(pair.map(|(left, right)| predictor.hodgerank(left, right)))
}

fn svg(context: &Context<'_>) -> Result<Option<String>> {
    let kind = match context.get_raw(1) {
        ValueRef::Null => return Ok(None),
        ValueRef::Text(text) => std::str::from_utf8(text)?,
        _ => "",
    };
    let plot: Plot = kind.parse()?;
    let Some(model) = model(context)? else {
        return Ok(None);
    };
    Ok(Some(Fit::from_bytes(model)?.plot(plot)?))
}

fn html(context: &Context<'_>) -> Result<Option<String>> {
    let Some(model) = model(context)? else {
        return Ok(None);
    };
    Ok(Some(Fit::from_bytes(model)?.report()?))
}

/// The report with a title and a date; either may be NULL.
fn titled_html(context: &Context<'_>) -> Result<Option<String>> {
    let text = |index, what| match context.get_raw(index) {
        ValueRef::Null => Ok(None),
        ValueRef::Text(text) => Ok(Some(std::str::from_utf8(text)?.to_string())),
        _ => Err(message(format!("the {what} of a report is text"))),
    };
    let options = ReportOptions {
        title: text(1, "title")?,
        date: text(2, "date")?,
    };
    let Some(model) = model(context)? else {
        return Ok(None);
    };
    Ok(Some(Fit::from_bytes(model)?.report_with(&options)?))
}

/// The model, which is the first argument.
fn model<'a>(context: &'a Context<'_>) -> Result<Option<&'a [u8]>> {
    match context.get_raw(0) {
        ValueRef::Null => Ok(None),
        ValueRef::Blob(bytes) => Ok(Some(bytes)),
        _ => Err(message(
            "the first argument is a model made by me_hodgerank_model, a blob",
        )),
    }
}

fn id<'a>(context: &'a Context<'_>, index: usize) -> Result<Option<IdRef<'a>>> {
    match context.get_raw(index) {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(value) => Ok(Some(IdRef::Int(value.into()))),
        ValueRef::Text(text) => Ok(Some(IdRef::Text(std::str::from_utf8(text)?))),
        _ => Err(message(
            "ids are integers or text: cast the column to one of them",
        )),
    }
}

fn id_type(id: IdRef<'_>) -> IdType {
    match id {
        IdRef::Int(_) => IdType::INT64,
        IdRef::Text(_) => IdType::Text,
    }
}
