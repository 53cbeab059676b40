//! Scalar functions of a model, which `me_hodgerank_fit` makes: predictions,
//! pictures and the report. They need nothing but their arguments.

use rusqlite::functions::Context;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::error::{guard, message, sql_error};
use crate::fit::Fit;
use crate::fit::predict::Predictor;
use crate::render::svg::Plot;
use crate::votes::{IdRef, IdType};

/// Makes the functions known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let scalar = |name: &str, arguments, body: fn(&Context<'_>) -> Result<Option<f64>>| {
        connection.create_scalar_function(name, arguments, super::PURE, move |context| {
            guard(|| body(context))
        })
    };
    scalar("me_hodgerank_predict_vote", 4, predict_vote)?;
    scalar("me_hodgerank_predict_hodgerank", 3, predict_hodgerank)?;
    let text = |name: &str, arguments, body: fn(&Context<'_>) -> Result<Option<String>>| {
        connection.create_scalar_function(name, arguments, super::PURE, move |context| {
            guard(|| body(context))
        })
    };
    text("me_hodgerank_svg", 2, svg)?;
    text("me_hodgerank_html", 1, html)
}

fn predict_vote(context: &Context<'_>) -> Result<Option<f64>> {
    let ids = (id(context, 1)?, id(context, 2)?, id(context, 3)?);
    let (Some(model), (Some(annotator), Some(left), Some(right))) = (model(context)?, ids) else {
        return Ok(None);
    };
    let predictor = Predictor::from_bytes(model).map_err(sql_error)?;
    for item in [left, right] {
        let checked = predictor.check_types(Some(id_type(annotator)), Some(id_type(item)));
        checked.map_err(sql_error)?;
    }
    Ok(Some(predictor.vote(annotator, left, right)))
}

fn predict_hodgerank(context: &Context<'_>) -> Result<Option<f64>> {
    let ids = (id(context, 1)?, id(context, 2)?);
    let (Some(model), (Some(left), Some(right))) = (model(context)?, ids) else {
        return Ok(None);
    };
    let predictor = Predictor::from_bytes(model).map_err(sql_error)?;
    for item in [left, right] {
        let checked = predictor.check_types(None, Some(id_type(item)));
        checked.map_err(sql_error)?;
    }
    Ok(Some(predictor.hodgerank(left, right)))
}

fn svg(context: &Context<'_>) -> Result<Option<String>> {
    let kind = match context.get_raw(1) {
        ValueRef::Null => return Ok(None),
        ValueRef::Text(text) => std::str::from_utf8(text)?,
        _ => "",
    };
    let plot = Plot::named(kind).map_err(sql_error)?;
    let Some(model) = model(context)? else {
        return Ok(None);
    };
    let fit = Fit::from_bytes(model).and_then(|fit| fit.plot(plot));
    fit.map(Some).map_err(sql_error)
}

fn html(context: &Context<'_>) -> Result<Option<String>> {
    let Some(model) = model(context)? else {
        return Ok(None);
    };
    let page = Fit::from_bytes(model).and_then(|fit| fit.report());
    page.map(Some).map_err(sql_error)
}

/// The first argument.
fn model<'a>(context: &'a Context<'_>) -> Result<Option<&'a [u8]>> {
    match context.get_raw(0) {
        ValueRef::Null => Ok(None),
        ValueRef::Blob(bytes) => Ok(Some(bytes)),
        _ => Err(message(
            "the first argument is a model made by me_hodgerank_fit, a blob",
        )),
    }
}

fn id<'a>(context: &'a Context<'_>, place: usize) -> Result<Option<IdRef<'a>>> {
    match context.get_raw(place) {
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
