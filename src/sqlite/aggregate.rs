//! `me_hodgerank_fit(annotator, left, right, choice [, weight [, fold]] [, options])`:
//! votes to a model, one a group.

use rusqlite::functions::{Aggregate, Context};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::error::{guard, message, sql_error};
use super::ingest::{Ingest, Values};
use super::poll::interruptible;
use crate::fit::cache;
use crate::options::{Columns, Options};

/// Makes the aggregate known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    for arguments in 4..=7 {
        connection.create_aggregate_function(
            "me_hodgerank_fit",
            arguments,
            super::PURE,
            FitAggregate,
        )?;
    }
    Ok(())
}

struct FitAggregate;

/// The votes of one group so far.
struct Group {
    ingest: Ingest,
    options: Options,
    /// The text that the options were read from; it must stay the same.
    json: Option<String>,
    roles: Roles,
}

/// Where the optional arguments are.
#[derive(Clone, Copy, Default)]
struct Roles {
    weight: Option<usize>,
    fold: Option<usize>,
    options: Option<usize>,
}

impl Roles {
    /// Options are text, weights and folds are numbers: the last argument of the
    /// first row tells.
    fn new(arguments: &Context<'_>) -> Self {
        let last = arguments.len() - 1;
        let has_options =
            last == 6 || last > 3 && matches!(arguments.get_raw(last), ValueRef::Text(_));
        let numbers = if has_options { last } else { last + 1 };
        Self {
            weight: (numbers > 4).then_some(4),
            fold: (numbers > 5).then_some(5),
            options: has_options.then_some(last),
        }
    }
}

impl Group {
    fn new(arguments: &Context<'_>) -> Result<Self> {
        let roles = Roles::new(arguments);
        let json = json(arguments, roles)?.map(String::from);
        let mut options = Options::from_json(json.as_deref().unwrap_or("{}")).map_err(sql_error)?;
        if options.columns != Columns::default() {
            return Err(message(
                "me_hodgerank_fit takes its columns as arguments: annotator, left, right, choice, \
                 weight and fold cannot be options here",
            ));
        }
        options.columns.weight = roles.weight.map(|_| "weight".into());
        options.columns.fold = roles.fold.map(|_| "fold".into());
        Ok(Self {
            ingest: Ingest::new(&options),
            options,
            json,
            roles,
        })
    }

    fn push(&mut self, arguments: &Context<'_>) -> Result<()> {
        if json(arguments, self.roles)? != self.json.as_deref() {
            return Err(message(
                "the options of me_hodgerank_fit must be the same for all votes of a group",
            ));
        }
        self.ingest.push(&Values {
            annotator: arguments.get_raw(0),
            left: arguments.get_raw(1),
            right: arguments.get_raw(2),
            choice: arguments.get_raw(3),
            weight: self.roles.weight.map(|place| arguments.get_raw(place)),
            fold: self.roles.fold.map(|place| arguments.get_raw(place)),
        })
    }
}

fn json<'a>(arguments: &'a Context<'_>, roles: Roles) -> Result<Option<&'a str>> {
    let value = roles.options.map(|place| arguments.get_raw(place));
    match value {
        None | Some(ValueRef::Null) => Ok(None),
        Some(ValueRef::Text(text)) => Ok(Some(std::str::from_utf8(text)?)),
        Some(_) => Err(message(
            "the options must be a JSON object such as {\"kappa\": 10}",
        )),
    }
}

impl Aggregate<Group, Option<Vec<u8>>> for FitAggregate {
    fn init(&self, arguments: &mut Context<'_>) -> Result<Group> {
        guard(|| Group::new(arguments))
    }

    fn step(&self, arguments: &mut Context<'_>, group: &mut Group) -> Result<()> {
        guard(|| group.push(arguments))
    }

    /// No votes give no model: NULL.
    fn finalize(&self, context: &mut Context<'_>, group: Option<Group>) -> Result<Option<Vec<u8>>> {
        let Some(group) = group else { return Ok(None) };
        guard(|| {
            // SAFETY: the connection is only used during this call, on its thread.
            let connection = unsafe { context.get_connection()? };
            let options = &group.options;
            interruptible(&connection, options.max_seconds, |run| {
                let votes = group.ingest.finish(run)?;
                Ok(Some(cache::fit(&votes, options, run)?.to_bytes()))
            })
        })
    }
}
