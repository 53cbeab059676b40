//! Scalar functions of a model, which `me_hodgerank_fit` makes: predictions,
//! pictures and the report. They need nothing but their arguments.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rusqlite::functions::Context;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::error::{guard, message, sql_error};
use crate::fit::Fit;
use crate::plot::Plot;
use crate::predict::Predictor;
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
    let predictor = predictor(model)?;
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
    let predictor = predictor(model)?;
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

/// Reads a model, or takes the one that this thread read last: it is asked once
/// for every row. A model's first bytes hold its checksum; the rest need not be
/// compared each time.
fn predictor(bytes: &[u8]) -> Result<Rc<Predictor>> {
    type Key = (usize, [u8; Fit::HEADER]);
    thread_local! {
        static LAST: RefCell<Option<(Key, Rc<Predictor>)>> = const { RefCell::new(None) };
    }
    let header = bytes.first_chunk().copied();
    let key: Option<Key> = header.map(|header| (bytes.len(), header));
    LAST.with_borrow_mut(|last| {
        if let Some((known, predictor)) = last
            && Some(*known) == key
        {
            return Ok(predictor.clone());
        }
        let predictor = Fit::from_bytes(bytes).and_then(|fit| Predictor::new(Arc::new(fit)));
        let predictor = Rc::new(predictor.map_err(sql_error)?);
        if let Some(key) = key {
            *last = Some((key, predictor.clone()));
        }
        Ok(predictor)
    })
}
