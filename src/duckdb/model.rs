//! Scalar functions of a model, which `me_hodgerank_model` makes: predictions,
//! pictures and the report.

use std::ffi::CStr;
use std::rc::Rc;

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, DuckDBSuccess, duckdb_data_chunk, duckdb_data_chunk_get_size,
    duckdb_data_chunk_get_vector, duckdb_function_info, duckdb_vector,
};

use super::column::Column;
use super::connection::Connection;
use super::handles::{LogicalType, c_string, guard};
use super::result::Output;
use crate::{Fit, Plot, Predictor};

const ANY: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY;
const BLOB: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB;
const DOUBLE: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE;
const VARCHAR: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR;

type Callback = unsafe extern "C" fn(duckdb_function_info, duckdb_data_chunk, duckdb_vector);

/// A scalar function: its name, arguments, result and what DuckDB calls.
struct Scalar {
    name: &'static CStr,
    arguments: &'static [DUCKDB_TYPE],
    result: DUCKDB_TYPE,
    callback: Callback,
}

const SCALARS: &[Scalar] = &[
    Scalar {
        name: c"me_hodgerank_predict_vote",
        arguments: &[BLOB, ANY, ANY, ANY],
        result: DOUBLE,
        callback: predict_vote,
    },
    Scalar {
        name: c"me_hodgerank_predict_hodgerank",
        arguments: &[BLOB, ANY, ANY],
        result: DOUBLE,
        callback: predict_hodgerank,
    },
    Scalar {
        name: c"me_hodgerank_svg",
        arguments: &[BLOB, VARCHAR],
        result: VARCHAR,
        callback: svg,
    },
    Scalar {
        name: c"me_hodgerank_html",
        arguments: &[BLOB],
        result: VARCHAR,
        callback: html,
    },
];

/// Makes the functions known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), String> {
    SCALARS
        .iter()
        .try_for_each(|scalar| register_one(connection, scalar))
}

fn register_one(connection: &Connection, scalar: &Scalar) -> Result<(), String> {
    // SAFETY: registering copies the function, which is then destroyed.
    let outcome = unsafe {
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, scalar.name.as_ptr());
        for argument in scalar.arguments {
            let argument = LogicalType::new(*argument);
            ffi::duckdb_scalar_function_add_parameter(function, argument.raw());
        }
        let result = LogicalType::new(scalar.result);
        ffi::duckdb_scalar_function_set_return_type(function, result.raw());
        // NULLs are looked at here: some versions hand them over, others do not.
        ffi::duckdb_scalar_function_set_special_handling(function);
        ffi::duckdb_scalar_function_set_function(function, Some(scalar.callback));
        let outcome = ffi::duckdb_register_scalar_function(connection.raw(), function);
        ffi::duckdb_destroy_scalar_function(&mut function);
        outcome
    };
    if outcome == DuckDBSuccess {
        Ok(())
    } else {
        Err(format!("could not register {:?}", scalar.name))
    }
}

/// `me_hodgerank_predict_vote(model, annotator, left, right)`.
unsafe extern "C" fn predict_vote(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    result: duckdb_vector,
) {
    // SAFETY: DuckDB's arguments, passed on.
    let rows = unsafe { Rows::new(chunk, result) };
    let outcome = guard(|| {
        let [model, annotator, left, right] = rows.columns()?;
        let types = (Some(&annotator), [&left, &right]);
        rows.write(&model, types, |predictor, row| {
            let (annotator, left, right) = (annotator.id(row)?, left.id(row)?, right.id(row)?);
            Some(predictor.vote(annotator, left, right))
        })
    });
    report(info, outcome);
}

/// `me_hodgerank_predict_hodgerank(model, left, right)`.
unsafe extern "C" fn predict_hodgerank(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    result: duckdb_vector,
) {
    // SAFETY: DuckDB's arguments, passed on.
    let rows = unsafe { Rows::new(chunk, result) };
    let outcome = guard(|| {
        let [model, left, right] = rows.columns()?;
        rows.write(&model, (None, [&left, &right]), |predictor, row| {
            Some(predictor.hodgerank(left.id(row)?, right.id(row)?))
        })
    });
    report(info, outcome);
}

/// `me_hodgerank_svg(model, kind)`.
unsafe extern "C" fn svg(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    result: duckdb_vector,
) {
    // SAFETY: DuckDB's arguments, passed on.
    let rows = unsafe { Rows::new(chunk, result) };
    let outcome = guard(|| {
        let [model, kind] = rows.columns()?;
        rows.write_text(|row| {
            let (Some(model), Some(kind)) = (model.blob(row), kind.text(row)) else {
                return Ok(None);
            };
            let plot = Plot::named(kind)?;
            Fit::from_bytes(model)?.plot(plot).map(Some)
        })
    });
    report(info, outcome);
}

/// `me_hodgerank_html(model)`.
unsafe extern "C" fn html(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    result: duckdb_vector,
) {
    // SAFETY: DuckDB's arguments, passed on.
    let rows = unsafe { Rows::new(chunk, result) };
    let outcome = guard(|| {
        let [model] = rows.columns()?;
        rows.write_text(|row| match model.blob(row) {
            Some(model) => Fit::from_bytes(model)?.report().map(Some),
            None => Ok(None),
        })
    });
    report(info, outcome);
}

/// The rows of one call: what comes in and where the answers go.
struct Rows {
    chunk: duckdb_data_chunk,
    count: usize,
    output: Output,
}

impl Rows {
    /// # Safety
    ///
    /// The arguments of a scalar function's callback, as long as it runs.
    unsafe fn new(chunk: duckdb_data_chunk, result: duckdb_vector) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                chunk,
                count: duckdb_data_chunk_get_size(chunk) as usize,
                output: Output::new(result),
            }
        }
    }

    /// The arguments, of which there are as many as were registered.
    fn columns<const N: usize>(&self) -> Result<[Column<'_>; N], String> {
        // SAFETY: DuckDB passes flat vectors of `count` rows, one for each argument.
        Ok(std::array::from_fn(|index| unsafe {
            let vector = duckdb_data_chunk_get_vector(self.chunk, index as u64);
            Column::new(vector, self.count)
        }))
    }

    /// Writes a text for each row; NULL where there is none.
    fn write_text(
        &self,
        text: impl Fn(usize) -> crate::Result<Option<String>>,
    ) -> Result<(), String> {
        for row in 0..self.count {
            match text(row).map_err(|error| error.to_string())? {
                Some(text) => self.output.put_text(row, &text),
                None => self.output.set_null(row),
            }
        }
        Ok(())
    }

    /// Writes a prediction for each row; NULL where there is none.
    fn write(
        &self,
        model: &Column<'_>,
        (annotator, items): (Option<&Column<'_>>, [&Column<'_>; 2]),
        predict: impl Fn(&Predictor, usize) -> Option<f64>,
    ) -> Result<(), String> {
        let mut known: Option<(&[u8], Rc<Predictor>)> = None;
        for row in 0..self.count {
            let Some(bytes) = model.blob(row) else {
                self.output.set_null(row);
                continue;
            };
            // A constant is repeated by its address.
            let predictor = match &known {
                Some((known, predictor)) if std::ptr::eq(*known, bytes) => predictor.clone(),
                _ => {
                    let predictor =
                        Predictor::from_bytes(bytes).map_err(|error| error.to_string())?;
                    check_types(&predictor, annotator, items)?;
                    known = Some((bytes, predictor.clone()));
                    predictor
                }
            };
            match predict(&predictor, row) {
                Some(value) => self.output.put(row, std::iter::once(value)),
                None => self.output.set_null(row),
            }
        }
        Ok(())
    }
}

/// Whether the ids are of types that can be found in the model.
fn check_types(
    predictor: &Predictor,
    annotator: Option<&Column<'_>>,
    items: [&Column<'_>; 2],
) -> Result<(), String> {
    let id_type = |column: &Column<'_>| match column.id_type() {
        None if !column.is_absent() => Err(format!(
            "an id to be predicted is of type {}; ids are integers, text or UUIDs: cast it to one \
             of them",
            column.type_name()
        )),
        id_type => Ok(id_type),
    };
    let annotator = annotator.map(id_type).transpose()?.flatten();
    for item in items {
        let checked = predictor.check_types(annotator, id_type(item)?);
        checked.map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn report(info: duckdb_function_info, outcome: Result<(), String>) {
    if let Err(message) = outcome {
        // SAFETY: `info` is the one of the running callback; DuckDB copies the text.
        unsafe { ffi::duckdb_scalar_function_set_error(info, c_string(&message).as_ptr()) };
    }
}
